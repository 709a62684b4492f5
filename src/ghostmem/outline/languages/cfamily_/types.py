"""Infer the types of C and C++ expressions: from declarations, fields, return types, smart pointers
and containers.

A type is ("sym", key, args), ("native" or "external", name, args), or ("gen", (name, path, owner),
())."""

from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.languages.cfamily_.headers import ELEMENTS, LISTS, MAPS, POINTERS
from ghostmem.outline.languages.cfamily_.lookup import Key, Place
from ghostmem.outline.languages.cfamily_.names import CppNames
from ghostmem.outline.languages.shared.inference import Inference, Target, Type, typed
from ghostmem.outline.languages.shared.postorder import UNKNOWN


class CppTypes(Inference):
    """What is known about the types of a project."""

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
        if not data or data[0] != "T" or depth > 12:
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
        if target.kind in ("native", "external"):
            return (target.kind, target.value, args)
        if target.kind != "sym" or depth > 12:
            return None
        one = self.names.symbol(target.value)
        if "alias" in one.detail:
            place = (target.value[0], one.parent, one.detail["ns"])
            if one.detail["alias"] and one.detail["alias"][0] == "T":
                real = self.resolve(one.detail["alias"], place, depth + 1)
                return real if real is None or real[:2] != ("sym", target.value) else None
            return None
        return ("sym", target.value, args) if one.kind == "type" else None

    def own(self, place: Place) -> Type | None:
        """Return the class that `this` points to at a place."""
        key: Key | None = (place[0], place[1]) if place[1] != FILE else None
        while key is not None:
            one = self.names.symbol(key)
            if one.kind == "type":
                return (
                    "sym",
                    key,
                    tuple(("gen", (name, *key), ()) for name in one.detail.get("tparams", ())),
                )
            key = self.names.home(key)
        return None

    def infer_one(self, path: str, one: list[Any], depth: int) -> Type | None:
        """Return the type of one expression, asking `infer` for its parts."""
        match one[0]:
            case "local":
                context, data, value = self.files[path].detail["bindings"][one[1]]
                place = self.place(path, context)
                return self.resolve(data, place) if data else self.infer(path, value, depth)
            case "this":
                return self.own(self.place(path, one[1]))
            case "as":
                return self.resolve(one[1], self.place(path, one[2]))
            case "index" | "elem" as how:
                return element(self.infer(path, one[1], depth), index=how == "index")
            case "first":
                found = (self.infer(path, at, depth) for at in one[1])
                return next((kind for kind in found if kind is not None), None)
            case "member":
                home = self.opened(self.infer(path, one[1], depth), arrow=one[3])
                pair = home is not None and home[:2] == ("native", "std::pair")
                if home is not None and pair and one[2] in ("first", "second"):
                    return typed(home[2][one[2] == "second"]) if len(home[2]) > 1 else None
                return self._of_keys(self.members(home, one[2]), home)
            case "name":
                named = self.names.resolve(one[1], self.place(path, one[3])).targets
                keys = [target.value for target in named if target.kind == "sym"]
                return self._of_keys(keys, None)
            case "call":
                return self._called(path, one, depth)
        return None

    def opened(self, home: Type | None, *, arrow: bool) -> Type | None:
        """Return what `->` leads to: the element of a smart pointer, else the same."""
        if arrow and home is not None and home[0] == "native" and _last(home) in POINTERS:
            return typed(home[2][0]) if home[2] else None
        if (
            arrow
            and home is not None
            and home[0] == "sym"
            and (held := self.names.member(home[1], "operator->"))
        ):
            return self.returned(held[0], home)
        return home

    def members(self, home: Type | None, name: str) -> list[Key]:
        """Return what a type of the project has under a name."""
        return self.names.member(home[1], name) if home is not None and home[0] == "sym" else []

    def _of_keys(self, keys: list[Key], home: Type | None) -> Type | None:
        """Return the type of a variable or field."""
        for key in keys[:1]:
            one = self.names.symbol(key)
            if one.kind in ("variable", "constant", "field"):
                if (value := one.detail.get("value")) is not None:
                    return self.infer(key[0], value)
                around = (key[0], one.parent, one.detail["ns"])
                return self.filled(self.resolve(one.detail.get("type"), around), home)
        return None

    def filled(self, kind: Type | None, home: Type | None) -> Type | None:
        """Put the arguments of a template in the place of its parameters."""
        if kind is None or home is None or home[0] != "sym":
            return kind
        names = self.names.symbol(home[1]).detail.get("tparams", ())
        return _substitute(
            kind, {name: given for name, given in zip(names, home[2], strict=False) if given}
        )

    def returned(self, key: Key, home: Type | None) -> Type | None:
        """Return what a function gives back."""
        one = self.names.symbol(key)
        place = self.at(key)
        return self.filled(self.resolve(one.detail.get("ret"), place), home)

    def _called(self, path: str, one: list[Any], depth: int) -> Type | None:
        """Return what a call gives back: of the only function it can mean, or of all when they
        agree.
        """
        if one[1] == UNKNOWN:
            return None
        function = self.files[path].detail["exprs"][one[1]]
        if function[0] == "member":
            home = self.opened(self.infer(path, function[1], depth), arrow=function[3])
            held = accepting(
                [key for key in self.members(home, function[2]) if callable_(self.names, key)],
                self.names,
                one[2],
            )
            return self._agreed(held, home) if held else native_result(home, function[2])
        if function[0] != "name":
            return None
        place = self.place(path, function[3])
        found = self.names.resolve(function[1], place).targets
        if len(found) == 1 and found[0].kind == "native":
            return self._native_call(function, place)
        types = [
            target
            for target in found
            if target.kind == "sym" and self.names.symbol(target.value).kind == "type"
        ]
        if types:
            args = tuple(self.resolve(arg, place) for arg in function[2])
            return self.of_target(types[0], args) if len(types) == 1 else None
        keys = [
            target.value
            for target in found
            if target.kind == "sym" and callable_(self.names, target.value)
        ]
        result = self._agreed(accepting(keys, self.names, one[2]), self.own(place))
        return self._templated(keys, result, function[2], place)

    def _templated(
        self, keys: list[Key], result: Type | None, given: list[Any], place: Place
    ) -> Type | None:
        if not given or not keys:
            return result
        names = self.names.symbol(keys[0]).detail.get("tparams", ())
        mapping = {
            name: kind
            for name, one in zip(names, given, strict=False)
            if (kind := self.resolve(one, place))
        }
        return _substitute(result, mapping) if result is not None else None

    def _agreed(self, keys: list[Key], home: Type | None) -> Type | None:
        results = dict.fromkeys(self.returned(key, home) for key in keys)
        return next(iter(results)) if len(results) == 1 else None

    def _native_call(self, function: list[Any], place: Place) -> Type | None:
        args = tuple(self.resolve(arg, place) for arg in function[2])
        name = function[1][-1]
        if name in ("make_unique", "make_shared", "make_optional"):
            return (
                "native",
                f"std::{name[5:]}_ptr" if name != "make_optional" else "std::optional",
                args,
            )
        return None


