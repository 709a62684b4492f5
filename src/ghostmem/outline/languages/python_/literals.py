"""Python literals, displays and operators: rows of the table with the types that they tell."""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from ghostmem.outline.languages.python_.expressions import HANDLERS, value
from ghostmem.outline.languages.python_.tables import PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_SAMPLE = 6  # elements of a display whose types are kept
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]{0,80}$")
_OPERATORS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "|": "__or__",
    "&": "__and__",
    "^": "__xor__",
    "@": "__matmul__",
    "<<": "__lshift__",
    ">>": "__rshift__",
    "**": "__pow__",
}


@cache
def parser() -> "Parser":
    """Return a parser for types that stand in strings."""
    import tree_sitter_python
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_python.language()))


def _string(t: PythonTables, node: "Node") -> int:
    if t.quoted and t.offset is None:
        return _quoted(t, node)
    for child in node.named_children:
        if child.type == "interpolation":
            value(t, child)
    start = t.text(node.children[0]).lower() if node.children else ""
    if "b" in start:
        return t.add("k", "bytes", "")
    content = nth(node, 1)
    is_short = (
        content is not None
        and content.type == "string_content"
        and content.end_byte - content.start_byte < 80
    )
    text = t.text(content) if content is not None and is_short else ""
    return t.add("k", "str", text if _IDENTIFIER.match(text) else "")


def _quoted(t: PythonTables, node: "Node") -> int:
    content = b"".join(
        child.text or b"" for child in node.named_children if child.type == "string_content"
    )
    if not content or len(content) > 2000:
        return 0
    text, outer = b"(" + content.strip() + b")", t.source
    root = parser().parse(text).root_node
    statement = nth(root, 0)
    if root.has_error or statement is None:
        return 0
    t.offset, t.quoted_line, t.source = node.start_byte, t.line(node.start_byte), text
    row = value(t, nth(statement, 0))
    t.offset, t.source = None, outer
    return row


def _joined(t: PythonTables, node: "Node") -> int:
    rows = [value(t, child) for child in node.named_children if child.type == "string"]
    return rows[0] if rows else 0


def _literal(kind: str) -> Callable[[PythonTables, "Node"], int]:
    return lambda t, _node: t.add("k", kind, "")


def _display(op: str) -> Callable[[PythonTables, "Node"], int]:
    def handle(t: PythonTables, node: "Node") -> int:
        rows = [value(t, child) for child in node.named_children if child.type != "comment"]
        return t.add(op, rows if op == "t" else _sample(t, rows))

    return handle


def _dictionary(t: PythonTables, node: "Node") -> int:
    keys, values = [], []
    for pair in node.named_children:
        if pair.type != "pair":
            value(t, pair)
            continue
        keys.append(value(t, pair.child_by_field_name("key")))
        values.append(value(t, pair.child_by_field_name("value")))
    return t.add("d", _sample(t, keys), _sample(t, values))


def _sample(t: PythonTables, rows: list[int]) -> list[int]:
    """Return the rows that tell the types of the elements of a display.

    Of many names a few would be a table of calls with holes, so none.
    """
    if len(rows) <= _SAMPLE:
        return rows
    return [row for row in rows[:_SAMPLE] if t.exprs[row][0] not in ("n", "a")]


def _binary(t: PythonTables, node: "Node") -> int:
    chain = []
    left: Node | None = node
    while left is not None and left.type == "binary_operator":
        chain.append(left)
        left = left.child_by_field_name("left")
    row = value(t, left)
    for operation in reversed(chain):
        sign = operation.child_by_field_name("operator")
        method = _OPERATORS.get(sign.type if sign is not None else "", "")
        row = t.add("b", row, value(t, operation.child_by_field_name("right")), method)
    return row


def _yield(t: PythonTables, node: "Node") -> int:
    parts = node.named_children
    row = value(t, parts[0]) if parts else 0
    if t.function is not None:
        whole = any(child.type == "from" for child in node.children)
        t.function["yields"].append(t.add("i", row) if whole else row)
    return 0


def _truth(t: PythonTables, node: "Node") -> int:
    for child in node.named_children:
        value(t, child)
    return t.add("k", "bool", "")


def _keyword(t: PythonTables, node: "Node") -> int:
    value(t, node.child_by_field_name("value"))
    return 0


HANDLERS.update(
    {
        "string": _string,
        "concatenated_string": _joined,
        "integer": lambda t, node: t.add("k", "int", t.short(node)[:4]),
        "float": _literal("float"),
        "true": _literal("bool"),
        "false": _literal("bool"),
        "none": _literal("None"),
        "list": _display("l"),
        "tuple": _display("t"),
        "expression_list": _display("t"),
        "set": _display("S"),
        "dictionary": _dictionary,
        "binary_operator": _binary,
        "not_operator": _truth,
        "comparison_operator": _truth,
        "yield": _yield,
        "keyword_argument": _keyword,
    }
)
