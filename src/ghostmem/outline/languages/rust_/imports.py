"""Members of Rust modules: items, use declarations with aliases and globs, re-exports, crates."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ghostmem.outline.engine.table import words_of
from ghostmem.outline.facts import FILE, Facts, Import, Symbol
from ghostmem.outline.languages.rust_.crates import Crates, Module
from ghostmem.outline.languages.shared.inference import NOTHING, OUTSIDE, Found, Target, symbols
from ghostmem.outline.languages.shared.known import meanings
from ghostmem.outline.resolve.types import Key

# names that every program sees, and names of the standard library by their meaning
KNOWN = words_of("rust.txt")
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
        self.uses: dict[Key, list[Import]] = defaultdict(list)  # file or symbol: its imports
        self.modules: dict[Key, Module] = {}  # symbol: the module around it
        self.memo: dict[tuple[int, str, str, bool], Found] = {}  # module, name, space, from outside
        self.active: list[tuple[int, str, str]] = []  # module, name, space of lookups under way
        for path in sorted(files):
            for number, symbol in enumerate(files[path].symbols):
                place = (path, symbol.parent, _space(symbol), symbol.name)
                self.items[place].append((path, number))
            for use in files[path].imports:
                if not use.detail.get("mod"):
                    self.uses[path, use.owner].append(use)

    def symbol(self, key: Key) -> Any:
        """Return the symbol of a key."""
        return self.files[key[0]].symbols[key[1]]

    def around(self, path: str, number: int) -> Iterator[tuple[int, Symbol]]:
        """Yield a symbol and those that it is inside of, innermost first."""
        symbols = self.files[path].symbols
        while number != FILE:
            yield number, symbols[number]
            number = symbols[number].parent

    def module_of(self, path: str, owner: int) -> Module:
        """Return the module around a symbol."""
        if (path, owner) not in self.modules:
            around = self.around(path, owner)
            number = next((number for number, inner in around if inner.kind == "module"), FILE)
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
        needs = self.crates.needs.get(module.package, {})
        real = needs.get(name, name)
        if real in self.crates.libraries:
            return Found((Target("mod", self.crates.libraries[real]),), "import")
        return Found.outside("external", name) if name in needs else NOTHING

    def anchored(self, segments: list[str], module: Module, space: str) -> Found:
        """Resolve a path that begins with crate, self, super or ::."""
        if segments[0] == "":
            start = self.crate(segments[1], module) if len(segments) > 1 else NOTHING
            return self.follow(start, segments[2:], space, module)
        here: Module | None = module
        rest = list(segments)
        while rest and rest[0] in _ANCHORS and here is not None:
            anchor = rest.pop(0)
            if anchor != "self":
                here = here.parent if anchor == "super" else here.root or here
        if here is None:
            return NOTHING
        return self.follow(Found((Target("mod", here),), "module"), rest, space, module)

    def member(self, module: Module, name: str, space: str, *, outside: bool = False) -> Found:
        """Return the member of a module under a name: declared, imported by name, or by exactly one
        glob.
        """
        key, mark = (id(module), name, space, outside), (id(module), name, space)
        if not self.active and key in self.memo:
            return self.memo[key]
        if mark in self.active or len(self.active) > MAX_REEXPORTS:
            return NOTHING
        self.active.append(mark)
        found = self._member(module, name, space, outside=outside)
        self.active.pop()
        if not self.active:  # inside another lookup, a cycle may have been cut
            self.memo[key] = found
        return found

    def _member(self, module: Module, name: str, space: str, *, outside: bool) -> Found:
        if declared := self.declared(module.file, module.symbol, name, space):
            visible = [
                target
                for target in declared
                if not outside or self.symbol(target.value).detail["pub"]
            ]
            return Found(tuple(visible), "module")
        if space == "type" and name in module.modules:
            return Found((Target("mod", module.modules[name]),), "module")
        uses = self.uses.get((module.file, module.symbol), [])
        visible_uses = [use for use in uses if not outside or use.detail["pub"]]
        return self.imported(visible_uses, module, name, space)

    def imported(self, uses: list[Import], module: Module, name: str, space: str) -> Found:
        """Return the target of a name that use declarations bring into a module."""
        for use in uses:
            if not use.star and (use.alias or use.name) == name:
                targets, via = self.used(use, module, space)
                if targets and targets[0].kind != "left":
                    return Found(targets, via if via in OUTSIDE else "import")
        hits = dict.fromkeys(
            targets
            for use in uses
            if use.star
            for source in self.used(use, module, "type").targets
            if (targets := self._globbed(source, module, name, space))
        )
        return Found(next(iter(hits)), "import") if len(hits) == 1 else NOTHING

    def _globbed(self, source: Target, module: Module, name: str, space: str) -> tuple[Target, ...]:
        """Return the targets under a name that a glob of a module or an enum brings in."""
        if source.kind == "mod":
            outside = not _within(module, source.value)
            return self.member(source.value, name, space, outside=outside).targets
        return self.variants(source.value, name) if source.kind == "sym" else ()

    def variants(self, key: Key, name: str) -> tuple[Target, ...]:
        """Return the variants that an enum has under a name."""
        return symbols(self.items.get((*key, "variant", name), []))

    def used(self, use: Import, module: Module, space: str) -> Found:
        """Return the target of a use declaration.

        A first part that nothing here declares is an external crate.
        """
        segments = use.path.split("::")
        external = Found.outside("external", use.path)
        if use.detail.get("crate"):
            crate = self.crate(segments[0], module)
            return crate if crate.targets else external
        if segments[0] in (*_ANCHORS, ""):
            return self.anchored(segments, module, space)
        whole = space if len(segments) == 1 and not use.star else "type"
        first = self.member(module, segments[0], whole)
        if not first.targets:
            first = self.crate(segments[0], module)
        if not first.targets:
            # a package that says its dependencies has no other crates
            knows_crates = module.package in self.crates.needs
            return external if len(segments) > 1 and not knows_crates else NOTHING
        return self.follow(first, segments[1:], space, module)

    def follow(self, start: Found, rest: list[str], space: str, module: Module) -> Found:
        """Walk down a path from its first target."""
        targets = start.targets
        for place, name in enumerate(rest if targets else ()):
            last_space = space if place == len(rest) - 1 else "type"
            inner = dict.fromkeys(
                target
                for source in targets
                for target in self._step(source, name, last_space, module)
            )
            if not inner:
                return Found((Target("left", (targets, tuple(rest[place:]))),), start.via)
            targets = tuple(inner)
        return Found(targets, start.via) if targets else NOTHING

    def _step(self, target: Target, name: str, space: str, module: Module) -> tuple[Target, ...]:
        if target.kind in OUTSIDE:
            return (Target(target.kind, f"{target.value}::{name}"),)
        if target.kind == "mod":
            inner: Module = target.value
            is_near = (
                inner.file == module.file or inner.crate == module.crate or _within(module, inner)
            )
            return self.member(inner, name, space, outside=not is_near).targets
        return self.variants(target.value, name) if target.kind == "sym" else ()


def _space(symbol: Symbol) -> str:
    """Return the space of names that an item is in."""
    if symbol.detail.get("macro"):
        return "macro"
    return "variant" if symbol.detail.get("variant") else _SPACES.get(symbol.kind, "")


def _within(module: Module, other: Module) -> bool:
    """Tell whether a module is another or stands somewhere below it."""
    here: Module | None = module
    while here is not None and here is not other:
        here = here.parent
    return here is other
