"""Declaring functions, and the methods of object literals."""

from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.functions import function_of
from ghostmem.outline.languages.ecma_.tables import FUNCTIONS, key_of
from ghostmem.outline.languages.ecma_.walk import EcmaWalk, add_symbol
from ghostmem.outline.languages.shared.steps import Step
from ghostmem.outline.languages.shared.syntax import text_of
from ghostmem.outline.languages.shared.tables import bind, row

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_OBJECTS = 6  # levels of object literals whose methods are declared


def declare_function(
    walk: EcmaWalk,
    name: str,
    kind: str,
    parent: int,
    node: "Node",
    whole: "Node",
    scope: int,
    this: Any = None,
) -> int:
    """Declare a function under a name; `whole` is the statement that stands for it."""
    sym = add_symbol(walk, name, kind, parent, whole)
    if kind == "function":
        bind(walk.tables, scope, name, ["s", sym])
    attach(walk, sym, node, scope, this or (["c", sym, False] if kind == "function" else None))
    return sym


def attach(walk: EcmaWalk, sym: int, node: "Node", scope: int, this: Any = None) -> None:
    """Say that a function's node is the body of a symbol."""
    number = function_of(walk.tables, node, scope, this)
    walk.tables.functions[number]["sym"] = sym
    walk.tables.symbols[sym]["detail"]["f"] = number


def function_body(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Walk a function's inside; what is in an anonymous one belongs to whoever it stands in."""
    number = function_of(walk.tables, node, scope)
    record = walk.tables.functions[number]
    inner, sym = record["scope"], record["sym"] if record["sym"] >= 0 else owner
    walk.bodies[inner] = number
    name = node.child_by_field_name("name")
    if name and record["sym"] < 0 and node.type in {"function_expression", "generator_function"}:
        bind(walk.tables, inner, text_of(name), ["v", None, row(walk.tables, "f", number)])
    body = node.child_by_field_name("body")
    if node.type == "arrow_function" and body and body.type != "statement_block":
        declare_object(walk, body, inner, sym)
        record["rets"].append(expression(walk.tables, body, inner))
    found = (
        node.child_by_field_name(one)
        for one in ("type_parameters", "parameters", "return_type", "body")
    )
    return [(one, inner, sym) for one in found if one]


def declare_object(walk: EcmaWalk, node: "Node", scope: int, parent: int, depth: int = 0) -> None:
    """Declare the methods of an object literal under the symbol that holds it."""
    while (
        node.type in {"parenthesized_expression", "as_expression", "satisfies_expression"}
        and node.named_children
    ):
        node = node.named_children[0]
    if node.type != "object" or depth > MAX_OBJECTS:
        return
    this = ["o", expression(walk.tables, node, scope)]
    for one in node.named_children:
        value = one.child_by_field_name("value") if one.type == "pair" else one
        name = key_of(one.child_by_field_name("key") or one.child_by_field_name("name"))
        if not name or value is None:
            continue
        if value.type in FUNCTIONS:
            sym = add_symbol(walk, name, "method", parent, one)
            attach(walk, sym, value, scope, this)
            mark_accessor(walk, sym, value)
        elif value.type == "object" and _holds_functions(value):
            declare_object(
                walk, value, scope, add_symbol(walk, name, "field", parent, one), depth + 1
            )


def mark_accessor(walk: EcmaWalk, sym: int, node: "Node") -> None:
    """Note on a method whether it is a getter or a setter, and static."""
    words = {one.type for one in node.children}
    walk.tables.symbols[sym]["detail"].update(
        {one: True for one in ("get", "set", "static") if one in words}
    )


def _holds_functions(node: "Node") -> bool:
    stack, seen = [node], 0
    while stack and seen < 200:
        seen += 1
        for one in stack.pop().named_children:
            value = one.child_by_field_name("value") if one.type == "pair" else one
            if value and value.type in FUNCTIONS:
                return True
            if value and value.type == "object":
                stack.append(value)
    return False
