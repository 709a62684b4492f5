"""Recognise the tool that wrote a file or folder, and read it."""

import json
import re
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.text.frontmatter import parse_note
from ghostmem.transfer.backup import is_database
from ghostmem.transfer.formats import basic_memory, markdown, mem0, server_memory
from ghostmem.transfer.formats.base import SUFFIXES, Foreign, markdown_files

READERS: Mapping[str, Callable[[Path], Foreign]] = {
    mem0.TOOL: mem0.read,
    server_memory.TOOL: server_memory.read,
    basic_memory.TOOL: basic_memory.read,
    markdown.TOOL: markdown.read,
}
DATABASE = "database"  # an SQLite file of the original Ghost
MAX_HEAD_BYTES = 65_536  # bytes read to recognise a file
MAX_SAMPLES = 200  # notes read to recognise a folder
_JSON = re.compile(r'\[\s*[{\]]|\{\s*["}]')


def read(kind: str, path: str | Path) -> Foreign:
    """Read the files of a tool."""
    if kind not in READERS:
        raise InvalidInputError(f"unknown source {kind!r}", f"known are: {', '.join(READERS)}")
    return READERS[kind](Path(path))


def recognise(path: str | Path) -> str:
    """Return the name of the reader for a path, or DATABASE."""
    place = Path(path)
    if not place.exists():
        raise NotFoundError(
            f"there is no file or folder {path}",
            "give a store of another tool, or leave it out for your own",
        )
    if place.is_dir():
        return basic_memory.TOOL if _has_permalinks(place) else markdown.TOOL
    with place.open("rb") as stream:
        head = stream.read(MAX_HEAD_BYTES)
    if is_database(place):
        return DATABASE
    if place.suffix.lower() in SUFFIXES:
        return markdown.TOOL
    text = head.decode("utf-8-sig", "replace").lstrip()
    if _is_graph(text):
        return server_memory.TOOL
    is_export = text.startswith('{"type": "ghost"') or ('"ns"' in text and '"content"' in text)
    if is_export:
        raise InvalidInputError(
            f"{path} is an export of Ghost",
            "bring it into a store with `ghost import`, then audit that",
        )
    if _JSON.match(text) and any(f'"{name}"' in text for name in (*mem0.TEXTS, *mem0.LISTS)):
        return mem0.TOOL
    raise InvalidInputError(
        f"cannot tell what {path} is",
        f"known are: {', '.join(READERS)}, and databases of the original Ghost",
    )


def _has_permalinks(folder: Path) -> bool:
    files, _ = markdown_files(folder)
    for file in islice(files, MAX_SAMPLES):
        with file.open("rb") as stream:
            head = stream.read(MAX_HEAD_BYTES).decode("utf-8-sig", "replace")
        if "permalink" in parse_note(head.replace("\r\n", "\n")).fields:
            return True
    return False


def _is_graph(text: str) -> bool:
    try:
        first = json.loads(text.partition("\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("type") in ("entity", "relation")
