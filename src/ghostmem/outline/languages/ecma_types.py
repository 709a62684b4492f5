"""Which type an expression of JavaScript or TypeScript has, as far as the files say; None whenever they do not."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ghostmem.outline.facts import Facts, Symbol
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_paths import Paths
from ghostmem.outline.languages.node_names import (
    ARRAYS,
    EACH,
    ELEMENT,
    GLOBAL_TYPES,
    GLOBAL_VALUES,
    PRIMITIVES,
    PROMISES,
    RETURNS_STRING,
    SAME,
    SAME_ARRAY,
    TEST_GLOBALS,
)

MAX_DEPTH = 40  # steps of one inference
Key = tuple[str, int]  # a symbol: its file and number
Env = tuple[tuple[str, Any], ...]  # type parameters and what they stand for
# A type is a tuple that begins with its sort: inst, cls, fn, anon, ns, mod, var, o, nat, natv, natm, ext, exti, fnt, objt, tup, u
Type = tuple[Any, ...] | None
# A thing is what a name leads to: sym, type, row, mod, native, external
Thing = tuple[Any, ...]


class World:
    """All files of one language, and what has been found out about them."""

    def __init__(self, files: Mapping[str, Facts], read: Read) -> None:
        self.files = {path: files[path] for path in sorted(files)}
        self.paths = Paths(self.files, read)
        self.rows: dict[tuple[str, int], Type] = {}
        self.returns: dict[tuple[str, int, Env], Type] = {}
        self.aliases: set[Key] = set()  # those being followed
        self.depth = 0

    @cached_property
    def children(self) -> dict[tuple[str, int], dict[str, list[int]]]:
        """Return the members of each symbol by name."""
        found: dict[tuple[str, int], dict[str, list[int]]] = {}
        for path, facts in self.files.items():
            for number, one in enumerate(facts.symbols):
                found.setdefault((path, one.parent), {}).setdefault(one.name, []).append(number)
        return found

    def symbol(self, key: Key) -> Symbol:
        """Return a symbol."""
        return self.files[key[0]].symbols[key[1]]

    def detail(self, path: str, name: str) -> Any:
        """Return one of the tables of a file."""
        return self.files[path].detail[name]

    # names

    def lookup(self, path: str, name: str, scope: int, types: bool = False) -> tuple[list[Any], int]:
        """Return what a name is bound to and in which scope, nothing when it is nowhere."""
        scopes = self.detail(path, "scopes")
        while scope >= 0:
            names = scopes[scope][2]
            found = names.get("^" + name if types else name)
            if found is None and types:
                found = [one for one in names.get(name, ()) if one[0] in {"i", "v"}] or None
            if found:
                return found, scope
            scope = scopes[scope][0]
        return [], -1

    def things(self, path: str, name: str, scope: int, types: bool = False) -> tuple[list[Thing], str]:
        """Return what a name leads to, and by which rung."""
        found, at = self.lookup(path, name, scope, types)
        if not found:
            if name in GLOBAL_TYPES or (not types and name in GLOBAL_VALUES | TEST_GLOBALS):
                return [("native", name)], "native"
            return [], ""
        if found[0][0] == "i":
            given = self.files[path].imports[found[0][1]]
            return self.imported(path, given.path, given.name), "import"
        if found[0][0] == "s":
            return [("sym", (path, one[1])) for one in found if one[0] == "s"], "local" if self._is_inside(path, at) else "module"
        if found[0][0] == "t":
            return [("param", name, at)], "local"
        return [("value", path, found[-1], at)] if len(found) == 1 else [], "local"

    def _is_inside(self, path: str, scope: int) -> bool:
        return scope != 0 and not any(one.kind == "module" and one.detail["scope"] == scope for one in self.files[path].symbols)

    def imported(self, path: str, module: str, name: str) -> list[Thing]:
        """Return what a name of a module leads to."""
        where, place = self.paths.find(path, module)
        if where == "file":
            return self.export(place, name, frozenset())
        if where == "missing":
            return []
        whole = name in {"*", "=", "default", ""}
        if where == "native":
            return [("native", place if whole else f"{place}.{name}")]
        return [("external", place, "" if whole else name)]

    def export(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> list[Thing]:
        """Return what a file hands out under a name, following re-exports."""
        if (path, name) in seen or len(seen) > MAX_DEPTH:
            return []
        seen |= {(path, name)}
        exports = self.detail(path, "exports")
        if name == "*" or (name == "=" and "=" not in exports):
            return [("mod", path)]
        if name not in exports and "=" in exports:
            whole = self.export(path, "=", seen)
            return whole if name == "default" else [one for thing in whole for one in self.member(self.value(thing), name)]
        if name in exports:
            return self._exported(path, exports[name], seen)
        if name == "default":
            return [("mod", path)] if exports and not self.detail(path, "stars") and self._is_commonjs(path) else []
        return self._starred(path, name, seen)

    def _is_commonjs(self, path: str) -> bool:
        return any(one[0] in {"expr", "sym"} for name, one in self.detail(path, "exports").items() if name != "default")

    def _exported(self, path: str, what: list[Any], seen: frozenset[tuple[str, str]]) -> list[Thing]:
        if what[0] == "sym":
            return [("sym", (path, what[1]))]
        if what[0] == "expr":
            return [("row", path, what[1])]
        if what[0] == "from":
            where, place = self.paths.find(path, what[1])
            return self.export(place, what[2], seen) if where == "file" else self.imported(path, what[1], what[2])
        value, _ = self.things(path, what[1], 0)
        kind, _ = self.things(path, what[1], 0, types=True)
        outside = [one for one in value if one[0] != "native" or self.lookup(path, what[1], 0)[0]]
        return outside + [
            one for one in kind if one not in outside and (one[0] != "native" or self.lookup(path, what[1], 0, True)[0])
        ]

    def _starred(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> list[Thing]:
        """Return a name that comes through `export *`, when just one source has it."""
        found: list[list[Thing]] = []
        outside: list[list[Thing]] = []
        for module in self.detail(path, "stars"):
            where, place = self.paths.find(path, module)
            given = self.export(place, name, seen) if where == "file" else self.imported(path, module, name)
            rows = found if where == "file" else outside
            if given and given not in rows:
                rows.append(given)
        rows = found or outside
        return rows[0] if len(rows) == 1 else []

    # types

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
                return self.term(binding[1], path, scope) if binding[1] is not None else self.type_of(path, binding[2])
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
        found = [one for one in things if one[0] != "sym" or self.symbol(one[1]).kind != "interface"] or things
        return self.value(found[0]) if len(found) == 1 else None

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
                return self._called(path, target, given, tuple(self.term(kind, path, scope) for kind in types))
            case ["new", target, types, scope]:
                return self._made(self.type_of(path, target), tuple(self.term(kind, path, scope) for kind in types))
            case ["at", target, at]:
                kind = self.type_of(path, target)
                return kind[1][at] if kind and kind[0] == "tup" and 0 <= at < len(kind[1]) else self.element(kind)
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
            case ["o", _, _]:
                return ("o", path, number)
            case ["req", module, later]:
                found = self.values(self.imported(path, module, "*" if later else "="))
                return ("nat", "Promise", (found,)) if later else found
            case ["param", function, at]:
                return self._parameter(path, function, at)
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

    def base(self, kind: Type) -> Type:
        """Return what `super` is to a class or an instance of it."""
        if not kind or kind[0] not in {"inst", "cls"} or not self.symbol(kind[1]).detail.get("ext"):
            return None
        one = self.symbol(kind[1])
        found = self.heir(one.detail["ext"][0], kind[1][0], one.detail["scope"], ())
        return ("cls", found[1]) if found and found[0] == "inst" and kind[0] == "cls" else found

    def heir(self, term: Any, path: str, scope: int, env: Env) -> Type:
        """Return the type that a class says it extends."""
        if term and term[0] == "x":
            made = self.type_of(path, term[1])
            return self._made(made, ())
        if term and term[0] == "n":  # the name of a class is a value, so it may be a variable too
            first, *rest = term[1].split(".")
            kind = self.values(self.things(path, first, scope)[0]) if self.lookup(path, first, scope)[0] else None
            for part in rest:
                kind = self.member_type(kind, part)
            if kind and kind[0] in {"cls", "ext", "natv", "fn"}:
                return self._made(kind, tuple(self.term(one, path, scope, env) for one in term[2]))
        return self.term(term, path, scope, env)

    def _made(self, kind: Type, types: tuple[Type, ...]) -> Type:
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
                return self._named(name, tuple(self.term(one, path, scope, env) for one in given), path, scope, env)
            case ["p", name]:
                return ("null",) if name in {"null", "undefined", "void", "never"} else self._primitive(name)
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
                return ("objt", tuple((name, _frozen(kind)) for name, kind in sorted(members.items())), path, scope, env)
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

    @staticmethod
    def _primitive(name: str) -> Type:
        return ("nat", PRIMITIVES[name], ()) if name in PRIMITIVES else None

    def _named(self, name: str, given: tuple[Type, ...], path: str, scope: int, env: Env) -> Type:
        things = self.type_things(name, path, scope)
        if len(things) > 1 and all(one[0] == "sym" for one in things):
            things = [one for one in things if self.symbol(one[1]).kind in {"type", "interface"}][:1]  # merged declarations
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
                    return self.result(given[0]) if one == "ReturnType" else self._made(given[0], ())
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
                things = self.things(kind[1][0], part, space.detail["scope"], types=True)[0] or things
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

    def awaited(self, kind: Type) -> Type:
        """Return what awaiting a value gives."""
        if kind and kind[0] == "u":
            return union([self.awaited(one) for one in kind[1]])
        return (kind[2][0] if kind[2] else None) if kind and kind[0] == "nat" and kind[1] in PROMISES else kind

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

    # members

    def member(self, kind: Type, name: str, seen: frozenset[Key] = frozenset()) -> list[Thing]:
        """Return what a member of a value is."""
        match kind:
            case ("inst" | "cls", key, *given):
                found = self._class_member(key, name, kind[0] == "cls", given[0] if given else (), seen)
                return found or (self._assigned(key, name) if kind[0] == "inst" else self._beside(key, name))
            case ("var", key):
                held = self.children.get(key, {}).get(name, [])
                if held:
                    return [("sym", (key[0], one)) for one in held]
                one = self.symbol(key)
                return self.member(self.type_of(key[0], one.detail.get("value", -1)), name) or self._beside(key, name)
            case ("fn", key, _):
                held = [
                    one for one in self.children.get(key, {}).get(name, []) if self.symbol((key[0], one)).detail.get("static")
                ]
                return [("sym", (key[0], one)) for one in held] or self._beside(key, name)
            case ("o", path, number):
                held = self.detail(path, "rows")[number][1].get(name)
                return [("row", path, held)] if held is not None and held >= 0 else []
            case ("mod", path):
                return self.export(path, name, frozenset())
            case ("ns", key):
                one = self.symbol(key)
                names = self.detail(key[0], "scopes")[one.detail["scope"]][2]
                return self.things(key[0], name, one.detail["scope"])[0] if name in names else []
            case ("nat", one, _) | ("natv", one):
                return [("native", f"{one}.{name}")]
            case ("ext" | "exti", package, one):
                return [("external", package, f"{one}.{name}" if one else name)]
            case ("tup", _):
                return [("native", f"Array.{name}")]
            case ("objt", members, path, scope, env):
                return [("type", self.term(_thawed(dict(members)[name]), path, scope, env))] if name in dict(members) else []
            case ("&", parts):
                return next((found for found in (self.member(part, name, seen) for part in parts) if found), [])
            case ("u", parts):
                several = [self.member(part, name, seen) for part in parts]
                return [one for some in several for one in some] if all(several) else []
            case _:
                return []

    def _class_member(self, key: Key, name: str, static: bool, given: tuple[Type, ...], seen: frozenset[Key]) -> list[Thing]:
        if key in seen or len(seen) > MAX_DEPTH:
            return []
        one = self.symbol(key)
        env = tuple(zip(one.detail.get("tp", []), given, strict=False))
        for peer in self._merged(key):
            held = [number for number in self.children.get(peer, {}).get(name, []) if self._on_side((peer[0], number), static)]
            if held:
                return [("member", (peer[0], number), env) for number in held]
        for peer in self._merged(key):
            detail = self.symbol(peer).detail
            for term in [*detail.get("ext", []), *(detail.get("impl", []) if one.kind != "type" else [])]:
                above = self.heir(term, peer[0], detail["scope"], env)
                above = ("cls", above[1]) if above and above[0] == "inst" and static else above
                found = self.member(above, name, seen | {key})
                if found or above is None:
                    return found
        return []

    def _assigned(self, key: Key, name: str) -> list[Thing]:
        """Return what a class puts in a field that it does not declare, when all that is put there is known."""
        put = self.symbol(key).detail.get("set", {}).get(name)
        kind = union([self.type_of(key[0], row) for row in put]) if put else None
        return [("type", kind)] if kind else []

    def _beside(self, key: Key, name: str) -> list[Thing]:
        """Return what a CommonJS file hands out beside the one value that stands for it."""
        exports = self.detail(key[0], "exports")
        if name == "=" or name not in exports or "=" not in exports:
            return []
        same = self._exported(key[0], exports["="], frozenset()) == [("sym", key)]
        return self._exported(key[0], exports[name], frozenset()) if same else []

    def _on_side(self, key: Key, static: bool) -> bool:
        one = self.symbol(key)
        if one.kind == "function" and self.symbol((key[0], one.parent)).kind == "function":
            return False  # a function nested in another is not its member
        return bool(one.detail.get("static")) == static

    def _merged(self, key: Key) -> list[Key]:
        """Return the declarations that are one type: an interface may be declared more than once, also beside a class."""
        one = self.symbol(key)
        rows = self.children.get((key[0], one.parent), {}).get(one.name, [])
        same = [(key[0], number) for number in rows if self.files[key[0]].symbols[number].kind in {"type", "interface"}]
        return [key, *(peer for peer in same if peer != key)]

    def member_type(self, kind: Type, name: str) -> Type:
        """Return the type of a member of a value."""
        if kind and kind[0] == "u":
            return union([self.member_type(one, name) for one in kind[1]])
        found = self.member(kind, name)
        if len(found) > 1:  # a getter and a setter are one property
            found = [one for one in found if one[0] != "member" or not self.symbol(one[1]).detail.get("set")]
        if len(found) != 1:
            return None
        match found[0]:
            case ("member", key, env):
                return self._symbol_value(key, env)
            case ("native", dotted) if kind and kind[0] in {"nat", "tup"}:
                return ("natm", kind, name) if dotted else None
            case ("external", _, _) if kind and kind[0] == "exti":
                return None  # a method's own value says nothing about what it returns
            case _:
                return self.value(found[0])

    # calls

    def result(self, kind: Type, types: tuple[Type, ...] = (), given: tuple[str, tuple[int, ...]] = ("", ())) -> Type:
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
                return self.term(_thawed(term), path, scope, env)
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

    def _called(self, path: str, target: int, given: list[int], types: tuple[Type, ...]) -> Type:
        kind = self.type_of(path, target)
        one: list[Any] = self.detail(path, "rows")[target] if target >= 0 else ["?"]
        if one[0] == "m" and one[2] in {"bind", "call", "apply"}:
            held = self.type_of(path, one[1])
            if held and held[0] in {"fn", "anon"}:
                return held if one[2] == "bind" else self.result(held)
        if one[0] == "m" and kind and kind[0] == "fn":
            record = self.detail(kind[1][0], "functions")[self.symbol(kind[1]).detail["f"]]
            if record["ret"] == ["this"] or (record["ret"] is None and self._returns_this(kind[1][0], record)):
                return self.type_of(path, one[1])
        return self.result(kind, types, (path, tuple(given)))

    def _returns_this(self, path: str, record: dict[str, Any]) -> bool:
        rows = self.detail(path, "rows")
        return bool(record["rets"]) and not record["async"] and all(one >= 0 and rows[one][0] == "this" for one in record["rets"])

    def return_of(
        self, path: str, number: int, env: Env, types: tuple[Type, ...] = (), given: tuple[str, tuple[int, ...]] = ("", ())
    ) -> Type:
        """Return what a function gives back: as it is written, or what all its return statements give."""
        record = self.detail(path, "functions")[number]
        if record["ret"] is not None:
            return self.term(record["ret"], path, record["scope"], env + self._inferred(record, types, given))
        declared = self.symbol((path, record["sym"])).detail.get("type") if record["sym"] >= 0 else None
        if declared is not None:
            return self.result(self.term(declared, path, record["scope"], env))
        if record["gen"] or not record["rets"]:
            return None
        found = union([self.type_of(path, one) for one in record["rets"]])
        return ("nat", "Promise", (self.awaited(found),)) if record["async"] else found

    def _inferred(self, record: dict[str, Any], types: tuple[Type, ...], given: tuple[str, tuple[int, ...]]) -> Env:
        """Return the type parameters of a call: written, or a plain parameter's own."""
        if types:
            return tuple(zip(record["tp"], types, strict=False))
        found: dict[str, Type] = {}
        for term, number in zip(record["types"], given[1], strict=False):
            if term and term[0] == "n" and term[1] in record["tp"]:
                found.setdefault(term[1], self.type_of(given[0], number))
            elif term and term[0] == "arr" and term[1] and term[1][0] == "n" and term[1][1] in record["tp"]:
                found.setdefault(term[1][1], self.element(self.type_of(given[0], number)))
        return tuple(sorted((name, kind) for name, kind in found.items() if kind))

    def _native_result(self, held: tuple[Any, ...], name: str, given: tuple[str, tuple[int, ...]]) -> Type:
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
            result = self.result(self.type_of(given[0], given[1][0])) if name == "then" and given[1] else None
            return ("nat", "Promise", (self.awaited(result),)) if result else ("nat", "Promise", ())
        if kind == "Map" and held[2]:
            return {"get": held[2][-1], "values": ("nat", "Array", held[2][-1:]), "keys": ("nat", "Array", held[2][:1])}.get(name)
        if name == "split":
            return ("nat", "Array", (("nat", "String", ()),))
        return ("nat", "String", ()) if name in RETURNS_STRING and kind in {"String", "Number", "Date"} else None

    def _parameter(self, path: str, number: int, at: int) -> Type:
        record = self.detail(path, "functions")[number]
        if at < len(record["types"]) and record["types"][at] is not None:
            return self.term(record["types"][at], path, record["scope"])
        declared = self.symbol((path, record["sym"])).detail.get("type") if record["sym"] >= 0 else None
        if declared is not None:
            return self._taken(self.term(declared, path, record["scope"]), at)
        return self._context(path, record["ctx"], at) if record["ctx"] else None

    def _constructor(self, kind: Type, types: tuple[Type, ...]) -> Type:
        held = self.children.get(kind[1], {}).get("constructor", []) if kind and kind[0] == "cls" else []
        if not kind or len(held) != 1:
            return None
        return ("fn", (kind[1][0], held[0]), tuple(zip(self.symbol(kind[1]).detail["tp"], types, strict=False)))

    def _taken(self, kind: Type, at: int) -> Type:
        if kind and kind[0] == "fnt" and at < len(kind[1]):
            return self.term(_thawed(kind[1][at]), kind[3], kind[4], kind[5])
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
                first = (name in EACH and at == 0) or (name in {"sort", "toSorted"} and at < 2) or (name == "reduce" and at == 1)
                return self.element(held) if first else None
            case ("natm", ("nat", one, given), "then") if one in PROMISES and position == 0 and at == 0:
                return given[0] if given else None
            case ("fn", key, env):
                record = self.detail(key[0], "functions")[self.symbol(key).detail["f"]]
                known = position < len(record["types"]) and not self.symbol(key).detail.get("over")
                return self._taken(self.term(record["types"][position], key[0], record["scope"], env), at) if known else None
            case _:
                return None


def union(kinds: list[Type]) -> Type:
    """Return one type for several: None as soon as one is unknown, without what is empty."""
    if not kinds or any(one is None for one in kinds):
        return None
    flat = [part for one in kinds if one for part in (one[1] if one[0] == "u" else (one,))]
    real = list(dict.fromkeys(one for one in flat if one[0] != "null"))
    return real[0] if len(real) == 1 else ("u", tuple(real)) if real else ("null",)


def is_shallow(kind: Any, levels: int = 12) -> bool:
    """Say whether a type is of a depth that a person writes; a class that extends itself made for itself grows without end."""
    return not isinstance(kind, tuple) or (levels > 0 and all(is_shallow(one, levels - 1) for one in kind))


def _frozen(term: Any) -> Any:
    if isinstance(term, list):
        return tuple(_frozen(one) for one in term)
    if isinstance(term, dict):
        return ("{}", *((name, _frozen(one)) for name, one in sorted(term.items())))
    return term


def _thawed(term: Any) -> Any:
    if isinstance(term, tuple):
        if term and term[0] == "{}":
            return {name: _thawed(one) for name, one in term[1:]}
        return [_thawed(one) for one in term]
    return term
