"""Python expressions: every name, attribute and call becomes a row of the table and, where it may
leave the file, a reference.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.python_.tables import ELSEWHERE, FILLED, PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

DEEPEST = 120  # levels of nesting that are followed; Python itself stops at 200 brackets
_SAMPLE = 6  # elements of a display whose types are kept
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]{0,80}$")
_OPERATORS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
}
_OPERATORS |= {
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


def value(t: PythonTables, node: "Node | None") -> int:
    """Return the row of an expression, having noted what it refers to."""
    if node is None:
        return 0
    if t.depth > DEEPEST:
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

    What it is an attribute of is read.
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
    """Return the row of what is called, without noting a read of it."""
    if node is None:
        return 0
    if node.type == "identifier":
        return t.name(t.text(node), node)
    if node.type == "attribute":
        t.depth += 1
        row = attribute(t, node) if t.depth < DEEPEST else 0
        t.depth -= 1
        return row
    return value(t, node)


def note_call(t: PythonTables, function: "Node", row: int) -> None:
    """Note a call at the line of the name that is called."""
    word = function.child_by_field_name("attribute") if function.type == "attribute" else function
    t.ref("calls", t.short(function), t.at(word or function), row)


def _call(t: PythonTables, node: "Node") -> int:
    function, arguments = (
        node.child_by_field_name("function"),
        node.child_by_field_name("arguments"),
    )
    kind, quoted = t.kind, t.quoted
    if kind == "uses":
        t.kind, t.quoted = "accesses", False
    target = callee(t, function)
    called = t.exprs[target]
    word = called[2] if called[0] == "a" else called[1] if called[0] == "n" else ""
    args: list[int] = []
    keywords: list[list[Any]] = []
    if arguments is not None and arguments.type == "argument_list":
        given = [child for child in arguments.named_children if child.type != "comment"]
        for position, one in enumerate(given):
            _argument(t, one, position, word, args, keywords)
    elif arguments is not None:
        args.append(value(t, arguments))
    t.kind, t.quoted = kind, quoted
    row = t.add("c", target, args, keywords)
    if word in ("append", "add", "appendleft") and len(args) == 1 and function is not None:
        _fill(t, function.child_by_field_name("object"), t.add("l", args), node.end_byte)
    if function is not None:
        note_call(t, function, row)
    return row


def _fill(t: PythonTables, node: "Node | None", row: int, pos: int) -> None:
    """Note what a container is given later: a local one, or one that the first parameter of a
    method has.
    """
    if node is None:
        return
    if node.type == "identifier" and t.text(node) in t.scopes[t.scope]["names"]:
        t.scopes[t.scope]["names"][t.text(node)].append(["fill", pos, ELSEWHERE, row, -1, -1])
    elif node.type == "attribute" and t.me is not None:
        owner, word = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if (
            owner is not None
            and word is not None
            and owner.type == "identifier"
            and t.text(owner) == t.me[0]
        ):
            t.facts.symbols[t.me[1]].detail["attrs"].setdefault(t.text(word), []).append(
                [FILLED, row]
            )


def _argument(
    t: PythonTables,
    node: "Node",
    position: int,
    word: str,
    args: list[int],
    keywords: list[list[Any]],
) -> None:
    kind = node.type
    if kind == "keyword_argument":
        name = node.child_by_field_name("name")
        keywords.append(
            [t.text(name) if name is not None else "", value(t, node.child_by_field_name("value"))]
        )
    elif kind in ("list_splat", "dictionary_splat"):
        value(t, node)
        keywords.append(["*", 0])
    elif word == "cast" and position == 0:
        args.append(type_of(t, node))
    elif word in ("isinstance", "issubclass") and position == 1:
        args.append(using(t, node))
    else:
        args.append(value(t, node))


def _subscript(t: PythonTables, node: "Node") -> int:
    base = value(t, node.child_by_field_name("value"))
    quoted = t.quoted
    if t.exprs[base][-1] in ("Literal", "Annotated"):
        t.quoted = False
    parts = node.children_by_field_name("subscript")
    indexes = [value(t, child) for child in parts]
    t.quoted = quoted
    if any(child.type == "slice" for child in parts):
        return base
    return t.add("s", base, indexes[0] if len(indexes) == 1 else t.add("t", indexes))


def _generic(t: PythonTables, node: "Node") -> int:
    rest = node.named_children[1:]
    row = value(t, nth(node, 0))
    quoted = t.quoted
    if t.exprs[row][-1] == "Literal":
        t.quoted = False
    indexes = [value(t, child) for part in rest for child in part.named_children]
    t.quoted = quoted
    return t.add("s", row, indexes[0] if len(indexes) == 1 else t.add("t", indexes))


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
    text = (
        t.text(content)
        if content is not None
        and content.type == "string_content"
        and content.end_byte - content.start_byte < 80
        else ""
    )
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
    t.offset, t.line, t.source = node.start_byte, t.line_of(node.start_byte), text
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
        return t.add(op, rows if op == "t" else sample(t, rows))

    return handle


def _dictionary(t: PythonTables, node: "Node") -> int:
    keys, values = [], []
    for pair in node.named_children:
        if pair.type != "pair":
            value(t, pair)
            continue
        keys.append(value(t, pair.child_by_field_name("key")))
        values.append(value(t, pair.child_by_field_name("value")))
    return t.add("d", sample(t, keys), sample(t, values))


def sample(t: PythonTables, rows: list[int]) -> list[int]:
    """Return the rows that tell what a display holds.

    Of many names a few would be a table of calls with holes, so none.
    """
    return (
        rows
        if len(rows) <= _SAMPLE
        else [row for row in rows[:_SAMPLE] if t.exprs[row][0] not in ("n", "a")]
    )


def _binary(t: PythonTables, node: "Node") -> int:
    chain = []
    at: Node | None = node
    while at is not None and at.type == "binary_operator":
        chain.append(at)
        at = at.child_by_field_name("left")
    row = value(t, at)
    for one in reversed(chain):
        sign = one.child_by_field_name("operator")
        method = _OPERATORS.get(sign.type if sign is not None else "", "")
        row = t.add("b", row, value(t, one.child_by_field_name("right")), method)
    return row


def _yield(t: PythonTables, node: "Node") -> int:
    parts = node.named_children
    row = value(t, parts[0]) if parts else 0
    if t.function is not None:
        whole = any(child.type == "from" for child in node.children)
        t.function["yields"].append(t.add("i", row) if whole else row)
    return 0


def _not(t: PythonTables, node: "Node") -> int:
    _children(t, node)
    return t.add("k", "bool", "")


def _slice_or_keyword(t: PythonTables, node: "Node") -> int:
    value(t, node.child_by_field_name("value"))
    return 0


def target(t: PythonTables, node: "Node | None", row: int, pos: int) -> None:
    """Bind what an assignment, a loop or a with statement gives a value to."""
    if node is None or t.depth > DEEPEST:
        return
    if node.type == "identifier":
        t.bind(t.text(node), "val", pos, row)
    elif node.type == "attribute":
        store(t, node, -1, row)
    elif node.type in (
        "pattern_list",
        "tuple_pattern",
        "list_pattern",
        "tuple",
        "list",
        "expression_list",
    ):
        t.depth += 1
        for index, child in enumerate(
            child for child in node.named_children if child.type != "comment"
        ):
            target(t, child, t.add("u", row, index), pos)
        t.depth -= 1
    elif node.type in ("list_splat_pattern", "list_splat"):
        target(t, nth(node, 0), t.add("l", []), pos)
    elif node.type in ("parenthesized_expression", "as_pattern_target"):
        target(t, nth(node, 0), row, pos)
    elif node.type == "subscript" and (inner := node.child_by_field_name("subscript")) is not None:
        value(t, node)
        key = t.add("k", "str", "") if inner.type == "string" else 0
        _fill(t, node.child_by_field_name("value"), t.add("d", [key], [row]), pos)
    else:
        value(t, node)


def store(t: PythonTables, node: "Node", annotation: int, row: int) -> None:
    """Note a write of an attribute.

    One of the first parameter of a method tells what the class's instances have.
    """
    written = attribute(t, node)
    t.ref("assigns", t.short(node), t.at(node), written)
    owner, word = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if (
        t.me is None
        or owner is None
        or word is None
        or owner.type != "identifier"
        or t.text(owner) != t.me[0]
    ):
        return
    attrs = t.facts.symbols[t.me[1]].detail["attrs"]
    attrs.setdefault(t.text(word), []).append([annotation, row])


# what each kind of node is; flow.py adds those that open scopes and blocks
HANDLERS: dict[str, Callable[[PythonTables, "Node"], int]] = {
    "identifier": _identifier,
    "attribute": _attribute,
    "call": _call,
    "subscript": _subscript,
    "generic_type": _generic,
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
    "not_operator": _not,
    "comparison_operator": _not,
    "yield": _yield,
    "keyword_argument": _slice_or_keyword,
    "comment": lambda _t, _node: 0,
    "type": _only,
    "parenthesized_expression": _only,
    "await": _only,
    "unary_operator": _only,
}
