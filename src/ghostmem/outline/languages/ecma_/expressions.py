"""Turn expressions into rows of plain data, and record the functions and patterns in them."""

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.ecma_.terms import (
    EMPTY,
    LITERALS,
    PARAMETERS,
    type_arguments,
    type_parameters,
    type_term,
)
from ghostmem.outline.languages.ecma_.walk import (
    FUNCTIONS,
    UNKNOWN,
    EcmaWalk,
    key_of,
    string_value,
)
from ghostmem.outline.languages.shared.syntax import MAX_DEPTH, text_of

CHOICES = {"||", "&&", "??"}
COMPARISONS = {"===", "!==", "==", "!=", "<", ">", "<=", ">=", "in", "instanceof"}
MAX_ARGUMENTS = 8  # of a call, whose types are inferred
MAX_ELEMENTS = 4  # of an array literal, whose types are inferred


def function_of(walk: EcmaWalk, node: Node, scope: int, this: Any = None) -> int:
    """Return the number of a function, whose record is made when it is first met."""
    if node.id in walk.function_of:
        return walk.function_of[node.id]
    inner = walk.new_scope(scope, None if node.type == "arrow_function" else this or ["?"])
    number = walk.function_of[node.id] = len(walk.functions)
    words = {child.type for child in node.children if not child.is_named}
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
    _bind_parameters(walk, node, inner, number, record["types"])
    return number


def _bind_parameters(walk: EcmaWalk, node: Node, scope: int, number: int, types: list[Any]) -> None:
    """Bind the parameters of a function, and add their types to a list."""
    single = node.child_by_field_name("parameter")
    found = node.child_by_field_name("parameters")
    for child in [single] if single else found.named_children if found else []:
        if child.type in {"comment", "decorator"}:
            continue
        pattern, term = child, None
        if child.type in PARAMETERS:
            pattern = child.child_by_field_name("pattern") or child
            term = type_term(child.child_by_field_name("type"))
        if pattern.type == "this":
            walk.scopes[scope][1] = ["t", term, scope]
            continue
        bind_pattern(walk, pattern, scope, walk.row("param", number, len(types)))
        types.append(term)


def bind_pattern(walk: EcmaWalk, node: Node | None, scope: int, value: int, depth: int = 0) -> None:
    """Bind the names of a pattern to the parts of a value."""
    if node is None or depth > MAX_DEPTH:
        return
    match node.type:
        case "identifier":
            walk.bind(scope, text_of(node), ["v", None, value])
        case "shorthand_property_identifier_pattern":
            walk.bind(scope, text_of(node), ["v", None, walk.row("m", value, text_of(node))])
        case "object_pattern":
            for child in node.named_children:
                bind_pattern(walk, child, scope, value, depth + 1)
        case "pair_pattern":
            part = walk.row("m", value, key_of(node.child_by_field_name("key")))
            bind_pattern(walk, node.child_by_field_name("value"), scope, part, depth)
        case "object_assignment_pattern" | "assignment_pattern":
            bind_pattern(walk, node.child_by_field_name("left"), scope, value, depth + 1)
        case "array_pattern":
            for at, child in enumerate(node.named_children):
                bind_pattern(walk, child, scope, walk.row("at", value, at), depth + 1)
        case "rest_pattern":
            whole = walk.rows[value][0] == "param" and depth == 0
            for child in node.named_children:
                bind_pattern(walk, child, scope, value if whole else UNKNOWN, depth + 1)


def expression(walk: EcmaWalk, node: Node | None, scope: int, depth: int = 0) -> int:
    """Return the row of an expression, UNKNOWN if nothing is known of it."""
    if node is None or depth > MAX_DEPTH:
        return UNKNOWN
    row = walk.row_of.get(node.id)
    if row is None:
        make = EXPRESSIONS.get(node.type)
        row = make(walk, node, scope, depth + 1) if make else UNKNOWN
        row = walk.row_of.setdefault(node.id, row)
    return row


