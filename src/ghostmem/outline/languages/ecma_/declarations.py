"""Declare functions, the methods of object literals, and the names of const, let and var."""

from typing import Any

from tree_sitter import Node

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.ecma_.expressions import bind_pattern, expression, function_of
from ghostmem.outline.languages.ecma_.terms import type_term
from ghostmem.outline.languages.ecma_.walk import (
    CLASSES,
    FUNCTIONS,
    EcmaWalk,
    Step,
    fields,
    key_of,
    name_of,
    string_value,
)
from ghostmem.outline.languages.shared.syntax import text_of

MAX_OBJECTS = 6  # levels of object literals whose methods are declared
MAX_SEARCHED = 200  # object literals in which a function is looked for
WRAPPERS = {"parenthesized_expression", "as_expression", "satisfies_expression"}


def declare_function(
    walk: EcmaWalk, name: str, parent: int, node: Node, whole: Node, scope: int
) -> int:
    """Declare a function under a name; `whole` is the statement that contains it."""
    symbol = walk.add_symbol(name, "function", parent, whole)
    walk.bind(scope, name, ["s", symbol])
    attach(walk, symbol, node, scope, ["c", symbol, False])
    return symbol


def attach(walk: EcmaWalk, symbol: int, node: Node, scope: int, this: Any = None) -> None:
    """Make a function the body of a symbol."""
    number = function_of(walk, node, scope, this)
    walk.functions[number]["sym"] = symbol
    walk.symbols[symbol].detail["f"] = number


