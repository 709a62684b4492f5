"""From a reference of a Python file to the edges that it makes."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE, Ref
from ghostmem.outline.languages.python_.infer import Def, Key, Type, Types
from ghostmem.outline.languages.python_.natives import MARKERS
from ghostmem.outline.languages.python_.types import PythonInference

CALLABLE = ("function", "method", "type", "interface")
_CONTRACTS = ("collections.abc.", "typing.Supports")  # interfaces of Python's own

Target = tuple[str, Any]  # sym key | file path | out (origin, name)
Edge = tuple[str, Target, str]  # its kind, where it leads, and the rung that found it
End = tuple[
    Key | None, tuple[str, str] | None, Type | None
]  # what is called: a symbol with its receiver, or something outside


class PythonResolved(NamedTuple):
    """The edges of a reference, whether that is all of it, and what it calls of the project, with
    its receiver.
    """

    edges: list[Edge]
    whole: bool
    called: list[tuple[Key, Type | None]]


class Edges:
    """Resolves references in a world."""

    def __init__(self, world: PythonInference) -> None:
        """Take the world."""
        self.world = world

    def of(self, path: str, ref: Ref) -> PythonResolved:
        """Return what a reference of a file comes to."""
        match ref.kind:
            case "calls":
                return self._call(path, ref)
            case "extends":
                return self._base(path, ref)
        return self._read(path, ref)

    def _call(self, path: str, ref: Ref) -> PythonResolved:
        exprs = self.world.tables[path].exprs
        target = exprs[ref.detail][1]
        edges: list[Edge] = []
        ends: list[End] = []
        if exprs[target][0] in ("n", "a"):
            defs, via = self.world.definitions(path, target)
            for one in defs:
                if self._touches(one):
                    edges.append(("accesses", ("sym", (one[1], one[2])), via))
                ends.extend(self._called(one))
        else:
            via = "type"
            ends.extend(self._called_types(self.world.infer(path, target)))
        ends = list(dict.fromkeys(ends)) if len(ends) > 1 else ends
        called = [(key, receiver) for key, _, receiver in ends if key is not None]
        keys = dict.fromkeys(key for key, _ in called)
        for key in keys:
            edges.extend(self._call_project(key, "conditional" if len(keys) > 1 else via))
        if len(called) < len(ends):
            outside = dict.fromkeys(out for _, out, _ in ends if out is not None)
            edges.extend(("calls", ("out", out), via) for out in outside)
        return PythonResolved(edges, bool(ends), called)

    def _touches(self, one: Def) -> bool:
        """Tell whether calling a definition reads it: what a variable or a property holds."""
        if one[0] != "sym" or self.world.is_class((one[1], one[2])):
            return False
        return self.world.kind((one[1], one[2])) not in ("function", "method") or self._is_read(one)

    def _is_read(self, one: Def) -> bool:
        key = (one[1], one[2])
        instance = one[3] is not None and one[3][0] == "I"
        return self.world.kind(key) == "method" and instance and self.world.is_property(key)

    def _called(self, one: Def) -> Iterator[End]:
        """Yield what calling a definition calls: a symbol with its receiver, or something
        outside.
        """
        if one[0] == "out":
            yield None, (one[1], one[2]), None
        elif (
            one[0] == "sym"
            and self.world.kind((one[1], one[2])) in CALLABLE
            and not self._is_read(one)
        ):
            yield (one[1], one[2]), None, one[3]
        elif one[0] not in ("mod", "dir"):
            yield from self._called_types(self.world.types(one))

    def _called_types(self, kinds: Types) -> Iterator[End]:
        """Yield what calling a value calls.

        One that may be any callable leaves its instances in doubt.
        """
        doubt = any(kind[0] == "K" for kind in kinds)
        for kind in kinds:
            if kind[0] != "I" or not doubt:
                yield from self._called_type(kind)

    def _called_type(self, kind: Type) -> Iterator[End]:
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

    def _call_project(self, key: Key, via: str) -> Iterator[Edge]:
        if self.world.is_class(key):
            yield "calls", ("sym", self._constructor(key) or key), via
            yield "uses", ("sym", key), via
            return
        parent = self.world.files[key[0]].symbols[key[1]].parent
        if via == "type" and parent != FILE and self.world.kind((key[0], parent)) == "interface":
            via = "interface"
        yield "calls", ("sym", key), via

    def _constructor(self, key: Key) -> Key | None:
        own = [(one[1], one[2]) for one in self.world.own(key, "__init__", None) if one[0] == "sym"]
        return own[0] if own else None

    def passed(
        self, key: Key, receiver: Type | None, args: list[int], keywords: list[list[Any]]
    ) -> Iterator[tuple[tuple[str, int, int], int]]:
        """Yield what a call passes for each parameter."""
        if self.world.is_class(key):
            made = [
                one
                for one in self.world.class_member(key, "__init__", ("I", key, ()))
                if one[0] == "sym"
            ]
            if not made or "params" not in self.world.detail((made[0][1], made[0][2])):
                return
            key, receiver = (made[0][1], made[0][2]), ("I", key, ())
        detail = self.world.detail(key)
        if "params" not in detail:
            return
        names = [one[0] for one in detail["params"]]
        bound = receiver is not None and detail["class"] != FILE and not detail["static"]
        offset = (
            1
            if bound
            and receiver is not None
            and (receiver[0] == "I" or self.world.takes_class(key))
            else 0
        )
        for at, row in enumerate(args):
            if at + offset < len(names) and not detail["params"][at + offset][1] and row > 0:
                yield (*key, at + offset), row
        for word, row in keywords:
            if word in names and row > 0:
                yield (*key, names.index(word)), row

    def _base(self, path: str, ref: Ref) -> PythonResolved:
        defs, via = self.world.definitions(path, ref.detail)
        ends = self._types_behind(defs)
        rung = "conditional" if len(ends) > 1 else via
        edges: list[Edge] = []
        for end in ends:
            edges.append(("extends", end, rung))
            contract = (
                end[0] == "out" and end[1][1] not in MARKERS and end[1][1].startswith(_CONTRACTS)
            )
            if contract or (end[0] == "sym" and self.world.kind(end[1]) == "interface"):
                edges.append(("implements", end, rung))
        return PythonResolved(edges, bool(ends), [])

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
                ends.extend(
                    ("out", (kind[1], kind[2])) for kind in self.world.types(one) if kind[0] == "X"
                )
        return list(dict.fromkeys(ends))

    def _read(self, path: str, ref: Ref) -> PythonResolved:
        """Resolve a read or write of a variable, or a use of a type."""
        defs, via = self.world.definitions(path, ref.detail)
        ends = [end for one in defs if (end := self._read_one(one, ref.kind))]
        if len(ends) > 1:
            ends = list(dict.fromkeys(ends))
            via = "conditional" if sum(end[0] == "sym" for _, end in ends) > 1 else via
        whole = bool(defs)
        if not defs:
            # an attribute of something known, which has none of that name in the project, is an
            # instance's own
            row = self.world.tables[path].exprs[ref.detail]
            whole = row[0] == "a" and any(
                kind[0] in ("I", "C", "T", "F", "S", "B", "K")
                for kind in self.world.infer(path, row[1])
            )
        return PythonResolved([(kind, end, via) for kind, end in ends], whole, [])

    def _read_one(self, one: Def, kind: str) -> tuple[str, Target] | None:
        """Return what a read, write or use of a definition is, and of what; None for a local."""
        if one[0] == "out":
            written = kind == "assigns" and "." not in one[2]
            return None if written else (kind, ("out", (one[1], one[2])))
        if one[0] != "sym":
            return None
        key = (one[1], one[2])
        symbol = self.world.kind(key)
        if symbol in ("type", "interface"):
            return "uses", ("sym", key)
        if symbol in ("variable", "constant", "field") or self._is_read(one):
            return kind, ("sym", key)
        # a function that is named without being called
        function = kind == "accesses" and symbol in ("function", "method")
        return ("uses", ("sym", key)) if function else None
