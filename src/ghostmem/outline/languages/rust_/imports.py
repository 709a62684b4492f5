"""Members of Rust modules: items, use declarations with aliases and globs, re-exports, crates."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Import, Symbol
from ghostmem.outline.languages.rust_.crates import Crates, Key, Module
from ghostmem.outline.languages.shared.inference import NOTHING, OUTSIDE, Found, Target, symbols
from ghostmem.outline.languages.shared.known import meanings
from ghostmem.outline.rules import packages_in

# names that every program sees, and names of the standard library by their meaning
KNOWN = packages_in("rust.txt")
PRELUDE = {name: f"{path}::{name}" for name, path in meanings("rust.txt", "prelude").items()}
VARIANTS = meanings("rust.txt", "variants")  # the type of each
DERIVED = meanings("rust.txt", "derived")  # methods: the trait that deriving implements
DERIVABLE = {
    path.rsplit("::", 1)[-1]: path
    for path in (*DERIVED.values(), "std::cmp::Eq", "std::marker::Copy")
}

MAX_REEXPORTS = 24  # of each other
_ANCHORS = ("crate", "self", "super", "$crate")
_SPACES = {
    "function": "value",
    "variable": "value",
    "constant": "value",
    "type": "type",
    "interface": "type",
    "field": "field",
    "method": "value",
}


class RustImports:
    """Look names up in the modules of a project."""

    def __init__(self, files: Mapping[str, Facts], crates: Crates) -> None:
        self.files = files
        self.crates = crates
        # by file, parent, space and name
        self.items: dict[tuple[str, int, str, str], list[Key]] = defaultdict(list)
        self.local_uses: dict[Key, list[Import]] = defaultdict(list)
        self.modules: dict[Key, Module] = {}  # symbol: the module around it
        self.memo: dict[tuple[int, str, str, bool], Found] = {}  # module, name, space, from outside
        for path in sorted(files):
            self._collect(path, files[path])

    def _collect(self, path: str, facts: Facts) -> None:
        for number, symbol in enumerate(facts.symbols):
            space = _space(symbol)
            if space:
                self.items[path, symbol.parent, space, symbol.name].append((path, number))
        for use in facts.imports:
            if use.owner != FILE and facts.symbols[use.owner].kind != "module":
                self.local_uses[path, use.owner].append(use)

    def symbol(self, key: Key) -> Any:
        """Return the symbol of a key."""
        return self.files[key[0]].symbols[key[1]]

    def module_of(self, path: str, owner: int) -> Module:
        """Return the module around a symbol."""
        if (path, owner) not in self.modules:
            symbols, number = self.files[path].symbols, owner
            while number != FILE and symbols[number].kind != "module":
                number = symbols[number].parent
            self.modules[path, owner] = self.crates.modules[path, number]
        return self.modules[path, owner]

    def declared(self, path: str, parent: int, name: str, space: str) -> tuple[Target, ...]:
        """Return the items of a name declared directly in a place."""
        keys = self.items.get((path, parent, space, f"{name}!" if space == "macro" else name), [])
        if not keys and space == "value":
            keys = self.items.get((path, parent, "type", name), [])
        return symbols(keys)

    def crate(self, name: str, module: Module) -> Found:
        """Return a crate: of the standard library, of this project, or one that the package depends
        on.
        """
        if name in KNOWN["roots"]:
            return Found.outside("native", name)
        if name in self.crates.libraries:
            return Found((Target("mod", self.crates.libraries[name]),), "import")
        is_needed = name in self.crates.needs.get(module.package, ())
        return Found.outside("external", name) if is_needed else NOTHING

    def anchored(self, segs: list[str], module: Module, space: str, seen: frozenset[Any]) -> Found:
        """Resolve a path that begins with crate, self, super or ::."""
        if segs[0] == "":
            if len(segs) == 1:
                return NOTHING
            return self.follow(self.crate(segs[1], module), segs[2:], space, module, seen)
        start: Module | None = module
        rest = list(segs)
        while rest and rest[0] in _ANCHORS and start is not None:
            anchor = rest.pop(0)
            if anchor in ("crate", "$crate"):
                start = start.root or start
            elif anchor == "super":
                start = start.parent
        if start is None:
            return NOTHING
        return self.follow(Found((Target("mod", start),), "module"), rest, space, module, seen)

    def member(
        self,
        module: Module,
        name: str,
        space: str,
        seen: frozenset[Any] = frozenset(),
        *,
        outside: bool = False,
    ) -> Found:
        """Return the member of a module under a name: declared, imported by name, or by exactly one
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
        if mark in seen or len(seen) > MAX_REEXPORTS:
            return NOTHING
        if declared := self.declared(module.file, module.symbol, name, space):
            visible = [
                one for one in declared if not outside or self.symbol(one.value).detail["pub"]
            ]
            return Found(tuple(visible), "module")
        if space != "macro" and name in module.modules:
            return Found((Target("mod", module.modules[name]),), "module")
        uses = [one for one in module.imports if not outside or one.detail["pub"]]
        return self.imported(uses, module, name, space, seen | {mark})

    def imported(
        self, uses: list[Import], module: Module, name: str, space: str, seen: frozenset[Any]
    ) -> Found:
        """Return the target of a name that use declarations bring into a module."""
        for use in uses:
            if not use.star and (use.alias or use.name) == name:
                targets, via = self.used(use, module, space, seen)
                if targets and targets[0].kind != "left":
                    return Found(targets, via if via in OUTSIDE else "import")
        hits = dict.fromkeys(
            targets
            for use in uses
            if use.star
            for targets in self._globbed(use, module, name, space, seen)
            if targets
        )
        return Found(next(iter(hits)), "import") if len(hits) == 1 else NOTHING

    def _globbed(
        self, use: Import, module: Module, name: str, space: str, seen: frozenset[Any]
    ) -> list[tuple[Target, ...]]:
        """Return the targets that a glob brings in under a name."""
        found: list[tuple[Target, ...]] = []
        for source in self.used(use, module, "type", seen).targets:
            if source.kind == "mod":
                outside = not _within(module, source.value)
                found.append(self.member(source.value, name, space, seen, outside=outside).targets)
            elif source.kind == "sym":
                found.append(self._variants(source.value, name))
        return found

    def _variants(self, key: Key, name: str) -> tuple[Target, ...]:
        is_enum = self.symbol(key).detail.get("enum")
        return symbols(self.items.get((*key, "variant", name), [])) if is_enum else ()

    def used(self, use: Import, module: Module, space: str, seen: frozenset[Any]) -> Found:
        """Return the target of a use declaration.

        A first part that nothing here declares is an external crate.
        """
        segs = use.path.split("::")
        external = Found.outside("external", use.path)
        if (use.detail or {}).get("crate"):
            crate = self.crate(segs[0], module)
            return crate if crate.targets else external
        if segs[0] in _ANCHORS or use.path.startswith("::"):
            return self.anchored(segs, module, space, seen)
        whole = space if len(segs) == 1 and not use.star else "type"
        first = self.member(module, segs[0], whole, seen)
        if not first.targets:
            first = self.crate(segs[0], module)
        if not first.targets:
            # a package that says its dependencies has no other crates
            knows_crates = module.package in self.crates.needs
            return external if len(segs) > 1 and not knows_crates else NOTHING
        return self.follow(first, segs[1:], space, module, seen)

    def follow(
        self,
        start: Found,
        rest: list[str],
        space: str,
        module: Module,
        seen: frozenset[Any] = frozenset(),
    ) -> Found:
        """Walk down a path from its first target."""
        found = start
        for place, name in enumerate(rest):
            last_space = space if place == len(rest) - 1 else "type"
            hits = dict.fromkeys(
                target
                for source in found.targets
                for target in self._step(source, name, last_space, module, seen)
            )
            if not hits:
                left = Target("left", (found.targets, tuple(rest[place:])))
                return Found((left,), found.via) if found.targets else NOTHING
            found = Found(tuple(hits), found.via)
        return found

    def _step(
        self, target: Target, name: str, space: str, module: Module, seen: frozenset[Any]
    ) -> tuple[Target, ...]:
        if target.kind in OUTSIDE:
            return (Target(target.kind, f"{target.value}::{name}"),)
        if target.kind == "mod":
            inner: Module = target.value
            is_near = (
                inner.file == module.file or inner.crate == module.crate or _within(module, inner)
            )
            return self.member(inner, name, space, seen, outside=not is_near).targets
        return self._variants(target.value, name) if target.kind == "sym" else ()


def _space(symbol: Symbol) -> str | None:
    """Return the space of names that an item is in."""
    detail = symbol.detail or {}
    return next((space for space in ("macro", "variant") if detail.get(space)), None) or (
        _SPACES.get(symbol.kind)
    )


def _within(module: Module, other: Module) -> bool:
    """Tell whether a module is another or stands somewhere below it."""
    here: Module | None = module
    while here is not None and here is not other:
        here = here.parent
    return here is other
