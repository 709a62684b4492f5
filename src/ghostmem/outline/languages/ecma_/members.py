"""The members of a value: of a class and those it extends, of a module, an object, or something
from outside.
"""

from typing import Any

from ghostmem.outline.languages.ecma_.names import MAX_DEPTH, Env, Key, Thing, Type, union
from ghostmem.outline.languages.ecma_.written import EcmaWritten, thawed

DEEP = 4  # steps of an inference, after which what was not found is not looked for again


class Members(EcmaWritten):
    """Find members."""

    def base(self, kind: Type) -> Type:
        """Return what `super` is to a class or an instance of it."""
        if not kind or kind[0] not in {"inst", "cls"} or not self.symbol(kind[1]).detail.get("ext"):
            return None
        one = self.symbol(kind[1])
        found = self.heir(one.detail["ext"][0], kind[1][0], one.detail["scope"], ())
        return ("cls", found[1]) if found and found[0] == "inst" and kind[0] == "cls" else found

    def heir(self, term: Any, path: str, scope: int, env: Env) -> Type:
        """Return the type that a class says it extends.

        Nothing when that is a member of itself, or too long a chain.
        """
        key = (path, scope, str(term[1]) if term else "")
        if key in self.heirs or key in self.orphans or self.depth > MAX_DEPTH:
            return None
        self.heirs.add(key)
        self.depth += 1
        found = self._heir(term, path, scope, env)
        self.depth -= 1
        self.heirs.discard(key)
        if (
            found is None and self.depth > DEEP
        ):  # each step of a chain asks twice, so that it would double with each
            self.orphans.add(key)
        return found

    def _heir(self, term: Any, path: str, scope: int, env: Env) -> Type:
        if term and term[0] == "x":
            made = self.type_of(path, term[1])
            return self.made(made, ())
        if term and term[0] == "n":  # the name of a class is a value, so it may be a variable too
            first, *rest = term[1].split(".")
            kind = (
                self.values(self.things(path, first, scope)[0])
                if self.lookup(path, first, scope)[0]
                else None
            )
            for part in rest:
                kind = self.member_type(kind, part)
            if kind and kind[0] in {"cls", "ext", "natv", "fn"}:
                return self.made(kind, tuple(self.term(one, path, scope, env) for one in term[2]))
        return self.term(term, path, scope, env)

    def member(self, kind: Type, name: str, seen: frozenset[Key] = frozenset()) -> list[Thing]:
        """Return what a member of a value is."""
        match kind:
            case ("inst" | "cls", key, *given):
                found = self._class_member(
                    key, name, kind[0] == "cls", given[0] if given else (), seen
                )
                return found or (
                    self._assigned(key, name) if kind[0] == "inst" else self._beside(key, name)
                )
            case ("var", key):
                held = self.children.get(key, {}).get(name, [])
                if held:
                    return [("sym", (key[0], one)) for one in held]
                one = self.symbol(key)
                return self.member(
                    self.type_of(key[0], one.detail.get("value", -1)), name
                ) or self._beside(key, name)
            case ("fn", key, _):
                held = [
                    one
                    for one in self.children.get(key, {}).get(name, [])
                    if self.symbol((key[0], one)).detail.get("static")
                ]
                return [("sym", (key[0], one)) for one in held] or self._beside(key, name)
            case ("o", path, number):
                held = self.detail(path, "rows")[number][1].get(name)
                return [("row", path, held)] if held is not None and held >= 0 else []
            case ("mod", path):
                return self.export(path, name)
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
                return (
                    [("type", self.term(thawed(dict(members)[name]), path, scope, env))]
                    if name in dict(members)
                    else []
                )
            case ("&", parts):
                return next(
                    (found for found in (self.member(part, name, seen) for part in parts) if found),
                    [],
                )
            case ("u", parts):
                several = [self.member(part, name, seen) for part in parts]
                return [one for some in several for one in some] if all(several) else []
            case _:
                return []

    def _class_member(
        self, key: Key, name: str, static: bool, given: tuple[Type, ...], seen: frozenset[Key]
    ) -> list[Thing]:
        if key in seen or len(seen) > MAX_DEPTH:
            return []
        one = self.symbol(key)
        env = tuple(zip(one.detail.get("tp", []), given, strict=False))
        for peer in self._merged(key):
            held = [
                number
                for number in self.children.get(peer, {}).get(name, [])
                if self._on_side((peer[0], number), static)
            ]
            if held:
                return [("member", (peer[0], number), env) for number in held]
        for peer in self._merged(key):
            detail = self.symbol(peer).detail
            for term in [
                *detail.get("ext", []),
                *(detail.get("impl", []) if one.kind != "type" else []),
            ]:
                above = self.heir(term, peer[0], detail["scope"], env)
                above = ("cls", above[1]) if above and above[0] == "inst" and static else above
                found = self.member(above, name, seen | {key})
                if found or above is None:
                    return found
        return []

    def _assigned(self, key: Key, name: str) -> list[Thing]:
        """Return what a class puts in a field that it does not declare, when all that is put there
        is known.
        """
        put = self.symbol(key).detail.get("set", {}).get(name)
        kind = union([self.type_of(key[0], row) for row in put]) if put else None
        return [("type", kind)] if kind else []

    def _beside(self, key: Key, name: str) -> list[Thing]:
        """Return what a CommonJS file hands out beside the one value that stands for it."""
        exports = self.detail(key[0], "exports")
        if name == "=" or name not in exports or "=" not in exports:
            return []
        same = self.exported(key[0], exports["="]) == [("sym", key)]
        return self.exported(key[0], exports[name]) if same else []

    def _on_side(self, key: Key, static: bool) -> bool:
        one = self.symbol(key)
        if one.kind == "function" and self.symbol((key[0], one.parent)).kind == "function":
            return False  # a function nested in another is not its member
        return bool(one.detail.get("static")) == static

    def _merged(self, key: Key) -> list[Key]:
        """Return the declarations that are one type: an interface may be declared more than once,
        also beside a class.
        """
        if key not in self.merged:
            one = self.symbol(key)
            rows = self.children.get((key[0], one.parent), {}).get(one.name, [])
            same = [
                (key[0], number)
                for number in rows
                if self.files[key[0]].symbols[number].kind in {"type", "interface"}
            ]
            self.merged[key] = [key, *(peer for peer in same if peer != key)]
        return self.merged[key]

    def member_type(self, kind: Type, name: str) -> Type:
        """Return the type of a member of a value."""
        if kind and kind[0] == "u":
            return union([self.member_type(one, name) for one in kind[1]])
        found = self.member(kind, name)
        if len(found) > 1:  # a getter and a setter are one property
            found = [
                one
                for one in found
                if one[0] != "member" or not self.symbol(one[1]).detail.get("set")
            ]
        if len(found) != 1:
            return None
        match found[0]:
            case ("native", dotted) if kind and kind[0] in {"nat", "tup"}:
                return ("natm", kind, name) if dotted else None
            case ("external", _, _) if kind and kind[0] == "exti":
                return None  # a method's own value says nothing about what it returns
            case _:
                return self.value(found[0])
