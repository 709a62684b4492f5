"""Recognise the format of a transcript, read it, and list the transcripts of a folder."""

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.capture.transcripts import agents, plain
from ghostmem.capture.transcripts.base import Event, TranscriptFile, Troubles, json_value
from ghostmem.errors import InvalidInputError, NotFoundError

AUTO = "auto"
SUFFIXES = (".jsonl", ".json", ".ndjson")
_MAX_BLANK_BYTES = 100_000  # a larger file is not taken for a blank one
_MAX_HEAD_LINES = 20


class TranscriptFormat(NamedTuple):
    """A format of transcripts: its program, a test for the first object, and a reader."""

    client: str
    is_ours: Callable[[Mapping[str, Any]], bool]
    read: Callable[[TranscriptFile], Iterator[Event]]


class ReadTranscript(NamedTuple):
    """A transcript that is being read: its program, its events, and the parts left out so far."""

    client: str
    events: Iterator[Event]
    troubles: Troubles


FORMATS: Mapping[str, TranscriptFormat] = {
    "claude": TranscriptFormat("claude-code", agents.is_claude, agents.read_claude),
    "codex": TranscriptFormat("codex", agents.is_codex, agents.read_codex),
    "gemini": TranscriptFormat("gemini-cli", agents.is_gemini, agents.read_gemini),
    "qwen": TranscriptFormat("qwen-code", agents.is_qwen, agents.read_qwen),
    "jsonl": TranscriptFormat("", plain.is_ours, plain.read),
}


def events(path: Path, kind: str, troubles: Troubles) -> tuple[str, Iterator[Event]]:
    """Return the program that recorded a file, and an iterator of its events."""
    chosen = FORMATS[recognise(path) if kind == AUTO else kind]
    return chosen.client, chosen.read(TranscriptFile(path, troubles))


def read_all(path: Path, kind: str, note: Callable[[str], None]) -> Iterator[ReadTranscript]:
    """Yield the transcripts at a path; unreadable parts, and files among several, are noted."""
    for file in (files := transcripts(path, note)):
        troubles = Troubles()
        try:
            client, recorded = events(file, kind, troubles)
        except InvalidInputError as error:
            if len(files) == 1:
                raise
            note(f"skipped {file.name}: {error.message}")
            continue
        if len(files) > 1:
            recorded = _while_readable(recorded, file, note)
        yield ReadTranscript(client, recorded, troubles)
        for trouble in troubles.named:
            note(f"left out {trouble}")


def _while_readable(
    recorded: Iterator[Event], file: Path, note: Callable[[str], None]
) -> Iterator[Event]:
    """Yield events until the file cannot be read; one file does not stop the others."""
    try:
        yield from recorded
    except InvalidInputError as error:
        note(f"skipped {file.name}: {error.message}")


def check_format(kind: str) -> str:
    """Return the name of a format if it is known."""
    if kind != AUTO and kind not in FORMATS:
        raise InvalidInputError(
            f"unknown format {kind!r} of transcripts", f"known are: {AUTO}, {', '.join(FORMATS)}"
        )
    return kind


def transcripts(path: Path, note: Callable[[str], None]) -> list[Path]:
    """Return the transcripts at a path: itself, or the files below a folder without links.

    Folders that cannot be read are noted."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise NotFoundError(
            f"there is no file or folder {path}", "give a transcript, or a folder of them"
        )

    def leave_out(error: OSError) -> None:
        note(f"skipped {error.filename}: {error.strerror}")

    files: list[Path] = []
    for folder, inside, names in os.walk(path, onerror=leave_out):
        inside[:] = sorted(inside)
        for name in sorted(names):
            file = Path(folder, name)
            # The messages of logs.json are in the chats too.
            is_copy = name == "logs.json" and "chats" in inside
            is_regular = not file.is_symlink() and file.is_file()
            if file.suffix.lower() in SUFFIXES and is_regular and not is_copy:
                files.append(file)
    if not files:
        raise NotFoundError(
            f"there is no transcript below {path}", f"files must end in {', '.join(SUFFIXES)}"
        )
    return files


def recognise(path: Path) -> str:
    """Return the format of a file by its first lines."""
    for head in _heads(path):
        for name, candidate in FORMATS.items():
            if candidate.is_ours(head):
                return name
    if path.stat().st_size < _MAX_BLANK_BYTES and not path.read_bytes().strip():
        raise InvalidInputError(f"{path} is empty", "there is no conversation to read in it yet")
    hint = f"set its format with --from ({', '.join(FORMATS)})"
    raise InvalidInputError(f"cannot tell which program recorded {path}", hint)


def _heads(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the first objects of JSON lines, or of one JSON value."""
    source = TranscriptFile(path, Troubles())
    lines = (raw for _, raw in islice(source.lines(), _MAX_HEAD_LINES))
    for value in map(json_value, lines) if source.is_lines else (source.whole(),):
        for item in value[:_MAX_HEAD_LINES] if isinstance(value, list) else [value]:
            if isinstance(item, Mapping):
                yield item
