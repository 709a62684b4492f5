"""Find the members of a type: of classes and their bases, modules, objects and libraries."""

from collections.abc import Callable
from typing import Any

from ghostmem.outline.languages.ecma_.names import MAX_DEPTH, Env, Key, Referent, Type, union
from ghostmem.outline.languages.ecma_.written import EcmaWritten

MAX_RETRY_DEPTH = 4  # steps of an inference after which an unknown base is not looked up again


class Members(EcmaWritten):
    """The members of types."""

    def super_type(self, of: Type) -> Type:
        """Return the type of `super` in a class or an instance of it."""
        detail = self.symbol(of[1]).detail if of and of[0] in {"instance", "class"} else {}
        if not of or not detail.get("ext"):
            return None
        found = self.base(detail["ext"][0], of[1][0], detail["scope"], ())
        return _on_side(found, static=of[0] == "class")

    def base(self, term: Any, path: str, scope: int, env: Env) -> Type:
        """Return the type that a class extends.

        None if it is a member of the class itself, or if the chain of bases is too long.
        """
        key = (path, scope, str(term[1]) if term else "")
        if key in self.open_bases or key in self.unknown_bases or self.depth > MAX_DEPTH:
            return None
        self.open_bases.add(key)
        self.depth += 1
        found = self._base(term, path, scope, env)
        self.depth -= 1
        self.open_bases.discard(key)
        # each step of a chain looks up a base twice, so the work would double with each step
        if found is None and self.depth > MAX_RETRY_DEPTH:
            self.unknown_bases.add(key)
        return found

    def _base(self, term: Any, path: str, scope: int, env: Env) -> Type:
        if term and term[0] == "x":
            return self.constructed(self.type_of(path, term[1]), ())
        if term and term[0] == "n":  # the name of a class is a value, so it may be a variable too
            first = term[1].partition(".")[0]
            found = (
                self._type_query(path, scope, env, term[1])
                if self.lookup(path, first, scope)[0]
                else None
            )
            if found and found[0] in {"class", "external", "native value", "function"}:
                return self.constructed(found, self.terms(term[2], path, scope, env))
        return self.term(term, path, scope, env)

    def member(self, of: Type, name: str, seen: frozenset[Key] = frozenset()) -> list[Referent]:
        """Return the referents of a member of a type."""
        find = _MEMBERS.get(of[0]) if of else None
        return find(self, name, seen, *of[1:]) if find and of else []

    def _variable_member(self, name: str, _seen: frozenset[Key], key: Key) -> list[Referent]:
        declared = self.declared(key, name)
        if declared:
            return [("symbol", member) for member in declared]
        value = self.type_of(key[0], self.symbol(key).detail.get("value", -1))
        return self.member(value, name) or self.exported_beside(key, name)

    def _function_member(
        self, name: str, _seen: frozenset[Key], key: Key, _env: Env
    ) -> list[Referent]:
        found = [one for one in self.declared(key, name) if self.symbol(one).detail.get("static")]
        return [("symbol", one) for one in found] or self.exported_beside(key, name)

    def _namespace_member(self, name: str, _seen: frozenset[Key], key: Key) -> list[Referent]:
        scope = self.symbol(key).detail["scope"]
        names = self.detail(key[0], "scopes")[scope][2]
        return self.referents(key[0], name, scope)[0] if name in names else []

    def _union_member(
        self, name: str, seen: frozenset[Key], parts: tuple[Type, ...]
    ) -> list[Referent]:
        found = [self.member(part, name, seen) for part in parts]
        return [one for referents in found for one in referents] if all(found) else []

    def class_member(
        self, key: Key, name: str, static: bool, arguments: tuple[Type, ...], seen: frozenset[Key]
    ) -> list[Referent]:
        if key in seen or len(seen) > MAX_DEPTH:
            return []
        symbol = self.symbol(key)
        env = tuple(zip(symbol.detail.get("tp", []), arguments, strict=False))
        declarations = self._merged(key)
        for declaration in declarations:
            members = [
                ("member", member, env)
                for member in self.declared(declaration, name)
                if self._is_member(member, static)
            ]
            if members:
                return members
        for declaration in declarations:
            detail = self.symbol(declaration).detail
            implemented = detail.get("impl", []) if symbol.kind != "type" else []
            for term in [*detail.get("ext", []), *implemented]:
                base = _on_side(self.base(term, declaration[0], detail["scope"], env), static)
                found = self.member(base, name, seen | {key})
                if found or base is None:
                    return found
        return []

    def assigned(self, key: Key, name: str) -> list[Referent]:
        """Return the type of a field that a class assigns but does not declare, if it is known."""
        values = self.symbol(key).detail.get("set", {}).get(name)
        found = union([self.type_of(key[0], value) for value in values]) if values else None
        return [("type", found)] if found else []

    def exported_beside(self, key: Key, name: str) -> list[Referent]:
        """Return an export of a CommonJS file whose `module.exports` is a symbol."""
        exports = self.detail(key[0], "exports")
        if name == "=" or name not in exports or "=" not in exports:
            return []
        same = self.exported(key[0], exports["="]) == [("symbol", key)]
        return self.exported(key[0], exports[name]) if same else []

    def _is_member(self, key: Key, static: bool) -> bool:
        """Tell whether a child of a symbol is its member, of the class or of its instances."""
        symbol = self.symbol(key)
        if symbol.kind == "function" and self.symbol((key[0], symbol.parent)).kind == "function":
            return False  # a function nested in another is not its member
        return bool(symbol.detail.get("static")) == static

    def _merged(self, key: Key) -> list[Key]:
        """Return the declarations that are one type.

        An interface may be declared more than once, also next to a class.
        """
        if key not in self.merged:
            symbol = self.symbol(key)
            same = self.declared((key[0], symbol.parent), symbol.name)
            others = (other for other in same if other != key and self.is_type(other))
            self.merged[key] = [key, *others]
        return self.merged[key]


