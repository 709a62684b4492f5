"""Infer the types of Rust expressions: calls, fields, patterns, and the standard library."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from ghostmem.outline.languages.rust_.imports import KNOWN
from ghostmem.outline.languages.rust_.members import RustMembers, rung
from ghostmem.outline.languages.rust_.types import head_of, last_of
from ghostmem.outline.languages.shared.inference import OUTSIDE, Target, Type, symbols, typed
from ghostmem.outline.languages.shared.postorder import UNKNOWN

MAX_POINTERS = 4  # around each other
_OPTION, _RESULT = "std::option::Option", "std::result::Result"
_CONSTRUCTORS = ("new", "default", "from", "with_capacity", "from_str", "clone")


class RustCallee(NamedTuple):
    """The targets of a path, the rung that found them, and the type that has them."""

    targets: Sequence[Target] = ()
    via: str = ""
    home: Type | None = None


class RustInference(RustMembers):
    """Infer the types of expressions."""

    def _annotated(
        self, path: str, depth: int, data: Any, owner: int, value: int = UNKNOWN
    ) -> Type | None:
        """Return an annotated type; the arguments it leaves out come from the value."""
        return self.resolve(data, path, owner) or self.infer(path, value, depth)

    def _element_of(self, path: str, depth: int, row: int) -> Type | None:
        return self.element(self.infer(path, row, depth))

    def _field_of(self, path: str, depth: int, row: int, name: object) -> Type | None:
        return self.field(self.infer(path, row, depth), str(name))

    def _part(
        self, path: str, depth: int, source: int, segs: list[str], name: str, owner: int
    ) -> Type | None:
        """Return the type of a part that a pattern takes out of a struct or variant."""
        whole = self.infer(path, source, depth)
        if segs and segs[-1] in ("Some", "Ok"):
            return self.element(whole)
        if segs == ["Err"]:
            is_result = whole is not None and whole[0] == "native" and len(whole[2]) > 1
            return typed(whole[2][1]) if whole is not None and is_result else None
        if segs == ["Self"] and (home := self.own(path, owner)) is not None:
            return self.field(home, name)
        targets = self._pattern_targets(segs, path, owner)
        if len(targets) != 1 or targets[0].kind != "sym":
            return None
        key = targets[0].value
        if not self.names.symbol(key).detail.get("variant"):
            return self.field(whole or self.of_target(targets[0]), name)
        fields = self.names.items.get((*key, "field", name), [])
        if len(fields) != 1:
            return None
        enum = (key[0], self.names.symbol(key).parent)
        return self.field_type(fields[0], enum, whole[2] if whole else ())

    def _pattern_targets(self, segs: list[str], path: str, owner: int) -> Sequence[Target]:
        if segs[:1] != ["Self"]:
            return self.names.resolve(segs, path, owner, "value").targets
        home = self.own(path, owner)
        is_variant = home is not None and home[0] == "sym" and len(segs) == 2
        return symbols(self._variants(home, segs[1])) if is_variant else ()

    def _variants(self, home: Type | None, name: str) -> list[Any]:
        if home is None or home[0] != "sym":
            return []
        return self.names.items.get((*home[1], "variant", name), [])

    def _value(self, path: str, _depth: int, *operands: Any) -> Type | None:
        """Return the type of a constant, a static, a unit struct or a variant."""
        targets, _, home = self.callee(path, ["path", *operands])
        if len(targets) != 1 or targets[0].kind != "sym":
            return None
        symbol = self.names.symbol(targets[0].value)
        if symbol.kind in ("constant", "variable"):
            return self.resolve(symbol.detail["type"], *targets[0].value)
        if symbol.detail.get("variant"):
            return home or ("sym", (targets[0].value[0], symbol.parent), ())
        return self.of_target(targets[0])

    def callee(self, path: str, expression: list[Any]) -> RustCallee:
        """Return the targets of a path in value position."""
        if expression[0] == "qpath":
            return self._qualified(path, *expression[1:])
        _, segs, args, owner = expression
        if segs[0] == "Self":
            home = self.own(path, owner)
            if len(segs) > 1:
                return self._associated(home, segs[1:], (path, owner), "receiver")
            is_symbol = home is not None and home[0] == "sym"
            return RustCallee(symbols([home[1]] if home and is_symbol else []), "receiver", home)
        found = self.names.resolve(segs, path, owner, "value")
        if len(found.targets) == 1 and found.targets[0].kind == "left":
            front, rest = found.targets[0].value
            given = tuple(self.resolve(arg, path, owner) for arg in args)
            home = self.of_target(front[0], given) if len(front) == 1 else None
            return self._associated(home, rest, (path, owner), "type")
        return RustCallee(found.targets, found.via if len(found.targets) < 2 else "conditional")

    def _associated(
        self, home: Type | None, rest: Sequence[str], where: tuple[str, int], via: str
    ) -> RustCallee:
        """Return the variant or function that a type has under a name."""
        if home is None or len(rest) != 1:
            return RustCallee(home=home)
        name = rest[0]
        if variants := self._variants(home, name):
            return RustCallee(symbols(variants), via, home)
        keys, found_via, owner = self.find(home, name, where)
        if not keys and (derived := self.derived(home, name)) is not None:
            return RustCallee([derived], "native", home)
        if not keys and home[0] in OUTSIDE:
            return RustCallee([Target(home[0], f"{home[1]}::{name}")], home[0], home)
        return RustCallee(symbols(keys), via if found_via == "type" else found_via, owner)

    def _qualified(self, path: str, kind: Any, trait: Any, name: str, owner: int) -> RustCallee:
        """Resolve `<T as Trait>::name`: to the impl when the type is known, else to the trait."""
        home = self.resolve(kind, path, owner)
        if trait is None:
            return self._associated(home, [name], (path, owner), "type")
        traits = self.names.resolve(trait[1], path, owner, "type").targets
        if len(traits) != 1 or traits[0].kind != "sym":
            outside = [
                Target(one.kind, f"{one.value}::{name}") for one in traits if one.kind in OUTSIDE
            ]
            return RustCallee(outside, outside[0].kind if outside else "", home)
        methods = self.methods.get((head_of(home), name), []) if home else []
        keys = [method.key for method in methods if method.trait == traits[0]]
        if keys:
            return RustCallee(symbols(keys), rung(keys, "type"), home)
        keys = self.trait_functions([traits[0].value], name)
        return RustCallee(symbols(keys), "interface", home)

    def _called(self, path: str, depth: int, row: int, given: list[Any]) -> Type | None:
        """Return the type that a call gives."""
        function: list[Any] = self.files[path].detail["exprs"][row] if row != UNKNOWN else ["?"]
        if function[0] == "member":
            kind = self.infer(path, function[1], depth)
            keys, _, owner = self.find(kind, function[2])
            if not keys:
                return self.method_result(kind, function[2])
            results = {self.result(key, owner) for key in keys}
            return results.pop() if len(results) == 1 else None
        if function[0] not in ("path", "qpath") or function[1] in (["Some"], ["Ok"]):
            return None
        targets, _, home = self.callee(path, function)
        if len(targets) != 1:
            return None
        if targets[0].kind == "native":
            return home if targets[0].value.rsplit("::", 1)[-1] in _CONSTRUCTORS else None
        if targets[0].kind != "sym":
            return None
        args = [self.resolve(arg, path, function[-1]) for arg in given]
        return self._project_call(targets[0], home, args)

    def _project_call(
        self, target: Target, home: Type | None, args: list[Type | None]
    ) -> Type | None:
        symbol = self.names.symbol(target.value)
        if symbol.detail.get("variant"):
            return home or ("sym", (target.value[0], symbol.parent), ())
        if symbol.kind == "type":
            return self.of_target(target)
        names = list(symbol.detail.get("generics") or {})
        given = {(name, *target.value): arg for name, arg in zip(names, args, strict=False) if arg}
        return self.result(target.value, home, given)

    def element(self, kind: Type | None, how: str = "elem") -> Type | None:
        """Return the type inside an Option, a Result, a list or a smart pointer of one."""
        for _ in range(MAX_POINTERS):
            if kind is None:
                return None
            if kind[0] == "seq":
                return typed(kind[1][0])
            name = last_of(kind)
            if kind[0] in OUTSIDE and kind[2] and name in KNOWN["holders"] | KNOWN["lists"]:
                return typed(kind[2][0])
            if kind[0] == "native" and name in KNOWN["maps"] and len(kind[2]) > 1:
                return typed(kind[2][1]) if how == "index" else ("tuple", kind[2], ())
            kind = self.inner(kind)
        return None

    def method_result(self, kind: Type | None, name: str) -> Type | None:
        """Return the type that a method of the standard library gives."""
        for _ in range(MAX_POINTERS):
            if kind is None or name == "clone":
                return kind
            for found in self._results(kind, name):
                return found
            kind = self.inner(kind)
        return None

    def _results(self, kind: Type, name: str) -> list[Type | None]:
        """Return the type that a method of a type gives, no item if the type has no such method."""
        last, args = last_of(kind), kind[2]
        is_list = kind[0] == "seq" or last in KNOWN["lists"]
        if last in KNOWN["cells"] and args:
            return [_cell_result(args[-1], name)]
        if last in KNOWN["holders"] and name in KNOWN["opens"]:
            return [self.element(kind)]
        if last in KNOWN["holders"] and name in ("ok", "err", "ok_or", "ok_or_else"):
            return [("native", _RESULT if name.startswith("ok_") else _OPTION, args[:1])]
        if name in KNOWN["selects"] and (is_list or last in KNOWN["maps"]):
            inner = self.element(kind, "index")
            return [("native", _OPTION, (inner,)) if inner else None]
        if last in KNOWN["maps"] and name in ("values", "values_mut", "into_values") and args[1:]:
            return [("native", "std::vec::Vec", args[1:2])]
        if name in KNOWN["iterates"] and is_list:
            return [("native", "std::slice::Iter", (self.element(kind),))]
        is_holder = is_list or last in KNOWN["holders"] | KNOWN["maps"]
        is_kept = is_holder or kind[0] in ("sym", "gen", "dyn")
        return [kind] if name in KNOWN["keeps"] and is_kept else []

    handlers: ClassVar = {
        "local": lambda types, path, depth, binding: types.infer(
            path, types.files[path].detail["bindings"][binding][2], depth
        ),
        "self": lambda types, path, _depth, owner: types.own(path, owner),
        "as": _annotated,
        "member": _field_of,
        "item": _field_of,
        "await": lambda types, path, depth, row: types.infer(path, row, depth),
        "try": _element_of,
        "elem": _element_of,
        "index": lambda types, path, depth, row: types.element(
            types.infer(path, row, depth), "index"
        ),
        "tuple": lambda types, path, depth, rows: (
            "tuple",
            tuple(types.infer(path, row, depth) for row in rows),
            (),
        ),
        "array": lambda types, path, depth, row: ("seq", (types.infer(path, row, depth),), ()),
        "first": RustMembers.first,
        "part": _part,
        "path": _value,
        "call": _called,
    }


def _cell_result(content: Type | None, name: str) -> Type | None:
    if name in KNOWN["locks"]:
        return ("native", _RESULT, (content,))
    return content if name in ("borrow", "borrow_mut", "get") else None
