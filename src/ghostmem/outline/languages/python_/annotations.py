"""The types that Python annotations describe."""

from __future__ import annotations

from collections.abc import Callable

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.python_.calls import Calls
from ghostmem.outline.languages.python_.natives import FAMILIES, KNOWN
from ghostmem.outline.languages.python_.types import (
    MAX_NESTING,
    SELF,
    STR,
    Def,
    Key,
    Type,
    Types,
    box,
    classes,
    instances,
    nesting,
    union,
)

_LOWERED = ("Dict", "List", "Set", "Tuple", "Type")  # names of typing for classes of Python's own


class Annotations(Calls):
    """Read annotations."""

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


def _described_outside(origin: str, name: str) -> Types:
    last = name.rsplit(".", 1)[-1]
    if last == "Self":
        return (SELF,)
    if last in _LOWERED and name.startswith("typing"):
        name = last.lower()
    return () if last in KNOWN["nothing"] else (("object", origin, name, ()),)


def _named(world: Annotations, path: str, row: int, *_operands: object) -> Types:
    return union(world.described(one) for one in world.definitions(path, row)[0])


# by the operation of an expression: from its file, row and operands to the types
_ANNOTATIONS: dict[str, Callable[..., Types]] = {
    "n": _named,
    "a": _named,
    "s": Annotations.generic,
    "b": lambda world, path, _row, left, right, _method: world.annotated_all(path, [left, right]),
    "k": lambda world, path, _row, _name, text: union(
        world.described(one) for one in (world.dotted(path, text) if text else ())
    ),
    "t": lambda world, path, _row, rows: world.annotated_all(path, rows),
    "tv": lambda _world, path, row, *_: (("variable", path, row),),
    "c": lambda world, path, row, *_: instances(world.infer(path, row)),
}


def _last(world: Annotations, path: str, rows: list[int]) -> Types:
    return world.annotated(path, rows[-1])


def _class_of(world: Annotations, path: str, rows: list[int]) -> Types:
    return union(classes(world.annotated(path, row)) for row in rows)


# by the last part of a name: from the rows of type arguments to the types
_SPECIAL_FORMS: dict[str, Callable[[Annotations, str, list[int]], Types]] = {
    **dict.fromkeys(KNOWN["transparent"], Annotations.annotated_all),
    "Annotated": lambda world, path, rows: world.annotated_all(path, rows[:1]),
    "type": _class_of,
    "Type": _class_of,
    **dict.fromkeys(KNOWN["results"], _last),
    "Callable": lambda world, path, rows: (
        (("callable", world.annotated(path, rows[-1])),) if len(rows) > 1 else ()
    ),
    **dict.fromkeys(
        KNOWN["managers"],
        lambda world, path, rows: (box("contextmanager", world.annotated(path, rows[0])),),
    ),
    "Literal": lambda _world, _path, _rows: STR,
}
