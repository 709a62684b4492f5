"""From a reference of a Python file to the edges that it makes."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.python_.infer import PythonInference
from ghostmem.outline.languages.python_.tables import PythonRef
from ghostmem.outline.languages.python_.types import KNOWN, Def, Key, Type, Types

CALLABLE = ("function", "method", "type", "interface")
_CONTRACTS = ("collections.abc.", "typing.Supports")  # interfaces of Python's own
_KNOWN = frozenset("instance class tuple function super method callable".split())

Target = tuple[str, Any]  # sym key | file path | out (origin, name)
Edge = tuple[str, Target, str]  # its kind, where it leads, and the rung that found it


class Called(NamedTuple):
    """The end of a call: a symbol with its receiver, or something outside."""

    key: Key | None = None
    outside: tuple[str, str] | None = None
    receiver: Type | None = None


class PythonResolved(NamedTuple):
    """The edges of a reference, whether that is all of it, and the project's symbols that it
    calls, each with its receiver.
    """

    edges: list[Edge]
    whole: bool
    called: list[tuple[Key, Type | None]]


class Edges:
    """Resolves references with the types of an inference."""

    def __init__(self, inference: PythonInference) -> None:
        self.inference = inference

    def of(self, path: str, ref: PythonRef) -> PythonResolved:
        """Return the edges of a reference of a file."""
        match ref.kind:
            case "calls":
                return self._call(path, ref)
            case "extends":
                return self._base(path, ref)
        return self._read(path, ref)

    def _call(self, path: str, ref: PythonRef) -> PythonResolved:
        exprs = self.inference.tables[path].exprs
        target = exprs[ref.row][1]
        edges: list[Edge] = []
        if exprs[target][0] in ("n", "a"):
            definitions, via = self.inference.definitions(path, target)
            edges = [
                ("accesses", ("sym", one[1]), via) for one in definitions if self._holds_callee(one)
            ]
            ends = _unique(end for one in definitions for end in self._called(one))
        else:
            via, ends = "type", _unique(self._called_types(self.inference.infer(path, target)))
        called = [(end.key, end.receiver) for end in ends if end.key is not None]
        keys = dict.fromkeys(key for key, _ in called)
        for key in keys:
            edges.extend(self._call_project(key, "conditional" if len(keys) > 1 else via))
        outside = dict.fromkeys(end.outside for end in ends if end.outside is not None)
        edges.extend(("calls", ("out", one), via) for one in outside)
        return PythonResolved(edges, bool(ends), called)

    def _holds_callee(self, definition: Def) -> bool:
        """Tell whether calling a definition reads it: a variable or a property."""
        if definition[0] != "sym" or self.inference.is_class(definition[1]):
            return False
        is_function = self.inference.kind(definition[1]) in ("function", "method")
        return not is_function or self._is_property(definition)

    def _is_property(self, definition: Def) -> bool:
        _, key, receiver = definition
        on_instance = receiver is not None and receiver[0] == "instance"
        return (
            self.inference.kind(key) == "method" and on_instance and self.inference.is_property(key)
        )

    def _called(self, definition: Def) -> Iterator[Called]:
        """Yield the ends of calling a definition."""
        if definition[0] == "out":
            yield Called(outside=definition[1:])
        elif (
            definition[0] == "sym"
            and self.inference.kind(definition[1]) in CALLABLE
            and not self._is_property(definition)
        ):
            yield Called(definition[1], receiver=definition[2])
        elif definition[0] not in ("mod", "dir"):
            yield from self._called_types(self.inference.types(definition))

    def _called_types(self, types: Types) -> Iterator[Called]:
        """Yield the ends of calling a value; if it may be any callable, instances do not count."""
        has_callable = any(kind[0] == "callable" for kind in types)
        for kind in types:
            if kind[0] != "instance" or not has_callable:
                yield from self._called_type(kind)

    def _called_type(self, kind: Type) -> Iterator[Called]:
        match kind[0]:
            case "class":
                yield Called(kind[1])
            case "function":
                yield Called(kind[1], receiver=kind[2])
            case "out":
                yield Called(outside=(kind[1], kind[2]))
            case "method":
                yield Called(outside=(kind[1][1], f"{kind[1][2]}.{kind[2]}"))
            case "partial":
                for part in kind[1]:
                    yield from self._called_type(part)
            case "instance":
                for one in self.inference.class_member(kind[1], "__call__", kind):
                    if one[0] == "sym":
                        yield Called(one[1], receiver=one[2])

    def _call_project(self, key: Key, via: str) -> Iterator[Edge]:
        if self.inference.is_class(key):
            own = self.inference.own(key, "__init__", None)
            made = next((one[1] for one in own if one[0] == "sym"), key)
            yield "calls", ("sym", made), via
            yield "uses", ("sym", key), via
            return
        parent = self.inference.files[key[0]].symbols[key[1]].parent
        if (
            via == "type"
            and parent != FILE
            and self.inference.kind((key[0], parent)) == "interface"
        ):
            via = "interface"
        yield "calls", ("sym", key), via

    def passed(
        self, key: Key, receiver: Type | None, arguments: list[int], keywords: list[list[Any]]
    ) -> Iterator[tuple[tuple[str, int, int], int]]:
        """Yield the parameters of a called symbol with the rows that the call passes for them."""
        if self.inference.is_class(key):
            made = self.inference.constructor(key)
            if made is None:
                return
            key, receiver = made, ("instance", key, ())
        detail = self.inference.detail(key)
        if "params" not in detail:
            return
        names = [parameter[0] for parameter in detail["params"]]
        is_method = detail["class"] != FILE and not detail["static"]
        is_bound = (
            receiver is not None
            and is_method
            and (receiver[0] == "instance" or self.inference.takes_class(key))
        )
        for place, row in enumerate(arguments, start=int(is_bound)):
            if place < len(names) and not detail["params"][place][1] and row > 0:
                yield (*key, place), row
        for name, row in keywords:
            if name in names and row > 0:
                yield (*key, names.index(name)), row

    def _base(self, path: str, ref: PythonRef) -> PythonResolved:
        definitions, via = self.inference.definitions(path, ref.row)
        ends = self._classes_behind(definitions)
        rung = "conditional" if len(ends) > 1 else via
        edges: list[Edge] = []
        for end in ends:
            edges.append(("extends", end, rung))
            contract = (
                end[0] == "out"
                and end[1][1] not in KNOWN["markers"]
                and end[1][1].startswith(_CONTRACTS)
            )
            if contract or (end[0] == "sym" and self.inference.kind(end[1]) == "interface"):
                edges.append(("implements", end, rung))
        return PythonResolved(edges, bool(ends), [])

    def _classes_behind(self, definitions: list[Def]) -> list[Target]:
        """Return the classes that definitions are, through aliases."""
        ends: list[Target] = []
        for definition in definitions:
            types = self.inference.types(definition)
            ends.extend(("sym", kind[1]) for kind in types if kind[0] == "class")
            ends.extend(("out", kind[1:]) for kind in types if kind[0] == "out")
        return list(dict.fromkeys(ends))

    def _read(self, path: str, ref: PythonRef) -> PythonResolved:
        """Resolve a read or write of a variable, or a use of a type."""
        definitions, via = self.inference.definitions(path, ref.row)
        ends = [end for one in definitions if (end := self._read_end(one, ref.kind))]
        if len(ends) > 1:
            ends = list(dict.fromkeys(ends))
            via = "conditional" if sum(end[0] == "sym" for _, end in ends) > 1 else via
        # an attribute of something known that the project does not define is an instance's own
        whole = bool(definitions) or self._is_known_owner(path, ref.row)
        return PythonResolved([(kind, end, via) for kind, end in ends], whole, [])

    def _is_known_owner(self, path: str, row: int) -> bool:
        op, *operands = self.inference.tables[path].exprs[row]
        return op == "a" and any(
            kind[0] in _KNOWN for kind in self.inference.infer(path, operands[0])
        )

    def _read_end(self, definition: Def, kind: str) -> tuple[str, Target] | None:
        """Return the kind and the end of a read, write or use of a definition; None for a local."""
        if definition[0] == "out":
            is_builtin = kind == "assigns" and "." not in definition[2]
            return None if is_builtin else (kind, ("out", definition[1:]))
        if definition[0] != "sym":
            return None
        end = ("sym", definition[1])
        symbol = self.inference.kind(definition[1])
        if symbol in ("type", "interface"):
            return "uses", end
        if symbol in ("variable", "constant", "field") or self._is_property(definition):
            return kind, end
        # a function that is named without being called
        is_function = kind == "accesses" and symbol in ("function", "method")
        return ("uses", end) if is_function else None


def _unique(ends: Iterable[Called]) -> list[Called]:
    return list(dict.fromkeys(ends))
