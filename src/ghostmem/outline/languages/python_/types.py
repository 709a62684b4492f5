"""The types of Python values and annotations."""

from typing import Any

from ghostmem.outline.facts import FILE
from ghostmem.outline.graph import NATIVE
from ghostmem.outline.languages.python_.calls import Calls
from ghostmem.outline.languages.python_.infer import (
    DEEP,
    Def,
    Key,
    Type,
    Types,
    box,
    nesting,
    union,
)
from ghostmem.outline.languages.python_.natives import (
    FAMILIES,
    MANAGERS,
    NOTHING,
    PROPERTIES,
    RESULTS,
    TRANSPARENT,
    VARIABLES,
)
from ghostmem.outline.languages.python_.scopes import Bind
from ghostmem.outline.languages.python_.stdlib import CLASSES
from ghostmem.outline.languages.python_.tables import FILLED


class PythonInference(Calls):
    """Values and annotations."""

    def infer(self, path: str, row: int) -> Types:
        """Return the types of an expression."""
        if row <= 0:
            return ()
        key = (path, row)
        found: Types | None = self.known.get(key)
        if found is None:
            found = self.once(key, self._infer, path, row)
        elif not self.doubt and key in self.doubted:
            self.doubt = True
        return found

    def _infer(self, path: str, row: int) -> Types:
        op, *rest = self.tables[path].exprs[row]
        match op:
            case "n":
                return self._named_types(self.definitions(path, row)[0])
            case "a":
                return union(self._attribute(kind, rest[1]) for kind in self.infer(path, rest[0]))
            case "c":
                return self.call(path, row)
            case "k":
                return () if rest[0] == "None" else (("O", NATIVE, rest[0], ()),)
            case "l" | "S":
                return (
                    box(
                        "list" if op == "l" else "set",
                        union(self.infer(path, one) for one in rest[0]),
                    ),
                )
            case "t":
                made = ("T", tuple(self.infer(path, one) for one in rest[0][:12]))
                return (made,) if nesting(made) < DEEP else (box("tuple"),)
            case "d":
                return (
                    box("dict", *(union(self.infer(path, one) for one in part) for part in rest)),
                )
            case "comp":
                return (box(rest[0], *(self.infer(path, one) for one in rest[1])),)
            case "o":
                return union(self.infer(path, one) for one in rest[0])
            case "i":
                return self.element(self.infer(path, rest[0]))
            case "u":
                return union(self.unpacked(one, rest[1]) for one in self.infer(path, rest[0]))
            case "s":
                return self._indexed(path, rest[0], rest[1])
            case "enter":
                return self.entered(self.infer(path, rest[0]))
            case "exc":
                return self.instances(self.infer(path, rest[0]))
            case "b":
                return self._operated(path, rest[0], rest[2])
            case "lam":
                return (("L", path, rest[0]),)
            case "tv":
                return (("V", path, row),)
            case "doc":
                return union(self.instances(self.types(one)) for one in self.dotted(path, rest[0]))
        return ()

    def _attribute(self, kind: Type, word: str) -> Types:
        return (
            (("B", kind, word),)
            if kind[0] == "O"
            else union(self.types(one) for one in self.members(kind, word))
        )

    def definitions(self, path: str, row: int) -> tuple[list[Def], str]:
        """Return the definitions behind a name or an attribute, and the rung that found them."""
        table = self.tables[path]
        at = table.exprs[row]
        if at[0] == "n":
            found, home = self.named(path, row)
            return found, _name_rung(found, path, home, table.scopes.scopes)
        if at[0] != "a":
            return [], ""
        kinds = self.infer(path, at[1])
        found = []
        away = False
        for kind in kinds:
            found += self.members(kind, at[2])
            away = away or kind[0] in ("M", "D", "X")
        if len(found) > 1:
            found = list(dict.fromkeys(found))
        if away:
            return found, "import"
        return found, "receiver" if self._is_receiver(path, at[1]) else "type"

    def _is_receiver(self, path: str, row: int) -> bool:
        at = self.tables[path].exprs[row]
        if at[0] == "c":
            return any(kind[0] == "S" for kind in self.infer(path, row))
        if at[0] != "n":
            return False
        found, _ = self.named(path, row)
        return bool(found) and all(
            one[0] == "loc" and self._first_parameter(one) != FILE for one in found
        )

    def _first_parameter(self, one: Def) -> int:
        """Return the class whose method a local is the first parameter of, or FILE."""
        bind = self.bind_of(one)
        if bind[0] != "par" or bind[3][0] != 0 or bind[3][1] or bind[4] < 0:
            return FILE
        detail = self.detail((one[1], bind[4]))
        return FILE if detail["static"] else int(detail["class"])

    def bind_of(self, one: Def) -> Bind:
        """Return the binding of a local."""
        found: Bind = self.tables[one[1]].scopes.scopes[one[2]][one[4]][one[3]][one[5]]
        return found

    def types(self, one: Def) -> Types:
        """Return the types of a definition."""
        match one[0]:
            case "val":
                values: Types = one[1]
                return values
            case "loc":
                return self._bound_types(one[1], self.bind_of(one), one[3])
            case "attr":
                rows = self.detail((one[1], one[2]))["attrs"][one[3]]
                found = self.once(("attr", *one[1:4]), self._declared, one[1], rows)
                return self.substitute(found, one[4])
            case "sym":
                return self._symbol_types((one[1], one[2]), one[3])
        return self.plain(one)

    def _symbol_types(self, key: Key, receiver: Type | None) -> Types:
        kind = self.kind(key)
        if self.is_class(key):
            return (("C", key),)
        if kind in ("function", "method"):
            if self.is_property(key) and receiver is not None and receiver[0] == "I":
                return self.returned(key, receiver)
            return (("F", key, receiver),)
        symbol = self.files[key[0]].symbols[key[1]]
        inside = (key[0], symbol.parent)
        if symbol.parent != FILE and self.is_class(inside) and self.is_enum(inside):
            return (("I", inside, ()),)
        return self.substitute(self.once(("var", key), self._variable, key), receiver)

    def is_property(self, key: Key) -> bool:
        """Tell whether a method is read like an attribute."""
        names = self.deco_names(key)
        return any(
            one in PROPERTIES or one.endswith("cached_property") or one in ("setter", "getter")
            for one in names
        )

    def _variable(self, key: Key) -> Types:
        path, symbol = key[0], self.files[key[0]].symbols[key[1]]
        scope = 0 if symbol.parent == FILE else self.detail((path, symbol.parent))["scope"]
        table = self.tables[path].scopes.scopes[scope]
        binds = self.tables[path].scopes.reaching(table, symbol.name)
        rows = table["names"].get(symbol.name, ())
        annotated = [one for one in rows if one[0] == "ann"]
        return union(
            self._bound_types(path, one, symbol.name)
            for one in annotated or binds
            if one[0] != "def"
        )

    def _declared(self, path: str, rows: list[list[int]]) -> Types:
        typed = [self.annotated(path, one[0]) for one in rows if one[0] >= 0]
        if any(typed):
            return union(typed)
        plain = union(self.infer(path, one[1]) for one in rows if one[0] != FILLED)
        return (
            plain
            if _holds(plain)
            else union([plain, *(self.infer(path, one[1]) for one in rows if one[0] == FILLED)])
        )

    def _named_types(self, defs: list[Def]) -> Types:
        """Return the types of a name.

        What a container is given later counts only while nothing says what it holds.
        """
        later = [
            one
            for one in defs
            if one[0] == "loc" and one[4] == "names" and self.bind_of(one)[0] == "fill"
        ]
        plain = union(self.types(one) for one in defs if one not in later)
        return (
            plain
            if not later or _holds(plain)
            else union([plain, *(self.types(one) for one in later)])
        )

    def _bound_types(self, path: str, bind: Bind, word: str) -> Types:
        match bind[0]:
            case "val" | "fill":
                return self.infer(path, bind[3])
            case "ann":
                return self.annotated(path, bind[3]) or self.infer(path, bind[4])
            case "narrow":
                told = self.instances(self.infer(path, bind[3]))
                outer, self.doubt = self.doubt, False
                before = self.infer(path, bind[4])
                early = (
                    self.doubt and not before and not self.rounds
                )  # the next round knows what calls pass
                self.doubt = self.doubt or outer
                return (
                    self._less(before, told)
                    if bind[6]
                    else ()
                    if early
                    else self._only(before, told)
                )
            case "par":
                found: Types = self.once(
                    ("par", path, bind[1], word), self._parameter, path, bind, word
                )
                return found
        return ()

    def _only(self, kinds: Types, told: Types) -> Types:
        """Return the classes that a test tells.

        What was known to be one of them already stays what it was.
        """
        found: list[Types] = []
        for one in told:
            heirs = tuple(
                kind
                for kind in kinds
                if kind[0] == "I" == one[0] and ("C", one[1]) in self.mro(kind[1])
            )
            found.append(heirs or (one,))
        return union(found)

    def _less(self, kinds: Types, told: Types) -> Types:
        """Return types without those that a failed test rules out."""
        ruled = {one[:3] if one[0] == "O" else one[:2] for one in told}
        return tuple(one for one in kinds if (one[:3] if one[0] == "O" else one[:2]) not in ruled)

    def _parameter(self, path: str, bind: Bind, word: str) -> Types:
        index, star, annotation, default = bind[3]
        if bind[4] < 0:
            return self.infer(path, default)
        key = (path, bind[4])
        detail = self.detail(key)
        if index == 0 and detail["class"] != FILE and not detail["static"] and not star:
            own = (path, detail["class"])
            return (
                (("C", own),) if self.takes_class(key) or self._is_meta(own) else (("I", own, ()),)
            )
        typed = self.annotated(path, annotation)
        if star:
            return (
                box("tuple", typed)
                if star == "*"
                else box("dict", (("O", NATIVE, "str", ()),), typed),
            )
        if annotation >= 0:
            return typed
        said = union(self.infer(path, one) for one in detail["docs"].get(word, ()))
        self.doubt = True  # what calls pass is not known before all of them are
        given = union(self.infer(*one) for one in self.passed.get((path, bind[4], index), ()))
        return union([said, given, self.infer(path, default)])

    def _is_meta(self, key: Key) -> bool:
        return any(one[0] == "X" and one[2] == "type" for one in self.mro(key))

    def annotated(self, path: str, row: int) -> Types:
        """Return the types of what an annotation describes."""
        if row <= 0:
            return ()
        found: Types = self.once(("ann", path, row), self._annotated, path, row)
        return found

    def _annotated(self, path: str, row: int) -> Types:
        op, *rest = self.tables[path].exprs[row]
        match op:
            case "n" | "a":
                return union(self._described(one) for one in self.definitions(path, row)[0])
            case "s":
                return self._generic(path, rest[0], rest[1])
            case "b":
                return union([self.annotated(path, rest[0]), self.annotated(path, rest[1])])
            case "k" if rest[1]:
                return union(self._described(one) for one in self.dotted(path, rest[1]))
            case "t":
                return union(self.annotated(path, one) for one in rest[0])
            case "tv":
                return (("V", path, row),)
            case "c":
                return self.instances(self.infer(path, row))
        return ()

    def _described(self, one: Def) -> Types:
        if one[0] == "out":
            last = one[2].rsplit(".", 1)[-1]
            if last == "Self":
                return (("V", "Self", 0),)
            named = (
                one[2].lower()
                if last in ("Dict", "List", "Set", "Tuple", "Type") and one[2].startswith("typing")
                else one[2]
            )
            return (
                ()
                if last in NOTHING
                else (("O", one[1], named.rsplit(".", 1)[-1] if named != one[2] else named, ()),)
            )
        if one[0] == "sym" and not self.is_class((one[1], one[2])):
            key = ("alias", one[1], one[2])
            return self.once(key, self._alias, one)  # type: ignore[no-any-return]
        return self.instances(self.types(one))

    def _alias(self, one: Def) -> Types:
        path, symbol = one[1], self.files[one[1]].symbols[one[2]]
        scope = 0 if symbol.parent == FILE else self.detail((path, symbol.parent)).get("scope", 0)
        found: list[Types] = []
        for bind in self.tables[path].scopes.scopes[scope]["names"].get(symbol.name, ()):
            row = bind[4] if bind[0] == "ann" else bind[3]
            if bind[0] not in ("val", "ann") or not isinstance(row, int) or row <= 0:
                continue
            variable = self._type_variable(path, row)
            found.append((variable,) if variable else self.annotated(path, row))
        return union(found)

    def _type_variable(self, path: str, row: int) -> Type | None:
        at = self.tables[path].exprs[row]
        if at[0] == "c" and any(
            one[0] == "X" and one[2] in VARIABLES for one in self.infer(path, at[1])
        ):
            return ("V", path, row)
        return None

    def bounds(self, kind: Type) -> Types:
        """Return what a type variable can be at least."""
        if kind[1] == "Self":
            return ()
        at = self.tables[kind[1]].exprs[kind[2]]
        if at[0] == "tv":
            return self.annotated(kind[1], at[2])
        rows = [row for word, row in at[3] if word == "bound"] or at[2][1:]
        return union(self.annotated(kind[1], row) for row in rows)

    def _generic(self, path: str, base: int, index: int) -> Types:
        at = self.tables[path].exprs[index]
        rows = at[1] if at[0] == "t" else [index]
        defs, _ = self.definitions(path, base)
        found: list[Types] = []
        for one in defs:
            if one[0] == "sym" and self.is_class((one[1], one[2])):
                found.append(
                    (("I", (one[1], one[2]), tuple(self.annotated(path, row) for row in rows)),)
                )
            elif one[0] == "out":
                found.append(self._outside_generic(path, one, rows))
            else:
                found.append(self._described(one))
        return union(found)

    def _outside_generic(self, path: str, one: Def, rows: list[int]) -> Types:
        last = one[2].rsplit(".", 1)[-1]
        if last in TRANSPARENT:
            return union(
                self.annotated(path, row) for row in (rows[:1] if last == "Annotated" else rows)
            )
        if last in ("type", "Type"):
            return union(self.classes(self.annotated(path, row)) for row in rows)
        if last in RESULTS:
            return self.annotated(path, rows[-1])
        if last == "Callable":
            return (("K", self.annotated(path, rows[-1])),) if len(rows) > 1 else ()
        if last in MANAGERS:
            return (box("contextmanager", self.annotated(path, rows[0])),)
        if last == "Literal":
            return (("O", NATIVE, "str", ()),)
        parts = [self.annotated(path, row) for row in rows]
        if FAMILIES.get(last) == "tuple":
            filled = self.tables[path].exprs[rows[-1]][0] != "x"
            return (
                (("T", tuple(parts)),)
                if filled and len(parts) > 0 and nesting(tuple(parts)) < DEEP
                else (box("tuple", parts[0]),)
            )
        name = last.lower() if last in ("Dict", "List", "Set") else last
        return (
            (("O", one[1], name if last in FAMILIES else one[2], tuple(parts)),)
            if nesting(tuple(parts)) < DEEP
            else ()
        )

    def _indexed(self, path: str, base: int, index: int) -> Types:
        at = self.tables[path].exprs[index]
        found: list[Types] = []
        for kind in self.infer(path, base):
            if kind[0] == "T" and at[0] == "k" and str(at[2]).isdigit():
                found.append(self.unpacked(kind, int(at[2])))
            elif kind[0] == "C":
                found.append((kind,))
            elif kind[0] == "O" and FAMILIES.get(kind[2].rsplit(".", 1)[-1]) == "dict":
                found.append(kind[3][1] if len(kind[3]) > 1 else ())
            elif kind[0] == "O" and kind[2] in CLASSES and not kind[3]:
                found.append((kind,) if kind[2] == "str" else ())
            elif kind[0] == "I":
                found.append(self.method(kind, "__getitem__"))
            else:
                found.append(self.element((kind,)))
        return union(found)

    def _operated(self, path: str, left: int, method: str) -> Types:
        found: list[Types] = []
        for kind in self.infer(path, left):
            if kind[0] == "I" and method:
                found.append(self.method(kind, method))
            elif kind[0] == "O":
                found.append((kind,))
        return union(found)


def _holds(kinds: Types) -> bool:
    return any(kind[0] == "I" or (kind[0] == "O" and any(kind[3])) for kind in kinds)


def _name_rung(found: list[Def], path: str, home: int, scopes: list[dict[str, Any]]) -> str:
    if home < 0:
        return "import" if home == -2 else "native"
    if scopes[home]["kind"] in ("function", "comp"):
        return "local"
    for one in found:
        if one[0] in ("mod", "dir", "out") or (one[0] == "sym" and one[1] != path):
            return "import"
    return "module"
