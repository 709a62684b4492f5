"""Environments that hold the built wheel and what it declares that it needs, and nothing else of the one the tests run in.

A package is lent by links to the files that its record names, so that nothing is downloaded; one that Ghost uses and does not
declare is missing there, as it would be on a stranger's machine.
"""

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from importlib.metadata import distribution
from pathlib import Path

from ghostmem.notes.lock import lock_file

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))

from build import build  # noqa: E402
from installed import closure  # noqa: E402

PATIENCE = 600.0  # seconds to wait for another process of tests that is building
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "LD_LIBRARY_PATH")


def built(shared: Path) -> tuple[Path, Path]:
    """Return the sdist and the wheel of this checkout, built once for all processes of a run."""
    out = shared / "dist"
    with lock_file(shared / "dist.lock", PATIENCE):
        if not (out / "done").exists():
            build(ROOT, out)
            (out / "done").touch()
    return next(out.glob("*.tar.gz")), next(out.glob("*.whl"))


def environment(shared: Path, extras: Iterable[str] = ()) -> Path:
    """Return the folder of the programs of an environment with the wheel and these extras, made once for all processes of a run."""
    _, wheel = built(shared)
    folder = shared / "-".join(["env", *extras])
    with lock_file(shared / f"{folder.name}.lock", PATIENCE):
        if not (folder / "done").exists():
            venv.create(folder, with_pip=False, symlinks=os.name != "nt")
            site = next(
                folder.glob("lib/python*/site-packages" if os.name != "nt" else "Lib/site-packages")
            )
            for name in sorted(set(needed(wheel, extras)) - {"ghostmem"}):
                _lend(name, site)
            pip = [
                sys.executable,
                "-m",
                "pip",
                "--python",
                str(folder / SCRIPTS / "python"),
                "--disable-pip-version-check",
            ]
            install = [
                "install",
                "--quiet",
                "--no-deps",
                "--no-index",
                "--root-user-action",
                "ignore",
                str(wheel),
            ]
            subprocess.run([*pip, *install], check=True, cwd=shared)
            (folder / "done").touch()
    return folder / SCRIPTS


def needed(wheel: Path, extras: Iterable[str] = ()) -> dict[str, str]:
    """Return every package that a wheel needs, itself included, with the one that brings it."""
    with zipfile.ZipFile(wheel) as archive:
        about = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(about))
    return closure("ghostmem", extras, metadata.get_all("Requires-Dist"))


def _lend(name: str, site: Path) -> None:
    """Link a package of this environment into another, by the first part of each path in its record."""
    package = distribution(name)
    for top in {path.parts[0] for path in package.files or [] if path.parts[0] != ".."}:
        if not (site / top).exists() and top != "__pycache__":
            (site / top).symlink_to(Path(str(package.locate_file(top))), target_is_directory=True)


def outside(home: Path, **variables: str) -> dict[str, str]:
    """Return what a program started outside the checkout sees: a home of its own, and nothing of the tests."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PYTHONWARNINGS": "ignore",
        **variables,
    }
