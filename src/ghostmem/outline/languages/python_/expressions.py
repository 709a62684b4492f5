"""Python expressions: every name, attribute and call becomes a row of the table and, where it may
leave the file, a reference.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.python_.tables import PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_LEVELS = 120  # levels of nesting that are followed; Python itself stops at 200 brackets


def value(t: PythonTables, node: "Node | None") -> int:
    """Return the row of an expression, having noted its references."""
    if node is None:
        return 0
    if t.depth > MAX_LEVELS:
        if not t.facts.errors or t.facts.errors[-1] != t.at(node):
            t.facts.errors.append(t.at(node))
        return 0
    t.depth += 1
    row = HANDLERS.get(node.type, _children)(t, node)
    t.depth -= 1
    return row


def type_of(t: PythonTables, node: "Node | None") -> int:
    """Return the row of an annotation: its names are uses, its strings are types."""
    if node is None:
        return -1
    kind, quoted = t.kind, t.quoted
    t.kind, t.quoted = "uses", True
    row = value(t, node)
    t.kind, t.quoted = kind, quoted
    return row


def using(t: PythonTables, node: "Node | None") -> int:
    """Return the row of an expression whose names are classes, as in an except clause."""
    kind, t.kind = t.kind, "uses"
    row = value(t, node)
    t.kind = kind
    return row


def _children(t: PythonTables, node: "Node") -> int:
    for child in node.named_children:
        value(t, child)
    return 0


def _only(t: PythonTables, node: "Node") -> int:
    rows = [value(t, child) for child in node.named_children if child.type != "comment"]
    return rows[0] if len(rows) == 1 else 0


def _identifier(t: PythonTables, node: "Node") -> int:
    word = t.text(node)
    row = t.name(word, node)
    t.ref(t.kind, word, t.at(node), row)
    return row


def _attribute(t: PythonTables, node: "Node") -> int:
    row = attribute(t, node)
    t.ref(t.kind, t.short(node), t.at(node.child_by_field_name("attribute") or node), row)
    return row


def attribute(t: PythonTables, node: "Node") -> int:
    """Return the row of an attribute without noting a read of it.

    Its owner is read.
    """
    kind = t.kind
    if kind == "uses" and t.offset is None and not t.quoted:
        t.kind = "accesses"
    owner = node.child_by_field_name("object")
    if t.kind == "uses" and owner is not None and owner.type == "identifier":
        row = t.name(t.text(owner), owner)
    else:
        row = value(t, owner)
    t.kind = kind
    word = node.child_by_field_name("attribute")
    return t.add("a", row, t.text(word) if word is not None else "")


def callee(t: PythonTables, node: "Node | None") -> int:
    """Return the row of a called expression, without noting a read of it."""
    if node is None:
        return 0
    if node.type == "identifier":
        return t.name(t.text(node), node)
    if node.type == "attribute":
        t.depth += 1
        row = attribute(t, node) if t.depth < MAX_LEVELS else 0
        t.depth -= 1
        return row
    return value(t, node)


def note_call(t: PythonTables, function: "Node", row: int) -> None:
    """Note a call at the line of the name that is called."""
    word = function.child_by_field_name("attribute") if function.type == "attribute" else function
    t.ref("calls", t.short(function), t.at(word or function), row)


def _call(t: PythonTables, node: "Node") -> int:
    function = node.child_by_field_name("function")
    kind, quoted = t.kind, t.quoted
    if kind == "uses":
        t.kind, t.quoted = "accesses", False
    target = callee(t, function)
    op, *operands = t.exprs[target]
    name = operands[1] if op == "a" else operands[0] if op == "n" else ""
    arguments, keywords = _arguments(t, node.child_by_field_name("arguments"), name)
    t.kind, t.quoted = kind, quoted
    row = t.add("c", target, arguments, keywords)
    if function is not None:
        if name in ("append", "add", "appendleft") and len(arguments) == 1:
            container = function.child_by_field_name("object")
            t.fill(container, t.add("l", arguments), node.end_byte)
        note_call(t, function, row)
    return row


def _arguments(
    t: PythonTables, node: "Node | None", called: str
) -> tuple[list[int], list[list[Any]]]:
    """Return the rows of positional arguments, and pairs of keyword and row."""
    if node is None:
        return [], []
    if node.type != "argument_list":
        return [value(t, node)], []
    rows: list[int] = []
    keywords: list[list[Any]] = []
    given = [child for child in node.named_children if child.type != "comment"]
    for position, child in enumerate(given):
        if child.type == "keyword_argument":
            name = child.child_by_field_name("name")
            row = value(t, child.child_by_field_name("value"))
            keywords.append([t.text(name) if name is not None else "", row])
        elif child.type in ("list_splat", "dictionary_splat"):
            value(t, child)
            keywords.append(["*", 0])
        else:
            rows.append(_READERS.get((called, position), value)(t, child))
    return rows, keywords


# by the name of a function and the position of an argument
_READERS = {("cast", 0): type_of, ("isinstance", 1): using, ("issubclass", 1): using}


def _subscript(t: PythonTables, node: "Node") -> int:
    base = value(t, node.child_by_field_name("value"))
    parts = node.children_by_field_name("subscript")
    indexes = _indexes(t, parts, t.exprs[base][-1] in ("Literal", "Annotated"))
    return base if any(child.type == "slice" for child in parts) else t.index(base, indexes)


def _generic(t: PythonTables, node: "Node") -> int:
    base = value(t, nth(node, 0))
    parts = [child for part in node.named_children[1:] for child in part.named_children]
    return t.index(base, _indexes(t, parts, t.exprs[base][-1] == "Literal"))


def _indexes(t: PythonTables, parts: list["Node"], has_values: bool) -> list[int]:
    """Return the rows of the parts of an index; in one that has values, strings are no types."""
    quoted = t.quoted
    t.quoted = quoted and not has_values
    rows = [value(t, child) for child in parts]
    t.quoted = quoted
    return rows


# by the kind of a node; literals.py and flow.py add to them
HANDLERS: dict[str, Callable[[PythonTables, "Node"], int]] = {
    "identifier": _identifier,
    "attribute": _attribute,
    "call": _call,
    "subscript": _subscript,
    "generic_type": _generic,
    "comment": lambda _t, _node: 0,
    "type": _only,
    "parenthesized_expression": _only,
    "await": _only,
    "unary_operator": _only,
}
