"""Propose parts of past daily notes for MEMORY.md, and add them on request.

A part is a paragraph or an item of a list. It is proposed if the judge finds a sentence of it worth
remembering (without the judge: by its phrases), or if its topic comes up on several days; tasks,
questions and dumps are not, nor what MEMORY.md or a better part says already."""

import math
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import date, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from ghostmem.capture.candidates import capture_chances, is_worth, reasons_of
from ghostmem.capture.sorts import find_sort
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.judge.model import Judge
from ghostmem.model import Record, optional
from ghostmem.notes.files import append, inside, note_day, read_file
from ghostmem.notes.grep import LONG_TERM, memory_files
from ghostmem.notes.lock import locked
from ghostmem.text.blocks import BlockKind, MarkdownBlock, blocks
from ghostmem.text.capture import sentences
from ghostmem.text.sections import sections
from ghostmem.truth.alike import distinctive, reversing_words

_PHRASES = 0.5  # the threshold where phrases decide; a part with one scores 1
_MAX_MORE_DAYS = 2  # further days that count; each adds half the threshold
_MIN_TERMS = 3  # distinctive terms of a part
_MAX_LENGTH = 10_000  # characters; a longer part was pasted
_KNOWN = 0.7  # share of its terms that a known text must have for a part to be known
_KNOWN_SOURCE = 0.3  # the same, if the text names the part as its source
_SAME_TOPIC = 0.3  # share of its terms that two parts of one topic have in common, at least two
_MAX_COMMON = 1_000  # texts; a term that more of them have tells no topic
_TASK = re.compile(r"\[[ xX✓✔-]\]|(?:todo|to-do|fixme)\b|待办|pendiente:", re.IGNORECASE)
_TASKS = re.compile(
    r"(?:todos?|to-?dos?|to do|tasks?|next steps?|plans? for .*|待办.*|pendientes?|tareas?)\W*",
    re.IGNORECASE,
)
_INDENT = re.compile(r"[ \t]*")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_TIMES = re.compile(r"(?<![\d.:])\d{1,2}:\d{2}(?::\d{2})?(?![\d.:])|\d{4}-\d{2}-\d{2}")
# the mark by which an item of MEMORY.md names the part that it comes from
SOURCE = "(from {}, line {})"
_SOURCE = re.compile(r"\(from ([^()\n]+), line (\d{1,9})\)")
_ITEM_OR_BLANK = re.compile(r"\n[ \t]*(?=\n)|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])")
_NEGATIONS = frozenset("no not never none nobody nothing neither nor without cannot".split())


class DailyNote(NamedTuple):
    """The text of a daily note, its path and its day."""

    path: str
    day: date
    text: str


@frozen
class Proposal(Record):
    """A part of a daily note for MEMORY.md, with the reasons and their score."""

    path: str
    line: int
    day: str
    text: str
    reasons: tuple[str, ...]
    score: float
    heading: str = optional("")


T = TypeVar("T")


class _Part(NamedTuple):
    note: DailyNote
    line: int
    heading: str
    text: str
    terms: frozenset[str]


def propose(notes: Iterable[DailyNote], memory: str, judge: Judge | None = None) -> list[Proposal]:
    """Return the parts to add to a long-term memory, the best first, then the newest."""
    known_texts = _KnownTexts(memory)
    parts = [part for note in notes for part in _parts(note) if not _is_passing(part)]
    scored = [
        (part, _proposal(part, days, judge))
        for part, days in zip(parts, _days(parts), strict=True)
        if not known_texts.has(part)
    ]
    rows = [(part, proposal) for part, proposal in scored if proposal is not None]
    rows.sort(
        key=lambda row: (-row[1].score, -row[0].note.day.toordinal(), row[0].note.path, row[0].line)
    )
    proposals = []
    for part, proposal in rows:
        if not known_texts.has(part):
            known_texts.add(part.text)
            proposals.append(proposal)
    return proposals


def _proposal(part: _Part, days: int, judge: Judge | None) -> Proposal | None:
    threshold = judge.thresholds.capture if judge else _PHRASES
    score, reasons = _score(part.text, threshold, judge)
    if days > 1:
        score += threshold / _MAX_MORE_DAYS * min(days - 1, _MAX_MORE_DAYS)
        reasons = (*reasons, f"comes up on {days} days")
    if score < threshold:
        return None
    path, day = part.note.path, part.note.day.isoformat()
    return Proposal(path, part.line, day, part.text, reasons, round(score, 2), part.heading)


def _score(text: str, threshold: float, judge: Judge | None) -> tuple[float, tuple[str, ...]]:
    """Return the score of the best sentence of a part, and its reasons."""
    prose = " ".join(text.partition("\n```")[0].split())
    split = list(sentences(prose))
    best: tuple[float, tuple[str, ...]] = (0.0, ())
    for sentence, chance in zip(split, capture_chances(judge, prose, split), strict=True):
        score = chance or 0.0
        if is_worth(sentence, chance, threshold):
            score = 1.0 if chance is None else max(score, threshold)
        if score > best[0]:
            best = score, reasons_of(find_sort(sentence), chance)
    return best


def _is_passing(part: _Part) -> bool:
    """Say whether a part is a task, a mere question, chatter, a comment or a dump."""
    return bool(
        len(part.text) > _MAX_LENGTH
        or _TASK.match(part.text)
        or _TASKS.fullmatch(part.heading)
        or (part.text.endswith(("?", "？")) and not re.search(r"[.!。！]\s", part.text))
        or part.text.startswith(("<!--", "---"))
        or len(part.terms) < _MIN_TERMS
    )


