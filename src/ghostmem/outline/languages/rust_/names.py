"""Resolve Rust paths: items, use declarations with aliases and globs, re-exports, crates, and the
prelude.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Import
from ghostmem.outline.languages.rust_.crates import Crates, Key, Module
from ghostmem.outline.languages.rust_.std import MACROS, PRELUDE, PRIMITIVES, ROOTS, VARIANTS
from ghostmem.outline.languages.shared.inference import NOTHING, Found, Target

SPACES = {
    "function": "value",
    "variable": "value",
    "constant": "value",
    "type": "type",
    "interface": "type",
}
DEEPEST = 24  # of re-exports of re-exports


class RustNames:
    """Look names up in the modules of a project."""

    def __init__(self, files: Mapping[str, Facts], crates: Crates) -> None:
        self.files = files
        self.crates = crates
        self.items: dict[tuple[str, int, str, str], list[Key]] = defaultdict(
            list
        )  # file, parent, space, name
        self.local_uses: dict[Key, list[Import]] = defaultdict(list)
        self.modules: dict[Key, Module] = {}  # symbol: the module around it
        self.memo: dict[tuple[int, str, str, bool], Found] = {}  # module, name, space, from outside
        for path in sorted(files):
            self._collect(path, files[path])
        self.holders = {
            key[:2] for key in self.items
        } | self.local_uses.keys()  # what something is declared or used inside of

    def _collect(self, path: str, facts: Facts) -> None:
        for at, one in enumerate(facts.symbols):
            detail = one.detail or {}
            space = (
                "macro"
                if detail.get("macro")
                else "variant"
                if detail.get("variant")
                else SPACES.get(one.kind)
            )
            if one.kind == "method" and detail.get("impl") is None:
                space = "value"
            if one.kind == "field" and not detail.get("variant"):
                space = "field"
            if space and detail.get("impl") is None:
                self.items[path, one.parent, space, one.name].append((path, at))
        for use in facts.imports:
            if use.owner != FILE and facts.symbols[use.owner].kind != "module":
                self.local_uses[path, use.owner].append(use)

    def symbol(self, key: Key) -> Any:
        """Return the symbol of a key."""
        return self.files[key[0]].symbols[key[1]]

    def module_of(self, path: str, owner: int) -> Module:
        """Return the module around a symbol."""
        if (path, owner) not in self.modules:
            symbols, at = self.files[path].symbols, owner
            while at != FILE and symbols[at].kind != "module":
                at = symbols[at].parent
            self.modules[path, owner] = self.crates.modules[path, at]
        return self.modules[path, owner]

    def generic(self, path: str, owner: int, name: str) -> Target | None:
        """Return a type parameter that is visible at a symbol, with where it was declared."""
        facts = self.files[path]
        while owner != FILE:
            one = facts.symbols[owner]
            detail = one.detail or {}
            if name in (detail.get("generics") or {}):
                return Target("gen", (name, path, owner))
            impl = detail.get("impl")
            if impl is not None and name in facts.detail["impls"][impl]["generics"]:
                return Target("gen", (name, path, -2 - impl))
            owner = one.parent
        return None

    def bounds(self, generic: Target) -> tuple[list[Any], str, int]:
        """Return the bounds of a type parameter and the place they are written in."""
        name, path, owner = generic.value
        facts = self.files[path]
        if owner <= -2:
            impl = facts.detail["impls"][-2 - owner]
            return impl["generics"].get(name, []), path, impl["owner"]
        return facts.symbols[owner].detail["generics"].get(name, []), path, owner

    def resolve(self, segs: list[str], path: str, owner: int, space: str) -> Found:
        """Return what a path names at a place."""
        if not segs:
            return NOTHING
        module = self.module_of(path, owner)
        if len(segs) == 1 or segs[0] not in ("crate", "self", "super", ""):
            first = self._lexical(segs[0], path, owner, space if len(segs) == 1 else "type")
            if len(segs) == 1 or not first.targets:
                return first
            return self._follow(first, segs[1:], space, module)
        return self._anchored(segs, module, space, frozenset())

    def _anchored(self, segs: list[str], module: Module, space: str, seen: frozenset[Any]) -> Found:
        """Resolve a path that begins with crate, self, super or ::."""
        at, here = 0, module
        if segs[0] == "":
            return (
                self._follow(self._crate(segs[1], module), segs[2:], space, module, seen)
                if len(segs) > 1
                else NOTHING
            )
        while at < len(segs) and segs[at] in ("crate", "self", "super", "$crate"):
            if segs[at] in ("crate", "$crate"):
                here = here.root or here
            elif segs[at] == "super":
                if here.parent is None:
                    return NOTHING
                here = here.parent
            at += 1
        return self._follow(Found((Target("mod", here),), "module"), segs[at:], space, module, seen)

    def _lexical(self, name: str, path: str, owner: int, space: str) -> Found:
        facts, here = self.files[path], owner
        if space == "type" and (generic := self.generic(path, owner, name)) is not None:
            return Found((generic,), "local")
        while here != FILE and facts.symbols[here].kind != "module":
            if (path, here) in self.holders and facts.symbols[here].kind in ("function", "method"):
                found = self._among((path, here), name, space)
                if found.targets:
                    return found
            here = facts.symbols[here].parent
        module = self.module_of(path, owner)
        found = self.member(module, name, space, frozenset())
        if not found.targets and space == "macro":
            found = self._textual(module, name)
        if found.targets:
            return found
        return self._outside(name, space, module)

    def _textual(self, module: Module, name: str) -> Found:
        """Look a macro up in the modules around, and in those that they open with
        `#[macro_use]`.
        """
        here: Module | None = module
        while here is not None:
            opened = [
                one
                for one in self.files[here.file].imports
                if one.owner == here.symbol and (one.detail or {}).get("macros")
            ]
            inner = [here.modules[one.name] for one in opened if one.name in here.modules]
            held = [
                target
                for one in (here, *inner)
                for target in self._held(one.file, one.symbol, name, "macro")
            ]
            if held:
                return Found(tuple(held), "module")
            here = here.parent
        return NOTHING

    def _among(self, key: Key, name: str, space: str) -> Found:
        """Look among the items and imports inside a function."""
        if held := self._held(key[0], key[1], name, space):
            return Found(held, "local")
        module = self.module_of(*key)
        return self._imported(self.local_uses.get(key, []), module, name, space, frozenset())

    def _held(self, path: str, parent: int, name: str, space: str) -> tuple[Target, ...]:
        """Return the items of a name declared directly in a place."""
        held = self.items.get((path, parent, space, name if space != "macro" else f"{name}!"), [])
        if not held and space == "value":
            held = self.items.get((path, parent, "type", name), [])
        return tuple(Target("sym", key) for key in held)

    def _outside(self, name: str, space: str, module: Module) -> Found:
        """Look a name up among crates and in the prelude."""
        if space == "macro":
            return Found((Target("native", f"{name}!"),), "native") if name in MACROS else NOTHING
        if space == "value" and name in VARIANTS:
            return Found((Target("native", VARIANTS[name]),), "native")
        if name in PRELUDE or name in PRIMITIVES:
            return Found((Target("native", PRELUDE.get(name, name)),), "native")
        return self._crate(name, module) if space == "type" else NOTHING

    def _crate(self, name: str, module: Module) -> Found:
        """Return a crate: of the standard library, of this project, or one that the package depends
        on.
        """
        if name in ROOTS:
            return Found((Target("native", name),), "native")
        if name in self.crates.libraries:
            return Found((Target("mod", self.crates.libraries[name]),), "import")
        if name in self.crates.needs.get(module.package, ()):
            return Found((Target("external", name),), "external")
        return NOTHING

    def member(
        self, module: Module, name: str, space: str, seen: frozenset[Any], *, outside: bool = False
    ) -> Found:
        """Return what a module has under a name: declared, brought in by name, or by exactly one
        glob.
        """
        if seen:
            return self._member(module, name, space, seen, outside=outside)
        key = (id(module), name, space, outside)
        if key not in self.memo:
            self.memo[key] = self._member(module, name, space, seen, outside=outside)
        return self.memo[key]

    def _member(
        self, module: Module, name: str, space: str, seen: frozenset[Any], *, outside: bool
    ) -> Found:
        mark = (id(module), name, space)
        if mark in seen or len(seen) > DEEPEST:
            return NOTHING
        if held := self._held(module.file, module.symbol, name, space):
            shown = tuple(
                one for one in held if not outside or self.symbol(one.value).detail["pub"]
            )
            return Found(shown, "module")
        if space != "macro" and name in module.modules:
            return Found((Target("mod", module.modules[name]),), "module")
        uses = [one for one in module.imports if not outside or one.detail["pub"]]
        return self._imported(uses, module, name, space, seen | {mark})

    def _imported(
        self, uses: list[Import], module: Module, name: str, space: str, seen: frozenset[Any]
    ) -> Found:
        for one in uses:
            if not one.star and (one.alias or one.name) == name:
                found = self.used(one, module, space, seen)
                if found.targets and found.targets[0].kind != "left":
                    return Found(
                        found.targets,
                        found.via if found.via in ("native", "external") else "import",
                    )
        hits: dict[tuple[Target, ...], None] = {}
        for one in uses:
            if one.star:
                hits |= dict.fromkeys(self._globbed(one, module, name, space, seen))
        return Found(next(iter(hits)), "import") if len(hits) == 1 else NOTHING

    def _globbed(
        self, one: Import, module: Module, name: str, space: str, seen: frozenset[Any]
    ) -> list[tuple[Target, ...]]:
        """Return what a glob brings in under a name."""
        found: list[tuple[Target, ...]] = []
        for source in self.used(one, module, "type", seen).targets:
            if source.kind == "mod":
                held = self.member(
                    source.value, name, space, seen, outside=not _within(module, source.value)
                )
                found += [held.targets] if held.targets else []
            elif source.kind == "sym" and self.symbol(source.value).detail.get("enum"):
                held_here = self.items.get((*source.value, "variant", name), [])
                found += [tuple(Target("sym", key) for key in held_here)] if held_here else []
        return found

    def used(self, one: Import, module: Module, space: str, seen: frozenset[Any]) -> Found:
        """Return what a use declaration names.

        A first part that nothing here declares is an external crate.
        """
        segs = one.path.split("::")
        if (one.detail or {}).get("crate"):
            return (
                self._crate(segs[0], module)
                if self._crate(segs[0], module).targets
                else _external(segs)
            )
        if segs[0] in ("crate", "self", "super", "$crate") or one.path.startswith("::"):
            return self._anchored(segs, module, space, seen)
        whole = space if len(segs) == 1 and not one.star else "type"
        first = self.member(module, segs[0], whole, seen)
        if not first.targets:
            first = self._crate(segs[0], module)
        if not first.targets:
            return _external(segs) if len(segs) > 1 and not self._opaque(module) else NOTHING
        return self._follow(first, segs[1:], space, module, seen)

    def _opaque(self, module: Module) -> bool:
        """Tell whether the package says what it depends on: then an unknown name is no crate."""
        return module.package in self.crates.needs

    def _follow(
        self,
        start: Found,
        rest: list[str],
        space: str,
        module: Module,
        seen: frozenset[Any] = frozenset(),
    ) -> Found:
        """Walk down a path from its first target."""
        found = start
        for at, name in enumerate(rest):
            last = at == len(rest) - 1
            steps = [
                self._step(target, name, space if last else "type", module, seen)
                for target in found.targets
            ]
            hits = tuple(dict.fromkeys(target for step in steps for target in step.targets))
            if not hits:
                return (
                    Found((Target("left", (found.targets, tuple(rest[at:]))),), found.via)
                    if found.targets
                    else NOTHING
                )
            found = Found(hits, found.via)
        return found

    def _step(
        self, target: Target, name: str, space: str, module: Module, seen: frozenset[Any]
    ) -> Found:
        if target.kind in ("native", "external"):
            return Found((Target(target.kind, f"{target.value}::{name}"),), target.kind)
        if target.kind == "mod":
            inner: Module = target.value
            near = (
                inner.file == module.file or _within(module, inner) or inner.crate == module.crate
            )
            return self.member(inner, name, space, seen, outside=not near)
        if target.kind == "sym" and self.symbol(target.value).detail.get("enum"):
            held = self.items.get((*target.value, "variant", name), [])
            return Found(tuple(Target("sym", key) for key in held))
        return NOTHING


def _external(segs: list[str]) -> Found:
    return Found((Target("external", "::".join(segs)),), "external")


def _within(module: Module, other: Module) -> bool:
    """Tell whether a module is another or stands somewhere below it."""
    here: Module | None = module
    while here is not None and here is not other:
        here = here.parent
    return here is other
