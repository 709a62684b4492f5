"""What a name of C or C++ is at a place: scopes, namespaces, using, members of classes and their
bases.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Import, Symbol
from ghostmem.outline.languages.cfamily_.headers import STD
from ghostmem.outline.languages.cfamily_.includes import CppFiles, is_include
from ghostmem.outline.languages.shared.inference import NOTHING, Found, Target

Key = tuple[str, int]
Place = tuple[str, int, str]  # file, owner, namespace


class CppLookup:
    """Look names up in the files of a project."""

    def __init__(self, files: Mapping[str, Facts], includes: CppFiles, *, cpp: bool) -> None:
        self.files = files
        self.includes = includes
        self.cpp = cpp
        self.items: dict[tuple[str, str], list[Key]] = defaultdict(list)  # (namespace, name)
        self.members: dict[tuple[str, int, str], list[Key]] = defaultdict(list)  # (class, name)
        self.spaces: set[str] = set()
        self.usings = {
            path: [one for one in files[path].imports if not is_include(one)] for path in files
        }
        self.classes: dict[Key, Key] = {}  # a definition outside its class: the class
        self.defined: dict[Key, list[Key]] = {}  # a declaration: its definitions
        self.memo: dict[Any, Found] = {}
        self.base_memo: dict[Key, list[Key]] = {}
        self.using_memo: dict[str, list[tuple[str, int, str, Import]]] = {}

    def symbol(self, key: Key) -> Symbol:
        """Return the symbol of a key."""
        return self.files[key[0]].symbols[key[1]]

    def settled(self, key: Key) -> list[Key]:
        """Return where a symbol is defined, or itself."""
        return self.defined.get(key) or [key]

    def home(self, key: Key) -> Key | None:
        """Return the class that a symbol belongs to."""
        if key[1] == FILE:
            return None
        if key in self.classes:
            return self.classes[key]
        parent = self.symbol(key).parent
        return (key[0], parent) if parent != FILE else None

    def generic(self, place: Place, name: str) -> Target | None:
        """Return a template parameter that is visible at a place."""
        key: Key | None = (place[0], place[1]) if place[1] != FILE else None
        while key is not None:
            if name in self.symbol(key).detail.get("tparams", ()):
                return Target("gen", (name, *key))
            key = self.home(key)
        return None

    def resolve(
        self, path: list[str], place: Place, *, types: bool = False, tag: bool = False
    ) -> Found:
        """Return what a name with its qualifiers is at a place."""
        mark = (tuple(path), place, types, tag)
        if mark not in self.memo:
            self.memo[mark] = NOTHING  # a name that depends on itself is nothing
            self.memo[mark] = self._resolve(path, place, types, tag)
        return self.memo[mark]

    def _resolve(self, path: list[str], place: Place, types: bool, tag: bool) -> Found:
        if not path:
            return NOTHING
        if path[0] == "":
            return self._follow(
                Found((Target("ns", ""),), "namespace"), path[1:], place, types, tag
            )
        if len(path) == 1:
            return self._plain(path[0], place, types, tag)
        if path[0] == "std" and "std" not in self.spaces:
            return Found((Target("native", "::".join(path)),), "native")
        first = self._plain(path[0], place, True, False, scope=True)
        if not first.targets:
            known = any(
                header.split("/")[0] == path[0] for header in self.includes.headers(place[0])
            )
            return Found((Target("external", "::".join(path)),), "external") if known else NOTHING
        return self._follow(first, path[1:], place, types, tag)

    def _follow(self, found: Found, rest: list[str], place: Place, types: bool, tag: bool) -> Found:
        for at, name in enumerate(rest):
            last = at == len(rest) - 1
            hits: dict[Target, None] = {}
            for one in found.targets:
                hits |= dict.fromkeys(
                    self._inside(
                        one,
                        name,
                        place,
                        types if last else True,
                        tag if last else False,
                        scope=not last,
                    )
                )
            if not hits:
                return NOTHING
            found = Found(tuple(hits), found.via)
        return found

    def _inside(
        self, one: Target, name: str, place: Place, types: bool, tag: bool, *, scope: bool
    ) -> list[Target]:
        if one.kind in ("native", "external"):
            return [Target(one.kind, f"{one.value}::{name}")]
        if one.kind == "ns":
            return list(
                self._space(one.value, name, place, types, tag, scope=scope, seen=frozenset())
            )
        if one.kind == "sym":
            held = self.member(one.value, name)
            return [Target("sym", key) for key in held if self._fits(key, types, tag)]
        return []

    def _fits(self, key: Key, types: bool, tag: bool) -> bool:
        one = self.symbol(key)
        if not types:
            return self.cpp or one.kind != "type"
        return one.kind == "type" and (self.cpp or bool(one.detail.get("tag")) == tag)

    def _plain(
        self, name: str, place: Place, types: bool, tag: bool, *, scope: bool = False
    ) -> Found:
        path, owner, space = place
        if types and (generic := self.generic(place, name)) is not None:
            return Found((generic,), "local")
        key: Key | None = (path, owner) if owner != FILE else None
        while key is not None:
            if self.symbol(key).kind == "type":
                if self.cpp and self.symbol(key).name == name and types:
                    return Found((Target("sym", key),), "local")
                held = [one for one in self.member(key, name) if self._fits(one, types, tag)]
                if held and self.cpp:
                    return Found(tuple(Target("sym", one) for one in held), "receiver")
                space = self.symbol(key).detail["ns"]
            key = self.home(key)
        parts = space.split("::") if space else []
        for end in range(len(parts), -1, -1):
            around = "::".join(parts[:end])
            hits = self._space(around, name, place, types, tag, scope=scope, seen=frozenset())
            if hits:
                return Found(tuple(hits), self._rung(hits, path, around, name))
        return self._outside(name, place, types)

    def _rung(self, hits: dict[Target, str], path: str, space: str, name: str) -> str:
        if "import" in hits.values():
            return "import"
        if any(one.kind == "ns" for one in hits):
            return "namespace"
        near = all(one.kind == "sym" and one.value[0] == path for one in hits)
        return "local" if near else "namespace" if space else "import"

    def _space(
        self,
        space: str,
        name: str,
        place: Place,
        types: bool,
        tag: bool,
        *,
        scope: bool,
        seen: frozenset[str],
    ) -> dict[Target, str]:
        """Return what a namespace has under a name, with what using brings into it."""
        if space in seen or len(seen) > 8:
            return {}
        path = place[0]
        held = [
            key
            for key in self.items.get((space, name), ())
            if self._fits(key, types, tag) and self._linked(key, path)
        ]
        shown = [key for key in held if key[0] in self.includes.closure(path)]
        if not shown and held and self.includes.around(path):
            around = [key for key in held if key[0] in self.includes.around(path)]
            shown = around if len({self.settled(key)[0] for key in around}) == 1 else []
        hits = {Target("sym", key): "" for key in shown}
        inner = f"{space}::{name}" if space else name
        if scope and inner in self.spaces:
            hits[Target("ns", inner)] = ""
        return hits or self._used(space, name, place, types, tag, scope=scope, seen=seen | {space})

    def _linked(self, key: Key, path: str) -> bool:
        """Tell whether a symbol of another file can be meant: a hidden one only where its file is
        included.
        """
        one = self.symbol(key)
        return not (one.detail.get("static") or one.detail.get("hidden")) or key[
            0
        ] in self.includes.closure(path)

    def _used(
        self,
        space: str,
        name: str,
        place: Place,
        types: bool,
        tag: bool,
        *,
        scope: bool,
        seen: frozenset[str],
    ) -> dict[Target, str]:
        """Return what `using` and namespace aliases bring into a namespace under a name."""
        if not self.cpp:
            return {}
        star: dict[Target, str] = {}
        for path, owner, around, one in self._usings(place[0]):
            if around != space or (owner != FILE and (path, owner) != place[:2]):
                continue
            if one.alias:
                if scope and one.alias == name:
                    return {Target("ns", self._full(one.path, around)): "import"}
            elif not one.star and one.name == name and one.path != name:
                found = self.resolve(
                    one.path.split("::"), (path, FILE, around), types=types, tag=tag
                )
                if found.targets:
                    return dict.fromkeys(found.targets, "import")
            elif one.star and (one.path != "std" or "std" in self.spaces):
                full = self._full(one.path, around)
                if full != space:
                    star |= dict.fromkeys(
                        self._space(full, name, place, types, tag, scope=scope, seen=seen), "import"
                    )
        return star

    def _usings(self, path: str) -> list[tuple[str, int, str, Import]]:
        """Return the using declarations that are visible in a file, each with its file, owner and
        namespace.
        """
        if path not in self.using_memo:
            self.using_memo[path] = [
                (held, *self.files[held].detail["contexts"][one.detail["ctx"]], one)
                for held in sorted(self.includes.closure(path))
                for one in self.usings[held]
            ]
        return self.using_memo[path]

    def _full(self, path: str, around: str) -> str:
        """Return the whole name of a namespace that is written inside another."""
        parts = around.split("::") if around else []
        for end in range(len(parts), -1, -1):
            whole = "::".join([*parts[:end], path])
            if whole in self.spaces:
                return whole
        return path

    def _outside(self, name: str, place: Place, types: bool) -> Found:
        """Look a name up in the headers of the standard library."""
        if name == "std" and types:
            return Found((Target("native", "std"),), "native")
        if name in self.includes.natives(place[0]):
            return Found((Target("native", name),), "native")
        if self.cpp and name in STD and self._opens_std(place[0]):
            return Found((Target("native", f"std::{name}"),), "native")
        return NOTHING

    def _opens_std(self, path: str) -> bool:
        """Tell whether `using namespace std` is visible in a file."""
        return any(one.star and one.path == "std" for *_, one in self._usings(path))

    # members

    def member(self, key: Key, name: str) -> list[Key]:
        """Return the members of a class under a name: its own, else those of its bases."""
        level, seen = [key], {key}
        while level:
            held = [found for one in level for found in self.members.get((*one, name), ())]
            if held:
                return held
            level = [base for one in level for base in self.bases(one) if base not in seen]
            seen |= set(level)
        return []

    def bases(self, key: Key) -> list[Key]:
        """Return the classes that a class extends, as far as they are in the project."""
        if key in self.base_memo:
            return self.base_memo[key]
        one = self.symbol(key)
        found: list[Key] = []
        self.base_memo[key] = found
        for base in one.detail.get("bases", ()):
            around = (key[0], one.parent, one.detail["ns"])
            for target in self.resolve(base[1], around, types=True).targets:
                real = self.real(target)
                if real is not None and real != key:
                    found.append(real)
        return found

    def real(self, target: Target, depth: int = 0) -> Key | None:
        """Return the class behind a name, through typedefs."""
        if target.kind != "sym" or depth > 8:
            return None
        one = self.symbol(target.value)
        alias = one.detail.get("alias")
        if one.kind != "type" or "alias" not in one.detail:
            return target.value if one.kind == "type" else None
        if not alias or alias[0] != "T":
            return None
        place = (target.value[0], one.parent, one.detail["ns"])
        found = self.resolve(alias[1], place, types=True, tag=bool(alias[3])).targets
        return self.real(found[0], depth + 1) if len(found) == 1 and found[0] != target else None
