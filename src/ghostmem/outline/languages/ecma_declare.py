"""Declaring what stands in a JavaScript or TypeScript file: functions, variables, and the methods of object literals."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.ecma_terms import (
    CLASSES,
    FUNCTIONS,
    Tables,
    bind,
    bind_pattern,
    digest,
    expression,
    function_of,
    key_of,
    line_of,
    module_import,
    new_scope,
    row,
    string_value,
    text_of,
    type_term,
)

if TYPE_CHECKING:
    from tree_sitter import Node

Step = tuple["Node", int, int]
MAX_OBJECTS = 6  # levels of object literals whose methods are declared


@dataclass(slots=True)
class Walk:
    """A walk under way: its tables, and what it must remember."""

    tables: Tables
    path: str
    late: list[Step] = field(default_factory=list)
    modules: set[int] = field(default_factory=lambda: {0})  # the scopes whose variables are symbols
    bodies: dict[int, int] = field(default_factory=dict)  # scope: the function it is the body of
    pending: dict[tuple[int, str], list[Any]] = field(default_factory=dict)  # overloads waiting for their last

    def function_at(self, scope: int) -> int:
        """Return the function that a scope is in, -1 when in none."""
        while scope >= 0 and scope not in self.bodies:
            scope = self.tables.scopes[scope][0]
        return self.bodies.get(scope, -1)


def add_symbol(walk: Walk, name: str, kind: str, parent: int, node: "Node", **detail: Any) -> int:
    """Add a symbol and return its number."""
    head = (node.text or b"")[:400].decode("utf-8", "replace").split("\n", 1)[0].strip().removesuffix("{").rstrip()
    walk.tables.symbols.append(
        {
            "name": name, "kind": kind, "parent": parent, "line": line_of(node), "end_line": node.end_point[0] + 1,
            "start": node.start_byte, "stop": node.end_byte, "signature": head[:200],
            "detail": {"h": digest(walk.tables.source, node), **detail},
        }
    )  # fmt: skip
    return len(walk.tables.symbols) - 1


def declare_function(
    walk: Walk, name: str, kind: str, parent: int, node: "Node", whole: "Node", scope: int, this: Any = None
) -> int:
    """Declare a function under a name; `whole` is the statement that stands for it."""
    sym = add_symbol(walk, name, kind, parent, whole)
    if kind == "function":
        bind(walk.tables, scope, name, ["s", sym])
    attach(walk, sym, node, scope, this or (["c", sym, False] if kind == "function" else None))
    return sym


def attach(walk: Walk, sym: int, node: "Node", scope: int, this: Any = None) -> None:
    """Say that a function's node is the body of a symbol."""
    number = function_of(walk.tables, node, scope, this)
    walk.tables.functions[number]["sym"] = sym
    walk.tables.symbols[sym]["detail"]["f"] = number


