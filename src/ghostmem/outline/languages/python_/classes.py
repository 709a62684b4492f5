"""Python classes: their bases, the order in which attributes are looked up, and attributes of
everything else.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ghostmem.outline.graph import NATIVE
from ghostmem.outline.languages.python_.inference_base import InferenceBase
from ghostmem.outline.languages.python_.scopes import Bind
from ghostmem.outline.languages.python_.types import KNOWN, Def, Key, Type, Types

MAX_ANCESTORS = 1000  # classes in one order of lookup


class Classes(InferenceBase):
    """Attributes of classes, instances and modules."""

    def decorator_names(self, key: Key) -> tuple[str, ...]:
        """Return the names of the decorators of a symbol, outside names in full."""
        return self.once(("deco", key), self._decorator_names, key)

    def _decorator_names(self, key: Key) -> tuple[str, ...]:
        names = []
        exprs = self.tables[key[0]].exprs
        for row in self.detail(key).get("decos", ()):
            plain = exprs[row][1] if exprs[row][0] == "c" else row
            for kind in self.infer(key[0], plain):
                if kind[0] == "out":
                    names.append(kind[2])
                elif kind[0] in ("class", "function"):
                    names.append(self.name(kind[1]))
            op, *operands = exprs[plain]
            names.append(operands[1] if op == "a" else operands[0] if op == "n" else "")
        return tuple(str(name) for name in names)

    def bases(self, key: Key) -> tuple[Type, ...]:
        """Return the bases of a class: `class`, `out`, or `?` for one that is not known."""
        return self.once(("bases", key), self._bases, key)

    def _bases(self, key: Key) -> tuple[Type, ...]:
        found: list[Type] = []
        for row in self.detail(key)["bases"]:
            expression = self.tables[key[0]].exprs[row]
            types = [
                kind
                for kind in self.infer(key[0], expression[1] if expression[0] == "s" else row)
                if kind[0] in ("class", "out") and kind[1:] != (key,)
            ]
            found.extend(types or [("?",)])
        return tuple(dict.fromkeys(found))

    def mro(self, key: Key) -> tuple[Type, ...]:
        """Return a class and its ancestors in the order of lookup; those outside stand where they
        are named.

        Ancestors are resolved before their heirs, so that a long chain of them does not need a deep
        stack."""
        mark = ("mro", key)
        if not self.is_known(mark):
            self._resolve_ancestors(key)
        return self.once(mark, self._mro, key) or (("class", key),)

    def _resolve_ancestors(self, key: Key) -> None:
        pending, seen = [key], {key}
        while pending:
            above = [base[1] for base in self.bases(pending[-1]) if base[0] == "class"]
            missing = next(
                (one for one in above if one not in seen and not self.is_known(("mro", one))), None
            )
            if missing is None:
                last = pending.pop()
                self.once(("mro", last), self._mro, last)
            else:
                pending.append(missing)
                seen.add(missing)

    def _mro(self, key: Key) -> tuple[Type, ...]:
        bases = self.bases(key)
        orders = [
            (self.once(("mro", base[1]), self._mro, base[1]) if base[0] == "class" else ())
            or (base,)
            for base in bases
        ]
        own: Type = ("class", key)
        return (own, *(one for one in _merged(orders, bases) if one != own))[:MAX_ANCESTORS]

    def is_enum(self, key: Key) -> bool:
        """Tell whether a class is an enumeration."""
        return any(base[0] == "out" and base[2].startswith("enum.") for base in self.mro(key))

    def class_member(
        self, key: Key, name: str, receiver: Type | None, after: Key | None = None
    ) -> list[Def]:
        """Return the definitions of an attribute of a class or its instances, nearest first in the
        order of lookup.
        """
        order = self.mro(key)
        if after is not None:
            places = [place for place, base in enumerate(order) if base == ("class", after)]
            order = order[places[0] + 1 :] if places else ()
        hidden = False  # by a class outside that comes first, and is likely to have it
        for base in order:
            if base[0] != "class":
                hidden = hidden or may_have(base, name)
                continue
            found = self.own(base[1], name, receiver)
            if found:
                return [] if hidden else found
        return self._outside(order, name)

    def constructor(self, key: Key) -> Key | None:
        """Return the `__init__` that a call of a class runs, if it is a function of the project."""
        found = self.class_member(key, "__init__", ("instance", key, ()))
        made = next((definition[1] for definition in found if definition[0] == "sym"), None)
        return made if made is not None and "params" in self.detail(made) else None

    def own(self, key: Key, name: str, receiver: Type | None) -> list[Def]:
        """Return the definitions that a class itself gives an attribute."""
        path = key[0]
        detail = self.detail(key)
        scopes = self.tables[path].scopes
        scope = scopes.scopes[detail["scope"]]
        if name not in scope["names"] and name not in detail["attrs"]:
            return []
        binds = (
            self._readable(path, scopes.reaching(scope, name), scope)
            if name in scope["names"]
            else []
        )
        found = [
            ("sym", definition[1], receiver) if definition[0] == "sym" else definition
            for definition in self.bound(path, detail["scope"], name, binds)
        ]
        if name in detail["attrs"] and not any(bind[0] == "def" for bind in binds):
            found.append(("attr", key, name, receiver))
        return found

    def _readable(self, path: str, binds: list[Bind], scope: dict[str, Any]) -> list[Bind]:
        """Put the getter of a property in the place of its setter."""
        found: list[Bind] = []
        for bind in binds:
            name = self.files[path].symbols[bind[5]].name if bind[0] == "def" else ""
            if name and not {"setter", "deleter"}.isdisjoint(self.decorator_names((path, bind[5]))):
                found.extend(scope["names"][name][:1])
            else:
                found.append(bind)
        return found

    def _outside(self, order: tuple[Type, ...], name: str) -> list[Def]:
        outside = [
            base
            for base in order
            if base[0] != "class" and (base[0] == "?" or base[2] not in KNOWN["markers"])
        ]
        if len(outside) == 1 and outside[0][0] == "out":
            return [("out", outside[0][1], f"{outside[0][2]}.{name}")]
        return (
            [("out", NATIVE, f"object.{name}")] if not outside and name in KNOWN["object"] else []
        )

    def members(self, kind: Type, name: str) -> list[Def]:
        """Return the definitions of an attribute of a type."""
        match kind[0]:
            case "mod" | "dir":
                return self.module_member(kind[1], name) or _native("module", name)
            case "class":
                return self._class_attribute(kind, name)
            case "instance":
                return self.class_member(kind[1], name, kind) or self._computed(kind, name)
            case "super":
                return self.class_member(kind[2][1], name, kind[2], after=kind[1])
            case "out" | "object":
                return [("out", kind[1], f"{kind[2]}.{name}")]
            case "tuple":
                return [("out", NATIVE, f"tuple.{name}")]
            case "variable":
                return [one for bound in self.bounds(kind) for one in self.members(bound, name)]
            case "function":
                return _native("function", name)
        return []

    def _class_attribute(self, kind: Type, name: str) -> list[Def]:
        found = self.class_member(kind[1], name, kind)
        if found and found[0][0] != "out":
            return found
        for meta in self._metaclasses(kind[1]):
            if meta[0] == "class":
                inherited = self.class_member(meta[1], name, ("instance", meta[1], ()))
                if inherited and inherited[0][0] != "out":
                    return inherited
        return _native("type", name) or found

    def _metaclasses(self, key: Key) -> Types:
        for base in self.mro(key):
            if base[0] == "class" and self.detail(base[1])["meta"] >= 0:
                return self.infer(base[1][0], self.detail(base[1])["meta"])
        return ()

    def _computed(self, kind: Type, name: str) -> list[Def]:
        """Return the results of `__getattr__`."""
        if name.startswith("__"):
            return []
        found = self.class_member(kind[1], "__getattr__", kind)
        values = [self.results(definition, ()) for definition in found]
        return [("val", types) for types in values if types]


def _native(owner: str, name: str) -> list[Def]:
    return [("out", NATIVE, f"{owner}.{name}")] if name in KNOWN[f"attributes.{owner}"] else []


def _merged(orders: Sequence[tuple[Type, ...]], bases: tuple[Type, ...]) -> Iterable[Type]:
    """Merge the orders of bases into one, by the rule of C3.

    Where that has no answer, the first goes first.
    """
    if len(orders) == 1:
        return orders[0]
    rows = [*orders, bases]
    later = Counter(base for row in rows for base in row[1:])
    heads = [0] * len(rows)
    merged: dict[Type, None] = {}
    while live := [at for at, row in enumerate(rows) if heads[at] < len(row)]:
        first = [rows[at][heads[at]] for at in live]
        merged[next((base for base in first if not later[base]), first[0])] = None
        for at in live:
            while heads[at] < len(rows[at]) and rows[at][heads[at]] in merged:
                heads[at] += 1
                if heads[at] < len(rows[at]):
                    later[rows[at][heads[at]]] -= 1
    return merged


def may_have(base: Type, name: str) -> bool:
    """Tell whether a class outside is likely to override a member of every object, such as
    __init__.
    """
    if name not in KNOWN["object"] or base[:1] == ("?",):
        return name in KNOWN["object"]
    if base[2] in KNOWN["markers"] or base[2].startswith(tuple(KNOWN["plain_bases"])):
        return False
    return name != "__init__" or base[2] not in KNOWN["without_init"]


def outside_class(name: str) -> bool:
    """Tell whether a name of something outside reads like a class: Upper, not UPPER."""
    last = name.rsplit(".", 1)[-1].lstrip("_")
    return last[:1].isupper() and last != last.upper() and last not in KNOWN["modules"]
