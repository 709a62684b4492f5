"""Record imports and exports: import, export, and assignments to module.exports and members."""

from typing import Any

from tree_sitter import Node

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.ecma_.declarations import attach, declare_function, declare_object
from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.walk import (
    CLASSES,
    FUNCTIONS,
    EcmaWalk,
    Step,
    child_of_type,
    inside,
    name_of,
    string_value,
)
from ghostmem.outline.languages.shared.syntax import text_of

EXPORTS = {"exports", "module.exports"}


def _source(node: Node) -> str:
    """Return the module that a statement imports or exports from."""
    return string_value(node.child_by_field_name("source"))


def _first_text(node: Node) -> str:
    """Return the source of the first child of a node."""
    return text_of(next(iter(node.named_children), None))


def declare_import(walk: EcmaWalk, node: Node, scope: int, _owner: int) -> list[Step]:
    """Bind the names of an import statement."""
    path, before = _source(node), len(walk.imports)
    for clause in node.named_children:
        if clause.type == "import_require_clause":
            path = _source(clause)
            name = text_of(child_of_type(clause, ["identifier"]))
            _bind_import(walk, node, path, "=", name, scope)
        elif clause.type == "import_clause":
            for child in clause.named_children:
                for name, alias, place in _imported_names(child):
                    _bind_import(walk, place, path, name, alias, scope)
    if path and len(walk.imports) == before:
        walk.module_import(node, path, "", "")
    return []


def _imported_names(node: Node) -> list[tuple[str, str, Node]]:
    """Return the names, aliases and nodes of a part of an import clause."""
    if node.type == "identifier":
        return [("default", text_of(node), node)]
    if node.type == "namespace_import":
        return [("*", _first_text(node), node)]
    return [
        (name.strip("\"'"), alias.strip("\"'"), child)
        for name, alias, child in _specifiers(node, "import_specifier")
    ]


def _bind_import(walk: EcmaWalk, node: Node, path: str, name: str, alias: str, scope: int) -> None:
    walk.bind(scope, alias, ["i", walk.module_import(node, path, name, alias)])


