"""Resolve Rust paths at a place: type parameters, local items, modules, macros and the prelude."""

from collections.abc import Mapping

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.rust_.crates import Crates, Module
from ghostmem.outline.languages.rust_.imports import KNOWN, PRELUDE, VARIANTS, RustImports
from ghostmem.outline.languages.shared.inference import NOTHING, Found, Target
from ghostmem.outline.resolve.types import PARAMETER, Key, Type

# names that modules of the standard library, such as `std::str` and `std::env`, do not hide
_NOT_HIDDEN = {"type": KNOWN["primitives"], "macro": KNOWN["macros"]}


class RustNames(RustImports):
    """Look names up at places of a project."""

    def __init__(self, files: Mapping[str, Facts], crates: Crates) -> None:
        super().__init__(files, crates)
        # symbols that items or use declarations stand inside of
        self.holders = {key[:2] for key in self.items} | self.uses.keys()

    def generic(self, path: str, owner: int, name: str) -> Target | None:
        """Return a type parameter that is visible at a symbol, with where it was declared."""
        for number, symbol in self.around(path, owner):
            if name in symbol.detail.get("generics", ()):
                return Target("gen", Type(PARAMETER, (path, number), name))
        return None

    def resolve(self, segments: list[str], path: str, owner: int, space: str) -> Found:
        """Return the target of a path at a place."""
        if not segments:
            return NOTHING
        module = self.module_of(path, owner)
        if len(segments) > 1 and segments[0] in ("crate", "self", "super", ""):
            return self.anchored(segments, module, space)
        is_whole = len(segments) == 1
        first = self._lexical(segments[0], path, owner, space if is_whole else "type")
        if is_whole and first.via == "native" and segments[0] in _NOT_HIDDEN.get(space, ()):
            first = self._outside(segments[0], space, module)
        return self.follow(first, segments[1:], space, module)

    def _lexical(self, name: str, path: str, owner: int, space: str) -> Found:
        if space == "type" and (generic := self.generic(path, owner, name)) is not None:
            return Found((generic,), "local")
        for number, symbol in self.around(path, owner):
            if symbol.kind == "module":
                break
            if (path, number) in self.holders and symbol.kind in ("function", "method"):
                found = self._inside((path, number), name, space)
                if found.targets:
                    return found
        module = self.module_of(path, owner)
        found = self.member(module, name, space)
        if not found.targets and space == "macro":
            found = self._textual(module, name)
        return found if found.targets else self._outside(name, space, module)

    def _textual(self, module: Module, name: str) -> Found:
        """Look a macro up in the modules around, and in those that they open with
        `#[macro_use]`.
        """
        here: Module | None = module
        while here is not None:
            opened = [
                here.modules[declaration.name]
                for declaration in self.files[here.file].imports
                if declaration.owner == here.symbol
                and declaration.detail.get("macros")
                and declaration.name in here.modules
            ]
            targets = [
                target
                for place in (here, *opened)
                for target in self.declared(place.file, place.symbol, name, "macro")
            ]
            if targets:
                return Found(tuple(targets), "module")
            here = here.parent
        return NOTHING

    def _inside(self, key: Key, name: str, space: str) -> Found:
        """Look among the items and imports inside a function."""
        if declared := self.declared(*key, name, space):
            return Found(declared, "local")
        return self.imported(self.uses.get(key, []), self.module_of(*key), name, space)

    def _outside(self, name: str, space: str, module: Module) -> Found:
        """Look a name up among crates and in the prelude."""
        if space == "macro":
            return Found.outside("native", f"{name}!") if name in KNOWN["macros"] else NOTHING
        if space == "value" and name in VARIANTS:
            return Found.outside("native", VARIANTS[name])
        if name in PRELUDE or name in KNOWN["primitives"]:
            return Found.outside("native", PRELUDE.get(name, name))
        return self.crate(name, module) if space == "type" else NOTHING
