"""The types of expressions while references are resolved."""

from __future__ import annotations

from typing import NamedTuple

MAX_DEPTH = 40  # steps of one inference
MAX_NESTING = 12  # type arguments inside of type arguments
Key = tuple[str, int]  # a symbol: its file and number
NO_SYMBOL: Key = ("", -1)

INSTANCE, CLASS = "instance", "class"  # of a type of the project
OUTSIDE, OUTSIDE_CLASS = "outside", "outside class"  # of a type elsewhere, by its whole name
VALUE = "value"  # a field of a class elsewhere
ARRAY, PRIMITIVE, UNION, NOTHING = "array", "primitive", "union", "nothing"
FUNCTION = "function"  # a function literal: its file and expression
PARAMETER = "parameter"  # a type parameter: its file and binding


class Type(NamedTuple):
    """A type: its sort, the symbol or the whole name that it is of, and its arguments or parts."""

    sort: str
    symbol: Key = NO_SYMBOL
    name: str = ""
    args: tuple[Type | None, ...] = ()


Env = tuple[tuple[str, "Type | None"], ...]  # type parameters and their types
EMPTY = Type(NOTHING)


def outside(name: str, *args: Type | None) -> Type:
    """Return the type of a value whose type is declared elsewhere."""
    return Type(OUTSIDE, name=name, args=args)


def parts_of(kind: Type | None) -> tuple[Type | None, ...]:
    """Return the types that a value may have."""
    return kind.args if kind is not None and kind.sort == UNION else (kind,)


def union(kinds: list[Type | None]) -> Type | None:
    """Return one type for several: None as soon as one is unknown, without empty ones."""
    if not kinds or any(one is None for one in kinds):
        return None
    flat = [part for one in kinds for part in parts_of(one) if part is not None]
    real = list(dict.fromkeys(one for one in flat if one.sort != NOTHING))
    return real[0] if len(real) == 1 else Type(UNION, args=tuple(real)) if real else EMPTY


def is_shallow(kind: Type | None, levels: int = MAX_NESTING) -> bool:
    """Tell whether a type is of a depth that a person writes.

    A class that extends itself made for itself grows without end.
    """
    if kind is None:
        return True
    return levels > 0 and all(is_shallow(one, levels - 1) for one in kind.args)
