"""Python classes: their bases, the order in which attributes are looked up, and attributes of
everything else.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ghostmem.outline.graph import NATIVE
from ghostmem.outline.languages.python_.infer import Def, Key, PythonWorld, Type, Types
from ghostmem.outline.languages.python_.natives import MARKERS, OBJECT, PLAIN_BASES, WITHOUT_INIT
from ghostmem.outline.languages.python_.scopes import Bind
from ghostmem.outline.languages.python_.stdlib import MODULES

LONGEST = 1000  # classes in one order of lookup


class Classes(PythonWorld):
    """What classes and modules have."""

    def infer(self, path: str, row: int) -> Types:
        """Return the types of an expression."""
        raise NotImplementedError

    def deco_names(self, key: Key) -> tuple[str, ...]:
        """Return the names of what decorates a symbol, outside names in full."""
        return tuple(self.once(("deco", key), self._deco_names, key))

    def _deco_names(self, key: Key) -> tuple[str, ...]:
        names = []
        for row in self.detail(key).get("decos", ()):
            at = self.tables[key[0]].exprs[row]
            plain = at[1] if at[0] == "c" else row
            for kind in self.infer(key[0], plain):
                if kind[0] == "X":
                    names.append(kind[2])
                elif kind[0] in ("C", "F"):
                    names.append(self.name(kind[1]))
            shown = self.tables[key[0]].exprs[plain]
            names.append(shown[-1] if shown[0] == "a" else shown[1] if shown[0] == "n" else "")
        return tuple(str(one) for one in names)

    def bases(self, key: Key) -> tuple[Type, ...]:
        """Return the bases of a class: C, X, or ? for one that is not known."""
        return tuple(self.once(("bases", key), self._bases, key))

    def _bases(self, key: Key) -> tuple[Type, ...]:
        found: list[Type] = []
        for row in self.detail(key)["bases"]:
            at = self.tables[key[0]].exprs[row]
            kinds = [
                one
                for one in self.infer(key[0], at[1] if at[0] == "s" else row)
                if one[0] in ("C", "X") and one[1:] != (key,)
            ]
            found.extend(kinds or [("?",)])
        return tuple(dict.fromkeys(found))

    def mro(self, key: Key) -> tuple[Type, ...]:
        """Return a class and its ancestors in the order of lookup.

        Those outside stand where they are named.

        The ancestors come first, however many there are, so that no chain of them is too long for
        Python's stack."""
        mark = ("mro", key)
        if mark not in self.known:
            self._ancestors_first(key)
        return self.once(mark, self._mro, key) or (("C", key),)

    def _ancestors_first(self, key: Key) -> None:
        pending, seen = [key], {key}
        while pending:
            above = [base[1] for base in self.bases(pending[-1]) if base[0] == "C"]
            missing = next(
                (one for one in above if one not in seen and ("mro", one) not in self.known), None
            )
            if missing is None:
                last = pending.pop()
                self.once(("mro", last), self._mro, last)
            else:
                pending.append(missing)
                seen.add(missing)

    def _mro(self, key: Key) -> tuple[Type, ...]:
        bases = self.bases(key)
        lines = [self._order(base) for base in bases]
        own: Type = ("C", key)
        return (own, *(one for one in _merged(lines, bases) if one != own))[:LONGEST]

    def _order(self, base: Type) -> tuple[Type, ...]:
        return (
            tuple(self.once(("mro", base[1]), self._mro, base[1])) or (base,)
            if base[0] == "C"
            else (base,)
        )

    def is_enum(self, key: Key) -> bool:
        """Tell whether a class is an enumeration."""
        return any(one[0] == "X" and one[2].startswith("enum.") for one in self.mro(key))

    def class_member(
        self, key: Key, word: str, receiver: Type | None, after: Key | None = None
    ) -> list[Def]:
        """Return the definitions of an attribute of a class or its instances, nearest first in the
        order of lookup.
        """
        order = self.mro(key)
        if after is not None:
            places = [at for at, one in enumerate(order) if one == ("C", after)]
            order = order[places[0] + 1 :] if places else ()
        hidden = False  # by a class outside that comes first, and is likely to have it
        for one in order:
            if one[0] != "C":
                hidden = hidden or may_have(one, word)
                continue
            found = self.own(one[1], word, receiver)
            if found:
                return [] if hidden else found
        return self._outside(order, word)

    def own(self, key: Key, word: str, receiver: Type | None) -> list[Def]:
        """Return the definitions that a class itself gives an attribute."""
        path = key[0]
        detail = self.detail(key)
        scope = detail["scope"]
        table = self.tables[path].scopes.scopes[scope]
        if word not in table["names"] and word not in detail["attrs"]:
            return []
        binds = (
            self._readable(path, self.tables[path].scopes.reaching(table, word), table)
            if word in table["names"]
            else []
        )
        found: list[Def] = []
        for one in self.bound(path, scope, word, binds):
            found.append((*one[:3], receiver) if one[0] == "sym" else one)
        if word in detail["attrs"] and not any(bind[0] == "def" for bind in binds):
            found.append(("attr", path, key[1], word, receiver))
        return found

    def _readable(self, path: str, binds: list[Bind], table: dict[str, Any]) -> list[Bind]:
        """Put the getter of a property in the place of its setter."""
        found: list[Bind] = []
        for bind in binds:
            word = self.files[path].symbols[bind[5]].name if bind[0] == "def" else ""
            if word and any(
                one in ("setter", "deleter") for one in self.deco_names((path, bind[5]))
            ):
                found.extend(table["names"][word][:1])
            else:
                found.append(bind)
        return found

    def _outside(self, order: tuple[Type, ...], word: str) -> list[Def]:
        outside = [
            one for one in order if one[0] != "C" and (one[0] == "?" or one[2] not in MARKERS)
        ]
        if len(outside) == 1 and outside[0][0] == "X":
            return [("out", outside[0][1], f"{outside[0][2]}.{word}")]
        if not outside and word in OBJECT:
            return [("out", NATIVE, f"object.{word}")]
        return []

    def members(self, kind: Type, word: str) -> list[Def]:
        """Return the definitions of an attribute of a type."""
        match kind[0]:
            case "M" | "D":
                return self.module_member(kind[1], word) or self._module_own(kind, word)
            case "C":
                return self._class_attribute(kind, word)
            case "I":
                return self.class_member(kind[1], word, kind) or self._computed(kind, word)
            case "S":
                return self.class_member(kind[2][1], word, kind[2], after=kind[1])
            case "X":
                return [("out", kind[1], f"{kind[2]}.{word}")]
            case "O":
                return [("out", kind[1], f"{kind[2]}.{word}")]
            case "T":
                return [("out", NATIVE, f"tuple.{word}")]
            case "V":
                return [one for bound in self.bounds(kind) for one in self.members(bound, word)]
            case "F" if word in (
                "__name__",
                "__doc__",
                "__wrapped__",
                "__module__",
                "__qualname__",
                "__dict__",
            ):
                return [("out", NATIVE, f"function.{word}")]
        return []

    def _module_own(self, kind: Type, word: str) -> list[Def]:
        return (
            [("out", NATIVE, f"module.{word}")]
            if word in ("__name__", "__file__", "__dict__", "__doc__", "__path__")
            else []
        )

    def _class_attribute(self, kind: Type, word: str) -> list[Def]:
        found = self.class_member(kind[1], word, kind)
        if found and found[0][0] != "out":
            return found
        for one in self.metas(kind[1]):
            met = self.class_member(one[1], word, ("I", one[1], ())) if one[0] == "C" else []
            if met and met[0][0] != "out":
                return met
        if word in ("__name__", "__mro__", "__bases__", "__subclasses__", "__qualname__", "mro"):
            return [("out", NATIVE, f"type.{word}")]
        return found

    def metas(self, key: Key) -> Types:
        """Return the metaclasses of a class."""
        for one in self.mro(key):
            if one[0] == "C" and self.detail(one[1])["meta"] >= 0:
                return self.infer(one[1][0], self.detail(one[1])["meta"])
        return ()

    def _computed(self, kind: Type, word: str) -> list[Def]:
        if word.startswith("__"):
            return []
        found = self.class_member(kind[1], "__getattr__", kind)
        values = [self.results(one, ()) for one in found if one[0] == "sym"]
        return [("val", one) for one in values if one]

    def results(self, one: Def, args: tuple[Any, ...]) -> Types:
        """Return what calling a definition gives."""
        raise NotImplementedError

    def bounds(self, kind: Type) -> Types:
        """Return what a type variable can be at least."""
        raise NotImplementedError


