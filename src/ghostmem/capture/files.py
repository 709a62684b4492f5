"""List the files below a folder that a capture reads."""

import os
from collections.abc import Callable
from pathlib import Path

from ghostmem.errors import InvalidInputError, NotFoundError


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{path} is not UTF-8 (byte {error.start})", "convert it, for example with iconv"
        ) from None
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be read: {error.strerror}", "check its permissions"
        ) from None


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

    files: list[Path] = []
    for folder, inside, names in os.walk(
        path, onerror=lambda error: note(f"{error.filename}: {error.strerror}")
    ):
        inside[:] = sorted(name for name in inside if not is_skipped(Path(folder, name)))
        paths = (Path(folder, name) for name in sorted(names) if name.lower().endswith(suffixes))
        files += [file for file in paths if not is_skipped(file) and file.is_file()]
    if not files:
        raise NotFoundError(
            f"there is no {kind} below {path}", f"files must end in {', '.join(suffixes)}"
        )
    return files