def _on_side(of: Type, static: bool) -> Type:
    """Return the class of an instance if a static member is looked up, otherwise the type."""
    return ("class", of[1]) if of and of[0] == "instance" and static else of


# by the sort of a type: a function of the inference, the name, the classes whose members are being
# looked up, and the other values of the type
_MEMBERS: dict[str, Callable[..., list[Referent]]] = {
    "instance": lambda inference, name, seen, key, arguments: (
        inference.class_member(key, name, False, arguments, seen) or inference.assigned(key, name)
    ),
    "class": lambda inference, name, seen, key: (
        inference.class_member(key, name, True, (), seen) or inference.exported_beside(key, name)
    ),
    "variable": Members._variable_member,
    "function": Members._function_member,
    "object": lambda inference, name, _seen, path, number: (
        [("expression", path, value)]
        if (value := inference.row(path, number)[1].get(name, -1)) >= 0
        else []
    ),
    "module": lambda inference, name, _seen, path: inference.export(path, name),
    "namespace": Members._namespace_member,
    "native": lambda _inference, name, _seen, of, _arguments: [("native", f"{of}.{name}")],
    "native value": lambda _inference, name, _seen, of: [("native", f"{of}.{name}")],
    **dict.fromkeys(
        ("external", "external instance"),
        lambda _inference, name, _seen, package, of: [
            ("external", package, f"{of}.{name}" if of else name)
        ],
    ),
    "tuple": lambda _inference, name, _seen, _parts: [("native", f"Array.{name}")],
    "object type": lambda inference, name, _seen, members, *place: [
        ("type", inference.term(term, *place)) for member, term in members if member == name
    ],
    "intersection": lambda inference, name, seen, parts: next(
        filter(None, (inference.member(part, name, seen) for part in parts)), []
    ),
    "union": Members._union_member,
}