def declare_export(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Record the names that an export statement exports, and walk its declarations."""
    path, words = _source(node), {child.type for child in node.children}
    clause = child_of_type(node, ["export_clause"])
    if path:
        _export_from(walk, node, clause, path, words)
        return []
    if clause:
        for name, alias, _ in _specifiers(clause, "export_specifier"):
            _export(walk, scope, alias, ["local", name])
        return []
    declared, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    decorators = inside(node, scope, owner, "decorator")
    if declared:
        for name in _declared_names(declared):
            _export(walk, scope, "default" if "default" in words else name, ["local", name])
        return [*decorators, (declared, scope, owner)]
    if value or "=" in words:
        value = value or next(iter(node.named_children), None)
        name = "=" if "=" in words else "default"
        return decorators + _export_value(walk, node, value, name, scope, owner)
    return inside(node, scope, owner)


def _export(walk: EcmaWalk, scope: int, name: str, export: list[Any]) -> None:
    """Record an export of the file; those of a namespace are the names of its scope."""
    if scope == 0:
        walk.exports[name] = export


def _specifiers(clause: Node, kind: str) -> list[tuple[str, str, Node]]:
    """Return the names, aliases and nodes in an import or export clause."""
    return [
        (name_of(child), text_of(child.child_by_field_name("alias")) or name_of(child), child)
        for child in clause.named_children
        if child.type == kind
    ]


def _export_from(
    walk: EcmaWalk, node: Node, clause: Node | None, path: str, words: set[str]
) -> None:
    walk.module_import(node, path, "", "")
    namespace = child_of_type(node, ["namespace_export"])
    if namespace:
        walk.exports[_first_text(namespace)] = ["from", path, "*"]
    elif "*" in words:
        walk.stars.append(path)
    for name, alias, _ in _specifiers(clause, "export_specifier") if clause else []:
        walk.exports[alias] = ["from", path, name]


def _declared_names(node: Node) -> list[str]:
    if node.type == "ambient_declaration":
        return [name for child in node.named_children for name in _declared_names(child)]
    name = node.child_by_field_name("name")
    if name:
        return [string_value(name) or text_of(name)]
    return [
        pattern_name
        for child in node.named_children
        if child.type == "variable_declarator"
        for pattern_name in _pattern_names(child.child_by_field_name("name"))
    ]


def _pattern_names(node: Node | None) -> list[str]:
    """Return the names that a pattern binds."""
    names = []
    stack = [node] if node else []
    while stack:
        part = stack.pop()
        if part.type in {"identifier", "shorthand_property_identifier_pattern"}:
            names.append(text_of(part))
        stack += [child for child in part.named_children if child.type != "property_identifier"]
    return names


def _export_value(
    walk: EcmaWalk, node: Node, value: Node | None, name: str, scope: int, owner: int
) -> list[Step]:
    """Record `export default` of a value or `module.exports =`.

    A function or class without a name is called default.
    """
    if value is None:
        return []
    if value.type in FUNCTIONS and value.id not in walk.function_of:
        own = name_of(value) or "default"
        symbol = declare_function(walk, own, owner, value, node, scope)
        walk.exports[name] = ["sym", symbol]
    elif value.type in CLASSES:
        own = name_of(value) or "default"
        symbol = walk.declare_type(own, "type", owner, node, scope, value=True)
        walk.class_of[value.id] = symbol
        walk.exports[name] = ["sym", symbol]
    elif value.type == "identifier":
        walk.exports[name] = ["local", text_of(value)]
    else:
        declare_object(walk, value, scope, owner)
        walk.exports[name] = ["expr", expression(walk, value, scope)]
    return [(value, scope, owner)]


def member_assignment(
    walk: EcmaWalk, node: Node, left: Node, right: Node, scope: int, owner: int
) -> list[Step] | None:
    """Record an assignment that declares an export, a method of a prototype, or a field.

    None if it declares nothing, so that it is walked as any other.
    """
    target = text_of(left).replace(" ", "")
    value: Node | None = right
    chain = [target]  # a = b = value
    while value and value.type == "assignment_expression":
        chain.append(text_of(value.child_by_field_name("left")))
        value = value.child_by_field_name("right")
    if value is None:
        return None
    if "module.exports" in chain and walk.names_at(scope, "module") is None:
        return _export_module(walk, node, value, scope, owner)
    holder = target.rpartition(".")[0]
    if holder in EXPORTS and walk.names_at(scope, holder.partition(".")[0]) is None:
        return _export_member(walk, node, value, chain, scope, owner)
    if holder == "this":
        _this_member(walk, right, text_of(left.child_by_field_name("property")), scope)
        return None
    is_name = all(part.isidentifier() for part in target.replace("$", "_").split("."))
    if value.type in FUNCTIONS | CLASSES and len(chain) == 1 and is_name:
        walk.assignments.append((node, scope, owner))
        return []
    return None


def _export_module(walk: EcmaWalk, node: Node, value: Node, scope: int, owner: int) -> list[Step]:
    """Record `module.exports = value`, also as the value of a variable."""
    around = node.parent if node.parent and node.parent.type == "variable_declarator" else None
    variable = around.child_by_field_name("name") if around else None
    if variable and variable.type == "identifier" and value.type not in FUNCTIONS | CLASSES:
        walk.exports["="] = ["local", text_of(variable)]
        return [(value, scope, owner)]
    return _export_value(walk, node, value, "=", scope, owner)


def _export_member(
    walk: EcmaWalk, node: Node, value: Node, chain: list[str], scope: int, owner: int
) -> list[Step]:
    """Record `exports.a = exports.b = value`."""
    targets = (target.rpartition(".") for target in chain)
    names = [name for holder, _, name in targets if holder in EXPORTS]
    is_new = value.type in FUNCTIONS and value.id not in walk.function_of
    for at, name in enumerate(names):
        if at == 0 and is_new:
            symbol = walk.add_symbol(name, "function", owner, node)
            attach(walk, symbol, value, scope)
            walk.exports[name] = ["sym", symbol]
        else:
            walk.exports[name] = ["expr", expression(walk, value, scope)]
    declare_object(walk, value, scope, owner)
    return [(value, scope, owner)]


def _this_member(walk: EcmaWalk, right: Node, name: str, scope: int) -> None:
    """Record a value of a field, whose type is inferred from its values if none is declared."""
    at = scope
    while at >= 0 and walk.scopes[at][1] is None:
        at = walk.scopes[at][0]
    match walk.scopes[at][1] if at >= 0 else None:
        case ["c", symbol, False]:
            values = walk.symbols[symbol].detail.setdefault("set", {})
            values.setdefault(name, []).append(expression(walk, right, scope))


def declare_member(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare `A.b = function` or `A.prototype.b = function` if A is a symbol of the file."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return []
    parts = text_of(left).replace(" ", "").split(".")
    of_prototype = len(parts) == 3 and parts[1] == "prototype"
    symbol = _symbol_at(walk, parts[0], scope) if len(parts) == 2 or of_prototype else FILE
    if symbol != FILE and right.type not in CLASSES:
        static = not of_prototype and walk.symbols[symbol].kind in {"function", "type"}
        detail = {"static": True} if static else {}
        method = walk.add_symbol(parts[-1], "method", symbol, node, **detail)
        attach(walk, method, right, scope, ["c", symbol, static])
    return [(right, scope, owner)]


def _symbol_at(walk: EcmaWalk, name: str, scope: int) -> int:
    found = walk.names_at(scope, name) or []
    return int(found[0][1]) if len(found) == 1 and found[0][0] == "s" else FILE
