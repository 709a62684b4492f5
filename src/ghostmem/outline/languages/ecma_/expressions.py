"""Expressions as rows of plain data, with the functions and patterns in them."""

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.ecma_.terms import (
    EMPTY,
    LITERALS,
    type_arguments,
    type_parameters,
    type_term,
)
from ghostmem.outline.languages.ecma_.walk import FUNCTIONS, UNKNOWN, EcmaWalk, key_of, string_value
from ghostmem.outline.languages.shared.syntax import MAX_DEPTH, text_of


def function_of(walk: EcmaWalk, node: Node, scope: int, this: Any = None) -> int:
    """Return the record of a function, made when it is first met: its scope, parameters, and what
    it says it returns.
    """
    if node.id in walk.known:
        return walk.known[node.id]
    inner = walk.new_scope(scope, None if node.type == "arrow_function" else this or ["?"])
    number = len(walk.functions)
    walk.known[node.id] = number
    words = {one.type for one in node.children if not one.is_named}
    record: dict[str, Any] = {
        "scope": inner,
        "types": [],
        "ret": type_term(node.child_by_field_name("return_type")),
        "rets": [],
        "async": "async" in words,
        "gen": "*" in words or "generator" in node.type,
        "sym": -1,
        "ctx": None,
        "tp": type_parameters(walk, node, inner),
    }
    walk.functions.append(record)
    _bind_parameters(walk, node, inner, number, record)
    return number


def _bind_parameters(
    walk: EcmaWalk, node: Node, scope: int, number: int, record: dict[str, Any]
) -> None:
    single = node.child_by_field_name("parameter")
    found = node.child_by_field_name("parameters")
    position = 0
    for one in [single] if single else found.named_children if found else []:
        if one.type in {"comment", "decorator"}:
            continue
        pattern, kind = one, None
        if one.type in {"required_parameter", "optional_parameter"}:
            pattern, kind = (
                one.child_by_field_name("pattern") or one,
                type_term(one.child_by_field_name("type")),
            )
        if pattern.type == "this":
            walk.scopes[scope][1] = ["t", kind, scope]
            continue
        record["types"].append(kind)
        bind_pattern(walk, pattern, scope, walk.row("param", number, position))
        position += 1


def bind_pattern(walk: EcmaWalk, node: Node, scope: int, value: int, depth: int = 0) -> None:
    """Bind the names of a pattern to the parts of a value."""
    if depth > MAX_DEPTH:
        return
    match node.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            part = value if node.type == "identifier" else walk.row("m", value, text_of(node))
            walk.bind(scope, text_of(node), ["v", None, part])
        case "object_pattern":
            for one in node.named_children:
                if one.type == "pair_pattern":
                    inner = one.child_by_field_name("value")
                    if inner:
                        part = walk.row("m", value, key_of(one.child_by_field_name("key")))
                        bind_pattern(walk, inner, scope, part, depth + 1)
                else:
                    bind_pattern(walk, one, scope, value, depth + 1)
        case "object_assignment_pattern" | "assignment_pattern":
            left = node.child_by_field_name("left")
            if left:
                bind_pattern(walk, left, scope, value, depth + 1)
        case "array_pattern":
            for at, one in enumerate(node.named_children):
                bind_pattern(walk, one, scope, walk.row("at", value, at), depth + 1)
        case "rest_pattern":
            whole = walk.rows[value][0] == "param" and depth == 0
            for one in node.named_children:
                bind_pattern(walk, one, scope, value if whole else UNKNOWN, depth + 1)
        case _:
            pass


CHOICES = {"||", "&&", "??"}


def expression(walk: EcmaWalk, node: Node | None, scope: int, depth: int = 0) -> int:
    """Return the row of an expression, -1 when nothing can be said of it."""
    if node is None or depth > MAX_DEPTH:
        return UNKNOWN
    found = walk.seen.get(node.id)
    if found is None:
        made = EXPRESSIONS.get(node.type)
        found = walk.seen.setdefault(
            node.id, made(walk, node, scope, depth + 1) if made else UNKNOWN
        )
    return found


def _identifier(walk: EcmaWalk, node: Node, scope: int, _depth: int) -> int:
    return walk.row("id", text_of(node), scope)


def _self(walk: EcmaWalk, node: Node, scope: int, _depth: int) -> int:
    return walk.row(node.type, scope)


