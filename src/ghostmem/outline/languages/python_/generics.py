"""Type variables of Python: what they stand for in a call, for a receiver, or in a new instance."""

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.python_.classes import Classes
from ghostmem.outline.languages.python_.types import (
    SELF,
    Key,
    Site,
    Type,
    Types,
    classes,
    has_variable,
    solve,
    union,
    variables_in,
)


class Generics(Classes):
    """Solve type variables and put types in their place."""

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
        """Return what a call says about the type variables of a function."""
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
