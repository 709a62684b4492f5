"""Infer the types of C and C++ expressions: from declarations, fields, return types, smart pointers
and containers.

A type is ("sym", key, args), ("native" or "external", name, args), or ("gen", (name, path, owner),
())."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.cfamily_.includes import NAMES
from ghostmem.outline.languages.cfamily_.lookup import Key, Place
from ghostmem.outline.languages.cfamily_.names import CppNames
from ghostmem.outline.languages.shared.inference import (
    OUTSIDE,
    Inference,
    Target,
    Type,
    typed,
)
from ghostmem.outline.languages.shared.postorder import UNKNOWN

MAX_NESTING = 12  # types inside each other, and typedefs of each other
_PAIR = ("first", "second")
_MAKERS = {
    "make_unique": "std::unique_ptr",
    "make_shared": "std::shared_ptr",
    "make_optional": "std::optional",
}


class CppTypes(Inference[Type]):
    """Resolve written types and infer those of expressions."""

    def __init__(self, files: Mapping[str, Facts], names: CppNames) -> None:
        super().__init__(files)
        self.names = names

    def place(self, path: str, context: int) -> Place:
        """Return the place of a numbered context."""
        owner, space = self.files[path].detail["contexts"][context]
        return path, owner, space

    def at(self, key: Key) -> Place:
        """Return the place that a symbol's own types are written in."""
        return key[0], key[1], self.names.symbol(key).detail["ns"]

    def resolve(self, data: Any, place: Place, depth: int = 0) -> Type | None:
        """Return the type that is written somewhere."""
        if not data or data[0] != "T" or depth > MAX_NESTING:
            return None
        args = tuple(self.resolve(one, place, depth + 1) for one in data[2])
        found = self.names.resolve(data[1], place, types=True, tag=bool(data[3]))
        real = dict.fromkeys(
            self.names.settled(one.value)[0] if one.kind == "sym" else one for one in found.targets
        )
        return self.of_target(found.targets[0], args, depth) if len(real) == 1 else None

    def of_target(self, target: Target, args: tuple[Any, ...] = (), depth: int = 0) -> Type | None:
        """Return the type that a resolved name is, through typedefs."""
        if target.kind == "gen":
            return ("gen", target.value, ())
        if target.kind in OUTSIDE:
            return (target.kind, target.value, args)
        if target.kind != "sym" or depth > MAX_NESTING:
            return None
        symbol = self.names.symbol(target.value)
        if "alias" in symbol.detail:
            place = (target.value[0], symbol.parent, symbol.detail["ns"])
            real = self.resolve(symbol.detail["alias"], place, depth + 1)
            return real if real is None or real[:2] != ("sym", target.value) else None
        return ("sym", target.value, args) if symbol.kind == "type" else None

    def own(self, place: Place) -> Type | None:
        """Return the class that `this` points to at a place."""
        for key in self.names.around(place):
            symbol = self.names.symbol(key)
            if symbol.kind == "type":
                names = symbol.detail.get("tparams", ())
                return ("sym", key, tuple(("gen", (name, *key), ()) for name in names))
        return None

    def opened(self, home: Type | None, *, arrow: bool) -> Type | None:
        """Return the type that `->` leads to: the element of a smart pointer, else the same."""
        if not arrow or home is None:
            return home
        if home[0] == "native" and _last(home) in NAMES["@pointers"]:
            return typed(home[2][0]) if home[2] else None
        operators = self.members(home, "operator->")
        return self.returned(operators[0], home) if operators else home

    def members(self, home: Type | None, name: str) -> list[Key]:
        """Return the members that a type of the project has under a name."""
        return self.names.member(home[1], name) if home is not None and home[0] == "sym" else []

    def _of_keys(self, keys: list[Key], home: Type | None) -> Type | None:
        """Return the type of a variable or field."""
        symbol = self.names.symbol(keys[0]) if keys else None
        if symbol is None or symbol.kind not in ("variable", "constant", "field"):
            return None
        if (value := symbol.detail.get("value")) is not None:
            return self.infer(keys[0][0], value)
        around = (keys[0][0], symbol.parent, symbol.detail["ns"])
        return self.filled(self.resolve(symbol.detail.get("type"), around), home)

    def filled(self, kind: Type | None, home: Type | None) -> Type | None:
        """Put the arguments of a template in the place of its parameters."""
        if kind is None or home is None or home[0] != "sym":
            return kind
        return _substitute(
            kind, _bound(self.names.symbol(home[1]).detail.get("tparams", ()), home[2])
        )

    def returned(self, key: Key, home: Type | None) -> Type | None:
        """Return the type that a function gives."""
        written = self.names.symbol(key).detail.get("ret")
        return self.filled(self.resolve(written, self.at(key)), home)

    def _local(self, path: str, depth: int, binding: int) -> Type | None:
        context, data, value = self.files[path].detail["bindings"][binding]
        place = self.place(path, context)
        return self.resolve(data, place) if data else self.infer(path, value, depth)

    def _member(self, path: str, depth: int, row: int, name: str, arrow: bool) -> Type | None:
        home = self.opened(self.infer(path, row, depth), arrow=arrow)
        if home is not None and home[:2] == ("native", "std::pair") and name in _PAIR:
            return typed(home[2][_PAIR.index(name)]) if len(home[2]) > 1 else None
        return self._of_keys(self.members(home, name), home)

    def _name(
        self, path: str, _depth: int, name: list[str], _args: Any, context: int
    ) -> Type | None:
        targets = self.names.resolve(name, self.place(path, context)).targets
        return self._of_keys([target.value for target in targets if target.kind == "sym"], None)

    def _called(self, path: str, depth: int, row: int, count: int) -> Type | None:
        """Return the type that a call gives: of the only function it can mean, or of all when they
        agree.
        """
        function: list[Any] = self.files[path].detail["exprs"][row] if row != UNKNOWN else ["?"]
        if function[0] == "member":
            home = self.opened(self.infer(path, function[1], depth), arrow=function[3])
            keys = accepting(self.members(home, function[2]), self.names, count)
            return self._agreed(keys, home) if keys else native_result(home, function[2])
        if function[0] != "name":
            return None
        _, name, given, context = function
        place = self.place(path, context)
        targets = self.names.resolve(name, place).targets
        args = tuple(self.resolve(arg, place) for arg in given)
        if len(targets) == 1 and targets[0].kind == "native":
            maker = _MAKERS.get(name[-1])
            return ("native", maker, args) if maker else None
        keys = [target.value for target in targets if target.kind == "sym"]
        types = [key for key in keys if self.names.symbol(key).kind == "type"]
        if types:
            return self.of_target(Target("sym", types[0]), args) if len(types) == 1 else None
        functions = [key for key in keys if callable_(self.names, key)]
        result = self._agreed(accepting(keys, self.names, count), self.own(place))
        if result is None or not given or not functions:
            return result
        names = self.names.symbol(functions[0]).detail.get("tparams", ())
        return _substitute(result, _bound(names, args))

    def _agreed(self, keys: list[Key], home: Type | None) -> Type | None:
        results = dict.fromkeys(self.returned(key, home) for key in keys)
        return next(iter(results)) if len(results) == 1 else None

    handlers: ClassVar = {
        "local": _local,
        "this": lambda types, path, _depth, context: types.own(types.place(path, context)),
        "as": lambda types, path, _depth, data, context: types.resolve(
            data, types.place(path, context)
        ),
        "index": lambda types, path, depth, row: element(types.infer(path, row, depth), index=True),
        "elem": lambda types, path, depth, row: element(types.infer(path, row, depth), index=False),
        "first": Inference.first,
        "member": _member,
        "name": _name,
        "call": _called,
    }