def _parts(note: DailyNote) -> list[_Part]:
    """Return the parts of a note; code belongs to a part that ends in a colon before it."""
    parts: list[_Part] = []
    text, heading = note.text.removeprefix("\ufeff"), ""
    line, counted = 1, 0
    for block in blocks(text):
        if block.kind is BlockKind.HEADING:
            title = text[block.start : block.stop].partition("\n")[0].strip("# \t\r")
            heading = title if any(char.isalpha() for char in title) else ""
        elif block.kind is not BlockKind.WHOLE:
            for start, stop in _spans(text, block):
                content = _without_bullet(text[start:stop].rstrip())
                line, counted = line + text.count("\n", counted, start), start
                parts.append(_Part(note, line, heading, content, _terms(content)))
        elif parts and parts[-1].text.endswith((":", "：")):
            code = text[text.rfind("\n", 0, block.start) + 1 : block.stop]
            content = f"{parts[-1].text}\n{textwrap.dedent(code)}"
            parts[-1] = parts[-1]._replace(text=content, terms=_terms(content))
    return parts


def _spans(text: str, block: MarkdownBlock) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of a paragraph, or of each item that is not below another."""
    if block.kind is not BlockKind.LIST:
        yield block.start, block.stop
        return
    indents = [
        indent_match.end() - offset
        for offset in block.items
        if (indent_match := _INDENT.match(text, offset))
    ]
    starts = [
        offset for offset, indent in zip(block.items, indents, strict=True) if indent <= indents[0]
    ]
    yield from zip(starts, [*starts[1:], block.stop], strict=True)


def _without_bullet(raw: str) -> str:
    first, line_end, following = raw.partition("\n")
    bullet = _BULLET.match(first)
    return first[bullet.end() :] + line_end + textwrap.dedent(following) if bullet else raw


def _terms(text: str) -> frozenset[str]:
    """Return what a text is about; neither a time of day nor a source mark is part of that."""
    return frozenset(distinctive(_TIMES.sub(" ", _SOURCE.sub(" ", text))))


def _days(parts: Sequence[_Part]) -> list[int]:
    """Return on how many days the topic of each part comes up.

    A term that most days share, as in a template, is no topic."""
    day_counts = {
        term: len(set(days))
        for term, days in grouped(
            (term, part.note.day) for part in parts for term in part.terms
        ).items()
    }
    most = max(3, len({part.note.day for part in parts}) // 2)
    by_term = grouped(
        (term, number)
        for number, part in enumerate(parts)
        for term in part.terms
        if 1 < day_counts[term] <= most
    )
    similar = (
        _sharing(by_term, part.terms, max(2, _SAME_TOPIC * len(part.terms))) for part in parts
    )
    return [
        len({part.note.day, *(parts[number].note.day for number in numbers)})
        for part, numbers in zip(parts, similar, strict=True)
    ]


def _sharing(by_term: Mapping[str, list[T]], terms: Iterable[str], least: float) -> list[T]:
    """Return the texts, listed by their terms, that have at least `least` of some terms."""
    groups = (by_term.get(term, []) for term in terms)
    counts = Counter(text for texts in groups if len(texts) <= _MAX_COMMON for text in texts)
    return [text for text, count in counts.items() if count >= least]


_KnownText = tuple[frozenset[str], bool]  # its terms, and whether one negates


class _KnownTexts:
    """Texts that are in MEMORY.md or proposed: single items, and up to three in a row."""

    def __init__(self, memory: str) -> None:
        self._known: set[_KnownText] = set()
        self._by_term: dict[str, list[_KnownText]] = defaultdict(list)
        self._sources: dict[tuple[str, int], frozenset[str]] = {}
        items = _ITEM_OR_BLANK.split(memory)
        for at, item in enumerate(items):
            rows = ["\n".join(items[max(0, at - size) : at + 1]) for size in range(3)]
            for text in rows:
                self.add(text)
            for path, line in _SOURCE.findall(item):
                self._sources[path, int(line)] = _terms(rows[-1])

    def add(self, text: str) -> None:
        row = _terms(text), _is_negated(text)
        if row not in self._known:
            self._known.add(row)
            for term in row[0]:
                self._by_term[term].append(row)

    def has(self, part: _Part) -> bool:
        """Say whether a text has most terms of a part and all its numbers, or names its source."""
        terms = part.terms
        source_terms = self._sources.get((part.note.path, part.line), frozenset())
        if len(source_terms & terms) >= max(1, _KNOWN_SOURCE * len(terms)):
            return True
        negated = _is_negated(part.text)
        numbers = {term for term in terms if term.startswith("#")}
        return any(
            numbers <= shared and negated == is_negated
            for shared, is_negated in _sharing(self._by_term, terms, math.ceil(_KNOWN * len(terms)))
        )


def _is_negated(text: str) -> bool:
    return not _NEGATIONS.isdisjoint(reversing_words(text))


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
        memory_paths = {inside(root, memory), *(path for path in files if path.name == LONG_TERM)}
        text = "\n\n".join(read_file(path).text for path in sorted(memory_paths))
        proposals = tuple(propose(notes, text, judge))
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
    default = f"memory/{LONG_TERM}" if (root / "memory").is_dir() else LONG_TERM
    return max(existing, key=len, default=default)


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
