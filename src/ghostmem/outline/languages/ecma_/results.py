"""Infer the results of calls, and the parameters of functions."""

from typing import Any

from ghostmem.outline.languages.ecma_.members import Members
from ghostmem.outline.languages.ecma_.names import Arguments, Env, Key, Type, union
from ghostmem.outline.languages.ecma_.natives import (
    ARRAYS,
    ELEMENT,
    ELEMENT_PARAMETERS,
    PROMISES,
    RETURNS_STRING,
    SAME_ARRAY,
)
from ghostmem.outline.languages.ecma_.written import thawed

STRING = ("native", "String", ())
STRINGS = ("native", "Array", (STRING,))


class Results(Members):
    """The types of the results and parameters of functions."""

    def result(
        self, of: Type, types: tuple[Type, ...] = (), arguments: Arguments = ("", ())
    ) -> Type:
        """Return the type of the result of calling a value."""
        match of:
            case ("function", key, env):
                detail = self.symbol(key).detail
                if detail.get("over"):
                    return None
                return self.return_of(key[0], detail["f"], env, types, arguments)
            case ("anonymous", path, number):
                return self.return_of(path, number, (), types, arguments)
            case ("function type", _, term, path, scope, env):
                return self.term(thawed(term), path, scope, env)
            case ("native member", receiver, name):
                return self._native_result(receiver, name, arguments)
            case ("native value", "Object.keys"):
                return STRINGS
            case ("native value", "String" | "Number" | "Boolean" | "Symbol" as name):
                return ("native", name, ())
            case ("native value", "Array.from") if arguments[1]:
                return ("native", "Array", (self.element(self._first(arguments)),))
            case ("native value", "Promise.resolve") if arguments[1]:
                return ("native", "Promise", (self.awaited(self._first(arguments)),))
            case _:
                return None

    def _first(self, arguments: Arguments) -> Type:
        """Return the type of the first argument."""
        return self.type_of(arguments[0], arguments[1][0])

    def called(
        self, path: str, callee: int, arguments: list[int], terms: list[Any], scope: int
    ) -> Type:
        """Return the type of the result of calling an expression with arguments."""
        types = self.terms(terms, path, scope)
        of = self.type_of(path, callee)
        sort, *operands = self.row(path, callee)
        if sort == "m":
            receiver, name = operands
            if name in {"bind", "call", "apply"}:
                function = self.type_of(path, receiver)
                if function and function[0] in {"function", "anonymous"}:
                    return function if name == "bind" else self.result(function)
            if of and of[0] == "function" and self._returns_this(of[1]):
                return self.type_of(path, receiver)
        return self.result(of, types, (path, tuple(arguments)))

    def _function(self, key: Key) -> Any:
        """Return the record of the function that a symbol is."""
        return self.detail(key[0], "functions")[self.symbol(key).detail["f"]]

    def _returns_this(self, key: Key) -> bool:
        record = self._function(key)
        if record["ret"] is not None or record["async"] or not record["rets"]:
            return bool(record["ret"] == ["this"])
        return all(self.row(key[0], value)[0] == "this" for value in record["rets"])

    def return_of(
        self,
        path: str,
        number: int,
        env: Env,
        types: tuple[Type, ...] = (),
        arguments: Arguments = ("", ()),
    ) -> Type:
        """Return the type that a function returns: as declared, or of its return statements."""
        record = self.detail(path, "functions")[number]
        scope = record["scope"]
        if record["ret"] is not None:
            inferred = self._inferred(record, types, arguments)
            return self.term(record["ret"], path, scope, env + inferred)
        declared = self._declared_type(path, record)
        if declared is not None:
            return self.result(self.term(declared, path, scope, env))
        if record["gen"] or not record["rets"]:
            return None
        found = union([self.type_of(path, value) for value in record["rets"]])
        return ("native", "Promise", (self.awaited(found),)) if record["async"] else found

    def _declared_type(self, path: str, record: dict[str, Any]) -> Any:
        """Return the term of the type that the variable of a function is declared with."""
        number = record["sym"]
        return self.symbol((path, number)).detail.get("type") if number >= 0 else None

    def _inferred(
        self, record: dict[str, Any], types: tuple[Type, ...], arguments: Arguments
    ) -> Env:
        """Return the type parameters of a call: as written, or inferred from the arguments."""
        if types:
            return tuple(zip(record["tp"], types, strict=False))
        found: dict[str, Type] = {}
        for term, number in zip(record["types"], arguments[1], strict=False):
            is_array = bool(term) and term[0] == "arr"
            name = term[1] if is_array else term
            if name and name[0] == "n" and name[1] in record["tp"]:
                argument = self.type_of(arguments[0], number)
                found.setdefault(name[1], self.element(argument) if is_array else argument)
        return tuple(sorted((name, inferred) for name, inferred in found.items() if inferred))

    def _native_result(self, of: tuple[Any, ...], name: str, arguments: Arguments) -> Type:
        """Return the type of the result of a method of the library."""
        native = of[1] if of[0] == "native" else "Array"
        if native in ARRAYS:
            return self._array_result(of, name, arguments)
        if native in PROMISES:
            return self._promise_result(of, name, arguments)
        if native == "Map" and of[2]:
            return {
                "get": of[2][-1],
                "values": ("native", "Array", of[2][-1:]),
                "keys": ("native", "Array", of[2][:1]),
            }.get(name)
        if name == "split":
            return STRINGS
        is_text = name in RETURNS_STRING and native in {"String", "Number", "Date"}
        return STRING if is_text else None

    def _array_result(self, of: tuple[Any, ...], name: str, arguments: Arguments) -> Type:
        element = self.element(of)
        if name in {"map", "flatMap"} and arguments[1]:
            result = self.result(self._first(arguments))
            return ("native", "Array", (self.element(result) if name == "flatMap" else result,))
        if name in SAME_ARRAY:
            return ("native", "Array", (element,))
        return element if name in ELEMENT else STRING if name == "join" else None

    def _promise_result(self, of: tuple[Any, ...], name: str, arguments: Arguments) -> Type:
        if name in {"catch", "finally"}:
            return of
        calls_back = name == "then" and arguments[1]
        result = self.result(self._first(arguments)) if calls_back else None
        return ("native", "Promise", (self.awaited(result),) if result else ())

    def parameter(self, path: str, number: int, at: int) -> Type:
        """Return the type of a parameter: as declared for the function or for its variable, or as
        the function that it is passed to expects.
        """
        record = self.detail(path, "functions")[number]
        if at < len(record["types"]) and record["types"][at] is not None:
            return self.term(record["types"][at], path, record["scope"])
        declared = self._declared_type(path, record)
        if declared is not None:
            return self._parameter_of(self.term(declared, path, record["scope"]), at)
        return self._expected(path, at, *record["ctx"]) if record["ctx"] else None

    def _constructor(self, of: Type, types: tuple[Type, ...]) -> Type:
        if not of or of[0] != "class":
            return None
        constructors = self.declared(of[1], "constructor")
        env = tuple(zip(self.symbol(of[1]).detail["tp"], types, strict=False))
        return ("function", constructors[0], env) if len(constructors) == 1 else None

    def _parameter_of(self, of: Type, at: int) -> Type:
        """Return the type of a parameter of a written function type."""
        if of and of[0] == "function type" and at < len(of[1]):
            return self.term(thawed(of[1][at]), *of[3:])
        return None

    def _expected(self, path: str, at: int, call: int, position: int) -> Type:
        """Return the type of a parameter of a callback, from the function that it is passed to."""
        row = self.row(path, call)
        of = self.type_of(path, row[1])
        if row[0] == "new":
            of = self._constructor(of, self.terms(row[2], path, row[3]))
        match of:
            case ("native member", receiver, name):
                return self._native_parameter(receiver, name, position, at)
            case ("function", key, env):
                record = self._function(key)
                if position >= len(record["types"]) or self.symbol(key).detail.get("over"):
                    return None
                expected = self.term(record["types"][position], key[0], record["scope"], env)
                return self._parameter_of(expected, at)
            case _:
                return None

    def _native_parameter(self, of: tuple[Any, ...], name: str, position: int, at: int) -> Type:
        """Return the type of a parameter of a callback that a method of the library calls."""
        if of[:2] == ("native", "Map") and of[2]:
            return of[2][-1] if name == "forEach" and at == 0 else None
        if position != 0:
            return None
        if of[0] == "tuple" or of[1] in ARRAYS:
            return self.element(of) if at in ELEMENT_PARAMETERS.get(name, ()) else None
        is_awaited = of[1] in PROMISES and name == "then" and at == 0 and of[2]
        return of[2][0] if is_awaited else None

    def awaited(self, of: Type) -> Type:
        """Return the type of an awaited value."""
        if of and of[0] == "union":
            return union([self.awaited(part) for part in of[1]])
        if of and of[0] == "native" and of[1] in PROMISES:
            return of[2][0] if of[2] else None
        return of

    def element(self, of: Type) -> Type:
        """Return the type of the elements of a value."""
        match of:
            case ("native", name, arguments) if name in ARRAYS and arguments:
                return arguments[0]  # type: ignore[no-any-return]
            case ("native", "Map", (_, _) as arguments):
                return ("tuple", arguments)
            case ("native", "Record", (_, inner)):
                return inner  # type: ignore[no-any-return]
            case ("native", "String", _):
                return of
            case ("tuple", parts):
                return union(list(parts))
            case _:
                return None
