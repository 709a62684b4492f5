"""Walk the statements of a function: open scopes, bind names to types, and let the checker see
every expression.
"""

from collections.abc import Callable
from itertools import chain
from typing import Any

from ghostmem.outline.languages.go_.check import Checker
from ghostmem.outline.languages.go_.lookup import Named, Scope
from ghostmem.outline.languages.go_.lowering import Tree
from ghostmem.outline.languages.go_.operand import Op, operand, value_of
from ghostmem.outline.languages.go_.types import Type


def function(
    checker: Checker,
    signature: Tree,
    kind: tuple[Any, ...],
    body: list[Tree],
    receiver: Scope | None = None,
) -> None:
    """Walk a body in a scope of its receiver, its parameters and its named results; `kind` is the
    type of its signature.
    """
    names = (name for name, _ in chain(signature[1], signature[2]))
    scope = dict(zip(names, map(value_of, chain(kind[1], kind[2])), strict=True))
    scope.update(receiver or {})
    for unnamed in ("", "_"):
        scope.pop(unnamed, None)
    inner(checker, scope, body)


def statements(checker: Checker, trees: list[Tree]) -> None:
    """Walk statements one after the other."""
    for one in trees:
        _HANDLERS[one[0]](checker, one)


def _block(checker: Checker, tree: Tree) -> None:
    inner(checker, {}, tree[1])


def inner(checker: Checker, scope: dict[str, Any], trees: list[Tree]) -> None:
    """Walk statements in a scope of their own."""
    outer = checker.scopes
    checker.scopes = [*outer, scope]
    statements(checker, trees)
    checker.scopes = outer


def _values(checker: Checker, names: int, trees: list[Tree]) -> list[Op]:
    """Return the operands that names are given: with one expression for several, its results."""
    if len(trees) == 1 and names > 1:
        return [value_of(kind) for kind in checker.spread(checker.value(trees[0]), names)]
    return [_given(checker, one) for one in trees]


def _given(checker: Checker, tree: Tree) -> Op:
    op = checker.raw(tree)
    checker.settle(op, "read", tree)
    if op.what in {"function", "method"} and op.ids and op.mode == "value":
        return op._replace(
            via="local"
        )  # a name for a function: a call of it is a call of the function
    if op.what == "closure" and tree[0] == "fl":
        return op
    if op.via == "local" or (op.what == "closure" and tree[0] == "i"):
        return op
    return value_of(op.type if op.mode == "value" else None)


def _define(checker: Checker, tree: Tree) -> None:
    scope = checker.scopes[-1]
    given = _values(checker, len(tree[1]), tree[2])
    for place, name in enumerate(tree[1]):
        op = given[place] if place < len(given) else operand("value")
        if name in scope and isinstance(scope[name], Op):
            scope[name] = operand(
                "value", scope[name].type, what="closure" if op.what == "closure" else ""
            )
        elif name != "_":
            scope[name] = op


def _variables(checker: Checker, tree: Tree) -> None:
    scope = checker.scopes[-1]
    declared = checker.type(tree[2])
    given = _values(checker, len(tree[1]), tree[3]) if len(tree) == 4 else []
    if len(tree) > 4:
        given = [operand("value", kind) for kind in _repeated(checker, tree)]
    for place, name in enumerate(tree[1]):
        op = given[place] if place < len(given) else operand("value")
        if name != "_":
            scope[name] = op if declared is None else op._replace(mode="value", type=declared)


def _repeated(checker: Checker, tree: Tree) -> list[Type]:
    sink, checker.sink = checker.sink, None
    kinds: list[Type] = [checker.value(one) for one in tree[3]]
    checker.sink = sink
    return kinds


def _assign(checker: Checker, tree: Tree) -> None:
    given = _values(checker, len(tree[2]), tree[3])
    for place, left in enumerate(tree[2]):
        op = checker.raw(left)
        if tree[1] != "=":
            checker.settle(op, "read", left)
        checker.settle(op, "write", left)
        if left[0] == "i":
            _rebind(checker, left[1], given[place] if place < len(given) else operand("value"))


def _rebind(checker: Checker, name: str, given: Op) -> None:
    """Forget which function a name stands for; `var f func(); f = func() {…}` stands for its
    closure.
    """
    for scope in reversed(checker.scopes):
        if name in scope:
            if isinstance(scope[name], Op):
                what = (
                    "closure"
                    if given.what == "closure"
                    else "receiver"
                    if scope[name].what == "receiver"
                    else ""
                )
                scope[name] = operand("value", scope[name].type, what=what)
            return


def _expressions(checker: Checker, tree: Tree) -> None:
    for one in tree[1]:
        checker.value(one)


def _range(checker: Checker, tree: Tree) -> None:
    op = checker.raw(tree[3])
    called = op.what in {"function", "method"} and bool(op.ids)
    checker.settle(op, "call" if called else "read", tree[3])
    kinds = checker.lookup.elements(op.type if op.mode == "value" else None)
    scope: dict[str, Any] = {}
    for left, kind in zip(tree[2], kinds, strict=False):
        if tree[1]:
            scope[left[1] if left[0] == "i" else "_"] = operand("value", kind)
        else:
            checker.settle(checker.raw(left), "write", left)
    scope.pop("_", None)
    outer = checker.scopes
    checker.scopes = [*outer, scope]
    inner(checker, {}, tree[4])
    checker.scopes = outer


def _type_switch(checker: Checker, tree: Tree) -> None:
    whole = checker.value(tree[2])
    for types, body in tree[3]:
        kinds = [checker.type(one) for one in types]
        kind = kinds[0] if len(kinds) == 1 and types[0] != ["#", "nil"] else whole
        inner(checker, {tree[1]: operand("value", kind)} if tree[1] else {}, body)


def _type(checker: Checker, tree: Tree) -> None:
    checker.locals += 1
    key = f"{checker.home}/{tree[1]}/{checker.locals}"
    scope = dict(checker.scopes[-1])
    named = Named(key, [], checker.file, tree, [*checker.scopes[:-1], scope], local=True)
    kind: Any = ("n", key, tuple(("v", key, name) for name, _ in tree[2]))
    scope[tree[1]] = checker.scopes[-1][tree[1]] = kind
    checker.lookup.add(named)
    if tree[4] and not tree[2]:
        checker.scopes[-1][tree[1]] = checker.lookup.declared(named)
    outer = checker.scopes
    checker.scopes = named.scopes
    for _, constraint in tree[2]:
        checker.type(constraint)
    checker.type(tree[3])
    checker.scopes = outer


_HANDLERS: dict[str, Callable[[Checker, Tree], None]] = {
    "B": _block,
    "D": _define,
    "V": _variables,
    "A": _assign,
    "E": _expressions,
    "R": _range,
    "S": _type_switch,
    "T": _type,
}
