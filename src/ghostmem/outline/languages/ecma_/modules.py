"""What a file brings in and hands out: import, export, module.exports, and members of something."""

from typing import Any

from tree_sitter import Node

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.ecma_.declarations import attach, declare_function, declare_object
from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.terms import type_term
from ghostmem.outline.languages.ecma_.walk import CLASSES, FUNCTIONS, EcmaWalk, Step, string_value
from ghostmem.outline.languages.shared.syntax import text_of


def source_of(node: Node) -> str:
    """Return the module that a statement imports or exports from."""
    return string_value(node.child_by_field_name("source"))


def declare_import(walk: EcmaWalk, node: Node, scope: int, _owner: int) -> list[Step]:
    """Declare what an import statement brings in."""
    path, before = source_of(node), len(walk.imports)
    for clause in node.named_children:
        parts = clause.named_children
        if clause.type == "import_require_clause":
            path = source_of(clause)
            name = text_of(next((one for one in parts if one.type == "identifier"), None))
            _imported(walk, node, path, "=", name, scope)
        for one in parts if clause.type == "import_clause" else []:
            if one.type == "identifier":
                _imported(walk, one, path, "default", text_of(one), scope)
            elif one.type == "namespace_import":
                name = text_of(next(iter(one.named_children), None))
                _imported(walk, one, path, "*", name, scope)
            elif one.type == "named_imports":
                _named(walk, one, path, scope)
    if path and len(walk.imports) == before:
        walk.module_import(node, path, "", "")
    return []


def _named(walk: EcmaWalk, node: Node, path: str, scope: int) -> None:
    for one in node.named_children:
        if one.type == "import_specifier":
            name = text_of(one.child_by_field_name("name")).strip("\"'")
            alias = text_of(one.child_by_field_name("alias")) or name
            _imported(walk, one, path, name, alias, scope)


def _imported(walk: EcmaWalk, node: Node, path: str, name: str, alias: str, scope: int) -> None:
    walk.bind(scope, alias, ["i", walk.module_import(node, path, name, alias)])


def declare_alias(walk: EcmaWalk, node: Node, scope: int, _owner: int) -> list[Step]:
    """Declare `import a = b.c`."""
    parts = node.named_children
    if len(parts) == 2:
        number = expression(walk, parts[1], scope)
        walk.bind(scope, text_of(parts[0]), ["v", type_term(parts[1]), number])
    return []


