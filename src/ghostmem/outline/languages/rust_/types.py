"""Rust types of a project: what is written, what a type implements, and which functions and fields
it has.

A type is ("sym", key, args), ("native" or "external", name, args), ("gen", (name, path, owner),
()), ("dyn", traits, ()), ("tuple", types, ()), or ("seq", (element,), ())."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.languages.rust_.crates import Key
from ghostmem.outline.languages.rust_.names import RustNames
from ghostmem.outline.languages.rust_.std import DERIVED, POINTERS
from ghostmem.outline.languages.shared.inference import Found, Inference, Target, Type, typed
from ghostmem.outline.languages.shared.postorder import UNKNOWN


class Method(NamedTuple):
    """A function of an impl block: where it is, which impl, and the trait of that impl."""

    key: Key
    impl: int
    trait: Target | None


class RustTypes(Inference):
    """What is known about the types of a project."""

    def __init__(self, files: Mapping[str, Facts], names: RustNames) -> None:
        super().__init__(files)
        self.names = names
        self.methods: dict[tuple[Any, str], list[Method]] = defaultdict(list)  # (type, name)
        # the traits of the project it implements
        self.traits: dict[Any, dict[Key, None]] = defaultdict(dict)
        # the impl that says what it dereferences to
        self.derefs: dict[Any, tuple[str, int]] = {}
        self.blankets: dict[Key, None] = {}  # traits implemented for a type parameter
        self.impl_types: dict[tuple[str, int], Type | None] = {}
        self.impl_traits: dict[tuple[str, int], Found] = {}
        for path in sorted(files):
            for at, impl in enumerate(files[path].detail["impls"]):
                self._impl(path, at, impl)
        for path in sorted(files):
            for at, one in enumerate(files[path].symbols):
                if (number := (one.detail or {}).get("impl")) is not None:
                    home, found = (
                        self.impl_types[path, number],
                        self.impl_traits[path, number].targets,
                    )
                    self.methods[head_of(home), one.name].append(
                        Method((path, at), number, found[0] if found else None)
                    )

    def _impl(self, path: str, at: int, impl: dict[str, Any]) -> None:
        home = self.impl_types[path, at] = self.resolve(impl["type"], path, impl["owner"], at)
        trait = impl["trait"]
        found = (
            self.names.resolve(trait[1], path, impl["owner"], "type")
            if trait and trait[0] == "path"
            else Found()
        )
        self.impl_traits[path, at] = found
        for target in found.targets:
            if target.kind == "sym" and home is not None:
                (self.blankets if home[0] == "gen" else self.traits[head_of(home)])[
                    target.value
                ] = None
            if (
                target.kind == "native"
                and target.value.endswith("::Deref")
                and "Target" in impl["types"]
            ):
                self.derefs[head_of(home)] = (path, at)

    def resolve(
        self, data: Any, path: str, owner: int, impl: int = UNKNOWN, depth: int = 0
    ) -> Type | None:
        """Return the type that is written somewhere."""
        if not data or depth > 12:
            return None
        kind, value = data[0], data[1]
        if kind == "seq":
            return ("seq", (self.resolve(value, path, owner, impl, depth + 1),), ())
        if kind in ("tuple", "dyn"):
            return (
                kind,
                tuple(self.resolve(one, path, owner, impl, depth + 1) for one in value),
                (),
            )
        if kind != "path":
            return None
        args = tuple(self.resolve(one, path, owner, impl, depth + 1) for one in data[2])
        if value[0] == "Self":
            return self._self_path(value, path, owner)
        if (
            impl != UNKNOWN
            and len(value) == 1
            and value[0] in self.files[path].detail["impls"][impl]["generics"]
        ):
            return ("gen", (value[0], path, -2 - impl), ())
        found = self.names.resolve(value, path, owner, "type").targets
        return self.of_target(found[0], args, depth) if len(found) == 1 else None

    def of_target(self, target: Target, args: tuple[Any, ...] = (), depth: int = 0) -> Type | None:
        """Return the type that a resolved path is, through aliases."""
        if target.kind == "sym":
            one = self.names.symbol(target.value)
            if (alias := one.detail.get("alias")) is not None:
                real = self.resolve(alias, target.value[0], target.value[1], UNKNOWN, depth + 1)
                return substitute(real, params_of(one.detail, target.value, args))
            if one.kind == "interface":
                return ("dyn", (("sym", target.value, args),), ())
            return ("sym", target.value, args) if one.kind == "type" else None
        if target.kind == "gen":
            return ("gen", target.value, ())
        return (target.kind, target.value, args) if target.kind in ("native", "external") else None

    def own(self, path: str, owner: int) -> Type | None:
        """Return what Self is at a place."""
        facts = self.files[path]
        while owner != FILE:
            one = facts.symbols[owner]
            if (impl := (one.detail or {}).get("impl")) is not None:
                return self.impl_types[path, impl]
            if one.kind == "interface":
                return ("gen", ("Self", path, owner), ())
            if one.kind == "type":
                return (
                    "sym",
                    (path, owner),
                    tuple(
                        ("gen", (name, path, owner), ())
                        for name in one.detail.get("generics") or {}
                    ),
                )
            owner = one.parent
        return None

    def _self_path(self, value: list[str], path: str, owner: int) -> Type | None:
        if len(value) == 1:
            return self.own(path, owner)
        facts = self.files[path]
        while owner != FILE:
            impl = (facts.symbols[owner].detail or {}).get("impl")
            if impl is not None and len(value) == 2:
                one = facts.detail["impls"][impl]
                return self.resolve(one["types"].get(value[1]), path, one["owner"], impl)
            owner = facts.symbols[owner].parent
        return None

    # members

    def bounds(self, kind: Type) -> list[Key]:
        """Return the traits of the project that a type parameter or trait object has, with what
        those extend.
        """
        if kind[0] == "gen":
            name, path, owner = kind[1]
            if name == "Self":
                pending: list[Type | None] = [("sym", (path, owner), ())]
            else:
                data, where, at = self.names.bounds(Target("gen", kind[1]))
                impl = -2 - owner if owner <= -2 else UNKNOWN
                pending = [self.resolve(one, where, at, impl) for one in data]
        else:
            pending = list(kind[1])
        return self._with_supers(pending)

    def _with_supers(self, pending: list[Type | None]) -> list[Key]:
        found: dict[Key, None] = {}
        while pending:
            one = pending.pop(0)
            if one is None:
                continue
            if one[0] == "dyn":
                pending += one[1]
            elif one[0] == "sym" and one[1] not in found:
                found[one[1]] = None
                detail = self.names.symbol(one[1]).detail
                pending += [self.resolve(bound, *one[1]) for bound in detail.get("bounds") or []]
        return list(found)

    def trait_method(self, traits: list[Key], name: str) -> list[Key]:
        """Return the functions of a name that traits declare."""
        return [
            key for trait in traits for key in self.names.items.get((*trait, "value", name), [])
        ]

    def find(
        self, kind: Type | None, name: str, where: tuple[str, int] | None = None
    ) -> tuple[list[Key], str, Type | None]:
        """Return the functions a type has under a name, the rung, and the type that has them,
        through what dereferences.
        """
        for _ in range(8):
            if kind is None:
                return [], "", None
            if kind[0] in ("gen", "dyn"):
                found = self.trait_method(self.bounds(kind), name)
                return found, "interface" if len(found) == 1 else "conditional", kind
            head = head_of(kind)
            held = self.methods.get((head, name), [])
            held = [one for one in held if one.trait is None] or held
            if held:
                return [one.key for one in held], "type" if len(held) == 1 else "conditional", kind
            supers = self._with_supers([("sym", key, ()) for key in self.traits.get(head, {})])
            if found := self.trait_method(supers, name):
                return found, "interface" if len(found) == 1 else "conditional", kind
            if where is not None and (found := self._blanket(name, where)):
                return found, "interface", kind
            inner = self.inner(kind)
            if inner is None or (
                kind[0] == "native" and name in ("clone", "new", "from", "default")
            ):
                return [], "", kind
            kind = inner
        return [], "", None

    def derived(self, kind: Type | None, name: str) -> Target | None:
        """Return the function that a type has by deriving its trait."""
        if kind is None or kind[0] != "sym" or name not in DERIVED:
            return None
        held = self.names.symbol(kind[1]).detail.get("derives") or []
        return (
            Target("native", f"{DERIVED[name]}::{name}")
            if DERIVED[name].rsplit("::", 1)[-1] in held
            else None
        )

    def _blanket(self, name: str, where: tuple[str, int]) -> list[Key]:
        """Return the function of the one blanket trait in scope that has it."""
        found = []
        for trait in self.blankets:
            shown = self.names.resolve([self.names.symbol(trait).name], *where, "type").targets
            if Target("sym", trait) in shown:
                found += self.names.items.get((*trait, "value", name), [])
        return found if len(found) == 1 else []

    def inner(self, kind: Type) -> Type | None:
        """Return what a smart pointer or a type with Deref leads to."""
        if kind[0] == "native" and last_of(kind) in POINTERS and kind[2]:
            return typed(kind[2][-1])
        if (at := self.derefs.get(head_of(kind))) is not None:
            impl = self.files[at[0]].detail["impls"][at[1]]
            target = self.resolve(impl["types"]["Target"], at[0], impl["owner"], at[1])
            return substitute(target, self._unify(at, kind))
        return None

    def _unify(self, at: tuple[str, int], kind: Type | None) -> dict[Any, Any]:
        """Return what the type parameters of an impl are for a type."""
        home = self.impl_types.get(at)
        if home is None or kind is None:
            return {}
        if home[0] == "gen":
            return {home[1]: kind}
        return {
            mine[1]: given
            for mine, given in zip(home[2], kind[2], strict=False)
            if mine and mine[0] == "gen" and given
        }

    def result(
        self, key: Key, kind: Type | None, found: dict[Any, Any] | None = None
    ) -> Type | None:
        """Return what a function gives back when it is called on a type."""
        path, at = key
        detail = self.names.symbol(key).detail
        mapping: dict[Any, Any] = dict(found or {})
        if (impl := detail.get("impl")) is not None:
            mapping |= self._unify((path, impl), kind)
        else:
            parent = self.names.symbol(key).parent
            if kind is not None and parent != FILE:
                mapping["Self", path, parent] = kind
        return substitute(self.resolve(detail.get("ret"), path, at), mapping)

    def field(self, kind: Type | None, name: str) -> Type | None:
        """Return the type of a field, through what dereferences."""
        for _ in range(8):
            if kind is None:
                return None
            if kind[0] == "tuple" and name.isdigit() and int(name) < len(kind[1]):
                return typed(kind[1][int(name)])
            if kind[0] == "sym":
                held = self.names.items.get((*kind[1], "field", name), [])
                if len(held) == 1:
                    detail = self.names.symbol(kind[1]).detail
                    held_type = self.resolve(self.names.symbol(held[0]).detail["type"], *kind[1])
                    return substitute(held_type, params_of(detail, kind[1], kind[2]))
            kind = self.inner(kind)
        return None


def substitute(kind: Any, mapping: dict[Any, Any]) -> Type | None:
    """Put what is known in the place of type parameters."""
    if kind is None or not mapping:
        return typed(kind)
    if kind[0] == "gen":
        return typed(mapping.get(kind[1], kind))
    if kind[0] in ("tuple", "seq", "dyn"):
        return (kind[0], tuple(substitute(one, mapping) for one in kind[1]), ())
    return (kind[0], kind[1], tuple(substitute(one, mapping) for one in kind[2]))


def params_of(detail: dict[str, Any], key: Key, args: tuple[Any, ...]) -> dict[Any, Any]:
    """Return what each type parameter of a declaration stands for."""
    names = list(detail.get("generics") or {})
    return {(name, *key): given for name, given in zip(names, args, strict=False) if given}


def head_of(kind: Type | None) -> Any:
    """Return what tells a type apart without its arguments."""
    if kind is None:
        return None
    return (
        (kind[0], last_of(kind))
        if kind[0] in ("native", "external")
        else kind[:2]
        if kind[0] in ("sym", "gen")
        else (kind[0],)
    )


def last_of(kind: Type) -> str:
    """Return the last part of a name from outside; empty for the project's own."""
    return str(kind[1]).rsplit("::", 1)[-1] if kind[0] in ("native", "external") else ""