def callable_(names: CppNames, key: Key) -> bool:
    """Tell whether a symbol is a function or method."""
    return names.symbol(key).kind in ("function", "method")


def accepting(keys: list[Key], names: CppNames, count: int) -> list[Key]:
    """Return those that are functions and take a number of arguments.

    C has no overloads, so there the number does not matter.
    """
    functions = [key for key in keys if callable_(names, key)]
    return [key for key in functions if _accepts(key, names, count)] if names.cpp else functions


def _accepts(key: Key, names: CppNames, count: int) -> bool:
    if names.symbol(key).detail.get("deleted"):
        return False
    limits = [names.symbol(one).detail["params"] for one in (key, *names.settled(key))]
    return any(least <= count and (most < 0 or count <= most) for least, most in limits)


def element(home: Type | None, *, index: bool) -> Type | None:
    """Return the type of the elements of a container; a pointer or an array is its element."""
    if home is None or home[0] != "native":
        return home if home is not None and home[0] == "sym" else None
    name = _last(home)
    if name in NAMES["@maps"] and len(home[2]) > 1:
        return typed(home[2][1]) if index else ("native", "std::pair", home[2])
    if name in NAMES["@lists"] or (index and name in NAMES["@pointers"]):
        return typed(home[2][0]) if home[2] else None
    return None


def native_result(home: Type | None, name: str) -> Type | None:
    """Return the type that a method of a standard container or smart pointer gives."""
    if home is None or home[0] != "native":
        return None
    if _last(home) in NAMES["@pointers"]:
        if name in ("get", "value", "value_or") and home[2]:
            return typed(home[2][0])
        return ("native", "std::shared_ptr", home[2]) if name == "lock" else None
    return element(home, index=True) if name in NAMES["@elements"] else None


def _bound(names: Iterable[str], args: Iterable[Any]) -> dict[str, Any]:
    return {name: given for name, given in zip(names, args, strict=False) if given}


def _substitute(kind: Any, mapping: dict[str, Any]) -> Type | None:
    if kind is None or not mapping:
        return typed(kind)
    if kind[0] == "gen":
        return typed(mapping.get(kind[1][0], kind))
    return (kind[0], kind[1], tuple(_substitute(one, mapping) for one in kind[2]))


def _last(kind: Type) -> str:
    return str(kind[1]).rsplit("::", 1)[-1]
