"""Infer the types of Rust expressions: calls, fields, patterns, and what the standard library gives
back.
"""

from collections.abc import Sequence
from typing import Any

from ghostmem.outline.languages.rust_.std import (
    CELLS,
    HOLDERS,
    ITERATES,
    KEEPS,
    LISTS,
    LOCKS,
    MAPS,
    OPENS,
    SELECTS,
)
from ghostmem.outline.languages.rust_.types import (
    RustTypes,
    head_of,
    last_of,
    params_of,
    substitute,
)
from ghostmem.outline.languages.shared.inference import Target, Type, typed
from ghostmem.outline.languages.shared.postorder import UNKNOWN


class Infer(RustTypes):
    """What expressions of a project come to."""

    def infer_one(self, path: str, one: list[Any], depth: int) -> Type | None:
        """Return the type of one expression, asking `infer` for its parts."""
        match one[0]:
            case "local":
                return self.infer(path, self.files[path].detail["bindings"][one[1]][2], depth)
            case "self":
                return self.own(path, one[1])
            case "as":
                return self._annotated(path, one, depth)
            case "member" | "item":
                return self.field(self.infer(path, one[1], depth), str(one[2]))
            case "try" | "elem" | "index" | "await" as how:
                inner = self.infer(path, one[1], depth)
                return inner if how == "await" else self.element(inner, how)
            case "tuple":
                return ("tuple", tuple(self.infer(path, at, depth) for at in one[1]), ())
            case "array":
                return ("seq", (self.infer(path, one[1], depth),), ())
            case "first":
                found = (self.infer(path, at, depth) for at in one[1])
                return next((kind for kind in found if kind is not None), None)
            case "part":
                return self._part(path, one, depth)
            case "path":
                return self._value(path, one)
            case "call":
                return self._called(path, one, depth)
        return None

    def _annotated(self, path: str, one: list[Any], depth: int) -> Type | None:
        """Return an annotated type; the arguments it leaves out come from the value."""
        found = self.resolve(one[1], path, one[2])
        if found is None and len(one) > 3:
            return self.infer(path, one[3], depth)
        return found

    def element(self, kind: Type | None, how: str = "elem") -> Type | None:
        """Return what is inside an Option, a Result, a list or a smart pointer of one."""
        for _ in range(4):
            if kind is None:
                return None
            if kind[0] == "seq":
                return typed(kind[1][0])
            name = last_of(kind)
            if (
                kind[0] in ("native", "external")
                and kind[2]
                and name in HOLDERS | LISTS | {"Result"}
            ):
                return typed(kind[2][0])
            if kind[0] == "native" and name in MAPS and len(kind[2]) > 1:
                return typed(kind[2][1]) if how == "index" else ("tuple", kind[2], ())
            kind = self.inner(kind)
        return None

    def _part(self, path: str, one: list[Any], depth: int) -> Type | None:
        """Return the type of what a pattern takes out of a struct or variant."""
        _, source, segs, name, owner = one
        whole = self.infer(path, source, depth)
        if segs and segs[-1] in ("Some", "Ok"):
            return self.element(whole)
        if segs == ["Err"]:
            return (
                typed(whole[2][1])
                if whole is not None and whole[0] == "native" and len(whole[2]) > 1
                else None
            )
        if segs[:1] == ["Self"]:
            home = self.own(path, owner)
            held = (
                self.names.items.get((*home[1], "variant", segs[-1]), [])
                if home and home[0] == "sym" and len(segs) == 2
                else []
            )
            targets = tuple(Target("sym", key) for key in held)
            if len(segs) == 1 and home is not None:
                return self.field(home, name)
        else:
            targets = self.names.resolve(segs, path, owner, "value").targets
        if len(targets) != 1 or targets[0].kind != "sym":
            return None
        key = targets[0].value
        if not self.names.symbol(key).detail.get("variant"):
            return self.field(whole or self.of_target(targets[0]), name)
        fields = self.names.items.get((*key, "field", name), [])
        parent = (key[0], self.names.symbol(key).parent)
        part = (
            self.resolve(self.names.symbol(fields[0]).detail["type"], *parent)
            if len(fields) == 1
            else None
        )
        return substitute(
            part, params_of(self.names.symbol(parent).detail, parent, whole[2] if whole else ())
        )

    def _value(self, path: str, one: list[Any]) -> Type | None:
        """Return the type of a constant, a static, a unit struct or a variant."""
        targets, _, home = self.callee(path, one)
        if len(targets) != 1 or targets[0].kind != "sym":
            return None
        found = self.names.symbol(targets[0].value)
        if found.kind in ("constant", "variable"):
            return self.resolve(found.detail["type"], *targets[0].value)
        if found.detail.get("variant"):
            return home or ("sym", (targets[0].value[0], found.parent), ())
        return self.of_target(targets[0])

    def callee(self, path: str, one: list[Any]) -> tuple[list[Target], str, Type | None]:
        """Return what a path in value position names, the rung, and the type it was found on."""
        if one[0] == "qpath":
            return self._qualified(path, one)
        _, segs, args, owner = one
        if segs[0] == "Self":
            home = self.own(path, owner)
            if len(segs) == 1:
                return (
                    ([Target("sym", home[1])] if home and home[0] == "sym" else []),
                    "receiver",
                    home,
                )
            return self.associated(home, segs[1:], (path, owner), "receiver")
        found = self.names.resolve(segs, path, owner, "value")
        if len(found.targets) == 1 and found.targets[0].kind == "left":
            front, rest = found.targets[0].value
            home = (
                self.of_target(front[0], tuple(self.resolve(arg, path, owner) for arg in args))
                if len(front) == 1
                else None
            )
            return self.associated(home, rest, (path, owner), "type")
        return list(found.targets), found.via if len(found.targets) < 2 else "conditional", None

    def associated(
        self, home: Type | None, rest: Sequence[str], where: tuple[str, int], via: str
    ) -> tuple[list[Target], str, Type | None]:
        """Return what a type has under a name: a variant or a function."""
        if home is None or len(rest) != 1:
            return [], "", home
        if home[0] == "sym" and (held := self.names.items.get((*home[1], "variant", rest[0]), [])):
            return [Target("sym", key) for key in held], via, home
        keys, how, found = self.find(home, rest[0], where)
        if not keys and (made := self.derived(home, rest[0])) is not None:
            return [made], "native", home
        if not keys and home[0] in ("native", "external"):
            return [Target(home[0], f"{home[1]}::{rest[0]}")], home[0], home
        return [Target("sym", key) for key in keys], via if how == "type" else how, found

    def _qualified(self, path: str, one: list[Any]) -> tuple[list[Target], str, Type | None]:
        """Resolve `<T as Trait>::name`: to the impl when the type is known, else to the trait."""
        _, kind, trait, name, owner = one
        home = self.resolve(kind, path, owner)
        if trait is None:
            return self.associated(home, [name], (path, owner), "type")
        found = self.names.resolve(trait[1], path, owner, "type").targets
        if len(found) != 1 or found[0].kind != "sym":
            out = [
                Target(one.kind, f"{one.value}::{name}")
                for one in found
                if one.kind in ("native", "external")
            ]
            return out, out[0].kind if out else "", home
        held = (
            [
                one.key
                for one in self.methods.get((head_of(home), name), [])
                if one.trait == found[0]
            ]
            if home
            else []
        )
        if held:
            return (
                [Target("sym", key) for key in held],
                "type" if len(held) == 1 else "conditional",
                home,
            )
        keys = self.trait_method([found[0].value], name)
        return [Target("sym", key) for key in keys], "interface", home

    def _called(self, path: str, one: list[Any], depth: int) -> Type | None:
        """Return what a call gives back."""
        function: list[Any] = (
            self.files[path].detail["exprs"][one[1]] if one[1] != UNKNOWN else ["?"]
        )
        if function[0] == "member":
            kind = self.infer(path, function[1], depth)
            keys, _, found = self.find(kind, function[2])
            if keys:
                results = {self.result(key, found) for key in keys}
                return results.pop() if len(results) == 1 else None
            return self.native_result(kind, function[2])
        if function[0] not in ("path", "qpath"):
            return None
        if function[0] == "path" and function[1] in (["Some"], ["Ok"]):
            return None
        targets, _, home = self.callee(path, function)
        if len(targets) != 1:
            return None
        if targets[0].kind == "native":
            return self._native_call(targets[0].value, home)
        return (
            self._project_call(path, targets[0], home, one[2], function)
            if targets[0].kind == "sym"
            else None
        )

    def _project_call(
        self, path: str, target: Target, home: Type | None, given: list[Any], function: list[Any]
    ) -> Type | None:
        one = self.names.symbol(target.value)
        if one.detail.get("variant"):
            return home or ("sym", (target.value[0], one.parent), ())
        if one.kind == "type":
            return self.of_target(target)
        names = list(one.detail.get("generics") or {})
        args = [self.resolve(arg, path, function[-1]) for arg in given]
        found = {(name, *target.value): arg for name, arg in zip(names, args, strict=False) if arg}
        return self.result(target.value, home, found)

    def _native_call(self, name: str, home: Type | None) -> Type | None:
        """Return what a constructor of the standard library makes."""
        last = name.rsplit("::", 1)[-1]
        if last in ("new", "default", "from", "with_capacity", "from_str") and home is not None:
            return home
        return home if last == "clone" else None

    def native_result(self, kind: Type | None, name: str) -> Type | None:
        """Return what a method of the standard library gives back, where that is an element or the
        same.
        """
        for _ in range(4):
            if kind is None:
                return None
            last = last_of(kind)
            if name == "clone":
                return kind
            if last in CELLS and kind[2]:
                held = typed(kind[2][-1])
                locked = name in LOCKS
                return (
                    ("native", "std::result::Result", (held,))
                    if locked
                    else held
                    if name in ("borrow", "borrow_mut", "get")
                    else None
                )
            if last in HOLDERS:
                if name in OPENS:
                    return self.element(kind)
                if name in ("ok", "err", "ok_or", "ok_or_else"):
                    return (
                        "native",
                        "std::result::Result" if name.startswith("ok_") else "std::option::Option",
                        kind[2][:1],
                    )
            if name in SELECTS and (last in LISTS | MAPS or kind[0] == "seq"):
                inner = self.element(kind, "index")
                return ("native", "std::option::Option", (inner,)) if inner else None
            if (
                last in MAPS
                and name in ("values", "values_mut", "into_values")
                and len(kind[2]) > 1
            ):
                return ("native", "std::vec::Vec", kind[2][1:2])
            if name in ITERATES and (last in LISTS or kind[0] == "seq"):
                return ("native", "std::slice::Iter", (self.element(kind),))
            if name in KEEPS and (
                kind[0] == "seq"
                or last in HOLDERS | LISTS | MAPS
                or kind[0] in ("sym", "gen", "dyn")
            ):
                return kind
            kind = self.inner(kind)
        return None
