"""The end of a transcript: what was added since it was last read, however long it is."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ghostmem.capture.transcripts.base import LONGEST_LINE, USER, Source, Troubles, Turn
from ghostmem.capture.transcripts.choose import FORMATS
from ghostmem.hooks.unanswered import UnansweredError

MOST = 8_000_000  # bytes that are read at one time; of more, the end
_WHOLE = ".json"  # such a file is one value, and is read from its beginning


class Said(NamedTuple):
    """What the user said since a place, and the place to go on from."""

    texts: list[str]
    to: int


class Tail(Source):
    """A transcript from a place on, up to the last whole line.

    Its first line, if it describes the session, stays.
    """

    start: int = 0
    stop: int = 0

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with self.path.open("rb") as stream:
            if self.start:
                first = stream.readline(MOST)
                if b'"session_meta"' in first[:200]:
                    yield 1, first
                stream.seek(max(self.start - 1, 0))
                stream.readline(LONGEST_LINE)  # the rest of the line that the place is in
            number = 1
            while stream.tell() < self.stop and (raw := stream.readline(LONGEST_LINE)):
                number += 1
                if raw.strip():
                    yield number, raw


def size_of(path: str) -> int:
    """Return the size of a transcript.

    What is no file is refused, for reading it might never end.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        found = None
    if found is None or not stat.S_ISREG(found.st_mode):
        raise UnansweredError("the transcript that the host named is not there")
    return found.st_size


def said_since(path: str, kind: str, place: int) -> Said:
    """Return what the user said in a transcript since a place: a byte, or for a file that is one
    JSON value a turn.
    """
    size = size_of(path)
    source = Tail(Path(path), Troubles())
    is_whole = source.path.suffix.lower() == _WHOLE
    if is_whole and size > MOST:
        raise UnansweredError(
            f"the transcript has more than the {MOST:,} bytes that are read whole"
        )
    if not is_whole:
        place = place if place <= size else 0  # it was written anew
        source.start, source.stop = max(place, size - MOST), _whole_lines(path, size)
        if source.stop <= source.start:
            return Said([], place)
    texts = [
        event.text
        for event in FORMATS[kind].read(source)
        if isinstance(event, Turn) and event.role == USER
    ]
    if is_whole:
        place = place if place <= len(texts) else 0
        return Said(texts[place:], len(texts))
    return Said(texts, source.stop)


def _whole_lines(path: str, size: int) -> int:
    """Return where the last whole line ends: the host may be writing the next one."""
    at = size
    with open(path, "rb") as stream:
        while at > 0:
            before = max(0, at - 65_536)
            stream.seek(before)
            found = stream.read(at - before).rfind(b"\n")
            if found >= 0:
                return before + found + 1
            at = before
    return 0


def last_lines(path: str, count: int, longest: int = 4_000) -> list[str]:
    """Return the last lines of a transcript, each cut to a length.

    Messages stand for the lines of one JSON value.
    """
    size = size_of(path)
    with open(path, "rb") as stream:
        if not path.lower().endswith(_WHOLE):
            stream.seek(max(0, size - MOST))
            lines = stream.read(MOST).decode("utf-8", "replace").splitlines()[-count:]
            return [line[:longest] for line in lines]
        try:
            found = json.loads(stream.read(MOST + 1))
        except (ValueError, RecursionError):
            return []
    messages = found.get("messages", found.get("history")) if isinstance(found, dict) else found
    shown = messages if isinstance(messages, list) else []
    return [json.dumps(message, ensure_ascii=False)[:longest] for message in shown[-count:]]
