"""The types that Python expressions can have, as plain tuples of a sort and its parts.

A key is (path, symbol). A type is one of

- `class` key, `instance` key and type arguments, `super` key and receiver,
- `function` key and receiver, `lambda` path and row, `partial` of types,
- `mod` path, `dir` folder of a namespace package,
- `out` origin and name of something outside, `object` origin, name and type arguments of an
  instance of it, `method` of such an object and its name,
- `tuple` of the types of each element, `callable` with the types that it returns,
- `variable` path and row of a type variable, `variable class` of one.

A definition is `sym` key and receiver, `attr` key of a class, name and receiver, `loc` path, scope,
name, group and number of a local, `val` types, or, as for types, `mod`, `dir` or `out`."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from ghostmem.outline.graph import NATIVE
from ghostmem.outline.languages.shared.known import meanings
from ghostmem.outline.rules import packages_in

# names of Python's own library by their meaning
KNOWN = packages_in("python.txt")
FAMILIES = meanings("python.txt", "family")  # of containers
# functions, methods and methods that give lists: the class of their results
FUNCTIONS, RETURNS, LISTS = (
    meanings("python.txt", group) for group in ("functions", "returns", "lists")
)

Type = tuple[Any, ...]
Types = tuple[Type, ...]
Def = tuple[Any, ...]
Key = tuple[str, int]
Site = tuple[Any, ...]  # a call: path, rows of arguments, pairs of keyword and row; may be empty
MAX_NESTING = 20  # tuples inside each other in one type
MAX_TYPES = 16  # of one expression
SELF: Type = ("variable", "Self", 0)
_VARIABLE_SORTS = (("variable",), ("variable class",))


def union(groups: Iterable[Types]) -> Types:
    """Join types in their order, each once, up to a maximum."""
    types = tuple(chain.from_iterable(groups))
    return types if len(types) < 2 else tuple(dict.fromkeys(types))[:MAX_TYPES]


def nesting(part: Any) -> int:
    """Return how deep a type is."""
    if not isinstance(part, tuple):
        return 0
    return 1 + max((nesting(inner) for inner in part if isinstance(inner, tuple)), default=0)


def native(name: str) -> Types:
    """Return an instance of a class of Python's own, without type arguments."""
    return (("object", NATIVE, name, ()),)


STR = native("str")


def box(name: str, *elements: Types) -> Type:
    """Return an instance of a container of Python's own."""
    made = ("object", NATIVE, name, elements)
    return made if nesting(made) < MAX_NESTING else ("object", NATIVE, name, ())


def instances(types: Types) -> Types:
    """Return the instances of classes, also of those in a tuple."""
    found: list[Type] = []
    for kind in types:
        match kind[0]:
            case "class":
                found.append(("instance", kind[1], ()))
            case "out":
                found.append(("object", kind[1], kind[2], ()))
            case "tuple":
                found.extend(inner for part in kind[1] for inner in instances(part))
            case "variable":
                found.append(kind)
    return tuple(found)


def classes(types: Types) -> Types:
    """Return the classes of instances."""
    found: list[Type] = []
    for kind in types:
        match kind[0]:
            case "instance":
                found.append(("class", kind[1]))
            case "object":
                found.append(("out", kind[1], kind[2]))
            case "variable":
                found.append(("variable class", kind))
    return tuple(found)


def has_variable(part: Any) -> bool:
    """Tell whether type variables are among types."""
    return isinstance(part, tuple) and (part[:1] in _VARIABLE_SORTS or any(map(has_variable, part)))


def variables_in(part: Any) -> list[Type]:
    """Return the type variables among types."""
    if not isinstance(part, tuple):
        return []
    if part[:1] == ("variable",):
        return [part]
    return [variable for inner in part for variable in variables_in(inner)]


def solve(wanted: Types, given: Types, bindings: dict[Type, Types]) -> None:
    """Match the types of a parameter against those of an argument, and bind type variables."""
    for kind in wanted:
        match kind[0]:
            case "variable":
                bindings[kind] = union([bindings.get(kind, ()), given])
            case "variable class":
                made = instances(tuple(one for one in given if one[0] in ("class", "out")))
                bindings[kind[1]] = union([bindings.get(kind[1], ()), made])
            case "instance" | "object":
                for other in given:
                    if other[0] == kind[0] and len(other[-1]) == len(kind[-1]):
                        for part, argument in zip(kind[-1], other[-1], strict=True):
                            solve(part, argument, bindings)
