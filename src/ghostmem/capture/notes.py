"""consolidate_notes: propose which parts of past weeks' daily notes belong into MEMORY.md, and add
them when told to.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import groupby
from pathlib import Path

from ghostmem.capture.rules.distil import Dated, Proposal, propose, source
from ghostmem.errors import InvalidInputError
from ghostmem.model import Record, optional
from ghostmem.notes.grep import LONG_TERM, memory_files, note_date
from ghostmem.notes.lock import locked
from ghostmem.notes.write import append, inside, read_file
from ghostmem.text.sections import sections

OPENING = "# Memory\n"
_MOST = 5_000  # weeks; the calendar ends somewhere


@dataclass(frozen=True, eq=False, repr=False)
class Distilled(Record):
    """What is, or was, to be distilled: from which days (`until` is the last), into which file,
    from how many daily notes.
    """

    memory: str
    until: str
    notes: int
    applied: bool
    proposals: tuple[Proposal, ...]
    since: str = optional("")

    @property
    def weeks(self) -> tuple[str, ...]:
        """Return the weeks that something is proposed of, in order."""
        return tuple(sorted({week(proposal.day) for proposal in self.proposals}))


def consolidate_notes(
    root: Path | str, *, now: datetime, weeks: int | None = 1, apply: bool = False
) -> Distilled:
    """Propose what to distil from the daily notes of the last complete weeks (None: of all before
    this week) into MEMORY.md.

    With `apply`, what is proposed is added to MEMORY.md, one section a week, under the folder's
    lock; daily notes are only read."""
    root = Path(root)
    if weeks is not None and weeks < 1:
        raise InvalidInputError(f"weeks {weeks} is too small", "give at least 1")
    today = now.astimezone().date()
    monday = today - timedelta(days=today.weekday())
    since = date.min if weeks is None else monday - timedelta(weeks=min(weeks, _MOST))
    files = memory_files(root)
    found = Distilled(
        memory=_memory_file(root, files),
        since="" if weeks is None else since.isoformat(),
        until=(monday - timedelta(days=1)).isoformat(),
        notes=sum(since <= day < monday for day in map(note_date, files) if day),
        applied=False,
        proposals=(),
    )
    daily = [section for path in files for section in _sections(root, path, since, monday)]
    if not apply:
        return replace(found, proposals=_proposals(root, files, found.memory, daily))
    with locked(root):
        proposals = _proposals(root, files, found.memory, daily)
        if proposals:
            _add(inside(root, found.memory), proposals)
    return replace(found, applied=bool(proposals), proposals=proposals)


def week(day: str) -> str:
    """Return the ISO week of a day, as in 2026-W07."""
    year, number, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{number:02}"


def _memory_file(root: Path, files: Iterable[Path]) -> str:
    """Return where the long-term memory is, or shall be: beside the notes in memory/, or else at
    the root.
    """
    found = sorted(
        (path.relative_to(root).as_posix() for path in files if path.name == LONG_TERM),
        key=len,
        reverse=True,
    )
    return found[0] if found else f"memory/{LONG_TERM}" if (root / "memory").is_dir() else LONG_TERM


def _sections(root: Path, path: Path, since: date, until: date) -> list[Dated]:
    """Read the sections of a daily note, if it is of a day in question."""
    day = note_date(path)
    if day is None or not since <= day < until:
        return []
    text, name = read_file(path).text, path.relative_to(root).as_posix()
    lines = text.split("\n")
    return [
        Dated(
            name,
            day,
            _first_line(lines, part.line) if part.heading else part.line,
            part.heading,
            part.body,
        )
        for part in sections(text, name)
    ]


def _first_line(lines: Sequence[str], heading: int) -> int:
    """Return the number of the first line with ink below a heading's line."""
    return next(
        (number for number, line in enumerate(lines[heading:], heading + 1) if line.strip()),
        heading,
    )


def _proposals(
    root: Path, files: Iterable[Path], memory: str, daily: Sequence[Dated]
) -> tuple[Proposal, ...]:
    known = {inside(root, memory), *(path for path in files if path.name == LONG_TERM)}
    return tuple(propose(daily, "\n\n".join(read_file(path).text for path in sorted(known))))


def _add(memory: Path, proposals: Iterable[Proposal]) -> None:
    """Append a section for each week, in order, its parts in the order of the notes.

    The caller holds the lock.
    """
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
    """Write a part as an item of a list, with its heading before it and its source behind.

    Code keeps its own lines.
    """
    lines = (f"{proposal.heading}: {proposal.text}" if proposal.heading else proposal.text).split(
        "\n"
    )
    mark = source(proposal.path, proposal.line)
    lines = (
        [*lines, mark]
        if lines[-1].lstrip().startswith(("```", "~~~", "|"))
        else [*lines[:-1], f"{lines[-1]} {mark}"]
    )
    return "- " + "\n".join(f"  {line}" if line.strip() else "" for line in lines).lstrip() + "\n"
