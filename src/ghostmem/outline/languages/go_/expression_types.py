"""Type each kind of expression."""

from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.go_ import natives
from ghostmem.outline.languages.go_.lookup import binding
from ghostmem.outline.languages.go_.lowering import Tree
from ghostmem.outline.languages.go_.operand import UNKNOWN, Op, operand, value_of
from ghostmem.outline.languages.go_.shapes import signature
from ghostmem.outline.languages.go_.types import (
    BOOL,
    BYTE,
    INT,
    STRING,
    Binding,
    Type,
    basic,
    pointed,
    results,
    substitute,
    unify,
)

if TYPE_CHECKING:
    from ghostmem.outline.languages.go_.check import Checker

_LITERALS = {
    name: value_of(basic(name))
    for name in ("int", "float64", "complex128", "rune", "string", "bool")
}
_LITERALS["nil"] = operand("value")
_COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">=", "&&", "||"])


def call(checker: "Checker", tree: Tree) -> Op:
    """Type a call or a conversion and record it."""
    head = checker.raw(tree[1])
    if head.mode == "builtin":
        return _builtin(checker, head, tree)
    if head.mode == "type":
        checker.settle(head, "type", tree[1])
        for one in tree[2]:
            checker.value(one)
        return value_of(head.type)
    given = [checker.value(one) for one in tree[2]]
    variable = head.what in {"variable", "constant"}
    checker.settle(head, "read" if variable else "call", tree[1])
    if head.mode == "outside":
        return value_of(natives.result(head.type, given))
    if head.mode != "value":
        return UNKNOWN
    if (variable or not head.ids) and head.what != "closure" and checker.sink is not None:
        checker.sink.loose("calls", tree[1], head.line or _line(tree[1]))
    return operand("value", results(inferred(checker, _signature(checker, head.type), given)))


def _signature(checker: "Checker", kind: Any) -> Type:
    return checker.lookup.underlying(kind) if kind is not None and kind[0] == "n" else kind


def inferred(checker: "Checker", kind: Type, given: list[Any]) -> Type:
    """Put the types of arguments in the place of a generic function's type parameters."""
    if kind is None or kind[0] != "f" or not kind[4]:
        return kind
    if len(given) == 1 and given[0] is not None and given[0][0] == "T":
        given = list(given[0][1])
    params = list(kind[1])
    if kind[3] and params:
        last = params.pop()
        params += [last[1] if last else None] * max(0, len(given) - len(params))
    bound: Binding = {}
    wanted = frozenset(kind[4])
    for pattern, one in zip(params, given, strict=False):
        _match(checker, pattern, one, wanted, bound)
    for variable in kind[4]:
        core = checker.lookup.underlying(variable)
        if core is not None and bound.get(variable) is not None:
            _match(checker, core, bound[variable], wanted, bound)
    inferred: Type = substitute(kind, {one: bound.get(one) for one in kind[4]})
    return inferred


def _match(
    checker: "Checker", pattern: Any, given: Any, wanted: frozenset[Any], bound: Binding
) -> None:
    if pattern is None or given is None:
        return
    if pattern[0] not in {"v", "n", "x"} and given[0] == "n":
        given = checker.lookup.underlying(given)
    unify(pattern, given, wanted, bound)


def _builtin(checker: "Checker", head: Op, tree: Tree) -> Op:
    checker.settle(head, "call", tree[1])
    name, args = head.type, tree[2]
    first = checker.raw(args[0]) if args else UNKNOWN
    if args:
        checker.settle(
            first, "type" if name in {"make", "new"} and first.mode != "value" else "read", args[0]
        )
    rest = [checker.value(one) for one in args[1:]]
    kind = first.type if first.mode != "unknown" else None
    if name == "new":
        return value_of(("p", kind) if kind is not None else None)
    if name in {"make", "append"}:
        return value_of(kind)
    if name in {"min", "max"}:
        return value_of(_typed([kind, *rest]))
    return value_of(INT if name in {"len", "cap", "copy"} else None)


def index(checker: "Checker", tree: Tree) -> Op:
    """Type x[i]: an element, or something generic with its type arguments."""
    head = checker.raw(tree[1])
    if head.mode in {"type", "outside"}:
        args = tuple(checker.type(one) for one in tree[2])
        kind = head.type
        if kind is not None and kind[0] == "n":
            return head._replace(type=_instance(checker, kind, args))
        return head._replace(
            type=(*kind[:3], args) if kind is not None and kind[0] == "x" else kind
        )
    if head.what in {"function", "method"} and _generic(head.type):
        bound = dict(zip(head.type[4], [checker.type(one) for one in tree[2]], strict=False))
        left = tuple(one for one in head.type[4] if one not in bound)
        return head._replace(type=(*substitute(head.type[:4], bound), left))
    checker.settle(head, "read", tree[1])
    for one in tree[2]:
        checker.value(one)
    return value_of(_element(checker, head.type) if head.mode == "value" else None)


def _generic(kind: Any) -> bool:
    return kind is not None and kind[0] == "f" and bool(kind[4])


