"""Which parts of daily notes deserve a place in long-term memory, told by their words alone: no
model is asked.

A part is a paragraph or an item of a list. It is proposed when its cues and its coming up on
several days are worth enough together, when it is no task and no mere question, and when MEMORY.md,
or a better part, does not say it already."""

import math
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from ghostmem.capture.rules.cues import ADDRESS, CUES, NUMBER
from ghostmem.model import Record, optional
from ghostmem.text.blocks import BlockKind, MarkdownBlock, blocks
from ghostmem.truth.alike import distinctive, turns

ENOUGH = 2.0  # what a part must be worth
# what share of its distinctive terms must stand together elsewhere for a part to be said there
SAID = 0.7
KEPT = 0.3  # the same for an item that names the part as its source: it may have been reworded
ALIKE = 0.3  # the same for two parts to be about one topic, by at least two terms
FEWEST = 3  # distinctive terms; what has fewer is chatter
COMMON = 100  # texts; a term that more of them have tells no topic
RAW = 1_000  # characters; what is longer is raw material, and worth less
DUMP = 10_000  # characters; what is longer was pasted, and is never distilled as it is


class Dated(NamedTuple):
    """A section of a daily note: its file and day, the line that its text begins on, its heading
    and text.
    """

    path: str
    day: date
    line: int
    heading: str
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class Proposal(Record):
    """A part of a daily note to distil: where it stands, what it says, why it is proposed, and how
    strongly.
    """

    path: str
    line: int
    day: str
    text: str
    reasons: tuple[str, ...]
    score: float
    heading: str = optional("")


class _Part(NamedTuple):
    """A paragraph or an item of a list, without its bullet, the line it begins on and the heading
    it stands under.
    """

    line: int
    heading: str
    text: str


_TASK = re.compile(r"\[[ xX✓✔-]\]|(?:todo|to-do|fixme)\b|待办|pendiente:", re.IGNORECASE)
_TASKS = re.compile(
    r"(?:todos?|to-?dos?|to do|tasks?|next steps?|plans? for .*|待办.*|pendientes?|tareas?)\W*",
    re.IGNORECASE,
)
_INDENT = re.compile(r"[ \t]*")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_TIMES = re.compile(r"(?<![\d.:])\d{1,2}:\d{2}(?::\d{2})?(?![\d.:])|\d{4}-\d{2}-\d{2}")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
_SOURCE = re.compile(r"\(from ([^()\n]+), line (\d{1,9})\)")
_NEGATIONS = frozenset("no not never none nobody nothing neither nor without cannot".split())


def propose(sections: Iterable[Dated], memory: str) -> list[Proposal]:
    """Return what to distil from sections of daily notes into a long-term memory, the strongest
    first, then the newest.
    """
    found = [
        (section, part)
        for section in sections
        for part in _parts(section.text, section.line, section.heading)
    ]
    days = _days([section.day for section, _ in found], [_terms(part.text) for _, part in found])
    worth = [
        (section, part, *_judged(part, count))
        for (section, part), count in zip(found, days, strict=True)
    ]
    worth.sort(key=lambda row: (-row[3], -row[0].day.toordinal(), row[0].path, row[1].line))
    said = _Said(memory)
    proposals: list[Proposal] = []
    for section, part, reasons, score in worth:
        if score < ENOUGH or said.has_source(section.path, part) or said.has(part.text):
            continue
        said.add([part])
        proposals.append(
            Proposal(
                section.path,
                part.line,
                section.day.isoformat(),
                part.text,
                reasons,
                round(score, 1),
                part.heading,
            )
        )
    return proposals


def source(path: str, line: int) -> str:
    """Return the words by which an item of a long-term memory names the part of a daily note that
    it comes from.
    """
    return f"(from {path}, line {line})"


def _judged(part: _Part, days: int) -> tuple[tuple[str, ...], float]:
    """Return why a part is worth keeping, the weightiest first, and how much it is worth.

    Nothing when it never is.
    """
    if _is_passing(part):
        return (), 0.0
    text = f"{part.heading}\n{part.text}"
    reasons: dict[str, float] = {}
    for cue in CUES:
        if cue.words.search(text) and not (cue.unless and cue.unless.search(text)):
            reasons.setdefault(cue.reason, cue.worth)
    plain = ADDRESS.sub(" ", part.text)
    if plain != part.text:
        reasons["gives an address"] = 1.0
    if NUMBER.search(_TIMES.sub(" ", plain)):
        reasons["gives a version, a date or a number"] = 1.0
    if days > 1:
        reasons[f"comes up on {days} days"] = 1.0 if days == 2 else 2.0
    score = sum(reasons.values()) - (len(part.text) > RAW)
    return tuple(sorted(reasons, key=lambda reason: -reasons[reason])), score


def _is_passing(part: _Part) -> bool:
    """Say whether a part is a task, a mere question, chatter or a dump."""
    if len(part.text) > DUMP or _TASK.match(part.text) or _TASKS.fullmatch(part.heading):
        return True
    if part.text.endswith(("?", "？")) and not re.search(r"[.!。！]\s", part.text):
        return True
    return len(_terms(part.text)) < FEWEST


