"""The types that Rust files write, and the impl blocks of a project.

A type is ("sym", key, args), ("native" or "external", name, args), ("gen", (name, path, owner),
()), ("dyn", traits, ()), ("tuple", types, ()), or ("seq", (element,), ())."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.rust_.crates import Key
from ghostmem.outline.languages.rust_.names import RustNames
from ghostmem.outline.languages.shared.inference import (
    NOTHING,
    OUTSIDE,
    Found,
    Inference,
    Target,
    Type,
    typed,
)

MAX_NESTING = 12  # types inside each other


class Method(NamedTuple):
    """A function of an impl block: its symbol, and the trait of that impl."""

    key: Key
    trait: Target | None


class RustTypes(Inference):
    """Resolve written types and impl blocks."""

    def __init__(self, files: Mapping[str, Facts], names: RustNames) -> None:
        super().__init__(files)
        self.names = names
        self.methods: dict[tuple[Any, str], list[Method]] = defaultdict(list)  # (type, name)
        # by type: the traits of the project that it implements
        self.traits: dict[Any, dict[Key, None]] = defaultdict(dict)
        self.derefs: dict[Any, Key] = {}  # by type: its impl of Deref
        self.blankets: dict[Key, None] = {}  # traits implemented for a type parameter
        self.impl_types: dict[Key, Type | None] = {}
        self.impl_traits: dict[Key, Found] = {}
        for path in sorted(files):
            for number, symbol in enumerate(files[path].symbols):
                if symbol.kind == "impl":
                    self._impl((path, number), symbol.detail)
        for path in sorted(files):
            for number, symbol in enumerate(files[path].symbols):
                impl = (path, symbol.parent)
                if impl in self.impl_types:
                    trait = next(iter(self.impl_traits[impl].targets), None)
                    place = head_of(self.impl_types[impl]), symbol.name
                    self.methods[place].append(Method((path, number), trait))

    def _impl(self, key: Key, detail: dict[str, Any]) -> None:
        kind = self.resolve(detail["type"], *key)
        self.impl_types[key] = kind
        trait, found = detail["trait"], NOTHING
        if trait and trait[0] == "path":
            found = self.names.resolve(trait[1], *key, "type")
        self.impl_traits[key] = found
        for target in found.targets:
            if target.kind == "sym" and kind is not None:
                traits = self.blankets if kind[0] == "gen" else self.traits[head_of(kind)]
                traits[target.value] = None
            is_deref = target.kind == "native" and target.value.endswith("::Deref")
            if is_deref and "Target" in detail["types"]:
                self.derefs[head_of(kind)] = key

    def resolve(self, data: Any, path: str, owner: int, depth: int = 0) -> Type | None:
        """Return the type that is written somewhere."""
        if not data or depth > MAX_NESTING:
            return None

        def resolved(parts: list[Any]) -> tuple[Type | None, ...]:
            return tuple(self.resolve(part, path, owner, depth + 1) for part in parts)

        sort, value = data[0], data[1]
        if sort in ("seq", "tuple", "dyn"):
            return (sort, resolved([value] if sort == "seq" else value), ())
        if sort != "path":
            return None
        args = resolved(data[2])
        if value[0] == "Self":
            return self._self_path(value, path, owner)
        targets = self.names.resolve(value, path, owner, "type").targets
        return self.of_target(targets[0], args, depth) if len(targets) == 1 else None

    def of_target(self, target: Target, args: tuple[Any, ...] = (), depth: int = 0) -> Type | None:
        """Return the type that a resolved path is, through aliases."""
        if target.kind == "sym":
            symbol = self.names.symbol(target.value)
            if (alias := symbol.detail.get("alias")) is not None:
                real = self.resolve(alias, *target.value, depth=depth + 1)
                return substitute(real, params_of(symbol.detail, target.value, args))
            if symbol.kind == "interface":
                return ("dyn", (("sym", target.value, args),), ())
            return ("sym", target.value, args) if symbol.kind == "type" else None
        if target.kind == "gen":
            return ("gen", target.value, ())
        return (target.kind, target.value, args) if target.kind in OUTSIDE else None

    def own(self, path: str, owner: int) -> Type | None:
        """Return the type that Self is at a place."""
        for number, symbol in self.names.around(path, owner):
            if symbol.kind == "impl":
                return self.impl_types.get((path, number))
            if symbol.kind == "interface":
                return ("gen", ("Self", path, number), ())
            if symbol.kind == "type":
                names = symbol.detail["generics"]
                parameters = tuple(("gen", (name, path, number), ()) for name in names)
                return ("sym", (path, number), parameters)
        return None

    def _self_path(self, value: list[str], path: str, owner: int) -> Type | None:
        if len(value) == 1:
            return self.own(path, owner)
        for number, symbol in self.names.around(path, owner):
            if symbol.kind == "impl" and len(value) == 2:
                return self.resolve(symbol.detail["types"].get(value[1]), path, number)
        return None


def substitute(kind: Any, mapping: dict[Any, Any]) -> Type | None:
    """Put known types in the place of type parameters."""
    if kind is None or not mapping:
        return typed(kind)
    if kind[0] == "gen":
        return typed(mapping.get(kind[1], kind))
    if kind[0] in ("tuple", "seq", "dyn"):
        return (kind[0], tuple(substitute(part, mapping) for part in kind[1]), ())
    return (kind[0], kind[1], tuple(substitute(part, mapping) for part in kind[2]))


def params_of(detail: dict[str, Any], key: Key, args: tuple[Any, ...]) -> dict[Any, Any]:
    """Return the type arguments of a declaration by its type parameters."""
    names = list(detail.get("generics") or {})
    return {(name, *key): given for name, given in zip(names, args, strict=False) if given}


def head_of(kind: Type | None) -> Any:
    """Return the part of a type that tells it apart without its arguments."""
    if kind is None:
        return None
    if kind[0] in OUTSIDE:
        return kind[0], last_of(kind)
    return kind[:2] if kind[0] in ("sym", "gen") else kind[:1]


def last_of(kind: Type) -> str:
    """Return the last part of a name from outside; empty for the project's own."""
    return str(kind[1]).rsplit("::", 1)[-1] if kind[0] in OUTSIDE else ""
