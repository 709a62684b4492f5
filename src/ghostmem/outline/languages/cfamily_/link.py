"""C and C++: how files hang together.

Every reference becomes a link with the rung that resolved it, or stays loose.
"""

from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Ref, Symbol
from ghostmem.outline.graph import EXTERNAL, NATIVE, Linked, file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.cfamily_.includes import NAMES, is_include
from ghostmem.outline.languages.cfamily_.lookup import Key
from ghostmem.outline.languages.cfamily_.nodes import CppNodes
from ghostmem.outline.languages.cfamily_.types import accepting, callable_
from ghostmem.outline.languages.shared.inference import OUTSIDE, Found, Target

VALUES = frozenset({"variable", "constant"})


def link_c(files: Mapping[str, Facts], _read: Read) -> Linked:
    """Link the C files of a project."""
    return _link(files, cpp=False)


def link_cpp(files: Mapping[str, Facts], _read: Read) -> Linked:
    """Link the C++ files of a project."""
    return _link(files, cpp=True)


def _link(files: Mapping[str, Facts], *, cpp: bool) -> Linked:
    linker = _CppLinker(files, cpp=cpp)
    linker.declare()
    for path in sorted(files):
        linker.imports(path)
        for ref in files[path].refs:
            linker.reference(path, ref)
    return linker.linked()