def _parts(text: str, line: int = 1, heading: str = "", every: bool = False) -> list[_Part]:
    """Take a text apart; code and tables belong to a part that ends in a colon before them, or to
    none unless `every` counts.
    """
    found: list[_Part] = []
    heading, counted = _title(heading), 0
    for block in blocks(text):
        if block.kind is BlockKind.HEADING:
            heading = _title(text[block.start : block.stop].partition("\n")[0])
            continue
        for start, stop in _spans(text, block):
            line, counted = line + text.count("\n", counted, start), start
            raw = text[start:stop].rstrip()
            if block.kind is BlockKind.WHOLE and not every:
                if found and found[-1].text.endswith((":", "：")):
                    found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{textwrap.dedent(raw)}")
            elif not raw.startswith("<!--"):
                found.append(_Part(line, heading, _without_bullet(raw)))
    return found


def _title(heading: str) -> str:
    """Return a heading's words; a date or a time is none."""
    return heading.strip("# \t\r") if any(char.isalpha() for char in heading) else ""


def _spans(text: str, block: MarkdownBlock) -> Iterator[tuple[int, int]]:
    """Yield where a block's parts start and stop: the items of a list that are not below others, or
    the block itself.
    """
    if block.kind is not BlockKind.LIST:
        yield (
            (
                text.rfind("\n", 0, block.start) + 1
                if block.kind is BlockKind.WHOLE
                else block.start
            ),
            block.stop,
        )
        return
    indents = [found.end() - item for item in block.items if (found := _INDENT.match(text, item))]
    starts = [
        item for item, indent in zip(block.items, indents, strict=True) if indent <= indents[0]
    ]
    yield from zip(starts, [*starts[1:], block.stop], strict=True)


def _without_bullet(raw: str) -> str:
    bullet = _BULLET.match(raw)
    if bullet is None:
        return raw
    first, line_end, rest = raw[bullet.end() :].partition("\n")
    return first + line_end + textwrap.dedent(rest)


def _terms(text: str) -> frozenset[str]:
    """Return what a text is about.

    Neither the time it was written at nor its source is part of that.
    """
    return frozenset(distinctive(_TIMES.sub(" ", _SOURCE.sub(" ", text))))


def _is_negated(text: str) -> bool:
    return not _NEGATIONS.isdisjoint(turns(text))


def _days(days: Sequence[date], terms: Sequence[frozenset[str]]) -> list[int]:
    """Return on how many days each text's topic comes up: terms that most days share are
    no topic.
    """
    by_term: dict[str, list[int]] = defaultdict(list)
    for number, found in enumerate(terms):
        for term in found:
            by_term[term].append(number)
    most = max(3, len(set(days)) // 2)
    telling = {
        term: texts
        for term, texts in by_term.items()
        if len(texts) <= COMMON and 1 < len({days[number] for number in texts}) <= most
    }
    counts: list[int] = []
    for number, found in enumerate(terms):
        shared = Counter(other for term in found for other in telling.get(term, ()))
        alike = {
            days[other] for other, count in shared.items() if count >= max(2, ALIKE * len(found))
        }
        counts.append(len(alike | {days[number]}))
    return counts


class _Said:
    """What is said already, by the terms that stand together: in one part, or in up to three that
    follow each other.
    """

    def __init__(self, memory: str) -> None:
        self._texts: list[
            tuple[frozenset[str], bool]
        ] = []  # terms, and whether there is a negation
        self._by_term: dict[str, list[int]] = defaultdict(list)
        self._sources: dict[tuple[str, int], frozenset[str]] = {}
        parts = _parts(
            _FENCE.sub("", memory), every=True
        )  # what is in a fence, also one never closed, is said too
        for part in parts:
            for path, line in _SOURCE.findall(part.text):
                self._sources[path, int(line)] = _terms(part.text)
        self.add(parts)

    def add(self, parts: Sequence[_Part]) -> None:
        """Take note of parts, in the order in which they stand."""
        texts = [f"{part.heading}\n{part.text}" for part in parts]
        runs = [
            "\n".join(texts[at : at + size])
            for size in (1, 2, 3)
            for at in range(len(texts) - size + 1)
        ]
        for text in dict.fromkeys([*(part.text for part in parts), *(run.strip() for run in runs)]):
            terms = _terms(text)
            for term in terms:
                self._by_term[term].append(len(self._texts))
            self._texts.append((terms, _is_negated(text)))

    def has(self, text: str) -> bool:
        """Say whether most of a text stands together somewhere, with all its numbers and, if it has
        a negation, with one.
        """
        terms, negated = _terms(text), _is_negated(text)
        enough = math.ceil(SAID * len(terms))
        numbers = {term for term in terms if term.startswith("#")}
        # a text that has enough of the terms has one of these: the rarest, one more than it may
        # lack
        rarest = sorted(terms, key=lambda term: len(self._by_term.get(term, ())))[
            : len(terms) - enough + 1
        ]
        candidates = {number for term in rarest for number in self._by_term.get(term, ())}
        return any(
            numbers <= theirs and negated == is_negated and len(terms & theirs) >= enough
            for theirs, is_negated in map(self._texts.__getitem__, candidates)
        )

    def has_source(self, path: str, part: _Part) -> bool:
        """Say whether an item names this part as its source and is still about it."""
        kept = self._sources.get((path, part.line))
        terms = _terms(part.text)
        return kept is not None and len(kept & terms) >= KEPT * len(terms)
