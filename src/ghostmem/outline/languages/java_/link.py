"""How the files of a Java project hang together: every reference becomes a link, or stays loose and
is counted.
"""

import re
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import Facts, Ref, Symbol
from ghostmem.outline.graph import Linked, file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.java_.infer import JavaInference
from ghostmem.outline.languages.java_.methods import takes
from ghostmem.outline.languages.java_.natives import is_native
from ghostmem.outline.languages.shared.linker import MET, Linker
from ghostmem.outline.languages.shared.types import Key, Type


def link(files: Mapping[str, Facts], _read: Read) -> Linked:
    """Return the graph of a project's files."""
    return _JavaLinker(JavaInference(files)).run()


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


class _JavaLinker(Linker):
    last_name = re.compile(r"([\w$]+)\W*$")

    def __init__(self, world: JavaInference) -> None:
        super().__init__(world.files)
        self.world = world
        # what begins the name of a package, as in `java.util.List.of()`
        self.roots = {
            "java",
            "javax",
            "jdk",
            "org",
            "com",
            "net",
            "io",
            *(one.split(".")[0] for one in world.packages),
        }

    def name(self, path: str, one: Symbol, above: str) -> str:
        before = above or self.files[path].package
        return f"{before}.{_label(one)}" if before else _label(one)

    def imports(self, path: str, facts: Facts) -> None:
        for one in facts.imports:
            whole = one.star and not one.detail
            name = one.path.rpartition(".")[0] if one.detail and not one.star else one.path
            if whole and name in self.world.packages:
                for other in self.world.packages[name]:
                    if other != path:
                        self.link(file_id(path), "imports", file_id(other), one.line, "import")
                continue
            found = self.world.class_at_name(name)
            if found and found[0] == "cls":
                self.link(file_id(path), "imports", file_id(found[1][0]), one.line, "import")
            elif found:
                origin = "native" if is_native(name) else "external"
                key = self.outside(
                    origin, name, "module" if whole else "type", name.rpartition(".")[0]
                )
                self.link(file_id(path), "imports", key, one.line, origin)
            else:
                self.leave(
                    file_id(path), "imports", one.path, one.line, one.path.rpartition(".")[2]
                )

    def _to(self, path: str, ref: Ref, kind: str, keys: list[Key], via: str) -> None:
        """Link a reference to all that it may mean."""
        keys = list(dict.fromkeys(keys))
        for key in keys:
            rung = "conditional" if len(keys) > 1 else via
            self.link(self.owner(path, ref.owner), kind, self.ids[key], ref.line, rung)

    def _outer(self, path: str, ref: Ref, kind: str, name: str) -> None:
        """Link a reference to something from elsewhere."""
        origin = "native" if is_native(name) else "external"
        key = self.outside(
            origin,
            name,
            MET.get(kind, "type"),
            name.rpartition(".")[0] if origin == "external" else "",
        )
        self.link(self.owner(path, ref.owner), kind, key, ref.line, origin)

    # calls

    def call(self, path: str, ref: Ref) -> None:
        match ref.detail:
            case ["call", number]:
                self._method_call(path, ref, self.world.detail(path, "rows")[number])
            case ["new", term, scope, count, body]:
                self._new(path, ref, term, scope, count, body)
            case ["ctor", which, scope, count]:
                self._own_constructor(path, ref, which, scope, count)
            case ["enum", sym, count]:
                self._to(
                    path,
                    ref,
                    "calls",
                    self._constructors((path, sym), count) or [(path, sym)],
                    "receiver",
                )

    def _method_call(self, path: str, ref: Ref, one: list[Any]) -> None:
        found, via, outside = self.world.callee(path, one)
        keys = [key for key, _ in found]
        if keys:
            within = {
                self.world.symbol((key[0], self.world.symbol(key).parent)).kind for key in keys
            }
            static = all(self.world.symbol(key).detail.get("static") for key in keys)
            self._to(
                path,
                ref,
                "calls",
                keys,
                "interface" if within == {"interface"} and not static else via,
            )
        elif outside:
            self._outer(path, ref, "calls", outside)
        else:
            self.loose(path, ref)

    def _constructors(self, key: Key, count: int) -> list[Key]:
        rows = [
            (key[0], number)
            for held in self.world.children.get(key, {}).values()
            for number in held
        ]
        made = [one for one in rows if self.world.symbol(one).detail.get("ctor")]
        return [one for one in made if takes(self.world.symbol(one), count)]

    def _new(self, path: str, ref: Ref, term: Any, scope: int, count: int, body: bool) -> None:
        found, via = (
            self.world.class_named(path, term[1], scope) if term and term[0] == "n" else (None, "")
        )
        match found:
            case ("cls", key):
                self._to(path, ref, "uses", [key], via)
                if self.world.symbol(key).kind != "interface":
                    self._to(path, ref, "calls", self._constructors(key, count) or [key], via)
            case ("outc", name):
                self._outer(path, ref, "uses", name)
                if not body:  # with one, it may be an interface, which has nothing to call
                    self._outer(path, ref, "calls", name)
            case _:
                self.loose(path, ref)

    def _own_constructor(self, path: str, ref: Ref, which: str, scope: int, count: int) -> None:
        sym = self.world.class_at(path, scope)
        if sym is None:
            return
        kind: Type = ("inst", (path, sym), ())
        if which == "super":
            extended = self.world.symbol((path, sym)).detail["ext"]
            kind = (
                self.world.supers((path, sym), ())[0]
                if extended
                else ("out", "java.lang.Object", ())
            )
        match kind:
            case ("inst", key, _):
                self._to(path, ref, "calls", self._constructors(key, count) or [key], "receiver")
            case ("out", name, _):
                self._outer(path, ref, "calls", name)
            case _:
                self.loose(path, ref)

    # data

    def data(self, path: str, ref: Ref) -> None:
        """Link a read or write of a static field; a class that is named on the way is used."""
        if ref.detail[0] == "method":
            self._to(path, ref, "uses", self.world.named_methods(path, *ref.detail[1:]), "type")
            return
        one = self.world.detail(path, "rows")[ref.detail[1]]
        match one:
            case ["id", name, scope]:
                kind, key, via = self.world.variable(path, name, scope)
                if key is None and via == "variable":
                    return
                if key is None and via == "" and name not in self.roots:
                    self.loose(path, ref)
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
            self._to(path, ref, ref.kind, [key], via)
        elif key is None and kind and kind[0] == "cls":
            self._to(path, ref, "uses", [kind[1]], via)
        elif key is None and kind and kind[0] == "outc":
            self._outer(path, ref, "uses", kind[1])
        elif key is None and kind and kind[0] == "natv":
            self._outer(path, ref, ref.kind, kind[1])

    # types

    def type(self, path: str, ref: Ref) -> None:
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
                self._to(path, ref, kind, [key], via)
            case ("outc", name):
                self._outer(path, ref, ref.kind, name)
            case ("param", _, _):
                return
            case _:
                self.loose(path, ref)
