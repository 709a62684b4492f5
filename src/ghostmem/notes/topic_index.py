"""The index of a knowledge store, read as people leave it and changed where that was asked for.

The section of general knowledge ends at the next heading of its level, or, when its own text has
such headings, at a mark behind it. What stands below `### topic` up to the next heading or rule is
the topic's summary."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ghostmem.notes.topic_file import trimmed
from ghostmem.text.blocks import Kind, blocks, fence_end, line_end

GENERAL = "General Project Knowledge"
SPECIAL = "Specialized Knowledge"
MARK = f"<!-- end of {GENERAL} -->"
_GENERAL, _SPECIAL = GENERAL.casefold(), SPECIAL.casefold()
_SUMMARY = 200  # characters of a summary that nobody gave
_SIGN = re.compile(
    r"#|`{3}|~{3}|knowledge", re.IGNORECASE
)  # what a line must have to be a heading, a fence or the mark
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
_TOP = re.compile(r"^ {0,3}#{1,2}(?:[ \t]([^\n]*))?\r?$", re.MULTILINE)
_ENTRY = re.compile(r"^ {0,3}###(?:[ \t]([^\n]*))?\r?$", re.MULTILINE)
_RULE = re.compile(r"(?<=\n\n) {0,3}([-*_])(?:[ \t]*\1){2,}[ \t\r]*$", re.MULTILINE)
_ANY_HEADING = re.compile(r"[ \t>*+-]*+(?:\d++[.)][ \t]*+)?#+(.*)")
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t\r]*$", re.MULTILINE)
_CLOSING_HASHES = re.compile(r"(?:\A|(?<=[ \t]))#+\Z")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LEADS_ASTRAY = re.compile(r"((?:(?:[-*+>]|\d{1,9}[.)]) )*)(#|`{3}|~{3}|([-*_=])(?: ?\3)*\Z)")
_SENTENCE = re.compile(r".+?(?:[.!?…](?=\s|\Z)|[。！？])", re.DOTALL)
_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class Cut(NamedTuple):
    """A heading of the first two levels, or the mark: where it starts, where what follows it
    starts, and its words.
    """

    start: int
    after: int
    name: str


class Entry(NamedTuple):
    """A topic in the index: its name, and where its heading, its summary and what follows
    it start.
    """

    topic: str
    start: int
    after: int
    end: int


def entries(text: str) -> list[Entry]:
    """Return the topics of an index in the order of the text."""
    found = []
    for _, after, end in _special_sections(_ended(text)):
        starts = list(_ENTRY.finditer(text, after, end))
        ends = [*(entry.start() for entry in starts[1:]), end]
        for entry, stop in zip(starts, ends, strict=False):
            rule = _RULE.search(text, entry.end(), stop)
            body = min(_next_line(text, entry.start()), len(text))
            found.append(
                Entry(
                    _topic_of(entry[1] or ""),
                    entry.start(),
                    body,
                    min(rule.start() if rule else stop, len(text)),
                )
            )
    return found


def with_entry(text: str, topic: str, summary: str) -> str:
    """Return an index with a topic added behind the others."""
    heading = _CLOSING_HASHES.sub(lambda hashes: f"\\{hashes[0]}", topic)
    entry = f"### {heading}\n\n{summary}\n"
    sections = _special_sections(_ended(text))
    if not sections:
        return _spaced(text) + f"## {SPECIAL}\n\n{entry}"
    end = min(sections[-1][2], len(text))
    return _spaced(text[:end]) + entry + ("\n" if text[end:] else "") + text[end:]


def with_summary(text: str, entry: Entry, summary: str) -> str:
    """Return an index with another summary for one of its topics."""
    rest = text[entry.end :]
    return f"{_ended(text[: entry.after])}\n{summary}\n" + ("\n" if rest else "") + rest


def without_entry(text: str, topic: str) -> str:
    """Return an index without a topic, wherever it is listed."""
    for entry in reversed(entries(text)):
        if entry.topic == topic:
            before, rest = text[: entry.start], text[entry.end :]
            text = before + rest if rest else _without_last_blanks(before)
    return text


def with_general(text: str, content: str) -> str:
    """Return an index with this general knowledge in place of what it has.

    A mark at its end where one could misread that.
    """
    plain = _with_general(text, f"{content}\n")
    if general_text(plain) == content and not has_special_heading(content, fenced=True):
        return plain
    return _with_general(text, f"{content}\n\n{MARK}\n")


def general_text(text: str) -> str:
    """Return an index's general knowledge."""
    section = _general_section(text)
    return trimmed(text[section[1] : section[2]].rstrip().removesuffix(MARK)) if section else ""


def is_marked(text: str) -> bool:
    """Say whether the end of an index's general knowledge has a mark."""
    section = _general_section(text)
    return section is not None and text[: section[2]].rstrip().endswith(MARK)


def without_own_heading(content: str) -> str:
    """Return general knowledge without the heading of its section, which it may bring along."""
    first = next(_cuts(_ended(content)), None)
    if first is None or first.name != _GENERAL or content[: first.start].strip():
        return content
    return content[first.after :]


