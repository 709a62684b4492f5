"""The types that are written in Java, and those of fields and variables."""

from collections.abc import Mapping
from typing import Any

from ghostmem.outline.languages.java_.world import JavaWorld
from ghostmem.outline.languages.shared.types import MAX_DEPTH, Env, Key, Type, is_shallow


class Fields(JavaWorld):
    """Follow written types and fields."""

    def term(self, term: Any, path: str, scope: int, env: Env = ()) -> Type:
        """Return the type that is written somewhere."""
        if term is None or self.depth > MAX_DEPTH:
            return None
        match term:
            case ["p", name]:
                return ("null",) if name == "void" else ("prim", name)
            case ["arr", inner]:
                return ("arr", self.term(inner, path, scope, env))
            case ["sym", number]:
                return ("inst", (path, number), ())
            case ["n", name, given]:
                self.depth += 1
                found = self._instance(name, given, path, scope, env)
                self.depth -= 1
                return found
            case _:
                return None

    def _instance(self, name: str, given: list[Any], path: str, scope: int, env: Env) -> Type:
        found, _ = self.class_named(path, name, scope)
        match found:
            case ("param", one, at):
                bound = dict(env).get(one)
                return (
                    bound
                    if bound is not None
                    else self.term(self.detail(path, "scopes")[at][2]["^" + one][0][1], path, at)
                )
            case ("cls", key):
                return ("inst", key, self._arguments(given, path, scope, env))
            case ("outc", one):
                return ("out", one, self._arguments(given, path, scope, env))
            case _:
                return None

    def _arguments(self, given: list[Any], path: str, scope: int, env: Env) -> tuple[Type, ...]:
        found = (self.term(one, path, scope, env) for one in given)
        return tuple(kind if is_shallow(kind) else None for kind in found)

    def supers(self, key: Key, given: tuple[Type, ...]) -> list[Type]:
        """Return what a class extends and implements, None for what is not known."""
        if (key, given) not in self.above:
            one = self.symbol(key)
            env = tuple(zip(one.detail.get("tp", []), given, strict=False))
            # a class's own head is read from outside it, but for its type parameters
            outside = self.detail(key[0], "scopes")[one.detail["scope"]][0]
            names = dict.fromkeys(one.detail.get("tp", []))
            terms = [*one.detail.get("ext", []), *one.detail.get("impl", [])]
            found = [
                self.term(
                    term, key[0], one.detail["scope"] if _mentions(term, names) else outside, env
                )
                for term in terms
            ]
            self.above[key, given] = found
        return self.above[key, given]

    def variable(self, path: str, name: str, scope: int) -> tuple[Type, Key | None, str]:
        """Return the type of a plain name, the field that it is if it is one, and by which rung."""
        scopes, start = self.detail(path, "scopes"), scope
        while scope >= 0:
            parent, sym, names = scopes[scope]
            if name in names:
                _, term, number = names[name][-1]
                return (
                    (
                        self.term(term, path, scope)
                        if term is not None
                        else self.type_of(path, number)
                    ),
                    None,
                    "variable",
                )
            if sym is not None:
                key, env = self.field(("inst", (path, sym), ()), name)
                if key:
                    return self.field_type(key, env), key, "receiver"
            scope = parent
        key = self._static_import(path, name)
        if key:
            return self.field_type(key, ()), key, "import"
        found, via = self.class_named(path, name, start)
        return (found if found and found[0] in {"cls", "outc"} else None), None, via

    def _static_import(self, path: str, name: str) -> Key | None:
        found = []
        for one in self.files[path].imports:
            if one.detail and (one.star or one.name == name):
                holder = self.class_at_name(one.path if one.star else one.path.rpartition(".")[0])
                key, _ = self.field(holder, name) if holder and holder[0] == "cls" else (None, ())
                found += [key] if key else []
        return found[0] if len(set(found)) == 1 else None

    def field(
        self, kind: Type, name: str, seen: frozenset[Key] = frozenset()
    ) -> tuple[Key | None, Env]:
        """Return the field that a value of a type has under a name."""
        if not kind or kind[0] not in {"inst", "cls"} or kind[1] in seen or len(seen) > MAX_DEPTH:
            return None, ()
        given = kind[2] if kind[0] == "inst" else ()
        rows = self.named_children(kind[1], name, frozenset({"field", "constant"}))
        if rows:
            return rows[0], tuple(
                zip(self.symbol(kind[1]).detail.get("tp", []), given, strict=False)
            )
        for above in self.supers(kind[1], given):
            key, env = self.field(above, name, seen | {kind[1]})
            if key:
                return key, env
        return None, ()

    def field_type(self, key: Key, env: Env) -> Type:
        """Return the type of a field."""
        one = self.symbol(key)
        if one.detail.get("enum"):
            return ("inst", (key[0], one.parent), ())
        return self.term(one.detail.get("type"), key[0], one.detail.get("scope", 0), env)

    def type_of_field(self, path: str, target: int, name: str) -> Type:
        """Return the type of `target.name`: a field, a class inside a class, or a class by its full
        name.
        """
        kind = self.type_of(path, target)
        key, env = self.field(kind, name)
        if key:
            return self.field_type(key, env)
        if kind and kind[0] in {"cls", "outc"}:
            inner = self.nested(kind, name)
            if inner and inner[0] == "outc":
                return inner if name[:1].isupper() and not name.isupper() else ("natv", inner[1])
            return inner
        dotted = self.dotted(path, target)
        if kind is None and dotted:
            return self.class_named(path, f"{dotted}.{name}", 0)[0]
        return None

    def dotted(self, path: str, number: int) -> str:
        """Return an expression as a dotted name when it is but names, as the package of a
        class is.
        """
        if number < 0:
            return ""
        match self.detail(path, "rows")[number]:
            case ["id", name, scope]:
                return name if self.variable(path, name, scope)[2] == "" else ""
            case ["f", target, name]:
                before = self.dotted(path, target)
                return f"{before}.{name}" if before else ""
            case _:
                return ""


def _mentions(term: Any, names: Mapping[str, Any]) -> bool:
    if isinstance(term, list):
        return any(_mentions(one, names) for one in term)
    return isinstance(term, str) and term in names
