"""Infer the types of JavaScript and TypeScript expressions; None if the files do not tell."""

from collections.abc import Callable

from ghostmem.outline.languages.ecma_.names import MAX_DEPTH, Env, Key, Referent, Type, union
from ghostmem.outline.languages.ecma_.results import Results


class EcmaInference(Results):
    """The types of expressions and referents."""

    def type_of(self, path: str, number: int) -> Type:
        """Return the type of an expression."""
        if number < 0 or self.depth > MAX_DEPTH:
            return None
        key = (path, number)
        if key not in self.types:
            self.types[key] = None  # an expression that depends on itself has an unknown type
            self.depth += 1
            self.types[key] = self._infer(path, number)
            self.depth -= 1
        return self.types[key]

    def _infer(self, path: str, number: int) -> Type:
        sort, *operands = self.row(path, number)
        if sort == "o":
            return ("object", path, number)
        infer = _EXPRESSIONS.get(sort)
        return infer(self, path, *operands) if infer else None

    def _item(self, path: str, target: int, index: int) -> Type:
        of = self.type_of(path, target)
        if of and of[0] == "tuple" and 0 <= index < len(of[1]):
            return of[1][index]  # type: ignore[no-any-return]
        return self.element(of)

    def _function_literal(self, path: str, function: int) -> Type:
        number = self.detail(path, "functions")[function]["sym"]
        return ("function", (path, number), ()) if number >= 0 else ("anonymous", path, function)

    def _required(self, path: str, module: str, later: bool) -> Type:
        found = self.values(self.imported(path, module, "*" if later else "="))
        return ("native", "Promise", (found,)) if later else found

    def _union(self, path: str, parts: list[int]) -> Type:
        return union([self.type_of(path, part) for part in parts])

    def value(self, referent: Referent) -> Type:
        """Return the type of a referent that is a value."""
        match referent:
            case ("symbol", key):
                return self._symbol_type(key)
            case ("member", key, env):
                return self._symbol_type(key, env)
            case ("type", found):
                return found  # type: ignore[no-any-return]
            case ("expression", path, number):
                return self.type_of(path, number)
            case ("binding", path, (_, term, value), scope):
                return (
                    self.term(term, path, scope) if term is not None else self.type_of(path, value)
                )
            case ("native", name):
                return ("native value", name)
            case ("external" | "module", *_):
                return referent
            case _:
                return None

    def _symbol_type(self, key: Key, env: Env = ()) -> Type:
        symbol = self.symbol(key)
        detail = symbol.detail
        if symbol.kind == "module":
            return ("namespace", key)
        if symbol.kind in {"type", "interface"}:
            return ("class", key)
        if detail.get("get"):
            return self.return_of(key[0], detail["f"], env)
        if detail.get("set"):
            return None
        if "f" in detail:
            return ("function", key, env)
        if symbol.kind == "constant" and detail.get("static"):
            return ("instance", (key[0], symbol.parent), ())
        if self.children.get(key):
            return ("variable", key)
        if detail.get("type") is not None:
            return self.term(detail["type"], key[0], detail.get("scope", 0), env)
        return self.type_of(key[0], detail.get("value", -1))


# by the first value of a row: a function of the inference, the file and the other values of the row
_EXPRESSIONS: dict[str, Callable[..., Type]] = {
    "id": lambda inference, path, name, scope: inference.values(
        inference.referents(path, name, scope)[0]
    ),
    "this": EcmaInference.this,
    "super": lambda inference, path, scope: inference.super_type(inference.this(path, scope)),
    "lit": lambda _inference, _path, name: ("null",) if name == "null" else ("native", name, ()),
    "m": lambda inference, path, target, name: inference.member_type(
        inference.type_of(path, target), name
    ),
    "c": EcmaInference.called,
    "new": lambda inference, path, target, terms, scope: inference.constructed(
        inference.type_of(path, target), inference.terms(terms, path, scope)
    ),
    "at": EcmaInference._item,
    "el": lambda inference, path, target: inference.element(inference.type_of(path, target)),
    "aw": lambda inference, path, target: inference.awaited(inference.type_of(path, target)),
    "as": lambda inference, path, term, scope: inference.term(term, path, scope),
    "u": EcmaInference._union,
    "arr": lambda inference, path, parts: ("native", "Array", (inference._union(path, parts),)),
    "f": EcmaInference._function_literal,
    "cls": lambda _inference, path, number: ("class", (path, number)) if number >= 0 else None,
    "req": EcmaInference._required,
    "param": EcmaInference.parameter,
}


def class_of(of: Type) -> list[Referent]:
    """Return the class that a type is an instance of, or is itself."""
    match of:
        case ("instance" | "class", key, *_):
            return [("symbol", key)]
        case ("native" | "native value", name, *_):
            return [("native", name)]
        case ("external instance" | "external", package, name):
            return [("external", package, name)]
        case _:
            return []


def function_of(of: Type) -> list[Referent]:
    """Return the function or class that a value of a type is."""
    match of:
        case ("function", key, _) | ("class", key):
            return [("symbol", key)]
        case ("native value", name):
            return [("native", name)]
        case ("native member", receiver, name):
            native = receiver[1] if receiver[0] == "native" else "Array"
            return [("native", f"{native}.{name}")]
        case ("external", package, name):
            return [("external", package, name)]
        case _:
            return []
