"""The types that Python annotations describe, with the values of their type variables."""

from __future__ import annotations

from collections.abc import Callable

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.python_.classes import Classes
from ghostmem.outline.languages.python_.types import (
    FAMILIES,
    KNOWN,
    MAX_NESTING,
    SELF,
    STR,
    Def,
    Key,
    Site,
    Type,
    Types,
    box,
    classes,
    has_variable,
    instances,
    nesting,
    solve,
    union,
    variables_in,
)

_LOWERED = ("Dict", "List", "Set", "Tuple", "Type")  # names of typing for classes of Python's own


class Annotations(Classes):
    """Read annotations, and solve the type variables in them."""

    def annotated(self, path: str, row: int) -> Types:
        """Return the types of the values that an annotation describes."""
        return self.once(("ann", path, row), self._annotated, path, row) if row > 0 else ()

    def _annotated(self, path: str, row: int) -> Types:
        op, *operands = self.tables[path].exprs[row]
        handler = _ANNOTATIONS.get(op)
        return handler(self, path, row, *operands) if handler is not None else ()

    def annotated_all(self, path: str, rows: list[int]) -> Types:
        """Return the types that several annotations describe together."""
        return union(self.annotated(path, row) for row in rows)

    def described(self, definition: Def) -> Types:
        """Return the types of the values that a definition describes as an annotation."""
        if definition[0] == "out":
            return _described_outside(*definition[1:])
        if definition[0] == "sym" and not self.is_class(definition[1]):
            return self.once(("alias", definition[1]), self._alias, definition[1])
        return instances(self.types(definition))

    def _alias(self, key: Key) -> Types:
        path, symbol = key[0], self.files[key[0]].symbols[key[1]]
        scope = 0 if symbol.parent == FILE else self.detail((path, symbol.parent)).get("scope", 0)
        found: list[Types] = []
        for bind in self.tables[path].scopes.scopes[scope]["names"].get(symbol.name, ()):
            row = bind[4] if bind[0] == "ann" else bind[3]
            if bind[0] in ("val", "ann") and isinstance(row, int) and row > 0:
                variable = self._type_variable(path, row)
                found.append((variable,) if variable else self.annotated(path, row))
        return union(found)

    def _type_variable(self, path: str, row: int) -> Type | None:
        expression = self.tables[path].exprs[row]
        is_variable = expression[0] == "c" and any(
            kind[0] == "out" and kind[2] in KNOWN["variables"]
            for kind in self.infer(path, expression[1])
        )
        return ("variable", path, row) if is_variable else None

    def generic(self, path: str, _row: int, base: int, index: int) -> Types:
        """Return the types that a subscript such as `dict[str, int]` describes."""
        rows = self.index_rows(path, index)
        found: list[Types] = []
        for definition in self.definitions(path, base)[0]:
            if definition[0] == "sym" and self.is_class(definition[1]):
                arguments = tuple(self.annotated(path, row) for row in rows)
                found.append((("instance", definition[1], arguments),))
            elif definition[0] == "out" and rows:  # not so in `tuple[()]`
                found.append(self._outside_generic(path, definition, rows))
            else:
                found.append(self.described(definition))
        return union(found)

    def _outside_generic(self, path: str, definition: Def, rows: list[int]) -> Types:
        last = definition[2].rsplit(".", 1)[-1]
        special = _SPECIAL_FORMS.get(last)
        if special is not None:
            return special(self, path, rows)
        parts = tuple(self.annotated(path, row) for row in rows)
        shallow = nesting(parts) < MAX_NESTING
        if FAMILIES.get(last) == "tuple":
            has_ellipsis = self.tables[path].exprs[rows[-1]][0] == "x"
            return (("tuple", parts) if shallow and not has_ellipsis else box("tuple", parts[0]),)
        name = last.lower() if last in _LOWERED else last
        named = name if last in FAMILIES else definition[2]
        return (("object", definition[1], named, parts),) if shallow else ()

    def bounds(self, kind: Type) -> Types:
        """Return the types that a type variable is limited to."""
        if kind == SELF:
            return ()
        expression = self.tables[kind[1]].exprs[kind[2]]
        if expression[0] == "tv":
            return self.annotated(kind[1], expression[2])
        keywords = [row for keyword, row in expression[3] if keyword == "bound"]
        return union(self.annotated(kind[1], row) for row in keywords or expression[2][1:])

    def bindings(self, key: Key, receiver: Type | None, site: Site) -> dict[Type, Types]:
        """Return the types that a call gives the type variables of a function."""
        bindings: dict[Type, Types] = {}
        path, detail = key[0], self.detail(key)
        names = self.tables[path].scopes.scopes[detail["scope"]]["names"]
        annotations = [names[one[0]][0][3][2] for one in detail["params"]]
        by_name = {
            one[0]: annotation
            for one, annotation in zip(detail["params"], annotations, strict=True)
        }
        if receiver is not None and detail["class"] != FILE and not detail["static"]:
            own, *annotations = annotations or [0]
            if own > 0:
                solve(self.annotated(path, own), (receiver,), bindings)
        caller, arguments, keywords = site or ("", (), ())
        given = [
            *zip(annotations, arguments, strict=False),
            *((by_name.get(keyword, 0), row) for keyword, row in keywords),
        ]
        for annotation, row in given:
            if annotation > 0:
                solve(self.annotated(path, annotation), self.infer(caller, row), bindings)
        return bindings

    def replace(self, types: Types, bindings: dict[Type, Types]) -> Types:
        """Put types in the place of type variables; one that is not known is its bound."""
        found: dict[Type, None] = {}
        for kind in types:
            found |= dict.fromkeys(self._replaced(kind, bindings))
        return tuple(found)

    def _replaced(self, kind: Type, bindings: dict[Type, Types]) -> Types:
        match kind[0]:
            case "variable":
                return bindings.get(kind) or self.bounds(kind)
            case "variable class":
                return classes(bindings.get(kind[1]) or self.bounds(kind[1]))
            case "instance" | "object" | "tuple" if has_variable((kind,)):
                return ((*kind[:-1], tuple(self.replace(part, bindings) for part in kind[-1])),)
            case "callable":
                return (("callable", self.replace(kind[1], bindings)),)
        return (kind,)

    def substitute(self, types: Types, receiver: Type | None) -> Types:
        """Put a receiver in the place of Self, and its arguments in that of its class's type
        variables.
        """
        if receiver is None or not has_variable(types) or receiver[0] not in ("instance", "class"):
            return types
        actual: Type = receiver if receiver[0] == "instance" else ("instance", receiver[1], ())
        bindings: dict[Type, Types] = {SELF: (actual,)}
        bindings |= dict(zip(self.variables(actual[1]), actual[2], strict=False))
        kept = {one: bindings.get(one, (one,)) for one in variables_in(types)}
        return self.replace(types, kept)

    def variables(self, key: Key) -> Types:
        """Return the type variables of a class in their order."""
        return self.once(("tvs", key), self._variables, key)

    def _variables(self, key: Key) -> Types:
        detail, exprs = self.detail(key), self.tables[key[0]].exprs
        found: list[Type] = [("variable", key[0], row) for row in detail["tvs"]]
        for row in detail["bases"]:
            if exprs[row][0] == "s":
                for index in self.index_rows(key[0], exprs[row][2]):
                    found.extend(variables_in(self.annotated(key[0], index)))
        return tuple(dict.fromkeys(found))

    def index_rows(self, path: str, index: int) -> list[int]:
        """Return the rows of the parts of an index, which may be a tuple."""
        expression = self.tables[path].exprs[index]
        rows: list[int] = expression[1] if expression[0] == "t" else [index]
        return rows

    def arguments(self, key: Key, site: Site) -> tuple[Types, ...]:
        """Return the type arguments of a new instance, from the arguments of its constructor."""
        variables = self.variables(key)
        made = self.constructor(key) if variables and site else None
        bindings = self.bindings(made, ("instance", key, ()), site) if made else {}
        return tuple(bindings.get(one, ()) for one in variables) if bindings else ()


