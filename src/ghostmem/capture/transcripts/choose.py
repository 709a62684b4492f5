"""Which program recorded a conversation, the reader for it, and the files of a folder."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.capture.transcripts import claude, codex, gemini, plain
from ghostmem.capture.transcripts.base import Event, Source, Troubles
from ghostmem.errors import InvalidInputError, NotFoundError

AUTO = "auto"
SUFFIXES = (".jsonl", ".json", ".ndjson")
_HEAD = 1_000_000  # bytes that are looked at
_LINES = 20  # lines that are looked at


class Format(NamedTuple):
    """A format of transcripts: the program that writes it, how to tell it, and how to read it."""

    client: str
    is_ours: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Source], Iterator[Event]]


FORMATS: Mapping[str, Format] = {
    "claude": Format(claude.CLIENT, claude.is_ours, claude.read),
    "codex": Format(codex.CLIENT, codex.is_ours, codex.read),
    "gemini": Format(gemini.CLIENT, gemini.is_ours, gemini.read),
    "jsonl": Format(plain.CLIENT, plain.is_ours, plain.read),
}


def events(path: Path, kind: str, troubles: Troubles) -> tuple[str, Iterator[Event]]:
    """Return the program that recorded a file, and what it recorded, read as it is asked for."""
    chosen = FORMATS[recognise(path) if kind == AUTO else kind]
    return chosen.client, chosen.read(Source(path, troubles))


def check_format(kind: str) -> str:
    """Accept the name of a format."""
    if kind != AUTO and kind not in FORMATS:
        raise InvalidInputError(
            f"unknown format {kind!r} of transcripts", f"known are: {AUTO}, {', '.join(FORMATS)}"
        )
    return kind


def transcripts(path: Path) -> list[Path]:
    """List the files to read at a path: itself, or those below a folder, without links and what
    repeats others.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise NotFoundError(
            f"there is no file or folder {path}", "name a transcript, or a folder of them"
        )
    found: list[Path] = []
    for folder, inside, names in os.walk(path):
        inside[:] = sorted(inside)
        for name in sorted(names):
            file = Path(folder, name)
            repeats = (
                name == "logs.json" and "chats" in inside
            )  # the user's words are in the chats too
            if (
                file.suffix.lower() in SUFFIXES
                and not repeats
                and not file.is_symlink()
                and file.is_file()
            ):
                found.append(file)
    if not found:
        raise NotFoundError(
            f"there is no transcript below {path}", f"files must end in {', '.join(SUFFIXES)}"
        )
    return found


def recognise(path: Path) -> str:
    """Say which format a file has, by its first lines."""
    for head in _heads(path):
        for name, each in FORMATS.items():
            if each.is_ours(head):
                return name
    hint = f"name its format with --from ({', '.join(FORMATS)})"
    raise InvalidInputError(f"cannot tell which program recorded {path}", hint)


def _heads(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the first objects of a file of JSON lines or of one JSON value."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
            if path.suffix.lower() == ".json":
                head += stream.read()
    except OSError as error:
        raise InvalidInputError(
            f"cannot read {path}: {error.strerror}", "check its permissions"
        ) from None
    for part in [head] if path.suffix.lower() == ".json" else head.split(b"\n")[:_LINES]:
        try:
            found = json.loads(part)
        except (ValueError, RecursionError):
            continue
        for item in found[:_LINES] if isinstance(found, list) else [found]:
            if isinstance(item, Mapping):
                yield item
