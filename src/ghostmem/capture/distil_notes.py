"""Propose parts of past daily notes for MEMORY.md, and add them on request."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from datetime import date, datetime, timedelta
from itertools import groupby
from pathlib import Path

from ghostmem.capture.proposals import SOURCE, DailyNote, Proposal, propose
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.judge.model import Judge
from ghostmem.model import Record, optional
from ghostmem.notes.files import append, inside, note_day, read_file
from ghostmem.notes.grep import LONG_TERM, memory_files
from ghostmem.notes.lock import locked
from ghostmem.text.sections import sections

OPENING = "# Memory\n"
_MAX_WEEKS = 5_000  # the calendar of Python ends


@frozen
class Distilled(Record):
    """The proposals from the daily notes of a period, and the file to add them to."""

    memory: str
    until: str
    notes: int
    applied: bool
    proposals: tuple[Proposal, ...]
    since: str = optional("")

    @property
    def weeks(self) -> tuple[str, ...]:
        """Return the weeks with proposals, in order."""
        return tuple(sorted({week(proposal.day) for proposal in self.proposals}))


def consolidate_notes(
    root: Path | str,
    *,
    now: datetime,
    weeks: int | None = 1,
    apply: bool = False,
    judge: Judge | None = None,
) -> Distilled:
    """Propose parts of the daily notes of the last complete weeks for MEMORY.md.

    The judge decides what is worth keeping; without it, phrases do.
    With `weeks` None, all weeks before this. With `apply`, the parts are added to MEMORY.md, one
    section per week, under the lock of the folder; daily notes are only read."""
    root = Path(root)
    if weeks is not None and weeks < 1:
        raise InvalidInputError(f"weeks {weeks} is too small", "give at least 1")
    today = now.astimezone().date()
    monday = today - timedelta(days=today.weekday())
    since = date.min if weeks is None else monday - timedelta(weeks=min(weeks, _MAX_WEEKS))
    files = memory_files(root)
    days = [(path, day) for path in files if (day := note_day(path.name)) and since <= day < monday]
    notes = [
        DailyNote(path.relative_to(root).as_posix(), day, read_file(path).text)
        for path, day in days
    ]
    memory = _memory_file(root, files)
    with locked(root) if apply else nullcontext():
        proposals = _proposals(root, files, memory, notes, judge)
        if apply and proposals:
            _add(inside(root, memory), proposals)
    return Distilled(
        memory=memory,
        since="" if weeks is None else since.isoformat(),
        until=(monday - timedelta(days=1)).isoformat(),
        notes=len(notes),
        applied=apply and bool(proposals),
        proposals=proposals,
    )


def week(day: str) -> str:
    """Return the ISO week of a day, as in 2026-W07."""
    year, number, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{number:02}"


def _memory_file(root: Path, files: Iterable[Path]) -> str:
    """Return the path of the long-term memory: an existing one, or else with the notes."""
    existing = [path.relative_to(root).as_posix() for path in files if path.name == LONG_TERM]
    if existing:
        return max(existing, key=len)
    return f"memory/{LONG_TERM}" if (root / "memory").is_dir() else LONG_TERM


def _proposals(
    root: Path,
    files: Iterable[Path],
    memory: str,
    notes: Sequence[DailyNote],
    judge: Judge | None,
) -> tuple[Proposal, ...]:
    known = {inside(root, memory), *(path for path in files if path.name == LONG_TERM)}
    text = "\n\n".join(read_file(path).text for path in sorted(known))
    return tuple(propose(notes, text, judge))


def _add(memory: Path, proposals: Iterable[Proposal]) -> None:
    """Append a section for each week, in the order of the notes; the caller holds the lock."""
    in_order = sorted(proposals, key=lambda proposal: (proposal.day, proposal.path, proposal.line))
    before = read_file(memory).text
    text = "" if not before or before.endswith("\n") else "\n"
    last = [part.heading for part in sections(before, memory.name)][-1:]
    for name, group in groupby(in_order, key=lambda proposal: week(proposal.day)):
        if last != [f"Week {name}"]:
            last = [f"Week {name}"]
            text += f"\n## {last[0]}\n\n"
        text += "".join(_item(proposal) for proposal in group)
    append(memory, text, OPENING)


def _item(proposal: Proposal) -> str:
    """Return a part as a list item with its heading and source; code keeps its own lines."""
    lines = (f"{proposal.heading}: {proposal.text}" if proposal.heading else proposal.text).split(
        "\n"
    )
    mark = SOURCE.format(proposal.path, proposal.line)
    is_code = lines[-1].lstrip().startswith(("```", "~~~", "|"))
    lines = [*lines, mark] if is_code else [*lines[:-1], f"{lines[-1]} {mark}"]
    return "- " + "\n".join(f"  {line}" if line.strip() else "" for line in lines).lstrip() + "\n"
