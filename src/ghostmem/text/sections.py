"""Files of sections: find headings outside fenced code, split a file at them, escape a text.

`sections` splits at headings of the second level for import, `cut` at any levels for notes that are
searched. A `SectionStyle` describes files that Ghost writes itself: role files and daily notes of a
mirror, whose sections give every text back unchanged."""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ghostmem.text.blocks import closing_end, line_end, opened_fence
from ghostmem.text.frontmatter import front_matter
from ghostmem.text.scripts import fold

PREAMBLE = "_preamble"
MAX_NAME = 80  # characters of a section's name
FENCE = "(?:```|~~~)"

_DAILY = re.compile(r"(?:.*[/\\])?(\d{4}-\d{2}-\d{2})\.md", re.IGNORECASE | re.DOTALL)
_SECOND_LEVEL = re.compile(rf"^[^\S\n]*(?:##[ \t](?P<title>[^\n]*\S)|{FENCE})", re.MULTILINE)
_ANY_LEVEL = re.compile(
    r"^(?: {0,3}(?P<hashes>#{1,6})(?=[ \t\n]|\Z)"
    rf"|[ \t]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)*{FENCE})",
    re.MULTILINE,
)
_NOT_IN_SLUGS = re.compile(r"[\x00-/:-`{-\x7f]+")
_EMOJI_PARTS = "\u200d\u20e3\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


class Mark(NamedTuple):
    """A line that matches a pattern, from `start` to its line feed at `end`.

    A line that `is_open` opens a code fence that is never closed."""

    match: re.Match[str]
    start: int
    end: int
    is_open: bool


def marked_lines(text: str, pattern: re.Pattern[str], at: int = 0) -> Iterator[Mark]:
    """Yield the lines that match a pattern of headings and fences, without closed code fences.

    The pattern matches from the start of a line. The caller decides whether a fence that is never
    closed hides the text below it."""
    # If a short fence is not closed, no longer one is: searching again would take quadratic time.
    unclosed: dict[str, int] = {}
    while (match := pattern.search(text, at)) is not None:
        start, at = match.start(), line_end(text, match.start())
        opener = opened_fence(text, start)
        fence, end = opener["fence"] if opener else "", None
        if opener and len(fence) < unclosed.get(fence[0], sys.maxsize):
            end = closing_end(text, opener)
            if end is None:
                unclosed[fence[0]] = len(fence)
        if end is None:
            yield Mark(match, start, at, opener is not None)
        at = end or at


def heading_words(text: str) -> str:
    """Return the words of a heading, without the hashes that close it."""
    words = text.strip(" \t\r")
    plain = words.rstrip("#")
    return plain.rstrip(" \t") if not plain or plain[-1] in " \t" else words


class MarkdownSection(NamedTuple):
    """A section with its key, its heading, its text and the number of its first line."""

    key: str
    heading: str
    body: str
    line: int


def slug(heading: str) -> str:
    """Return a heading as a key: lower-case letters and digits, with hyphens between them."""
    plain = "".join(
        char for char in heading if char not in _EMOJI_PARTS and unicodedata.category(char) != "So"
    )
    return _NOT_IN_SLUGS.sub("-", fold(plain).casefold()).strip("-") or "untitled"


def sections(text: str, name: str) -> list[MarkdownSection]:
    """Return the sections of a file, each with the text below its heading.

    In a daily file, their keys begin with its date."""
    daily = _DAILY.fullmatch(name)
    prefix = f"{daily[1]}:" if daily else ""
    parts: list[MarkdownSection] = []
    seen: Counter[str] = Counter()
    for heading, piece, line in _pieces(
        text.removeprefix("\ufeff"), _SECOND_LEVEL, lambda match: match["title"]
    ):
        below = piece if heading is None else piece[line_end(piece, 0) :]
        first = below.rfind("\n", 0, len(below) - len(below.lstrip())) + 1
        body = below[first:].rstrip()
        if heading is not None:
            parts.append(MarkdownSection(prefix + unique(slug(heading), seen), heading, body, line))
        elif body:
            line += below.count("\n", 0, first)
            parts.append(MarkdownSection(prefix + PREAMBLE, "", body, line))
    return parts


