"""Reading files and folders that belong to somebody else, without following a link out of them or
writing anything.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.schema import too_deep
from ghostmem.transfer.formats.base import broken, shown

SUFFIXES = (".md", ".markdown", ".mdk")
LARGEST = 500_000_000  # bytes of one file that is read whole


def check_file(path: Path) -> None:
    """Refuse what is not a plain file of a size that can be read."""
    if path.is_dir():
        raise InvalidInputError(
            f"{path} is a folder, not a file", "name the file that the other tool wrote"
        )
    if not path.is_file():
        raise NotFoundError(f"there is no file {path}", "name the file that the other tool wrote")
    if (size := path.stat().st_size) > LARGEST:
        raise InvalidInputError(
            f"{path} has {size:,} bytes, more than the {LARGEST:,} that are read",
            "split it into several files",
        )


def read_text(path: Path) -> str:
    """Read a file as UTF-8, or say which byte is not."""
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
    """Parse JSON, or say what is wrong with it."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise broken(where, str(too_deep("this"))) from None
    except ValueError as error:
        raise broken(where, f"this is not JSON: {error}") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def objects_of(text: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of JSON lines, each with its place.

    Other line ends than the line feed belong to the text.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{name}, line {number}"
            found = json_of(line, where)
            if not isinstance(found, dict):
                raise broken(where, f"this is not an object: {shown(found)}")
            yield where, found


def markdown_files(root: Path) -> tuple[list[Path], list[str]]:
    """List the markdown files below a folder in order, and say what was passed over: links may lead
    out, or in circles.
    """
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
