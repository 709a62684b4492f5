"""Which types have the methods of which interfaces: Go's own rule, within the project and for a few
interfaces of the library.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ghostmem.outline.graph import LinkColumns
from ghostmem.outline.languages.go_.lookup import GoLookup
from ghostmem.outline.languages.go_.project import Decl, GoFile, GoProject
from ghostmem.outline.languages.go_.types import BOOL, BYTE, INT, STRING, Type, exported, unify

_ERROR: Type = ("b", "error")


def _method(*params: Type, gives: tuple[Type, ...] = ()) -> Type:
    return ("f", params, gives, 0, ())


# import path, name: methods
_NATIVE: dict[tuple[str, str], dict[str, Type]] = {
    ("", "error"): {"Error": _method(gives=(STRING,))},
    ("fmt", "Stringer"): {"String": _method(gives=(STRING,))},
    ("io", "Reader"): {"Read": _method(("s", BYTE), gives=(INT, _ERROR))},
    ("io", "Writer"): {"Write": _method(("s", BYTE), gives=(INT, _ERROR))},
    ("io", "Closer"): {"Close": _method(gives=(_ERROR,))},
    ("sort", "Interface"): {
        "Len": _method(gives=(INT,)),
        "Less": _method(INT, INT, gives=(BOOL,)),
        "Swap": _method(INT, INT),
    },
    ("net/http", "Handler"): {
        "ServeHTTP": _method(
            ("x", "net/http", "ResponseWriter", ()), ("p", ("x", "net/http", "Request", ()))
        )
    },
}


class Interface(NamedTuple):
    """An interface: its node, its package, its methods and its type parameters.

    One of the library has a name instead of a node."""

    id: str
    path: str
    methods: dict[str, Type]
    variables: frozenset[Any]
    name: str = ""


def add_implements(project: GoProject, lookup: GoLookup, links: LinkColumns) -> None:
    """Add a link from each type to each interface that it, or a pointer to it, satisfies."""
    types, declared = _declared(project, lookup)
    interfaces = [_interface(lookup, decl) for decl in declared]
    natives = [
        Interface("", path, methods, frozenset(), name)
        for (path, name), methods in _NATIVE.items()
        if f"{path}.{name}" not in lookup.named
    ]
    kinds = [_own_type(lookup, decl) for decl in types]
    names_of = [_names(lookup, kind, 0) for kind in kinds]
    rarest = _by_rarest_method(interfaces, names_of)
    for decl, kind, names in zip(types, kinds, names_of, strict=True):
        places = sorted(place for name in names for place in rarest.get(name, ()))
        for one in (*(interfaces[place] for place in places), *natives):
            via = _satisfies(lookup, decl.file, kind, names, one)
            if via and one.id:
                links.add(decl.id, "implements", one.id, decl.symbol.line, via)
            elif via:
                target = project.outsider(one.path, one.name, "interface")
                links.add(decl.id, "implements", target, decl.symbol.line, "native")


def _by_rarest_method(
    interfaces: Sequence[Interface], types: Iterable[set[str]]
) -> dict[str, list[int]]:
    """Return the places of interfaces by the one of their methods that the fewest types have."""
    counts = Counter(name for names in types for name in names)
    found: dict[str, list[int]] = {}
    for place, one in enumerate(interfaces):
        if one.methods:
            found.setdefault(min(one.methods, key=lambda name: counts[name]), []).append(place)
    return found


def _declared(project: GoProject, lookup: GoLookup) -> tuple[list[Decl], list[Decl]]:
    types: list[Decl] = []
    interfaces: list[Decl] = []
    for package in sorted(project.packages.values(), key=lambda one: one.id):
        for name in sorted(package.scope):
            for decl in package.scope[name]:
                if decl.symbol.kind not in {"type", "interface"} or decl.tree()[4]:
                    continue
                under = lookup.underlying(_own_type(lookup, decl))
                (interfaces if under is not None and under[0] == "if" else types).append(decl)
    return types, interfaces


def _own_type(lookup: GoLookup, decl: Decl) -> Any:
    named = lookup.declare(
        [
            one
            for one in decl.file.package.scope[decl.symbol.name]
            if one.symbol.kind in {"type", "interface"}
        ]
    )
    return ("n", named.key, named.params)


def _interface(lookup: GoLookup, decl: Decl) -> Interface:
    """Return an interface with all its methods, none when it is empty, a constraint, or embeds what
    is not known.
    """
    kind = _own_type(lookup, decl)
    methods = _collected(lookup, kind, 0) or {}
    return Interface(decl.id, decl.file.package.path, methods, frozenset(kind[2]))


def _collected(lookup: GoLookup, kind: Any, depth: int) -> dict[str, Type] | None:
    under = lookup.underlying(kind)
    if kind is not None and kind[0] == "x":
        return _NATIVE.get((kind[1], kind[2]))
    if kind == _ERROR:
        return _NATIVE["", "error"]
    if under is None or under[0] != "if" or depth > 20:
        return None
    found: dict[str, Type] = dict(under[1])
    for union in under[2]:
        more = _collected(lookup, union[0], depth + 1) if len(union) == 1 else None
        if more is None:
            return None
        found |= more
    return found


def _names(lookup: GoLookup, kind: Any, depth: int) -> set[str]:
    """Return the names of all methods that a type may have, also those of embedded types."""
    if kind is not None and kind[0] == "p":
        kind = kind[1]
    if kind is None or depth > 20:
        return set()
    found = set(lookup.project.methods.get(kind[1], ())) if kind[0] == "n" else set()
    under = lookup.underlying(kind)
    if under is not None and under[0] == "st":
        for _, inner, embedded in under[1]:
            found |= _names(lookup, inner, depth + 1) if embedded else set()
    if depth and under is not None and under[0] == "if":
        found |= set(_collected(lookup, kind, depth) or ())
    return found


def _satisfies(
    lookup: GoLookup, file: GoFile, kind: Any, names: set[str], interface: Interface
) -> str:
    """Return "type" when values have the methods, "receiver" when only pointers do, and nothing
    otherwise.
    """
    if not interface.methods or not names.issuperset(interface.methods):
        return ""
    needs_pointer = False
    bound: dict[Any, Any] = {}
    for name, wanted in interface.methods.items():
        found = lookup.member(kind, name, file)
        if found is None or found.kind not in {"method", "interface"}:
            return ""
        if not exported(name) and interface.path != file.package.path:
            return ""
        if not _alike(wanted, found.type, interface.variables, bound):
            return ""
        needs_pointer = needs_pointer or (
            found.pointer and not _through_pointer(lookup, kind, name, file)
        )
    return "receiver" if needs_pointer else "type"


def _alike(wanted: Any, given: Any, variables: frozenset[Any], bound: dict[Any, Any]) -> bool:
    if wanted is None or given is None:
        return False
    has_unknown = None in (*wanted[1], *wanted[2], *given[1], *given[2])
    return not has_unknown and unify(wanted[:4], given[:4], variables, bound)


def _through_pointer(lookup: GoLookup, kind: Any, name: str, file: GoFile) -> bool:
    """Tell whether a method comes from an embedded pointer, so that values have it too."""
    if lookup.project.methods.get(kind[1], {}).get(name):
        return False
    under = lookup.underlying(kind)
    for _, inner, embedded in under[1] if under is not None and under[0] == "st" else ():
        if embedded and inner is not None and lookup.member(inner, name, file) is not None:
            return bool(
                inner[0] == "p" or (inner[0] == "n" and _through_pointer(lookup, inner, name, file))
            )
    return False
