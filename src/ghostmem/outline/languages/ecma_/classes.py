"""Declaring types: classes, interfaces, aliases, enums, namespaces."""

from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.ecma_.declarations import attach, mark_accessor
from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.terms import type_arguments, type_parameters, type_term
from ghostmem.outline.languages.ecma_.walk import FUNCTIONS, EcmaWalk, Step, key_of
from ghostmem.outline.languages.shared.syntax import short, text_of

FIELDS = {"public_field_definition", "field_definition", "property_signature"}
SIGNATURES = {"method_signature", "abstract_method_signature"}


def declare_class(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare a class, or walk an expression that is one."""
    name = text_of(node.child_by_field_name("name"))
    if node.id not in walk.named:
        at = scope if node.type != "class" else walk.new_scope(scope)
        walk.named[node.id] = walk.declare_type(
            name or "(anonymous)", "type", owner, node, at, value=True
        )
    sym = walk.named[node.id]
    inner = _open_type(walk, sym, node, scope)
    if name and node.type == "class":  # an expression's own name is known inside it only
        walk.bind(inner, name, ["s", sym])
        walk.bind(inner, "^" + name, ["s", sym])
    steps = [
        (one, inner, sym)
        for one in node.named_children
        if one.type in {"decorator", "type_parameters"}
    ]
    for one in node.named_children:
        if one.type == "class_heritage":
            steps += _heritage(walk, one, inner, sym)
    body = node.child_by_field_name("body")
    return steps + (_members(walk, body, inner, sym) if body else [])


def _open_type(walk: EcmaWalk, sym: int, node: Node, scope: int) -> int:
    """Open the scope of a type and return it."""
    inner = walk.new_scope(scope, ["c", sym, False])
    names = type_parameters(walk, node, inner)
    walk.symbols[sym].detail.update({"scope": inner, "tp": names, "ext": [], "impl": [], "set": {}})
    return inner


def _heritage(walk: EcmaWalk, node: Node, scope: int, sym: int) -> list[Step]:
    steps: list[Step] = []
    for one in node.named_children:
        if one.type == "implements_clause":
            steps += _supertypes(walk, one, scope, sym, "implements", "impl")
        elif one.type == "extends_clause":
            value = one.child_by_field_name("value")
            steps += _base(walk, value, scope, sym, type_arguments(one))
            steps += [
                (part, scope, sym) for part in one.named_children if part.type == "type_arguments"
            ]
        else:
            steps += _base(walk, one, scope, sym, [])
    return steps


def _base(walk: EcmaWalk, node: Node | None, scope: int, sym: int, given: list[Any]) -> list[Step]:
    """Note the class that one extends; when it is computed, what it is computed from is walked."""
    if node is None:
        return []
    plain = node.type in {"identifier", "member_expression"}
    name = ["n", short(node).replace(" ", ""), given]
    term = name if plain else ["x", expression(walk, node, scope)]
    walk.symbols[sym].detail["ext"].append(term)
    walk.reference("extends", sym, node, [term, scope])
    return [] if plain else [(node, scope, sym)]


def _supertypes(
    walk: EcmaWalk, node: Node, scope: int, sym: int, kind: str, key: str
) -> list[Step]:
    steps: list[Step] = []
    for one in node.named_children:
        term = type_term(one)
        walk.symbols[sym].detail[key].append(term)
        named = one.child_by_field_name("name") if one.type == "generic_type" else one
        walk.reference(kind, sym, named or one, [term, scope])
        steps += [
            (part, scope, sym) for part in one.named_children if part.type == "type_arguments"
        ]
    return steps


def _members(walk: EcmaWalk, body: Node, scope: int, sym: int) -> list[Step]:
    steps: list[Step] = []
    members = [one for one in body.named_children if one.type != "comment"]
    last = {
        key_of(one.child_by_field_name("name")): one.id for one in members if one.type in FUNCTIONS
    }
    statics = walk.new_scope(scope, ["c", sym, True])
    overloads: dict[str, list[Step]] = {}
    for one in members:
        name = key_of(one.child_by_field_name("name") or one.child_by_field_name("property"))
        static = any(part.type == "static" for part in one.children)
        at = statics if static or one.type == "class_static_block" else scope
        if one.type in SIGNATURES and last.get(name) != one.id:
            inner = walk.new_scope(scope)
            type_parameters(walk, one, inner)
            parts = [part for part in one.named_children if "identifier" not in part.type]
            overloads.setdefault(name, []).extend((part, inner, sym) for part in parts)
        elif one.type in FUNCTIONS and name:
            steps += _method(walk, one, name, at, sym, static, overloads.get(name, []))
        elif one.type in FIELDS and name:
            steps += _field(walk, one, name, at, sym, static)
        else:
            steps.append((one, at, sym))
    return steps


def _method(
    walk: EcmaWalk,
    node: Node,
    name: str,
    scope: int,
    sym: int,
    static: bool,
    overloads: list[Step],
) -> list[Step]:
    method = walk.add_symbol(name, "method", sym, node, over=bool(overloads))
    attach(walk, method, node, scope, ["c", sym, static])
    mark_accessor(walk, method, node)
    if name == "constructor":
        _parameter_fields(walk, node, scope, sym)
    return [(part, inner, method) for part, inner, _ in overloads] + [(node, scope, sym)]


def _parameter_fields(walk: EcmaWalk, node: Node, scope: int, sym: int) -> None:
    """Declare the fields that a TypeScript constructor declares among its parameters."""
    found = node.child_by_field_name("parameters")
    for one in found.named_children if found else []:
        pattern = one.child_by_field_name("pattern")
        marked = any(
            part.type in {"accessibility_modifier", "readonly", "override_modifier"}
            for part in one.children
        )
        if marked and pattern and pattern.type == "identifier":
            walk.add_symbol(
                text_of(pattern),
                "field",
                sym,
                one,
                type=type_term(one.child_by_field_name("type")),
                scope=scope,
            )


def _field(walk: EcmaWalk, node: Node, name: str, scope: int, sym: int, static: bool) -> list[Step]:
    value, typed = node.child_by_field_name("value"), node.child_by_field_name("type")
    rest = [
        (one, scope, sym)
        for one in node.named_children
        if one.type == "decorator" or one in {typed, value}
    ]
    if value and value.type in FUNCTIONS:
        method = walk.add_symbol(name, "method", sym, node, type=type_term(typed))
        attach(walk, method, value, scope, ["c", sym, static])
    else:
        walk.add_symbol(
            name,
            "field",
            sym,
            node,
            type=type_term(typed),
            scope=scope,
            value=expression(walk, value, scope),
        )
    walk.symbols[-1].detail.update({"static": True} if static else {})
    return rest


def declare_interface(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare an interface and its members."""
    sym = walk.declare_type(
        text_of(node.child_by_field_name("name")),
        "interface",
        owner,
        node,
        scope,
        value=False,
    )
    inner = _open_type(walk, sym, node, scope)
    steps: list[Step] = []
    for one in node.named_children:
        if one.type in {"extends_type_clause", "extends_clause"}:
            steps += _supertypes(walk, one, inner, sym, "extends", "ext")
        elif one.type == "type_parameters":
            steps.append((one, inner, sym))
    body = node.child_by_field_name("body")
    return steps + (_members(walk, body, inner, sym) if body else [])


def declare_alias(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare a name for a type; an object's members are declared with it."""
    value = node.child_by_field_name("value")
    sym = walk.declare_type(
        text_of(node.child_by_field_name("name")), "type", owner, node, scope, value=False
    )
    inner = _open_type(walk, sym, node, scope)
    parts = [value] if value else []
    if value and value.type == "intersection_type":
        parts = value.named_children
    bodies = [one for one in parts if one.type == "object_type"]
    if len(bodies) == 1:
        bases = [type_term(one) for one in parts if one.type != "object_type"]
        walk.symbols[sym].detail["ext"] = bases
    else:
        walk.symbols[sym].detail["alias"] = type_term(value)
    steps = [(one, inner, sym) for one in node.named_children if one.type == "type_parameters"]
    if len(bodies) != 1:
        return steps + ([(value, inner, sym)] if value else [])
    return (
        steps
        + _members(walk, bodies[0], inner, sym)
        + [(one, inner, sym) for one in parts if one.type != "object_type"]
    )


def declare_enum(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare an enum and its constants."""
    sym = walk.declare_type(
        text_of(node.child_by_field_name("name")), "type", owner, node, scope, value=True
    )
    walk.symbols[sym].detail.update({"scope": scope, "tp": [], "ext": [], "impl": [], "set": {}})
    body = node.child_by_field_name("body")
    steps: list[Step] = []
    for one in body.named_children if body else []:
        name = key_of(one.child_by_field_name("name") if one.type == "enum_assignment" else one)
        if name and one.type != "comment":
            walk.add_symbol(name, "constant", sym, one, static=True)
        value = one.child_by_field_name("value")
        steps += [(value, scope, sym)] if value else []
    return steps


def declare_namespace(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare a namespace; its variables are symbols, as a file's are."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return [(one, scope, owner) for one in node.named_children]
    inner = walk.new_scope(scope)
    walk.modules.add(inner)
    sym = walk.add_symbol(key_of(name), "module", owner, node, scope=inner)
    walk.bind(scope, key_of(name), ["s", sym])
    walk.bind(scope, "^" + key_of(name), ["s", sym])
    return [(one, inner, sym) for one in (body.named_children if body else [])]