def _first(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    return expression(walk, next(iter(node.named_children), None), scope, depth)


def _subscript(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    index = node.child_by_field_name("index")
    target = expression(walk, node.child_by_field_name("object"), scope, depth)
    if index and index.type == "string":
        return walk.row("m", target, string_value(index))
    text = text_of(index)
    return walk.row("at", target, int(text) if text.isdecimal() and len(text) < 6 else UNKNOWN)


def _array(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    parts = [child for child in node.named_children if child.type != "spread_element"]
    rows = [expression(walk, part, scope, depth) for part in parts[:MAX_ELEMENTS]]
    return walk.row("arr", rows)


def _cast(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    parts = node.named_children
    if node.type == "type_assertion":
        types = parts[0].named_children if parts else []
        return walk.row("as", type_term(types[0]) if types else None, scope)
    if len(parts) < 2 or node.type == "satisfies_expression":  # `as const` has no second part
        return _first(walk, node, scope, depth)
    return walk.row("as", type_term(parts[-1]), scope)


def _binary(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    sign = text_of(node.child_by_field_name("operator"))
    if sign in CHOICES:
        sides = map(node.child_by_field_name, ("left", "right"))
        return walk.row("u", [expression(walk, side, scope, depth) for side in sides])
    return walk.row("lit", "Boolean") if sign in COMPARISONS else UNKNOWN


def _new(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    constructor = expression(walk, node.child_by_field_name("constructor"), scope, depth)
    number = walk.row("new", constructor, type_arguments(node), scope)
    arguments = node.child_by_field_name("arguments")
    _callbacks(walk, number, arguments.named_children if arguments else [], scope)
    return number


def _callbacks(walk: EcmaWalk, call: int, arguments: list[Node], scope: int) -> None:
    """Record for functions that are arguments to which call, and at which position."""
    for position, node in enumerate(arguments):
        if node.type in FUNCTIONS:
            walk.functions[function_of(walk, node, scope)]["ctx"] = [call, position]


def _call(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    callee, found = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    arguments = (
        [child for child in found.named_children if child.type != "comment"]
        if found and found.type == "arguments"
        else []
    )
    word = text_of(callee) if callee and callee.type in {"import", "identifier"} else ""
    path = string_value(arguments[0]) if len(arguments) == 1 else ""
    if path and word in {"require", "import"}:
        return walk.row("req", path, word == "import")
    values: list[int] = []
    target = expression(walk, callee, scope, depth)
    number = walk.row("c", target, values, type_arguments(node), scope)
    for argument in arguments[:MAX_ARGUMENTS]:
        is_one = argument.type != "spread_element"
        values.append(expression(walk, argument, scope, depth) if is_one else UNKNOWN)
    _callbacks(walk, number, arguments[:MAX_ARGUMENTS], scope)
    return number


def _object(walk: EcmaWalk, node: Node, scope: int, depth: int) -> int:
    members: dict[str, int] = {}
    number = walk.row_of[node.id] = walk.row("o", members)
    for child in node.named_children:
        if child.type == "pair":
            value = child.child_by_field_name("value")
            if value and value.type in FUNCTIONS:
                function_of(walk, value, scope, ["o", number])
            key = key_of(child.child_by_field_name("key"))
            members[key] = expression(walk, value, scope, depth)
        elif child.type == "method_definition":
            function_of(walk, child, scope, ["o", number])
            is_accessor = any(part.type in {"get", "set"} for part in child.children)
            members[key_of(child.child_by_field_name("name"))] = (
                UNKNOWN if is_accessor else expression(walk, child, scope, depth)
            )
        elif child.type == "shorthand_property_identifier":
            members[text_of(child)] = expression(walk, child, scope, depth)
    return number


EXPRESSIONS: dict[str, Callable[[EcmaWalk, Node, int, int], int]] = {
    **dict.fromkeys(
        ("identifier", "shorthand_property_identifier", "type_identifier"),
        lambda walk, node, scope, _depth: walk.row("id", text_of(node), scope),
    ),
    **dict.fromkeys(
        ("this", "super"), lambda walk, node, scope, _depth: walk.row(node.type, scope)
    ),
    **dict.fromkeys(
        (*LITERALS, *EMPTY),
        lambda walk, node, _scope, _depth: walk.row("lit", LITERALS.get(node.type, "null")),
    ),
    **dict.fromkeys(
        FUNCTIONS,
        lambda walk, node, scope, _depth: walk.row("f", function_of(walk, node, scope)),
    ),
    **dict.fromkeys(("parenthesized_expression", "non_null_expression"), _first),
    **dict.fromkeys(("as_expression", "satisfies_expression", "type_assertion"), _cast),
    "class": lambda walk, node, _scope, _depth: walk.row("cls", node.id),
    "await_expression": lambda walk, node, scope, depth: walk.row(
        "aw", _first(walk, node, scope, depth)
    ),
    "assignment_expression": lambda walk, node, scope, depth: expression(
        walk, node.child_by_field_name("right"), scope, depth
    ),
    **dict.fromkeys(
        ("member_expression", "nested_identifier"),
        lambda walk, node, scope, depth: walk.row(
            "m",
            expression(walk, node.child_by_field_name("object"), scope, depth),
            text_of(node.child_by_field_name("property")),
        ),
    ),
    "ternary_expression": lambda walk, node, scope, depth: walk.row(
        "u",
        [
            expression(walk, node.child_by_field_name(side), scope, depth)
            for side in ("consequence", "alternative")
        ],
    ),
    "subscript_expression": _subscript,
    "array": _array,
    "binary_expression": _binary,
    "new_expression": _new,
    "call_expression": _call,
    "object": _object,
}
