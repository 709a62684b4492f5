"""Which type an expression of Java has, as far as the files say; None whenever they do not."""

from typing import Any

from ghostmem.outline.facts import Symbol
from ghostmem.outline.languages.java_.methods import Methods
from ghostmem.outline.languages.java_.natives import EACH, ELEMENT, SAME, is_native
from ghostmem.outline.languages.shared.types import MAX_DEPTH, Env, Type, union


class JavaInference(Methods):
    """Type expressions."""

    def type_of(self, path: str, number: int | None) -> Type:
        """Return the type of an expression."""
        if number is None or number < 0 or self.depth > MAX_DEPTH:
            return None
        if (path, number) not in self.rows:
            self.rows[path, number] = None
            self.depth += 1
            self.rows[path, number] = self._type_of(path, self.detail(path, "rows")[number])
            self.depth -= 1
        return self.rows[path, number]

    def _type_of(self, path: str, one: list[Any]) -> Type:
        match one:
            case ["lit", name]:
                return (
                    ("null",)
                    if name == "null"
                    else ("out", "java.lang.String", ())
                    if name == "String"
                    else ("prim", name)
                )
            case ["id", name, scope]:
                return self.variable(path, name, scope)[0]
            case ["this", scope]:
                sym = self.class_at(path, scope)
                return ("inst", (path, sym), ()) if sym is not None else None
            case ["super", scope]:
                sym = self.class_at(path, scope)
                above = self.symbol((path, sym)).detail.get("ext", []) if sym is not None else []
                if sym is not None and not above:
                    return ("out", "java.lang.Object", ())
                return self.supers((path, sym), ())[0] if sym is not None else None
            case ["f", target, name]:
                return self.type_of_field(path, target, name)
            case ["c", _, _, _, _, _]:
                return self._result(path, one)
            case ["new" | "as", term, scope]:
                return self.term(term, path, scope)
            case ["el", target]:
                return self.element(self.type_of(path, target))
            case ["u", parts]:
                return union([self.type_of(path, part) for part in parts])
            case ["lambda", number]:
                return ("lambda", path, number)
            case ["param", number, at]:
                return self._parameter(path, number, at)
            case _:
                return None

    def element(self, kind: Type) -> Type:
        """Return what a value consists of."""
        match kind:
            case ("arr", inner):
                return inner  # type: ignore[no-any-return]
            case ("out", _, (inner,)):
                return inner  # type: ignore[no-any-return]
            case ("inst", key, given):
                above = [
                    one for one in self.supers(key, given) if one and one[0] in {"inst", "out"}
                ]
                return (
                    next((found for found in (self.element(one) for one in above) if found), None)
                    if self.depth < MAX_DEPTH
                    else None
                )
            case _:
                return None

    def _result(self, path: str, one: list[Any]) -> Type:
        found, _, outside = self.callee(path, one)
        kinds = []
        for key, env in found:
            symbol = self.symbol(key)
            if symbol.kind == "field":
                kinds.append(self.field_type(key, env))
            else:
                kinds.append(
                    self.term(
                        symbol.detail["ret"],
                        key[0],
                        symbol.detail["scope"],
                        env + self._inferred(symbol, path, one[3]),
                    )
                )
        if kinds:
            return union(kinds)
        return self._native_result(path, one) if outside else None

    def _inferred(self, symbol: Symbol, path: str, given: list[int]) -> Env:
        """Return the type parameters of a generic method, from arguments that are of just that
        type, or its class.
        """
        found: dict[str, Type] = {}
        for term, number in zip(symbol.detail["types"], given, strict=False):
            if term and term[0] == "n" and term[1] in symbol.detail["tp"]:
                found.setdefault(term[1], self.type_of(path, number))
            elif (
                term
                and term[0] == "n"
                and term[1] == "Class"
                and term[2]
                and term[2][0]
                and term[2][0][1] in symbol.detail["tp"]
            ):
                kind = self.type_of(path, number)
                found.setdefault(
                    term[2][0][1], kind[2][0] if kind and kind[0] == "out" and kind[2] else None
                )
        return tuple(sorted((name, kind) for name, kind in found.items() if kind))

    def _native_result(self, path: str, one: list[Any]) -> Type:
        _, target, name, given, _, _ = one
        kind = self.type_of(path, target)
        match kind:
            case ("out", "java.lang.String", _):
                return (
                    kind
                    if name
                    in {
                        "trim",
                        "substring",
                        "toLowerCase",
                        "toUpperCase",
                        "replace",
                        "concat",
                        "strip",
                        "repeat",
                    }
                    else None
                )
            case ("out", "java.lang.StringBuilder", _):
                return (
                    kind
                    if name in {"append", "insert", "reverse"}
                    else ("out", "java.lang.String", ())
                    if name == "toString"
                    else None
                )
            case ("out", base, (key, value)) if is_native(base):
                if name in {
                    "get",
                    "getOrDefault",
                    "put",
                    "remove",
                    "computeIfAbsent",
                    "putIfAbsent",
                    "getValue",
                    "merge",
                    "compute",
                }:
                    return value  # type: ignore[no-any-return]
                many: dict[str, Type] = {
                    "values": value,
                    "keySet": key,
                    "entrySet": ("out", "java.util.Map.Entry", (key, value)),
                }
                return (
                    ("out", "java.util.Collection", (many[name],))
                    if name in many
                    else key
                    if name == "getKey"
                    else None
                )
            case ("out", base, (inner,)) if is_native(base):
                if name in {"map", "flatMap"} and given:
                    result = self._lambda_result(self.type_of(path, given[0]))
                    return ("out", base, (result,)) if name == "map" and result else result
                sort = {
                    "stream": "java.util.stream.Stream",
                    "findFirst": "java.util.Optional",
                    "findAny": "java.util.Optional",
                }
                if name in SAME:
                    return (
                        "out",
                        sort.get(name, "java.util.Iterator" if name == "iterator" else base),
                        (inner,),
                    )
                return inner if name in ELEMENT else None
            case _:
                return ("out", "java.lang.String", ()) if name == "toString" and not given else None

    def _lambda_result(self, kind: Type) -> Type:
        return (
            self.type_of(kind[1], self.detail(kind[1], "lambdas")[kind[2]]["body"])
            if kind and kind[0] == "lambda"
            else None
        )

    def _parameter(self, path: str, number: int, at: int) -> Type:
        """Return what a lambda is given, from the method that it is given to."""
        record = self.detail(path, "lambdas")[number]
        if record["type"]:
            return self._taken(self.term(record["type"][0], path, record["type"][1]), at)
        if not record["ctx"]:
            return None
        call = self.detail(path, "rows")[record["ctx"][0]]
        held = self.type_of(path, call[1])
        match held:
            case ("out", base, (inner,)) if is_native(base) and call[2] in EACH and at == 0:
                return inner  # type: ignore[no-any-return]
            case ("out", base, (key, value)) if is_native(base) and call[2] == "forEach":
                return key if at == 0 else value  # type: ignore[no-any-return]
            case ("out", _, _):
                return None
        found, _, _ = self.callee(path, call)
        if len(found) != 1 or self.symbol(found[0][0]).kind == "field":
            return None
        method = self.symbol(found[0][0])
        position = record["ctx"][1]
        if position >= len(method.detail["types"]):
            return None
        return self._taken(
            self.term(
                method.detail["types"][position],
                found[0][0][0],
                method.detail["scope"],
                found[0][1],
            ),
            at,
        )

    def _taken(self, kind: Type, at: int) -> Type:
        """Return the parameter of the one method that a functional interface has."""
        match kind:
            case ("out", base, given) if base.startswith("java.util.function.") and at < len(given):
                return given[at]  # type: ignore[no-any-return]
            case ("inst", key, given) if self.symbol(key).kind == "interface":
                rows = [number for held in self.children.get(key, {}).values() for number in held]
                methods = [
                    one
                    for one in (self.symbol((key[0], number)) for number in rows)
                    if one.kind == "method"
                ]
                methods = [
                    one
                    for one in methods
                    if not one.detail["static"] and not one.signature.startswith("default ")
                ]
                if len(methods) == 1 and at < len(methods[0].detail["types"]):
                    env = tuple(zip(self.symbol(key).detail.get("tp", []), given, strict=False))
                    return self.term(
                        methods[0].detail["types"][at], key[0], methods[0].detail["scope"], env
                    )
        return None
