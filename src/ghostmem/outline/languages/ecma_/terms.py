"""The types that are written in a file, as plain data, and the names in them."""

from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.ecma_.walk import (
    EcmaWalk,
    Handler,
    Step,
    inside,
    key_of,
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


def type_term(node: Node | None, depth: int = 0) -> Any:
    """Return a type as data, None when nothing is known of it."""
    if node is None or depth > MAX_DEPTH:
        return None
    parts = [one for one in node.named_children if one.type != "comment"]
    match node.type:
        case (
            "type_annotation"
            | "parenthesized_type"
            | "readonly_type"
            | "constraint"
            | "default_type"
            | "optional_type"
            | "rest_type"
        ):
            return type_term(parts[0], depth + 1) if parts else None
        case "type_identifier" | "nested_type_identifier" | "identifier" | "member_expression":
            return ["n", short(node).replace(" ", ""), []]
        case "generic_type":
            name = short(node.child_by_field_name("name")).replace(" ", "")
            return ["n", name, type_arguments(node, depth)]
        case "predefined_type":
            return ["p", text_of(node)]
        case "array_type":
            return ["arr", type_term(parts[0], depth + 1) if parts else None]
        case "tuple_type":
            return ["tuple", [type_term(one, depth + 1) for one in parts]]
        case "union_type" | "intersection_type":
            return [
                "u" if node.type == "union_type" else "&",
                [type_term(one, depth + 1) for one in parts],
            ]
        case "literal_type":
            kind = parts[0].type if parts else "null"
            return ["p", "null"] if kind in EMPTY else ["p", LITERALS.get(kind, "Number").lower()]
        case "function_type":
            names = node.child_by_field_name("parameters")
            return [
                "fn",
                parameter_types(names, depth),
                type_term(node.child_by_field_name("return_type"), depth + 1),
            ]
        case "object_type":
            return [
                "obj",
                dict(
                    _member_type(one, depth)
                    for one in parts
                    if one.type in {"property_signature", "method_signature"}
                ),
            ]
        case "this_type":
            return ["this"]
        case "type_query":
            return ["typeof", short(parts[0])] if parts else None
        case "lookup_type":
            return (
                ["lookup", type_term(parts[0], depth + 1), text_of(parts[1]).strip("\"'")]
                if len(parts) > 1
                else None
            )
        case _:
            return None


def type_arguments(node: Node, depth: int = 0) -> list[Any]:
    """Return the type arguments written in a generic type or a call."""
    found = node.child_by_field_name("type_arguments") or next(
        (one for one in node.named_children if one.type == "type_arguments"), None
    )
    return [type_term(one, depth + 1) for one in found.named_children] if found else []


def parameter_types(node: Node | None, depth: int = 0) -> list[Any]:
    """Return the types of a list of parameters, without `this`."""
    rows = (
        [
            one
            for one in node.named_children
            if one.type in {"required_parameter", "optional_parameter"}
        ]
        if node
        else []
    )
    rows = [one for one in rows if text_of(one.child_by_field_name("pattern")) != "this"]
    return [type_term(one.child_by_field_name("type"), depth + 1) for one in rows]


def _member_type(node: Node, depth: int) -> tuple[str, Any]:
    name = key_of(node.child_by_field_name("name"))
    if node.type == "property_signature":
        return name, type_term(node.child_by_field_name("type"), depth + 1)
    given = parameter_types(node.child_by_field_name("parameters"), depth)
    return name, ["fn", given, type_term(node.child_by_field_name("return_type"), depth + 1)]


def type_parameters(walk: EcmaWalk, node: Node, scope: int) -> list[str]:
    """Bind the type parameters of a declaration in its scope and return their names."""
    found = node.child_by_field_name("type_parameters")
    names = []
    for one in found.named_children if found else []:
        if one.type == "type_parameter":
            names.append(text_of(one.child_by_field_name("name")))
            walk.bind(
                scope,
                "^" + names[-1],
                ["t", type_term(one.child_by_field_name("constraint"))],
            )
    return names


def _type_name(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    walk.reference("uses", owner, node, [["n", short(node).replace(" ", ""), []], scope])
    return []


def generic(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk a signature whose type parameters are known in it only."""
    inner = walk.new_scope(scope)
    type_parameters(walk, node, inner)
    return [
        (one, inner, owner)
        for one in node.named_children
        if one.type not in {"identifier", "property_identifier"}
    ]


def _conditional_type(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Bind what a type infers."""
    inner = walk.new_scope(scope)
    stack = [node]
    while stack:
        one = stack.pop()
        if one.type == "infer_type" and one.named_children:
            walk.bind(inner, "^" + text_of(one.named_children[0]), ["t", None])
        stack += one.named_children
    return inside(node, inner, owner)


def _mapped(_walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    return [
        (one, scope, owner)
        for one in node.named_children
        if one != node.child_by_field_name("name")
    ]


def _index_signature(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    held = [one for one in node.named_children if one.type == "mapped_type_clause"]
    inner = walk.new_scope(scope) if held else scope
    for one in held:
        walk.bind(inner, "^" + text_of(one.child_by_field_name("name")), ["t", None])
    return [(one, inner, owner) for one in node.named_children if one.type != "identifier"]


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
    "mapped_type_clause": _mapped,
    "type_query": nothing,
}
