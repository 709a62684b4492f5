"""The types that names stand for: from enclosing types, imports, the package and wildcards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ghostmem.outline.facts import FILE, Binding, Expression, Facts, Ref, Scope, Symbol
from ghostmem.outline.resolve.types import (
    CLASS,
    MAX_DEPTH,
    OUTSIDE_CLASS,
    PARAMETER,
    Key,
    Type,
)

TYPES = frozenset({"type", "interface"})


@dataclass(frozen=True)
class Library:
    """What is known of the standard library of a language."""

    is_native: Callable[[str], bool]
    packages: Mapping[str, frozenset[str]]  # the types of packages
    implicit: str  # the package that every file sees
    top: str  # the type that all others extend
    top_members: frozenset[str]
    enum: str  # the type that enums extend, and its members
    enum_members: frozenset[str]
    text: str  # the type of text
    functions: str  # the package of function types
    # what calling a method on a value gives, and what it passes to a function as a parameter
    result: Callable[[Type, str, Callable[[], Type | None]], Type | None]
    passes: Callable[[Type, str, int], Type | None]


class FoundType(NamedTuple):
    """The type that a name stands for, and the step that found it."""

    type: Type | None
    via: str


@dataclass(slots=True)
class Names(ABC):
    """All files, and the types that names in them stand for."""

    files: dict[str, Facts]
    library: Library
    children: dict[Key, dict[str, list[int]]] = field(default_factory=dict)
    tops: dict[str, list[Key]] = field(default_factory=dict)  # qualified name: types
    packages: dict[str, list[str]] = field(default_factory=dict)  # name: files
    bindings: dict[tuple[str, int, str], Binding] = field(default_factory=dict)
    type_bindings: dict[tuple[str, int, str], int] = field(default_factory=dict)
    parameters: dict[Key, list[Binding]] = field(default_factory=dict)  # of a scope
    base_refs: dict[Key, list[Ref]] = field(default_factory=dict)
    bases: dict[Key, list[Key]] = field(default_factory=dict)
    classes: dict[tuple[str, str, int], FoundType] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path, facts in self.files.items():
            self.packages.setdefault(facts.package, []).append(path)
            self._index(path, facts)

    def _index(self, path: str, facts: Facts) -> None:
        for number, one in enumerate(facts.symbols):
            named = self.children.setdefault((path, one.parent), {})
            named.setdefault(one.name, []).append(number)
            if one.parent == FILE:
                whole = f"{facts.package}.{one.name}".lstrip(".")
                self.tops.setdefault(whole, []).append((path, number))
        for number, binding in enumerate(facts.bindings):
            place = path, binding.scope, binding.name
            if binding.kind == "type":
                self.type_bindings.setdefault(place, number)
            else:
                self.bindings[place] = binding
            if binding.kind != "local":
                self.parameters.setdefault((path, binding.scope), []).append(binding)
        for ref in facts.refs:
            if ref.kind in ("extends", "implements"):
                self.base_refs.setdefault((path, ref.owner), []).append(ref)

    def symbol(self, key: Key) -> Symbol:
        """Return a symbol."""
        return self.files[key[0]].symbols[key[1]]

    def expression(self, path: str, number: int) -> Expression:
        """Return an expression of a file."""
        return self.files[path].expressions[number]

    def members(self, key: Key, name: str, kinds: frozenset[str]) -> list[Key]:
        """Return the members of a symbol that have a name and are of a kind."""
        rows = [(key[0], number) for number in self.children.get(key, {}).get(name, [])]
        return [one for one in rows if self.symbol(one).kind in kinds]

    def all_members(self, key: Key) -> list[Key]:
        """Return all members of a symbol."""
        return [(key[0], one) for held in self.children.get(key, {}).values() for one in held]

    def type_parameters(self, key: Key) -> list[str]:
        """Return the names of the type parameters of a symbol."""
        held = self.parameters.get((key[0], self.symbol(key).inner), [])
        return [one.name for one in held if one.kind == "type"]

    def chain(self, path: str, scope: int) -> Iterator[tuple[int, Scope]]:
        """Yield the scopes that a scope is in, innermost first."""
        scopes = self.files[path].scopes
        while scope >= 0:
            yield scope, scopes[scope]
            scope = scopes[scope].parent

    def type_at(self, path: str, scope: int) -> Key | None:
        """Return the type that a scope is in."""
        found = (one.definition for _, one in self.chain(path, scope) if one.kind == "type")
        number = next(found, None)
        return None if number is None else (path, number)

    @abstractmethod
    def type_of(self, path: str, number: int) -> Type | None:
        """Return the type of an expression."""

    def class_named(self, path: str, name: str, scope: int) -> FoundType:
        """Return the type that a dotted name stands for in a scope."""
        key = (path, name, scope)
        if key not in self.classes:
            found = self._class_named(path, name, scope)
            self.classes.setdefault(key, found)
        return self.classes[key]

    def _class_named(self, path: str, name: str, scope: int) -> FoundType:
        first, *rest = name.split(".")
        found, via = self._simple(path, first, scope)
        at = 0
        if found is None and rest:
            found, at = self._qualified(name)
            via = "package" if found is not None and found.sort == CLASS else ""
        for part in rest[at:]:
            found = self.nested(found, part)
        if found is not None and found.sort == OUTSIDE_CLASS and self.library.is_native(found.name):
            via = "native"
        return FoundType(found, via)

    def _qualified(self, name: str) -> tuple[Type | None, int]:
        parts = name.split(".")
        for cut in range(len(parts), 1, -1):
            rows = self.tops.get(".".join(parts[:cut]), [])
            if len(rows) == 1:
                return Type(CLASS, rows[0]), cut - 1
        if parts[0].islower() and any(part[:1].isupper() for part in parts):
            return Type(OUTSIDE_CLASS, name=name), len(parts) - 1
        return None, 0

    def nested(self, kind: Type | None, name: str) -> Type | None:
        """Return a type that stands inside another."""
        if kind is None:
            return None
        if kind.sort == CLASS:
            return self._member_type(kind.symbol, name, frozenset())
        if kind.sort == OUTSIDE_CLASS:
            return Type(OUTSIDE_CLASS, name=f"{kind.name}.{name}")
        return None

    def _member_type(self, key: Key, name: str, seen: frozenset[Key]) -> Type | None:
        if key in seen or len(seen) > MAX_DEPTH:
            return None
        rows = self.members(key, name, TYPES)
        if rows:
            return Type(CLASS, rows[0])
        found = (self._member_type(above, name, seen | {key}) for above in self._bases(key))
        return next((one for one in found if one is not None), None)

    def _bases(self, key: Key) -> list[Key]:
        """Return the types of the project that one comes from, without their arguments."""
        if key not in self.bases:
            self.bases[key] = []  # while they are looked for, there are none
            facts, found = self.files[key[0]], []
            for ref in self.base_refs.get(key, []):
                term = facts.terms[ref.term] if ref.term >= 0 else None
                if term is not None and term.sort == "named":
                    scope = self.outer_scope(key, ref)
                    found.append(self.class_named(key[0], term.name, scope).type)
            self.bases[key] = [one.symbol for one in found if one and one.sort == CLASS]
        return self.bases[key]

    def outer_scope(self, key: Key, ref: Ref) -> int:
        """Return where the bases of a type are looked up: outside of it."""
        inner = self.symbol(key).inner
        return self.files[key[0]].scopes[inner].parent if ref.scope == inner else ref.scope

    def _simple(self, path: str, name: str, scope: int) -> FoundType:
        for at, one in self.chain(path, scope):
            bound = self.type_bindings.get((path, at, name))
            if bound is not None:
                return FoundType(Type(PARAMETER, (path, bound), name), "local")
            if one.kind == "function":
                local = self.members((path, one.definition), name, TYPES)
                if local:
                    return FoundType(Type(CLASS, local[0]), "local")
            if one.kind == "type":
                key = (path, one.definition)
                if self.symbol(key).name == name:
                    return FoundType(Type(CLASS, key), "local")
                found = self._member_type(key, name, frozenset())
                if found is not None:
                    return FoundType(found, "local")
        return self._from_file(path, name)

    def _from_file(self, path: str, name: str) -> FoundType:
        facts = self.files[path]
        for one in facts.imports:
            if not one.star and one.path.rpartition(".")[2] == name:
                found = self.class_at(one.path)
                if found is not None:
                    return FoundType(found, "import" if found.sort == CLASS else "external")
        rows = self.tops.get(f"{facts.package}.{name}".lstrip("."), [])
        own = [one for one in rows if one[0] == path] or rows
        if own:
            single = len(own) == 1
            return FoundType(Type(CLASS, own[0]), "package") if single else FoundType(None, "")
        starred = (self._starred(one.path, name) for one in facts.imports if one.star)
        stars = list(dict.fromkeys(found for found in starred if found is not None))
        if stars:
            return FoundType(stars[0], "import") if len(stars) == 1 else FoundType(None, "")
        implicit = self.library.implicit
        if name in self.library.packages[implicit]:
            return FoundType(Type(OUTSIDE_CLASS, name=f"{implicit}.{name}"), "native")
        return FoundType(None, "")

    def class_at(self, name: str) -> Type | None:
        """Return the type that a qualified name means: the project's, or one from elsewhere."""
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            rows = self.tops.get(".".join(parts[:cut]), [])
            if rows:
                found = Type(CLASS, rows[0]) if len(rows) == 1 else None
                for part in parts[cut:]:
                    found = self.nested(found, part)
                return found
        return Type(OUTSIDE_CLASS, name=name)

    def _starred(self, package: str, name: str) -> Type | None:
        rows = self.tops.get(f"{package}.{name}", [])
        if rows:
            return Type(CLASS, rows[0]) if len(rows) == 1 else None
        if name in self.library.packages.get(package, ()):
            return Type(OUTSIDE_CLASS, name=f"{package}.{name}")
        if package in self.tops or package.rpartition(".")[0] in self.packages:
            within = self.class_at(package)
            if within is not None and within.sort == CLASS:
                return self.nested(within, name)
        return None
