"""Python statements: what they bind, in which block, and what they refer to."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ghostmem.outline.facts import Import
from ghostmem.outline.languages.python_.expressions import (
    DEEPEST,
    store,
    target,
    type_of,
    using,
    value,
)
from ghostmem.outline.languages.python_.flow import narrow, widen
from ghostmem.outline.languages.python_.patterns import match
from ghostmem.outline.languages.python_.tables import LATE, PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node


def suite(t: PythonTables, node: "Node | None") -> None:
    """Walk the statements of a block."""
    if node is None:
        return
    if t.depth > DEEPEST:
        t.facts.errors.append(t.line_of(node.start_byte))
        return
    t.depth += 1
    for child in node.named_children:
        STATEMENTS.get(child.type, _expression)(t, child)
    t.depth -= 1


def _expression(t: PythonTables, node: "Node") -> None:
    value(t, node)


def _nested(t: PythonTables, node: "Node") -> None:
    suite(t, node)


def _branch(
    t: PythonTables, node: "Node | None", loop: bool = False, parent: int | None = None
) -> int:
    """Walk a block that may be skipped; return its number."""
    outer = t.block
    block = t.block = t.new_block(outer if parent is None else parent, loop)
    suite(t, node)
    _close(t, block, node)
    t.block = outer
    return block


def _close(t: PythonTables, block: int, node: "Node | None") -> None:
    if node is None:
        return
    t.blocks[block][2] = node.end_byte
    last = next((child for child in reversed(node.named_children) if child.type != "comment"), None)
    if last is not None and last.type in ("return_statement", "raise_statement"):
        t.blocks[block][3] = 1
    elif last is not None and last.type in ("continue_statement", "break_statement"):
        t.blocks[block][3] = 2


def _statement(t: PythonTables, node: "Node") -> None:
    for child in node.named_children:
        if child.type == "assignment":
            _assignment(t, child)
        elif child.type == "augmented_assignment":
            _augmented(t, child)
        else:
            _exports_call(t, child)
            value(t, child)


def _assignment(t: PythonTables, node: "Node") -> None:
    targets: list[tuple[Node | None, Node | None]] = []
    at: Node | None = node
    right: Node | None = None
    while at is not None and at.type == "assignment":
        targets.append((at.child_by_field_name("left"), at.child_by_field_name("type")))
        right = at = at.child_by_field_name("right")
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
    elif left.type in ("pattern_list", "tuple_pattern", "list_pattern") and t.scopes[t.scope][
        "kind"
    ] in ("module", "class"):
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
            t.ref(
                "assigns",
                word,
                t.at(left),
                t.name(word, left, LATE if home != t.scope else node.end_byte),
            )
        else:
            symbol = _declare(t, node, word, home)
    op = "ann" if declared >= 0 else "val"
    t.bind(
        word,
        op,
        node.end_byte,
        declared if declared >= 0 else max(row, 0),
        row if declared >= 0 else -1,
        symbol,
    )


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


def _augmented(t: PythonTables, node: "Node") -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    value(t, right)
    if left is None:
        return
    row = value(t, left)
    if left.type in ("identifier", "attribute"):
        t.ref("assigns", t.short(left), t.at(left), row)
    if left.type == "identifier":
        # it must be a local all the same, and its type is what it was
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


def _exports_call(t: PythonTables, node: "Node") -> None:
    if t.scope != 0 or node.type != "call":
        return
    function, arguments = (
        node.child_by_field_name("function"),
        node.child_by_field_name("arguments"),
    )
    if function is not None and arguments is not None and t.text(function) == "__all__.extend":
        for one in arguments.named_children:
            _exports(t, one, fresh=False)


def _if(t: PythonTables, node: "Node") -> None:
    condition = node.child_by_field_name("condition")
    value(t, condition)
    outer = t.block
    block = _taken(t, condition, node.child_by_field_name("consequence"))
    others = node.children_by_field_name("alternative")
    for other in others:
        # what a condition denies holds in all that follows it
        t.block = t.new_block(t.block)
        widen(t, condition, t.block, other.start_byte - 1)
        condition = other.child_by_field_name("condition")
        if other.type == "elif_clause":
            value(t, condition)
            _taken(t, condition, other.child_by_field_name("consequence"))
        else:
            suite(t, other.child_by_field_name("body"))
            _close(t, t.block, other.child_by_field_name("body"))
    t.block = outer
    if t.blocks[block][3] and not others:
        widen(t, node.child_by_field_name("condition"), outer, node.end_byte)


def _taken(t: PythonTables, condition: "Node | None", consequence: "Node | None") -> int:
    """Walk what is done where a condition holds; return the number of its block."""
    outer = t.block
    block = t.block = t.new_block(outer)
    if consequence is not None:
        narrow(t, condition, block, consequence.start_byte - 1)
    suite(t, consequence)
    _close(t, block, consequence)
    t.block = outer
    return block


def _for(t: PythonTables, node: "Node") -> None:
    row = value(t, node.child_by_field_name("right"))
    body = node.child_by_field_name("body")
    outer = t.block
    block = t.block = t.new_block(outer, loop=True)
    target(t, node.child_by_field_name("left"), t.add("i", row), node.start_byte)
    suite(t, body)
    t.blocks[block][2] = node.end_byte
    t.block = outer
    other = node.child_by_field_name("alternative")
    if other is not None:
        _branch(t, other.child_by_field_name("body"))


def _while(t: PythonTables, node: "Node") -> None:
    value(t, node.child_by_field_name("condition"))
    _branch(t, node.child_by_field_name("body"), loop=True)
    other = node.child_by_field_name("alternative")
    if other is not None:
        _branch(t, other.child_by_field_name("body"))


def _try(t: PythonTables, node: "Node") -> None:
    body = _branch(t, node.child_by_field_name("body"))
    for child in node.named_children:
        block = next((one for one in child.named_children if one.type == "block"), None)
        if child.type in ("except_clause", "except_group_clause"):
            _except(t, child, block)
        elif child.type == "else_clause":
            _branch(t, block, parent=body)
        elif child.type == "finally_clause":
            suite(t, block)


def _except(t: PythonTables, node: "Node", block: "Node | None") -> None:
    caught = node.child_by_field_name("value") or next(
        (one for one in node.named_children if one.type not in ("block", "comment")), None
    )
    alias = node.child_by_field_name("alias")
    if caught is not None and caught.type == "as_pattern":
        alias = caught.child_by_field_name("alias")
        caught = nth(caught, 0)
    row = using(t, caught)
    outer = t.block
    t.block = t.new_block(outer)
    if alias is not None:
        target(t, alias, t.add("exc", row), node.start_byte)
    suite(t, block)
    _close(t, t.block, block)
    t.block = outer


def _with(t: PythonTables, node: "Node") -> None:
    for clause in node.named_children:
        if clause.type != "with_clause":
            continue
        for item in clause.named_children:
            inner = item.child_by_field_name("value")
            if inner is not None and inner.type == "as_pattern":
                row = value(t, nth(inner, 0))
                target(t, inner.child_by_field_name("alias"), t.add("enter", row), item.start_byte)
            else:
                value(t, inner)
    suite(t, node.child_by_field_name("body"))


def _return(t: PythonTables, node: "Node") -> None:
    parts = [child for child in node.named_children if child.type != "comment"]
    row = value(t, parts[0]) if parts else 0
    if t.function is not None and parts:
        t.function["rets"].append(row)


def _assert(t: PythonTables, node: "Node") -> None:
    for child in node.named_children:
        value(t, child)
    narrow(t, nth(node, 0), t.block, node.end_byte)


def _delete(t: PythonTables, node: "Node") -> None:
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


def _global(t: PythonTables, node: "Node") -> None:
    for word in node.named_children:
        t.scopes[t.scope]["moved"][t.text(word)] = 0


def _nonlocal(t: PythonTables, node: "Node") -> None:
    for word in node.named_children:
        at = t.scopes[t.scope]["parent"]
        while at > 0 and (
            t.scopes[at]["kind"] == "class" or t.text(word) not in t.scopes[at]["names"]
        ):
            at = t.scopes[at]["parent"]
        t.scopes[t.scope]["moved"][t.text(word)] = max(at, 0)


def _alias(t: PythonTables, node: "Node") -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = left
    while word is not None and word.type != "identifier":
        word = nth(word, 0)
    if word is None:
        return
    row = type_of(t, right)
    symbol = (
        t.symbol(t.text(word), "type", node, t.short(node), {})
        if t.scopes[t.scope]["kind"] != "function"
        else -1
    )
    t.bind(t.text(word), "val", node.end_byte, row, -1, symbol)


def _import(t: PythonTables, node: "Node") -> None:
    for child in node.children_by_field_name("name"):
        path, alias = _aliased(t, child)
        t.facts.imports.append(Import(path, t.at(child), t.owner, "", alias))
        t.bind(alias or path.split(".")[0], "imp", node.end_byte, len(t.facts.imports) - 1)


def _import_from(t: PythonTables, node: "Node") -> None:
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


def _match(t: PythonTables, node: "Node") -> None:
    match(t, node, _branch)


def _skip(_t: PythonTables, _node: "Node") -> None:
    """Do nothing."""


# what each kind of node does; definitions.py adds functions and classes
STATEMENTS: dict[str, Callable[[PythonTables, "Node"], None]] = {
    "expression_statement": _statement,
    "if_statement": _if,
    "for_statement": _for,
    "while_statement": _while,
    "try_statement": _try,
    "with_statement": _with,
    "match_statement": _match,
    "return_statement": _return,
    "assert_statement": _assert,
    "delete_statement": _delete,
    "global_statement": _global,
    "nonlocal_statement": _nonlocal,
    "type_alias_statement": _alias,
    "import_statement": _import,
    "import_from_statement": _import_from,
    "future_import_statement": _import_from,
    "block": _nested,
    "ERROR": _nested,
    "comment": _skip,
    "pass_statement": _skip,
}
