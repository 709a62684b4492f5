"""Which type an expression of JavaScript or TypeScript has, as far as the files say.

None whenever they do not.
"""

from typing import Any

from ghostmem.outline.languages.ecma_.names import MAX_DEPTH, Env, Key, Thing, Type, union
from ghostmem.outline.languages.ecma_.results import Results


class EcmaInference(Results):
    """Type expressions."""

    def type_of(self, path: str, number: int) -> Type:
        """Return the type of an expression."""
        if number < 0 or self.depth > MAX_DEPTH:
            return None
        if (path, number) not in self.rows:
            self.rows[path, number] = None  # what depends on itself is unknown
            self.depth += 1
            self.rows[path, number] = self._type_of(path, number, self.detail(path, "rows")[number])
            self.depth -= 1
        return self.rows[path, number]

    def _type_of(self, path: str, number: int, one: list[Any]) -> Type:
        match one:
            case ["id", name, scope]:
                return self.values(self.things(path, name, scope)[0])
            case ["this", scope]:
                return self.this(path, scope)
            case ["super", scope]:
                return self.base(self.this(path, scope))
            case ["lit", name]:
                return ("null",) if name == "null" else ("nat", name, ())
            case ["m", target, name]:
                return self.member_type(self.type_of(path, target), name)
            case ["c", target, given, types, scope]:
                return self.called(
                    path, target, given, tuple(self.term(kind, path, scope) for kind in types)
                )
            case ["new", target, types, scope]:
                return self.made(
                    self.type_of(path, target),
                    tuple(self.term(kind, path, scope) for kind in types),
                )
            case ["at", target, at]:
                kind = self.type_of(path, target)
                return (
                    kind[1][at]
                    if kind and kind[0] == "tup" and 0 <= at < len(kind[1])
                    else self.element(kind)
                )
            case ["el", target]:
                return self.element(self.type_of(path, target))
            case ["aw", target]:
                return self.awaited(self.type_of(path, target))
            case ["as", term, scope]:
                return self.term(term, path, scope)
            case ["u", parts]:
                return union([self.type_of(path, part) for part in parts])
            case ["arr", parts]:
                return ("nat", "Array", (union([self.type_of(path, part) for part in parts]),))
            case ["f", function]:
                sym = self.detail(path, "functions")[function]["sym"]
                return ("fn", (path, sym), ()) if sym >= 0 else ("anon", path, function)
            case ["cls", sym]:
                return ("cls", (path, sym)) if sym >= 0 else None
            case ["o", _]:
                return ("o", path, number)
            case ["req", module, later]:
                found = self.values(self.imported(path, module, "*" if later else "="))
                return ("nat", "Promise", (found,)) if later else found
            case ["param", function, at]:
                return self.parameter(path, function, at)
            case _:
                return None

    def this(self, path: str, scope: int) -> Type:
        """Return what `this` is in a scope."""
        scopes = self.detail(path, "scopes")
        while scope >= 0 and scopes[scope][1] is None:
            scope = scopes[scope][0]
        match scopes[scope][1] if scope >= 0 else None:
            case ["c", sym, static]:
                if self.symbol((path, sym)).kind in {"variable", "constant"}:
                    return ("var", (path, sym))
                return ("cls", (path, sym)) if static else ("inst", (path, sym), ())
            case ["o", number]:
                return ("o", path, number)
            case ["t", term, at]:
                return self.term(term, path, at)
            case _:
                return None

    def value(self, thing: Thing) -> Type:
        """Return the type of what a name leads to, when it stands for a value."""
        match thing:
            case ("sym", key):
                return self._symbol_value(key)
            case ("member", key, env):
                return self._symbol_value(key, env)
            case ("type", kind):
                return kind  # type: ignore[no-any-return]
            case ("row", path, number):
                return self.type_of(path, number)
            case ("value", path, binding, scope):
                return (
                    self.term(binding[1], path, scope)
                    if binding[1] is not None
                    else self.type_of(path, binding[2])
                )
            case ("native", name):
                return ("natv", name)
            case ("external", package, name):
                return ("ext", package, name)
            case ("mod", path):
                return ("mod", path)
            case _:
                return None

    def _symbol_value(self, key: Key, env: Env = ()) -> Type:
        one = self.symbol(key)
        if one.kind == "module":
            return ("ns", key)
        if one.kind in {"type", "interface"}:
            return ("cls", key)
        if one.detail.get("get"):
            return self.return_of(key[0], one.detail["f"], env)
        if one.detail.get("set"):
            return None
        if "f" in one.detail:
            return ("fn", key, env)
        if one.kind == "constant" and one.detail.get("static"):
            return ("inst", (key[0], one.parent), ())
        if self.children.get(key):
            return ("var", key)
        scope = one.detail.get("scope", 0)
        if one.detail.get("type") is not None:
            return self.term(one.detail["type"], key[0], scope, env)
        return self.type_of(key[0], one.detail.get("value", -1))

    def values(self, things: list[Thing]) -> Type:
        """Return the type of what a name leads to, None when it leads to more than one value."""
        found = [
            one for one in things if one[0] != "sym" or self.symbol(one[1]).kind != "interface"
        ] or things
        return self.value(found[0]) if len(found) == 1 else None


def class_of(kind: Type) -> list[Thing]:
    """Return the class of a type, as what a name leads to."""
    match kind:
        case ("inst" | "cls", key, *_):
            return [("sym", key)]
        case ("nat" | "natv", name, *_):
            return [("native", name)]
        case ("exti" | "ext", package, name):
            return [("external", package, name)]
        case _:
            return []


def function_of(kind: Type) -> list[Thing]:
    """Return the function or class that a type is, as what a name leads to."""
    match kind:
        case ("fn", key, _) | ("cls", key):
            return [("sym", key)]
        case ("natv", name):
            return [("native", name)]
        case ("natm", held, name):
            return [("native", f"{held[1] if held[0] == 'nat' else 'Array'}.{name}")]
        case ("ext", package, name):
            return [("external", package, name)]
        case _:
            return []
