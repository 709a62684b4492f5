"""Which type an expression of Java has, and what a name means, as far as the files say; None whenever they do not."""

from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Symbol
from ghostmem.outline.languages.java_names import EACH, ELEMENT, NATIVE, OBJECT, PACKAGES, SAME

MAX_DEPTH = 40
Key = tuple[str, int]
Env = tuple[tuple[str, Any], ...]
# A type is a tuple that begins with its sort: inst and cls of the project, out and outc of elsewhere, natv, arr, prim, u, null
Type = tuple[Any, ...] | None


def is_native(name: str) -> bool:
    """Say whether a qualified name belongs to Java itself."""
    return name.startswith(NATIVE)


class World:
    """All files, and what has been found out about them."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = {path: files[path] for path in sorted(files)}
        self.children: dict[Key, dict[str, list[int]]] = {}
        self.tops: dict[str, list[Key]] = {}  # qualified name: the classes
        self.packages: set[str] = set()
        self.rows: dict[Key, Type] = {}
        self.bases: dict[Key, list[Key]] = {}
        self.classes: dict[tuple[str, str, int], tuple[Type, str]] = {}
        self.above: dict[tuple[Key, tuple[Type, ...]], list[Type]] = {}
        self.depth = 0
        for path, facts in self.files.items():
            self.packages.add(facts.package)
            for number, one in enumerate(facts.symbols):
                self.children.setdefault((path, one.parent), {}).setdefault(one.name, []).append(number)
                if one.parent == FILE:
                    self.tops.setdefault(f"{facts.package}.{one.name}".lstrip("."), []).append((path, number))

    def symbol(self, key: Key) -> Symbol:
        """Return a symbol."""
        return self.files[key[0]].symbols[key[1]]

    def detail(self, path: str, name: str) -> Any:
        """Return one of the tables of a file."""
        return self.files[path].detail[name]

    def named_children(self, key: Key, name: str, kinds: frozenset[str]) -> list[Key]:
        """Return the members of a symbol that have a name and are of a kind."""
        rows = [(key[0], number) for number in self.children.get(key, {}).get(name, [])]
        return [one for one in rows if self.symbol(one).kind in kinds]

    # names of types

    def class_named(self, path: str, name: str, scope: int) -> tuple[Type, str]:
        """Return the class that a dotted name stands for and by which rung; a type parameter is ("param", name, scope)."""
        key = (path, name, scope)
        if key not in self.classes:
            found = self._class_named(path, name, scope)
            self.classes.setdefault(key, found)
        return self.classes[key]

    def _class_named(self, path: str, name: str, scope: int) -> tuple[Type, str]:
        first, *rest = name.split(".")
        found, via = self._simple(path, first, scope)
        at = 0
        if found is None and rest:
            found, at = self._qualified(name)
            via = "package" if found and found[0] == "cls" else ""
        for part in rest[at:]:
            found = self._nested(found, part)
        return found, "native" if found and found[0] == "outc" and is_native(found[1]) else via

    def _qualified(self, name: str) -> tuple[Type, int]:
        parts = name.split(".")
        for cut in range(len(parts), 1, -1):
            rows = self.tops.get(".".join(parts[:cut]), [])
            if len(rows) == 1:
                return ("cls", rows[0]), cut - 1
        if parts[0].islower() and any(part[:1].isupper() for part in parts):
            return ("outc", name), len(parts) - 1
        return None, 0

    def _nested(self, kind: Type, name: str) -> Type:
        match kind:
            case ("cls", key):
                return self._member_class(key, name, frozenset())
            case ("outc", one):
                return ("outc", f"{one}.{name}")
            case _:
                return None

    def _member_class(self, key: Key, name: str, seen: frozenset[Key]) -> Type:
        if key in seen or len(seen) > MAX_DEPTH:
            return None
        rows = self.named_children(key, name, frozenset({"type", "interface"}))
        if rows:
            return ("cls", rows[0])
        for above in self._bases(key):
            found = self._member_class(above, name, seen | {key})
            if found:
                return found
        return None

    def _bases(self, key: Key) -> list[Key]:
        """Return the classes of the project that one comes from, without what they are made for."""
        if key not in self.bases:
            self.bases[key] = []  # while they are looked for, there are none
            one = self.symbol(key)
            outside = self.detail(key[0], "scopes")[one.detail["scope"]][0]
            terms = [term for term in (*one.detail.get("ext", []), *one.detail.get("impl", [])) if term and term[0] == "n"]
            found = [self.class_named(key[0], term[1], outside)[0] for term in terms]
            self.bases[key] = [above[1] for above in found if above and above[0] == "cls"]
        return self.bases[key]

    def _simple(self, path: str, name: str, scope: int) -> tuple[Type, str]:
        scopes = self.detail(path, "scopes")
        while scope >= 0:
            parent, sym, names = scopes[scope]
            held = names.get("^" + name)
            if held:
                return (("cls", (path, held[0][1])) if held[0][0] == "s" else ("param", name, scope)), "local"
            if sym is not None:
                if self.symbol((path, sym)).name == name:
                    return ("cls", (path, sym)), "local"
                found = self._member_class((path, sym), name, frozenset())
                if found:
                    return found, "local"
            scope = parent
        return self._from_file(path, name)

    def _from_file(self, path: str, name: str) -> tuple[Type, str]:
        facts = self.files[path]
        for one in facts.imports:
            if one.name == name and not one.star:
                found = self.class_at_name(one.path)
                if found:
                    return found, "import" if found[0] == "cls" else "external"
        rows = self.tops.get(f"{facts.package}.{name}".lstrip("."), [])
        own = [one for one in rows if one[0] == path] or rows
        if own:
            return (("cls", own[0]), "package") if len(own) == 1 else (None, "")
        stars = [found for one in facts.imports if one.star for found in [self._starred(one.path, name)] if found]
        stars = list(dict.fromkeys(stars))
        if stars:
            return (stars[0], "import") if len(stars) == 1 else (None, "")
        return (("outc", f"java.lang.{name}"), "native") if name in PACKAGES["java.lang"] else (None, "")

    def class_at_name(self, name: str) -> Type:
        """Return the class that a qualified name means: the project's, or one from elsewhere."""
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            rows = self.tops.get(".".join(parts[:cut]), [])
            if rows:
                found: Type = ("cls", rows[0]) if len(rows) == 1 else None
                for part in parts[cut:]:
                    found = self._nested(found, part)
                return found
        return ("outc", name)

    def _starred(self, package: str, name: str) -> Type:
        rows = self.tops.get(f"{package}.{name}", [])
        if rows:
            return ("cls", rows[0]) if len(rows) == 1 else None
        if name in PACKAGES.get(package, ()):
            return ("outc", f"{package}.{name}")
        within = self.class_at_name(package) if package in self.tops or package.rpartition(".")[0] in self.packages else None
        return self._nested(within, name) if within and within[0] == "cls" else None

    # types

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
                return bound if bound is not None else self.term(self.detail(path, "scopes")[at][2]["^" + one][0][1], path, at)
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
            found = [self.term(term, key[0], one.detail["scope"] if _mentions(term, names) else outside, env) for term in terms]
            self.above[key, given] = found
        return self.above[key, given]

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
                return ("null",) if name == "null" else ("out", "java.lang.String", ()) if name == "String" else ("prim", name)
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
                return self._field_type(path, target, name)
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

    def class_at(self, path: str, scope: int) -> int | None:
        """Return the class that a scope is in."""
        scopes = self.detail(path, "scopes")
        while scope >= 0 and scopes[scope][1] is None:
            scope = scopes[scope][0]
        return scopes[scope][1] if scope >= 0 else None

    def element(self, kind: Type) -> Type:
        """Return what a value consists of."""
        match kind:
            case ("arr", inner):
                return inner  # type: ignore[no-any-return]
            case ("out", _, (inner,)):
                return inner  # type: ignore[no-any-return]
            case ("inst", key, given):
                above = [one for one in self.supers(key, given) if one and one[0] in {"inst", "out"}]
                return (
                    next((found for found in (self.element(one) for one in above) if found), None)
                    if self.depth < MAX_DEPTH
                    else None
                )
            case _:
                return None

    def variable(self, path: str, name: str, scope: int) -> tuple[Type, Key | None, str]:
        """Return the type of a plain name, the field that it is if it is one, and by which rung."""
        scopes, start = self.detail(path, "scopes"), scope
        while scope >= 0:
            parent, sym, names = scopes[scope]
            if name in names:
                _, term, number = names[name][-1]
                return (self.term(term, path, scope) if term is not None else self.type_of(path, number)), None, "variable"
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

    def field(self, kind: Type, name: str, seen: frozenset[Key] = frozenset()) -> tuple[Key | None, Env]:
        """Return the field that a value of a type has under a name."""
        if not kind or kind[0] not in {"inst", "cls"} or kind[1] in seen or len(seen) > MAX_DEPTH:
            return None, ()
        given = kind[2] if kind[0] == "inst" else ()
        rows = self.named_children(kind[1], name, frozenset({"field", "constant"}))
        if rows:
            return rows[0], tuple(zip(self.symbol(kind[1]).detail.get("tp", []), given, strict=False))
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

    def _field_type(self, path: str, target: int, name: str) -> Type:
        kind = self.type_of(path, target)
        key, env = self.field(kind, name)
        if key:
            return self.field_type(key, env)
        if kind and kind[0] in {"cls", "outc"}:
            inner = self._nested(kind, name)
            if inner and inner[0] == "outc":
                return inner if name[:1].isupper() and not name.isupper() else ("natv", inner[1])
            return inner
        dotted = self.dotted(path, target)
        if kind is None and dotted:
            return self.class_named(path, f"{dotted}.{name}", 0)[0]
        return None

    def dotted(self, path: str, number: int) -> str:
        """Return an expression as a dotted name when it is but names, as the package of a class is."""
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

    # methods

    def methods(self, kind: Type, name: str, count: int, seen: frozenset[Key] = frozenset()) -> list[tuple[Key, Env]]:
        """Return the methods of a type that have a name and take so many arguments, nearest class first."""
        if not kind or kind[0] not in {"inst", "cls"} or kind[1] in seen or len(seen) > MAX_DEPTH:
            return []
        key, given = kind[1], kind[2] if kind[0] == "inst" else ()
        env = tuple(zip(self.symbol(key).detail.get("tp", []), given, strict=False))
        rows = self.named_children(key, name, frozenset({"method"}))
        rows = [one for one in rows if not self.symbol(one).detail["ctor"] and takes(self.symbol(one), count)]
        if not rows and count == 0:
            rows = [
                one for one in self.named_children(key, name, frozenset({"field"})) if self.symbol(one).detail.get("component")
            ]
        if rows:
            return [(one, env) for one in rows]
        for above in self.supers(key, given):
            found = self.methods(above, name, count, seen | {key})
            if found:
                return found
        return []

    def outside_base(self, kind: Type, seen: frozenset[Key] = frozenset()) -> str:
        """Return the class from elsewhere that a class comes from: nothing when there is none, "?" when it is not known."""
        if not kind or kind[0] not in {"inst", "cls"} or kind[1] in seen or len(seen) > MAX_DEPTH:
            return ""
        for above in self.supers(kind[1], ())[: len(self.symbol(kind[1]).detail.get("ext", []))]:
            if above is None:
                return "?"
            found = above[1] if above[0] == "out" else self.outside_base(above, seen | {kind[1]})
            if found:
                return str(found)
        return ""

    def callee(self, path: str, one: list[Any]) -> tuple[list[tuple[Key, Env]], str, str]:
        """Return the methods that a call may mean, by which rung, and the name of what is outside when it is that."""
        _, target, name, _, scope, count = one
        if target is None:
            return self._plain(path, name, scope, count)
        kind = self.type_of(path, target)
        row = self.detail(path, "rows")[target] if target >= 0 else ["?"]
        via = "receiver" if row[0] in {"this", "super"} else "type"
        parts = kind[1] if kind and kind[0] == "u" else (kind,)
        found = [self.methods(part, name, count) for part in parts]
        if all(found):
            return [pair for rows in found for pair in rows], via, ""
        return [], via, self.outside(kind, name)

    def outside(self, kind: Type, name: str) -> str:
        """Return the qualified name of a method from elsewhere, nothing when that is not sure."""
        match kind:
            case ("out", "java.lang.Object", _):
                return f"java.lang.Object.{name}" if name in OBJECT else ""
            case ("out" | "outc", one, *_) | ("natv", one):
                return f"{one}.{name}"
            case ("arr", _):
                return f"java.lang.Object.{name}" if name in OBJECT else ""
            case ("inst" | "cls", key, *_):
                base = self.outside_base(kind)
                if name in OBJECT and base in {"", "?"}:
                    return f"java.lang.Object.{name}"
                if base and base != "?":
                    return f"{base}.{name}"
                sort = self.symbol(key).detail.get("sort")
                if sort == "enum" and name in {"values", "valueOf", "name", "ordinal", "compareTo", "getDeclaringClass"}:
                    return f"java.lang.Enum.{name}"
                return ""
            case _:
                return ""

    def _plain(self, path: str, name: str, scope: int, count: int) -> tuple[list[tuple[Key, Env]], str, str]:
        scopes = self.detail(path, "scopes")
        at, classes = scope, []
        while at >= 0:
            if scopes[at][1] is not None:
                classes.append(("inst", (path, scopes[at][1]), ()))
                found = self.methods(classes[-1], name, count)
                if found:
                    return found, "receiver", ""
            at = scopes[at][0]
        holders = []
        for one in self.files[path].imports:
            if one.detail and (one.star or one.name == name):
                holders.append((self.class_at_name(one.path if one.star else one.path.rpartition(".")[0]), one.star))
        hits = [rows for rows in (self.methods(holder, name, count) for holder, _ in holders) if rows]
        if len(hits) == 1:
            return hits[0], "import", ""
        named = [holder[1] for holder, star in holders if holder and holder[0] == "outc" and not star]
        if not hits and len(named) == 1:
            return [], "import", f"{named[0]}.{name}"
        stars = any(star and holder and holder[0] == "outc" for holder, star in holders)
        outside = next((found for found in (self.outside(one, name) for one in classes) if found), "")
        return [], "receiver", "" if hits or (stars and name not in OBJECT) else outside

    def _result(self, path: str, one: list[Any]) -> Type:
        found, _, outside = self.callee(path, one)
        kinds = []
        for key, env in found:
            symbol = self.symbol(key)
            if symbol.kind == "field":
                kinds.append(self.field_type(key, env))
            else:
                kinds.append(
                    self.term(symbol.detail["ret"], key[0], symbol.detail["scope"], env + self._inferred(symbol, path, one[3]))
                )
        if kinds:
            return union(kinds)
        return self._native_result(path, one) if outside else None

    def _inferred(self, symbol: Symbol, path: str, given: list[int]) -> Env:
        """Return the type parameters of a generic method, from arguments that are of just that type, or its class."""
        found: dict[str, Type] = {}
        for term, number in zip(symbol.detail["types"], given, strict=False):
            if term and term[0] == "n" and term[1] in symbol.detail["tp"]:
                found.setdefault(term[1], self.type_of(path, number))
            elif (
                term and term[0] == "n" and term[1] == "Class" and term[2] and term[2][0] and term[2][0][1] in symbol.detail["tp"]
            ):
                kind = self.type_of(path, number)
                found.setdefault(term[2][0][1], kind[2][0] if kind and kind[0] == "out" and kind[2] else None)
        return tuple(sorted((name, kind) for name, kind in found.items() if kind))

    def _native_result(self, path: str, one: list[Any]) -> Type:
        _, target, name, given, _, _ = one
        kind = self.type_of(path, target)
        match kind:
            case ("out", "java.lang.String", _):
                return (
                    kind
                    if name in {"trim", "substring", "toLowerCase", "toUpperCase", "replace", "concat", "strip", "repeat"}
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
                many: dict[str, Type] = {"values": value, "keySet": key, "entrySet": ("out", "java.util.Map.Entry", (key, value))}
                return ("out", "java.util.Collection", (many[name],)) if name in many else key if name == "getKey" else None
            case ("out", base, (inner,)) if is_native(base):
                if name in {"map", "flatMap"} and given:
                    result = self._lambda_result(self.type_of(path, given[0]))
                    return ("out", base, (result,)) if name == "map" and result else result
                sort = {"stream": "java.util.stream.Stream", "findFirst": "java.util.Optional", "findAny": "java.util.Optional"}
                if name in SAME:
                    return ("out", sort.get(name, "java.util.Iterator" if name == "iterator" else base), (inner,))
                return inner if name in ELEMENT else None
            case _:
                return ("out", "java.lang.String", ()) if name == "toString" and not given else None

    def _lambda_result(self, kind: Type) -> Type:
        return self.type_of(kind[1], self.detail(kind[1], "lambdas")[kind[2]]["body"]) if kind and kind[0] == "lambda" else None

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
        return self._taken(self.term(method.detail["types"][position], found[0][0][0], method.detail["scope"], found[0][1]), at)

    def _taken(self, kind: Type, at: int) -> Type:
        """Return the parameter of the one method that a functional interface has."""
        match kind:
            case ("out", base, given) if base.startswith("java.util.function.") and at < len(given):
                return given[at]  # type: ignore[no-any-return]
            case ("inst", key, given) if self.symbol(key).kind == "interface":
                rows = [number for held in self.children.get(key, {}).values() for number in held]
                methods = [one for one in (self.symbol((key[0], number)) for number in rows) if one.kind == "method"]
                methods = [one for one in methods if not one.detail["static"] and not one.signature.startswith("default ")]
                if len(methods) == 1 and at < len(methods[0].detail["types"]):
                    env = tuple(zip(self.symbol(key).detail.get("tp", []), given, strict=False))
                    return self.term(methods[0].detail["types"][at], key[0], methods[0].detail["scope"], env)
        return None


def takes(one: Symbol, count: int) -> bool:
    """Say whether a method can be called with so many arguments."""
    wanted = len(one.detail["types"])
    return count >= wanted - 1 if one.detail["many"] else count == wanted


def is_shallow(kind: Any, levels: int = 12) -> bool:
    """Say whether a type is of a depth that a person writes; a class that extends itself made for itself grows without end."""
    return not isinstance(kind, tuple) or (levels > 0 and all(is_shallow(one, levels - 1) for one in kind))


def union(kinds: list[Type]) -> Type:
    """Return one type for several: None as soon as one is unknown, without what is empty."""
    if not kinds or any(one is None for one in kinds):
        return None
    flat = [part for one in kinds if one for part in (one[1] if one[0] == "u" else (one,))]
    real = list(dict.fromkeys(one for one in flat if one[0] != "null"))
    return real[0] if len(real) == 1 else ("u", tuple(real)) if real else ("null",)


def _mentions(term: Any, names: Mapping[str, Any]) -> bool:
    if isinstance(term, list):
        return any(_mentions(one, names) for one in term)
    return isinstance(term, str) and term in names
