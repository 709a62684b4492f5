"""How the files of a Java project hang together: every reference becomes a link, or stays loose and is counted."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Ref, Symbol
from ghostmem.outline.graph import Linked, file_id, project_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_emit import Emit
from ghostmem.outline.languages.java_types import Key, Type, World, is_native, takes

LAST_NAME = re.compile(r"([\w$]+)\W*$")


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of a project's files."""
    del read
    return _Linker(World(files)).run()


def _written(term: Any) -> str:
    """Return a parameter's type as it is shown: without its package and its arguments."""
    match term:
        case ["arr", inner]:
            return _written(inner) + "[]"
        case ["n" | "p", name, *_]:
            return str(name).rpartition(".")[2]
        case _:
            return "?"


def _label(one: Symbol) -> str:
    if one.kind != "method":
        return one.name
    types = [_written(term) for term in one.detail["types"]]
    if one.detail["many"] and types:
        types[-1] = types[-1].removesuffix("[]") + "..."
    return f"{one.name}({', '.join(types)})"


class _Linker:
    def __init__(self, world: World) -> None:
        self.world = world
        self.emit = Emit(Counter(one.name for facts in world.files.values() for one in facts.symbols))
        self.ids: dict[Key, str] = {}

    def run(self) -> Linked:
        for path, facts in self.world.files.items():
            self._declare(path, facts)
        for path, facts in self.world.files.items():
            self._imports(path, facts)
            for ref in facts.refs:
                self._reference(path, ref)
        return self.emit.linked()

    def _declare(self, path: str, facts: Facts) -> None:
        self.emit.file(path)
        names: list[str] = []
        for number, one in enumerate(facts.symbols):
            before = names[one.parent] if one.parent != FILE else facts.package
            names.append(f"{before}.{_label(one)}" if before else _label(one))
            self.ids[path, number] = project_id(path, names[-1], one.start)
            self.emit.symbol(self.ids[path, number], names[-1], path, one)
            self.emit.link(self._owner(path, one.parent), "declares", self.ids[path, number], one.line, "local")

    def _owner(self, path: str, number: int) -> str:
        return self.ids[path, number] if number != FILE else file_id(path)

    def _imports(self, path: str, facts: Facts) -> None:
        for one in facts.imports:
            whole = one.star and not one.detail
            name = one.path.rpartition(".")[0] if one.detail and not one.star else one.path
            if whole and name in self.world.packages:
                for other, held in self.world.files.items():
                    if held.package == name and other != path:
                        self.emit.link(file_id(path), "imports", file_id(other), one.line, "import")
                continue
            found = self.world.class_at_name(name)
            if found and found[0] == "cls":
                self.emit.link(file_id(path), "imports", file_id(found[1][0]), one.line, "import")
            elif found:
                origin = "native" if is_native(name) else "external"
                key = self.emit.outside(origin, name, "module" if whole else "type", name.rpartition(".")[0])
                self.emit.link(file_id(path), "imports", key, one.line, origin)
            else:
                self.emit.loose(file_id(path), "imports", one.path, one.line, one.path.rpartition(".")[2])

    def _reference(self, path: str, ref: Ref) -> None:
        match ref.kind:
            case "calls":
                self._call(path, ref)
            case "accesses" | "assigns":
                self._data(path, ref)
            case _:
                self._type(path, ref)

    def _link(self, path: str, ref: Ref, kind: str, keys: list[Key], via: str) -> None:
        keys = list(dict.fromkeys(keys))
        for key in keys:
            rung = "conditional" if len(keys) > 1 else via
            self.emit.link(self._owner(path, ref.owner), kind, self.ids[key], ref.line, rung)

    def _outside(self, path: str, ref: Ref, kind: str, name: str, where: str = "") -> None:
        origin = "native" if is_native(name) else "external"
        sort = {"calls": "function", "accesses": "variable", "assigns": "variable"}.get(kind, "type")
        key = self.emit.outside(origin, name, sort, where if origin == "external" else "")
        self.emit.link(self._owner(path, ref.owner), kind, key, ref.line, origin)

    def _loose(self, path: str, ref: Ref) -> None:
        found = LAST_NAME.search(ref.text)
        self.emit.loose(self._owner(path, ref.owner), ref.kind, ref.text, ref.line, found.group(1) if found else ref.text)

    # calls

    def _call(self, path: str, ref: Ref) -> None:
        match ref.detail:
            case ["call", number]:
                self._method_call(path, ref, self.world.detail(path, "rows")[number])
            case ["new", term, scope, count, body]:
                self._new(path, ref, term, scope, count, body)
            case ["ctor", which, scope, count]:
                self._own_constructor(path, ref, which, scope, count)
            case ["enum", sym, count]:
                self._link(path, ref, "calls", self._constructors((path, sym), count) or [(path, sym)], "receiver")

    def _method_call(self, path: str, ref: Ref, one: list[Any]) -> None:
        found, via, outside = self.world.callee(path, one)
        keys = [key for key, _ in found]
        if keys:
            within = {self.world.symbol((key[0], self.world.symbol(key).parent)).kind for key in keys}
            static = all(self.world.symbol(key).detail.get("static") for key in keys)
            self._link(path, ref, "calls", keys, "interface" if within == {"interface"} and not static else via)
        elif outside:
            self._outside(path, ref, "calls", outside, outside.rpartition(".")[0])
        else:
            self._loose(path, ref)

    def _constructors(self, key: Key, count: int) -> list[Key]:
        rows = [(key[0], number) for held in self.world.children.get(key, {}).values() for number in held]
        made = [one for one in rows if self.world.symbol(one).detail.get("ctor")]
        return [one for one in made if takes(self.world.symbol(one), count)]

    def _new(self, path: str, ref: Ref, term: Any, scope: int, count: int, body: bool) -> None:
        found, via = self.world.class_named(path, term[1], scope) if term and term[0] == "n" else (None, "")
        match found:
            case ("cls", key):
                self._link(path, ref, "uses", [key], via)
                if self.world.symbol(key).kind != "interface":
                    self._link(path, ref, "calls", self._constructors(key, count) or [key], via)
            case ("outc", name):
                self._outside(path, ref, "uses", name, name.rpartition(".")[0])
                if not body:  # with one, it may be an interface, which has nothing to call
                    self._outside(path, ref, "calls", name, name.rpartition(".")[0])
            case _:
                self._loose(path, ref)

    def _own_constructor(self, path: str, ref: Ref, which: str, scope: int, count: int) -> None:
        sym = self.world.class_at(path, scope)
        if sym is None:
            return
        kind: Type = ("inst", (path, sym), ())
        if which == "super":
            extended = self.world.symbol((path, sym)).detail["ext"]
            kind = self.world.supers((path, sym), ())[0] if extended else ("out", "java.lang.Object", ())
        match kind:
            case ("inst", key, _):
                self._link(path, ref, "calls", self._constructors(key, count) or [key], "receiver")
            case ("out", name, _):
                self._outside(path, ref, "calls", name, name.rpartition(".")[0])
            case _:
                self._loose(path, ref)

    # data

    def _data(self, path: str, ref: Ref) -> None:
        """Link a read or write of a static field; a class that is named on the way is used."""
        one = self.world.detail(path, "rows")[ref.detail[1]]
        match one:
            case ["id", name, scope]:
                kind, key, via = self.world.variable(path, name, scope)
                if key is None and via == "variable":
                    return
                if key is None and via == "" and not self._is_package(path, name):
                    self._loose(path, ref)
                    return
            case ["f", target, name]:
                held = self.world.type_of(path, target)
                key, _ = self.world.field(held, name)
                kind, via = (None if key else self.world.type_of(path, ref.detail[1])), "type"
                if held is None and kind is not None and kind[0] == "cls":
                    via = "package"
            case _:
                return
        if key and self.world.symbol(key).detail.get("static"):
            self._link(path, ref, ref.kind, [key], via)
        elif key is None and kind and kind[0] == "cls":
            self._link(path, ref, "uses", [kind[1]], via)
        elif key is None and kind and kind[0] == "outc":
            self._outside(path, ref, "uses", kind[1], kind[1].rpartition(".")[0])
        elif key is None and kind and kind[0] == "natv":
            self._outside(path, ref, ref.kind, kind[1], kind[1].rpartition(".")[0])

    def _is_package(self, path: str, name: str) -> bool:
        """Say whether a name begins that of a package, as in `java.util.List.of()`."""
        return name in {"java", "javax", "jdk", "org", "com", "net", "io"} or any(
            one.split(".")[0] == name for one in self.world.packages
        )

    # types

    def _type(self, path: str, ref: Ref) -> None:
        term, scope = ref.detail[0], ref.detail[1]
        if term and term[0] != "n":
            return
        found, via = self.world.class_named(path, term[1], scope) if term else (None, "")
        if ref.kind in {"extends", "implements"} and term:  # a class's head is read from outside it
            outer = self.world.detail(path, "scopes")[scope][0] if len(ref.detail) == 2 else scope
            found, via = self.world.class_named(path, term[1], outer)
        match found:
            case ("cls", key):
                kind = ref.kind
                if len(ref.detail) == 3 and self.world.symbol(key).kind == "interface":
                    kind = "implements"  # an anonymous class of an interface
                self._link(path, ref, kind, [key], via)
            case ("outc", name):
                self._outside(path, ref, ref.kind, name, name.rpartition(".")[0])
            case ("param", _, _):
                return
            case _:
                self._loose(path, ref)
