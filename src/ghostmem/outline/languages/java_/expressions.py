"""Expressions as plain data, one row each, so that chains share their parts."""

from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.java_.tables import JavaTables, compact, type_term
from ghostmem.outline.languages.shared.syntax import MAX_DEPTH, text_of
from ghostmem.outline.languages.shared.tables import UNKNOWN, bind, new_scope, row

if TYPE_CHECKING:
    from tree_sitter import Node

LITERALS = {
    "string_literal": "String",
    "text_block": "String",
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "octal_integer_literal": "int",
    "binary_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
    "true": "boolean",
    "false": "boolean",
    "character_literal": "char",
}


def lambda_of(tables: JavaTables, node: "Node", scope: int) -> int:
    """Return the record of a lambda, made when it is first met."""
    if node.id not in tables.known:
        number = tables.known[node.id] = len(tables.lambdas)
        inner = new_scope(tables, scope)
        record: dict[str, Any] = {"scope": inner, "ctx": None, "type": None, "body": UNKNOWN}
        tables.lambdas.append(record)
        given = node.child_by_field_name("parameters")
        rows = (
            [given]
            if given and given.type == "identifier"
            else given.named_children
            if given
            else []
        )
        for at, one in enumerate(rows):
            name = one if one.type == "identifier" else one.child_by_field_name("name")
            term = (
                type_term(one.child_by_field_name("type"))
                if one.type == "formal_parameter"
                else None
            )
            bind(tables, inner, text_of(name), ["v", term, row(tables, "param", number, at)])
        body = node.child_by_field_name("body")
        if body and body.type != "block":
            record["body"] = expression(tables, body, inner)
    return tables.known[node.id]


def expression(tables: JavaTables, node: "Node | None", scope: int, depth: int = 0) -> int:
    """Return the row of an expression, -1 when nothing can be said of it."""
    if node is None or depth > MAX_DEPTH:
        return UNKNOWN
    if node.id not in tables.seen:
        tables.seen[node.id] = _expression(tables, node, scope, depth + 1)
    return tables.seen[node.id]


def _expression(tables: JavaTables, node: "Node", scope: int, depth: int) -> int:
    if node.type in LITERALS:
        return row(tables, "lit", LITERALS[node.type])
    match node.type:
        case "identifier":
            return row(tables, "id", text_of(node), scope)
        case "this" | "super":
            return row(tables, node.type, scope)
        case "null_literal":
            return row(tables, "lit", "null")
        case "parenthesized_expression":
            return expression(tables, next(iter(node.named_children), None), scope, depth)
        case "field_access":
            return _field_access(tables, node, scope, depth)
        case "method_invocation":
            return _call(tables, node, scope, depth)
        case "object_creation_expression":
            return row(tables, "new", type_term(node.child_by_field_name("type")), scope)
        case "cast_expression":
            return row(tables, "as", type_term(node.child_by_field_name("type")), scope)
        case "array_access":
            return row(
                tables, "el", expression(tables, node.child_by_field_name("array"), scope, depth)
            )
        case "array_creation_expression":
            return row(tables, "as", ["arr", type_term(node.child_by_field_name("type"))], scope)
        case "ternary_expression":
            sides = [
                node.child_by_field_name("consequence"),
                node.child_by_field_name("alternative"),
            ]
            return row(tables, "u", [expression(tables, one, scope, depth) for one in sides])
        case "assignment_expression":
            return expression(tables, node.child_by_field_name("right"), scope, depth)
        case "class_literal":
            return row(
                tables,
                "as",
                ["n", "Class", [type_term(next(iter(node.named_children), None))]],
                scope,
            )
        case "lambda_expression":
            return row(tables, "lambda", lambda_of(tables, node, scope))
        case "binary_expression":
            return _binary(tables, node, scope, depth)
        case _:
            return UNKNOWN


def _binary(tables: JavaTables, node: "Node", scope: int, depth: int) -> int:
    """Say of a sum that it is text when it begins or ends with some."""
    if text_of(node.child_by_field_name("operator")) != "+":
        return UNKNOWN
    sides = [
        expression(tables, node.child_by_field_name(one), scope, depth) for one in ("left", "right")
    ]
    text = any(one >= 0 and tables.rows[one] == ["lit", "String"] for one in sides)
    return row(tables, "lit", "String") if text else UNKNOWN


def _field_access(tables: JavaTables, node: "Node", scope: int, depth: int) -> int:
    target, name = node.child_by_field_name("object"), node.child_by_field_name("field")
    if name and name.type == "this":
        return row(tables, "as", type_term(target) or ["n", compact(target), []], scope)
    return row(tables, "f", expression(tables, target, scope, depth), text_of(name))


def _call(tables: JavaTables, node: "Node", scope: int, depth: int) -> int:
    target, name = node.child_by_field_name("object"), text_of(node.child_by_field_name("name"))
    given = node.child_by_field_name("arguments")
    arguments = [one for one in given.named_children if "comment" not in one.type] if given else []
    held: int | None = None
    if target:
        above = any(one.type == "super" for one in node.named_children) and target.type != "super"
        held = (
            row(tables, "as", ["n", compact(target), []], scope)
            if above
            else expression(tables, target, scope, depth)
        )
    number = row(tables, "c", held, name, [], scope, len(arguments))
    for at, one in enumerate(arguments[:8]):
        tables.rows[number][3].append(expression(tables, one, scope, depth))
        if one.type == "lambda_expression":
            tables.lambdas[lambda_of(tables, one, scope)]["ctx"] = [number, at]
    return number