class _CppLinker(CppNodes):
    """Collect the graph of one project."""

    def imports(self, path: str) -> None:
        """Link a file to the headers it includes."""
        for one in self.files[path].imports:
            if not is_include(one):
                continue
            found = self.includes.find(path, one)
            if found is not None:
                self.add(file_id(path), "imports", file_id(found), one.line, "import")
                continue
            origin = NATIVE if one.path in NAMES["@headers"] else EXTERNAL
            key = self.target(Target(origin, one.path), "module")
            self.add(file_id(path), "imports", key, one.line, origin)

    def reference(self, path: str, ref: Ref) -> None:
        """Resolve one reference."""
        detail = ref.detail
        start = self.owner(path, ref.owner)
        if ref.owner != FILE and self.names.settled((path, ref.owner)) != [(path, ref.owner)]:
            if ref.kind == "uses":
                return  # the definition names the same types
            start = file_id(path)  # the default value of a parameter
        if "new" in detail:
            self._made(start, path, ref)
        elif "init" in detail:
            self._initialised(start, path, ref)
        elif ref.kind == "calls":
            self._call(start, path, ref)
        elif "member" in detail:
            self._member(start, path, ref)
        elif "value" in detail:
            self._value(start, path, ref)
        else:
            self._type(start, path, ref)

    def _leave(self, start: str, ref: Ref, name: str) -> None:
        self.leave(start, ref.kind, ref.text, ref.line, name)

    def link(self, start: str, ref: Ref, kind: str, keys: list[Key], via: str) -> None:
        """Link to where symbols are defined; several are all kept as conditional."""
        ends = list(dict.fromkeys(self.ids[one] for key in keys for one in self.names.settled(key)))
        for end in ends:
            if kind != "uses" or end != start:
                self.add(start, kind, end, ref.line, via if len(ends) == 1 else "conditional")

    def _outer(self, start: str, ref: Ref, kind: str, targets: list[Target], what: str) -> None:
        """Link to something outside."""
        for one in targets:
            self.add(start, kind, self.target(one, what), ref.line, one.kind)

    # calls

    def _call(self, start: str, path: str, ref: Ref) -> None:
        detail = self.files[path].detail
        at = ref.detail["callee"]
        function: list[Any] = detail["exprs"][at] if at >= 0 else ["?"]
        if function[0] == "local" and self.types.is_closure(path, function[1]):
            return
        if function[0] == "member":
            done, name = self._method(start, path, ref, function), function[2]
        elif function[0] == "name":
            done, name = self._named(start, path, ref, function), function[1][-1]
        else:
            done, name = False, ref.text.rsplit("::", 1)[-1].rsplit("->", 1)[-1].rsplit(".", 1)[-1]
        if not done:
            self._leave(start, ref, name)

    def _named(self, start: str, path: str, ref: Ref, function: list[Any]) -> bool:
        place = self.types.place(path, function[3])
        found = self.names.resolve(function[1], place)
        outer = _outside(found)
        self._outer(start, ref, "calls", outer, "function")
        keys = _keys(found)
        functions = accepting(keys, self.names, ref.detail["args"])
        types = [key for key in keys if self.names.symbol(key).kind == "type"]
        if functions:
            self.link(start, ref, "calls", functions, self._via(functions, found.via))
        elif types and len(types) == len(keys) and self.cpp:
            return self._construct(start, ref, types, found.via)
        cast = ref.text.startswith("(") and not keys and not outer
        return bool(functions or outer) or (cast and self._as_type(start, ref, function[1], place))

    def _via(self, keys: list[Key], via: str) -> str:
        return (
            "interface" if len(keys) == 1 and self.names.symbol(keys[0]).detail.get("pure") else via
        )

    def _method(self, start: str, path: str, ref: Ref, function: list[Any]) -> bool:
        """Resolve `receiver.name` and `receiver->name` by the type of the receiver."""
        _, inner, name, arrow = function
        home = self.types.opened(self.types.infer(path, inner), arrow=arrow)
        keys = accepting(self.types.members(home, name), self.names, ref.detail["args"])
        if keys:
            own = inner >= 0 and self.files[path].detail["exprs"][inner][0] == "this"
            self.link(start, ref, "calls", keys, self._via(keys, "receiver" if own else "type"))
            return True
        if home is not None and home[0] in OUTSIDE:
            target = Target(home[0], f"{home[1]}::{name}")
            self._outer(start, ref, "calls", [target], "method")
            return True
        return False

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
            self.link(start, ref, "uses", [key], via)
            self._constructor(start, ref, real, via, maybe=maybe)
        return True

    def _constructor(self, start: str, ref: Ref, real: Key, via: str, *, maybe: bool) -> None:
        declared = self.names.members.get((*real, self.names.symbol(real).name), [])
        constructors = accepting(declared, self.names, ref.detail["args"])
        if constructors:
            self.link(start, ref, "calls", constructors, via)
        elif not maybe and self.cpp:
            self.link(start, ref, "calls", [real], via)

    def _made(self, start: str, path: str, ref: Ref) -> None:
        """Link `T x(...)`, `T x{...}` and `new T(...)`; in C they are no calls."""
        if not self.cpp:
            return
        data, place = ref.detail["new"], self.types.place(path, ref.detail["ctx"])
        found = self.names.resolve(data[1], place, types=True)
        keys = _keys(found)
        if keys:
            self._construct(start, ref, keys, found.via, maybe=ref.detail["maybe"])
        elif not found.targets and not ref.detail["maybe"]:
            self._leave(start, ref, data[1][-1])
        elif not ref.detail["maybe"]:
            self._outer(start, ref, "calls", _outside(found), "type")

    def _initialised(self, start: str, path: str, ref: Ref) -> None:
        """Link the initialiser of a base or of a member to the constructor it calls."""
        place = self.types.place(path, ref.detail["ctx"])
        home, name = self.types.own(place), ref.detail["init"]
        if home is None:
            self._leave(start, ref, name[-1])
        elif field := self._field(home[1], name[-1]):
            kind = self.types.resolve(field.detail.get("type"), self.types.at(home[1]))
            if kind is not None and kind[0] == "sym" and field.detail["plain"]:
                self._constructor(start, ref, kind[1], "type", maybe=True)
        else:
            self._initialised_base(start, ref, self.names.resolve(name, place, types=True))

    def _field(self, key: Key, name: str) -> Symbol | None:
        members = map(self.names.symbol, self.names.members.get((*key, name), []))
        return next((member for member in members if member.kind == "field"), None)

    def _initialised_base(self, start: str, ref: Ref, found: Found) -> None:
        keys = _keys(found)
        if keys and self._construct(start, ref, keys, "receiver"):
            return
        self._outer(start, ref, "calls", _outside(found), "type")
        if not any(target.kind in (*OUTSIDE, "gen") for target in found.targets):
            self._leave(start, ref, ref.detail["init"][-1])

    # values and types

    def _member(self, start: str, path: str, ref: Ref) -> None:
        """Link the read or write of a static member; an instance's field is no relation."""
        at = ref.detail["member"]
        if at < 0:
            return
        _, inner, name, arrow = self.files[path].detail["exprs"][at]
        home = self.types.opened(self.types.infer(path, inner), arrow=arrow)
        keys = [
            key for key in self.types.members(home, name) if self.names.symbol(key).kind in VALUES
        ]
        self.link(start, ref, ref.kind, keys, "type")

    def _value(self, start: str, path: str, ref: Ref) -> None:
        """Link the read or write of a variable or constant.

        A function that is not called here is used; a field is no relation.
        """
        place, name = self.types.place(path, ref.detail["ctx"]), ref.detail["value"]
        found = self.names.resolve(name, place)
        keys = _keys(found)
        values = [key for key in keys if self.names.symbol(key).kind in VALUES]
        self.link(start, ref, ref.kind, values, found.via)
        used = [
            key
            for key in keys
            if self.names.symbol(key).kind == "type" or callable_(self.names, key)
        ]
        self.link(start, ref, "uses", used, found.via)
        self._outer(start, ref, ref.kind, _outside(found), "variable")
        if not found.targets and not self._as_type(start, ref, name, place):
            self._leave(start, ref, name[-1])

    def _as_type(self, start: str, ref: Ref, name: list[str], place: Any) -> bool:
        """Link a type that the grammar took for a value, as in `sizeof(T)` and `(T)(x)`."""
        found = self.names.resolve(name, place, types=True)
        self.link(start, ref, "uses", _keys(found), found.via)
        return bool(found.targets)

    def _type(self, start: str, path: str, ref: Ref) -> None:
        """Link a type or a base."""
        place, name = self.types.place(path, ref.detail["ctx"]), ref.detail["path"]
        found = self.names.resolve(name, place, types=True, tag=bool(ref.detail.get("tag")))
        self.link(start, ref, ref.kind, _keys(found), found.via)
        if not ref.detail.get("maybe"):
            self._outer(start, ref, ref.kind, _outside(found), "type")
            if not found.targets:
                self._leave(start, ref, name[-1])


def _keys(found: Found) -> list[Key]:
    return [one.value for one in found.targets if one.kind == "sym"]


def _outside(found: Found) -> list[Target]:
    return [one for one in found.targets if one.kind in OUTSIDE]
