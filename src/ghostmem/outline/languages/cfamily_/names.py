"""The names of C and C++ in their places, and the definitions of declarations."""

from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Symbol
from ghostmem.outline.languages.cfamily_.includes import CppFiles
from ghostmem.outline.languages.cfamily_.lookup import CppLookup
from ghostmem.outline.resolve.types import Key


class CppNames(CppLookup):
    """Put symbols in their places, and join declarations with definitions."""

    def __init__(self, files: Mapping[str, Facts], includes: CppFiles, *, cpp: bool) -> None:
        super().__init__(files, includes, cpp=cpp)
        outer: list[Key] = []
        for path in sorted(files):
            for number, symbol in enumerate(files[path].symbols):
                self._file(path, number, symbol, outer)
        for key in outer:
            self._place(key)
        for path in sorted(files):
            for number, symbol in enumerate(files[path].symbols):
                if "fixture" in symbol.detail:
                    self._place_test((path, number))
        self._join()
        self.memo, self.base_memo = {}, {}  # answers from before everything had its place

    def _file(self, path: str, number: int, symbol: Symbol, outer: list[Key]) -> None:
        space = symbol.detail["ns"]
        parts = space.split("::") if space else []
        self.spaces |= {"::".join(parts[:end]) for end in range(1, len(parts) + 1)}
        if symbol.detail.get("qual"):
            outer.append((path, number))
        elif symbol.parent == FILE:
            self.items[space, symbol.name].append((path, number))
        else:
            self.members[path, symbol.parent, symbol.name].append((path, number))
            self._spill(path, number, symbol, space)

    def _spill(self, path: str, number: int, symbol: Symbol, space: str) -> None:
        """Make the constants of a plain enum, and types inside C structs, visible around them."""
        parent = self.files[path].symbols[symbol.parent]
        if parent.detail.get("enum") and not parent.detail.get("scoped"):
            if parent.parent == FILE:
                self.items[space, symbol.name].append((path, number))
            else:
                self.members[path, parent.parent, symbol.name].append((path, number))
        elif not self.cpp and symbol.kind == "type":
            self.items[space, symbol.name].append((path, number))

    def _place(self, key: Key) -> None:
        """Put `Class::name` into its class, `space::name` into its namespace."""
        symbol = self.symbol(key)
        found = self.resolve(symbol.detail["qual"], (key[0], FILE, symbol.detail["ns"]), types=True)
        classes = [
            target.value
            for target in found.targets
            if target.kind == "sym" and self.symbol(target.value).kind == "type"
        ]
        if len(classes) == 1:
            self.classes[key] = classes[0]
            self.members[*classes[0], symbol.name].append(key)
        elif len(found.targets) == 1 and found.targets[0].kind == "ns":
            self.items[found.targets[0].value, symbol.name].append(key)

    def _place_test(self, key: Key) -> None:
        """Find the class that a test with a fixture extends."""
        detail = self.symbol(key).detail
        found = self.resolve([detail["fixture"]], (key[0], FILE, detail["ns"]), types=True)
        classes = {self.real(target) for target in found.targets}
        if len(classes) == 1 and (fixture := classes.pop()) is not None:
            self.fixtures[key] = fixture

    def _join(self) -> None:
        """Find the definition of every declaration."""
        groups = [
            table[mark]  # type: ignore[index]
            for table in (self.members, self.items)
            for mark in sorted(table, key=str)
        ]
        for keys in groups:
            real = [key for key in keys if not self.symbol(key).detail.get("decl")]
            for key in keys:
                if self.symbol(key).detail.get("decl"):
                    self.defined[key] = self._definitions(key, real)
        for keys in groups:
            bare = [key for key in keys if self.defined.get(key) == []]
            for key in bare[1:]:
                same = [one for one in bare if self._same(self.symbol(one), self.symbol(key))]
                if same[0] != key and not self.symbol(key).detail.get("static"):
                    # declared twice, defined nowhere: the first stands for all
                    self.defined[key] = [same[0]]

    def _definitions(self, key: Key, real: list[Key]) -> list[Key]:
        """Return the definitions of a declaration among symbols of its name."""
        one = self.symbol(key)
        found = [other for other in real if _sort(self.symbol(other)) == _sort(one)]
        including = [other for other in found if key[0] in self.includes.closure(other[0])]
        hidden = one.detail.get("static") or one.detail.get("hidden")
        if hidden and not one.detail.get("member") and one.parent == FILE:
            found = [other for other in found if other[0] == key[0] or other in including]
        else:
            found = [other for other in found if other[0] == key[0] or self._is_shared(other)]
        if self.cpp:
            exact = [other for other in found if self._same(self.symbol(other), one)]
            found = exact or [other for other in found if _most(self.symbol(other)) == _most(one)]
        near = [other for other in found if other in including]
        return near or (found if len(found) == 1 else [])

    def _is_shared(self, key: Key) -> bool:
        """Tell whether a definition can be meant by other files."""
        one = self.symbol(key)
        is_static = one.detail.get("static") and one.kind != "method"
        return not is_static and not one.detail.get("hidden")

    def _same(self, one: Symbol, other: Symbol) -> bool:
        if not self.cpp or _sort(one) != "function":
            return _sort(one) == _sort(other)
        return _sort(other) == "function" and bool(one.detail["types"] == other.detail["types"])


_SORTS = {
    **dict.fromkeys(("function", "method"), "function"),
    **dict.fromkeys(("variable", "constant", "field"), "variable"),
}


def _sort(one: Symbol) -> str:
    return _SORTS.get(one.kind, "type")


def _most(one: Symbol) -> Any:
    params = one.detail.get("params")
    return params[1] if params else None
