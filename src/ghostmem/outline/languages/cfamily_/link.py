"""C and C++: the graph of a project. Every reference becomes a link with the rung that resolved
it, or stays loose.
"""

import posixpath
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Ref, Symbol
from ghostmem.outline.graph import EXTERNAL, NATIVE, Linked, file_id
from ghostmem.outline.languages.cfamily_.includes import NAMES, CppFiles, is_include
from ghostmem.outline.languages.cfamily_.lookup import Place
from ghostmem.outline.languages.cfamily_.names import CppNames
from ghostmem.outline.languages.cfamily_.types import CppTypes, accepting
from ghostmem.outline.languages.shared.graph_builder import FirstLineBuilder
from ghostmem.outline.languages.shared.inference import OUTSIDE, Found, Target
from ghostmem.outline.resolve.types import INSTANCE, Key

VALUES = frozenset({"variable", "constant"})
USED = frozenset({"type", "function", "method"})  # when their name is read


class CppLinker(FirstLineBuilder):
    """Build the graph of one project."""

    def __init__(self, files: Mapping[str, Facts], *, cpp: bool) -> None:
        super().__init__(files)
        self.counts.clear()  # a declaration whose definition is known is not counted
        self.cpp = cpp
        self.includes = CppFiles(files)
        self.names = CppNames(files, self.includes, cpp=cpp)
        self.types = CppTypes(files, self.names)

    def run(self) -> Linked:
        """Return the graph in a fixed order."""
        self._declare()
        for path in sorted(self.files):
            self._imports(path)
            for ref in self.files[path].refs:
                self._reference(path, ref)
        return self.linked()

    # nodes

    def _declare(self) -> None:
        """Make a node of every file and symbol.

        A declaration whose definition is known is no second symbol.
        """
        for path in sorted(self.files):
            self.add_file(path)
            for number, symbol in enumerate(self.files[path].symbols):
                key = (path, number)
                if self.names.settled(key) != [key]:
                    continue
                self.counts[symbol.name] += 1
                is_method = symbol.kind == "function" and key in self.names.classes
                full = f"{path}:{symbol.name}" if self._is_private(key) else ""
                kind = "method" if is_method else symbol.kind
                self.add_symbol(path, number, self._canonical(key), full=full, kind=kind)
        for key, target in self.ids.items():
            home = self.names.home(key)
            start = self.owner(*home) if home is not None else file_id(key[0])
            self.add(start, "declares", target, self.names.symbol(key).line, "local")

    def _is_private(self, key: Key) -> bool:
        """Tell whether a function or variable of C is visible in its own file only."""
        symbol = self.names.symbol(key)
        return not self.cpp and bool(symbol.detail.get("static")) and symbol.parent == FILE

    def _canonical(self, key: Key) -> str:
        """Return the name of a symbol with its namespaces and classes."""
        symbol, home = self.names.symbol(key), self.names.home(key)
        if self._is_private(key):
            return f"{posixpath.basename(key[0])}:{symbol.name}"
        if home is not None and (self.cpp or not self.names.symbol(home).detail.get("enum")):
            return f"{self._canonical(home)}::{symbol.name}"
        parts = [symbol.detail["ns"], *symbol.detail.get("qual", ()), symbol.name]
        return "::".join(part for part in parts if part)

    def owner(self, path: str, number: int) -> str:
        """Return the node that a reference belongs to: the references of a declaration belong to
        its definition.
        """
        if number == FILE:
            return file_id(path)
        return self.ids[self.names.settled((path, number))[0]]

    # references

    def _imports(self, path: str) -> None:
        """Link a file to the headers it includes."""
        for include in filter(is_include, self.files[path].imports):
            found = self.includes.find(path, include)
            via = "import"
            if found is None:
                via = NATIVE if include.path in NAMES["@headers"] else EXTERNAL
            target = Target(via, include.path)
            key = self.target(target, "module") if found is None else file_id(found)
            self.add(file_id(path), "imports", key, include.line, via)

    def _reference(self, path: str, ref: Ref) -> None:
        """Resolve one reference."""
        start, place = self.owner(path, ref.owner), self.types.place(path, ref.detail["ctx"])
        if ref.owner != FILE and self.names.settled((path, ref.owner)) != [(path, ref.owner)]:
            if ref.kind == "uses":
                return  # the definition names the same types
            start = file_id(path)  # the default value of a parameter
        if "new" in ref.detail:
            self._made(start, place, ref)
        elif "init" in ref.detail:
            self._initialised(start, place, ref)
        elif ref.kind == "calls":
            self._call(start, place, ref)
        elif "member" in ref.detail:
            self._member(start, path, ref)
        elif "value" in ref.detail:
            self._value(start, place, ref)
        else:
            self._type(start, place, ref)

    def _leave(self, start: str, ref: Ref, name: str) -> None:
        self.leave(start, ref.kind, ref.text, ref.line, name)

    def _link(self, start: str, ref: Ref, kind: str, keys: list[Key], via: str) -> None:
        """Link to where symbols are defined; several are all kept as conditional."""
        ends = list(dict.fromkeys(self.ids[one] for key in keys for one in self.names.settled(key)))
        for end in ends:
            if kind != "uses" or end != start:
                self.add(start, kind, end, ref.line, via if len(ends) == 1 else "conditional")

    def _outer(self, start: str, ref: Ref, found: Found, kind: str) -> bool:
        """Link to things outside; tell whether there are any."""
        outer = [target for target in found.targets if target.kind in OUTSIDE]
        for target in outer:
            self.add(start, ref.kind, self.target(target, kind), ref.line, target.kind)
        return bool(outer)

    # calls

    def _call(self, start: str, place: Place, ref: Ref) -> None:
        row, count = ref.detail["callee"], ref.detail["args"]
        function: list[Any] = self.files[place[0]].detail["exprs"][row] if row >= 0 else ["?"]
        if function[0] == "local" and self.types.is_closure(place[0], function[1]):
            return
        found, name, _ = self.types.callee(place[0], row, count)
        kind = "method" if function[0] == "member" else "function"
        is_outer = self._outer(start, ref, found, kind)
        keys = found.keys()
        functions = accepting(keys, self.names, count)
        is_type = bool(keys) and all(self.names.symbol(key).kind == "type" for key in keys)
        if functions:
            is_pure = len(functions) == 1 and self.names.symbol(functions[0]).detail.get("pure")
            self._link(start, ref, "calls", functions, "interface" if is_pure else found.via)
        elif is_type and self.cpp and self._construct(start, ref, keys, found.via):
            return
        elif function[0] == "name" and ref.text.startswith("(") and not keys and not is_outer:
            self._as_type(start, place, ref, function[1])
        elif not is_outer:
            last = ref.text.rsplit("::", 1)[-1].rsplit("->", 1)[-1].rsplit(".", 1)[-1]
            self._leave(start, ref, name or last)

    # constructors

    def _construct(
        self, start: str, ref: Ref, types: list[Key], via: str, *, maybe: bool = False
    ) -> bool:
        """Link the making of an object: calls its constructor, or its class when that declares
        none, and uses it.
        """
        for key in types:
            real = self.names.real(Target("sym", key))
            if real is None:
                return False
            self._link(start, ref, "uses", [key], via)
            self._constructor(start, ref, real, via, maybe=maybe)
        return bool(types)

    def _constructor(self, start: str, ref: Ref, real: Key, via: str, *, maybe: bool) -> None:
        declared = self.names.members.get((*real, self.names.symbol(real).name), [])
        constructors = accepting(declared, self.names, ref.detail["args"])
        if constructors or (self.cpp and not maybe):
            self._link(start, ref, "calls", constructors or [real], via)

    def _made(self, start: str, place: Place, ref: Ref) -> None:
        """Link `T x(...)`, `T x{...}` and `new T(...)`; in C they are no calls."""
        if not self.cpp:
            return
        name, maybe = ref.detail["new"][1], ref.detail["maybe"]
        found = self.names.resolve(name, place, types=True)
        if found.keys():
            self._construct(start, ref, found.keys(), found.via, maybe=maybe)
        elif not maybe and not found.targets:
            self._leave(start, ref, name[-1])
        elif not maybe:
            self._outer(start, ref, found, "type")

    def _initialised(self, start: str, place: Place, ref: Ref) -> None:
        """Link the initialiser of a base or of a member to the constructor it calls."""
        home, name = self.types.own(place), ref.detail["init"]
        field = self._field(home.symbol, name[-1]) if home is not None else None
        if home is not None and field is not None:
            kind = self.types.resolve(field.detail.get("type"), self.names.inside(home.symbol))
            if kind is not None and kind.sort == INSTANCE and field.detail["plain"]:
                self._constructor(start, ref, kind.symbol, "type", maybe=True)
            return
        found = self.names.resolve(name, place, types=True) if home is not None else Found()
        if not self._construct(start, ref, found.keys(), "receiver"):
            is_outer = self._outer(start, ref, found, "type")
            if not is_outer and not any(target.kind == "gen" for target in found.targets):
                self._leave(start, ref, name[-1])

    def _field(self, key: Key, name: str) -> Symbol | None:
        members = map(self.names.symbol, self.names.members.get((*key, name), []))
        return next((member for member in members if member.kind == "field"), None)

    # values and types

    def _member(self, start: str, path: str, ref: Ref) -> None:
        """Link the read or write of a static member; an instance's field is no relation."""
        row = ref.detail["member"]
        if row < 0:
            return
        _, inner, name, arrow = self.files[path].detail["exprs"][row]
        home = self.types.opened(self.types.infer(path, inner), arrow=arrow)
        keys = self._of_kinds(self.types.members(home, name), VALUES)
        self._link(start, ref, ref.kind, keys, "type")

    def _of_kinds(self, keys: list[Key], kinds: frozenset[str]) -> list[Key]:
        return [key for key in keys if self.names.symbol(key).kind in kinds]

    def _value(self, start: str, place: Place, ref: Ref) -> None:
        """Link the read or write of a variable or constant.

        A function that is not called here is used; a field is no relation.
        """
        name = ref.detail["value"]
        found = self.names.resolve(name, place)
        self._link(start, ref, ref.kind, self._of_kinds(found.keys(), VALUES), found.via)
        self._link(start, ref, "uses", self._of_kinds(found.keys(), USED), found.via)
        self._outer(start, ref, found, "variable")
        if not found.targets:
            self._as_type(start, place, ref, name)

    def _as_type(self, start: str, place: Place, ref: Ref, name: list[str]) -> None:
        """Link a type that the grammar took for a value, as in `sizeof(T)` and `(T)(x)`."""
        found = self.names.resolve(name, place, types=True)
        self._link(start, ref, "uses", found.keys(), found.via)
        if not found.targets:
            self._leave(start, ref, name[-1])

    def _type(self, start: str, place: Place, ref: Ref) -> None:
        """Link a type or a base."""
        name, tag = ref.detail["path"], bool(ref.detail.get("tag"))
        found = self.names.resolve(name, place, types=True, tag=tag)
        self._link(start, ref, ref.kind, found.keys(), found.via)
        if not ref.detail.get("maybe"):
            self._outer(start, ref, found, "type")
            if not found.targets:
                self._leave(start, ref, name[-1])
