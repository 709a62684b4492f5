"""The functions and fields that Rust types have: their own, those of traits, and those of the types
that they dereference to.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.rust_.imports import DERIVED, KNOWN
from ghostmem.outline.languages.rust_.syntax import DYN, TUPLE
from ghostmem.outline.languages.rust_.types import (
    RustTypes,
    head_of,
    last_of,
    params_of,
    substitute,
)
from ghostmem.outline.languages.shared.inference import Target, symbols
from ghostmem.outline.resolve.types import INSTANCE, PARAMETER, Key, Type

MAX_DEREFS = 8  # types that are dereferenced one after the other
ABSTRACT = frozenset({PARAMETER, DYN})  # sorts of types of which only the traits are known
_OF_POINTERS = ("clone", "default", "from", "new")  # functions that a smart pointer has itself


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
        if kind.sort != PARAMETER:
            return self._with_supers([*kind.args])
        if kind.name == "Self":
            return self._with_supers([Type(INSTANCE, kind.symbol)])
        bounds = self.names.symbol(kind.symbol).detail["generics"][kind.name]
        return self._with_supers([self.resolve(bound, *kind.symbol) for bound in bounds])

    def _with_supers(self, pending: list[Type | None]) -> list[Key]:
        found: dict[Key, None] = {}
        while pending:
            kind = pending.pop(0)
            if kind is not None and kind.sort == DYN:
                pending += kind.args
            elif kind is not None and kind.sort == INSTANCE and kind.symbol not in found:
                found[kind.symbol] = None
                bounds = self.names.symbol(kind.symbol).detail.get("bounds") or []
                pending += [self.resolve(bound, *kind.symbol) for bound in bounds]
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
            if kind.sort in ABSTRACT or has_itself(kind, name):
                break
        return RustCallee()

    def _functions(self, kind: Type, name: str, where: tuple[str, int] | None) -> RustCallee:
        """Return the functions of a type itself: of its impls, then of its traits."""
        if kind.sort in ABSTRACT:
            return callee_of(self.trait_functions(self.bounds(kind), name), "interface", kind)
        head = head_of(kind)
        if methods := self.methods.get((head, name)):
            inherent = [method for method in methods if method.trait is None]
            return callee_of([method.key for method in inherent or methods], "type", kind)
        traits = self.traits.get(head, {}) if head is not None else {}
        supers = self._with_supers([Type(INSTANCE, key) for key in traits])
        keys = self.trait_functions(supers, name)
        if not keys and where is not None:
            keys = self._blanket(name, where)
        return callee_of(keys, "interface", kind)

    def derived(self, kind: Type | None, name: str) -> Target | None:
        """Return the function that a type has by deriving its trait."""
        if kind is None or kind.sort != INSTANCE or name not in DERIVED:
            return None
        derives = self.names.symbol(kind.symbol).detail.get("derives") or []
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
        if kind.sort == "native" and last_of(kind) in KNOWN["pointers"] and kind.args:
            return kind.args[-1]
        place = self.derefs.get(head_of(kind))
        if place is None:
            return None
        target = self.resolve(self.names.symbol(place).detail["types"]["Target"], *place)
        return substitute(target, self._unify(place, kind))

    def _unify(self, place: Key, kind: Type | None) -> dict[Type, Type]:
        """Return the types that the type parameters of an impl are for a type."""
        own = self.impl_types.get(place)
        if own is None or kind is None:
            return {}
        pairs = [(own, kind)] if own.sort == PARAMETER else zip(own.args, kind.args, strict=False)
        return {
            parameter: given
            for parameter, given in pairs
            if parameter is not None and parameter.sort == PARAMETER and given is not None
        }

    def result(
        self, key: Key, kind: Type | None, given: dict[Type, Type] | None = None
    ) -> Type | None:
        """Return the type that a function gives when it is called on a type."""
        symbol, mapping = self.names.symbol(key), given or {}
        parent = (key[0], symbol.parent)
        if parent in self.impl_types:
            mapping = mapping | self._unify(parent, kind)
        elif kind is not None and symbol.parent != FILE:
            mapping = mapping | {Type(PARAMETER, parent, "Self"): kind}
        return substitute(self.resolve(symbol.detail.get("type"), *key), mapping)

    def field(self, receiver: Type | None, name: str) -> Type | None:
        """Return the type of a field, through types that dereference."""
        for kind in self.opened(receiver):
            if kind.sort == TUPLE and name.isdigit() and int(name) < len(kind.args):
                return kind.args[int(name)]
            keys = self.names.items.get((*kind.symbol, "field", name), [])
            if len(keys) == 1 and kind.sort == INSTANCE:
                return self.field_type(keys[0], kind.symbol, kind.args)
        return None

    def field_type(self, field: Key, owner: Key, args: tuple[Type | None, ...]) -> Type | None:
        """Return the type of a field of a type with its type arguments."""
        written = self.resolve(self.names.symbol(field).detail["type"], *owner)
        return substitute(written, params_of(self.names.symbol(owner).detail, owner, args))


def has_itself(kind: Type, name: str) -> bool:
    """Tell whether a smart pointer has a function itself, instead of the type that it leads to."""
    is_reference = name == "as_ref" and last_of(kind) in KNOWN["owners"]
    return kind.sort == "native" and (name in _OF_POINTERS or is_reference)


def callee_of(keys: list[Key], single: str, home: Type | None) -> RustCallee:
    """Return functions as the targets of a call; several are conditional."""
    return RustCallee(symbols(keys), single if len(keys) == 1 else "conditional", home)
