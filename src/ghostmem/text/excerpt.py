"""Shorten texts to one line for display."""

import re

_BLOCKS = r"(?m)^\s*(?:`{3,}|~{3,})[\w-]*[ \t]*$|^\s*(?:#{1,6}|>|[-*+])\s+"
_SYMBOLS = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t"} | {
    0x7F: "\u2421"
}
_INVISIBLE = dict.fromkeys(
    [*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd"
)

MAX_LABEL, MAX_PATH = 64, 256  # characters of a label or a path that are shown


def visible(text: str) -> str:
    """Return a text that is safe to print: control characters become visible symbols."""
    return text if text.isascii() and text.isprintable() else text.translate(_SYMBOLS | _INVISIBLE)


def quoted_label(label: str, limit: int = MAX_LABEL) -> str:
    """Return a name, a tag or a path as it is if it is one short word, else cut and in quotes.

    A label that others wrote cannot pass for Ghost's own words then."""
    return (
        visible(label)
        if len(label) <= limit and not re.search(r"[\s\[\]\"]", label)
        else f'"{first_line(visible(label).replace(chr(34), chr(39)), limit)}"'
    )


def summary_line(content: str, limit: int) -> str:
    """Return the start of a markdown text on one line, without block marks."""
    return first_line(re.sub(_BLOCKS, " ", content[: limit * 4]), limit)


def snippet(text: str, start: int | None, stop: int | None, limit: int) -> str:
    """Return a text on one line: at most `limit` characters, around text[start:stop] if given."""
    from ghostmem.text.fit import fit  # most callers of this module need no snippet

    part = fit(text, start or 0, stop or 0, limit, lambda part: len(_one_line(part)))
    return _one_line(text)[:limit] if part is None else _one_line(part)


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def first_line(content: str, limit: int) -> str:
    """Return the start of a text on one line, with an ellipsis if it was cut at a word."""
    line = _one_line(content[: limit * 4])
    if len(line) <= limit and len(content) <= limit * 4:
        return line
    cut = line[: limit - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip() + "…"
