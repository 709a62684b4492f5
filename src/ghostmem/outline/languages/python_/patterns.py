"""Python's match statement: the names that patterns bind and the classes that they name."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ghostmem.outline.languages.python_.expressions import MAX_LEVELS, value
from ghostmem.outline.languages.python_.tables import PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node


def match(
    t: PythonTables, node: "Node", branch: Callable[[PythonTables, "Node | None"], int]
) -> None:
    """Walk a match statement; each case is a block of its own."""
    subjects = node.children_by_field_name("subject")
    rows = [value(t, one) for one in subjects]
    subject = t.text(subjects[0]) if len(subjects) == 1 and subjects[0].type == "identifier" else ""
    body = node.child_by_field_name("body")
    for case in body.named_children if body is not None else ():
        if case.type != "case_clause":
            continue
        outer = t.block
        t.block = t.new_block(outer)
        for pattern in (one for one in case.named_children if one.type == "case_pattern"):
            _top(t, pattern, subject, rows[0] if len(rows) == 1 else 0)
        guard = case.child_by_field_name("guard")
        if guard is not None:
            value(t, nth(guard, 0))
        branch(t, case.child_by_field_name("consequence"))
        t.block = outer


def _top(t: PythonTables, node: "Node", subject: str, row: int) -> None:
    inner = nth(node, 0)
    classes = [found for found in _classes(t, inner) if found]
    if subject and classes:
        t.narrow(subject, t.block, node.start_byte, t.add("t", classes))
    _pattern(t, node, row)


def _classes(t: PythonTables, node: "Node | None") -> list[int]:
    """Return the rows of the classes that a pattern tests its subject against."""
    if node is None:
        return []
    if node.type == "class_pattern":
        return [_dotted(t, nth(node, 0), note=False)]
    if node.type in ("union_pattern", "as_pattern", "case_pattern"):
        parts = node.named_children[:1] if node.type == "as_pattern" else node.named_children
        return [found for child in parts for found in _classes(t, child)]
    return []


def _pattern(t: PythonTables, node: "Node", row: int) -> None:
    """Bind the names that a pattern captures, and note the classes and constants that it names."""
    if t.depth > MAX_LEVELS:
        return
    t.depth += 1
    parts = [child for child in node.named_children if child.type != "comment"]
    _PATTERNS.get(node.type, _unknown)(t, node, parts, row)
    t.depth -= 1


def _all(t: PythonTables, _node: "Node", parts: list["Node"], row: int) -> None:
    for child in parts:
        _pattern(t, child, row)


def _unknown(t: PythonTables, node: "Node", parts: list["Node"], _row: int) -> None:
    _all(t, node, parts, 0)


def _capture(t: PythonTables, node: "Node", parts: list["Node"], row: int) -> None:
    if len(parts) == 1:
        t.bind(t.text(node), "val", node.start_byte, row)
    else:
        _dotted(t, node, note=True)


def _class(t: PythonTables, node: "Node", parts: list["Node"], _row: int) -> None:
    _dotted(t, parts[0] if parts else None, note=True)
    _all(t, node, parts[1:], 0)


def _as(t: PythonTables, node: "Node", parts: list["Node"], row: int) -> None:
    if parts:
        _pattern(t, parts[0], row)
        found = _classes(t, parts[0])
        bound = t.add("exc", t.add("t", found)) if found else row
        t.bind(t.text(parts[-1]), "val", node.start_byte, bound)


def _splat(t: PythonTables, node: "Node", parts: list["Node"], _row: int) -> None:
    for child in parts:
        t.bind(t.text(child), "val", node.start_byte, t.add("l", []))


# by the kind of a pattern; others bind parts of unknown types
_PATTERNS = {
    "dotted_name": _capture,
    "class_pattern": _class,
    "keyword_pattern": lambda t, node, parts, _row: _all(t, node, parts[1:], 0),
    "as_pattern": _as,
    "splat_pattern": _splat,
    "case_pattern": _all,
    "union_pattern": _all,
}


def _dotted(t: PythonTables, node: "Node | None", note: bool) -> int:
    """Return the row of a dotted name."""
    words = [] if node is None else node.named_children
    if not words:
        return 0
    row = t.name(t.text(words[0]), words[0])
    for word in words[1:]:
        row = t.add("a", row, t.text(word))
    if note and node is not None:
        t.ref("accesses", t.short(node), t.at(node), row)
    return row