def function_body(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Walk a function's inside; what is in an anonymous one belongs to whoever it stands in."""
    number = function_of(walk.tables, node, scope)
    record = walk.tables.functions[number]
    inner, sym = record["scope"], record["sym"] if record["sym"] >= 0 else owner
    walk.bodies[inner] = number
    name = node.child_by_field_name("name")
    if name and record["sym"] < 0 and node.type in {"function_expression", "generator_function"}:
        bind(walk.tables, inner, text_of(name), ["v", None, row(walk.tables, "f", number)])
    body = node.child_by_field_name("body")
    if node.type == "arrow_function" and body and body.type != "statement_block":
        declare_object(walk, body, inner, sym)
        record["rets"].append(expression(walk.tables, body, inner))
    found = (node.child_by_field_name(one) for one in ("type_parameters", "parameters", "return_type", "body"))
    return [(one, inner, sym) for one in found if one]


def declare_object(walk: Walk, node: "Node", scope: int, parent: int, depth: int = 0) -> None:
    """Declare the methods of an object literal under the symbol that holds it."""
    while node.type in {"parenthesized_expression", "as_expression", "satisfies_expression"} and node.named_children:
        node = node.named_children[0]
    if node.type != "object" or depth > MAX_OBJECTS:
        return
    this = ["o", expression(walk.tables, node, scope)]
    for one in node.named_children:
        value = one.child_by_field_name("value") if one.type == "pair" else one
        name = key_of(one.child_by_field_name("key") or one.child_by_field_name("name"))
        if not name or value is None:
            continue
        if value.type in FUNCTIONS:
            sym = add_symbol(walk, name, "method", parent, one)
            attach(walk, sym, value, scope, this)
            mark_accessor(walk, sym, value)
        elif value.type == "object" and _holds_functions(value):
            declare_object(walk, value, scope, add_symbol(walk, name, "field", parent, one), depth + 1)


def mark_accessor(walk: Walk, sym: int, node: "Node") -> None:
    """Note on a method whether it is a getter or a setter, and static."""
    words = {one.type for one in node.children}
    walk.tables.symbols[sym]["detail"].update({one: True for one in ("get", "set", "static") if one in words})


def _holds_functions(node: "Node") -> bool:
    stack, seen = [node], 0
    while stack and seen < 200:
        seen += 1
        for one in stack.pop().named_children:
            value = one.child_by_field_name("value") if one.type == "pair" else one
            if value and value.type in FUNCTIONS:
                return True
            if value and value.type == "object":
                stack.append(value)
    return False


def declare_variables(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Declare the names of a const, let or var."""
    steps: list[Step] = []
    rows = [one for one in node.named_children if one.type == "variable_declarator"]
    constant = text_of(node.child_by_field_name("kind")) == "const"
    at = scope if node.type == "lexical_declaration" else _function_scope(walk, scope)
    for one in rows:
        whole = node if len(rows) == 1 else one
        steps += _declarator(walk, one, whole, at, owner, "constant" if constant else "variable")
    return steps


def _function_scope(walk: Walk, scope: int) -> int:
    while scope not in walk.bodies and scope not in walk.modules and walk.tables.scopes[scope][0] >= 0:
        scope = walk.tables.scopes[scope][0]
    return scope


def _declarator(walk: Walk, node: "Node", whole: "Node", scope: int, owner: int, kind: str) -> list[Step]:
    name, value, typed = (node.child_by_field_name(one) for one in ("name", "value", "type"))
    rest = [(one, scope, owner) for one in (typed, value) if one]
    if name is None or _is_require(walk, name, value, scope, owner):
        return []
    if name.type != "identifier":
        number = expression(walk.tables, value, scope)
        _pattern_names(
            walk, name, whole, scope, owner, kind, row(walk.tables, "as", type_term(typed), scope) if typed else number
        )
        return [(name, scope, owner), *rest]
    if value and value.type in FUNCTIONS:
        declare_function(walk, text_of(name), "function", owner, value, whole, scope)
        walk.tables.symbols[-1]["detail"]["type"] = type_term(typed)
        return rest
    if value and value.type in CLASSES:
        walk.tables.named[value.id] = declare_type(walk, text_of(name), "type", owner, whole, scope, value=True)
        return rest
    if scope not in walk.modules:
        if value:
            declare_object(walk, value, scope, owner)
        bind(walk.tables, scope, text_of(name), ["v", type_term(typed), expression(walk.tables, value, scope)])
        return rest
    sym = add_symbol(walk, text_of(name), kind, owner, whole, type=type_term(typed), scope=scope)
    bind(walk.tables, scope, text_of(name), ["s", sym])
    if value:
        declare_object(walk, value, scope, sym)
    walk.tables.symbols[sym]["detail"]["value"] = expression(walk.tables, value, scope)
    return rest


def _pattern_names(walk: Walk, node: "Node", whole: "Node", scope: int, owner: int, kind: str, value: int) -> None:
    bind_pattern(walk.tables, node, new_scope(walk.tables, scope), value if value >= 0 else row(walk.tables, "?"))
    for name, found in sorted(walk.tables.scopes[-1][2].items()):
        if scope in walk.modules:
            sym = add_symbol(walk, name, kind, owner, whole, type=None, scope=scope, value=found[0][2])
            bind(walk.tables, scope, name, ["s", sym])
        else:
            bind(walk.tables, scope, name, found[0])


def _is_require(walk: Walk, name: "Node", value: "Node | None", scope: int, owner: int) -> bool:
    """Bind what `require` gives, when that is what a variable is set to."""
    member = ""
    if value and value.type == "member_expression":
        member, value = text_of(value.child_by_field_name("property")), value.child_by_field_name("object")
    given = value.child_by_field_name("arguments") if value and value.type == "call_expression" else None
    if (
        value is None
        or given is None
        or text_of(value.child_by_field_name("function")) != "require"
        or given.named_child_count != 1
    ):
        return False
    path = string_value(given.named_children[0])
    if not path or name.type not in {"identifier", "object_pattern"} or (member and name.type != "identifier"):
        return False
    at = owner if scope != 0 else FILE
    if name.type == "identifier":
        bind(walk.tables, scope, text_of(name), ["i", module_import(walk.tables, value, path, member or "=", text_of(name), at)])
        return True
    for one in name.named_children:
        local = one.child_by_field_name("value") if one.type == "pair_pattern" else one
        local = local.child_by_field_name("left") if local and "assignment" in local.type else local
        key = key_of(one.child_by_field_name("key")) if one.type == "pair_pattern" else text_of(local)
        if local:
            bind(walk.tables, scope, text_of(local), ["i", module_import(walk.tables, value, path, key, text_of(local), at)])
    return True


def declare_type(walk: Walk, name: str, kind: str, parent: int, node: "Node", scope: int, value: bool) -> int:
    """Declare a type; `value` says that it is there when the program runs."""
    sym = add_symbol(walk, name, kind, parent, node)
    bind(walk.tables, scope, "^" + name, ["s", sym])
    if value:
        bind(walk.tables, scope, name, ["s", sym])
    return sym