def cut(text: str, levels: tuple[int, ...] = (1, 2)) -> list[MarkdownSection]:
    """Cut the text after the front matter at headings of these levels outside fenced code.

    The text of a section begins with its heading, and the key of the first is empty."""

    def title(match: re.Match[str]) -> str | None:
        end = line_end(text, match.start())
        return text[match.end() : end] if len(match["hashes"] or "") in levels else None

    parts: list[MarkdownSection] = []
    seen: Counter[str] = Counter()
    for heading, piece, line in _pieces(text, _ANY_LEVEL, title):
        if heading is None and not piece and text[len(front_matter(text)) :]:
            continue  # the note begins with a heading
        key = unique(slug(heading or "")[:MAX_NAME], seen) if parts else ""
        parts.append(MarkdownSection(key, heading or "", piece, line))
    return parts


def _pieces(
    text: str, pattern: re.Pattern[str], title: Callable[[re.Match[str]], str | None]
) -> Iterator[tuple[str | None, str, int]]:
    """Yield the text before the first heading and each section: heading, text, first line.

    A fence that is never closed hides the headings below it."""
    start = len(front_matter(text))
    line, heading = 1 + text.count("\n", 0, start), None
    for mark in marked_lines(text, pattern, start):
        if mark.is_open:
            break
        if (words := title(mark.match)) is not None:
            yield heading, text[start : mark.start], line
            line += text.count("\n", start, mark.start)
            heading, start = heading_words(words), mark.start
    yield heading, text[start:], line


def unique(wanted: str, seen: Counter[str]) -> str:
    """Return a slug with a number if it was used before."""
    key = wanted
    while seen[key]:
        seen[wanted] += 1
        key = f"{wanted}-{seen[wanted]}"
    seen[key] += 1
    return key


class Section(NamedTuple):
    """A section with the offsets of its heading, its text and the text behind it."""

    title: str
    start: int
    body: int
    end: int


@dataclass(frozen=True)
class SectionStyle:
    """The sections of files that Ghost writes.

    `pattern` finds headings and fences at the start of a line; its group `escape` is the
    backslashes in front, its group `mark` the hashes or the fence. `title` returns the title that a
    heading spells, or None if it is text. A fence that is never closed hides nothing."""

    pattern: re.Pattern[str]
    title: Callable[[str], str | None]

    def sections(self, text: str, at: int = 0) -> list[Section]:
        """Return the sections behind an offset."""
        heads = [
            (title, mark.start, min(mark.end + 1, len(text)))
            for mark, title in self._marks(text, at)
            if title is not None
        ]
        ends = [*(start for _, start, _ in heads[1:]), len(text)]
        return [Section(*head, end) for head, end in zip(heads, ends, strict=False)]

    def has_open_fence(self, text: str) -> bool:
        """Say whether a text has a code fence that is never closed."""
        return any(mark.is_open for mark, _ in self._marks(text))

    def escape(self, text: str, strict: bool = False) -> str:
        """Return a text that is read as one section; `strict` escapes every fence in it."""
        lines = (mark.match for mark, _ in self._marks(text))
        return self._with("\\", text, self.pattern.finditer(text) if strict else lines)

    def unescape(self, text: str) -> str:
        """Return the text that was escaped."""
        lines = (mark.match for mark, _ in self._marks(text) if mark.match["escape"])
        return self._with("", text, lines)

    def _marks(self, text: str, at: int = 0) -> Iterator[tuple[Mark, str | None]]:
        """Yield headings with their titles, and fences that are never closed or escaped lines."""
        for mark in marked_lines(text, self.pattern, at):
            is_heading = mark.match["mark"][0] == "#" and not mark.match["escape"]
            title = self.title(text[mark.match.end() : mark.end]) if is_heading else None
            if mark.is_open or mark.match["escape"] or title is not None:
                yield mark, title

    @staticmethod
    def _with(escape: str, text: str, lines: Iterator[re.Match[str]]) -> str:
        parts, start = [], 0
        for line in lines:
            mark = line.start("escape")
            parts.append(text[start:mark] + escape)
            start = mark if escape else mark + 1
        return "".join([*parts, text[start:]])