def declare_export(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Note what an export statement hands out, and walk what it declares."""
    path = source_of(node)
    words = {one.type for one in node.children if not one.is_named}
    clause = next((one for one in node.named_children if one.type == "export_clause"), None)
    if path:
        _export_from(walk, node, clause, path, words)
        return []
    if clause:
        for name, alias in _specifiers(clause):
            _hand_out(walk, scope, alias, ["local", name])
        return []
    declared, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    decorators = [(one, scope, owner) for one in node.named_children if one.type == "decorator"]
    if declared:
        for name in _declared_names(declared):
            _hand_out(walk, scope, "default" if "default" in words else name, ["local", name])
        return [*decorators, (declared, scope, owner)]
    if value or "=" in words:
        value = value or next(iter(node.named_children), None)
        return decorators + _export_value(
            walk, node, value, "=" if "=" in words else "default", scope, owner
        )
    return [(one, scope, owner) for one in node.named_children]


def _hand_out(walk: EcmaWalk, scope: int, name: str, what: list[Any]) -> None:
    """Note an export of the file; those of a namespace are the names of its scope."""
    if scope == 0:
        walk.exports[name] = what


def _specifiers(clause: Node) -> list[tuple[str, str]]:
    rows = [one for one in clause.named_children if one.type == "export_specifier"]
    names = [
        (text_of(one.child_by_field_name("name")), text_of(one.child_by_field_name("alias")))
        for one in rows
    ]
    return [(name, alias or name) for name, alias in names]


def _export_from(
    walk: EcmaWalk, node: Node, clause: Node | None, path: str, words: set[str]
) -> None:
    walk.module_import(node, path, "", "")
    space = next((one for one in node.named_children if one.type == "namespace_export"), None)
    if space:
        walk.exports[text_of(next(iter(space.named_children), None))] = ["from", path, "*"]
    elif "*" in words:
        walk.stars.append(path)
    for name, alias in _specifiers(clause) if clause else []:
        walk.exports[alias] = ["from", path, name]


def _declared_names(node: Node) -> list[str]:
    if node.type == "ambient_declaration":
        return [name for one in node.named_children for name in _declared_names(one)]
    name = node.child_by_field_name("name")
    if name:
        return [string_value(name) or text_of(name)]
    names: list[str] = []
    for one in node.named_children:
        target = one.child_by_field_name("name") if one.type == "variable_declarator" else None
        stack = [target] if target else []
        while stack:
            part = stack.pop()
            if part.type in {"identifier", "shorthand_property_identifier_pattern"}:
                names.append(text_of(part))
            stack += (
                [inner for inner in part.named_children if inner.type != "property_identifier"]
                if part.type != "identifier"
                else []
            )
    return names


def _export_value(
    walk: EcmaWalk, node: Node, value: Node | None, name: str, scope: int, owner: int
) -> list[Step]:
    """Note `export default` of a value, or `module.exports =`.

    What has no name of its own is called default.
    """
    if value is None:
        return []
    own = text_of(value.child_by_field_name("name")) if value.type in FUNCTIONS | CLASSES else ""
    if value.type in FUNCTIONS and value.id not in walk.known:
        declare_function(walk, own or "default", owner, value, node, scope)
        walk.exports[name] = ["sym", len(walk.symbols) - 1]
    elif value.type in CLASSES:
        walk.named[value.id] = walk.declare_type(
            own or "default", "type", owner, node, scope, value=True
        )
        walk.exports[name] = ["sym", walk.named[value.id]]
    elif value.type == "identifier":
        walk.exports[name] = ["local", text_of(value)]
    else:
        declare_object(walk, value, scope, owner)
        walk.exports[name] = ["expr", expression(walk, value, scope)]
    return [(value, scope, owner)]


def member_assignment(
    walk: EcmaWalk, node: Node, left: Node, right: Node, scope: int, owner: int
) -> list[Step] | None:
    """Take an assignment that declares something: an export, a prototype's method, what `this`
    holds; None when it does not.
    """
    target, name = text_of(left).replace(" ", ""), text_of(left.child_by_field_name("property"))
    value, chain = right, [target]
    while value.type == "assignment_expression":
        inner = value.child_by_field_name("right")
        if inner is None:
            return None
        chain.append(text_of(value.child_by_field_name("left")))
        value = inner
    if "module.exports" in chain and walk.names_at(scope, "module") is None:
        named = (
            node.parent.child_by_field_name("name")
            if node.parent and node.parent.type == "variable_declarator"
            else None
        )
        if named and named.type == "identifier" and value.type not in FUNCTIONS | CLASSES:
            walk.exports["="] = ["local", text_of(named)]
            return [(value, scope, owner)]
        return _export_value(walk, node, value, "=", scope, owner)
    holder = target.rpartition(".")[0]
    first = holder.partition(".")[0]
    if holder in {"exports", "module.exports"} and walk.names_at(scope, first) is None:
        return _export_member(walk, node, value, chain, scope, owner)
    if holder == "this":
        _this_member(walk, right, name, scope)
        return None
    if (
        value.type in FUNCTIONS | CLASSES
        and len(chain) == 1
        and all(part.isidentifier() for part in target.replace("$", "_").split("."))
    ):
        walk.late.append((node, scope, owner))
        return []
    return None


def _export_member(
    walk: EcmaWalk, node: Node, value: Node, chain: list[str], scope: int, owner: int
) -> list[Step]:
    names = [
        one.rpartition(".")[2]
        for one in chain
        if one.rpartition(".")[0] in {"exports", "module.exports"}
    ]
    for at, name in enumerate(names):
        if at == 0 and value.type in FUNCTIONS and value.id not in walk.known:
            sym = walk.add_symbol(name, "function", owner, node)
            attach(walk, sym, value, scope)
            walk.exports[name] = ["sym", sym]
        else:
            walk.exports[name] = ["expr", expression(walk, value, scope)]
    if value.type not in FUNCTIONS:
        declare_object(walk, value, scope, owner)
    return [(value, scope, owner)]


def _this_member(walk: EcmaWalk, right: Node, name: str, scope: int) -> None:
    """Note what a class puts in one of its fields, from which the field's type is known when none
    is written.
    """
    at = scope
    while at >= 0 and walk.scopes[at][1] is None:
        at = walk.scopes[at][0]
    this = walk.scopes[at][1] if at >= 0 else None
    if this and this[0] == "c" and not this[2]:
        held = walk.symbols[this[1]].detail.setdefault("set", {})
        held.setdefault(name, []).append(expression(walk, right, scope))


def declare_member(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Declare `A.b = function`, `A.prototype.b = function` when A is a symbol of the file.

    Else walk them as any assignment.
    """
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return []
    parts = text_of(left).replace(" ", "").split(".")
    proto = len(parts) == 3 and parts[1] == "prototype"
    sym = _symbol_at(walk, parts[0], scope) if len(parts) == 2 or proto else FILE
    if sym == FILE or right.type in CLASSES:
        return [(right, scope, owner)]
    static = not proto and walk.symbols[sym].kind in {"function", "type"}
    method = walk.add_symbol(parts[-1], "method", sym, node, **({"static": True} if static else {}))
    attach(walk, method, right, scope, ["c", sym, static])
    return [(right, scope, owner)]


def _symbol_at(walk: EcmaWalk, name: str, scope: int) -> int:
    found = walk.names_at(scope, name) or []
    return int(found[0][1]) if len(found) == 1 and found[0][0] == "s" else FILE