def callable_(names: CppNames, key: Key) -> bool:
    """Tell whether a symbol is a function or method."""
    return names.symbol(key).kind in ("function", "method")


def accepting(keys: list[Key], names: CppNames, count: int) -> list[Key]:
    """Return the functions that take a number of arguments.

    C has no overloads, so there the number does not matter.
    """
    if not names.cpp:
        return keys
    keys = [key for key in keys if not names.symbol(key).detail.get("deleted")]
    return [
        key
        for key in keys
        if any(
            _takes(names.symbol(one).detail["params"], count) for one in (key, *names.settled(key))
        )
    ]


def _takes(params: list[int], count: int) -> bool:
    return params[0] <= count and (params[1] < 0 or count <= params[1])


def element(home: Type | None, *, index: bool) -> Type | None:
    """Return what a container holds; a pointer or an array is its element already."""
    if home is None or home[0] != "native":
        return home if home is not None and home[0] == "sym" else None
    name = _last(home)
    if name in MAPS and len(home[2]) > 1:
        return typed(home[2][1]) if index else ("native", "std::pair", home[2])
    if name in LISTS or (index and name in POINTERS):
        return typed(home[2][0]) if home[2] else None
    return None


def native_result(home: Type | None, name: str) -> Type | None:
    """Return what a method of a standard container or smart pointer gives back."""
    if home is None or home[0] != "native":
        return None
    if _last(home) in POINTERS:
        if name in ("get", "value", "value_or") and home[2]:
            return typed(home[2][0])
        return ("native", "std::shared_ptr", home[2]) if name == "lock" else None
    return element(home, index=True) if name in ELEMENTS else None


def _substitute(kind: Any, mapping: dict[str, Any]) -> Type | None:
    if kind is None or not mapping:
        return typed(kind)
    if kind[0] == "gen":
        return typed(mapping.get(kind[1][0], kind))
    return (kind[0], kind[1], tuple(_substitute(one, mapping) for one in kind[2]))


def _last(kind: Type) -> str:
    return str(kind[1]).rsplit("::", 1)[-1]
