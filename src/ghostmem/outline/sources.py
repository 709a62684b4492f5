"""The source files of a project: those git knows of, or else all that are no machine's, and none outside the root."""

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.note import Stat

LARGEST = 2_000_000  # bytes of a file that is parsed
SKIPPED = frozenset(
    {"node_modules", "vendor", "venv", ".venv", "__pycache__", "target", "dist", "build", ".git", ".tox", ".mypy_cache"}
)
_INODE = (1 << 63) - 1


@dataclass(slots=True)
class Sources:
    """Files by their paths below the root, and those that were left out, with the reason."""

    files: dict[str, Stat] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def sources(root: Path, suffixes: tuple[str, ...]) -> Sources:
    """List the files of a project that end in one of these, with their stats."""
    if not root.is_dir():
        raise NotFoundError(f"there is no folder {root}", "name the project's folder with --root")
    found = Sources()
    for path in sorted(_known_to_git(root) or _walked(root)):
        if not path.endswith(suffixes) or any(part in SKIPPED for part in path.split("/")[:-1]):
            continue
        try:
            stat = os.stat(root / path, follow_symlinks=False)
        except OSError:
            continue  # gone since it was listed
        if os.path.islink(root / path) or not os.path.isfile(root / path):
            found.skipped[path] = "is a link or no plain file"
        elif not _is_text(path):
            continue
        elif stat.st_size > LARGEST:
            found.skipped[path] = f"has {stat.st_size:,} bytes, more than {LARGEST:,}"
        else:
            found.files[path] = Stat(stat.st_size, stat.st_mtime_ns, stat.st_ino & _INODE)
    return found


def _is_text(path: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" or char < " " for char in path)


def _known_to_git(root: Path) -> list[str]:
    """Return what git tracks or would, in a checkout; nothing elsewhere."""
    # a repository may name a program in its settings that git would start; it gets no say here
    command = ["git", "-C", str(root), "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"]
    command += ["ls-files", "-co", "--exclude-standard", "-z", "--", "."]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return []
    if done.returncode:
        return []
    return list(dict.fromkeys(os.fsdecode(name) for name in done.stdout.split(b"\0") if name))


def _walked(root: Path) -> Iterable[str]:
    for folder, inside, names in os.walk(root):
        inside[:] = sorted(name for name in inside if name not in SKIPPED and not name.startswith("."))
        prefix = os.path.relpath(folder, root).replace(os.sep, "/")
        for name in names:
            yield name if prefix == "." else f"{prefix}/{name}"


def inside(root: Path, path: str) -> str:
    """Return a file's path below the root as it is known there, or refuse one that is elsewhere."""
    given = path.replace("\\", "/")
    home = Path(os.path.realpath(root))
    real = home if "\0" in path else Path(os.path.realpath(root / given))
    if os.path.isabs(path) or ".." in given.split("/") or not real.is_relative_to(home) or real == home:
        raise InvalidInputError(f"the file {path!r} is not below {root}", "name it by its path from the project's root")
    if not real.is_file():
        raise NotFoundError(f"there is no file {path} below {root}", "name it by its path from the project's root")
    return os.path.normpath(given).replace(os.sep, "/")
