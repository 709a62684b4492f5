"""Recognise the format of a transcript, read it, and list the transcripts of a folder."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.capture.files import files_below
from ghostmem.capture.transcripts import agents, plain
from ghostmem.capture.transcripts.base import (
    Event,
    TranscriptFile,
    TranscriptTurn,
    json_value,
)
from ghostmem.errors import InvalidInputError
from ghostmem.model import Record

AUTO = "auto"
MAX_NOTES = 50
MAX_TROUBLES = 20  # further unreadable lines of a file are only counted
SUFFIXES = (".jsonl", ".json", ".ndjson")
_MAX_BLANK_BYTES = 100_000  # a larger file is not taken for a blank one
_MAX_HEAD_LINES = 20


class TranscriptFormat(NamedTuple):
    """A format of transcripts: its program, a test for the first object, and a reader."""

    client: str
    is_ours: Callable[[Mapping[str, Any]], bool]
    read: Callable[[TranscriptFile], Iterator[Event]]


@dataclass(eq=False, repr=False)
class TranscriptReport(Record):
    """The counts of an ingest; `notes` say what was left out, `broken` counts unreadable lines."""

    dry_run: bool = False
    files: int = 0
    sessions: int = 0
    turns: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    quarantined: int = 0
    broken: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add a note, up to a maximum."""
        if len(self.notes) < MAX_NOTES:
            self.notes.append(text)


FORMATS: Mapping[str, TranscriptFormat] = {
    "claude": TranscriptFormat("claude-code", agents.is_claude, agents.read_claude),
    "codex": TranscriptFormat("codex", agents.is_codex, agents.read_codex),
    "gemini": TranscriptFormat("gemini-cli", agents.is_gemini, agents.read_gemini),
    "qwen": TranscriptFormat("qwen-code", agents.is_qwen, agents.read_qwen),
    "jsonl": TranscriptFormat("", plain.is_ours, plain.read),
}


def read_turns(path: Path, kind: str, report: TranscriptReport) -> Iterator[TranscriptTurn]:
    """Yield the turns of a transcript or of all below a folder; unreadable parts are noted."""
    return (e for e in read_all(path, kind, report) if isinstance(e, TranscriptTurn))


def read_all(path: Path, kind: str, report: TranscriptReport) -> Iterator[Event]:
    """Yield the events of all transcripts at a path.

    Unreadable parts are noted, and among several files unreadable ones too."""
    check_format(kind)
    files = files_below(
        path, "transcript", SUFFIXES, _is_skipped, lambda problem: report.note(f"skipped {problem}")
    )
    for file in files:
        troubles: list[str] = []
        try:
            chosen = FORMATS[recognise(file) if kind == AUTO else kind]
            report.files += 1
            for event in chosen.read(TranscriptFile(file, troubles)):
                yield (
                    event._replace(client=chosen.client)
                    if isinstance(event, TranscriptTurn)
                    else event
                )
        except InvalidInputError as error:
            if len(files) == 1:
                raise
            report.note(f"skipped {file.name}: {error.message}")
        report.broken += len(troubles)
        for trouble in troubles[:MAX_TROUBLES]:
            report.note(f"left out {trouble}")


def check_format(kind: str) -> None:
    """Refuse a format that is not known."""
    if kind != AUTO and kind not in FORMATS:
        raise InvalidInputError(
            f"unknown format {kind!r} of transcripts", f"known are: {AUTO}, {', '.join(FORMATS)}"
        )


def _is_skipped(file: Path) -> bool:
    """Say whether a file is a link, or a logs.json, whose messages are in the chats too."""
    return file.is_symlink() or (file.name == "logs.json" and (file.parent / "chats").is_dir())


def recognise(path: Path) -> str:
    """Return the format of a file by its first lines."""
    for head in _heads(path):
        for name in (name for name, format_ in FORMATS.items() if format_.is_ours(head)):
            return name
    if path.stat().st_size < _MAX_BLANK_BYTES and not path.read_bytes().strip():
        raise InvalidInputError(f"{path} is empty", "there is no conversation to read in it yet")
    raise InvalidInputError(
        f"cannot tell which program recorded {path}",
        f"set its format with --from ({', '.join(FORMATS)})",
    )


def _heads(path: Path) -> Iterator[Mapping[str, Any]]:
    source = TranscriptFile(path, [])
    lines = (raw for _, raw in islice(source.lines(), _MAX_HEAD_LINES))
    for value in map(json_value, lines) if source.is_lines else (source.whole(),):
        for item in value[:_MAX_HEAD_LINES] if isinstance(value, list) else [value]:
            if isinstance(item, Mapping):
                yield item
