"""From the facts of Python files to a graph: every reference becomes a link, or stays loose."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Ref
from ghostmem.outline.graph import EXTERNAL, NATIVE, Link, Linked, Loose, Node, file_id, outside_id, project_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.python_infer import Def, Key, Type, Types
from ghostmem.outline.languages.python_modules import origin
from ghostmem.outline.languages.python_natives import MARKERS
from ghostmem.outline.languages.python_types import Inference

ROUNDS = 3  # what calls pass is known after the first, what follows from that after the second
_OUTSIDE = {"calls": "function", "uses": "type", "extends": "type", "implements": "type", "imports": "module"}
_RANK = ("module", "type", "function", "variable")  # what something outside is, when references disagree
_CALLABLE = ("function", "method", "type", "interface")
_CONTRACTS = ("collections.abc.", "typing.Supports")  # interfaces of Python's own

Target = tuple[str, Any]  # sym key | file path | out (origin, name)


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of a project's Python files."""
    del read  # everything is in the facts
    return _Linker({path: files[path] for path in sorted(files)}).run()


class _Linker:
    """One linking: the world it infers in, and the links found so far."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.world = Inference(files)
        self.found: dict[tuple[str, str, str], tuple[int, str]] = {}
        self.loose: list[Loose] = []
        self.outside: dict[tuple[str, str], str] = {}
        self.ids: dict[Key, str] = {}
        self.nodes: dict[str, Node] = {}
        self.passed: dict[tuple[str, int, int], set[tuple[str, int]]] = {}
        symbols = [(one.name, one.kind) for facts in files.values() for one in facts.symbols]
        self.callables = Counter(name for name, kind in symbols if kind in _CALLABLE)
        self.values = Counter(name for name, kind in symbols if kind != "function")

    def run(self) -> Linked:
        """Infer in rounds; the last one is kept."""
        for path, facts in self.files.items():
            self._symbols(path, facts)
        for turn in range(ROUNDS):
            self.found, self.loose, self.outside, self.passed = {}, [], {}, {}
            last = turn == ROUNDS - 1
            for path, facts in self.files.items():
                self._references(path, facts, last)
            if not last:
                self.world.next_round(self.passed)
        for path, facts in self.files.items():
            self._declares(path, facts)
            self._imports(path, facts)
        for (place, name), kind in sorted(self.outside.items()):
            number = outside_id(place, name)
            self.nodes[number] = Node(number, name, kind, place, where=name.split(".")[0] if place == EXTERNAL else "")
        links = [Link(start, kind, end, line, via) for (start, kind, end), (line, via) in self.found.items()]
        return Linked(self.nodes, sorted(links), sorted(self.loose))

    def _symbols(self, path: str, facts: Facts) -> None:
        module = self.world.modules.names[path]
        last = max((one.end_line for one in facts.symbols), default=1)
        self.nodes[file_id(path)] = Node(file_id(path), module, "file", file=path, line=1, end_line=last)
        names: list[str] = []
        for number, one in enumerate(facts.symbols):
            above = module if one.parent == FILE else names[one.parent]
            names.append(f"{above}.{one.name}")
            mark = self.ids[(path, number)] = project_id(path, names[-1], one.start)
            self.nodes[mark] = Node(
                mark,
                names[-1],
                one.kind,
                file=path,
                line=one.line,
                end_line=one.end_line,
                signature=one.signature,
                body=one.detail["body"],
            )

    def _declares(self, path: str, facts: Facts) -> None:
        for number, one in enumerate(facts.symbols):
            self._add(self._id(path, one.parent), "declares", self.ids[(path, number)], one.line, "local")

    def _id(self, path: str, symbol: int) -> str:
        return file_id(path) if symbol == FILE else self.ids[(path, symbol)]

    def _add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        known = self.found.get((start, kind, end))
        if known is None or (line, via) < known:
            self.found[(start, kind, end)] = (line, via)

    def _imports(self, path: str, facts: Facts) -> None:
        modules = self.world.modules
        for one in facts.imports:
            ends: list[Target] = []
            for target in modules.find(one.path, path):
                members = self.world.module_member(target, one.name) if one.name else []
                chosen = next((member[1] for member in members if member[0] == "mod"), target)
                if chosen in self.files:
                    ends.append(("file", chosen))
            if not ends:
                dotted = modules.absolute(one.path, path)
                ends = [("out", (origin(dotted), dotted))]
            for end in ends:
                self._link(file_id(path), "imports", end, one.line, "import")

    def _link(self, start: str, kind: str, end: Target, line: int, via: str) -> None:
        if end[0] == "out":
            place, name = end[1]
            wanted = _OUTSIDE.get(kind, "variable")
            known = self.outside.get((place, name), wanted)
            self.outside[(place, name)] = min(known, wanted, key=_RANK.index)
            self._add(start, kind, outside_id(place, name), line, NATIVE if place == NATIVE else EXTERNAL)
        else:
            self._add(start, kind, file_id(end[1]) if end[0] == "file" else self.ids[end[1]], line, via)

    def _references(self, path: str, facts: Facts, last: bool) -> None:
        """Resolve what a file refers to; only calls tell the next round something."""
        for ref in facts.refs if last else (one for one in facts.refs if one.kind == "calls"):
            start = self._id(path, ref.owner)
            match ref.kind:
                case "calls":
                    found = self._call(path, ref, start)
                case "extends":
                    found = self._base(path, ref, start)
                case _:
                    found = self._read(path, ref, start)
            if not found:
                self._leave(start, path, ref)

    def _leave(self, start: str, path: str, ref: Ref) -> None:
        """Keep a reference that could not be resolved; a read only when something of the project goes by that name."""
        row = self.world.exprs[path][self.world.exprs[path][ref.detail][1] if ref.kind == "calls" else ref.detail]
        name = str(row[2]) if row[0] == "a" else str(row[1]) if row[0] == "n" else ""
        count = (self.callables if ref.kind == "calls" else self.values)[name]
        if count or ref.kind in ("calls", "extends") or row[0] == "n":
            self.loose.append(Loose(start, ref.kind, ref.text, ref.line, name, count))

    def _call(self, path: str, ref: Ref, start: str) -> bool:
        _, target, args, keywords = self.world.exprs[path][ref.detail]
        defs, via = self.world.definitions(path, target)
        ends: list[tuple[Key | None, tuple[str, str] | None, Type | None]] = []
        if self.world.exprs[path][target][0] in ("n", "a"):
            for one in defs:
                self._touch(one, start, ref.line, via)
                ends.extend(self._called(one))
        else:
            via = "type"
            ends.extend(self._called_types(self.world.infer(path, target)))
        keys = list(dict.fromkeys(key for key, _, _ in ends if key is not None))
        for key, _, receiver in dict.fromkeys(ends):
            if key is not None:
                self._call_project(key, receiver, start, ref, "conditional" if len(keys) > 1 else via)
                self._pass(key, receiver, path, args, keywords)
        for out in dict.fromkeys(out for _, out, _ in ends if out is not None):
            self._link(start, "calls", ("out", out), ref.line, via)
        return bool(ends)

    def _touch(self, one: Def, start: str, line: int, via: str) -> None:
        """Calling what a variable or a property holds reads it."""
        if one[0] == "sym" and not self.world.is_class((one[1], one[2])):
            key = (one[1], one[2])
            if self.world.kind(key) not in ("function", "method") or self._is_read(one):
                self._link(start, "accesses", ("sym", key), line, via)

    def _is_read(self, one: Def) -> bool:
        key = (one[1], one[2])
        instance = one[3] is not None and one[3][0] == "I"
        return self.world.kind(key) == "method" and instance and self.world.is_property(key)

    def _called(self, one: Def) -> Iterator[tuple[Key | None, tuple[str, str] | None, Type | None]]:
        """Yield what calling a definition calls: a symbol with its receiver, or something outside."""
        if one[0] == "out":
            yield None, (one[1], one[2]), None
        elif one[0] == "sym" and self.world.kind((one[1], one[2])) in _CALLABLE and not self._is_read(one):
            yield (one[1], one[2]), None, one[3]
        elif one[0] not in ("mod", "dir"):
            yield from self._called_types(self.world.types(one))

    def _called_types(self, kinds: Types) -> Iterator[tuple[Key | None, tuple[str, str] | None, Type | None]]:
        """Yield what calling a value calls; one that may be any callable leaves its instances in doubt."""
        doubt = any(kind[0] == "K" for kind in kinds)
        for kind in kinds:
            if kind[0] != "I" or not doubt:
                yield from self._called_type(kind)

    def _called_type(self, kind: Type) -> Iterator[tuple[Key | None, tuple[str, str] | None, Type | None]]:
        if kind[0] in ("C", "F"):
            yield kind[1], None, kind[2] if kind[0] == "F" else None
        elif kind[0] == "X":
            yield None, (kind[1], kind[2]), None
        elif kind[0] == "B":
            yield None, (kind[1][1], f"{kind[1][2]}.{kind[2]}"), None
        elif kind[0] == "P":
            for one in kind[1]:
                yield from self._called_type(one)
        elif kind[0] == "I":
            for one in self.world.class_member(kind[1], "__call__", kind):
                if one[0] == "sym":
                    yield (one[1], one[2]), None, one[3]

    def _call_project(self, key: Key, receiver: Type | None, start: str, ref: Ref, via: str) -> None:
        if not self.world.is_class(key):
            parent = self.files[key[0]].symbols[key[1]].parent
            if via == "type" and parent != FILE and self.world.kind((key[0], parent)) == "interface":
                via = "interface"
            self._link(start, "calls", ("sym", key), ref.line, via)
            return
        made = self._constructor(key)
        self._link(start, "calls", ("sym", made or key), ref.line, via)
        self._link(start, "uses", ("sym", key), ref.line, via)

    def _constructor(self, key: Key) -> Key | None:
        own = [(one[1], one[2]) for one in self.world.own(key, "__init__", None) if one[0] == "sym"]
        return own[0] if own else None

    def _pass(self, key: Key, receiver: Type | None, path: str, args: list[int], keywords: list[list[Any]]) -> None:
        """Note what a call passes for each parameter."""
        if self.world.is_class(key):
            made = [one for one in self.world.class_member(key, "__init__", ("I", key, ())) if one[0] == "sym"]
            if not made or "params" not in self.world.detail((made[0][1], made[0][2])):
                return
            key, receiver = (made[0][1], made[0][2]), ("I", key, ())
        detail = self.world.detail(key)
        if "params" not in detail:
            return
        names = [one[0] for one in detail["params"]]
        bound = receiver is not None and detail["class"] != FILE and not detail["static"]
        offset = 1 if bound and receiver is not None and (receiver[0] == "I" or self.world.takes_class(key)) else 0
        for at, row in enumerate(args):
            if at + offset < len(names) and not detail["params"][at + offset][1] and row > 0:
                self.passed.setdefault((*key, at + offset), set()).add((path, row))
        for word, row in keywords:
            if word in names and row > 0:
                self.passed.setdefault((*key, names.index(word)), set()).add((path, row))

    def _base(self, path: str, ref: Ref, start: str) -> bool:
        defs, via = self.world.definitions(path, ref.detail)
        ends = self._types_behind(defs)
        for end in ends:
            rung = "conditional" if len(ends) > 1 else via
            self._link(start, "extends", end, ref.line, rung)
            contract = end[0] == "out" and end[1][1] not in MARKERS and end[1][1].startswith(_CONTRACTS)
            if contract or (end[0] == "sym" and self.world.kind(end[1]) == "interface"):
                self._link(start, "implements", end, ref.line, rung)
        return bool(ends)

    def _types_behind(self, defs: list[Def]) -> list[Target]:
        """Return the classes that definitions are, through aliases."""
        ends: list[Target] = []
        for one in defs:
            if one[0] == "out":
                ends.append(("out", (one[1], one[2])))
            elif one[0] == "sym" and self.world.is_class((one[1], one[2])):
                ends.append(("sym", (one[1], one[2])))
            else:
                ends.extend(("sym", kind[1]) for kind in self.world.types(one) if kind[0] == "C")
                ends.extend(("out", (kind[1], kind[2])) for kind in self.world.types(one) if kind[0] == "X")
        return list(dict.fromkeys(ends))

    def _read(self, path: str, ref: Ref, start: str) -> bool:
        """Link a read or write of a variable, or a use of a type."""
        defs, via = self.world.definitions(path, ref.detail)
        row = self.world.exprs[path][ref.detail]
        ends: list[tuple[str, Target]] = []
        for one in defs:
            ends.extend(self._read_one(one, ref.kind))
        ends = list(dict.fromkeys(ends))
        many = sum(1 for _, end in ends if end[0] == "sym") > 1
        for kind, end in ends:
            self._link(start, kind, end, ref.line, "conditional" if many else via)
        if defs or row[0] != "a":
            return bool(defs)
        # an attribute of something known, which has none of that name in the project, is an instance's own
        return any(kind[0] in ("I", "C", "T", "F", "S", "B", "K") for kind in self.world.infer(path, row[1]))

    def _read_one(self, one: Def, kind: str) -> Iterator[tuple[str, Target]]:
        if one[0] == "out":
            if kind != "assigns" or "." in one[2]:
                yield kind, ("out", (one[1], one[2]))
        elif one[0] == "sym":
            key = (one[1], one[2])
            symbol = self.world.kind(key)
            if symbol in ("type", "interface"):
                yield "uses", ("sym", key)
            elif symbol in ("variable", "constant", "field") or self._is_read(one):
                yield kind, ("sym", key)
