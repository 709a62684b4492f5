"""Read and edit the index of a knowledge folder, without changing other bytes.

The section of general knowledge ends at the next heading of its level or, if its text has such
headings, at a mark behind it. The text below `### topic` up to the next heading or rule is the
summary of the topic."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ghostmem.notes.topic_file import trimmed
from ghostmem.text.blocks import BlockKind, blocks, line_end
from ghostmem.text.frontmatter import front_matter
from ghostmem.text.sections import marked_lines

GENERAL = "General Project Knowledge"
SPECIAL = "Specialized Knowledge"
MARK = f"<!-- end of {GENERAL} -->"
_GENERAL, _SPECIAL = GENERAL.casefold(), SPECIAL.casefold()
_MAX_SUMMARY = 200  # characters of a generated summary
# A heading, a fence or the mark has one of these.
_CANDIDATE = re.compile(r"^[^\n]*?(?:#|`{3}|~{3}|knowledge)", re.IGNORECASE | re.MULTILINE)
_TOP = re.compile(r"^ {0,3}#{1,2}(?:[ \t]([^\n]*))?\r?$", re.MULTILINE)
_ENTRY = re.compile(r"^ {0,3}###(?:[ \t]([^\n]*))?\r?$", re.MULTILINE)
_RULE = re.compile(r"(?<=\n\n) {0,3}([-*_])(?:[ \t]*\1){2,}[ \t\r]*$", re.MULTILINE)
_ANY_HEADING = re.compile(r"[ \t>*+-]*+(?:\d++[.)][ \t]*+)?#+(.*)")
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t\r]*$", re.MULTILINE)
_CLOSING_HASHES = re.compile(r"(?:\A|(?<=[ \t]))#+\Z")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MISREAD = re.compile(r"((?:(?:[-*+>]|\d{1,9}[.)]) )*)(#|`{3}|~{3}|([-*_=])(?: ?\3)*\Z)")
_SENTENCE = re.compile(r".+?(?:[.!?…](?=\s|\Z)|[。！？])", re.DOTALL)


class Heading(NamedTuple):
    """A heading of the first two levels or the mark: its offset, the next line, and its words."""

    start: int
    after: int
    name: str


class TopicEntry(NamedTuple):
    """A topic in the index, with the offsets of its heading, its summary and the text behind."""

    topic: str
    start: int
    after: int
    end: int


def entries(text: str) -> list[TopicEntry]:
    """Return the topics of an index in order."""
    topics = []
    for _, after, end in _special_sections(text):
        starts = list(_ENTRY.finditer(text, after, end))
        ends = [*(entry.start() for entry in starts[1:]), end]
        for entry, stop in zip(starts, ends, strict=False):
            rule = _RULE.search(text, entry.end(), stop)
            words = _CLOSING_HASHES.sub("", (entry[1] or "").strip()).strip()
            name, body = _ESCAPED.sub(r"\1", words), line_end(text, entry.start()) + 1
            topics.append(TopicEntry(name, entry.start(), body, rule.start() if rule else stop))
    return topics


def with_entries(text: str, summaries: Mapping[str, str]) -> str:
    """Return an index with topics added behind the others, each with its summary."""
    escaped = {_CLOSING_HASHES.sub(r"\\\g<0>", topic): topic for topic in summaries}
    new = "\n".join(f"### {name}\n\n{summaries[topic]}\n" for name, topic in escaped.items())
    sections = _special_sections(text)
    if not sections:
        return f"{_spaced(text)}## {SPECIAL}\n\n{new}"
    end = sections[-1][2]
    return _spaced(text[:end]) + new + ("\n" if text[end:] else "") + text[end:]


def with_summary(text: str, entry: TopicEntry, summary: str) -> str:
    """Return an index with a new summary for a topic."""
    rest = text[entry.end :]
    return f"{_ended(text[: entry.after])}\n{summary}\n" + ("\n" if rest else "") + rest


def without_entry(text: str, topic: str) -> str:
    """Return an index without a topic."""
    for entry in reversed(entries(text)):
        if entry.topic == topic:
            before, rest = text[: entry.start], text[entry.end :]
            # At the end, the line before the entry is the last, with its own white space.
            last = before.find("\n", len(before.rstrip())) + 1
            text = before + rest if rest else before[:last]
    return text


def with_general(text: str, content: str) -> str:
    """Return an index with new general knowledge, ended by a mark if it could be misread."""
    plain = _with_general(text, f"{content}\n")
    if general_text(plain) == content and not has_special_heading(content, fenced=True):
        return plain
    return _with_general(text, f"{content}\n\n{MARK}\n")


def general_text(text: str) -> str:
    """Return the general knowledge of an index."""
    section = _general_section(text)
    return trimmed(text[slice(*section)].rstrip().removesuffix(MARK)) if section else ""


def is_marked(text: str) -> bool:
    """Say whether the general knowledge of an index ends with a mark."""
    section = _general_section(text)
    return section is not None and text[: section[1]].rstrip().endswith(MARK)


def without_own_heading(content: str) -> str:
    """Return general knowledge without the heading of its section, if it has one."""
    first = next(_headings(content), None)
    if first is None or first.name != _GENERAL or content[: first.start].strip():
        return content
    return content[first.after :]


def open_fence(text: str) -> str:
    """Return the line of a code fence that is never closed, or an empty text."""
    lines = marked_lines(text, _CANDIDATE)
    return next((text[mark.start : mark.end].strip() for mark in lines if mark.is_open), "")


def has_special_heading(text: str, fenced: bool = False) -> bool:
    """Say whether a text has a heading `Specialized Knowledge`; `fenced` includes code fences."""
    starts = (match.start() for match in _CANDIDATE.finditer(text))
    unfenced = (mark.start for mark in marked_lines(text, _CANDIDATE))
    return any(_is_special(text, line) for line in (starts if fenced else unfenced))


def summary_line(summary: str) -> str:
    """Return a summary as one line that markdown reads as a paragraph."""
    line = " ".join(summary.split())
    misread = _MISREAD.match(line)
    return f"{misread[1]}\\{line[misread.end(1) :]}" if misread else line


def first_sentence(body: str, topic: str) -> str:
    """Return the first sentence of a topic's text, or its name."""
    prose = next(
        (
            body[block.start : block.stop]
            for block in blocks(body)
            if block.kind in (BlockKind.PROSE, BlockKind.LIST)
        ),
        topic,
    )
    prose = " ".join(prose.split())
    sentence = _SENTENCE.match(prose)
    return summary_line((sentence[0] if sentence else prose)[:_MAX_SUMMARY])


