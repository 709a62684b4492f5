"""Infer the types of Rust expressions: calls, fields, patterns, and the standard library."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from ghostmem.outline.languages.rust_.imports import KNOWN
from ghostmem.outline.languages.rust_.members import (
    ABSTRACT,
    RustCallee,
    RustMembers,
    callee_of,
    has_itself,
)
from ghostmem.outline.languages.rust_.syntax import TUPLE
from ghostmem.outline.languages.rust_.types import head_of, last_of, params_of
from ghostmem.outline.languages.shared.inference import OUTSIDE, Target, symbols
from ghostmem.outline.languages.shared.postorder import UNKNOWN
from ghostmem.outline.resolve.types import ARRAY, INSTANCE, Type

_OPTION, _RESULT = "std::option::Option", "std::result::Result"
FROM_LIBRARY = (*OUTSIDE, ARRAY)  # sorts of types whose functions are not the project's
# groups of types: those of the standard library by their names, others by their sorts
GROUPS = {
    name: group
    for group in ("cells", "once_cells", "holders", "lists", "maps")
    for name in KNOWN[group]
}
SORTS = {ARRAY: "lists", INSTANCE: "own", **dict.fromkeys(ABSTRACT, "own")}
_CONSTRUCTORS = ("new", "default", "from", "with_capacity", "from_str", "clone")


class RustInference(RustMembers):
    """Infer the types of expressions."""

    def _part(
        self, path: str, depth: int, source: int, segments: list[str], name: str, owner: int
    ) -> Type | None:
        """Return the type of a part that a pattern takes out of a struct or variant."""
        whole = self.infer(path, source, depth)
        if segments and (len(segments) == 1 or segments[-2] in KNOWN["holders"]):
            if segments[-1] in ("Some", "Ok"):
                return self.element(whole)
            if segments[-1] == "Err":
                return _error(whole) if whole is not None else None
        callee = self.callee(path, ["path", segments, [], owner]) if segments else RustCallee()
        if len(callee.targets) != 1 or callee.targets[0].kind != "sym":
            return None
        key = callee.targets[0].value
        symbol = self.names.symbol(key)
        if not symbol.detail.get("variant"):
            return self.field(whole or callee.home or self.of_target(callee.targets[0]), name)
        fields = self.names.items.get((*key, "field", name), [])
        if len(fields) != 1:
            return None
        return self.field_type(fields[0], (key[0], symbol.parent), whole.args if whole else ())

    def _value(self, path: str, _depth: int, *operands: Any) -> Type | None:
        """Return the type of a constant, a static, a unit struct or a variant."""
        return self._of_symbol(self.callee(path, ["path", *operands]))

    def _of_symbol(
        self, callee: RustCallee, args: tuple[Type | None, ...] = (), *, called: bool = False
    ) -> Type | None:
        """Return the type of the one symbol that a path means, or that calling it gives."""
        if len(callee.targets) != 1 or callee.targets[0].kind != "sym":
            return None
        key = callee.targets[0].value
        symbol = self.names.symbol(key)
        if symbol.detail.get("variant"):
            return callee.home or Type(INSTANCE, (key[0], symbol.parent))
        if symbol.kind == "type":
            return self.of_target(callee.targets[0])
        if called:
            return self.result(key, callee.home, params_of(symbol.detail, key, args))
        is_value = symbol.kind in ("constant", "variable")
        return self.resolve(symbol.detail["type"], *key) if is_value else None

    def callee(
        self,
        path: str,
        function: list[Any],
        where: tuple[str, int] | None = None,
        depth: int = 0,
    ) -> RustCallee:
        """Return the targets of a path in value position, or of a method at a place."""
        if function[0] == "member":
            return self._method(path, function, where, depth)
        if function[0] == "qpath":
            return self._qualified(path, *function[1:])
        _, segments, args, owner = function
        if segments[0] == "Self":
            home = self.own(path, owner)
            if len(segments) > 1:
                return self._associated(home, segments[1:], (path, owner), "receiver")
            keys = [home.symbol] if home is not None and home.sort == INSTANCE else []
            return RustCallee(symbols(keys), "receiver", home)
        found = self.names.resolve(segments, path, owner, "value")
        if len(found.targets) == 1 and found.targets[0].kind == "left":
            front, rest = found.targets[0].value
            given = tuple(self.resolve(arg, path, owner) for arg in args)
            home = self.of_target(front[0], given) if len(front) == 1 else None
            return self._associated(home, rest, (path, owner), "type")
        if len(found.targets) == 1 and found.targets[0].kind in OUTSIDE:
            own = self._on_outside_type(found.targets[0], (path, owner))
            if own.targets:
                return own
        return RustCallee(found.targets, found.via if len(found.targets) < 2 else "conditional")

    def _on_outside_type(self, target: Target, where: tuple[str, int]) -> RustCallee:
        """Return the function of the project that a path such as `io::Error::new` means, by its
        impl blocks for types from outside.
        """
        home, _, name = target.value.rpartition("::")
        return self.find(Type(target.kind, name=home), name, where) if home else RustCallee()

    def _method(
        self, path: str, function: list[Any], where: tuple[str, int] | None, depth: int
    ) -> RustCallee:
        """Resolve `receiver.name` by the type of the receiver."""
        _, receiver, name = function
        kind = self.infer(path, receiver, depth)
        callee = self.find(kind, name, where)
        if callee.targets:
            is_self = receiver >= 0 and self.files[path].detail["exprs"][receiver][0] == "self"
            return callee._replace(via="receiver") if is_self and callee.via == "type" else callee
        if kind is None or kind.sort not in OUTSIDE or (inner := self.inner(kind)) is None:
            return self._elsewhere(kind, name)
        if inner.sort == INSTANCE:
            return RustCallee()
        is_inner = inner.sort in FROM_LIBRARY and not has_itself(kind, name)
        return self._elsewhere(inner if is_inner else kind, name)

    def _elsewhere(self, kind: Type | None, name: str) -> RustCallee:
        """Return the function that a type derives, or that a type from outside has."""
        if (derived := self.derived(kind, name)) is not None:
            return RustCallee([derived], "native", kind)
        if kind is None or kind.sort not in FROM_LIBRARY:
            return RustCallee()
        if kind.sort == ARRAY:
            return RustCallee([Target("native", f"slice::{name}")], "native", kind)
        return RustCallee([Target(kind.sort, f"{kind.name}::{name}")], kind.sort, kind)

    def _associated(
        self, home: Type | None, rest: Sequence[str], where: tuple[str, int], via: str
    ) -> RustCallee:
        """Return the variant or function that a type has under a name."""
        if home is None or len(rest) != 1:
            return RustCallee(home=home)
        name = rest[0]
        if variants := self.names.variants(home.symbol, name):
            return RustCallee(variants, via, home)
        callee = self.find(home, name, where)
        if callee.targets:
            return callee._replace(via=via) if callee.via == "type" else callee
        return self._elsewhere(home, name)

    def _qualified(self, path: str, kind: Any, trait: Any, name: str, owner: int) -> RustCallee:
        """Resolve `<T as Trait>::name`: to the impl when the type is known, else to the trait."""
        home = self.resolve(kind, path, owner)
        if trait is None:
            return self._associated(home, [name], (path, owner), "type")
        traits = self.names.resolve(trait[1], path, owner, "type").targets
        if len(traits) != 1 or traits[0].kind != "sym":
            outside = [
                Target(found.kind, f"{found.value}::{name}")
                for found in traits
                if found.kind in OUTSIDE
            ]
            return RustCallee(outside, outside[0].kind if outside else "", home)
        methods = self.methods.get((head_of(home), name), []) if home else []
        keys = [method.key for method in methods if method.trait == traits[0]]
        if keys:
            return callee_of(keys, "type", home)
        keys = self.trait_functions([traits[0].value], name)
        return RustCallee(symbols(keys), "interface", home)

    def _called(self, path: str, depth: int, row: int, given: list[Any]) -> Type | None:
        """Return the type that a call gives."""
        function: list[Any] = self.files[path].detail["exprs"][row] if row != UNKNOWN else ["?"]
        if function[0] not in ("path", "qpath", "member") or function[1] in (["Some"], ["Ok"]):
            return None
        callee = self.callee(path, function, depth=depth)
        if function[0] == "member":
            keys = [target.value for target in callee.targets if target.kind == "sym"]
            results = {self.result(key, callee.home) for key in keys}
            if not results:
                return self.method_result(self.infer(path, function[1], depth), function[2])
            return results.pop() if len(results) == 1 else None
        if len(callee.targets) == 1 and callee.targets[0].kind == "native":
            is_made = callee.targets[0].value.rsplit("::", 1)[-1] in _CONSTRUCTORS
            return callee.home if is_made else None
        args = tuple(self.resolve(arg, path, function[-1]) for arg in given)
        return self._of_symbol(callee, args, called=True)

    def element(self, holder: Type | None, how: str = "elem") -> Type | None:
        """Return the type inside an Option, a Result, a list or a smart pointer of one."""
        for kind in self.opened(holder):
            name, is_outside = last_of(kind), kind.sort in OUTSIDE
            is_list = is_outside and name in KNOWN["holders"] | KNOWN["lists"]
            if kind.args and (kind.sort == ARRAY or is_list):
                return kind.args[0]
            if kind.sort == "native" and name in KNOWN["maps"] and len(kind.args) > 1:
                return kind.args[1] if how == "index" else Type(TUPLE, args=kind.args)
        return None

    def sliced(self, whole: Type | None) -> Type | None:
        """Return the type of a range of a list or a text."""
        inner = self.element(whole)
        return Type(ARRAY, args=(inner,)) if inner is not None else whole

    def method_result(self, receiver: Type | None, name: str) -> Type | None:
        """Return the type that a method of the standard library gives."""
        if name == "clone":
            return receiver
        found = (result for kind in self.opened(receiver) for result in self._results(kind, name))
        return next(found, None)

    def _results(self, kind: Type, name: str) -> Iterator[Type | None]:
        """Yield the type that a method of a type gives, nothing if the type has no such method."""
        group = SORTS.get(kind.sort) or GROUPS.get(last_of(kind), "")
        for (receiver, methods), result in RESULTS.items():
            if receiver == group and name in KNOWN[methods]:
                yield result(self, kind)

    handlers: ClassVar = {
        "local": lambda types, path, depth, binding: types.infer(
            path, types.files[path].detail["bindings"][binding][2], depth
        ),
        "self": lambda types, path, _depth, owner: types.own(path, owner),
        # the arguments that an annotated type leaves out come from the value
        "as": lambda types, path, depth, data, owner, value=UNKNOWN: (
            types.resolve(data, path, owner) or types.infer(path, value, depth)
        ),
        **dict.fromkeys(
            ("member", "item"),
            lambda types, path, depth, row, name: types.field(
                types.infer(path, row, depth), str(name)
            ),
        ),
        "await": lambda types, path, depth, row: types.infer(path, row, depth),
        **dict.fromkeys(
            ("try", "elem"),
            lambda types, path, depth, row: types.element(types.infer(path, row, depth)),
        ),
        "index": lambda types, path, depth, row: types.element(
            types.infer(path, row, depth), "index"
        ),
        "slice": lambda types, path, depth, row: types.sliced(types.infer(path, row, depth)),
        "tuple": lambda types, path, depth, rows: Type(
            TUPLE, args=tuple(types.infer(path, row, depth) for row in rows)
        ),
        "array": lambda types, path, depth, row: Type(ARRAY, args=(types.infer(path, row, depth),)),
        "first": RustMembers.first,
        "part": _part,
        "path": _value,
        "call": _called,
    }


def _selected(types: RustInference, kind: Type) -> Type | None:
    inner = types.element(kind, "index")
    return native(_OPTION, inner) if inner is not None else None


def _removed(types: RustInference, kind: Type) -> Type | None:
    """Return what `remove` gives: an element of a Vec, an Option of one of a VecDeque."""
    if last_of(kind) == "Vec":
        return types.element(kind)
    return _selected(types, kind) if last_of(kind) == "VecDeque" else None


def _locked(_types: RustInference, kind: Type) -> Type | None:
    """Return what locking gives; only the locks of the standard library can be poisoned."""
    if kind.sort == "native":
        return native(_RESULT, *kind.args[-1:])
    return kind.args[-1] if kind.args else None


def _numbered(types: RustInference, kind: Type) -> Type | None:
    return native("std::slice::Iter", Type(TUPLE, args=(native("usize"), types.element(kind))))


def _error(kind: Type) -> Type | None:
    """Return the type of the error of a Result."""
    return kind.args[1] if len(kind.args) > 1 else None


def native(name: str, *args: Type | None) -> Type:
    """Return a type of the standard library."""
    return Type("native", name=name, args=args)


# by the group of a type and that of a method: the type that the method gives
RESULTS: dict[tuple[str, str], Callable[[RustInference, Type], Type | None]] = {
    ("cells", "locks"): _locked,
    ("cells", "tries"): lambda _types, kind: native(_RESULT, *kind.args[-1:]),
    ("cells", "borrows"): lambda _types, kind: kind.args[-1] if kind.args else None,
    ("once_cells", "selects"): lambda _types, kind: native(_OPTION, *kind.args[:1]),
    ("once_cells", "initializes"): lambda _types, kind: kind.args[0] if kind.args else None,
    ("holders", "opens"): lambda types, kind: types.element(kind),
    ("holders", "options"): lambda _types, kind: native(_OPTION, *kind.args[:1]),
    ("holders", "errors"): lambda _types, kind: native(_OPTION, _error(kind)),
    ("holders", "opens_error"): lambda _types, kind: _error(kind),
    ("holders", "results"): lambda _types, kind: native(_RESULT, *kind.args[:1]),
    ("lists", "selects"): _selected,
    ("lists", "removes"): _removed,
    ("maps", "selects"): _selected,
    ("maps", "removes"): _selected,
    ("lists", "numbers"): _numbered,
    ("maps", "numbers"): _numbered,
    ("maps", "values"): lambda _types, kind: native("std::vec::Vec", *kind.args[1:2]),
    ("lists", "iterates"): lambda types, kind: native("std::slice::Iter", types.element(kind)),
    **dict.fromkeys(
        ((group, "keeps") for group in ("lists", "holders", "maps", "own")),
        lambda _types, kind: kind,
    ),
}
