"""The functions and fields that Rust types have: their own, those of traits, and those of the types
that they dereference to.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.rust_.crates import Key
from ghostmem.outline.languages.rust_.imports import DERIVED, KNOWN
from ghostmem.outline.languages.rust_.types import (
    RustTypes,
    head_of,
    last_of,
    params_of,
    substitute,
)
from ghostmem.outline.languages.shared.inference import Target, Type, symbols, typed

MAX_DEREFS = 8  # types that are dereferenced one after the other
_NOT_FORWARDED = ("clone", "new", "from", "default")  # functions that a smart pointer has itself


class RustCallee(NamedTuple):
    """The targets of a path or method, the rung that found them, and the type that has them."""

    targets: Sequence[Target] = ()
    via: str = ""
    home: Type | None = None


class RustMembers(RustTypes):
    """Look up functions and fields of types."""

    def bounds(self, kind: Type) -> list[Key]:
        """Return the traits of the project that a type parameter or trait object has, with those
        that they extend.
        """
        if kind[0] != "gen":
            return self._with_supers(list(kind[1]))
        name, path, owner = kind[1]
        if name == "Self":
            return self._with_supers([("sym", (path, owner), ())])
        bounds = self.names.symbol((path, owner)).detail["generics"][name]
        return self._with_supers([self.resolve(bound, path, owner) for bound in bounds])

    def _with_supers(self, pending: list[Type | None]) -> list[Key]:
        found: dict[Key, None] = {}
        while pending:
            kind = pending.pop(0)
            if kind is not None and kind[0] == "dyn":
                pending += kind[1]
            elif kind is not None and kind[0] == "sym" and kind[1] not in found:
                found[kind[1]] = None
                detail = self.names.symbol(kind[1]).detail
                pending += [self.resolve(bound, *kind[1]) for bound in detail.get("bounds") or []]
        return list(found)

    def trait_functions(self, traits: list[Key], name: str) -> list[Key]:
        """Return the functions of a name that traits declare."""
        items = self.names.items
        return [key for trait in traits for key in items.get((*trait, "value", name), [])]

    def opened(self, kind: Type | None) -> Iterator[Type]:
        """Yield a type, and the types that it dereferences to."""
        for _ in range(MAX_DEREFS):
            if kind is None:
                return
            yield kind
            kind = self.inner(kind)

    def find(
        self, receiver: Type | None, name: str, where: tuple[str, int] | None = None
    ) -> RustCallee:
        """Return the functions that a type, or a type that it dereferences to, has under a name."""
        for kind in self.opened(receiver):
            callee = self._functions(kind, name, where)
            if callee.targets:
                return callee
            if kind[0] in ("gen", "dyn") or (kind[0] == "native" and name in _NOT_FORWARDED):
                break
        return RustCallee()

    def _functions(self, kind: Type, name: str, where: tuple[str, int] | None) -> RustCallee:
        """Return the functions of a type itself: of its impls, then of its traits."""
        if kind[0] in ("gen", "dyn"):
            return callee_of(self.trait_functions(self.bounds(kind), name), "interface", kind)
        head = head_of(kind)
        if methods := self.methods.get((head, name)):
            inherent = [method for method in methods if method.trait is None]
            return callee_of([method.key for method in inherent or methods], "type", kind)
        supers = self._with_supers([("sym", key, ()) for key in self.traits.get(head, {})])
        keys = self.trait_functions(supers, name)
        if not keys and where is not None:
            keys = self._blanket(name, where)
        return callee_of(keys, "interface", kind)

    def derived(self, kind: Type | None, name: str) -> Target | None:
        """Return the function that a type has by deriving its trait."""
        if kind is None or kind[0] != "sym" or name not in DERIVED:
            return None
        derives = self.names.symbol(kind[1]).detail.get("derives") or []
        is_derived = DERIVED[name].rsplit("::", 1)[-1] in derives
        return Target("native", f"{DERIVED[name]}::{name}") if is_derived else None

    def _blanket(self, name: str, where: tuple[str, int]) -> list[Key]:
        """Return the function of the one blanket trait in scope that has it."""
        keys = [
            key
            for key in self.trait_functions([*self.blankets], name)
            if self._is_visible((key[0], self.names.symbol(key).parent), where)
        ]
        return keys if len(keys) == 1 else []

    def _is_visible(self, trait: Key, where: tuple[str, int]) -> bool:
        """Tell whether the name of a trait means it at a place."""
        found = self.names.resolve([self.names.symbol(trait).name], *where, "type")
        return Target("sym", trait) in found.targets

    def inner(self, kind: Type) -> Type | None:
        """Return the type that a smart pointer or a type with Deref leads to."""
        if kind[0] == "native" and last_of(kind) in KNOWN["pointers"] and kind[2]:
            return typed(kind[2][-1])
        place = self.derefs.get(head_of(kind))
        if place is None:
            return None
        target = self.resolve(self.names.symbol(place).detail["types"]["Target"], *place)
        return substitute(target, self._unify(place, kind))

    def _unify(self, place: Key, kind: Type | None) -> dict[Any, Any]:
        """Return the types that the type parameters of an impl are for a type."""
        own = self.impl_types.get(place)
        if own is None or kind is None:
            return {}
        if own[0] == "gen":
            return {own[1]: kind}
        return {
            parameter[1]: given
            for parameter, given in zip(own[2], kind[2], strict=False)
            if parameter and parameter[0] == "gen" and given
        }

    def result(
        self, key: Key, kind: Type | None, given: dict[Any, Any] | None = None
    ) -> Type | None:
        """Return the type that a function gives when it is called on a type."""
        symbol = self.names.symbol(key)
        mapping: dict[Any, Any] = dict(given or {})
        parent = (key[0], symbol.parent)
        if parent in self.impl_types:
            mapping |= self._unify(parent, kind)
        elif kind is not None and symbol.parent != FILE:
            mapping["Self", *parent] = kind
        return substitute(self.resolve(symbol.detail.get("ret"), *key), mapping)

    def field(self, receiver: Type | None, name: str) -> Type | None:
        """Return the type of a field, through types that dereference."""
        for kind in self.opened(receiver):
            if kind[0] == "tuple" and name.isdigit() and int(name) < len(kind[1]):
                return typed(kind[1][int(name)])
            keys = self.names.items.get((*kind[1], "field", name), []) if kind[0] == "sym" else []
            if len(keys) == 1:
                return self.field_type(keys[0], kind[1], kind[2])
        return None

    def field_type(self, field: Key, owner: Key, args: tuple[Any, ...]) -> Type | None:
        """Return the type of a field of a type with its type arguments."""
        written = self.resolve(self.names.symbol(field).detail["type"], *owner)
        return substitute(written, params_of(self.names.symbol(owner).detail, owner, args))


def callee_of(keys: list[Key], single: str, home: Type | None) -> RustCallee:
    """Return functions as the targets of a call; several are conditional."""
    return RustCallee(symbols(keys), single if len(keys) == 1 else "conditional", home)
