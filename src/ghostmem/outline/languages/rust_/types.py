"""The types that Rust files write, and the impl blocks of a project.

A type is ("sym", key, args), ("native" or "external", name, args), ("gen", (name, path, owner),
()), ("dyn", traits, ()), ("tuple", types, ()), or ("seq", (element,), ())."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.languages.rust_.crates import Key
from ghostmem.outline.languages.rust_.names import RustNames, impl_owner
from ghostmem.outline.languages.shared.inference import (
    NOTHING,
    OUTSIDE,
    Found,
    Inference,
    Target,
    Type,
    typed,
)
from ghostmem.outline.languages.shared.postorder import UNKNOWN

MAX_NESTING = 12  # types inside each other


class Method(NamedTuple):
    """A function of an impl block: its symbol, the impl, and the trait of that impl."""

    key: Key
    impl: int
    trait: Target | None


class RustTypes(Inference[Type]):
    """Resolve written types and impl blocks."""

    def __init__(self, files: Mapping[str, Facts], names: RustNames) -> None:
        super().__init__(files)
        self.names = names
        self.methods: dict[tuple[Any, str], list[Method]] = defaultdict(list)  # (type, name)
        # by type: the traits of the project that it implements
        self.traits: dict[Any, dict[Key, None]] = defaultdict(dict)
        self.derefs: dict[Any, tuple[str, int]] = {}  # by type: its impl of Deref
        self.blankets: dict[Key, None] = {}  # traits implemented for a type parameter
        self.impl_types: dict[tuple[str, int], Type | None] = {}
        self.impl_traits: dict[tuple[str, int], Found] = {}
        for path in sorted(files):
            for number, impl in enumerate(files[path].detail["impls"]):
                self._impl(path, number, impl)
        for path in sorted(files):
            for number, symbol in enumerate(files[path].symbols):
                if (impl_number := (symbol.detail or {}).get("impl")) is not None:
                    head = head_of(self.impl_types[path, impl_number])
                    trait = next(iter(self.impl_traits[path, impl_number].targets), None)
                    method = Method((path, number), impl_number, trait)
                    self.methods[head, symbol.name].append(method)

    def _impl(self, path: str, number: int, impl: dict[str, Any]) -> None:
        kind = self.resolve(impl["type"], path, impl["owner"], number)
        self.impl_types[path, number] = kind
        trait, found = impl["trait"], NOTHING
        if trait and trait[0] == "path":
            found = self.names.resolve(trait[1], path, impl["owner"], "type")
        self.impl_traits[path, number] = found
        for target in found.targets:
            if target.kind == "sym" and kind is not None:
                traits = self.blankets if kind[0] == "gen" else self.traits[head_of(kind)]
                traits[target.value] = None
            is_deref = target.kind == "native" and target.value.endswith("::Deref")
            if is_deref and "Target" in impl["types"]:
                self.derefs[head_of(kind)] = (path, number)

    def resolve(
        self, data: Any, path: str, owner: int, impl: int = UNKNOWN, depth: int = 0
    ) -> Type | None:
        """Return the type that is written somewhere."""
        if not data or depth > MAX_NESTING:
            return None

        def resolved(parts: list[Any]) -> tuple[Type | None, ...]:
            return tuple(self.resolve(one, path, owner, impl, depth + 1) for one in parts)

        sort, value = data[0], data[1]
        if sort in ("seq", "tuple", "dyn"):
            return (sort, resolved([value] if sort == "seq" else value), ())
        if sort != "path":
            return None
        args = resolved(data[2])
        if value[0] == "Self":
            return self._self_path(value, path, owner)
        if len(value) == 1 and value[0] in self._impl_generics(path, impl):
            return ("gen", (value[0], path, impl_owner(impl)), ())
        targets = self.names.resolve(value, path, owner, "type").targets
        return self.of_target(targets[0], args, depth) if len(targets) == 1 else None

    def _impl_generics(self, path: str, impl: int) -> Mapping[str, Any]:
        return self.files[path].detail["impls"][impl]["generics"] if impl != UNKNOWN else {}

    def of_target(self, target: Target, args: tuple[Any, ...] = (), depth: int = 0) -> Type | None:
        """Return the type that a resolved path is, through aliases."""
        if target.kind == "sym":
            symbol = self.names.symbol(target.value)
            if (alias := symbol.detail.get("alias")) is not None:
                real = self.resolve(alias, target.value[0], target.value[1], UNKNOWN, depth + 1)
                return substitute(real, params_of(symbol.detail, target.value, args))
            if symbol.kind == "interface":
                return ("dyn", (("sym", target.value, args),), ())
            return ("sym", target.value, args) if symbol.kind == "type" else None
        if target.kind == "gen":
            return ("gen", target.value, ())
        return (target.kind, target.value, args) if target.kind in OUTSIDE else None

    def own(self, path: str, owner: int) -> Type | None:
        """Return the type that Self is at a place."""
        symbols = self.files[path].symbols
        while owner != FILE:
            symbol = symbols[owner]
            if (impl := (symbol.detail or {}).get("impl")) is not None:
                return self.impl_types[path, impl]
            if symbol.kind == "interface":
                return ("gen", ("Self", path, owner), ())
            if symbol.kind == "type":
                names = symbol.detail.get("generics") or {}
                return ("sym", (path, owner), tuple(("gen", (n, path, owner), ()) for n in names))
            owner = symbol.parent
        return None

    def _self_path(self, value: list[str], path: str, owner: int) -> Type | None:
        if len(value) == 1:
            return self.own(path, owner)
        facts = self.files[path]
        while owner != FILE:
            number = (facts.symbols[owner].detail or {}).get("impl")
            if number is not None and len(value) == 2:
                impl = facts.detail["impls"][number]
                return self.resolve(impl["types"].get(value[1]), path, impl["owner"], number)
            owner = facts.symbols[owner].parent
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
