"""Edit JSON with or without comments in place.

The nodes of a document know their positions. An edit replaces the text at one position and keeps
every other byte: order, indentation, comments, trailing commas, unknown keys. If a key occurs
twice, the last one counts, as in other readers.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from ghostmem.errors import InvalidInputError
from ghostmem.setup.json_nodes import SPACE, Child, JsonNode, position, read

Path = Sequence[str | int]

# comments at the end of the line they describe
_LINE_REST = re.compile(r"(?:[ \t]*(?:/\*[^\n]*?\*/|//[^\n]*))*")


def load(text: str, comments: bool = False) -> Any:
    """Return the value of a document, or None if it has only spaces and comments."""
    node = read(text, comments)
    return None if node is None else node.value


def merge(text: str, path: Path, value: Any, comments: bool = False) -> str:
    """Set the value at a path and create missing objects; other keys of an object stay."""
    node = read(text, comments)
    if node is None or (node.value is None and path):
        return _document(text, node, path, value)
    for depth, key in enumerate(path):
        if not isinstance(key, int) and node.value is None:
            return _replace(text, node, _nest(path[depth:], value))
        found = _child(node, key)
        if found is None:
            if not isinstance(node.value, dict):
                _refuse(text, node, f"{_named(path[:depth])} is not an object")
            return _insert(text, node, str(key), _nest(path[depth + 1 :], value))
        node = found.node
    if isinstance(value, dict) and isinstance(node.value, dict):
        for key, part in value.items():
            text = merge(text, (*path, key), part, comments)
        return text
    return text if _same(node.value, value) else _replace(text, node, value)


def append(text: str, path: Path, value: Any, comments: bool = False) -> str:
    """Append an item to the array at a path; a missing array is created."""
    node = _find(text, path, comments)
    if node is None or node.value is None:
        return merge(text, path, [value], comments)
    if not isinstance(node.value, list):
        _refuse(text, node, f"{_named(path)} is not an array")
    return _insert(text, node, None, value)


def replace(text: str, path: Path, value: Any, comments: bool = False) -> str:
    """Replace the whole value at a path."""
    node = _find(text, path, comments)
    return text if node is None or _same(node.value, value) else _replace(text, node, value)


def remove(text: str, path: Path, comments: bool = False) -> str:
    """Remove the value at a path with its comma and its line."""
    parent = _find(text, path[:-1], comments)
    child = None if parent is None else _child(parent, path[-1])
    if parent is None or child is None:
        return text
    at = parent.children.index(child)
    start = child.start
    while text[start - 1] in " \t":
        start -= 1
    own_line = text[start - 1] == "\n"
    if own_line:
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    end = child.node.end if child.comma < 0 else child.comma + 1
    # The rest of the line must not become part of a comment on the line before.
    if own_line and text[end:].partition("\n")[0].strip():
        start, end = child.start, len(text) - len(text[end:].lstrip(" \t"))
    before = text[:start]
    if child.comma < 0 and at > 0:
        comma = parent.children[at - 1].comma
        before = text[:comma] + text[comma + 1 : start]
    elif not own_line and at == 0:
        end = SPACE.match(text, end).end()  # type: ignore[union-attr]
    after = text[end:]
    if (
        len(parent.children) == 1
        and not before[parent.start + 1 :].strip()
        and not text[end : parent.end - 1].strip()
    ):
        before, after = before[: parent.start + 1], text[parent.end - 1 :]
    return before + after


def dump(value: Any, unit: str = "  ", indent: str = "", line_end: str = "\n") -> str:
    """Return a value as JSON: an object on several lines, a list of plain values on one."""
    inner = indent + unit
    if isinstance(value, dict) and value:
        rows = [f"{_text(key)}: {dump(part, unit, inner, line_end)}" for key, part in value.items()]
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        rows = [dump(part, unit, inner, line_end) for part in value]
    else:
        return _text(value)
    first, last = "{}" if isinstance(value, dict) else "[]"
    body = f",{line_end}".join(inner + row for row in rows)
    return f"{first}{line_end}{body}{line_end}{indent}{last}"


# ---------------------------------------------------------------- writing


def _document(text: str, node: JsonNode | None, path: Path, value: Any) -> str:
    """Write the first object into a file that is empty, or has only comments or null."""
    line_end = _line_end(text)
    made = dump(_nest(path, value), "  ", "", line_end)
    if node is not None:
        return text[: node.start] + made + text[node.end :]
    kept = text if not text or text.endswith("\n") else text + line_end
    return (kept if text.strip() else "") + made + line_end


def _insert(text: str, parent: JsonNode, key: str | None, value: Any) -> str:
    """Add a member or an item after the others, in their style."""
    label = "" if key is None else f"{_text(key)}: "
    line_end, unit = _line_end(text), _unit(text)
    if not parent.children:
        if "\n" not in text.strip() and text.strip() != text[parent.start : parent.end]:
            return _flat(text, parent.start + 1, "", label, value, "")
        outer = _indent(text, parent.start)
        inner = text[parent.start + 1 : parent.end - 1].rstrip()
        shown = dump(value, unit, outer + unit, line_end)
        made = f"{line_end}{outer}{unit}{label}{shown}{line_end}{outer}"
        return text[: parent.start + 1] + inner + made + text[parent.end - 1 :]
    last = parent.children[-1]
    trailing = "," if last.comma >= 0 else ""
    if text[: last.start].rpartition("\n")[2].strip() or "\n" not in text[: last.start]:
        at = last.node.end if last.comma < 0 else last.comma + 1
        return _flat(text, at, "" if trailing else ",", label, value, trailing)
    indent = _indent(text, last.start)
    made = line_end + indent + label + dump(value, unit, indent, line_end) + trailing
    start = last.node.end if last.comma < 0 else last.comma + 1
    stop = _LINE_REST.match(text, start).end()  # type: ignore[union-attr]
    stop -= text[stop - 1] == "\r"
    comma = "" if trailing else ","
    return text[: last.node.end] + comma + text[last.node.end : stop] + made + text[stop:]


def _flat(text: str, at: int, before: str, label: str, value: Any, after: str) -> str:
    """Add to a container on one line, with spaces if the file uses them."""
    spaced = '": ' in text or '":' not in text
    made = json.dumps(value, ensure_ascii=False, separators=(", ", ": ") if spaced else (",", ":"))
    gap = " " if spaced and text[at - 1] not in "{[" else ""
    return (
        text[:at] + before + gap + (label if spaced else label.rstrip()) + made + after + text[at:]
    )


def _replace(text: str, node: JsonNode, value: Any) -> str:
    flat = "\n" not in text.strip()
    made = (
        json.dumps(value, ensure_ascii=False)
        if flat
        else dump(value, _unit(text), _indent(text, node.start), _line_end(text))
    )
    return text[: node.start] + made + text[node.end :]


def _nest(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _same(left: Any, right: Any) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _indent(text: str, at: int) -> str:
    """Return the indentation of the line at a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return the indentation unit of the document: a tab, or the spaces of its first such line."""
    found = re.search(r"\n([ \t]+)[\"\]}\[{]", text)
    return "  " if found is None else "\t" if found[1].startswith("\t") else found[1][:8]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# ---------------------------------------------------------------- finding


def _find(text: str, path: Path, comments: bool) -> JsonNode | None:
    node = read(text, comments)
    for key in path:
        found = None if node is None else _child(node, key)
        node = None if found is None else found.node
    return node


def _child(node: JsonNode, key: str | int) -> Child | None:
    if isinstance(node.value, dict) != isinstance(key, str):
        return None
    return next((child for child in reversed(node.children) if child.key == key), None)


def _named(path: Path) -> str:
    return ".".join(map(str, path)) or "the document"


def _refuse(text: str, node: JsonNode, reason: str) -> NoReturn:
    raise InvalidInputError(
        f"{position(text, node.start)}: {reason}", "fix it by hand, or paste what --print shows"
    )
