"""Infer the types of C and C++ expressions: from declarations, fields, return types, smart pointers
and containers.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.cfamily_.includes import NAMES
from ghostmem.outline.languages.cfamily_.lookup import Place
from ghostmem.outline.languages.cfamily_.names import CppNames
from ghostmem.outline.languages.shared.inference import (
    NOTHING,
    OUTSIDE,
    Found,
    Inference,
    Target,
    symbols,
)
from ghostmem.outline.languages.shared.postorder import UNKNOWN
from ghostmem.outline.resolve.types import INSTANCE, PARAMETER, Key, Type

MAX_NESTING = 12  # types inside each other, and typedefs of each other
_PAIR = ("first", "second")
_MAKERS = {
    "make_unique": "std::unique_ptr",
    "make_shared": "std::shared_ptr",
    "make_optional": "std::optional",
}


class CppCallee(NamedTuple):
    """The targets of a call, the name that is called, and the type that a method belongs to."""

    found: Found = NOTHING
    name: str = ""
    home: Type | None = None


class CppTypes(Inference[Type]):
    """Resolve written types and infer those of expressions.

    The sort of a type is instance, parameter, native or external."""

    def __init__(self, files: Mapping[str, Facts], names: CppNames) -> None:
        super().__init__(files)
        self.names = names

    def place(self, path: str, context: int) -> Place:
        """Return the place of a numbered context."""
        owner, space = self.files[path].detail["contexts"][context]
        return path, owner, space

    def resolve(self, data: Any, place: Place, depth: int = 0) -> Type | None:
        """Return the type that is written somewhere."""
        if not data or data[0] != "T" or depth > MAX_NESTING:
            return None
        args = tuple(self.resolve(argument, place, depth + 1) for argument in data[2])
        targets = self.names.resolve(data[1], place, types=True, tag=bool(data[3])).targets
        real = {
            self.names.settled(target.value)[0] if target.kind == "sym" else target
            for target in targets
        }
        return self.of_target(targets[0], args, depth) if len(real) == 1 else None

    def of_target(
        self, target: Target, args: tuple[Type | None, ...] = (), depth: int = 0
    ) -> Type | None:
        """Return the type that a resolved name is, through typedefs."""
        if target.kind == "gen":
            return Type(PARAMETER, target.value[1:], target.value[0])
        if target.kind in OUTSIDE:
            return Type(target.kind, name=target.value, args=args)
        if target.kind != "sym" or depth > MAX_NESTING:
            return None
        symbol = self.names.symbol(target.value)
        if "alias" in symbol.detail:
            place = self.names.outside(target.value)
            real = self.resolve(symbol.detail["alias"], place, depth + 1)
            return real if real is None or real.symbol != target.value else None
        return Type(INSTANCE, target.value, args=args) if symbol.kind == "type" else None

    def own(self, place: Place) -> Type | None:
        """Return the class that `this` points to at a place."""
        around = self.names.around(place)
        key = next((key for key in around if self.names.symbol(key).kind == "type"), None)
        if key is None:
            return None
        names = self.names.symbol(key).detail.get("tparams", ())
        return Type(INSTANCE, key, args=tuple(Type(PARAMETER, key, name) for name in names))

    def opened(self, home: Type | None, *, arrow: bool) -> Type | None:
        """Return the type that `->` leads to: the element of a smart pointer, else the same."""
        if not arrow or home is None:
            return home
        if _is_native(home, "@pointers"):
            return home.args[0] if home.args else None
        operators = self.members(home, "operator->")
        return self._returned(operators[0], home) if operators else home

    def members(self, home: Type | None, name: str) -> list[Key]:
        """Return the members that a type of the project has under a name."""
        if home is None or home.sort != INSTANCE:
            return []
        return self.names.member(home.symbol, name)

    def _of_keys(self, keys: list[Key], home: Type | None) -> Type | None:
        """Return the type of a variable or field."""
        symbol = self.names.symbol(keys[0]) if keys else None
        if symbol is None or symbol.kind not in ("variable", "constant", "field"):
            return None
        if (value := symbol.detail.get("value")) is not None:
            return self.infer(keys[0][0], value)
        written = symbol.detail.get("type")
        return self._filled(self.resolve(written, self.names.outside(keys[0])), home)

    def _filled(self, kind: Type | None, home: Type | None) -> Type | None:
        """Put the arguments of a template in the place of its parameters."""
        if home is None or home.sort != INSTANCE:
            return kind
        names = self.names.symbol(home.symbol).detail.get("tparams", ())
        return _substituted(kind, _bound(names, home.args))

    def _returned(self, key: Key, home: Type | None) -> Type | None:
        """Return the type that a function gives."""
        written = self.names.symbol(key).detail.get("ret")
        return self._filled(self.resolve(written, self.names.inside(key)), home)

    def _local(self, path: str, depth: int, binding: int) -> Type | None:
        context, data, value = self.files[path].detail["bindings"][binding]
        if data:
            return self.resolve(data, self.place(path, context))
        return self.infer(path, value, depth)

    def _member(self, path: str, depth: int, row: int, name: str, arrow: bool) -> Type | None:
        home = self.opened(self.infer(path, row, depth), arrow=arrow)
        if home is not None and home.name == "std::pair" and name in _PAIR:
            return home.args[_PAIR.index(name)] if len(home.args) > 1 else None
        return self._of_keys(self.members(home, name), home)

    def _name(
        self, path: str, _depth: int, name: list[str], _args: Any, context: int
    ) -> Type | None:
        return self._of_keys(self.names.resolve(name, self.place(path, context)).keys(), None)

    def callee(self, path: str, row: int, count: int, depth: int = 0) -> CppCallee:
        """Return the functions that a callee may mean; of methods those that take the arguments."""
        function: list[Any] = self.files[path].detail["exprs"][row] if row != UNKNOWN else ["?"]
        op, *operands = function
        if op == "name":
            name, _, context = operands
            return CppCallee(self.names.resolve(name, self.place(path, context)), name[-1])
        if op != "member":
            return CppCallee()
        inner, method, arrow = operands
        home = self.opened(self.infer(path, inner, depth), arrow=arrow)
        keys = accepting(self.members(home, method), self.names, count)
        if not keys and home is not None and home.sort in OUTSIDE:
            return CppCallee(Found.outside(home.sort, f"{home.name}::{method}"), method, home)
        is_own = inner != UNKNOWN and self.files[path].detail["exprs"][inner][0] == "this"
        return CppCallee(Found(symbols(keys), "receiver" if is_own else "type"), method, home)

    def _called(self, path: str, depth: int, row: int, count: int) -> Type | None:
        """Return the type that a call gives: of the only function it can mean, or of all when they
        agree.
        """
        (targets, _), name, home = self.callee(path, row, count, depth)
        keys = [target.value for target in targets if target.kind == "sym"]
        function: list[Any] = self.files[path].detail["exprs"][row] if name else ["?"]
        if function[0] != "name":
            return self._agreed(keys, home) if keys else native_result(home, name)
        place = self.place(path, function[3])
        args = tuple(self.resolve(argument, place) for argument in function[2])
        if len(targets) == 1 and targets[0].kind == "native":
            return Type("native", name=_MAKERS[name], args=args) if name in _MAKERS else None
        if any(self.names.symbol(key).kind == "type" for key in keys):
            return self.of_target(targets[0], args) if len(keys) == 1 else None
        found = self._agreed(accepting(keys, self.names, count), self.own(place))
        functions = [key for key in keys if callable_(self.names, key)]
        names = self.names.symbol(functions[0]).detail.get("tparams", ()) if functions else ()
        return _substituted(found, _bound(names, args))

    def indexed(self, home: Type | None) -> Type | None:
        """Return the type of `home[i]`: the result of its operator, if its class has one."""
        operators = self.members(home, "operator[]")
        return self._agreed(operators, home) if operators else element(home, index=True)

    def iterated(self, home: Type | None) -> Type | None:
        """Return the type of the elements in a loop; `begin` gives a pointer or an iterator."""
        begin = self.members(home, "begin")
        if not begin:
            return element(home, index=False)
        iterator = self._agreed(begin, home)
        operators = self.members(iterator, "operator*")
        return self._agreed(operators, iterator) if operators else iterator

    def _agreed(self, keys: list[Key], home: Type | None) -> Type | None:
        results = {self._returned(key, home) for key in keys}
        return results.pop() if len(results) == 1 else None

    handlers: ClassVar = {
        "local": _local,
        "this": lambda types, path, _depth, context: types.own(types.place(path, context)),
        "as": lambda types, path, _depth, data, context: types.resolve(
            data, types.place(path, context)
        ),
        "index": lambda types, path, depth, row: types.indexed(types.infer(path, row, depth)),
        "elem": lambda types, path, depth, row: types.iterated(types.infer(path, row, depth)),
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
    if home is None or home.sort == INSTANCE:
        return home
    if _is_native(home, "@maps") and len(home.args) > 1:
        return home.args[1] if index else Type("native", name="std::pair", args=home.args)
    is_list = _is_native(home, "@lists") or (index and _is_native(home, "@pointers"))
    return home.args[0] if is_list and home.args else None


def native_result(home: Type | None, name: str) -> Type | None:
    """Return the type that a method of a standard container or smart pointer gives."""
    if home is None or not _is_native(home, "@pointers"):
        is_element = home is not None and home.sort == "native" and name in NAMES["@elements"]
        return element(home, index=True) if is_element else None
    if name in ("get", "value", "value_or") and home.args:
        return home.args[0]
    return Type("native", name="std::shared_ptr", args=home.args) if name == "lock" else None


def _is_native(kind: Type, group: str) -> bool:
    """Tell whether a type of the standard library is of a group."""
    return kind.sort == "native" and kind.name.rsplit("::", 1)[-1] in NAMES[group]


def _bound(names: Iterable[str], args: Iterable[Type | None]) -> dict[str, Type]:
    return {name: given for name, given in zip(names, args, strict=False) if given}


def _substituted(kind: Type | None, types: dict[str, Type]) -> Type | None:
    if kind is None or not types:
        return kind
    if kind.sort == PARAMETER:
        return types.get(kind.name, kind)
    return kind._replace(args=tuple(_substituted(part, types) for part in kind.args))
