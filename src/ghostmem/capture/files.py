"""List the files below a folder that a capture reads."""

import os
from collections.abc import Callable
from pathlib import Path

from ghostmem.errors import NotFoundError


def files_below(
    path: Path,
    kind: str,
    suffixes: tuple[str, ...],
    is_skipped: Callable[[Path], bool],
    note: Callable[[str], None],
) -> list[Path]:
    """Return the file at a path, or the files below a folder; unreadable folders are noted.

    Args:
        path: File or folder.
        kind: Name of such a file, for errors.
        suffixes: Endings of the files in a folder.
        is_skipped: Says which files and folders in a folder are left out.
        note: Called with each folder that cannot be read, and the reason.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise NotFoundError(
            f"there is no file or folder {path}", f"give a {kind}, or a folder of them"
        )

    def leave_out(error: OSError) -> None:
        note(f"{error.filename}: {error.strerror}")

    files: list[Path] = []
    for folder, inside, names in os.walk(path, onerror=leave_out):
        inside[:] = sorted(name for name in inside if not is_skipped(Path(folder, name)))
        paths = (Path(folder, name) for name in sorted(names) if name.lower().endswith(suffixes))
        files += [file for file in paths if not is_skipped(file) and file.is_file()]
    if not files:
        raise NotFoundError(
            f"there is no {kind} below {path}", f"files must end in {', '.join(suffixes)}"
        )
    return files
