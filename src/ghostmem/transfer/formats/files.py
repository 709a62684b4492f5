"""Read the files and folders of other tools, without following links or writing."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.schema import too_deep
from ghostmem.transfer.formats.base import broken, shown

SUFFIXES = (".md", ".markdown", ".mdk")
MAX_FILE_BYTES = 500_000_000


def check_file(path: Path) -> None:
    """Refuse a path that is not a regular file of readable size."""
    if path.is_dir():
        raise InvalidInputError(
            f"{path} is a folder, not a file", "name the file that the other tool wrote"
        )
    if not path.is_file():
        raise NotFoundError(f"there is no file {path}", "name the file that the other tool wrote")
    if (size := path.stat().st_size) > MAX_FILE_BYTES:
        raise InvalidInputError(
            f"{path} has {size:,} bytes, more than the {MAX_FILE_BYTES:,} that are read",
            "split it into several files",
        )


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file."""
    check_file(path)
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{path} is not UTF-8 (byte {error.start})", "convert it, for instance with iconv"
        ) from None
    except OSError as error:
        raise InvalidInputError(
            f"cannot read {path}: {error.strerror}", "check its permissions"
        ) from None


def json_of(text: str, where: str) -> Any:
    """Parse JSON; an error names the place."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise broken(where, str(too_deep("this"))) from None
    except ValueError as error:
        raise broken(where, f"this is not JSON: {error}") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def objects_of(text: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of JSON lines with their place; only line feeds end a line."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{name}, line {number}"
            value = json_of(line, where)
            if not isinstance(value, dict):
                raise broken(where, f"this is not an object: {shown(value)}")
            yield where, value


def markdown_files(root: Path) -> tuple[list[Path], list[str]]:
    """Return the markdown files below a folder, and notes about skipped links."""
    if root.is_file():
        return [root], []
    if not root.is_dir():
        raise NotFoundError(
            f"there is no file or folder {root}", "name a markdown file, or a folder of them"
        )
    files: list[Path] = []
    notes: list[str] = []
    for folder, inside, names in os.walk(root):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        links = [name for name in inside if os.path.islink(os.path.join(folder, name))]
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") or path.suffix.lower() not in SUFFIXES:
                continue
            if path.is_symlink() or not path.is_file():
                links.append(name)
            else:
                files.append(path)
        notes += [
            f"passed over {Path(folder, name).relative_to(root).as_posix()}: it is a link "
            "or no plain file"
            for name in links
        ]
    if not files:
        raise NotFoundError(
            f"there is no markdown file below {root}", f"files must end in {', '.join(SUFFIXES)}"
        )
    return sorted(files), notes
