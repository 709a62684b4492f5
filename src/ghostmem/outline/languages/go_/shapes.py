"""Resolve each kind of type that is written out."""

from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.go_.lowering import Tree
from ghostmem.outline.languages.go_.operand import Op, operand
from ghostmem.outline.languages.go_.types import Type

if TYPE_CHECKING:
    from ghostmem.outline.languages.go_.check import Checker


def _array(checker: "Checker", tree: Tree) -> Op:
    if tree[2] is not None:
        checker.value(tree[2])
    return operand("type", ("a", checker.type(tree[1])))


def signature(checker: "Checker", tree: Tree) -> tuple[Any, ...]:
    """Return the type of a function by its parameters and results."""
    parameters, results = (tuple([checker.type(one) for _, one in part]) for part in tree[1:3])
    return ("f", parameters, results, tree[3], ())


def struct(checker: "Checker", tree: Tree, how: str = "type") -> Op:
    """Resolve a struct type; `how` is the kind of references to embedded types."""
    fields: list[tuple[str, Type, int]] = []
    for names, declared, inside in tree[1]:
        kind = embedded(checker, declared, how) if inside else checker.type(declared)
        fields += [(name, kind, inside) for name in (names or [_base(declared)])]
    return operand("type", ("st", tuple(fields)))


def embedded(checker: "Checker", tree: Tree, how: str) -> Type:
    """Resolve an embedded type."""
    if tree[0] == "*":
        return ("p", checker.type(tree[1], how))
    return checker.type(tree, how)


def interface(checker: "Checker", tree: Tree, how: str = "type") -> Op:
    """Resolve an interface type; `how` is the kind of references to embedded types."""
    methods = []
    unions = []
    for one in tree[1]:
        if one[0] == "M":
            methods.append((one[1], checker.type(one[2])))
        else:
            alone = len(one[1]) == 1
            unions.append(tuple(checker.type(part, how if alone else "type") for part in one[1]))
    return operand("type", ("if", tuple(methods), tuple(unions)))


def _base(tree: Tree) -> str:
    while tree[0] in {"*", "["}:
        tree = tree[1]
    return str(tree[2] if tree[0] == "." else tree[1] if tree[0] == "i" else "_")


SHAPES: dict[str, Any] = {
    "[]": lambda checker, tree: operand("type", ("s", checker.type(tree[1]))),
    "[n": _array,
    "m": lambda checker, tree: operand("type", ("m", checker.type(tree[1]), checker.type(tree[2]))),
    "ch": lambda checker, tree: operand("type", ("c", checker.type(tree[1]))),
    "~": lambda checker, tree: operand("type", ("~", checker.type(tree[1]))),
    "fn": lambda checker, tree: operand("type", signature(checker, tree)),
    "st": struct,
    "if": interface,
}
