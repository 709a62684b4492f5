"""One entry of a block mapping in a YAML file, changed in place by lines.

No YAML is parsed beyond what that takes.

The file must be block style down to our entry, as Goose writes it. What is not, or is broken where
we can see it, is refused."""

import json
import re
from collections.abc import Sequence
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.setup.yaml_lines import (
    ITEM,
    WORDS,
    Line,
    all_rows,
    behind_key,
    head_named,
    key_of,
    lines_below,
    lines_of,
    mapping_of,
    refuse,
    value_at,
)

_PLAIN = re.compile(r"[A-Za-z_/.][\w/.\\+@%:-]*(?<!:)")
_SPOKEN = {*WORDS, "yes", "no", "on", "off", "y", "n"}


def load(text: str) -> dict[str, Any]:
    """Return the mappings of a file as far as lines tell them, or say where it is broken."""
    return mapping_of(lines_of(text), 0)


def merge(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """Set the keys of an entry below a top-level mapping.

    Its other keys, and all other lines, stay.
    """
    made = _merged(text, path, value)
    before, after = load(text), load(made)
    entry = value_at(after, path)
    kept = {key: part for key, part in before.items() if key != path[0]} == {
        k: v for k, v in after.items() if k != path[0]
    }
    if (
        not kept
        or not isinstance(entry, dict)
        or any(value_at(entry, (key,)) is None for key in value)
    ):
        raise InvalidInputError(
            f"{path[0]} is written in a way that cannot be added to", "paste what --print shows"
        )
    return made


def _merged(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    top, name = path
    end = "\r\n" if "\r\n" in text else "\n"
    rows = all_rows(text)
    lines = lines_of(text)
    head = head_named(lines, top)
    if head is None:
        made = [f"{top}:{end}", *_entry(name, value, "  ", end)]
        return text + ("" if not text or text.endswith("\n") else end) + "".join(made)
    inline = behind_key(head)
    if inline in ("{}", "null", "~"):
        rows[head.number] = re.sub(r":\s*(?:\{\s*\}|null|~)", ":", rows[head.number], count=1)
    elif inline:
        refuse(head, f"{top} is written on one line")
    below = lines_below(lines, head)
    if below and ITEM.match(below[0].text):
        refuse(below[0], f"{top} is a list, not a mapping")
    entry = next(
        (line for line in below if line.indent == below[0].indent and key_of(line) == name), None
    )
    if entry is None:
        at = (below[-1] if below else head).number + 1
        if not rows[at - 1].endswith("\n"):
            rows[at - 1] += end
        return "".join(
            [
                *rows[:at],
                *_entry(name, value, " " * (below[0].indent if below else 2), end),
                *rows[at:],
            ]
        )
    if behind_key(entry):
        refuse(entry, f"{top}.{name} is written on one line")
    return _set(rows, lines, entry, value, end)


def remove(text: str, path: Sequence[str], made: bool = False) -> str:
    """Take an entry's lines out, and with `made` the mapping it was in when nothing is left in
    that.
    """
    top, name = path
    lines = lines_of(text)
    head = head_named(lines, top)
    below = lines_below(lines, head) if head else []
    entry = next(
        (line for line in below if line.indent == below[0].indent and key_of(line) == name), None
    )
    if head is None or entry is None:
        return text
    rows = all_rows(text)
    own = lines_below(lines, entry)
    alone = len(below) == len(own) + 1
    start, stop = entry.number, (own[-1] if own else entry).number + 1
    if alone and made:
        start = head.number
    elif alone:
        rows[head.number] = re.sub(r":(\s*)$", r": {}\1", rows[head.number])
    return "".join([*rows[:start], *rows[stop:]])


def block(path: Sequence[str], value: dict[str, Any]) -> str:
    """Write an entry with the mapping it stands in."""
    return f"{path[0]}:\n" + "".join(_entry(path[1], value, "  ", "\n"))


def _set(rows: list[str], lines: list[Line], entry: Line, value: dict[str, Any], end: str) -> str:
    """Set the keys of an entry that is there, each in its own lines."""
    own = lines_below(lines, entry)
    indent = " " * (own[0].indent if own else entry.indent + 2)
    present = mapping_of(own, own[0].indent) if own else {}
    changes: list[tuple[int, int, list[str]]] = []
    for key, part in value.items():
        new = (
            {**present[key], **part}
            if isinstance(part, dict) and isinstance(present.get(key), dict)
            else part
        )
        if key in present and present[key] == new:
            continue
        made = _entry(key, new, indent, end)
        line = next(
            (one for one in own if one.indent == own[0].indent and key_of(one) == key), None
        )
        at = (own[-1] if own else entry).number + 1 if line is None else line.number
        stop = (
            at if line is None else ([line, *lines_below(lines, line, lists=True)][-1]).number + 1
        )
        changes.append((at, stop, made))
    for at, stop, made in reversed(sorted(changes, key=lambda change: change[0])):  # noqa: C413 - those of one place stay in order
        if at and not rows[at - 1].endswith("\n"):
            rows[at - 1] += end
        rows[at:stop] = made
    return "".join(rows)


def _entry(key: str, value: Any, indent: str, end: str) -> list[str]:
    if isinstance(value, dict) and value:
        return [
            f"{indent}{key}:{end}",
            *(
                row
                for name, part in value.items()
                for row in _entry(name, part, indent + "  ", end)
            ),
        ]
    if isinstance(value, list) and value:
        return [f"{indent}{key}:{end}", *(f"{indent}- {_scalar(part)}{end}" for part in value)]
    return [f"{indent}{key}: {_scalar(value)}{end}"]


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _SPOKEN:
        return value
    return json.dumps(value, ensure_ascii=False)  # every JSON value is a YAML value
