"""What calling, iterating and entering Python values gives."""

from typing import Any

from ghostmem.outline.facts import FILE
from ghostmem.outline.graph import NATIVE
from ghostmem.outline.languages.python_.classes import Classes, outside_class
from ghostmem.outline.languages.python_.infer import Def, Key, Type, Types, box, union
from ghostmem.outline.languages.python_.natives import (
    CASTS,
    COLLECTS,
    CONTEXTS,
    COPIES,
    FAMILIES,
    FUNCTIONS,
    LISTS,
    PARTIALS,
    PICKS,
    RETURNS,
)
from ghostmem.outline.languages.python_.stdlib import BUILTINS, CLASSES

_STR: Type = ("O", NATIVE, "str", ())
_CLASS_FIRST = (
    "__new__",
    "__init_subclass__",
    "__class_getitem__",
)  # methods whose first parameter is the class


class Calls(Classes):
    """Results of calls."""

    def annotated(self, path: str, row: int) -> Types:
        """Return the types of what an annotation describes."""
        raise NotImplementedError

    def definitions(self, path: str, row: int) -> tuple[list[Def], str]:
        """Return the definitions behind a name or an attribute."""
        raise NotImplementedError

    def instances(self, kinds: Types) -> Types:
        """Return the instances of classes, also of those in a tuple."""
        found: list[Type] = []
        for kind in kinds:
            if kind[0] == "C":
                found.append(("I", kind[1], ()))
            elif kind[0] == "X":
                found.append(("O", kind[1], kind[2], ()))
            elif kind[0] == "T":
                found.extend(one for part in kind[1] for one in self.instances(part))
            elif kind[0] == "V":
                found.append(kind)
        return tuple(found)

    def classes(self, kinds: Types) -> Types:
        """Return the classes of instances."""
        found: list[Type] = []
        for kind in kinds:
            if kind[0] == "I":
                found.append(("C", kind[1]))
            elif kind[0] == "O":
                found.append(("X", kind[1], kind[2]))
            elif kind[0] == "V":
                found.append(("Y", kind))
        return tuple(found)

    def takes_class(self, key: Key) -> bool:
        """Tell whether the first parameter of a method is the class."""
        return self.name(key) in _CLASS_FIRST or "classmethod" in self.deco_names(key)

    def call(self, path: str, row: int) -> Types:
        """Return what a call gives."""
        _, target, args, keywords = self.tables[path].exprs[row]
        at = self.tables[path].exprs[target]
        if at[0] == "n" and at[1] == "super":
            return self._super(path, at[2], args)
        site = (path, args, keywords)
        return union(self.result(kind, site) for kind in self.infer(path, target))

    def _super(self, path: str, scope: int, args: list[int]) -> Types:
        inside, method = self.class_around(path, scope)
        if inside == FILE:
            return ()
        own: Key = (path, inside)
        kind = "C" if self.takes_class((path, method)) else "I"
        if len(args) == 2:
            named = [one[1] for one in self.infer(path, args[0]) if one[0] == "C"]
            own = named[0] if named else own
        receiver: Type = ("C", (path, inside)) if kind == "C" else ("I", (path, inside), ())
        return (("S", own, receiver),)

    def result(self, kind: Type, site: tuple[Any, ...]) -> Types:
        """Return what calling a type gives."""
        match kind[0]:
            case "C":
                return (("I", kind[1], self._arguments(kind[1], site)),)
            case "F":
                return self.solved(kind[1], kind[2], site)
            case "I":
                return union(
                    self.results(one, site) for one in self.class_member(kind[1], "__call__", kind)
                )
            case "X":
                return self._outside_call(kind, site)
            case "B":
                return self._bound_call(kind)
            case "K":
                given: Types = kind[1]
                return given
            case "L":
                return self.infer(kind[1], kind[2])
            case "P":
                return union(self.result(one, ()) for one in kind[1])
            case "Y":
                return (kind[1],)
        return ()

    def results(self, one: Def, args: tuple[Any, ...]) -> Types:
        """Return what calling a definition gives."""
        if one[0] != "sym" or self.kind((one[1], one[2])) not in ("function", "method"):
            return ()
        return self.solved((one[1], one[2]), one[3], args)

    def method(self, kind: Type, word: str) -> Types:
        """Return what a method of an instance gives."""
        return union(self.results(one, ()) for one in self.class_member(kind[1], word, kind))

    def returned(self, key: Key, receiver: Type | None) -> Types:
        """Return what a function gives, for a receiver."""
        return self.substitute(self._with_self(key, receiver), receiver)

    def _with_self(self, key: Key, receiver: Type | None) -> Types:
        found: Types = self.once(("ret", key), self._returned, key)
        inside = self.detail(key)["class"]
        if receiver is None or inside == FILE or receiver[0] not in ("I", "C"):
            return found
        own, actual = (
            ("I", (key[0], inside), ()),
            ("I", receiver[1], receiver[2] if receiver[0] == "I" else ()),
        )
        if own in found and own != actual and self.detail(key)["ret"] < 0 and self._gives_self(key):
            return tuple(actual if one == own else one for one in found)
        return found

    def _gives_self(self, key: Key) -> bool:
        """Tell whether a function returns its first parameter, or a new instance of it as
        a class.
        """
        detail, exprs = self.detail(key), self.tables[key[0]].exprs
        first = detail["params"][0][0] if detail["params"] else ""
        rows = [exprs[row] for row in detail["rets"]]
        rows += [exprs[row[1]] for row in rows if row[0] == "c"]
        return any(row[0] == "n" and row[1] == first for row in rows)

    def _returned(self, key: Key) -> Types:
        detail, path = self.detail(key), key[0]
        if detail["ret"] > 0:
            found = self.annotated(path, detail["ret"])
        elif detail["yields"]:
            found = (box("Generator", union(self.infer(path, row) for row in detail["yields"])),)
        else:
            said = union(self.infer(path, row) for row in detail["docs"].get("", ()))
            found = said or union(self.infer(path, row) for row in detail["rets"])
        if any(one in CONTEXTS for one in self.deco_names(key)):
            return (box("contextmanager", self.element(found)),)
        return found

    def solved(self, key: Key, receiver: Type | None, site: tuple[Any, ...]) -> Types:
        """Return what a call of a function gives, its type variables being those of the
        arguments.
        """
        found = self.returned(key, receiver)
        if not _has_variable(found):
            return found
        return self.replace(found, self._bindings(key, receiver, site))

    def _bindings(
        self, key: Key, receiver: Type | None, site: tuple[Any, ...]
    ) -> dict[Type, Types]:
        bindings: dict[Type, Types] = {}
        detail = self.detail(key)
        names = self.tables[key[0]].scopes.scopes[detail["scope"]]["names"]
        annotations = [names[one[0]][0][3][2] for one in detail["params"]]
        offset = (
            1 if receiver is not None and detail["class"] != FILE and not detail["static"] else 0
        )
        if offset and annotations and annotations[0] > 0 and receiver is not None:
            _solve(self.annotated(key[0], annotations[0]), (receiver,), bindings)
        for at, row in enumerate(site[1] if site else ()):
            if at + offset < len(annotations) and annotations[at + offset] > 0:
                _solve(
                    self.annotated(key[0], annotations[at + offset]),
                    self.infer(site[0], row),
                    bindings,
                )
        words = {
            one[0]: annotation
            for one, annotation in zip(detail["params"], annotations, strict=True)
        }
        for word, row in site[2] if site else ():
            if words.get(word, -1) > 0:
                _solve(self.annotated(key[0], words[word]), self.infer(site[0], row), bindings)
        return bindings

    def replace(self, kinds: Types, bindings: dict[Type, Types]) -> Types:
        """Put types in the place of type variables; one that is not known is its bound."""
        found: list[Type] = []
        for kind in kinds:
            if kind[0] == "V":
                found.extend(bindings.get(kind) or self.bounds(kind))
            elif kind[0] == "Y":
                found.extend(self.classes(bindings.get(kind[1]) or self.bounds(kind[1])))
            elif kind[0] in ("I", "O") and _has_variable((kind,)):
                found.append((*kind[:-1], tuple(self.replace(part, bindings) for part in kind[-1])))
            elif kind[0] == "T" and _has_variable((kind,)):
                found.append(("T", tuple(self.replace(part, bindings) for part in kind[1])))
            elif kind[0] == "K":
                found.append(("K", self.replace(kind[1], bindings)))
            else:
                found.append(kind)
        return tuple(dict.fromkeys(found))

    def substitute(self, kinds: Types, receiver: Type | None) -> Types:
        """Put a receiver in the place of Self, and its arguments in that of its class's type
        variables.
        """
        if not _has_variable(kinds) or receiver is None or receiver[0] not in ("I", "C"):
            return kinds
        actual: Type = receiver if receiver[0] == "I" else ("I", receiver[1], ())
        bindings: dict[Type, Types] = {("V", "Self", 0): (actual,)}
        for base in self.mro(actual[1]):
            if base[0] == "C":
                given = actual[2] if base[1] == actual[1] else ()
                bindings |= dict(zip(self.variables(base[1]), given, strict=False))
        kept = {one: bindings.get(one, (one,)) for one in _variables(kinds)}
        return self.replace(kinds, kept)

    def variables(self, key: Key) -> Types:
        """Return the type variables of a class in their order."""
        found: Types = self.once(("tvs", key), self._variables, key)
        return found

    def _variables(self, key: Key) -> Types:
        detail = self.detail(key)
        found: list[Type] = [("V", key[0], row) for row in detail["tvs"]]
        for row in detail["bases"]:
            at = self.tables[key[0]].exprs[row]
            if at[0] == "s":
                index = self.tables[key[0]].exprs[at[2]]
                for one in index[1] if index[0] == "t" else [at[2]]:
                    found.extend(_variables(self.annotated(key[0], one)))
        return tuple(dict.fromkeys(found))

    def _arguments(self, key: Key, site: tuple[Any, ...]) -> tuple[Types, ...]:
        """Return the type arguments of a new instance, from what its constructor is given."""
        variables = self.variables(key)
        if not variables or not site:
            return ()
        made = [
            one for one in self.class_member(key, "__init__", ("I", key, ())) if one[0] == "sym"
        ]
        bindings = (
            self._bindings((made[0][1], made[0][2]), ("I", key, ()), site)
            if made and "params" in self.detail((made[0][1], made[0][2]))
            else {}
        )
        return tuple(bindings.get(one, ()) for one in variables) if bindings else ()

    def element(self, kinds: Types) -> Types:
        """Return what iterating gives."""
        found: list[Types] = []
        for kind in kinds:
            if kind[0] == "O":
                found.append((_STR,) if kind[2] == "str" else kind[3][0] if kind[3] else ())
            elif kind[0] == "T":
                found.append(union(kind[1]))
            elif kind[0] == "I":
                iterated = self.method(kind, "__iter__") or self.method(kind, "__aiter__")
                following = iterated if iterated != (kind,) else ()
                found.append(
                    self.element(following)
                    or self.method(kind, "__next__")
                    or self.method(kind, "__getitem__")
                )
            elif kind[0] == "C" and self.is_enum(kind[1]):
                found.append((("I", kind[1], ()),))
            elif kind[0] == "V":
                found.append(self.element(self.bounds(kind)))
        return union(found)

    def unpacked(self, kind: Type, index: int) -> Types:
        """Return one part of an unpacked value."""
        if kind[0] == "T":
            part: Types = kind[1][index] if index < len(kind[1]) else ()
            return part
        return self.element((kind,))

    def entered(self, kinds: Types) -> Types:
        """Return what a with statement binds."""
        found: list[Types] = []
        for kind in kinds:
            if kind[0] == "I":
                found.append(self.method(kind, "__enter__") or self.method(kind, "__aenter__"))
            elif kind[0] == "O":
                found.append(
                    (kind[3][0] if kind[3] else ()) if kind[2] == "contextmanager" else (kind,)
                )
        return union(found)

    def _outside_call(self, kind: Type, site: tuple[Any, ...]) -> Types:
        name, args = kind[2], [self.infer(site[0], row) for row in site[1]] if site else []
        words = dict(site[2]) if site else {}
        factory = words.get("default_factory", words.get("factory"))
        if factory is not None:
            return union(self.result(one, ()) for one in self.infer(site[0], factory))
        first: Types = args[0] if args else ()
        if name in CASTS and site and site[1]:
            return self.annotated(site[0], site[1][0])
        if name in COLLECTS:
            base = name if FAMILIES.get(name) in ("set", "tuple") else "list"
            return (box(base, self.element(args[-1] if name == "filter" and args else first)),)
        if name in PICKS:
            return self.element(first) if len(args) == 1 or name == "next" else union(args)
        if name in COPIES:
            return first
        if name == "type" and len(args) == 1:
            return self.classes(first)
        if name in ("weakref.ref", "weakref.proxy"):
            return (("K", first),) if name == "weakref.ref" else first
        if name in PARTIALS:
            return (("P", first),) if first else ()
        if name == "enumerate":
            return (box("iterator", (("T", ((("O", NATIVE, "int", ()),), self.element(first))),)),)
        if name in ("zip", "itertools.zip_longest"):
            return (box("iterator", (("T", tuple(self.element(one) for one in args)),)),)
        if name == "map":
            return (box("iterator", union(self.result(one, ()) for one in first)),)
        if name in ("collections.defaultdict", "defaultdict"):
            return (box("dict", (), union(self.result(one, ()) for one in first)),)
        if name == "dict" and first:
            return first if first[0][0] == "O" and first[0][2] == "dict" else (box("dict"),)
        if name in FUNCTIONS:
            return (("O", NATIVE, FUNCTIONS[name], ()),)
        if name in CLASSES or (outside_class(name) and name not in BUILTINS):
            return (("O", kind[1], name, ()),)
        return self._outside_method(name)

    def _outside_method(self, name: str) -> Types:
        owner, _, word = name.rpartition(".")
        family = owner.rsplit(".", 1)[-1]
        if f"{family}.{word}" in RETURNS:
            return (("O", NATIVE, RETURNS[f"{family}.{word}"], ()),)
        return (
            (box("list", (("O", NATIVE, LISTS[f"{family}.{word}"], ()),)),)
            if f"{family}.{word}" in LISTS
            else ()
        )

    def _bound_call(self, kind: Type) -> Types:
        """Return what a method of a container gives."""
        _, owner, word = kind
        family = FAMILIES.get(owner[2].rsplit(".", 1)[-1], "")
        given: tuple[Types, ...] = owner[3]
        if word in ("copy", "union", "difference", "intersection"):
            return (owner,)
        if family == "dict" and len(given) > 1:
            pair: Types = (("T", (given[0], given[1])),)
            listed = {"get": given[1], "pop": given[1], "setdefault": given[1], "popitem": pair}
            if word in listed:
                return listed[word]
            views = {"values": given[1], "items": pair, "keys": given[0]}
            return (box("iterator", views[word]),) if word in views else ()
        if given and word in ("pop", "popleft", "__next__", "send", "get", "get_nowait", "result"):
            return given[0]
        return self._outside_method(f"{owner[2]}.{word}")


def _solve(wanted: Types, given: Types, bindings: dict[Type, Types]) -> None:
    """Match the types that a parameter has against those of an argument, and note what type
    variables must be.
    """
    for one in wanted:
        if one[0] == "V":
            bindings[one] = union([bindings.get(one, ()), given])
        elif one[0] == "Y":
            made = tuple(
                ("I", kind[1], ()) if kind[0] == "C" else ("O", *kind[1:], ())
                for kind in given
                if kind[0] in ("C", "X")
            )
            bindings[one[1]] = union([bindings.get(one[1], ()), made])
        elif one[0] in ("I", "O"):
            for kind in given:
                if kind[0] == one[0] and len(kind[-1]) == len(one[-1]):
                    for part, other in zip(one[-1], kind[-1], strict=True):
                        _solve(part, other, bindings)


def _has_variable(kinds: Any) -> bool:
    return isinstance(kinds, tuple) and (
        kinds[:1] in (("V",), ("Y",)) or any(_has_variable(one) for one in kinds)
    )


def _variables(kinds: Any) -> list[Type]:
    if not isinstance(kinds, tuple):
        return []
    return [kinds] if kinds[:1] == ("V",) else [found for one in kinds for found in _variables(one)]
