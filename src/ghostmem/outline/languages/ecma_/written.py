"""Resolve the types that are written: names, type parameters, aliases, functions and objects."""

from collections.abc import Callable
from typing import Any

from ghostmem.outline.languages.ecma_.names import (
    MAX_DEPTH,
    EcmaNames,
    Env,
    Key,
    Referent,
    Type,
    is_shallow,
    union,
)
from ghostmem.outline.languages.ecma_.natives import PRIMITIVES, SAME_MEMBERS


class EcmaWritten(EcmaNames):
    """The types of terms and members."""

    def term(self, term: Any, path: str, scope: int, env: Env = ()) -> Type:
        """Return the type of a term."""
        if term is None or self.depth > MAX_DEPTH:
            return None
        self.depth += 1
        resolve = _TERMS.get(term[0])
        found = resolve(self, path, scope, env, *term[1:]) if resolve else None
        self.depth -= 1
        return found

    def terms(self, terms: list[Any], path: str, scope: int, env: Env = ()) -> tuple[Type, ...]:
        """Return the types of terms."""
        return tuple([self.term(term, path, scope, env) for term in terms])

    def values(self, referents: list[Referent]) -> Type:
        """Return the type of the only value among referents, None if there are several."""
        found = [
            one
            for one in referents
            if one[0] != "symbol" or self.symbol(one[1]).kind != "interface"
        ] or referents
        return self.value(found[0]) if len(found) == 1 else None

    def member_type(self, of: Type, name: str) -> Type:
        """Return the type of a member of a type."""
        if of and of[0] == "union":
            return union([self.member_type(part, name) for part in of[1]])
        found = self.member(of, name)
        if len(found) > 1:  # a getter and a setter are one property
            found = [
                one
                for one in found
                if one[0] != "member" or not self.symbol(one[1]).detail.get("set")
            ]
        if len(found) != 1 or not of:
            return None
        if found[0][0] == "native" and of[0] in {"native", "tuple"}:
            return ("native member", of, name)
        if found[0][0] == "external" and of[0] == "external instance":
            return None  # the value of a method does not tell its result
        return self.value(found[0])

    def this(self, path: str, scope: int) -> Type:
        """Return the type of `this` in a scope."""
        scopes = self.detail(path, "scopes")
        while scope >= 0 and scopes[scope][1] is None:
            scope = scopes[scope][0]
        match scopes[scope][1] if scope >= 0 else None:
            case ["c", number, static]:
                key = (path, number)
                if self.symbol(key).kind in {"variable", "constant"}:
                    return ("variable", key)
                return ("class", key) if static else ("instance", key, ())
            case ["o", number]:
                return ("object", path, number)
            case ["t", term, at]:
                return self.term(term, path, at)
            case _:
                return None

    def _intersection(self, path: str, scope: int, env: Env, terms: list[Any]) -> Type:
        parts = self.terms(terms, path, scope, env)
        return ("intersection", parts) if all(parts) else None

    def _type_query(self, path: str, scope: int, _env: Env, name: str) -> Type:
        first, *rest = name.split(".")
        found = self.values(self.referents(path, first, scope)[0])
        for part in rest:
            found = self.member_type(found, part)
        return found

    def _named(self, path: str, scope: int, env: Env, name: str, terms: list[Any]) -> Type:
        arguments = self.terms(terms, path, scope, env)
        referents = self.type_referents(name, path, scope)
        if len(referents) > 1 and all(one[0] == "symbol" for one in referents):
            types = (one for one in referents if self.is_type(one[1]))
            referents = list(types)[:1]  # merged declarations
        match referents:
            case [("symbol", key)]:
                return self._instance(key, arguments)
            case [("type parameter", parameter, at)]:
                bound = dict(env).get(parameter)
                if bound is not None:
                    return bound  # type: ignore[no-any-return]
                names = self.detail(path, "scopes")[at][2]
                return self.term(names["^" + parameter][0][1], path, at)
            case [("native", native)]:
                return self._native(native, arguments)
            case [("external", package, member)]:
                return ("external instance", package, member)
            case [("binding", file, binding, at)]:
                return self.term(binding[1], file, at)
            case _:
                return None

    def _native(self, name: str, arguments: tuple[Type, ...]) -> Type:
        first = arguments[0] if arguments else None
        if name in SAME_MEMBERS and arguments:
            return first
        if name in {"ReturnType", "InstanceType"} and first:
            return self.result(first) if name == "ReturnType" else self.constructed(first, ())
        return ("native", name, arguments)

    def is_type(self, key: Key) -> bool:
        """Tell whether a symbol is a class, an interface or an alias."""
        return self.symbol(key).kind in {"type", "interface"}

    def type_referents(self, name: str, path: str, scope: int) -> list[Referent]:
        """Return the referents of the dotted name of a type."""
        first, *rest = name.split(".")
        referents, _ = self.referents(path, first, scope, types=True)
        if rest and not referents:
            referents, _ = self.referents(path, first, scope)
        for part in rest:
            of = self.values(referents)
            referents = self.member(of, part) if of else []
            if of and of[0] == "namespace":
                inside = self.symbol(of[1]).detail["scope"]
                types, _ = self.referents(of[1][0], part, inside, types=True)
                referents = types or referents
        return referents

    def _instance(self, key: Key, arguments: tuple[Type, ...]) -> Type:
        symbol = self.symbol(key)
        arguments = tuple(one if is_shallow(one) else None for one in arguments)
        if "alias" not in symbol.detail:
            return ("instance", key, arguments) if self.is_type(key) else None
        if key in self.open_aliases:  # an alias of itself
            return None
        self.open_aliases.add(key)
        env = tuple(zip(symbol.detail["tp"], arguments, strict=False))
        found = self.term(symbol.detail["alias"], key[0], symbol.detail["scope"], env)
        self.open_aliases.discard(key)
        return found

    def constructed(self, of: Type, arguments: tuple[Type, ...]) -> Type:
        """Return the type of the result of `new` with a class or a function."""
        match of:
            case ("class", key):
                return ("instance", key, arguments)
            case ("function", key, _):
                return ("instance", key, ())
            case ("native value", name):
                return ("native", name, arguments)
            case ("external", package, name):
                return ("external instance", package, name)
            case _:
                return None


