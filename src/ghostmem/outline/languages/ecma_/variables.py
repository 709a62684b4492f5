"""Declaring what const, let and var name, and what `require` gives."""

from typing import TYPE_CHECKING

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.functions import bind_pattern
from ghostmem.outline.languages.ecma_.methods import declare_function, declare_object
from ghostmem.outline.languages.ecma_.tables import (
    CLASSES,
    FUNCTIONS,
    key_of,
    module_import,
    string_value,
)
from ghostmem.outline.languages.ecma_.terms import type_term
from ghostmem.outline.languages.ecma_.walk import EcmaWalk, add_symbol, declare_type
from ghostmem.outline.languages.shared.steps import Step
from ghostmem.outline.languages.shared.syntax import text_of
from ghostmem.outline.languages.shared.tables import bind, new_scope, row

if TYPE_CHECKING:
    from tree_sitter import Node


def declare_variables(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
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
    while (
        scope not in walk.bodies and scope not in walk.modules and walk.tables.scopes[scope][0] >= 0
    ):
        scope = walk.tables.scopes[scope][0]
    return scope


def _declarator(
    walk: EcmaWalk, node: "Node", whole: "Node", scope: int, owner: int, kind: str
) -> list[Step]:
    name, value, typed = (node.child_by_field_name(one) for one in ("name", "value", "type"))
    rest = [(one, scope, owner) for one in (typed, value) if one]
    if name is None or _is_require(walk, name, value, scope, owner):
        return []
    if name.type != "identifier":
        number = expression(walk.tables, value, scope)
        _pattern_names(
            walk,
            name,
            whole,
            scope,
            owner,
            kind,
            row(walk.tables, "as", type_term(typed), scope) if typed else number,
        )
        return [(name, scope, owner), *rest]
    if value and value.type in FUNCTIONS:
        declare_function(walk, text_of(name), "function", owner, value, whole, scope)
        walk.tables.symbols[-1]["detail"]["type"] = type_term(typed)
        return rest
    if value and value.type in CLASSES:
        walk.tables.named[value.id] = declare_type(
            walk, text_of(name), "type", owner, whole, scope, value=True
        )
        return rest
    if scope not in walk.modules:
        if value:
            declare_object(walk, value, scope, owner)
        bind(
            walk.tables,
            scope,
            text_of(name),
            ["v", type_term(typed), expression(walk.tables, value, scope)],
        )
        return rest
    sym = add_symbol(walk, text_of(name), kind, owner, whole, type=type_term(typed), scope=scope)
    bind(walk.tables, scope, text_of(name), ["s", sym])
    if value:
        declare_object(walk, value, scope, sym)
    walk.tables.symbols[sym]["detail"]["value"] = expression(walk.tables, value, scope)
    return rest


def _pattern_names(
    walk: EcmaWalk, node: "Node", whole: "Node", scope: int, owner: int, kind: str, value: int
) -> None:
    bind_pattern(
        walk.tables,
        node,
        new_scope(walk.tables, scope),
        value if value >= 0 else row(walk.tables, "?"),
    )
    for name, found in sorted(walk.tables.scopes[-1][2].items()):
        if scope in walk.modules:
            sym = add_symbol(
                walk, name, kind, owner, whole, type=None, scope=scope, value=found[0][2]
            )
            bind(walk.tables, scope, name, ["s", sym])
        else:
            bind(walk.tables, scope, name, found[0])


def _is_require(walk: EcmaWalk, name: "Node", value: "Node | None", scope: int, owner: int) -> bool:
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
        bind(
            walk.tables,
            scope,
            text_of(name),
            ["i", module_import(walk.tables, value, path, member or "=", text_of(name), at)],
        )
        return True
    for one in name.named_children:
        local = one.child_by_field_name("value") if one.type == "pair_pattern" else one
        local = local.child_by_field_name("left") if local and "assignment" in local.type else local
        key = (
            key_of(one.child_by_field_name("key")) if one.type == "pair_pattern" else text_of(local)
        )
        if local:
            bind(
                walk.tables,
                scope,
                text_of(local),
                ["i", module_import(walk.tables, value, path, key, text_of(local), at)],
            )
    return True
