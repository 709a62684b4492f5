"""Python statements that bind names, and their targets: names, attributes, patterns."""

from typing import TYPE_CHECKING

from ghostmem.outline.facts import Import
from ghostmem.outline.languages.python_.expressions import MAX_LEVELS, attribute, type_of, value
from ghostmem.outline.languages.python_.tables import LATE, PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node

PATTERNS = ("pattern_list", "tuple_pattern", "list_pattern")
_SEQUENCES = (*PATTERNS, "tuple", "list", "expression_list")


def target(t: PythonTables, node: "Node | None", row: int, pos: int) -> None:
    """Bind the target of an assignment, a loop or a with statement to a value."""
    if node is None or t.depth > MAX_LEVELS:
        return
    if node.type == "identifier":
        t.bind(t.text(node), "val", pos, row)
    elif node.type == "attribute":
        store(t, node, -1, row)
    elif node.type in _SEQUENCES:
        t.depth += 1
        parts = [child for child in node.named_children if child.type != "comment"]
        for index, child in enumerate(parts):
            target(t, child, t.add("u", row, index), pos)
        t.depth -= 1
    elif node.type in ("list_splat_pattern", "list_splat"):
        target(t, nth(node, 0), t.add("l", []), pos)
    elif node.type in ("parenthesized_expression", "as_pattern_target"):
        target(t, nth(node, 0), row, pos)
    else:
        value(t, node)
        inner = node.child_by_field_name("subscript") if node.type == "subscript" else None
        if inner is not None:
            key = t.add("k", "str", "") if inner.type == "string" else 0
            t.fill(node.child_by_field_name("value"), t.add("d", [key], [row]), pos)


def store(t: PythonTables, node: "Node", annotation: int, row: int) -> None:
    """Note a write of an attribute.

    One of the first parameter of a method tells which attributes the class's instances have.
    """
    written = attribute(t, node)
    t.ref("assigns", t.short(node), t.at(node), written)
    values = t.own_attribute(node)
    if values is not None:
        values.append([annotation, row])


def assignment(t: PythonTables, node: "Node") -> None:
    """Bind the targets of an assignment, and of those chained to it."""
    targets: list[tuple[Node | None, Node | None]] = []
    right: Node | None = node
    while right is not None and right.type == "assignment":
        targets.append((right.child_by_field_name("left"), right.child_by_field_name("type")))
        right = right.child_by_field_name("right")
    row = value(t, right) if right is not None else -1
    for left, annotation in targets:
        _assign(t, node, left, annotation, row)
    if right is not None and targets[0][0] is not None and t.text(targets[0][0]) == "__all__":
        _exports(t, right, fresh=True)


def _assign(
    t: PythonTables, node: "Node", left: "Node | None", annotation: "Node | None", row: int
) -> None:
    if left is None:
        return
    declared = type_of(t, annotation)
    if left.type == "attribute":
        store(t, left, declared, max(row, 0) if declared < 0 else row)
    elif left.type == "identifier":
        _variable(t, node, left, declared, row)
    elif left.type in PATTERNS and t.scopes[t.scope]["kind"] in ("module", "class"):
        for index, child in enumerate(left.named_children):
            _assign(t, node, child, None, t.add("u", row, index))
    else:
        target(t, left, max(row, 0), node.end_byte)


def _variable(t: PythonTables, node: "Node", left: "Node", declared: int, row: int) -> None:
    """Bind a variable; those of a module and of a class are symbols, and a second value is an
    assignment.
    """
    word = t.text(left)
    home = t.home(word)
    symbol = -1
    if t.scopes[home]["kind"] in ("module", "class"):
        known = [one[5] for one in t.scopes[home]["names"].get(word, ()) if one[5] >= 0]
        if known:
            symbol = known[0]
            position = LATE if home != t.scope else node.end_byte
            t.ref("assigns", word, t.at(left), t.name(word, left, position))
        else:
            symbol = _declare(t, node, word, home)
    if declared >= 0:
        t.bind(word, "ann", node.end_byte, declared, row, symbol)
    else:
        t.bind(word, "val", node.end_byte, max(row, 0), -1, symbol)


