"""ghost version"""

from ghostmem._version import __version__
from ghostmem.cli.face import Face, TolerantCommand, declare


@declare("version", "Print the version.", "  ghost version\n", TolerantCommand)
def command(face: Face) -> None:
    import platform

    face.one({"version": __version__, "python": platform.python_version()}, f"ghost {__version__}")
