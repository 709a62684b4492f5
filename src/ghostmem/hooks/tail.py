"""Read the part of a transcript that was added since the last time."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ghostmem.capture.transcripts.base import (
    MAX_LINE_BYTES,
    USER,
    TranscriptFile,
    TranscriptTurn,
)
from ghostmem.capture.transcripts.choose import FORMATS
from ghostmem.hooks.hosts import UnansweredError

MAX_LINE = 4_000  # characters of a line or message that are returned by `last_lines`
MAX_BYTES = 8_000_000  # read at one time; of a longer part, only the end
_REPLACING = b'{"$set"'  # the beginning of a line that replaces the messages before it
_ONE_VALUE = ".json"  # such a file is one JSON value and is read from its beginning


class UserTexts(NamedTuple):
    """The texts of the user since a position, the next position, and if a compaction was seen."""

    texts: list[str]
    to: int
    compacted: bool = False


class Tail(TranscriptFile):
    """A transcript from a position to its last complete line: the host may be writing the next one.

    Its first line is included if it describes the session.
    """

    start: int = 0
    stop: int = 0  # the end of the last complete line that was read
    compaction_mark: bytes = b""  # in a line that replaces the messages
    is_compacted: bool = False

    def lines(self) -> Iterator[tuple[int, bytes]]:
        with self.path.open("rb") as stream:
            if self.start:
                first = stream.readline(MAX_BYTES)
                if b'"session_meta"' in first[:200]:
                    yield 1, first
                stream.seek(self.start - 1)
                stream.readline(MAX_LINE_BYTES)  # the rest of the line at this position
            number = 1
            while (raw := stream.readline(MAX_LINE_BYTES)).endswith(b"\n"):
                self.stop = stream.tell()
                number += 1
                if self.compaction_mark and raw.startswith(_REPLACING):
                    self.is_compacted |= self.compaction_mark in raw
                if raw.strip():
                    yield number, raw


def size_of(path: str) -> int:
    """Return the size of a transcript; only a regular file is accepted, because it has an end."""
    if not os.path.isfile(path):
        raise UnansweredError("the transcript that the host named is not a file")
    return os.path.getsize(path)


def texts_since(path: str, kind: str, place: int, compaction_mark: bytes = b"") -> UserTexts:
    """Return the texts of the user since a position: a byte, or a turn in one JSON value.

    A missing transcript has none. With a `compaction_mark`, shortened messages are compacted."""
    if not os.path.lexists(path):
        return UserTexts([], place)
    size = size_of(path)
    if not os.access(path, os.R_OK):
        raise UnansweredError("the transcript that the host named may not be read")
    source = Tail(Path(path), [])
    source.compaction_mark = compaction_mark
    is_one_value = source.path.suffix.lower() == _ONE_VALUE
    if is_one_value and size > MAX_BYTES:
        raise UnansweredError(
            f"the transcript has more than the {MAX_BYTES:,} bytes that can be read"
        )
    if not is_one_value:
        place = place if place <= size else 0  # the file was written again
        source.start, source.stop = max(place, size - MAX_BYTES), place
    texts = [
        event.text
        for event in FORMATS[kind].read(source)
        if isinstance(event, TranscriptTurn) and event.role == USER
    ]
    if is_one_value:
        is_shorter = place > len(texts)
        return UserTexts(
            texts if is_shorter else texts[place:], len(texts), is_shorter and bool(compaction_mark)
        )
    return UserTexts(texts, source.stop, source.is_compacted)


def last_lines(path: str, count: int) -> list[str]:
    """Return the last lines of a transcript, or messages of one JSON value, each shortened."""
    size = size_of(path)
    with open(path, "rb") as stream:
        if not path.lower().endswith(_ONE_VALUE):
            stream.seek(max(0, size - MAX_BYTES))
            return [
                line[:MAX_LINE]
                for line in stream.read(MAX_BYTES).decode("utf-8", "replace").splitlines()[-count:]
            ]
        try:
            value = json.loads(stream.read(MAX_BYTES + 1))
        except (ValueError, RecursionError):
            return []
    messages = value.get("messages", value.get("history")) if isinstance(value, dict) else value
    return [
        json.dumps(message, ensure_ascii=False)[:MAX_LINE]
        for message in (messages[-count:] if isinstance(messages, list) else [])
    ]
