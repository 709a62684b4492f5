"""Walk the types that are written: which are named, and which are known in a signature only."""

from typing import TYPE_CHECKING

from ghostmem.outline.languages.ecma_.tables import reference
from ghostmem.outline.languages.ecma_.terms import type_parameters
from ghostmem.outline.languages.ecma_.walk import EcmaWalk, Handler, fields
from ghostmem.outline.languages.shared.steps import Step, inside, nothing
from ghostmem.outline.languages.shared.syntax import short, text_of
from ghostmem.outline.languages.shared.tables import bind, new_scope

if TYPE_CHECKING:
    from tree_sitter import Node


def _type_name(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    reference(walk.tables, "uses", owner, node, [["n", short(node).replace(" ", ""), []], scope])
    return []


def _type_parameter(_walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    return fields(node, ["constraint", "value"], scope, owner)


def generic(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Walk a signature whose type parameters are known in it only."""
    inner = new_scope(walk.tables, scope)
    type_parameters(walk.tables, node, inner)
    return [
        (one, inner, owner)
        for one in node.named_children
        if one.type not in {"identifier", "property_identifier"}
    ]


def _conditional_type(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Bind what a type infers."""
    inner = new_scope(walk.tables, scope)
    stack = [node]
    while stack:
        one = stack.pop()
        if one.type == "infer_type" and one.named_children:
            bind(walk.tables, inner, "^" + text_of(one.named_children[0]), ["t", None])
        stack += one.named_children
    return inside(node, inner, owner)


def _mapped(_walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    return [
        (one, scope, owner)
        for one in node.named_children
        if one != node.child_by_field_name("name")
    ]


def _index_signature(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    held = [one for one in node.named_children if one.type == "mapped_type_clause"]
    inner = new_scope(walk.tables, scope) if held else scope
    for one in held:
        bind(walk.tables, inner, "^" + text_of(one.child_by_field_name("name")), ["t", None])
    return [(one, inner, owner) for one in node.named_children if one.type != "identifier"]


def _type_predicate(_walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    return fields(node, ["type"], scope, owner)


TYPE_USES: dict[str, Handler] = {
    "type_identifier": _type_name,
    "nested_type_identifier": _type_name,
    "type_parameter": _type_parameter,
    "type_predicate": _type_predicate,
    "function_type": generic,
    "constructor_type": generic,
    "conditional_type": _conditional_type,
    "infer_type": nothing,
    "index_signature": _index_signature,
    "mapped_type_clause": _mapped,
    "type_query": nothing,
}
