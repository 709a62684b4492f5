"""Expressions as plain data, one row each, so that chains share their parts."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ghostmem.outline.languages.ecma_.functions import function_of
from ghostmem.outline.languages.ecma_.tables import FUNCTIONS, EcmaTables, key_of, string_value
from ghostmem.outline.languages.ecma_.terms import EMPTY, LITERALS, type_arguments, type_term
from ghostmem.outline.languages.shared.syntax import MAX_DEPTH, text_of
from ghostmem.outline.languages.shared.tables import UNKNOWN, row

if TYPE_CHECKING:
    from tree_sitter import Node

CHOICES = {"||", "&&", "??"}


def expression(tables: EcmaTables, node: "Node | None", scope: int, depth: int = 0) -> int:
    """Return the row of an expression, -1 when nothing can be said of it."""
    if node is None or depth > MAX_DEPTH:
        return UNKNOWN
    found = tables.seen.get(node.id)
    if found is None:
        made = EXPRESSIONS.get(node.type)
        found = tables.seen.setdefault(
            node.id, made(tables, node, scope, depth + 1) if made else UNKNOWN
        )
    return found


def _identifier(tables: EcmaTables, node: "Node", scope: int, _depth: int) -> int:
    return row(tables, "id", text_of(node), scope)


def _self(tables: EcmaTables, node: "Node", scope: int, _depth: int) -> int:
    return row(tables, node.type, scope)


def _literal(tables: EcmaTables, node: "Node", _scope: int, _depth: int) -> int:
    return row(tables, "lit", LITERALS.get(node.type, "null"))


def _function(tables: EcmaTables, node: "Node", scope: int, _depth: int) -> int:
    return row(tables, "f", function_of(tables, node, scope))


def _class(tables: EcmaTables, node: "Node", _scope: int, _depth: int) -> int:
    return row(tables, "cls", node.id)


def _wrapped(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    return expression(tables, next(iter(node.named_children), None), scope, depth)


def _awaited(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    return row(tables, "aw", _wrapped(tables, node, scope, depth))


def _assigned(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    return expression(tables, node.child_by_field_name("right"), scope, depth)


def _member(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    target = expression(tables, node.child_by_field_name("object"), scope, depth)
    return row(tables, "m", target, text_of(node.child_by_field_name("property")))


def _subscript(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    index = node.child_by_field_name("index")
    target = expression(tables, node.child_by_field_name("object"), scope, depth)
    if index and index.type == "string":
        return row(tables, "m", target, string_value(index))
    text = text_of(index)
    return row(tables, "at", target, int(text) if text.isdecimal() and len(text) < 6 else UNKNOWN)


def _ternary(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    sides = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
    return row(tables, "u", [expression(tables, one, scope, depth) for one in sides])


def _array(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    parts = [one for one in node.named_children if one.type != "spread_element"][:4]
    return row(tables, "arr", [expression(tables, one, scope, depth) for one in parts])


def _cast(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    parts = node.named_children
    if node.type == "type_assertion":
        return row(
            tables,
            "as",
            type_term(parts[0].named_children[0]) if parts and parts[0].named_children else None,
            scope,
        )
    if len(parts) < 2:  # `as const`
        return expression(tables, next(iter(parts), None), scope, depth)
    if node.type == "satisfies_expression":
        return expression(tables, parts[0], scope, depth)
    return row(tables, "as", type_term(parts[-1]), scope)


def _binary(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    left, sign = node.child_by_field_name("left"), text_of(node.child_by_field_name("operator"))
    right = node.child_by_field_name("right")
    if sign in CHOICES:
        return row(tables, "u", [expression(tables, one, scope, depth) for one in (left, right)])
    return (
        row(tables, "lit", "Boolean")
        if sign in {"===", "!==", "==", "!=", "<", ">", "<=", ">=", "in", "instanceof"}
        else UNKNOWN
    )


def _new(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    made = expression(tables, node.child_by_field_name("constructor"), scope, depth)
    number = row(tables, "new", made, type_arguments(node), scope)
    given = node.child_by_field_name("arguments")
    for at, one in enumerate(given.named_children if given else []):
        if one.type in FUNCTIONS:
            tables.functions[function_of(tables, one, scope)]["ctx"] = [number, at]
    return number


def _call(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    arguments = (
        [one for one in given.named_children if one.type != "comment"]
        if given and given.type == "arguments"
        else []
    )
    if (
        callee
        and callee.type in {"import", "identifier"}
        and text_of(callee) in {"require", "import"}
        and len(arguments) == 1
    ):
        path = string_value(arguments[0])
        if path:
            return row(tables, "req", path, text_of(callee) == "import")
    target = expression(tables, callee, scope, depth)
    number = row(tables, "c", target, [], type_arguments(node), scope)
    for at, one in enumerate(arguments[:8]):
        tables.rows[number][2].append(
            expression(tables, one, scope, depth) if one.type != "spread_element" else UNKNOWN
        )
        if one.type in FUNCTIONS:
            tables.functions[function_of(tables, one, scope)]["ctx"] = [number, at]
    return number


def _object(tables: EcmaTables, node: "Node", scope: int, depth: int) -> int:
    number = row(tables, "o", {}, False)
    tables.seen[node.id] = number
    members = tables.rows[number][1]
    for one in node.named_children:
        if one.type == "pair":
            value = one.child_by_field_name("value")
            if value and value.type in FUNCTIONS:
                function_of(tables, value, scope, ["o", number])
            members[key_of(one.child_by_field_name("key"))] = expression(
                tables, value, scope, depth
            )
        elif one.type == "method_definition":
            function_of(tables, one, scope, ["o", number])
            getter = any(part.type in {"get", "set"} for part in one.children)
            members[key_of(one.child_by_field_name("name"))] = (
                UNKNOWN if getter else expression(tables, one, scope, depth)
            )
        elif one.type == "shorthand_property_identifier":
            members[text_of(one)] = expression(tables, one, scope, depth)
        elif one.type == "spread_element":
            tables.rows[number][2] = True  # more may be in it than is written
    return number


EXPRESSIONS: dict[str, Callable[[EcmaTables, "Node", int, int], int]] = {
    **dict.fromkeys(
        ("identifier", "shorthand_property_identifier", "type_identifier", "nested_identifier"),
        _identifier,
    ),
    **dict.fromkeys(("this", "super"), _self),
    **dict.fromkeys((*LITERALS, *EMPTY), _literal),
    **dict.fromkeys(FUNCTIONS, _function),
    **dict.fromkeys(("parenthesized_expression", "non_null_expression"), _wrapped),
    **dict.fromkeys(("as_expression", "satisfies_expression", "type_assertion"), _cast),
    "class": _class,
    "await_expression": _awaited,
    "assignment_expression": _assigned,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "ternary_expression": _ternary,
    "array": _array,
    "binary_expression": _binary,
    "new_expression": _new,
    "call_expression": _call,
    "object": _object,
}
