"""How the files of a JavaScript or TypeScript project hang together: every reference is a link, or
loose and counted.
"""

import posixpath
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Ref
from ghostmem.outline.graph import Linked, file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_.infer import EcmaInference, class_of, function_of
from ghostmem.outline.languages.ecma_.names import Key, Thing
from ghostmem.outline.languages.shared.graph_builder import MET, GraphBuilder

IGNORED = frozenset(
    {"undefined", "arguments", "NaN", "Infinity", "this", "super", "import", "exports", "module"}
)
DATA = frozenset({"variable", "constant"})


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of a project's files."""
    return _EcmaLinker(EcmaInference(files, read)).run()


def stem(path: str) -> str:
    """Return a path without what says which language it is."""
    return posixpath.splitext(
        path.removesuffix(".d.ts") + ".ts" if path.endswith(".d.ts") else path
    )[0]


class _EcmaLinker(GraphBuilder):
    def __init__(self, world: EcmaInference) -> None:
        super().__init__(world.files)
        self.world = world

    def run(self) -> Linked:
        """Return the graph."""
        for path, facts in self.files.items():
            self._declare(path, facts)
        steps = {"calls": self._call, "accesses": self._data, "assigns": self._data}
        for path, facts in self.files.items():
            self._imports(path, facts)
            for ref in facts.refs:
                steps.get(ref.kind, self._type)(path, ref)
        return self.linked()

    def _declare(self, path: str, facts: Facts) -> None:
        self.add_file(path)
        names: list[str] = []
        for number, one in enumerate(facts.symbols):
            above = f"{stem(path)}#" if one.parent == FILE else f"{names[one.parent]}."
            names.append(above + one.name)
            key = self.add_symbol(path, number, names[-1])
            self.add(self.owner(path, one.parent), "declares", key, one.line, "local")

    def _imports(self, path: str, facts: Facts) -> None:
        for one in facts.imports:
            where, place = self.world.paths.find(path, one.path)
            if where == "file":
                self.add(file_id(path), "imports", file_id(place), one.line, "import")
            elif where == "missing":
                self.leave(
                    file_id(path), "imports", one.path, one.line, stem(one.path.rpartition("/")[2])
                )
            else:
                self.add(
                    file_id(path),
                    "imports",
                    self.outside(where, place, "module", place),
                    one.line,
                    where,
                )

    def _to(self, path: str, ref: Ref, kind: str, things: list[Thing], via: str) -> None:
        """Link a reference to all that it may mean."""
        owner = self.owner(path, ref.owner)
        several = len({one[:2] for one in things}) > 1
        for one in things:
            match one:
                case ("sym" | "member", symbol, *_):
                    rung = (
                        "conditional"
                        if several
                        else "interface"
                        if self._is_abstract(symbol)
                        else via
                    )
                    self.add(owner, kind, self.ids[symbol], ref.line, rung)
                case ("native", name):
                    key = self.outside("native", name, MET.get(kind, "type"), "")
                    self.add(owner, kind, key, ref.line, "native")
                case ("external", package, name):
                    full = f"{package}#{name}" if name else package
                    key = self.outside("external", full, MET.get(kind, "type"), package)
                    self.add(owner, kind, key, ref.line, "external")

    def _is_abstract(self, key: Key) -> bool:
        """Say whether a member has no body because it stands in an interface or a type."""
        one = self.world.symbol(key)
        if one.parent == FILE or one.kind not in {"method", "field"}:
            return False
        above = self.world.symbol((key[0], one.parent))
        return above.kind == "interface" or (
            above.kind == "type"
            and above.signature.lstrip().startswith(("type ", "export type ", "declare type "))
        )

    # calls

    def _call(self, path: str, ref: Ref) -> None:
        number, mode = ref.detail
        things, via, settled = self._callee(path, number)
        if mode in {"new", "jsx"} and things:
            classes = [
                one for one in things if one[0] != "sym" or self.world.symbol(one[1]).kind == "type"
            ]
            if mode == "new" or classes != things or all(one[0] == "sym" for one in classes):
                self._to(
                    path,
                    ref,
                    "uses",
                    [one for one in classes if mode == "new" or one[0] == "sym"],
                    via,
                )
            things = [self._constructor(one) for one in things]
        if things:
            self._to(path, ref, "calls", things, via)
        elif not settled:
            self.loose(path, ref)

    def _constructor(self, thing: Thing) -> Thing:
        if thing[0] != "sym":
            return thing
        held = self.world.children.get(thing[1], {}).get("constructor", [])
        return ("sym", (thing[1][0], held[0])) if held else thing

    def _callee(self, path: str, number: int) -> tuple[list[Thing], str, bool]:
        """Return what is called, by which rung, and whether that is settled even if it has no name
        of its own.
        """
        one: list[Any] = self.world.detail(path, "rows")[number] if number >= 0 else ["?"]
        match one:
            case ["id", name, scope]:
                things, via = self.world.things(path, name, scope)
            case ["super", scope]:
                base = self.world.base(self.world.this(path, scope))
                things, via = class_of(base), "receiver"
                things = [self._constructor(thing) for thing in things]
            case ["m", target, name]:
                things, via = self._member(path, target, name)
            case _:
                things, via = function_of(self.world.type_of(path, number)), "type"
                return things, via, (self.world.type_of(path, number) or ("",))[0] == "anon"
        return (
            self._callable(things),
            via,
            any((self.world.value(thing) or ("",))[0] == "anon" for thing in things),
        )

    def _member(self, path: str, target: int, name: str) -> tuple[list[Thing], str]:
        kind = self.world.type_of(path, target)
        one = self.world.detail(path, "rows")[target] if target >= 0 else ["?"]
        if kind and kind[0] in {"fn", "anon", "fnt"} and name in {"call", "apply", "bind"}:
            run = function_of(kind) if name != "bind" else []  # binding a function does not run it
            return run or [("native", f"Function.{name}")], "type"
        via = (
            "receiver"
            if one[0] in {"this", "super"}
            else "import"
            if kind and kind[0] == "mod"
            else "type"
        )
        return self.world.member(kind, name), via

    def _callable(self, things: list[Thing]) -> list[Thing]:
        """Return what is run when what a name leads to is called.

        A variable that holds a function stands for it.
        """
        found: list[Thing] = []
        for thing in things:
            key = thing[1] if thing[0] in {"sym", "member"} else None
            one = self.world.symbol(key) if key else None
            if (
                one
                and key
                and one.kind in {"function", "method", "type"}
                and not one.detail.get("get")
            ):
                found.append(("sym", key))
            elif one and key and one.kind in {"interface", "module"}:
                continue
            elif one and key and one.kind == "field" and self._is_abstract(key):
                found.append(("sym", key))
            elif thing[0] in {"native", "external"}:
                found.append(thing)
            else:
                found += function_of(self.world.value(thing))
        return list(dict.fromkeys(found))

    # data

    def _data(self, path: str, ref: Ref) -> None:
        number, mode = ref.detail
        if mode == "member":
            self._data_member(path, ref, number)
            return
        _, name, scope = self.world.detail(path, "rows")[number]
        things, via = self.world.things(path, name, scope)
        if name in IGNORED or (things and things[0][0] in {"value", "param"}):
            return
        if not things:
            self.loose(path, ref)
            return
        if mode == "alone" or things[0][0] not in {"native", "external"}:
            self._to(path, ref, ref.kind, [one for one in things if self._is_data(one)], via)
        self._to(path, ref, "uses", [one for one in things if self._is_used(one)], via)

    def _is_data(self, thing: Thing) -> bool:
        match thing:
            case ("sym", key):
                return self.world.symbol(key).kind in DATA
            case ("native", name):
                return not name[:1].isupper()
            case ("external", _, name):
                return bool(name)
            case _:
                return False

    def _is_used(self, thing: Thing) -> bool:
        """Tell whether naming something uses it: a class, or a function that is not called."""
        if thing[0] not in {"sym", "member"}:
            return False
        symbol = self.world.symbol(thing[1])
        if symbol.kind == "method":
            return not (symbol.detail.get("get") or symbol.detail.get("set"))
        return symbol.kind in {"type", "function"}

    def _data_member(self, path: str, ref: Ref, number: int) -> None:
        """Link a read or write of a property, when that is a static field, an exported variable, or
        an accessor.
        """
        _, target, name = self.world.detail(path, "rows")[number]
        things, via = self._member(path, target, name)
        wanted = "get" if ref.kind == "accesses" else "set"
        data, run, used = [], [], []
        for one in things:
            symbol = self.world.symbol(one[1]) if one[0] in {"sym", "member"} else None
            if symbol and symbol.detail.get(wanted):
                run.append(one)
            elif symbol and (
                symbol.kind in DATA or (symbol.kind == "field" and symbol.detail.get("static"))
            ):
                data.append(one)
            elif ref.kind == "accesses" and self._is_used(one):
                used.append(one)
        self._to(path, ref, "calls", run, via)
        self._to(path, ref, ref.kind, data, via)
        self._to(path, ref, "uses", used, via)

    # types

    def _type(self, path: str, ref: Ref) -> None:
        term, scope = ref.detail
        if not term or term[0] != "n":
            kind = self.world.heir(term, path, scope, ()) if term and term[0] == "x" else None
            found = class_of(kind)
            self._to(path, ref, ref.kind, found, "type")
            if not found:
                self.loose(path, ref)
            return
        first = term[1].partition(".")[0]
        _, via = self.world.things(path, first, scope, types=True)
        things = self.world.type_things(term[1], path, scope)
        if ref.kind == "extends" and not things:
            things = class_of(self.world.heir(term, path, scope, ()))
            via = self.world.things(path, first, scope)[1]
        if things and things[0][0] in {"param", "value"}:
            return
        found = [
            one
            for one in things
            if one[0] != "sym"
            or self.world.symbol(one[1]).kind in {"type", "interface", "function"}
        ]
        if ref.kind == "uses" and len(found) > 1:
            found = found[:1]
        self._to(path, ref, ref.kind, found, via)
        if not found:
            self.loose(path, ref)
