"""The methods that a call may mean."""

from typing import Any

from ghostmem.outline.facts import Symbol
from ghostmem.outline.languages.java_.fields import Fields
from ghostmem.outline.languages.java_.natives import OBJECT
from ghostmem.outline.languages.shared.types import MAX_DEPTH, Env, Key, Type


class Methods(Fields):
    """Find methods."""

    def methods(
        self, kind: Type, name: str, count: int | None, seen: frozenset[Key] = frozenset()
    ) -> list[tuple[Key, Env]]:
        """Return the methods of a type that have a name and take so many arguments (None: any
        number), nearest class first.
        """
        if not kind or kind[0] not in {"inst", "cls"} or kind[1] in seen or len(seen) > MAX_DEPTH:
            return []
        key, given = kind[1], kind[2] if kind[0] == "inst" else ()
        env = tuple(zip(self.symbol(key).detail.get("tp", []), given, strict=False))
        rows = self.named_children(key, name, frozenset({"method"}))
        rows = [
            one
            for one in rows
            if not self.symbol(one).detail["ctor"]
            and (count is None or takes(self.symbol(one), count))
        ]
        if not rows and count == 0:
            rows = [
                one
                for one in self.named_children(key, name, frozenset({"field"}))
                if self.symbol(one).detail.get("component")
            ]
        if rows:
            return [(one, env) for one in rows]
        for above in self.supers(key, given):
            found = self.methods(above, name, count, seen | {key})
            if found:
                return found
        return []

    def named_methods(self, path: str, target: int, name: str) -> list[Key]:
        """Return the methods that `target::name` may mean, whatever arguments they take."""
        kind = self.type_of(path, target)
        parts = kind[1] if kind and kind[0] == "u" else (kind,)
        return [key for part in parts for key, _ in self.methods(part, name, None)]

    def outside_base(self, kind: Type, seen: frozenset[Key] = frozenset()) -> str:
        """Return the class from elsewhere that a class comes from: nothing when there is none, "?"
        when it is not known.
        """
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
        """Return the methods that a call may mean, by which rung, and the name of what is outside
        when it is that.
        """
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
                if sort == "enum" and name in {
                    "values",
                    "valueOf",
                    "name",
                    "ordinal",
                    "compareTo",
                    "getDeclaringClass",
                }:
                    return f"java.lang.Enum.{name}"
                return ""
            case _:
                return ""

    def _plain(
        self, path: str, name: str, scope: int, count: int
    ) -> tuple[list[tuple[Key, Env]], str, str]:
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
                holders.append(
                    (
                        self.class_at_name(one.path if one.star else one.path.rpartition(".")[0]),
                        one.star,
                    )
                )
        hits = [
            rows for rows in (self.methods(holder, name, count) for holder, _ in holders) if rows
        ]
        if len(hits) == 1:
            return hits[0], "import", ""
        named = [
            holder[1] for holder, star in holders if holder and holder[0] == "outc" and not star
        ]
        if not hits and len(named) == 1:
            return [], "import", f"{named[0]}.{name}"
        stars = any(star and holder and holder[0] == "outc" for holder, star in holders)
        outside = next(
            (found for found in (self.outside(one, name) for one in classes) if found), ""
        )
        return [], "receiver", "" if hits or (stars and name not in OBJECT) else outside


def takes(one: Symbol, count: int) -> bool:
    """Say whether a method can be called with so many arguments."""
    wanted = len(one.detail["types"])
    return count >= wanted - 1 if one.detail["many"] else count == wanted
