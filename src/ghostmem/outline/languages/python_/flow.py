"""Python expressions that open a scope or a block, parameters of functions, and tests of names."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.python_.assignments import target
from ghostmem.outline.languages.python_.expressions import HANDLERS, type_of, using, value
from ghostmem.outline.languages.python_.tables import LATE, PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node

_RETURNED = re.compile(r":rtype:[ \t]*([^\n]+)")
_TYPED = re.compile(r":type[ \t]+\*{0,2}(\w+):[ \t]*([^\n]+)")
_PARAM = re.compile(r":param[ \t]+([\w.]+)[ \t]+\*{0,2}(\w+):")
_ROLE = re.compile(r":\w+:`[~!]?([\w.]+)`|`+[~!]?([\w.]+)`+")
_DOTTED = re.compile(r"[A-Za-z_][\w.]*$")


def parameters(t: PythonTables, node: "Node | None", scope: int, function: int) -> list[list[Any]]:
    """Bind the parameters of a function in its scope.

    Return each one's name, star and whether it can be positional.

    Annotations belong to the function, defaults are evaluated where it is defined.
    """
    listed: list[list[Any]] = []
    if node is None:
        return listed
    positional = True
    for child in node.named_children:
        if child.type == "keyword_separator":
            positional = False
            continue
        named = _named(child)
        if named is None:
            continue
        star = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}.get(named.type, "")
        word = nth(named, 0) if star else named
        if word is None or word.type != "identifier":
            continue
        annotation = _annotation(t, child.child_by_field_name("type"), function)
        default = (
            value(t, child.child_by_field_name("value"))
            if child.child_by_field_name("value") is not None
            else -1
        )
        bound = ["par", word.start_byte, -1, [len(listed), star, annotation, default], function, -1]
        t.scopes[scope]["names"].setdefault(t.text(word), []).append(bound)
        listed.append([t.text(word), star, positional])
        positional = positional and not star
    return listed


def _named(node: "Node") -> "Node | None":
    if node.type in ("identifier", "list_splat_pattern", "dictionary_splat_pattern"):
        return node
    if node.type == "typed_parameter":
        return nth(node, 0)
    return (
        node.child_by_field_name("name")
        if node.type in ("default_parameter", "typed_default_parameter")
        else None
    )


def _annotation(t: PythonTables, node: "Node | None", function: int) -> int:
    owner = t.owner
    t.owner = function if function >= 0 else owner
    row = type_of(t, node)
    t.owner = owner
    return row


def documented(t: PythonTables, body: "Node | None") -> dict[str, list[int]]:
    """Return the types that a docstring gives parameters and, under an empty name, the result."""
    first = nth(body, 0) if body is not None else None
    string = nth(first, 0) if first is not None and first.type == "expression_statement" else None
    if string is None or string.type != "string":
        return {}
    text = t.text(string)
    if ":" not in text:
        return {}
    found = [("", said) for said in _RETURNED.findall(text)] + _TYPED.findall(text)
    found += [(name, said) for said, name in _PARAM.findall(text)]
    types: dict[str, list[int]] = {}
    for name, said in found:
        for one in said.strip().rstrip(".").split(" or "):
            role = _ROLE.fullmatch(one.strip())
            dotted = (role.group(1) or role.group(2)) if role else one.strip()
            if _DOTTED.match(dotted):
                types.setdefault(name, []).append(t.add("doc", dotted))
    return types


def narrow(
    t: PythonTables, node: "Node | None", block: int, pos: int, *, holds: bool = True
) -> None:
    """Note the class of a name that a condition tells where it holds, or where it does not."""
    while node is not None and node.type == "parenthesized_expression":
        node = nth(node, 0)
    if node is None:
        return
    joining = "and" if holds else "or"
    if node.type == "boolean_operator" and any(child.type == joining for child in node.children):
        for side in ("left", "right"):
            narrow(t, node.child_by_field_name(side), block, pos, holds=holds)
    elif node.type == "not_operator" and not holds:
        narrow(t, node.child_by_field_name("argument"), block, pos)
    elif (test := tested(t, node)) is not None:
        name, classes = test
        before = min(node.start_byte, pos - 1) if holds else node.start_byte
        known = t.add("n", name, t.scope, t.block, before)
        t.narrow(name, block, pos, classes, known, less=not holds)


def tested(t: PythonTables, node: "Node | None") -> tuple[str, int] | None:
    """Return the name that an isinstance call tests, and the row of the classes."""
    if node is None or node.type != "call":
        return None
    function, arguments = (
        node.child_by_field_name("function"),
        node.child_by_field_name("arguments"),
    )
    if (
        function is None
        or arguments is None
        or function.type != "identifier"
        or t.text(function) != "isinstance"
    ):
        return None
    parts = arguments.named_children
    if len(parts) != 2 or parts[0].type != "identifier":
        return None
    refs = len(t.refs)
    row = using(t, parts[1])
    del t.refs[refs:]  # the call itself notes them
    return t.text(parts[0]), row


def _boolean(t: PythonTables, node: "Node") -> int:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    first = value(t, left)
    block = t.block
    sign = node.child_by_field_name("operator")
    if sign is not None and sign.type == "and" and right is not None:
        t.block = t.new_block(block)
        narrow(t, left, t.block, right.start_byte - 1)
    second = value(t, right)
    t.block = block
    return t.add("o", [first, second])


def _conditional(t: PythonTables, node: "Node") -> int:
    parts = [child for child in node.named_children if child.type != "comment"]
    if len(parts) != 3:
        return value(t, parts[0]) if parts else 0
    value(t, parts[1])
    block = t.block
    t.block = t.new_block(block)
    narrow(t, parts[1], t.block, parts[0].start_byte - 1)
    first = value(t, parts[0])
    t.block = block
    return t.add("o", [first, value(t, parts[2])])


def _lambda(t: PythonTables, node: "Node") -> int:
    outer, me, block = t.scope, t.me, t.block
    scope = t.new_scope("function", outer, t.owner)
    listed = parameters(t, node.child_by_field_name("parameters"), scope, -1)
    t.scope, t.block = scope, t.new_block(-1)
    if me is not None and any(one[0] == me[0] for one in listed):
        t.me = None
    row = value(t, node.child_by_field_name("body"))
    t.scope, t.me, t.block = outer, me, block
    return t.add("lam", row)


def _comprehension(kind: str) -> Callable[[PythonTables, "Node"], int]:
    def handle(t: PythonTables, node: "Node") -> int:
        outer, block = t.scope, t.block
        scope = t.new_scope("comp", outer, t.owner)
        t.block = t.new_block(block)
        for child in node.named_children:
            if child.type == "for_in_clause":
                rows = [value(t, one) for one in child.children_by_field_name("right")]
                t.scope = scope
                element = t.add("i", rows[0] if len(rows) == 1 else t.add("t", rows))
                target(t, child.child_by_field_name("left"), element, child.start_byte)
            elif child.type == "if_clause":
                t.scope = scope
                value(t, nth(child, 0))
                narrow(t, nth(child, 0), t.block, child.start_byte)
        t.scope = scope
        # the body is evaluated after the clauses, though it is written before them
        body = node.child_by_field_name("body")
        rows = [
            _late(t, one)
            for one in (body.named_children if body is not None and body.type == "pair" else [body])
        ]
        t.scope, t.block = outer, block
        return t.add("comp", kind, rows)

    return handle


def _late(t: PythonTables, node: "Node | None") -> int:
    start = len(t.exprs)
    row = value(t, node)
    table = t.scopes[t.scope]
    for number, one in enumerate(t.exprs[start:], start):
        if (
            one[0] == "n"
            and one[2] == t.scope
            and (one[1] in table["names"] or one[1] in table["narrow"])
        ):
            t.exprs[number] = (*one[:4], LATE)
    return row


def _walrus(t: PythonTables, node: "Node") -> int:
    row = value(t, node.child_by_field_name("value"))
    word = node.child_by_field_name("name")
    scope = t.scope
    while t.scopes[t.scope]["kind"] == "comp":
        t.scope = t.scopes[t.scope]["parent"]
    if word is not None:
        t.bind(t.text(word), "val", node.start_byte, row)
    t.scope = scope
    return row


HANDLERS.update(
    {
        "boolean_operator": _boolean,
        "conditional_expression": _conditional,
        "lambda": _lambda,
        "list_comprehension": _comprehension("list"),
        "set_comprehension": _comprehension("set"),
        "generator_expression": _comprehension("iterator"),
        "dictionary_comprehension": _comprehension("dict"),
        "named_expression": _walrus,
    }
)
