"""The operands that expressions denote, and the receiver of the references that are found."""

from typing import Any, NamedTuple, Protocol

from ghostmem.outline.languages.go_.lowering import Tree


class Sink(Protocol):
    """Takes the references that are found."""

    def link(self, kind: str, ids: tuple[str, ...], line: int, via: str) -> None:
        """Take a reference that is resolved."""

    def loose(self, kind: str, tree: Tree, line: int) -> None:
        """Take one that is not."""


class Op(NamedTuple):
    """The meaning of an expression: a value, a type, a package, a predeclared function, or none."""

    mode: str  # value, type, package, builtin, unknown
    type: Any = None
    ids: tuple[str, ...] = ()
    # function, method, variable, constant, type, outside, member (of something outside), closure,
    # receiver
    what: str = ""
    via: str = ""
    line: int = 0


_new = tuple.__new__


def operand(
    mode: str,
    kind: Any = None,
    ids: tuple[str, ...] = (),
    what: str = "",
    via: str = "",
    line: int = 0,
) -> Op:
    """Return an operand; the fields are those of the class, which takes twice as long to call."""
    return _new(Op, (mode, kind, ids, what, via, line))


def value_of(kind: Any) -> Op:
    """Return a value of a type; most expressions are one."""
    return _new(Op, ("value", kind, (), "", "", 0))


UNKNOWN = operand("unknown")
