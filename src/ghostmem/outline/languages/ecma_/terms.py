"""Turn written types into terms, which are plain data, and record the names in them.

A term is a list that begins with its sort: a name (n), a primitive (p), an array (arr), a tuple, a
union (u), an intersection (&), a function (fn), an object (obj), this, typeof or lookup.
"""

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.ecma_.walk import (
    EcmaWalk,
    Handler,
    Step,
    child_of_type,
    dotted,
    inside,
    key_of,
    name_of,
    nothing,
    only,
)
from ghostmem.outline.languages.shared.syntax import MAX_DEPTH, short, text_of

LITERALS = {
    "string": "String",
    "template_string": "String",
    "number": "Number",
    "regex": "RegExp",
    "true": "Boolean",
    "false": "Boolean",
}
EMPTY = {"null", "undefined"}
_LITERAL_TYPES = {
    **{kind: name.lower() for kind, name in LITERALS.items()},
    **dict.fromkeys(EMPTY, "null"),
}
PARAMETERS = {"required_parameter", "optional_parameter"}


def type_term(node: Node | None, depth: int = 0) -> Any:
    """Return a written type as a term, None if nothing is known of it."""
    make = _TERMS.get(node.type) if node and depth <= MAX_DEPTH else None
    if node is None or make is None:
        return None
    parts = [child for child in node.named_children if child.type != "comment"]
    return make(node, parts, depth + 1)


def type_arguments(node: Node, depth: int = 1) -> list[Any]:
    """Return the type arguments of a generic type or a call."""
    found = node.child_by_field_name("type_arguments") or child_of_type(node, ["type_arguments"])
    return [type_term(child, depth) for child in found.named_children] if found else []


def _parameter_types(node: Node | None, depth: int) -> list[Any]:
    """Return the types of a list of parameters, without `this`."""
    return [
        type_term(parameter.child_by_field_name("type"), depth)
        for parameter in (node.named_children if node else [])
        if parameter.type in PARAMETERS
        and text_of(parameter.child_by_field_name("pattern")) != "this"
    ]


def _wrapped(_node: Node, parts: list[Node], depth: int) -> Any:
    return type_term(parts[0], depth) if parts else None


def _function(node: Node, _parts: list[Node], depth: int) -> Any:
    parameters = _parameter_types(node.child_by_field_name("parameters"), depth)
    return ["fn", parameters, type_term(node.child_by_field_name("return_type"), depth)]


def _object(_node: Node, parts: list[Node], depth: int) -> Any:
    members = {
        key_of(part.child_by_field_name("name")): (
            type_term(part.child_by_field_name("type"), depth)
            if part.type == "property_signature"
            else _function(part, [], depth)
        )
        for part in parts
        if part.type in {"property_signature", "method_signature"}
    }
    return ["obj", members]


# by the type of a node: a function of the node, its children, and the depth of these
_TERMS: dict[str, Callable[[Node, list[Node], int], Any]] = {
    **dict.fromkeys(
        "type_annotation parenthesized_type readonly_type constraint default_type optional_type "
        "rest_type".split(),
        _wrapped,
    ),
    **dict.fromkeys(
        ("type_identifier", "nested_type_identifier", "identifier", "member_expression"),
        lambda node, _parts, _depth: ["n", dotted(node), []],
    ),
    "generic_type": lambda node, _parts, depth: [
        "n",
        dotted(node.child_by_field_name("name")),
        type_arguments(node, depth),
    ],
    "predefined_type": lambda node, _parts, _depth: ["p", text_of(node)],
    "array_type": lambda node, parts, depth: ["arr", _wrapped(node, parts, depth)],
    "tuple_type": lambda _node, parts, depth: ["tuple", [type_term(part, depth) for part in parts]],
    "union_type": lambda _node, parts, depth: ["u", [type_term(part, depth) for part in parts]],
    "intersection_type": lambda _node, parts, depth: [
        "&",
        [type_term(part, depth) for part in parts],
    ],
    "literal_type": lambda _node, parts, _depth: [
        "p",
        _LITERAL_TYPES.get(parts[0].type if parts else "null", "number"),
    ],
    "function_type": _function,
    "object_type": _object,
    "this_type": lambda _node, _parts, _depth: ["this"],
    "type_query": lambda _node, parts, _depth: ["typeof", short(parts[0])] if parts else None,
    "lookup_type": lambda _node, parts, depth: (
        ["lookup", type_term(parts[0], depth), text_of(parts[1]).strip("\"'")]
        if len(parts) > 1
        else None
    ),
}


def type_parameters(walk: EcmaWalk, node: Node, scope: int) -> list[str]:
    """Bind the type parameters of a declaration in its scope and return their names."""
    found = node.child_by_field_name("type_parameters")
    names = []
    for child in found.named_children if found else []:
        if child.type == "type_parameter":
            names.append(name_of(child))
            constraint = type_term(child.child_by_field_name("constraint"))
            walk.bind(scope, "^" + names[-1], ["t", constraint])
    return names


def _type_name(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    walk.reference("uses", owner, node, [["n", dotted(node), []], scope])
    return []


def generic(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk a signature in a scope with its type parameters."""
    inner = walk.new_scope(scope)
    type_parameters(walk, node, inner)
    return [
        (child, inner, owner)
        for child in node.named_children
        if child.type not in {"identifier", "property_identifier"}
    ]


def _conditional_type(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk a conditional type in a scope with the types that it infers."""
    inner = walk.new_scope(scope)
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type == "infer_type" and part.named_children:
            walk.bind(inner, "^" + text_of(part.named_children[0]), ["t", None])
        stack += part.named_children
    return inside(node, inner, owner)


def _index_signature(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    mapped = child_of_type(node, ["mapped_type_clause"])
    inner = walk.new_scope(scope) if mapped else scope
    if mapped:
        walk.bind(inner, "^" + name_of(mapped), ["t", None])
    return [(child, inner, owner) for child in node.named_children if child.type != "identifier"]


TYPE_USES: dict[str, Handler] = {
    "type_identifier": _type_name,
    "nested_type_identifier": _type_name,
    "type_parameter": only("constraint", "value"),
    "type_predicate": only("type"),
    "function_type": generic,
    "constructor_type": generic,
    "conditional_type": _conditional_type,
    "infer_type": nothing,
    "index_signature": _index_signature,
    "mapped_type_clause": lambda _walk, node, scope, owner: [
        step for step in inside(node, scope, owner) if step[0] != node.child_by_field_name("name")
    ],
    "type_query": nothing,
}
