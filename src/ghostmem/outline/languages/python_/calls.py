"""The types that calling, indexing, iterating and entering Python values gives."""

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.python_.annotations import Annotations
from ghostmem.outline.languages.python_.library import container_result, function_result
from ghostmem.outline.languages.python_.types import (
    FAMILIES,
    KNOWN,
    STR,
    Def,
    Key,
    Site,
    Type,
    Types,
    box,
    has_variable,
    union,
)

# methods whose first parameter is the class
_CLASS_FIRST = ("__new__", "__init_subclass__", "__class_getitem__")


class Calls(Annotations):
    """Results of calls and other operations on values."""

    def takes_class(self, key: Key) -> bool:
        """Tell whether the first parameter of a method is the class."""
        return self.name(key) in _CLASS_FIRST or "classmethod" in self.decorator_names(key)

    def call(self, path: str, row: int) -> Types:
        """Return the types that a call gives."""
        _, target, arguments, keywords = self.tables[path].exprs[row]
        called = self.tables[path].exprs[target]
        if called[0] == "n" and called[1] == "super":
            return self._super(path, called[2], arguments)
        site = (path, arguments, keywords)
        return union(self.result(kind, site) for kind in self.infer(path, target))

    def _super(self, path: str, scope: int, arguments: list[int]) -> Types:
        inside, method = self.class_around(path, scope)
        if inside == FILE:
            return ()
        own = key = (path, inside)
        is_class = self.takes_class((path, method))
        if len(arguments) == 2:
            named = (one[1] for one in self.infer(path, arguments[0]) if one[0] == "class")
            own = next(named, own)
        return (("super", own, ("class", key) if is_class else ("instance", key, ())),)

    def result(self, kind: Type, site: Site) -> Types:
        """Return the types that calling a type gives."""
        match kind[0]:
            case "class":
                return (("instance", kind[1], self.arguments(kind[1], site)),)
            case "function":
                return self._solved(kind[1], kind[2], site)
            case "instance":
                return self.method(kind, "__call__", site)
            case "out":
                return function_result(self, kind, site)
            case "method":
                return container_result(*kind[1:])
            case "callable":
                return kind[1]  # type: ignore[no-any-return]
            case "lambda":
                return self.infer(kind[1], kind[2])
            case "partial":
                return union(self.result(one, ()) for one in kind[1])
            case "variable class":
                return (kind[1],)
        return ()

    def results(self, definition: Def, site: Site) -> Types:
        """Return the types that calling a definition gives."""
        if definition[0] != "sym" or self.kind(definition[1]) not in ("function", "method"):
            return ()
        return self._solved(definition[1], definition[2], site)

    def method(self, kind: Type, name: str, site: Site = ()) -> Types:
        """Return the types that a method of an instance gives."""
        return union(self.results(one, site) for one in self.class_member(kind[1], name, kind))

    def returned(self, key: Key, receiver: Type | None) -> Types:
        """Return the types that a function gives for a receiver."""
        return self.substitute(self._with_self(key, receiver), receiver)

    def _with_self(self, key: Key, receiver: Type | None) -> Types:
        found = self.once(("ret", key), self._returned, key)
        detail = self.detail(key)
        if receiver is None or detail["class"] == FILE or receiver[0] not in ("instance", "class"):
            return found
        own = ("instance", (key[0], detail["class"]), ())
        actual = receiver if receiver[0] == "instance" else ("instance", receiver[1], ())
        if own in found and own != actual and detail["ret"] < 0 and self._gives_self(key):
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
            found = (box("Generator", self.infer_all(path, detail["yields"])),)
        else:
            documented = self.infer_all(path, detail["docs"].get("", ()))
            found = documented or self.infer_all(path, detail["rets"])
        if not KNOWN["contexts"].isdisjoint(self.decorator_names(key)):
            return (box("contextmanager", self.element(found)),)
        return found

    def _solved(self, key: Key, receiver: Type | None, site: Site) -> Types:
        """Return the types that a call of a function gives, with its type variables solved."""
        found = self.returned(key, receiver)
        if not has_variable(found):
            return found
        return self.replace(found, self.bindings(key, receiver, site))

    def element(self, types: Types) -> Types:
        """Return the types that iterating gives."""
        return union(self._element(kind) for kind in types)

    def _element(self, kind: Type) -> Types:
        match kind[0]:
            case "object":
                return STR if kind[2] == "str" else kind[3][0] if kind[3] else ()
            case "tuple":
                return union(kind[1])
            case "instance":
                iterator = self.method(kind, "__iter__") or self.method(kind, "__aiter__")
                return (
                    self.element(iterator if iterator != (kind,) else ())
                    or self.method(kind, "__next__")
                    or self.method(kind, "__getitem__")
                )
            case "class" if self.is_enum(kind[1]):
                return (("instance", kind[1], ()),)
            case "variable":
                return self.element(self.bounds(kind))
        return ()

    def unpacked(self, kind: Type, index: int) -> Types:
        """Return the types of one part of an unpacked value."""
        if kind[0] == "tuple":
            return kind[1][index] if index < len(kind[1]) else ()
        return self.element((kind,))

    def entered(self, types: Types) -> Types:
        """Return the types that a with statement binds."""
        found: list[Types] = []
        for kind in types:
            if kind[0] == "instance":
                found.append(self.method(kind, "__enter__") or self.method(kind, "__aenter__"))
            elif kind[0] == "object" and kind[2] == "contextmanager":
                found.append(kind[3][0] if kind[3] else ())
            elif kind[0] == "object":
                found.append((kind,))
        return union(found)

    def indexed(self, path: str, base: int, index: int) -> Types:
        """Return the types of a subscript."""
        op, *operands = self.tables[path].exprs[index]
        number = int(operands[1]) if op == "k" and str(operands[1]).isdigit() else None
        return union(self._item(kind, number) for kind in self.infer(path, base))

    def _item(self, kind: Type, number: int | None) -> Types:
        match kind[0]:
            case "tuple" if number is not None:
                return self.unpacked(kind, number)
            case "class":
                return (kind,)
            case "instance":
                return self.method(kind, "__getitem__")
            case "object" if FAMILIES.get(kind[2].rsplit(".", 1)[-1]) == "dict":
                return kind[3][1] if len(kind[3]) > 1 else ()
            case "object" if kind[2] in KNOWN["classes"] and not kind[3]:
                return (kind,) if kind[2] == "str" else ()
        return self.element((kind,))

    def operated(self, path: str, left: int, method: str) -> Types:
        """Return the types of a binary operation, by its left operand."""
        found: list[Types] = []
        for kind in self.infer(path, left):
            if kind[0] == "instance" and method:
                found.append(self.method(kind, method))
            elif kind[0] == "object":
                found.append((kind,))
        return union(found)
