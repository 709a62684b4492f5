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
    """The standard library of a language, as far as it is known."""

    is_native: Callable[[str], bool]
    packages: Mapping[str, frozenset[str]]  # the types of packages
    implicit: str  # the package that every file sees
    top: str  # the type that all others extend
    top_members: frozenset[str]
    enum: str  # the type that enums extend, and its members
    enum_members: frozenset[str]
    text: str  # the type of text
    results: Mapping[str, str]  # by the whole name of a method from outside: the type that it gives
    boxes: Mapping[str, str]  # the class of each primitive type
    widened: Mapping[str, frozenset[str]]  # primitive types: those that can be passed for them
    array_bases: frozenset[str]  # types that arrays extend
    final: Mapping[str, frozenset[str]]  # classes without heirs: all types that they extend
    functions: str  # the package of function types
    # the results of methods, and the parameters that they pass to functions
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
        for number, symbol in enumerate(facts.symbols):
            siblings = self.children.setdefault((path, symbol.parent), {})
            siblings.setdefault(symbol.name, []).append(number)
            if symbol.parent == FILE:
                qualified = f"{facts.package}.{symbol.name}".lstrip(".")
                self.tops.setdefault(qualified, []).append((path, number))
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
        keys = [(key[0], number) for number in self.children.get(key, {}).get(name, [])]
        return [member for member in keys if self.symbol(member).kind in kinds]

    def all_members(self, key: Key) -> list[Key]:
        """Return all members of a symbol."""
        groups = self.children.get(key, {}).values()
        return [(key[0], number) for numbers in groups for number in numbers]

    def type_parameters(self, key: Key) -> list[str]:
        """Return the names of the type parameters of a symbol."""
        bindings = self.parameters.get((key[0], self.symbol(key).inner), [])
        return [binding.name for binding in bindings if binding.kind == "type"]

    def chain(self, path: str, scope: int) -> Iterator[tuple[int, Scope]]:
        """Yield the scopes that a scope is in, innermost first."""
        scopes = self.files[path].scopes
        while scope >= 0:
            yield scope, scopes[scope]
            scope = scopes[scope].parent

    def type_at(self, path: str, scope: int) -> Key | None:
        """Return the type that a scope is in."""
        types = (
            (path, around.definition)
            for _, around in self.chain(path, scope)
            if around.kind == "type"
        )
        return next(types, None)

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
        kind, via = self._simple(path, first, scope)
        if kind is None and rest:
            kind, rest = self._qualified(name)
            via = "package" if kind is not None and kind.sort == CLASS else ""
        for part in rest:
            kind = self.nested(kind, part)
        if kind is not None and kind.sort == OUTSIDE_CLASS and self.library.is_native(kind.name):
            via = "native"
        return FoundType(kind, via)

    def _qualified(self, name: str) -> tuple[Type | None, list[str]]:
        """Return the type that a qualified name begins with, and the rest of the name."""
        parts = name.split(".")
        for cut in range(len(parts), 1, -1):
            keys = self.tops.get(".".join(parts[:cut]), [])
            if len(keys) == 1:
                return Type(CLASS, keys[0]), parts[cut:]
        is_outside = parts[0].islower() and any(part[:1].isupper() for part in parts)
        return (Type(OUTSIDE_CLASS, name=name), []) if is_outside else (None, parts[1:])

    def nested(self, kind: Type | None, name: str) -> Type | None:
        """Return a type that stands inside another."""
        if kind is not None and kind.sort == CLASS:
            return self._member_type(kind.symbol, name, frozenset())
        if kind is not None and kind.sort == OUTSIDE_CLASS:
            return Type(OUTSIDE_CLASS, name=f"{kind.name}.{name}")
        return None

    def _member_type(self, key: Key, name: str, seen: frozenset[Key]) -> Type | None:
        if key in seen or len(seen) > MAX_DEPTH:
            return None
        keys = self.members(key, name, TYPES)
        if keys:
            return Type(CLASS, keys[0])
        inherited = (self._member_type(base, name, seen | {key}) for base in self._bases(key))
        return next((kind for kind in inherited if kind is not None), None)

    def _bases(self, key: Key) -> list[Key]:
        """Return the types of the project that one comes from, without their arguments."""
        if key not in self.bases:
            self.bases[key] = []  # while they are looked for, there are none
            types = []
            for ref in self.base_refs.get(key, []):
                term = self.files[key[0]].terms[ref.term] if ref.term >= 0 else None
                if term is not None and term.sort == "named":
                    scope = self.outer_scope(key, ref)
                    types.append(self.class_named(key[0], term.name, scope).type)
            self.bases[key] = [kind.symbol for kind in types if kind and kind.sort == CLASS]
        return self.bases[key]

    def outer_scope(self, key: Key, ref: Ref) -> int:
        """Return where the bases of a type are looked up: outside of it."""
        inner = self.symbol(key).inner
        return self.files[key[0]].scopes[inner].parent if ref.scope == inner else ref.scope

    def _simple(self, path: str, name: str, scope: int) -> FoundType:
        for number, around in self.chain(path, scope):
            bound = self.type_bindings.get((path, number, name))
            if bound is not None:
                return FoundType(Type(PARAMETER, (path, bound), name), "local")
            key = (path, around.definition)
            kind: Type | None = None
            if around.kind == "function":
                kind = next((Type(CLASS, one) for one in self.members(key, name, TYPES)), None)
            elif around.kind == "type":
                is_own = self.symbol(key).name == name
                kind = Type(CLASS, key) if is_own else self._member_type(key, name, frozenset())
            if kind is not None:
                return FoundType(kind, "local")
        return self._from_file(path, name)

    def _from_file(self, path: str, name: str) -> FoundType:
        """Return the type that imports, the package or the library give a name."""
        facts = self.files[path]
        for statement in facts.imports:
            if not statement.star and statement.path.rpartition(".")[2] == name:
                kind = self.class_at(statement.path)
                if kind is not None:
                    return FoundType(kind, "import" if kind.sort == CLASS else "external")
        keys = self.tops.get(f"{facts.package}.{name}".lstrip("."), [])
        own = [key for key in keys if key[0] == path] or keys
        if own:
            is_single = len(own) == 1
            return FoundType(Type(CLASS, own[0]), "package") if is_single else FoundType(None, "")
        starred = (self._starred(one.path, name) for one in facts.imports if one.star)
        kinds = list(dict.fromkeys(kind for kind in starred if kind is not None))
        if kinds:
            return FoundType(kinds[0], "import") if len(kinds) == 1 else FoundType(None, "")
        implicit = self.library.implicit
        if name in self.library.packages[implicit]:
            return FoundType(Type(OUTSIDE_CLASS, name=f"{implicit}.{name}"), "native")
        return FoundType(None, "")

    def class_at(self, name: str) -> Type | None:
        """Return the type that a qualified name means: the project's, or one from elsewhere."""
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            keys = self.tops.get(".".join(parts[:cut]), [])
            if keys:
                kind = Type(CLASS, keys[0]) if len(keys) == 1 else None
                for part in parts[cut:]:
                    kind = self.nested(kind, part)
                return kind
        return Type(OUTSIDE_CLASS, name=name)

    def _starred(self, package: str, name: str) -> Type | None:
        keys = self.tops.get(f"{package}.{name}", [])
        if keys:
            return Type(CLASS, keys[0]) if len(keys) == 1 else None
        if name in self.library.packages.get(package, ()):
            return Type(OUTSIDE_CLASS, name=f"{package}.{name}")
        if package in self.tops or package.rpartition(".")[0] in self.packages:
            owner = self.class_at(package)
            if owner is not None and owner.sort == CLASS:
                return self.nested(owner, name)
        return None