def open_fence(text: str) -> str:
    """Return the line that opens a code fence which is never closed, or nothing."""
    text = _ended(text)
    unclosed = next((line for line, is_open in _unfenced(text, 0, set()) if is_open), None)
    return "" if unclosed is None else text[unclosed : line_end(text, unclosed)].strip()


def has_special_heading(text: str, fenced: bool = False) -> bool:
    """Say whether a text has a heading `Specialized Knowledge`, however written.

    With `fenced`, also within code fences.
    """
    text = _ended(text)
    signs = (text.rfind("\n", 0, sign.start()) + 1 for sign in _SIGN.finditer(text))
    return any(
        _is_special(text, line)
        for line in (signs if fenced else (line for line, _ in _unfenced(text, 0, set())))
    )


def summary_line(summary: str) -> str:
    """Return a summary as one paragraph that markdown reads as nothing else."""
    line = " ".join(summary.split())
    found = _LEADS_ASTRAY.match(line)
    return f"{found[1]}\\{line[found.end(1) :]}" if found else line


def first_sentence(body: str, topic: str) -> str:
    """Return the first sentence of a topic's text, or its name."""
    prose = next(
        (
            body[block.start : block.stop]
            for block in blocks(body)
            if block.kind in (Kind.PROSE, Kind.LIST)
        ),
        topic,
    )
    prose = " ".join(prose.split())
    sentence = _SENTENCE.match(prose)
    return summary_line((sentence[0] if sentence else prose)[:_SUMMARY])


def _with_general(text: str, body: str) -> str:
    section = _general_section(text)
    if section is None:
        front = _FRONT.match(text)
        at = front.end() if front else 0
        head, rest = f"{_spaced(text[:at])}## {GENERAL}\n", text[at:]
    else:
        head, rest = _ended(text[: section[1]]), text[section[2] :]
    blank = "\n" if rest.partition("\n")[0].strip() else ""
    return f"{head}\n{body}{blank}{rest}"


def _general_section(text: str) -> tuple[int, int, int] | None:
    """Return where the section of general knowledge, its text, and what follows it start."""
    cuts = list(_cuts(_ended(text)))
    first = next((cut for cut in cuts if cut.name == _GENERAL), None)
    if first is None:
        return None
    later = [cut for cut in cuts if cut.start > first.start]
    special = next((cut.start for cut in later if cut.name == _SPECIAL), len(text))
    marks = [cut.after for cut in later if cut.name == MARK and cut.start < special]
    heading = next((cut.start for cut in later if cut.name != MARK), len(text))
    return first.start, min(first.after, len(text)), min(marks[-1] if marks else heading, len(text))


def _cuts(text: str) -> Iterator[Cut]:
    """Yield headings and marks in order, past code fences.

    Below the topics a fence hides nothing, so that none gets lost.
    """
    at, unclosed = 0, set[str]()
    while at < len(text):
        found = None
        for line, _ in _unfenced(text, at, unclosed):
            found = _cut(text, line)
            if found is not None:
                yield found
                if found.name == _SPECIAL:
                    break
        else:
            return
        heading = _TOP.search(text, found.after) if found else None
        at = heading.start() if heading else len(text)


def _cut(text: str, line: int) -> Cut | None:
    end = line_end(text, line)
    heading = _TOP.match(text, line)
    if heading is not None:
        return Cut(line, end + 1, _words(_CLOSING_HASHES.sub("", (heading[1] or "").strip())))
    words = _words(text[line:end])
    if words in (_GENERAL, _SPECIAL) and _UNDERLINE.match(text, end + 1):
        return Cut(line, _next_line(text, end + 1), words)
    return Cut(line, end + 1, MARK) if text[line:end].strip() == MARK else None


def _special_sections(text: str) -> list[tuple[int, int, int]]:
    cuts = [cut for cut in _cuts(text) if cut.name != MARK]
    ends = [*(cut.start for cut in cuts[1:]), len(text)]
    return [
        (cut.start, cut.after, end)
        for cut, end in zip(cuts, ends, strict=False)
        if cut.name == _SPECIAL
    ]


def _unfenced(text: str, at: int, unclosed: set[str]) -> Iterator[tuple[int, bool]]:
    """Yield where each line outside code fences that may matter starts, and whether it opens a
    fence that is never closed.

    Such fences are remembered in `unclosed`, for speed: the same fence once more is not closed
    either."""
    while (sign := _SIGN.search(text, at)) is not None:
        at = max(text.rfind("\n", at, sign.start()) + 1, at)
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
    """Return a text that something may follow after an empty line."""
    text = _ended(text)
    return text if not text or re.search(r"(?:\A|\n)[ \t\r]*\n\Z", text) else f"{text}\n"


def _without_last_blanks(text: str) -> str:
    """Return a text that ends with the line end of its last line with ink."""
    inked = text.rstrip()
    return inked + text[len(inked) :].partition("\n")[0] + "\n" if inked else ""
