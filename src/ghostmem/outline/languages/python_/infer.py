"""The types of Python expressions, and the definitions behind names and attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.python_.calls import Calls
from ghostmem.outline.languages.python_.inference_base import STARRED
from ghostmem.outline.languages.python_.scopes import Bind
from ghostmem.outline.languages.python_.tables import FILLED
from ghostmem.outline.languages.python_.types import (
    KNOWN,
    MAX_NESTING,
    STR,
    Def,
    Key,
    Type,
    Types,
    box,
    instances,
    native,
    nesting,
    union,
)

MAX_ELEMENTS = 12  # of a tuple whose types are kept


class PythonInference(Calls):
    """Infer the types of expressions and definitions."""

    def infer(self, path: str, row: int) -> Types:
        """Return the types of an expression."""
        if row <= 0:
            return ()
        return self.remembered(self.expressions[path], row, self._infer, path, row)

    def _infer(self, path: str, row: int) -> Types:
        op, *operands = self.tables[path].exprs[row]
        handler = _EXPRESSIONS.get(op)
        return handler(self, path, row, *operands) if handler is not None else ()

    def attribute(self, kind: Type, name: str) -> Types:
        """Return the types of an attribute of a type."""
        if kind[0] == "object":
            return (("method", kind, name),)
        return union(self.types(definition) for definition in self.members(kind, name))

    def definitions(self, path: str, row: int) -> tuple[list[Def], str]:
        """Return the definitions behind a name or an attribute, and the rung that found them."""
        table = self.tables[path]
        expression = table.exprs[row]
        if expression[0] == "n":
            found, home = self.named(path, row)
            return found, _name_rung(found, path, home, table.scopes.scopes)
        if expression[0] != "a":
            return [], ""
        _, owner, name = expression
        types = self.infer(path, owner)
        found = [definition for kind in types for definition in self.members(kind, name)]
        if len(found) > 1:
            found = list(dict.fromkeys(found))
        if any(kind[0] in ("mod", "dir", "out") for kind in types):
            return found, "import"
        return found, "receiver" if self._is_receiver(path, owner) else "type"

    def _is_receiver(self, path: str, row: int) -> bool:
        op = self.tables[path].exprs[row][0]
        if op == "c":
            return any(kind[0] == "super" for kind in self.infer(path, row))
        if op != "n":
            return False
        found, _ = self.named(path, row)
        return bool(found) and all(
            one[0] == "loc" and self._is_first_parameter(one[1], self._bind_of(one))
            for one in found
        )

    def _is_first_parameter(self, path: str, bind: Bind) -> bool:
        """Tell whether a local is the first parameter of a method: self or cls."""
        if bind[0] != "par" or bind[4] < 0:
            return False
        position, star, *_ = bind[3]
        detail = self.detail((path, bind[4]))
        return position == 0 and not star and not detail["static"] and detail["class"] != FILE

    def _bind_of(self, local: Def) -> Bind:
        """Return the binding of a local."""
        _, path, scope, name, group, number = local
        bind: Bind = self.tables[path].scopes.scopes[scope][group][name][number]
        return bind

    def types(self, definition: Def) -> Types:
        """Return the types of a definition."""
        match definition[0]:
            case "val":
                return definition[1]  # type: ignore[no-any-return]
            case "loc":
                return self._bound_types(definition[1], self._bind_of(definition), definition[3])
            case "attr":
                _, key, name, receiver = definition
                rows = self.detail(key)["attrs"][name]
                return self.substitute(
                    self.once(("attr", key, name), self._assigned_types, key[0], rows), receiver
                )
            case "sym":
                return self._symbol_types(definition[1], definition[2])
        return self.plain(definition)

    def _symbol_types(self, key: Key, receiver: Type | None) -> Types:
        if self.is_class(key):
            return (("class", key),)
        if self.kind(key) in ("function", "method"):
            if receiver is not None and receiver[0] == "instance" and self.is_property(key):
                return self.returned(key, receiver)
            return (("function", key, receiver),)
        around = (key[0], self.files[key[0]].symbols[key[1]].parent)
        if around[1] != FILE and self.is_class(around) and self.is_enum(around):
            return (("instance", around, ()),)
        return self.substitute(self.once(("var", key), self._variable, key), receiver)

    def is_property(self, key: Key) -> bool:
        """Tell whether a method is read like an attribute."""
        return any(
            name in KNOWN["properties"] or name.endswith("cached_property")
            for name in self.decorator_names(key)
        )

    def _variable(self, key: Key) -> Types:
        path, symbol = key[0], self.files[key[0]].symbols[key[1]]
        number = 0 if symbol.parent == FILE else self.detail((path, symbol.parent))["scope"]
        scopes = self.tables[path].scopes
        scope = scopes.scopes[number]
        binds = scopes.reaching(scope, symbol.name)
        annotated = [bind for bind in scope["names"].get(symbol.name, ()) if bind[0] == "ann"]
        return union(
            self._bound_types(path, bind, symbol.name)
            for bind in annotated or binds
            if bind[0] != "def"
        )

    def _assigned_types(self, path: str, assigned: list[list[int]]) -> Types:
        """Return the types of an attribute from the annotations and values assigned to it."""
        annotated = [self.annotated(path, row) for row, _ in assigned if row >= 0]
        if any(annotated):
            return union(annotated)
        types = self.infer_all(path, (row for annotation, row in assigned if annotation != FILLED))
        if _has_content(types):
            return types
        filled = self.infer_all(path, (row for annotation, row in assigned if annotation == FILLED))
        return union([types, filled])

    def types_of_name(self, definitions: list[Def]) -> Types:
        """Return the types of a name.

        Values that are added to a container later count only if its content is unknown otherwise.
        """
        later = [
            one
            for one in definitions
            if one[0] == "loc" and one[4] == "names" and self._bind_of(one)[0] == "fill"
        ]
        types = union(self.types(one) for one in definitions if one not in later)
        if not later or _has_content(types):
            return types
        return union([types, *(self.types(one) for one in later)])

    def _bound_types(self, path: str, bind: Bind, name: str) -> Types:
        match bind[0]:
            case "val" | "fill":
                return self.infer(path, bind[3])
            case "ann":
                return self.annotated(path, bind[3]) or self.infer(path, bind[4])
            case "narrow":
                return self._narrowed(path, bind)
            case "par":
                return self.once(("par", path, bind[1], name), self._parameter, path, bind, name)
        return ()

    def _narrowed(self, path: str, bind: Bind) -> Types:
        """Return the types of a name after an isinstance test held or, if bind[6], failed."""
        tested = instances(self.infer(path, bind[3]))
        outer, self.is_provisional = self.is_provisional, False
        before = self.infer(path, bind[4])
        # the next round knows the arguments of calls
        too_early = self.is_provisional and not before and not self.rounds
        self.is_provisional = self.is_provisional or outer
        if bind[6]:
            excluded = {_without_arguments(kind) for kind in tested}
            return tuple(kind for kind in before if _without_arguments(kind) not in excluded)
        return () if too_early else union(self._heirs(before, kind) or (kind,) for kind in tested)

    def _heirs(self, types: Types, tested: Type) -> Types:
        """Return the types that are instances of a tested class; they stay as they are known."""
        if tested[0] != "instance":
            return ()
        return tuple(
            kind
            for kind in types
            if kind[0] == "instance" and ("class", tested[1]) in self.mro(kind[1])
        )

    def _parameter(self, path: str, bind: Bind, name: str) -> Types:
        position, star, annotation, default = bind[3]
        if bind[4] < 0:
            return self.infer(path, default)
        key = (path, bind[4])
        if self._is_first_parameter(path, bind):
            own = (path, self.detail(key)["class"])
            is_class = self.takes_class(key) or self._is_metaclass(own)
            return (("class", own) if is_class else ("instance", own, ()),)
        annotated = self.annotated(path, annotation)
        if star:
            return (box("tuple", annotated) if star == "*" else box("dict", STR, annotated),)
        if annotation >= 0:
            return annotated
        documented = self.infer_all(path, self.detail(key)["docs"].get(name, ()))
        self.is_provisional = True  # the arguments of calls are not known before all of them are
        passed = union(self.infer(*row) for row in self.passed.get((*key, position), ()))
        return union([documented, passed, self.infer(path, default)])

    def _is_metaclass(self, key: Key) -> bool:
        return any(base[0] == "out" and base[2] == "type" for base in self.mro(key))


def _without_arguments(kind: Type) -> Type:
    return kind[:3] if kind[0] == "object" else kind[:2]


def _has_content(types: Types) -> bool:
    return any(kind[0] == "instance" or (kind[0] == "object" and any(kind[3])) for kind in types)


def _name_rung(found: list[Def], path: str, home: int, scopes: list[dict[str, Any]]) -> str:
    if home < 0:
        return "import" if home == STARRED else "native"
    if scopes[home]["kind"] in ("function", "comp"):
        return "local"
    imported = any(
        one[0] in ("mod", "dir", "out") or (one[0] == "sym" and one[1][0] != path) for one in found
    )
    return "import" if imported else "module"


def _tuple(inference: PythonInference, path: str, _row: int, rows: list[int]) -> Types:
    made = ("tuple", tuple(inference.infer(path, row) for row in rows[:MAX_ELEMENTS]))
    return (made if nesting(made) < MAX_NESTING else box("tuple"),)


# by the operation of an expression: from its file, row and operands to the types
_EXPRESSIONS: dict[str, Callable[..., Types]] = {
    "n": lambda inference, path, row, *_: inference.types_of_name(
        inference.definitions(path, row)[0]
    ),
    "a": lambda inference, path, _row, owner, name: union(
        inference.attribute(kind, name) for kind in inference.infer(path, owner)
    ),
    "c": lambda inference, path, row, *_: inference.call(path, row),
    "k": lambda _inference, _path, _row, name, _text: () if name == "None" else native(name),
    "l": lambda inference, path, _row, rows: (box("list", inference.infer_all(path, rows)),),
    "S": lambda inference, path, _row, rows: (box("set", inference.infer_all(path, rows)),),
    "t": _tuple,
    "d": lambda inference, path, _row, *parts: (
        box("dict", *(inference.infer_all(path, rows) for rows in parts)),
    ),
    "comp": lambda inference, path, _row, name, rows: (
        box(name, *(inference.infer(path, row) for row in rows)),
    ),
    "o": lambda inference, path, _row, rows: inference.infer_all(path, rows),
    "i": lambda inference, path, _row, iterated: inference.element(inference.infer(path, iterated)),
    "u": lambda inference, path, _row, value, index: union(
        inference.unpacked(kind, index) for kind in inference.infer(path, value)
    ),
    "s": lambda inference, path, _row, base, index: inference.indexed(path, base, index),
    "enter": lambda inference, path, _row, value: inference.entered(inference.infer(path, value)),
    "exc": lambda inference, path, _row, value: instances(inference.infer(path, value)),
    "b": lambda inference, path, _row, left, _right, method: inference.operated(path, left, method),
    "lam": lambda _inference, path, _row, body: (("lambda", path, body),),
    "tv": lambda _inference, path, row, *_: (("variable", path, row),),
    "doc": lambda inference, path, _row, dotted: union(
        instances(inference.types(one)) for one in inference.dotted(path, dotted)
    ),
}