def function_body(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk a function; the content of an anonymous one belongs to the symbol around it."""
    number = function_of(walk, node, scope)
    record = walk.functions[number]
    inner, is_anonymous = record["scope"], record["sym"] < 0
    symbol = owner if is_anonymous else record["sym"]
    walk.bodies[inner] = number
    name = name_of(node)
    if name and is_anonymous and node.type in {"function_expression", "generator_function"}:
        walk.bind(inner, name, ["v", None, walk.row("f", number)])
    body = node.child_by_field_name("body")
    if node.type == "arrow_function" and body and body.type != "statement_block":
        declare_object(walk, body, inner, symbol)
        record["rets"].append(expression(walk, body, inner))
    return fields(node, ("type_parameters", "parameters", "return_type", "body"), inner, symbol)


def declare_object(
    walk: EcmaWalk, node: Node | None, scope: int, parent: int, depth: int = 0
) -> None:
    """Declare the methods of an object literal under the symbol that holds it."""
    while node and node.type in WRAPPERS and node.named_children:
        node = node.named_children[0]
    if node is None or node.type != "object" or depth > MAX_OBJECTS:
        return
    this = ["o", expression(walk, node, scope)]
    for child in node.named_children:
        value = child.child_by_field_name("value") if child.type == "pair" else child
        name = key_of(child.child_by_field_name("key") or child.child_by_field_name("name"))
        if not name or value is None:
            continue
        if value.type in FUNCTIONS:
            method = walk.add_symbol(name, "method", parent, child)
            attach(walk, method, value, scope, this)
            mark_accessor(walk, method, value)
        elif value.type == "object" and _has_function(value):
            inner = walk.add_symbol(name, "field", parent, child)
            declare_object(walk, value, scope, inner, depth + 1)


def mark_accessor(walk: EcmaWalk, symbol: int, node: Node) -> None:
    """Record for a method whether it is a getter, a setter, and static."""
    words = {child.type for child in node.children}
    flags = [word for word in ("get", "set", "static") if word in words]
    walk.symbols[symbol].detail.update(dict.fromkeys(flags, True))


def _has_function(node: Node) -> bool:
    """Tell whether an object literal or one inside of it has a function."""
    stack, searched = [node], 0
    while stack and searched < MAX_SEARCHED:
        searched += 1
        for child in stack.pop().named_children:
            value = child.child_by_field_name("value") if child.type == "pair" else child
            if value and value.type in FUNCTIONS:
                return True
            if value and value.type == "object":
                stack.append(value)
    return False


def declare_variables(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare the names of a const, let or var."""
    steps: list[Step] = []
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    kind = "constant" if text_of(node.child_by_field_name("kind")) == "const" else "variable"
    at = scope if node.type == "lexical_declaration" else _function_scope(walk, scope)
    for declarator in declarators:
        whole = node if len(declarators) == 1 else declarator
        steps += _declarator(walk, declarator, whole, at, owner, kind)
    return steps


def _function_scope(walk: EcmaWalk, scope: int) -> int:
    while scope not in walk.bodies and scope not in walk.modules and walk.scopes[scope][0] >= 0:
        scope = walk.scopes[scope][0]
    return scope


def _declarator(
    walk: EcmaWalk, node: Node, whole: Node, scope: int, owner: int, kind: str
) -> list[Step]:
    target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if target is None or _declare_required(walk, target, value, scope, owner):
        return []
    declared = node.child_by_field_name("type")
    steps = fields(node, ("type", "value"), scope, owner)
    name, term = text_of(target), type_term(declared)
    if target.type != "identifier":
        row = expression(walk, value, scope)
        row = walk.row("as", term, scope) if declared else row
        _declare_pattern(walk, target, whole, scope, owner, kind, row)
        return [(target, scope, owner), *steps]
    if value and value.type in FUNCTIONS:
        symbol = declare_function(walk, name, owner, value, whole, scope)
        walk.symbols[symbol].detail["type"] = term
    elif value and value.type in CLASSES:
        walk.class_of[value.id] = walk.declare_type(name, "type", owner, whole, scope, value=True)
    elif scope not in walk.modules:
        declare_object(walk, value, scope, owner)
        walk.bind(scope, name, ["v", term, expression(walk, value, scope)])
    else:
        symbol = walk.add_symbol(name, kind, owner, whole, type=term, scope=scope)
        walk.bind(scope, name, ["s", symbol])
        declare_object(walk, value, scope, symbol)
        walk.symbols[symbol].detail["value"] = expression(walk, value, scope)
    return steps


def _declare_pattern(
    walk: EcmaWalk, node: Node, whole: Node, scope: int, owner: int, kind: str, row: int
) -> None:
    """Declare the names of a pattern that is set to the value of a row."""
    bind_pattern(walk, node, walk.new_scope(scope), row if row >= 0 else walk.row("?"))
    for name, (binding, *_) in sorted(walk.scopes[-1][2].items()):
        if scope in walk.modules:
            detail = {"type": None, "scope": scope, "value": binding[2]}
            binding = ["s", walk.add_symbol(name, kind, owner, whole, **detail)]
        walk.bind(scope, name, binding)


def _declare_required(
    walk: EcmaWalk, target: Node, value: Node | None, scope: int, owner: int
) -> bool:
    """Bind a variable or a pattern to the module that its value requires, if it requires one."""
    member = ""
    if value and value.type == "member_expression":
        member = text_of(value.child_by_field_name("property"))
        value = value.child_by_field_name("object")
    path = _required_path(value)
    wanted = {"identifier"} if member else {"identifier", "object_pattern"}
    if not value or not path or target.type not in wanted:
        return False
    at = owner if scope != 0 else FILE
    names = (
        [(text_of(target), member or "=")] if target.type == "identifier" else _destructured(target)
    )
    for local, name in names:
        walk.bind(scope, local, ["i", walk.module_import(value, path, name, local, at)])
    return True


def _required_path(node: Node | None) -> str:
    """Return the path in a call of `require`, an empty text for other expressions."""
    arguments = (
        node.child_by_field_name("arguments") if node and node.type == "call_expression" else None
    )
    if node is None or arguments is None or arguments.named_child_count != 1:
        return ""
    is_require = text_of(node.child_by_field_name("function")) == "require"
    return string_value(arguments.named_children[0]) if is_require else ""


def _destructured(pattern: Node) -> list[tuple[str, str]]:
    """Return the names that an object pattern binds, and the properties they are bound to."""
    names = []
    for child in pattern.named_children:
        is_pair = child.type == "pair_pattern"
        local = child.child_by_field_name("value") if is_pair else child
        if local and "assignment" in local.type:
            local = local.child_by_field_name("left")
        if local:
            key = key_of(child.child_by_field_name("key")) if is_pair else text_of(local)
            names.append((text_of(local), key))
    return names
