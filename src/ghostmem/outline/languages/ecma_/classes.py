"""Declare types: classes, interfaces, aliases, enums and namespaces."""

from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.ecma_.declarations import attach, mark_accessor
from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.terms import type_arguments, type_parameters, type_term
from ghostmem.outline.languages.ecma_.walk import (
    FUNCTIONS,
    EcmaWalk,
    Step,
    dotted,
    fields,
    inside,
    key_of,
    name_of,
)
from ghostmem.outline.languages.shared.syntax import text_of

FIELDS = {"public_field_definition", "field_definition", "property_signature"}
SIGNATURES = {"method_signature", "abstract_method_signature"}
FIELD_MODIFIERS = {"accessibility_modifier", "readonly", "override_modifier"}


def declare_class(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare a class that is a statement or an expression."""
    name = name_of(node)
    if node.id not in walk.class_of:
        at = scope if node.type != "class" else walk.new_scope(scope)
        walk.class_of[node.id] = walk.declare_type(
            name or "(anonymous)", "type", owner, node, at, value=True
        )
    symbol = walk.class_of[node.id]
    inner = _open_type(walk, symbol, node, scope)
    if name and node.type == "class":  # the name of an expression is known only inside of it
        walk.bind_type(inner, name, symbol)
    steps = inside(node, inner, symbol, "decorator", "type_parameters")
    for child in node.named_children:
        if child.type == "class_heritage":
            steps += _heritage(walk, child, inner, symbol)
    return steps + _members(walk, node.child_by_field_name("body"), inner, symbol)


def _open_type(walk: EcmaWalk, symbol: int, node: Node, scope: int) -> int:
    """Open the scope of a type and return it."""
    inner = walk.new_scope(scope, ["c", symbol, False])
    _set_type(walk, symbol, inner, type_parameters(walk, node, inner))
    return inner


def _set_type(walk: EcmaWalk, symbol: int, scope: int, parameters: list[str]) -> None:
    """Set the scope and the type parameters of a type without bases and assigned fields."""
    walk.symbols[symbol].detail.update(
        {"scope": scope, "tp": parameters, "ext": [], "impl": [], "set": {}}
    )


def _heritage(walk: EcmaWalk, node: Node, scope: int, symbol: int) -> list[Step]:
    steps: list[Step] = []
    for child in node.named_children:
        if child.type == "implements_clause":
            steps += _supertypes(walk, child, scope, symbol, "implements", "impl")
        elif child.type == "extends_clause":
            value = child.child_by_field_name("value")
            steps += _base(walk, value, scope, symbol, type_arguments(child))
            steps += inside(child, scope, symbol, "type_arguments")
        else:
            steps += _base(walk, child, scope, symbol, [])
    return steps


def _base(
    walk: EcmaWalk, node: Node | None, scope: int, symbol: int, arguments: list[Any]
) -> list[Step]:
    """Record the class that a class extends; an expression that computes it is walked."""
    if node is None:
        return []
    is_name = node.type in {"identifier", "member_expression"}
    term = ["n", dotted(node), arguments] if is_name else ["x", expression(walk, node, scope)]
    walk.symbols[symbol].detail["ext"].append(term)
    walk.reference("extends", symbol, node, [term, scope])
    return [] if is_name else [(node, scope, symbol)]


def _supertypes(
    walk: EcmaWalk, node: Node, scope: int, symbol: int, kind: str, key: str
) -> list[Step]:
    steps: list[Step] = []
    for child in node.named_children:
        term = type_term(child)
        walk.symbols[symbol].detail[key].append(term)
        name = child.child_by_field_name("name") if child.type == "generic_type" else None
        walk.reference(kind, symbol, name or child, [term, scope])
        steps += inside(child, scope, symbol, "type_arguments")
    return steps


def _members(walk: EcmaWalk, body: Node | None, scope: int, symbol: int) -> list[Step]:
    """Declare the members of a type; overloads are walked with the last of them."""
    if body is None:
        return []
    steps: list[Step] = []
    members = [child for child in body.named_children if child.type != "comment"]
    last = {
        key_of(member.child_by_field_name("name")): member.id
        for member in members
        if member.type in FUNCTIONS
    }
    statics = walk.new_scope(scope, ["c", symbol, True])
    overloads: dict[str, list[Step]] = {}
    for member in members:
        name = key_of(member.child_by_field_name("name") or member.child_by_field_name("property"))
        static = any(child.type == "static" for child in member.children)
        at = statics if static or member.type == "class_static_block" else scope
        if member.type in SIGNATURES and last.get(name) != member.id:
            overloads.setdefault(name, []).extend(_overload(walk, member, scope, symbol))
        elif member.type in FUNCTIONS and name:
            steps += _method(walk, member, name, at, symbol, static, overloads.get(name, []))
        elif member.type in FIELDS and name:
            steps += _field(walk, member, name, at, symbol, static)
        else:
            steps.append((member, at, symbol))
    return steps


def _overload(walk: EcmaWalk, node: Node, scope: int, symbol: int) -> list[Step]:
    inner = walk.new_scope(scope)
    type_parameters(walk, node, inner)
    return [
        (child, inner, symbol) for child in node.named_children if "identifier" not in child.type
    ]


def _method(
    walk: EcmaWalk,
    node: Node,
    name: str,
    scope: int,
    symbol: int,
    static: bool,
    overloads: list[Step],
) -> list[Step]:
    method = walk.add_symbol(name, "method", symbol, node, over=bool(overloads))
    attach(walk, method, node, scope, ["c", symbol, static])
    mark_accessor(walk, method, node)
    if name == "constructor":
        _parameter_fields(walk, node, scope, symbol)
    return [(part, inner, method) for part, inner, _ in overloads] + [(node, scope, symbol)]


def _parameter_fields(walk: EcmaWalk, node: Node, scope: int, symbol: int) -> None:
    """Declare the fields that a TypeScript constructor declares among its parameters."""
    for child, _, _ in inside(node.child_by_field_name("parameters"), scope, symbol):
        pattern = child.child_by_field_name("pattern")
        is_field = any(part.type in FIELD_MODIFIERS for part in child.children)
        if is_field and pattern and pattern.type == "identifier":
            term = type_term(child.child_by_field_name("type"))
            walk.add_symbol(text_of(pattern), "field", symbol, child, type=term, scope=scope)


def _field(
    walk: EcmaWalk, node: Node, name: str, scope: int, symbol: int, static: bool
) -> list[Step]:
    value, declared = node.child_by_field_name("value"), node.child_by_field_name("type")
    term = type_term(declared)
    if value and value.type in FUNCTIONS:
        method = walk.add_symbol(name, "method", symbol, node, type=term)
        attach(walk, method, value, scope, ["c", symbol, static])
    else:
        row = expression(walk, value, scope)
        walk.add_symbol(name, "field", symbol, node, type=term, scope=scope, value=row)
    if static:
        walk.symbols[-1].detail["static"] = True
    return [
        (child, scope, symbol)
        for child in node.named_children
        if child.type == "decorator" or child in {declared, value}
    ]


def declare_interface(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare an interface and its members."""
    symbol = walk.declare_type(name_of(node), "interface", owner, node, scope, value=False)
    inner = _open_type(walk, symbol, node, scope)
    steps: list[Step] = []
    for child in node.named_children:
        if child.type in {"extends_type_clause", "extends_clause"}:
            steps += _supertypes(walk, child, inner, symbol, "extends", "ext")
        elif child.type == "type_parameters":
            steps.append((child, inner, symbol))
    return steps + _members(walk, node.child_by_field_name("body"), inner, symbol)


def declare_alias(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare a name for a type; the members of an object type are declared with it."""
    symbol = walk.declare_type(name_of(node), "type", owner, node, scope, value=False)
    inner = _open_type(walk, symbol, node, scope)
    steps = inside(node, inner, symbol, "type_parameters")
    value, detail = node.child_by_field_name("value"), walk.symbols[symbol].detail
    parts = [value] if value else []
    if value and value.type == "intersection_type":
        parts = value.named_children
    bodies = [part for part in parts if part.type == "object_type"]
    if len(bodies) != 1:
        detail["alias"] = type_term(value)
        return steps + fields(node, ["value"], inner, symbol)
    bases = [part for part in parts if part.type != "object_type"]
    detail["ext"] = [type_term(base) for base in bases]
    steps += _members(walk, bodies[0], inner, symbol)
    return steps + [(base, inner, symbol) for base in bases]


def declare_enum(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare an enum and its constants."""
    symbol = walk.declare_type(name_of(node), "type", owner, node, scope, value=True)
    _set_type(walk, symbol, scope, [])
    steps: list[Step] = []
    for child, _, _ in inside(node.child_by_field_name("body"), scope, symbol):
        is_assigned = child.type == "enum_assignment"
        name = key_of(child.child_by_field_name("name") if is_assigned else child)
        if name and child.type != "comment":
            walk.add_symbol(name, "constant", symbol, child, static=True)
        steps += fields(child, ["value"], scope, symbol)
    return steps


def declare_namespace(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare a namespace; its variables are symbols, as those of a file are."""
    name = node.child_by_field_name("name")
    if name is None:
        return inside(node, scope, owner)
    inner = walk.new_scope(scope)
    walk.modules.add(inner)
    symbol = walk.add_symbol(key_of(name), "module", owner, node, scope=inner)
    walk.bind_type(scope, key_of(name), symbol)
    return inside(node.child_by_field_name("body"), inner, symbol)
