"""Declaring functions, methods of object literals, and what const, let, var and require name."""

from typing import Any

from tree_sitter import Node

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.ecma_.expressions import bind_pattern, expression, function_of
from ghostmem.outline.languages.ecma_.terms import type_term
from ghostmem.outline.languages.ecma_.walk import (
    CLASSES,
    FUNCTIONS,
    EcmaWalk,
    Step,
    key_of,
    string_value,
)
from ghostmem.outline.languages.shared.syntax import text_of

MAX_OBJECTS = 6  # levels of object literals whose methods are declared


def declare_function(
    walk: EcmaWalk, name: str, parent: int, node: Node, whole: Node, scope: int
) -> int:
    """Declare a function under a name; `whole` is the statement that stands for it."""
    sym = walk.add_symbol(name, "function", parent, whole)
    walk.bind(scope, name, ["s", sym])
    attach(walk, sym, node, scope, ["c", sym, False])
    return sym


def attach(walk: EcmaWalk, sym: int, node: Node, scope: int, this: Any = None) -> None:
    """Say that a function's node is the body of a symbol."""
    number = function_of(walk, node, scope, this)
    walk.functions[number]["sym"] = sym
    walk.symbols[sym].detail["f"] = number


def function_body(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk a function's inside; what is in an anonymous one belongs to whoever it stands in."""
    number = function_of(walk, node, scope)
    record = walk.functions[number]
    inner, sym = record["scope"], record["sym"] if record["sym"] >= 0 else owner
    walk.bodies[inner] = number
    name = node.child_by_field_name("name")
    if name and record["sym"] < 0 and node.type in {"function_expression", "generator_function"}:
        walk.bind(inner, text_of(name), ["v", None, walk.row("f", number)])
    body = node.child_by_field_name("body")
    if node.type == "arrow_function" and body and body.type != "statement_block":
        declare_object(walk, body, inner, sym)
        record["rets"].append(expression(walk, body, inner))
    found = (
        node.child_by_field_name(one)
        for one in ("type_parameters", "parameters", "return_type", "body")
    )
    return [(one, inner, sym) for one in found if one]


def declare_object(walk: EcmaWalk, node: Node, scope: int, parent: int, depth: int = 0) -> None:
    """Declare the methods of an object literal under the symbol that holds it."""
    while (
        node.type in {"parenthesized_expression", "as_expression", "satisfies_expression"}
        and node.named_children
    ):
        node = node.named_children[0]
    if node.type != "object" or depth > MAX_OBJECTS:
        return
    this = ["o", expression(walk, node, scope)]
    for one in node.named_children:
        value = one.child_by_field_name("value") if one.type == "pair" else one
        name = key_of(one.child_by_field_name("key") or one.child_by_field_name("name"))
        if not name or value is None:
            continue
        if value.type in FUNCTIONS:
            sym = walk.add_symbol(name, "method", parent, one)
            attach(walk, sym, value, scope, this)
            mark_accessor(walk, sym, value)
        elif value.type == "object" and _holds_functions(value):
            declare_object(
                walk, value, scope, walk.add_symbol(name, "field", parent, one), depth + 1
            )


def mark_accessor(walk: EcmaWalk, sym: int, node: Node) -> None:
    """Note on a method whether it is a getter or a setter, and static."""
    words = {one.type for one in node.children}
    walk.symbols[sym].detail.update({one: True for one in ("get", "set", "static") if one in words})


def _holds_functions(node: Node) -> bool:
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


def declare_variables(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare the names of a const, let or var."""
    steps: list[Step] = []
    rows = [one for one in node.named_children if one.type == "variable_declarator"]
    constant = text_of(node.child_by_field_name("kind")) == "const"
    at = scope if node.type == "lexical_declaration" else _function_scope(walk, scope)
    for one in rows:
        whole = node if len(rows) == 1 else one
        steps += _declarator(walk, one, whole, at, owner, "constant" if constant else "variable")
    return steps


def _function_scope(walk: EcmaWalk, scope: int) -> int:
    while scope not in walk.bodies and scope not in walk.modules and walk.scopes[scope][0] >= 0:
        scope = walk.scopes[scope][0]
    return scope


def _declarator(
    walk: EcmaWalk, node: Node, whole: Node, scope: int, owner: int, kind: str
) -> list[Step]:
    name, value, typed = (node.child_by_field_name(one) for one in ("name", "value", "type"))
    rest = [(one, scope, owner) for one in (typed, value) if one]
    if name is None or _is_require(walk, name, value, scope, owner):
        return []
    if name.type != "identifier":
        number = expression(walk, value, scope)
        _pattern_names(
            walk,
            name,
            whole,
            scope,
            owner,
            kind,
            walk.row("as", type_term(typed), scope) if typed else number,
        )
        return [(name, scope, owner), *rest]
    if value and value.type in FUNCTIONS:
        declare_function(walk, text_of(name), owner, value, whole, scope)
        walk.symbols[-1].detail["type"] = type_term(typed)
        return rest
    if value and value.type in CLASSES:
        walk.named[value.id] = walk.declare_type(
            text_of(name), "type", owner, whole, scope, value=True
        )
        return rest
    if scope not in walk.modules:
        if value:
            declare_object(walk, value, scope, owner)
        walk.bind(
            scope,
            text_of(name),
            ["v", type_term(typed), expression(walk, value, scope)],
        )
        return rest
    sym = walk.add_symbol(text_of(name), kind, owner, whole, type=type_term(typed), scope=scope)
    walk.bind(scope, text_of(name), ["s", sym])
    if value:
        declare_object(walk, value, scope, sym)
    walk.symbols[sym].detail["value"] = expression(walk, value, scope)
    return rest


def _pattern_names(
    walk: EcmaWalk, node: Node, whole: Node, scope: int, owner: int, kind: str, value: int
) -> None:
    bind_pattern(
        walk,
        node,
        walk.new_scope(scope),
        value if value >= 0 else walk.row("?"),
    )
    for name, found in sorted(walk.scopes[-1][2].items()):
        if scope in walk.modules:
            sym = walk.add_symbol(
                name, kind, owner, whole, type=None, scope=scope, value=found[0][2]
            )
            walk.bind(scope, name, ["s", sym])
        else:
            walk.bind(scope, name, found[0])


def _is_require(walk: EcmaWalk, name: Node, value: Node | None, scope: int, owner: int) -> bool:
    """Bind what `require` gives, when that is what a variable is set to."""
    member = ""
    if value and value.type == "member_expression":
        member, value = (
            text_of(value.child_by_field_name("property")),
            value.child_by_field_name("object"),
        )
    given = (
        value.child_by_field_name("arguments")
        if value and value.type == "call_expression"
        else None
    )
    if (
        value is None
        or given is None
        or text_of(value.child_by_field_name("function")) != "require"
        or given.named_child_count != 1
    ):
        return False
    path = string_value(given.named_children[0])
    if (
        not path
        or name.type not in {"identifier", "object_pattern"}
        or (member and name.type != "identifier")
    ):
        return False
    at = owner if scope != 0 else FILE
    if name.type == "identifier":
        walk.bind(
            scope,
            text_of(name),
            ["i", walk.module_import(value, path, member or "=", text_of(name), at)],
        )
        return True
    for one in name.named_children:
        local = one.child_by_field_name("value") if one.type == "pair_pattern" else one
        local = local.child_by_field_name("left") if local and "assignment" in local.type else local
        key = (
            key_of(one.child_by_field_name("key")) if one.type == "pair_pattern" else text_of(local)
        )
        if local:
            walk.bind(
                scope,
                text_of(local),
                ["i", walk.module_import(value, path, key, text_of(local), at)],
            )
    return True
