"""Split a markdown file at its headings of the second level; each section is one memory."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ghostmem.text.blocks import fence_end, line_end
from ghostmem.text.scripts import fold

PREAMBLE = "_preamble"

_DAILY = re.compile(r"(?:.*[/\\])?(\d{4}-\d{2}-\d{2})\.md", re.IGNORECASE | re.DOTALL)
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:(?!##[ \t]).*\n)*?---[ \t]*\r?(?:\n|\Z)")
_HEADING_OR_FENCE = re.compile(r"^[^\S\n]*(?:##[ \t]|```|~~~)", re.MULTILINE)
_CLOSING_HASHES = re.compile(r"[ \t]#+\Z")
_NOT_IN_SLUGS = re.compile(r"[\x00-/:-`{-\x7f]+")
_EMOJI_PARTS = "\u200d\u20e3\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


@dataclass(frozen=True, slots=True)
class MarkdownSection:
    """A section with its key, its heading, the text below it and its first line."""

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
    """Return the sections of a file; in a daily file, their keys begin with its date."""
    text = text.removeprefix("\ufeff")
    daily = _DAILY.fullmatch(name)
    prefix = f"{daily[1]}:" if daily else ""
    made: list[MarkdownSection] = []
    seen: Counter[str] = Counter()
    for heading, line, start, stop in _cuts(text):
        body_start, body = _without_outer_blanks(text, start, stop)
        if heading is not None:
            made.append(MarkdownSection(prefix + unique(slug(heading), seen), heading, body, line))
        elif body:
            made.append(
                MarkdownSection(prefix + PREAMBLE, "", body, 1 + text.count("\n", 0, body_start))
            )
    return made


def _cuts(text: str) -> Iterator[tuple[str | None, int, int, int]]:
    """Yield the heading (None for the preamble), its line, and the span of the body."""
    front = _FRONT_MATTER.match(text)
    at = start = front.end() if front else 0
    heading, number, counted = None, 1, 0
    while (mark := _HEADING_OR_FENCE.search(text, at)) is not None:
        line, end = mark.start(), line_end(text, mark.start())
        at = fence_end(text, line) or end
        trimmed = text[line:end].strip()
        if trimmed.startswith(("## ", "##\t")):
            yield heading, number, start, line
            number, counted = number + text.count("\n", counted, line), line
            heading, start = _CLOSING_HASHES.sub("", trimmed[3:]).strip(), end
    yield heading, number, start, len(text)


def _without_outer_blanks(text: str, start: int, stop: int) -> tuple[int, str]:
    """Return the start and the text of text[start:stop] without the blank lines around it."""
    part = text[start:stop]
    ink = len(part) - len(part.lstrip())
    first = part.rfind("\n", 0, ink) + 1
    return start + first, part[first:].rstrip()


def unique(wanted: str, seen: Counter[str]) -> str:
    """Return a slug with a number if it was used before."""
    key = wanted
    while seen[key]:
        seen[wanted] += 1
        key = f"{wanted}-{seen[wanted]}"
    seen[key] += 1
    return key
