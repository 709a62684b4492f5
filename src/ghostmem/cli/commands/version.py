"""ghost version"""

from ghostmem._version import __version__
from ghostmem.cli.face import Face, declare


@declare("version", "Print the version.", "  ghost version\n")
def command(face: Face) -> None:
    import platform

    face.one({"version": __version__, "python": platform.python_version()}, f"ghost {__version__}")
