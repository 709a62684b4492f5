"""Python statements: the names that they bind, their blocks, and their references."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ghostmem.outline.languages.python_.assignments import (
    assignment,
    augmented_assignment,
    declare_global,
    declare_nonlocal,
    delete,
    exports_call,
    import_modules,
    import_names,
    target,
    type_alias,
)
from ghostmem.outline.languages.python_.expressions import MAX_LEVELS, using, value
from ghostmem.outline.languages.python_.flow import narrow
from ghostmem.outline.languages.python_.patterns import match
from ghostmem.outline.languages.python_.tables import PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node


def suite(t: PythonTables, node: "Node | None") -> None:
    """Walk the statements of a block."""
    if node is None:
        return
    if t.depth > MAX_LEVELS:
        t.facts.errors.append(t.line(node.start_byte))
        return
    t.depth += 1
    for child in node.named_children:
        STATEMENTS.get(child.type, value)(t, child)
    t.depth -= 1


def _branch(
    t: PythonTables,
    node: "Node | None",
    *,
    loop: bool = False,
    parent: int | None = None,
    enter: Callable[[int], None] | None = None,
) -> int:
    """Walk a block that may be skipped; return its number, which `enter` gets before."""
    outer = t.block
    block = t.block = t.new_block(outer if parent is None else parent, loop)
    if enter is not None:
        enter(block)
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
            assignment(t, child)
        elif child.type == "augmented_assignment":
            augmented_assignment(t, child)
        else:
            exports_call(t, child)
            value(t, child)


def _if(t: PythonTables, node: "Node") -> None:
    condition = node.child_by_field_name("condition")
    value(t, condition)
    outer = t.block
    block = _taken(t, condition, node.child_by_field_name("consequence"))
    others = node.children_by_field_name("alternative")
    for other in others:
        # a condition that failed tells types in all that follows it
        t.block = t.new_block(t.block)
        narrow(t, condition, t.block, other.start_byte - 1, holds=False)
        condition = other.child_by_field_name("condition")
        if other.type == "elif_clause":
            value(t, condition)
            _taken(t, condition, other.child_by_field_name("consequence"))
        else:
            suite(t, other.child_by_field_name("body"))
            _close(t, t.block, other.child_by_field_name("body"))
    t.block = outer
    if t.blocks[block][3] and not others:
        narrow(t, node.child_by_field_name("condition"), outer, node.end_byte, holds=False)


def _taken(t: PythonTables, condition: "Node | None", consequence: "Node | None") -> int:
    """Walk the block of a condition that holds; return its number."""
    start = consequence.start_byte - 1 if consequence is not None else 0
    enter = partial(narrow, t, condition, pos=start) if consequence is not None else None
    return _branch(t, consequence, enter=enter)


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

    def bind(_block: int) -> None:
        if alias is not None:
            target(t, alias, t.add("exc", row), node.start_byte)

    _branch(t, block, enter=bind)


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


# by the kind of a node; definitions.py adds functions and classes
STATEMENTS: dict[str, Callable[[PythonTables, "Node"], object]] = {
    "expression_statement": _statement,
    "if_statement": _if,
    "for_statement": _for,
    "while_statement": _while,
    "try_statement": _try,
    "with_statement": _with,
    "match_statement": partial(match, branch=_branch),
    "return_statement": _return,
    "assert_statement": _assert,
    "delete_statement": delete,
    "global_statement": declare_global,
    "nonlocal_statement": declare_nonlocal,
    "type_alias_statement": type_alias,
    "import_statement": import_modules,
    "import_from_statement": import_names,
    "future_import_statement": import_names,
    "block": suite,
    "ERROR": suite,
    "comment": lambda _t, _node: None,
    "pass_statement": lambda _t, _node: None,
}