def _with_general(text: str, body: str) -> str:
    section = _general_section(text)
    if section is None:
        front = front_matter(text)
        head, below = f"{_spaced(front)}## {GENERAL}\n", text[len(front) :]
    else:
        head, below = _ended(text[: section[0]]), text[section[1] :]
    blank = "\n" if below.partition("\n")[0].strip() else ""
    return f"{head}\n{body}{blank}{below}"


def _general_section(text: str) -> tuple[int, int] | None:
    """Return the offsets of the general knowledge and of the text behind it."""
    headings = list(_headings(text))
    first = next((heading for heading in headings if heading.name == _GENERAL), None)
    if first is None:
        return None
    later = [heading for heading in headings if heading.start > first.start]
    special = next((heading.start for heading in later if heading.name == _SPECIAL), len(text))
    ends = [mark.after for mark in later if mark.name == MARK and mark.start < special]
    following = next((heading.start for heading in later if heading.name != MARK), len(text))
    return first.after, ends[-1] if ends else following


def _headings(text: str) -> Iterator[Heading]:
    """Yield headings and marks outside code fences.

    Among the topics a fence hides nothing, so that no topic gets lost."""
    start: int | None = 0
    while start is not None:
        following = None
        for mark in marked_lines(text, _CANDIDATE, start):
            heading = _heading(text, mark.start, mark.end)
            if heading is not None:
                yield heading
            if heading is not None and heading.name == _SPECIAL:
                following = _TOP.search(text, heading.after)
                break
        start = following.start() if following else None


def _heading(text: str, line: int, end: int) -> Heading | None:
    heading = _TOP.match(text, line)
    if heading is not None:
        return Heading(line, end + 1, _words(_CLOSING_HASHES.sub("", (heading[1] or "").strip())))
    words = _words(text[line:end])
    if words in (_GENERAL, _SPECIAL) and _UNDERLINE.match(text, end + 1):
        return Heading(line, line_end(text, end + 1) + 1, words)
    return Heading(line, end + 1, MARK) if text[line:end].strip() == MARK else None


def _special_sections(text: str) -> list[tuple[int, int, int]]:
    headings = [heading for heading in _headings(text) if heading.name != MARK]
    ends = [*(heading.start for heading in headings[1:]), len(text)]
    return [
        (heading.start, heading.after, end)
        for heading, end in zip(headings, ends, strict=False)
        if heading.name == _SPECIAL
    ]


def _is_special(text: str, line: int) -> bool:
    end = line_end(text, line)
    shown = text[line:end]
    heading = _ANY_HEADING.match(shown)
    if heading and _words(heading[1].rstrip("# \t\r")) == _SPECIAL:
        return True
    return (
        _words(shown.lstrip(" \t>*+-")) == _SPECIAL and _UNDERLINE.match(text, end + 1) is not None
    )


def _words(heading: str) -> str:
    return " ".join(heading.strip(" \t\r*_`:").split()).casefold()


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _spaced(text: str) -> str:
    """Return a text that ends with an empty line, unless it is empty."""
    text = _ended(text)
    return text if not text or re.search(r"(?:\A|\n)[ \t\r]*\n\Z", text) else f"{text}\n"