def _described_outside(origin: str, name: str) -> Types:
    last = name.rsplit(".", 1)[-1]
    if last == "Self":
        return (SELF,)
    if last in _LOWERED and name.startswith("typing"):
        name = last.lower()
    return () if last in KNOWN["nothing"] else (("object", origin, name, ()),)


def _named(inference: Annotations, path: str, row: int, *_operands: object) -> Types:
    return union(inference.described(one) for one in inference.definitions(path, row)[0])


# by the operation of an expression: from its file, row and operands to the types
_ANNOTATIONS: dict[str, Callable[..., Types]] = {
    "n": _named,
    "a": _named,
    "s": Annotations.generic,
    "b": lambda inference, path, _row, left, right, _method: inference.annotated_all(
        path, [left, right]
    ),
    "k": lambda inference, path, _row, _name, text: union(
        inference.described(one) for one in (inference.dotted(path, text) if text else ())
    ),
    "t": lambda inference, path, _row, rows: inference.annotated_all(path, rows),
    "tv": lambda _inference, path, row, *_: (("variable", path, row),),
    "c": lambda inference, path, row, *_: instances(inference.infer(path, row)),
}


def _last(inference: Annotations, path: str, rows: list[int]) -> Types:
    return inference.annotated(path, rows[-1])


def _class_of(inference: Annotations, path: str, rows: list[int]) -> Types:
    return union(classes(inference.annotated(path, row)) for row in rows)


# by the last part of a name: from the rows of type arguments to the types
_SPECIAL_FORMS: dict[str, Callable[[Annotations, str, list[int]], Types]] = {
    **dict.fromkeys(KNOWN["transparent"], Annotations.annotated_all),
    "Annotated": lambda inference, path, rows: inference.annotated_all(path, rows[:1]),
    "type": _class_of,
    "Type": _class_of,
    **dict.fromkeys(KNOWN["results"], _last),
    "Callable": lambda inference, path, rows: (
        (("callable", inference.annotated(path, rows[-1])),) if len(rows) > 1 else ()
    ),
    **dict.fromkeys(
        KNOWN["managers"],
        lambda inference, path, rows: (box("contextmanager", inference.annotated(path, rows[0])),),
    ),
    "Literal": lambda _inference, _path, _rows: STR,
}
