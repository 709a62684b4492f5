"""List the source files of a project.

In a git checkout these are the files that git tracks or would track, elsewhere all files outside of
hidden folders and build folders. Files outside the root are never read."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from stat import S_ISREG

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Stat
from ghostmem.store import validate

MAX_FILE_BYTES = 2_000_000  # bytes of a file that is parsed
SKIPPED_FOLDERS = frozenset(
    {
        "node_modules",
        "vendor",
        "venv",
        ".venv",
        "__pycache__",
        "target",
        "dist",
        "build",
        ".git",
        ".tox",
        ".mypy_cache",
    }
)
_INODE_MASK = (1 << 63) - 1
# variables with the user's own settings, which git gets
_GIT_SETTINGS = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
)


def sources(root: Path, suffixes: tuple[str, ...]) -> tuple[dict[str, Stat], dict[str, str]]:
    """Return the files of a project with one of some suffixes, in upper or lower case, and the
    reasons for those left out.

    Both are by the path below the root."""
    files: dict[str, Stat] = {}
    skipped: dict[str, str] = {}
    top = os.path.realpath(root)
    paths = sorted(path for path in listed_files(root) if path.lower().endswith(suffixes))
    folders = {os.path.dirname(path): os.path.dirname(f"{top}/{path}") for path in paths}
    is_link = {path: os.path.realpath(full) != full for path, full in folders.items()}
    for path in paths:
        try:
            stat = os.lstat(f"{top}/{path}")
        except OSError:
            continue  # gone since it was listed
        if not is_text(path):
            skipped[ascii(path)[1:-1]] = "has a name that is not valid text"
        elif not S_ISREG(stat.st_mode) or is_link[os.path.dirname(path)]:
            # git also lists files in a folder that was replaced by a link
            skipped[path] = "is a link or no plain file"
        elif stat.st_size > MAX_FILE_BYTES:
            skipped[path] = f"has {stat.st_size:,} bytes, more than {MAX_FILE_BYTES:,}"
        else:
            # the modification time can be set back, the time of the last change cannot
            files[path] = Stat(
                stat.st_size, stat.st_mtime_ns, (stat.st_ino ^ stat.st_ctime_ns) & _INODE_MASK
            )
    return files, skipped


def listed_files(root: Path) -> list[str]:
    """Return the paths of a project's files; a root that is no folder is an error."""
    if not os.path.isdir(root):
        raise NotFoundError(
            f"there is no folder {_shown(root)}", "give the project's folder with --root"
        )
    return [
        path
        for path in _known_to_git(root) or _walked(root)
        if SKIPPED_FOLDERS.isdisjoint(path.split("/")[:-1])
    ]


def is_text(path: str) -> bool:
    """Say whether a path or a name has neither control characters nor bytes that are no text."""
    return path.isprintable() or not any(
        "\ud800" <= char <= "\udfff" or char < " " for char in path
    )


def _shown(path: str | Path) -> str:
    """Return a path, quoted if it has characters that cannot be printed on one line."""
    return str(path) if str(path).isprintable() else repr(str(path))


def _known_to_git(root: Path) -> list[str]:
    """Return the files that git tracks or would track; none outside of a checkout."""
    # the settings of a repository may name a program that git would start, so they are overridden
    command = [
        "git",
        "-C",
        str(root),
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.untrackedCache=false",
        *("ls-files", "-co", "--exclude-standard", "-z", "--", "."),
    ]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, check=True, timeout=60, env=_git_environment()
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return list(dict.fromkeys(os.fsdecode(name) for name in done.stdout.split(b"\0") if name))


def _git_environment() -> dict[str, str]:
    """Return the environment for git: without variables that name another repository, and such
    that git fetches nothing.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _GIT_SETTINGS
    } | {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
    }


def _walked(root: Path) -> Iterable[str]:
    for folder, inside, names in os.walk(root):
        inside[:] = sorted(
            name for name in inside if name not in SKIPPED_FOLDERS and not name.startswith(".")
        )
        prefix = os.path.relpath(folder, root).replace(os.sep, "/")
        for name in names:
            yield name if prefix == "." else f"{prefix}/{name}"


def inside(root: Path, path: str) -> str:
    """Return the path of a file relative to the root; a file outside the root is an error."""
    posix = str(validate.path(path, "file")).replace("\\", "/")
    home, real = Path(os.path.realpath(root)), Path(os.path.realpath(root / posix))
    if real == home or not real.is_relative_to(home):
        raise InvalidInputError(
            f"the file {path!r} is not below {root}", "set the root to the folder of its project"
        )
    if not os.path.isfile(real):
        raise NotFoundError(
            f"there is no file {_shown(path)} below {_shown(root)}",
            "give its path from the project's root",
        )
    return real.relative_to(home).as_posix()
