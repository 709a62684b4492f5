"""Walk what is called, made, read and written, and the types that are named."""

from typing import TYPE_CHECKING

from ghostmem.outline.languages.java_.declare import declare_anonymous
from ghostmem.outline.languages.java_.expressions import expression
from ghostmem.outline.languages.java_.tables import (
    Handler,
    JavaTables,
    compact,
    count_of,
    reference,
    type_term,
)
from ghostmem.outline.languages.shared.steps import Step, inside, only
from ghostmem.outline.languages.shared.syntax import text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def _call(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    number = expression(tables, node, scope)
    if number >= 0:
        reference(
            tables,
            "calls",
            owner,
            node,
            ["call", number],
            cut=node.child_by_field_name("arguments"),
        )
    target = node.child_by_field_name("object")
    rest = [
        (one, scope, owner)
        for one in node.named_children
        if one.type in {"argument_list", "type_arguments"}
    ]
    return only(target, scope, owner) + rest


def _new(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    given, kind = node.child_by_field_name("arguments"), node.child_by_field_name("type")
    count = count_of(given)
    body = next((one for one in node.named_children if one.type == "class_body"), None)
    term = type_term(kind)
    reference(tables, "calls", owner, kind or node, ["new", term, scope, count, body is not None])
    steps = [
        (one, scope, owner)
        for one in node.named_children
        if one.id not in {getattr(kind, "id", 0), getattr(body, "id", 0)}
    ]
    if kind and kind.type == "generic_type":
        steps += [
            (part, scope, owner) for part in kind.named_children if part.type == "type_arguments"
        ]
    if body is None:
        return steps
    sym = len(tables.symbols)
    steps += declare_anonymous(tables, body, term, scope, owner)
    reference(tables, "extends", sym, kind or node, [term, scope, "either"])
    return steps


def _constructor_call(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    which = node.child_by_field_name("constructor")
    given = node.child_by_field_name("arguments")
    if which:
        reference(tables, "calls", owner, which, ["ctor", which.type, scope, count_of(given)])
    return only(given, scope, owner)


def _method_reference(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    """Take `A::b`: the method is named, not called here; the class is used."""
    parts = node.named_children
    if len(parts) > 1 and parts[-1].type == "identifier":
        held = expression(tables, parts[0], scope)
        reference(tables, "accesses", owner, node, ["method", held, text_of(parts[-1])])
    return only(parts[0] if parts else None, scope, owner)


def _identifier(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    reference(tables, "accesses", owner, node, ["read", expression(tables, node, scope)])
    return []


def _field_access(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    target = node.child_by_field_name("object")
    number = expression(tables, node, scope)
    if number >= 0:
        reference(tables, "accesses", owner, node, ["read", number])
    return only(target, scope, owner)


def _write(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    if node.type in {"identifier", "field_access"}:
        number = expression(tables, node, scope)
        if number >= 0:
            reference(tables, "assigns", owner, node, ["read", number])
        return only(node.child_by_field_name("object"), scope, owner)
    return [(node, scope, owner)]


def _assignment(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return inside(node, scope, owner)
    steps = _write(tables, left, scope, owner)
    if text_of(node.child_by_field_name("operator")) not in {"=", ""}:
        steps = [(left, scope, owner)]
    return [*steps, (right, scope, owner)]


def _update(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    for one in node.named_children:
        _write(tables, one, scope, owner)
    return inside(node, scope, owner)


def _type_name(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    if compact(node) != "var":
        reference(tables, "uses", owner, node, [["n", compact(node), []], scope])
    return []


def _annotation(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    name = node.child_by_field_name("name")
    if name:
        reference(tables, "uses", owner, name, [["n", compact(name), []], scope])
    return only(node.child_by_field_name("arguments"), scope, owner)


def _pair(_tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    return only(node.child_by_field_name("value"), scope, owner)


def _type_parameter(_tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children if one.type == "type_bound"]


REFERENCES: dict[str, Handler] = {
    "method_invocation": _call,
    "object_creation_expression": _new,
    "explicit_constructor_invocation": _constructor_call,
    "method_reference": _method_reference,
    "identifier": _identifier,
    "field_access": _field_access,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "type_identifier": _type_name,
    "scoped_type_identifier": _type_name,
    "annotation": _annotation,
    "marker_annotation": _annotation,
    "element_value_pair": _pair,
    "type_parameter": _type_parameter,
}
