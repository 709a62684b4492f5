"""Go types as plain tuples, and operations on them that need no declarations.

("b", name) predeclared  ("n", key, args) of the project  ("x", path, name, args) from outside
("v", owner, name) a parameter ("p", t) pointer  ("s", t) slice  ("a", t) array  ("m", k, v) map
("c", t) channel  ("~", t)  ("T", types) several results ("f", params, results, variadic, type
parameters)  ("st", ((name, t, embedded),))  ("if", ((name, signature),), ((t, ...),)) None is a
type that is not known."""

from typing import Any

Type = tuple[Any, ...] | None
Binding = dict[tuple[Any, ...], Type]

PREDECLARED_TYPES = frozenset(
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 "
    "int32 int64 rune string uint uint8 "
    "uint16 uint32 uint64 uintptr".split()
)
PREDECLARED_FUNCTIONS = frozenset(
    "append cap clear close complex copy delete imag len make max min new panic print "
    "println real recover".split()
)
PREDECLARED_VALUES = frozenset(["true", "false", "nil", "iota"])
_SAME = {"byte": "uint8", "rune": "int32"}


def basic(name: str) -> Type:
    """Return a predeclared type."""
    return ("b", _SAME.get(name, name))


INT, BOOL, STRING, BYTE, RUNE = (
    basic("int"),
    basic("bool"),
    basic("string"),
    basic("byte"),
    basic("rune"),
)


def substitute(what: Any, binding: Binding) -> Any:
    """Put types in the place of type parameters."""
    if not binding or not isinstance(what, tuple) or not what:
        return what
    if what[0] == "v" and what in binding:
        return binding[what]
    if what[0] in {"b", "v"}:
        return what
    return tuple(substitute(one, binding) if isinstance(one, tuple) else one for one in what)


def unify(pattern: Any, given: Any, wanted: frozenset[Any], binding: Binding) -> bool:
    """Bind the wanted type parameters of a pattern so that it equals a type.

    False when it cannot.
    """
    if pattern in wanted:
        if binding.get(pattern) is None:
            binding[pattern] = given
            return True
        return given is None or binding[pattern] == given
    if not isinstance(pattern, tuple) or not isinstance(given, tuple):
        return bool(pattern == given) or pattern is None or given is None
    if len(pattern) != len(given):
        return False
    fits = True
    for one, other in zip(pattern, given, strict=True):
        fits = (
            unify(one, other, wanted, binding) and fits
        )  # go on: a later part may bind a parameter that this one could not
    return fits


def pointed(kind: Type) -> Type:
    """Return the type that a pointer points to, or the type itself."""
    return kind[1] if kind is not None and kind[0] == "p" else kind


def results(kind: Type) -> Type:
    """Return the type of a call of a function type: one type, several, or none."""
    if kind is None or kind[0] != "f":
        return None
    return kind[2][0] if len(kind[2]) == 1 else ("T", kind[2])


def exported(name: str) -> bool:
    """Tell whether a name can be seen from other packages."""
    return name[:1].isupper()