def _instance(checker: "Checker", kind: tuple[Any, ...], args: tuple[Any, ...]) -> Type:
    named = checker.lookup.named.get(kind[1])
    if named is not None and named.tree[4]:
        alias: Type = substitute(checker.lookup.declared(named), binding(named, args))
        return alias
    return ("n", kind[1], args)


def _element(checker: "Checker", kind: Type) -> Type:
    match checker.lookup.shape(kind):
        case ("s" | "a", one):
            return one  # type: ignore[no-any-return]
        case ("m", _, one):
            return one  # type: ignore[no-any-return]
        case ("b", "string"):
            return BYTE
    return None


def star(checker: "Checker", tree: Tree) -> Op:
    """Type *x: a pointer type, or the type that a pointer points to."""
    op = checker.raw(tree[1])
    if op.mode in {"type", "outside"}:
        checker.settle(op, "type", tree[1])
        return operand("type", ("p", op.type), line=op.line)
    checker.settle(op, "read", tree[1])
    under = checker.lookup.underlying(op.type) if op.mode == "value" else None
    return value_of(pointed(under) if under is not None and under[0] == "p" else None)


def unary(checker: "Checker", tree: Tree) -> Op:
    """Type a unary operation."""
    kind = checker.value(tree[2])
    if tree[1] == "&":
        return value_of(("p", kind) if kind is not None else None)
    if tree[1] == "<-":
        under = checker.lookup.underlying(kind)
        return value_of(under[1] if under is not None and under[0] == "c" else None)
    return value_of(kind)


def binary(checker: "Checker", tree: Tree) -> Op:
    """Type a chain of binary operations."""
    kinds = [checker.value(one) for one in tree[2]]
    if tree[1] in _COMPARISONS:
        return value_of(BOOL)
    return value_of(kinds[0] if tree[1] in {"<<", ">>"} else _typed(kinds))


def slice_(checker: "Checker", tree: Tree) -> Op:
    """Type x[a:b]."""
    kind = checker.value(tree[1])
    for one in tree[2]:
        checker.value(one)
    under = checker.lookup.shape(kind)
    return value_of(("s", under[1]) if under is not None and under[0] == "a" else kind)


def assertion(checker: "Checker", tree: Tree) -> Op:
    """Type x.(T)."""
    checker.value(tree[1])
    return value_of(checker.type(tree[2]))


def composite(checker: "Checker", tree: Tree) -> Op:
    """Type a composite literal."""
    kind = checker.type(tree[1])
    if checker.sink is not None:
        elements(checker, kind, tree[2])
    return value_of(kind)


def elements(checker: "Checker", kind: Type, pairs: list[Tree]) -> None:
    """Walk the elements of a composite literal of a type.

    Inner literals may leave their type out.
    """
    under = checker.lookup.shape(kind)
    if under is not None and under[0] == "st":
        _fields(checker, under[1], pairs)
        return
    has_keys = under is not None and under[0] in {"m", "s", "a"}
    keys, values = checker.lookup.elements(kind)
    for key, value in pairs:
        if key is not None and (has_keys or key[0] != "i"):
            _inner(checker, keys if under is not None and under[0] == "m" else INT, key)
        _inner(checker, values, value)


def _fields(checker: "Checker", fields: Any, pairs: list[Tree]) -> None:
    """Walk the elements of a composite literal of a struct type."""
    by_name = {name: type_ for name, type_, _ in fields}
    for place, (key, value) in enumerate(pairs):
        if key is not None and key[0] == "i":
            _inner(checker, by_name.get(key[1]), value)
            continue
        if key is not None:
            _inner(checker, INT, key)
        _inner(checker, fields[place][1] if place < len(fields) else None, value)


def _inner(checker: "Checker", kind: Type, tree: Tree) -> None:
    if tree[0] == "{" and tree[1] is None:
        elements(checker, kind, tree[2])
    else:
        checker.value(tree)


def function(checker: "Checker", tree: Tree) -> Op:
    """Type a function literal and walk it as part of the function around it."""
    kind = signature(checker, tree[1])
    if checker.sink is not None and checker.walk_function is not None:
        checker.walk_function(checker, tree[1], kind, tree[2])
    return operand("value", kind, what="closure", line=_line(tree))


def _typed(kinds: list[Any]) -> Type:
    """Return the type of an operation: that of an operand that is no constant, as far as that can
    be told.
    """
    known = [kind for kind in kinds if kind is not None]
    named = (
        [kind for kind in known if kind[0] != "b"]
        or [kind for kind in known if kind not in (INT, STRING)]
        or known
    )
    return named[0] if named else None


def _line(tree: Any) -> int:
    while isinstance(tree, list) and len(tree) > 1 and isinstance(tree[0], str):
        if tree[0] == "i":
            return int(tree[2])
        if tree[0] == ".":
            return int(tree[3])
        tree = tree[2] if tree[0] == "u" else tree[1]
    return 0


EXPRESSIONS: dict[str, Any] = {
    "(": call,
    "[": index,
    ":": slice_,
    "*": star,
    "u": unary,
    "b": binary,
    "as": assertion,
    "{": composite,
    "fl": function,
    "#": lambda _, tree: _LITERALS[tree[1]],
}
