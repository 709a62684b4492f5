"""Read and edit the index of a knowledge folder, without changing other bytes.

The section of general knowledge ends at the next heading of its level or, if its text has such
headings, at a mark behind it. The text below `### topic` up to the next heading or rule is the
summary of the topic."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ghostmem.notes.topic_file import trimmed
from ghostmem.text.blocks import BlockKind, blocks, fence_end, line_end

GENERAL = "General Project Knowledge"
SPECIAL = "Specialized Knowledge"
MARK = f"<!-- end of {GENERAL} -->"
_GENERAL, _SPECIAL = GENERAL.casefold(), SPECIAL.casefold()
_MAX_SUMMARY = 200  # characters of a generated summary
# A heading, a fence or the mark has one of these.
_CANDIDATE = re.compile(r"#|`{3}|~{3}|knowledge", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
_TOP = re.compile(r"^ {0,3}#{1,2}(?:[ \t]([^\n]*))?\r?$", re.MULTILINE)
_ENTRY = re.compile(r"^ {0,3}###(?:[ \t]([^\n]*))?\r?$", re.MULTILINE)
_RULE = re.compile(r"(?<=\n\n) {0,3}([-*_])(?:[ \t]*\1){2,}[ \t\r]*$", re.MULTILINE)
_ANY_HEADING = re.compile(r"[ \t>*+-]*+(?:\d++[.)][ \t]*+)?#+(.*)")
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t\r]*$", re.MULTILINE)
_CLOSING_HASHES = re.compile(r"(?:\A|(?<=[ \t]))#+\Z")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MISREAD = re.compile(r"((?:(?:[-*+>]|\d{1,9}[.)]) )*)(#|`{3}|~{3}|([-*_=])(?: ?\3)*\Z)")
_SENTENCE = re.compile(r".+?(?:[.!?…](?=\s|\Z)|[。！？])", re.DOTALL)
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)


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
    for _, after, end in _special_sections(_ended(text)):
        starts = list(_ENTRY.finditer(text, after, end))
        ends = [*(entry.start() for entry in starts[1:]), end]
        for entry, stop in zip(starts, ends, strict=False):
            rule = _RULE.search(text, entry.end(), stop)
            body = min(_next_line(text, entry.start()), len(text))
            end_of_summary = min(rule.start() if rule else stop, len(text))
            name = _topic_of(entry[1] or "")
            topics.append(TopicEntry(name, entry.start(), body, end_of_summary))
    return topics


def with_entry(text: str, topic: str, summary: str) -> str:
    """Return an index with a topic added behind the others."""
    heading = _CLOSING_HASHES.sub(lambda hashes: f"\\{hashes[0]}", topic)
    entry = f"### {heading}\n\n{summary}\n"
    sections = _special_sections(_ended(text))
    if not sections:
        return _spaced(text) + f"## {SPECIAL}\n\n{entry}"
    end = min(sections[-1][2], len(text))
    return _spaced(text[:end]) + entry + ("\n" if text[end:] else "") + text[end:]


def with_summary(text: str, entry: TopicEntry, summary: str) -> str:
    """Return an index with a new summary for a topic."""
    rest = text[entry.end :]
    return f"{_ended(text[: entry.after])}\n{summary}\n" + ("\n" if rest else "") + rest


def without_entry(text: str, topic: str) -> str:
    """Return an index without a topic."""
    for entry in reversed(entries(text)):
        if entry.topic == topic:
            before, rest = text[: entry.start], text[entry.end :]
            text = before + rest if rest else _without_last_blanks(before)
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
    return trimmed(text[section[1] : section[2]].rstrip().removesuffix(MARK)) if section else ""


def is_marked(text: str) -> bool:
    """Say whether the general knowledge of an index ends with a mark."""
    section = _general_section(text)
    return section is not None and text[: section[2]].rstrip().endswith(MARK)


def without_own_heading(content: str) -> str:
    """Return general knowledge without the heading of its section, if it has one."""
    first = next(_headings(_ended(content)), None)
    if first is None or first.name != _GENERAL or content[: first.start].strip():
        return content
    return content[first.after :]


def open_fence(text: str) -> str:
    """Return the line of a code fence that is never closed, or an empty text."""
    text = _ended(text)
    unclosed = next((line for line, is_open in _unfenced(text, 0, set()) if is_open), None)
    return "" if unclosed is None else text[unclosed : line_end(text, unclosed)].strip()


def has_special_heading(text: str, fenced: bool = False) -> bool:
    """Say whether a text has a heading `Specialized Knowledge`; `fenced` includes code fences."""
    text = _ended(text)
    starts = (text.rfind("\n", 0, match.start()) + 1 for match in _CANDIDATE.finditer(text))
    return any(
        _is_special(text, line)
        for line in (starts if fenced else (line for line, _ in _unfenced(text, 0, set())))
    )


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
        front = _FRONT_MATTER.match(text)
        at = front.end() if front else 0
        head, rest = f"{_spaced(text[:at])}## {GENERAL}\n", text[at:]
    else:
        head, rest = _ended(text[: section[1]]), text[section[2] :]
    blank = "\n" if rest.partition("\n")[0].strip() else ""
    return f"{head}\n{body}{blank}{rest}"


def _general_section(text: str) -> tuple[int, int, int] | None:
    """Return the offsets of the section of general knowledge, its text and the text behind it."""
    headings = list(_headings(_ended(text)))
    first = next((heading for heading in headings if heading.name == _GENERAL), None)
    if first is None:
        return None
    later = [heading for heading in headings if heading.start > first.start]
    special = next((heading.start for heading in later if heading.name == _SPECIAL), len(text))
    ends = [mark.after for mark in later if mark.name == MARK and mark.start < special]
    following = next((heading.start for heading in later if heading.name != MARK), len(text))
    end = ends[-1] if ends else following
    return first.start, min(first.after, len(text)), min(end, len(text))


def _headings(text: str) -> Iterator[Heading]:
    """Yield headings and marks outside code fences.

    Among the topics a fence hides nothing, so that no topic gets lost."""
    at, unclosed = 0, set[str]()
    while at < len(text):
        heading = None
        for line, _ in _unfenced(text, at, unclosed):
            heading = _heading(text, line)
            if heading is not None:
                yield heading
                if heading.name == _SPECIAL:
                    break
        else:
            return
        following = _TOP.search(text, heading.after) if heading else None
        at = following.start() if following else len(text)


def _heading(text: str, line: int) -> Heading | None:
    end = line_end(text, line)
    heading = _TOP.match(text, line)
    if heading is not None:
        return Heading(line, end + 1, _words(_CLOSING_HASHES.sub("", (heading[1] or "").strip())))
    words = _words(text[line:end])
    if words in (_GENERAL, _SPECIAL) and _UNDERLINE.match(text, end + 1):
        return Heading(line, _next_line(text, end + 1), words)
    return Heading(line, end + 1, MARK) if text[line:end].strip() == MARK else None


def _special_sections(text: str) -> list[tuple[int, int, int]]:
    headings = [heading for heading in _headings(text) if heading.name != MARK]
    ends = [*(heading.start for heading in headings[1:]), len(text)]
    return [
        (heading.start, heading.after, end)
        for heading, end in zip(headings, ends, strict=False)
        if heading.name == _SPECIAL
    ]


def _unfenced(text: str, at: int, unclosed: set[str]) -> Iterator[tuple[int, bool]]:
    """Yield the offset of each candidate line outside code fences, and whether it opens a fence.

    Such a fence is never closed. It is remembered in `unclosed` for speed: the same fence again is
    not closed either."""
    while (candidate := _CANDIDATE.search(text, at)) is not None:
        at = max(text.rfind("\n", at, candidate.start()) + 1, at)
        fence = _FENCE.match(text, at)
        end = fence_end(text, fence.start(1)) if fence and fence[1] not in unclosed else None
        if fence and end is not None and end >= len(text):
            unclosed.add(fence[1])
        if end is None or end >= len(text):
            yield at, end is not None
            end = at
        at = _next_line(text, end)


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


def _topic_of(heading: str) -> str:
    return _ESCAPED.sub(r"\1", _CLOSING_HASHES.sub("", heading.strip()).strip())


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _next_line(text: str, at: int) -> int:
    return line_end(text, at) + 1


def _spaced(text: str) -> str:
    """Return a text that ends with an empty line, unless it is empty."""
    text = _ended(text)
    return text if not text or re.search(r"(?:\A|\n)[ \t\r]*\n\Z", text) else f"{text}\n"


def _without_last_blanks(text: str) -> str:
    """Return a text without blank lines at its end."""
    stripped = text.rstrip()
    return stripped + text[len(stripped) :].partition("\n")[0] + "\n" if stripped else ""
