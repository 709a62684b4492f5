"""The types that are written somewhere: names, type parameters, aliases, functions, objects."""

from typing import Any

from ghostmem.outline.languages.ecma_.names import (
    MAX_DEPTH,
    EcmaNames,
    Env,
    Key,
    Thing,
    Type,
    is_shallow,
    union,
)
from ghostmem.outline.languages.ecma_.natives import PRIMITIVES, SAME


class EcmaWritten(EcmaNames):
    """Follow written types."""

    def term(self, term: Any, path: str, scope: int, env: Env = ()) -> Type:
        """Return the type that is written somewhere."""
        if term is None or self.depth > MAX_DEPTH:
            return None
        self.depth += 1
        found = self._term(term, path, scope, env)
        self.depth -= 1
        return found

    def _term(self, term: list[Any], path: str, scope: int, env: Env) -> Type:
        match term:
            case ["n", name, given]:
                return self._named(
                    name, tuple(self.term(one, path, scope, env) for one in given), path, scope, env
                )
            case ["p", name]:
                return (
                    ("null",)
                    if name in {"null", "undefined", "void", "never"}
                    else ("nat", PRIMITIVES[name], ())
                    if name in PRIMITIVES
                    else None
                )
            case ["arr", inner]:
                return ("nat", "Array", (self.term(inner, path, scope, env),))
            case ["tuple", parts]:
                return ("tup", tuple(self.term(one, path, scope, env) for one in parts))
            case ["u", parts]:
                return union([self.term(one, path, scope, env) for one in parts])
            case ["&", parts]:
                found = [self.term(one, path, scope, env) for one in parts]
                return ("&", tuple(one for one in found if one)) if all(found) else None
            case ["fn", given, result]:
                return ("fnt", _frozen(given), _frozen(result), path, scope, env)
            case ["obj", members]:
                return (
                    "objt",
                    tuple((name, _frozen(kind)) for name, kind in sorted(members.items())),
                    path,
                    scope,
                    env,
                )
            case ["this"]:
                return self.this(path, scope)
            case ["typeof", name]:
                first, *rest = name.split(".")
                kind = self.values(self.things(path, first, scope)[0])
                for part in rest:
                    kind = self.member_type(kind, part)
                return kind
            case ["lookup", inner, name]:
                return self.member_type(self.term(inner, path, scope, env), name)
            case _:
                return None

    def _named(self, name: str, given: tuple[Type, ...], path: str, scope: int, env: Env) -> Type:
        things = self.type_things(name, path, scope)
        if len(things) > 1 and all(one[0] == "sym" for one in things):
            things = [one for one in things if self.symbol(one[1]).kind in {"type", "interface"}][
                :1
            ]  # merged declarations
        match things:
            case [("sym", key)]:
                return self._instance(key, given)
            case [("param", one, at)]:
                bound = dict(env).get(one)
                if bound is not None:
                    return bound  # type: ignore[no-any-return]
                return self.term(self.detail(path, "scopes")[at][2]["^" + one][0][1], path, at)
            case [("native", one)]:
                if one in SAME and given:
                    return given[0]
                if one in {"ReturnType", "InstanceType"} and given and given[0]:
                    return self.result(given[0]) if one == "ReturnType" else self.made(given[0], ())
                return ("nat", one, given)
            case [("external", package, one)]:
                return ("exti", package, one)
            case [("value", where, binding, at)]:
                return self.term(binding[1], where, at)
            case _:
                return None

    def type_things(self, name: str, path: str, scope: int) -> list[Thing]:
        """Return what the name of a type leads to, a part at a time."""
        first, *rest = name.split(".")
        things, _ = self.things(path, first, scope, types=True)
        if rest and not things:
            things, _ = self.things(path, first, scope)
        for part in rest:
            kind = self.values(things)
            things = self.member(kind, part) if kind else []
            if kind and kind[0] == "ns":
                space = self.symbol(kind[1])
                things = (
                    self.things(kind[1][0], part, space.detail["scope"], types=True)[0] or things
                )
        return things

    def _instance(self, key: Key, given: tuple[Type, ...]) -> Type:
        one = self.symbol(key)
        given = tuple(kind if is_shallow(kind) else None for kind in given)
        if "alias" in one.detail:
            if key in self.aliases:  # an alias of itself
                return None
            self.aliases.add(key)
            env = tuple(zip(one.detail["tp"], given, strict=False))
            found = self.term(one.detail["alias"], key[0], one.detail["scope"], env)
            self.aliases.discard(key)
            return found
        return ("inst", key, given) if one.kind in {"type", "interface"} else None

    def made(self, kind: Type, types: tuple[Type, ...]) -> Type:
        """Return what `new` makes of a class or a function."""
        match kind:
            case ("cls", key):
                return ("inst", key, types)
            case ("fn", key, _):
                return ("inst", key, ())
            case ("natv", name):
                return ("nat", name, types)
            case ("ext", package, name):
                return ("exti", package, name)
            case _:
                return None


def _frozen(term: Any) -> Any:
    if isinstance(term, list):
        return tuple(_frozen(one) for one in term)
    if isinstance(term, dict):
        return ("{}", *((name, _frozen(one)) for name, one in sorted(term.items())))
    return term


def thawed(term: Any) -> Any:
    """Return a frozen term as the lists and mappings it was."""
    if isinstance(term, tuple):
        if term and term[0] == "{}":
            return {name: thawed(one) for name, one in term[1:]}
        return [thawed(one) for one in term]
    return term
