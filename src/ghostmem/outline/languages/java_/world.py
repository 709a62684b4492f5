"""All files of a Java project, and the classes that names in them stand for.

A type is a tuple that begins with its sort: inst and cls of the project, out and outc of elsewhere,
natv, arr, prim, u, null."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Symbol
from ghostmem.outline.languages.java_.natives import PACKAGES, is_native
from ghostmem.outline.languages.shared.types import MAX_DEPTH, Key, Type


class JavaWorld(ABC):
    """All files, and what has been found out about them."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = {path: files[path] for path in sorted(files)}
        self.children: dict[Key, dict[str, list[int]]] = {}
        self.tops: dict[str, list[Key]] = {}  # qualified name: the classes
        self.packages: dict[str, list[str]] = {}  # name: the files
        self.rows: dict[Key, Type] = {}
        self.bases: dict[Key, list[Key]] = {}
        self.classes: dict[tuple[str, str, int], tuple[Type, str]] = {}
        self.above: dict[tuple[Key, tuple[Type, ...]], list[Type]] = {}
        self.depth = 0
        for path, facts in self.files.items():
            self.packages.setdefault(facts.package, []).append(path)
            for number, one in enumerate(facts.symbols):
                self.children.setdefault((path, one.parent), {}).setdefault(one.name, []).append(
                    number
                )
                if one.parent == FILE:
                    self.tops.setdefault(f"{facts.package}.{one.name}".lstrip("."), []).append(
                        (path, number)
                    )

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

    @abstractmethod
    def type_of(self, path: str, number: int | None) -> Type:
        """Return the type of an expression."""

    # names of types

    def class_named(self, path: str, name: str, scope: int) -> tuple[Type, str]:
        """Return the class that a dotted name stands for and by which rung.

        A type parameter is ("param", name, scope).
        """
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
            found = self.nested(found, part)
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

    def nested(self, kind: Type, name: str) -> Type:
        """Return a class that stands inside another."""
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
            terms = [
                term
                for term in (*one.detail.get("ext", []), *one.detail.get("impl", []))
                if term and term[0] == "n"
            ]
            found = [self.class_named(key[0], term[1], outside)[0] for term in terms]
            self.bases[key] = [above[1] for above in found if above and above[0] == "cls"]
        return self.bases[key]

    def _simple(self, path: str, name: str, scope: int) -> tuple[Type, str]:
        scopes = self.detail(path, "scopes")
        while scope >= 0:
            parent, sym, names = scopes[scope]
            held = names.get("^" + name)
            if held:
                return (
                    ("cls", (path, held[0][1])) if held[0][0] == "s" else ("param", name, scope)
                ), "local"
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
        stars = [
            found
            for one in facts.imports
            if one.star
            for found in [self._starred(one.path, name)]
            if found
        ]
        stars = list(dict.fromkeys(stars))
        if stars:
            return (stars[0], "import") if len(stars) == 1 else (None, "")
        return (
            (("outc", f"java.lang.{name}"), "native")
            if name in PACKAGES["java.lang"]
            else (None, "")
        )

    def class_at_name(self, name: str) -> Type:
        """Return the class that a qualified name means: the project's, or one from elsewhere."""
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            rows = self.tops.get(".".join(parts[:cut]), [])
            if rows:
                found: Type = ("cls", rows[0]) if len(rows) == 1 else None
                for part in parts[cut:]:
                    found = self.nested(found, part)
                return found
        return ("outc", name)

    def _starred(self, package: str, name: str) -> Type:
        rows = self.tops.get(f"{package}.{name}", [])
        if rows:
            return ("cls", rows[0]) if len(rows) == 1 else None
        if name in PACKAGES.get(package, ()):
            return ("outc", f"{package}.{name}")
        within = (
            self.class_at_name(package)
            if package in self.tops or package.rpartition(".")[0] in self.packages
            else None
        )
        return self.nested(within, name) if within and within[0] == "cls" else None

    def class_at(self, path: str, scope: int) -> int | None:
        """Return the class that a scope is in."""
        scopes = self.detail(path, "scopes")
        while scope >= 0 and scopes[scope][1] is None:
            scope = scopes[scope][0]
        return scopes[scope][1] if scope >= 0 else None