def _declare(t: PythonTables, node: "Node", word: str, home: int) -> int:
    bare = word.strip("_")
    if t.scopes[home]["kind"] == "class":
        kind = "field"
    else:
        kind = "constant" if bare and bare == bare.upper() and not bare.isdigit() else "variable"
    owner, t.owner = t.owner, t.scopes[home]["symbol"]
    symbol = t.symbol(word, kind, node, t.short(node), {})
    t.owner = owner
    return symbol


def augmented_assignment(t: PythonTables, node: "Node") -> None:
    """Note the read and the write of an assignment with an operator."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    value(t, right)
    if left is None:
        return
    row = value(t, left)
    if left.type in ("identifier", "attribute"):
        t.ref("assigns", t.short(left), t.at(left), row)
    if left.type == "identifier":
        # it must be a local all the same, and keeps its type
        t.bind(t.text(left), "val", node.end_byte, row)
        if t.text(left) == "__all__" and right is not None:
            _exports(t, right, fresh=False)


def _exports(t: PythonTables, node: "Node", fresh: bool) -> None:
    if t.scopes[t.scope]["kind"] != "module":
        return
    words = [nth(child, 1) for child in node.named_children if child.type == "string"]
    found = [t.text(word) for word in words if word is not None]
    if node.type in ("list", "tuple"):
        t.exports = found if fresh else [*(t.exports or []), *found]


def exports_call(t: PythonTables, node: "Node") -> None:
    """Note the names that `__all__.extend` adds."""
    if t.scope != 0 or node.type != "call":
        return
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is not None and arguments is not None and t.text(function) == "__all__.extend":
        for argument in arguments.named_children:
            _exports(t, argument, fresh=False)


def delete(t: PythonTables, node: "Node") -> None:
    """Unbind the names of a del statement."""
    parts = [
        one
        for child in node.named_children
        for one in (child.named_children if child.type == "expression_list" else [child])
    ]
    for one in parts:
        if one.type == "identifier":
            t.bind(t.text(one), "del", one.start_byte, -1)
        else:
            value(t, one)


def declare_global(t: PythonTables, node: "Node") -> None:
    """Let assignments of names bind them in the module."""
    for word in node.named_children:
        t.scopes[t.scope]["moved"][t.text(word)] = 0


def declare_nonlocal(t: PythonTables, node: "Node") -> None:
    """Let assignments of names bind them in the scope around that has them."""
    for word in node.named_children:
        scope = t.scopes[t.scope]["parent"]
        while scope > 0 and (
            t.scopes[scope]["kind"] == "class" or t.text(word) not in t.scopes[scope]["names"]
        ):
            scope = t.scopes[scope]["parent"]
        t.scopes[t.scope]["moved"][t.text(word)] = max(scope, 0)


def type_alias(t: PythonTables, node: "Node") -> None:
    """Bind the name of a type statement."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = left
    while word is not None and word.type != "identifier":
        word = nth(word, 0)
    if word is None:
        return
    row = type_of(t, right)
    is_local = t.scopes[t.scope]["kind"] == "function"
    symbol = -1 if is_local else t.symbol(t.text(word), "type", node, t.short(node), {})
    t.bind(t.text(word), "val", node.end_byte, row, -1, symbol)


def import_modules(t: PythonTables, node: "Node") -> None:
    """Bind the modules of an import statement."""
    for child in node.children_by_field_name("name"):
        path, alias = _aliased(t, child)
        t.facts.imports.append(Import(path, t.at(child), t.owner, "", alias))
        t.bind(alias or path.split(".")[0], "imp", node.end_byte, len(t.facts.imports) - 1)


def import_names(t: PythonTables, node: "Node") -> None:
    """Bind the names of a from statement."""
    module = node.child_by_field_name("module_name")
    path = t.text(module).replace(" ", "") if module is not None else "__future__"
    if any(child.type == "wildcard_import" for child in node.named_children):
        t.facts.imports.append(Import(path, t.at(node), t.owner, star=True))
        return
    for child in node.children_by_field_name("name"):
        name, alias = _aliased(t, child)
        t.facts.imports.append(Import(path, t.at(child), t.owner, name, alias))
        t.bind(alias or name, "imp", node.end_byte, len(t.facts.imports) - 1)


def _aliased(t: PythonTables, node: "Node") -> tuple[str, str]:
    if node.type != "aliased_import":
        return t.text(node).replace(" ", ""), ""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    return t.text(name) if name is not None else "", t.text(alias) if alias is not None else ""