# by the first value of a term: a function of the inference, the file, the scope, the type
# parameters and the other values of the term
_TERMS: dict[str, Callable[..., Type]] = {
    "n": EcmaWritten._named,
    "p": lambda _inference, _path, _scope, _env, name: PRIMITIVES.get(name),
    "arr": lambda inference, path, scope, env, inner: (
        ("native", "Array", (inference.term(inner, path, scope, env),))
    ),
    "tuple": lambda inference, path, scope, env, parts: (
        ("tuple", inference.terms(parts, path, scope, env))
    ),
    "u": lambda inference, path, scope, env, parts: union(
        [*inference.terms(parts, path, scope, env)]
    ),
    "&": EcmaWritten._intersection,
    "fn": lambda _inference, path, scope, env, parameters, result: (
        ("function type", _frozen(parameters), _frozen(result), path, scope, env)
    ),
    "obj": lambda _inference, path, scope, env, members: (
        ("object type", _frozen(members)[1:], path, scope, env)
    ),
    "this": lambda inference, path, scope, _env: inference.this(path, scope),
    "typeof": EcmaWritten._type_query,
    "lookup": lambda inference, path, scope, env, inner, name: inference.member_type(
        inference.term(inner, path, scope, env), name
    ),
}


def _frozen(term: Any) -> Any:
    """Return a term as tuples, which can be a part of a type and still are a term."""
    if isinstance(term, list):
        return tuple(_frozen(part) for part in term)
    if isinstance(term, dict):
        return ("{}", *((name, _frozen(part)) for name, part in sorted(term.items())))
    return term
