"""Wrap the prose of a Markdown page at one width.

Only paragraphs and list items change. Code blocks, tables, headings, HTML, and the parts that other
tools write (`<!-- generated: … -->`, `<!-- measured: … -->`) stay as they are.
"""

import re
import textwrap
from collections.abc import Iterator

WIDTH = 100
_KEPT = re.compile(
    r"^```.*?^```[^\n]*\n"
    r"|^<!-- (?:generated|measured): (\S+) -->\n.*?^<!-- end: \1 -->\n"
    r"|^<!-- results of .*?^<!-- end of the results -->\n",
    re.MULTILINE | re.DOTALL,
)
_ITEM = re.compile(r"(?P<indent> *)(?P<bullet>[-*+] |\d+\. )")
_VERBATIM = re.compile(r"\s*(?:$|#|\||<|!\[|>|---|\[[^\]]+\]: )|    ")
_STARTS_BLOCK = re.compile(r" (?=(?:[-+*#>|]|\d+\.) )")  # such a word must not begin a line


def _glued(text: str) -> str:
    """Return the text with a no-break mark for each space at which a line must not end."""
    text = re.sub(r"(`+).+?\1", lambda code: code[0].replace(" ", "\0"), text)
    return _STARTS_BLOCK.sub("\0", text)


def _filled(lines: list[str]) -> list[str]:
    """Return the lines of one paragraph or list item, wrapped."""
    item = _ITEM.match(lines[0])
    first = item[0] if item else re.match(" *", lines[0])[0]  # type: ignore[index]
    words = " ".join(line.strip() for line in [lines[0][len(first) :], *lines[1:]])
    return [
        line.replace("\0", " ")
        for line in textwrap.wrap(
            _glued(words),
            WIDTH,
            initial_indent=first,
            subsequent_indent=" " * len(first),
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Yield groups of lines: a paragraph, a list item, or one line of another kind."""
    group: list[str] = []
    for line in text.splitlines():
        verbatim = bool(_VERBATIM.match(line)) and not (group and line.startswith("    "))
        if group and (verbatim or _ITEM.match(line)):
            yield group
            group = []
        if verbatim:
            yield [line]
        else:
            group.append(line)
    if group:
        yield group


def _wrapped(text: str) -> str:
    return "".join(
        f"{line}\n"
        for group in _paragraphs(text)
        for line in (group if _VERBATIM.match(group[0]) else _filled(group))
    )


def with_wrapped_prose(text: str) -> str:
    """Return a page with its prose wrapped."""
    parts, place = [], 0
    for kept in _KEPT.finditer(text):
        parts += [_wrapped(text[place : kept.start()]), kept[0]]
        place = kept.end()
    return "".join([*parts, _wrapped(text[place:])])
