"""What calling a function gives, and what a function is given."""

from typing import Any

from ghostmem.outline.languages.ecma_.members import Members
from ghostmem.outline.languages.ecma_.names import Env, Given, Type, union
from ghostmem.outline.languages.ecma_.natives import (
    ARRAYS,
    EACH,
    ELEMENT,
    PROMISES,
    RETURNS_STRING,
    SAME_ARRAY,
)
from ghostmem.outline.languages.ecma_.written import thawed


class Results(Members):
    """Follow calls."""

    def result(self, kind: Type, types: tuple[Type, ...] = (), given: Given = ("", ())) -> Type:
        """Return what calling a value gives."""
        match kind:
            case ("fn", key, env):
                one = self.symbol(key)
                if one.detail.get("over"):
                    return None
                return self.return_of(key[0], one.detail["f"], env, types, given)
            case ("anon", path, number):
                return self.return_of(path, number, (), types, given)
            case ("fnt", _, term, path, scope, env):
                return self.term(thawed(term), path, scope, env)
            case ("natm", held, name):
                return self._native_result(held, name, given)
            case ("natv", "Object.keys"):
                return ("nat", "Array", (("nat", "String", ()),))
            case ("natv", "String" | "Number" | "Boolean" | "Symbol" as name):
                return ("nat", name, ())
            case ("natv", "Array.from") if given[1]:
                return ("nat", "Array", (self.element(self.type_of(given[0], given[1][0])),))
            case ("natv", "Promise.resolve") if given[1]:
                return ("nat", "Promise", (self.awaited(self.type_of(given[0], given[1][0])),))
            case _:
                return None

    def called(self, path: str, target: int, given: list[int], types: tuple[Type, ...]) -> Type:
        """Return what calling an expression with these arguments comes to."""
        kind = self.type_of(path, target)
        one: list[Any] = self.detail(path, "rows")[target] if target >= 0 else ["?"]
        if one[0] == "m" and one[2] in {"bind", "call", "apply"}:
            held = self.type_of(path, one[1])
            if held and held[0] in {"fn", "anon"}:
                return held if one[2] == "bind" else self.result(held)
        if one[0] == "m" and kind and kind[0] == "fn":
            record = self.detail(kind[1][0], "functions")[self.symbol(kind[1]).detail["f"]]
            if record["ret"] == ["this"] or (
                record["ret"] is None and self._returns_this(kind[1][0], record)
            ):
                return self.type_of(path, one[1])
        return self.result(kind, types, (path, tuple(given)))

    def _returns_this(self, path: str, record: dict[str, Any]) -> bool:
        rows = self.detail(path, "rows")
        return (
            bool(record["rets"])
            and not record["async"]
            and all(one >= 0 and rows[one][0] == "this" for one in record["rets"])
        )

    def return_of(
        self,
        path: str,
        number: int,
        env: Env,
        types: tuple[Type, ...] = (),
        given: Given = ("", ()),
    ) -> Type:
        """Return what a function gives back: as it is written, or what all its return statements
        give.
        """
        record = self.detail(path, "functions")[number]
        if record["ret"] is not None:
            return self.term(
                record["ret"], path, record["scope"], env + self._inferred(record, types, given)
            )
        declared = (
            self.symbol((path, record["sym"])).detail.get("type") if record["sym"] >= 0 else None
        )
        if declared is not None:
            return self.result(self.term(declared, path, record["scope"], env))
        if record["gen"] or not record["rets"]:
            return None
        found = union([self.type_of(path, one) for one in record["rets"]])
        return ("nat", "Promise", (self.awaited(found),)) if record["async"] else found

    def _inferred(self, record: dict[str, Any], types: tuple[Type, ...], given: Given) -> Env:
        """Return the type parameters of a call: written, or a plain parameter's own."""
        if types:
            return tuple(zip(record["tp"], types, strict=False))
        found: dict[str, Type] = {}
        for term, number in zip(record["types"], given[1], strict=False):
            if term and term[0] == "n" and term[1] in record["tp"]:
                found.setdefault(term[1], self.type_of(given[0], number))
            elif (
                term
                and term[0] == "arr"
                and term[1]
                and term[1][0] == "n"
                and term[1][1] in record["tp"]
            ):
                found.setdefault(term[1][1], self.element(self.type_of(given[0], number)))
        return tuple(sorted((name, kind) for name, kind in found.items() if kind))

    def _native_result(self, held: tuple[Any, ...], name: str, given: Given) -> Type:
        kind = held[1] if held[0] == "nat" else "Array"
        if kind in ARRAYS or held[0] == "tup":
            inner = self.element(held)
            if name in {"map", "flatMap"} and given[1]:
                result = self.result(self.type_of(given[0], given[1][0]))
                return ("nat", "Array", (self.element(result) if name == "flatMap" else result,))
            if name in SAME_ARRAY | {"values"}:
                return ("nat", "Array", (inner,))
            return inner if name in ELEMENT else ("nat", "String", ()) if name == "join" else None
        if kind in PROMISES:
            if name in {"catch", "finally"}:
                return held
            result = (
                self.result(self.type_of(given[0], given[1][0]))
                if name == "then" and given[1]
                else None
            )
            return ("nat", "Promise", (self.awaited(result),)) if result else ("nat", "Promise", ())
        if kind == "Map" and held[2]:
            return {
                "get": held[2][-1],
                "values": ("nat", "Array", held[2][-1:]),
                "keys": ("nat", "Array", held[2][:1]),
            }.get(name)
        if name == "split":
            return ("nat", "Array", (("nat", "String", ()),))
        return (
            ("nat", "String", ())
            if name in RETURNS_STRING and kind in {"String", "Number", "Date"}
            else None
        )

    def parameter(self, path: str, number: int, at: int) -> Type:
        """Return the type of a function's parameter: as written, as its variable is declared, or as
        its caller expects.
        """
        record = self.detail(path, "functions")[number]
        if at < len(record["types"]) and record["types"][at] is not None:
            return self.term(record["types"][at], path, record["scope"])
        declared = (
            self.symbol((path, record["sym"])).detail.get("type") if record["sym"] >= 0 else None
        )
        if declared is not None:
            return self._taken(self.term(declared, path, record["scope"]), at)
        return self._context(path, record["ctx"], at) if record["ctx"] else None

    def _constructor(self, kind: Type, types: tuple[Type, ...]) -> Type:
        held = (
            self.children.get(kind[1], {}).get("constructor", [])
            if kind and kind[0] == "cls"
            else []
        )
        if not kind or len(held) != 1:
            return None
        return (
            "fn",
            (kind[1][0], held[0]),
            tuple(zip(self.symbol(kind[1]).detail["tp"], types, strict=False)),
        )

    def _taken(self, kind: Type, at: int) -> Type:
        if kind and kind[0] == "fnt" and at < len(kind[1]):
            return self.term(thawed(kind[1][at]), kind[3], kind[4], kind[5])
        return None

    def _context(self, path: str, context: list[int], at: int) -> Type:
        """Return what a callback is given, from the function that it is given to."""
        call, position = context
        row = self.detail(path, "rows")[call]
        kind = self.type_of(path, row[1])
        if row[0] == "new":
            kind = self._constructor(kind, tuple(self.term(one, path, row[3]) for one in row[2]))
        match kind:
            case ("natm", ("nat", "Map", given), "forEach") if given:
                return given[-1] if at == 0 else None
            case ("natm", held, name) if position == 0 and (held[0] == "tup" or held[1] in ARRAYS):
                first = (
                    (name in EACH and at == 0)
                    or (name in {"sort", "toSorted"} and at < 2)
                    or (name == "reduce" and at == 1)
                )
                return self.element(held) if first else None
            case ("natm", ("nat", one, given), "then") if (
                one in PROMISES and position == 0 and at == 0
            ):
                return given[0] if given else None
            case ("fn", key, env):
                record = self.detail(key[0], "functions")[self.symbol(key).detail["f"]]
                known = position < len(record["types"]) and not self.symbol(key).detail.get("over")
                return (
                    self._taken(
                        self.term(record["types"][position], key[0], record["scope"], env), at
                    )
                    if known
                    else None
                )
            case _:
                return None

    def awaited(self, kind: Type) -> Type:
        """Return what awaiting a value gives."""
        if kind and kind[0] == "u":
            return union([self.awaited(one) for one in kind[1]])
        return (
            (kind[2][0] if kind[2] else None)
            if kind and kind[0] == "nat" and kind[1] in PROMISES
            else kind
        )

    def element(self, kind: Type) -> Type:
        """Return what a value consists of."""
        match kind:
            case ("nat", name, given) if name in ARRAYS and given:
                return given[0]  # type: ignore[no-any-return]
            case ("nat", "Map", (_, _) as given):
                return ("tup", given)
            case ("nat", "Record", (_, inner)):
                return inner  # type: ignore[no-any-return]
            case ("nat", "String", _):
                return kind
            case ("tup", parts):
                return union(list(parts))
            case _:
                return None
