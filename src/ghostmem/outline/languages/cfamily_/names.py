"""The names of C and C++ in their places, and the definitions of declarations."""

from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Symbol
from ghostmem.outline.languages.cfamily_.includes import CppFiles
from ghostmem.outline.languages.cfamily_.lookup import CppLookup, Key


class CppNames(CppLookup):
    """Put everything in its place, and join what is declared with what is defined."""

    def __init__(self, files: Mapping[str, Facts], includes: CppFiles, *, cpp: bool) -> None:
        super().__init__(files, includes, cpp=cpp)
        outer: list[Key] = []
        for path in sorted(files):
            for at, one in enumerate(files[path].symbols):
                self._file(path, at, one, outer)
        for key in outer:
            self._place(key)
        self._join()
        self.memo, self.base_memo = {}, {}  # what was found before everything had its place

    def _file(self, path: str, at: int, one: Symbol, outer: list[Key]) -> None:
        space = one.detail["ns"]
        parts = space.split("::") if space else []
        self.spaces |= {"::".join(parts[:end]) for end in range(1, len(parts) + 1)}
        if one.detail.get("qual"):
            outer.append((path, at))
        elif one.parent == FILE:
            self.items[space, one.name].append((path, at))
        else:
            self.members[path, one.parent, one.name].append((path, at))
            self._spill(path, at, one, space)

    def _spill(self, path: str, at: int, one: Symbol, space: str) -> None:
        """Make the constants of a plain enum, and types inside C structs, visible around them."""
        parent = self.files[path].symbols[one.parent]
        if parent.detail.get("enum") and not parent.detail.get("scoped"):
            if parent.parent == FILE:
                self.items[space, one.name].append((path, at))
            else:
                self.members[path, parent.parent, one.name].append((path, at))
        elif not self.cpp and one.kind == "type":
            self.items[space, one.name].append((path, at))

    def _place(self, key: Key) -> None:
        """Put `Class::name` into its class, `space::name` into its namespace."""
        one = self.symbol(key)
        found = self.resolve(one.detail["qual"], (key[0], FILE, one.detail["ns"]), types=True)
        held = [
            target.value
            for target in found.targets
            if target.kind == "sym" and self.symbol(target.value).kind == "type"
        ]
        if len(held) == 1:
            self.classes[key] = held[0]
            self.members[*held[0], one.name].append(key)
        elif len(found.targets) == 1 and found.targets[0].kind == "ns":
            self.items[found.targets[0].value, one.name].append(key)

    def _join(self) -> None:
        """Find the definitions of every declaration."""
        for table in (self.members, self.items):
            for mark in sorted(table, key=str):
                keys = table[mark]  # type: ignore[index]
                real = [key for key in keys if not self.symbol(key).detail.get("decl")]
                for key in keys:
                    if self.symbol(key).detail.get("decl"):
                        self.defined[key] = self._definitions(key, real)
        for table in (self.members, self.items):
            for mark in sorted(table, key=str):
                keys = table[mark]  # type: ignore[index]
                bare = [key for key in keys if key in self.defined and not self.defined[key]]
                for key in bare[1:]:
                    same = [one for one in bare if self._same(self.symbol(one), self.symbol(key))]
                    if same[0] != key and not self.symbol(key).detail.get("static"):
                        self.defined[key] = [
                            same[0]
                        ]  # declared twice, defined nowhere: the first stands for all

    def _definitions(self, key: Key, real: list[Key]) -> list[Key]:
        one = self.symbol(key)
        held = [other for other in real if _sort(self.symbol(other)) == _sort(one)]
        hidden = one.detail.get("static") or one.detail.get("hidden")
        if hidden and not one.detail.get("member") and one.parent == FILE:
            held = [
                other
                for other in held
                if other[0] == key[0] or key[0] in self.includes.closure(other[0])
            ]
        else:
            held = [
                other
                for other in held
                if not (
                    self.symbol(other).detail.get("static")
                    and self.symbol(other).kind != "method"
                    and other[0] != key[0]
                )
                and not (self.symbol(other).detail.get("hidden") and other[0] != key[0])
            ]
        if self.cpp:
            exact = [other for other in held if self._same(self.symbol(other), one)]
            held = exact or [other for other in held if _most(self.symbol(other)) == _most(one)]
        near = [other for other in held if key[0] in self.includes.closure(other[0])]
        return near or (held if len(held) == 1 else [])

    def _same(self, one: Symbol, other: Symbol) -> bool:
        if not self.cpp or _sort(one) != "function":
            return _sort(one) == _sort(other)
        return _sort(other) == "function" and one.detail["types"] == other.detail["types"]


def _sort(one: Symbol) -> str:
    return (
        "function"
        if one.kind in ("function", "method")
        else "variable"
        if one.kind in ("variable", "constant", "field")
        else "type"
    )


def _most(one: Symbol) -> Any:
    params = one.detail.get("params")
    return params[1] if params else None
