"""The types that Rust files write, and the impl blocks of a project.

A type is an instance of a symbol, something native or external by its name, a type parameter with
the symbol that declares it, or an array, a tuple or a trait object of its arguments."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.rust_.names import RustNames
from ghostmem.outline.languages.rust_.syntax import DYN, TUPLE
from ghostmem.outline.languages.shared.inference import NOTHING, OUTSIDE, Found, Inference, Target
from ghostmem.outline.resolve.types import ARRAY, INSTANCE, MAX_NESTING, PARAMETER, Key, Type


class Method(NamedTuple):
    """A function of an impl block: its symbol, and the trait of that impl."""

    key: Key
    trait: Target | None


class RustTypes(Inference[Type]):
    """Resolve written types and impl blocks."""

    def __init__(self, files: Mapping[str, Facts], names: RustNames) -> None:
        super().__init__(files)
        self.names = names
        self.methods: dict[tuple[Type | None, str], list[Method]] = defaultdict(list)  # type, name
        # by type: the traits of the project that it implements
        self.traits: dict[Type, dict[Key, None]] = defaultdict(dict)
        self.derefs: dict[Type | None, Key] = {}  # by type: its impl of Deref
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
        kind, trait = self.resolve(detail["type"], *key), detail["trait"]
        is_named = trait is not None and trait[0] == "path"
        found = self.names.resolve(trait[1], *key, "type") if is_named else NOTHING
        self.impl_types[key], self.impl_traits[key] = kind, found
        for target in found.targets:
            if target.kind == "sym" and (head := head_of(kind)) is not None:
                traits = self.blankets if head.sort == PARAMETER else self.traits[head]
                traits[target.value] = None
            is_deref = target.kind == "native" and target.value.endswith("::Deref")
            if is_deref and "Target" in detail["types"]:
                self.derefs[head_of(kind)] = key

    def resolve(self, data: Any, path: str, owner: int, depth: int = 0) -> Type | None:
        """Return the type that is written somewhere."""
        if not data or depth > MAX_NESTING:
            return None
        sort, segments, parts = data
        args = tuple(self.resolve(part, path, owner, depth + 1) for part in parts)
        if sort in (ARRAY, TUPLE, DYN):
            return Type(sort, args=args)
        if segments[0] == "Self":
            return self._self_path(segments, path, owner)
        found = self.names.resolve(segments, path, owner, "type")
        return self.of_target(found.targets[0], args, depth) if len(found.targets) == 1 else None

    def of_target(
        self, target: Target, args: tuple[Type | None, ...] = (), depth: int = 0
    ) -> Type | None:
        """Return the type that a resolved path is, through aliases."""
        if target.kind == "gen":
            parameter: Type = target.value
            return parameter
        if target.kind != "sym":
            return (
                Type(target.kind, name=target.value, args=args) if target.kind in OUTSIDE else None
            )
        key: Key = target.value
        symbol, kind = self.names.symbol(key), Type(INSTANCE, key, args=args)
        if symbol.kind == "type" and (alias := symbol.detail["type"]) is not None:
            real = self.resolve(alias, *key, depth=depth + 1)
            return substitute(real, params_of(symbol.detail, key, args))
        if symbol.kind == "interface":
            return Type(DYN, args=(kind,))
        return kind if symbol.kind == "type" else None

    def own(self, path: str, owner: int) -> Type | None:
        """Return the type that Self is at a place."""
        for number, symbol in self.names.around(path, owner):
            key = (path, number)
            if symbol.kind == "impl":
                return self.impl_types.get(key)
            if symbol.kind == "interface":
                return Type(PARAMETER, key, "Self")
            if symbol.kind == "type":
                names = symbol.detail["generics"]
                return Type(INSTANCE, key, args=tuple(Type(PARAMETER, key, name) for name in names))
        return None

    def _self_path(self, segments: list[str], path: str, owner: int) -> Type | None:
        if len(segments) == 1:
            return self.own(path, owner)
        for number, symbol in self.names.around(path, owner):
            if symbol.kind == "impl" and len(segments) == 2:
                return self.resolve(symbol.detail["types"].get(segments[1]), path, number)
        return None


def substitute(kind: Type | None, mapping: dict[Type, Type]) -> Type | None:
    """Put known types in the place of type parameters."""
    if kind is None or not mapping or kind in mapping:
        return mapping.get(kind, kind) if kind is not None else None
    return kind._replace(args=tuple(substitute(part, mapping) for part in kind.args))


def params_of(detail: dict[str, Any], key: Key, args: tuple[Type | None, ...]) -> dict[Type, Type]:
    """Return the type arguments of a declaration by its type parameters."""
    pairs = zip(detail["generics"], args, strict=False)
    return {Type(PARAMETER, key, name): given for name, given in pairs if given is not None}


def head_of(kind: Type | None) -> Type | None:
    """Return a type without its arguments, and something outside without its path."""
    if kind is None:
        return None
    return kind._replace(name=kind.name.rpartition("::")[2], args=())


def last_of(kind: Type) -> str:
    """Return the last part of a name from outside; empty for the project's own."""
    return kind.name.rpartition("::")[2] if kind.sort in OUTSIDE else ""