def _literal(walk: EcmaWalk, node: Node, _scope: int, _depth: int) -> int:
    return walk.row("lit", LITERALS.get(node.type, "null"))


def _function(walk: EcmaWalk, node: Node, scope: int, _depth: int) -> int:
    return walk.row("f", function_of(walk, node, scope))


def _class(walk: EcmaWalk, node: Node, _scope: int, _depth: int) -> int:
    return walk.row("cls", node.id)


def _wrapped(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    return expression(walk, next(iter(node.named_children), None), scope, depth)


def _awaited(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    return walk.row("aw", _wrapped(walk, node, scope, depth))


def _assigned(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    return expression(walk, node.child_by_field_name("right"), scope, depth)


def _member(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    target = expression(walk, node.child_by_field_name("object"), scope, depth)
    return walk.row("m", target, text_of(node.child_by_field_name("property")))


def _subscript(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    index = node.child_by_field_name("index")
    target = expression(walk, node.child_by_field_name("object"), scope, depth)
    if index and index.type == "string":
        return walk.row("m", target, string_value(index))
    text = text_of(index)
    return walk.row("at", target, int(text) if text.isdecimal() and len(text) < 6 else UNKNOWN)


def _ternary(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    sides = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
    return walk.row("u", [expression(walk, one, scope, depth) for one in sides])


def _array(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    parts = [one for one in node.named_children if one.type != "spread_element"][:4]
    return walk.row("arr", [expression(walk, one, scope, depth) for one in parts])


def _cast(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    parts = node.named_children
    if node.type == "type_assertion":
        return walk.row(
            "as",
            type_term(parts[0].named_children[0]) if parts and parts[0].named_children else None,
            scope,
        )
    if len(parts) < 2:  # `as const`
        return expression(walk, next(iter(parts), None), scope, depth)
    if node.type == "satisfies_expression":
        return expression(walk, parts[0], scope, depth)
    return walk.row("as", type_term(parts[-1]), scope)


def _binary(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    left, sign = node.child_by_field_name("left"), text_of(node.child_by_field_name("operator"))
    right = node.child_by_field_name("right")
    if sign in CHOICES:
        return walk.row("u", [expression(walk, one, scope, depth) for one in (left, right)])
    return (
        walk.row("lit", "Boolean")
        if sign in {"===", "!==", "==", "!=", "<", ">", "<=", ">=", "in", "instanceof"}
        else UNKNOWN
    )


def _new(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    made = expression(walk, node.child_by_field_name("constructor"), scope, depth)
    number = walk.row("new", made, type_arguments(node), scope)
    given = node.child_by_field_name("arguments")
    for at, one in enumerate(given.named_children if given else []):
        if one.type in FUNCTIONS:
            walk.functions[function_of(walk, one, scope)]["ctx"] = [number, at]
    return number


def _call(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
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
            return walk.row("req", path, text_of(callee) == "import")
    target = expression(walk, callee, scope, depth)
    number = walk.row("c", target, [], type_arguments(node), scope)
    for at, one in enumerate(arguments[:8]):
        walk.rows[number][2].append(
            expression(walk, one, scope, depth) if one.type != "spread_element" else UNKNOWN
        )
        if one.type in FUNCTIONS:
            walk.functions[function_of(walk, one, scope)]["ctx"] = [number, at]
    return number


def _object(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    number = walk.row("o", {})
    walk.seen[node.id] = number
    members = walk.rows[number][1]
    for one in node.named_children:
        if one.type == "pair":
            value = one.child_by_field_name("value")
            if value and value.type in FUNCTIONS:
                function_of(walk, value, scope, ["o", number])
            members[key_of(one.child_by_field_name("key"))] = expression(walk, value, scope, depth)
        elif one.type == "method_definition":
            function_of(walk, one, scope, ["o", number])
            getter = any(part.type in {"get", "set"} for part in one.children)
            members[key_of(one.child_by_field_name("name"))] = (
                UNKNOWN if getter else expression(walk, one, scope, depth)
            )
        elif one.type == "shorthand_property_identifier":
            members[text_of(one)] = expression(walk, one, scope, depth)
    return number


EXPRESSIONS: dict[str, Callable[[EcmaWalk, Node, int, int], int]] = {
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
