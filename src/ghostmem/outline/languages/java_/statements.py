"""Walk statements: blocks, locals, patterns, lambdas."""

from typing import TYPE_CHECKING

from ghostmem.outline.languages.java_.expressions import expression, lambda_of
from ghostmem.outline.languages.java_.tables import Handler, JavaTables, type_term
from ghostmem.outline.languages.shared.steps import Step, inside, nothing, only
from ghostmem.outline.languages.shared.syntax import text_of
from ghostmem.outline.languages.shared.tables import bind, new_scope, row

if TYPE_CHECKING:
    from tree_sitter import Node

LEAVES = (
    "line_comment",
    "block_comment",
    "string_fragment",
    "escape_sequence",
    "decimal_integer_literal",
    "void_type",
    "null_literal",
)


def _locals(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    term = type_term(node.child_by_field_name("type"))
    steps = [
        (one, scope, owner) for one in node.named_children if one.type != "variable_declarator"
    ]
    for one in node.named_children:
        if one.type == "variable_declarator":
            value = one.child_by_field_name("value")
            held = ["arr", term] if one.child_by_field_name("dimensions") else term
            number = expression(tables, value, scope) if term is None else -1
            if value and value.type == "lambda_expression":
                tables.lambdas[lambda_of(tables, value, scope)]["type"] = [held, scope]
            bind(tables, scope, text_of(one.child_by_field_name("name")), ["v", held, number])
            steps += only(value, scope, owner)
    return steps


def _block(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    return inside(node, new_scope(tables, scope), owner)


def _for_each(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    inner = new_scope(tables, scope)
    term, value = type_term(node.child_by_field_name("type")), node.child_by_field_name("value")
    number = row(tables, "el", expression(tables, value, scope)) if term is None else -1
    bind(tables, inner, text_of(node.child_by_field_name("name")), ["v", term, number])
    return [
        (one, inner, owner)
        for one in node.named_children
        if one != node.child_by_field_name("name")
    ]


def _named_local(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    """Bind a resource, a caught exception, or the name in a pattern."""
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    held = next((one for one in node.named_children if one.type == "catch_type"), None)
    if held and held.named_child_count == 1:
        kind = held.named_children[0]
    if node.type == "type_pattern" and len(node.named_children) > 1:
        kind, name = node.named_children[-2], node.named_children[-1]
    if node.type == "record_pattern_component" and len(node.named_children) > 1:
        kind, name = node.named_children[0], node.named_children[-1]
    term = type_term(kind)
    if name:
        value = node.child_by_field_name("value") if node.type == "resource" else None
        bind(
            tables,
            scope,
            text_of(name),
            ["v", term, expression(tables, value, scope) if term is None else -1],
        )
    return [(one, scope, owner) for one in node.named_children if one != name]


def _instanceof(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    name = node.child_by_field_name("name")
    if name:
        bind(tables, scope, text_of(name), ["v", type_term(node.child_by_field_name("right")), -1])
    return [(one, scope, owner) for one in node.named_children if one != name]


def _lambda(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    record = tables.lambdas[lambda_of(tables, node, scope)]
    given, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    typed = given if given and given.type == "formal_parameters" else None
    return only(typed, record["scope"], owner) + only(body, record["scope"], owner)


def _parameters(_tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    return [
        (part, scope, owner)
        for one in node.named_children
        for part in one.named_children
        if part.type != "identifier"
    ]


def _nameless(_tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    """Leave out a label, and the bare names of a case: of which enum they are is not
    written there.
    """
    return [(one, scope, owner) for one in node.named_children if one.type != "identifier"]


STATEMENTS: dict[str, Handler] = {
    "local_variable_declaration": _locals,
    "block": _block,
    "constructor_body": _block,
    "for_statement": _block,
    "try_with_resources_statement": _block,
    "switch_block": _block,
    "switch_rule": _block,
    "catch_clause": _block,
    "static_initializer": _block,
    "enhanced_for_statement": _for_each,
    "resource": _named_local,
    "catch_formal_parameter": _named_local,
    "type_pattern": _named_local,
    "record_pattern_component": _named_local,
    "instanceof_expression": _instanceof,
    "lambda_expression": _lambda,
    "formal_parameters": _parameters,
    "labeled_statement": _nameless,
    "switch_label": _nameless,
    "break_statement": nothing,
    "continue_statement": nothing,
    **dict.fromkeys(LEAVES, nothing),
}