def _merged(lines: Sequence[tuple[Type, ...]], bases: tuple[Type, ...]) -> Iterable[Type]:
    """Merge the orders of bases into one, by the rule of C3.

    Where that has no answer, the first goes first.
    """
    if len(lines) == 1:
        return lines[0]
    rows = [*lines, bases]
    behind = Counter(one for row in rows for one in row[1:])
    heads = [0] * len(rows)
    merged: dict[Type, None] = {}
    while live := [at for at, row in enumerate(rows) if heads[at] < len(row)]:
        first = [rows[at][heads[at]] for at in live]
        merged[next((one for one in first if not behind[one]), first[0])] = None
        for at in live:
            while heads[at] < len(rows[at]) and rows[at][heads[at]] in merged:
                heads[at] += 1
                if heads[at] < len(rows[at]):
                    behind[rows[at][heads[at]]] -= 1
    return merged


def may_have(base: Type, word: str) -> bool:
    """Tell whether a class outside is likely to have its own of what every object has, such as
    __init__.
    """
    if word not in OBJECT or base[:1] == ("?",):
        return word in OBJECT
    if base[2] in MARKERS or base[2].startswith(PLAIN_BASES):
        return False
    return word != "__init__" or base[2] not in WITHOUT_INIT


def outside_class(name: str) -> bool:
    """Tell whether a name of something outside reads like a class: Upper, not UPPER."""
    last = name.rsplit(".", 1)[-1].lstrip("_")
    return last[:1].isupper() and last != last.upper() and last not in MODULES
