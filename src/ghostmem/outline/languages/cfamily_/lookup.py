"""Look names of C and C++ up at a place: scopes, namespaces, using, members of classes and of their
bases.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE, Facts, Import, Symbol
from ghostmem.outline.languages.cfamily_.includes import NAMES, CppFiles, is_include
from ghostmem.outline.languages.shared.inference import NOTHING, OUTSIDE, Found, Target, symbols
from ghostmem.outline.resolve.types import Key

Place = tuple[str, int, str]  # file, owner, namespace
MAX_USINGS = 8  # namespaces that use each other
MAX_TYPEDEFS = 8  # of each other


class NameQuery(NamedTuple):
    """The place of a name, and whether it may be a type, a tag of C, a namespace."""

    place: Place
    types: bool
    tag: bool
    namespaces: bool = False


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
        self.fixtures: dict[Key, Key] = {}  # a test: the class that it extends
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
        if key in self.classes:
            return self.classes[key]
        parent = self.symbol(key).parent
        return (key[0], parent) if parent != FILE else None

    def inside(self, key: Key) -> Place:
        """Return the place inside a symbol."""
        return key[0], key[1], self.symbol(key).detail["ns"]

    def outside(self, key: Key) -> Place:
        """Return the place around a symbol."""
        symbol = self.symbol(key)
        return key[0], symbol.parent, symbol.detail["ns"]

    def around(self, place: Place) -> Iterator[Key]:
        """Yield the symbol that a place is in, and the classes around it or that a test extends."""
        key: Key | None = (place[0], place[1]) if place[1] != FILE else None
        while key is not None:
            yield key
            key = self.home(key) or self.fixtures.get(key)

    def resolve(
        self, path: list[str], place: Place, *, types: bool = False, tag: bool = False
    ) -> Found:
        """Return the targets of a name with its qualifiers at a place."""
        mark = (tuple(path), place, types, tag)
        if mark not in self.memo:
            self.memo[mark] = NOTHING  # a name that depends on itself is nothing
            self.memo[mark] = self._resolve(path, NameQuery(place, types, tag))
        return self.memo[mark]

    def _resolve(self, path: list[str], query: NameQuery) -> Found:
        if not path:
            return NOTHING
        if path[0] == "":
            return self._follow(Found((Target("ns", ""),), "namespace"), path[1:], query)
        if len(path) == 1:
            return self._unqualified(path[0], query)
        if path[0] == "std" and "std" not in self.spaces:
            return Found.outside("native", "::".join(path))
        first = self._unqualified(path[0], NameQuery(query.place, True, False, True))
        if first.targets:
            return self._follow(first, path[1:], query)
        headers = self.includes.headers(query.place[0])
        is_external = any(header.split("/")[0] == path[0] for header in headers)
        return Found.outside("external", "::".join(path)) if is_external else NOTHING

    def _follow(self, found: Found, rest: list[str], query: NameQuery) -> Found:
        """Walk down a qualified name from the targets of its first part."""
        for place, name in enumerate(rest):
            is_last = place == len(rest) - 1
            step = query if is_last else NameQuery(query.place, True, False, True)
            hits = dict.fromkeys(
                hit for target in found.targets for hit in self._inside(target, name, step)
            )
            if not hits:
                return NOTHING
            found = Found(tuple(hits), found.via)
        return found

    def _inside(self, target: Target, name: str, query: NameQuery) -> Iterable[Target]:
        """Return the targets of a name inside a namespace or class."""
        if target.kind in OUTSIDE:
            return [Target(target.kind, f"{target.value}::{name}")]
        if target.kind == "ns":
            return self._in_namespace(target.value, name, query)
        if target.kind == "sym":
            return symbols(self._fitting(self.member(target.value, name), query))
        return []

    def _fitting(self, keys: Iterable[Key], query: NameQuery) -> list[Key]:
        return [key for key in keys if self._fits(self.symbol(key), query)]

    def _fits(self, symbol: Symbol, query: NameQuery) -> bool:
        if not query.types:
            return self.cpp or symbol.kind != "type"
        is_same_tag = bool(symbol.detail.get("tag")) == query.tag
        return symbol.kind == "type" and (self.cpp or is_same_tag)

    def _unqualified(self, name: str, query: NameQuery) -> Found:
        path, _, space = query.place
        owners = list(self.around(query.place))
        found = self._in_classes(owners, name, query)
        if found.targets:
            return found
        for key in owners:
            if self.symbol(key).kind == "type":
                space = self.symbol(key).detail["ns"]
        for namespace in _outward(space):
            hits = self._in_namespace(namespace, name, query)
            if hits:
                return Found(tuple(hits), self._rung(hits, path, namespace))
        return self._outside(name, query)

    def _in_classes(self, owners: list[Key], name: str, query: NameQuery) -> Found:
        """Look a name up among template parameters and in the classes around a place."""
        generics = (key for key in owners if name in self.symbol(key).detail.get("tparams", ()))
        if query.types and (owner := next(generics, None)) is not None:
            return Found((Target("gen", (name, *owner)),), "local")
        for key in owners if self.cpp else ():
            symbol = self.symbol(key)
            if symbol.kind == "type":
                if symbol.name == name and query.types:
                    return Found(symbols([key]), "local")
                if members := self._fitting(self.member(key, name), query):
                    return Found(symbols(members), "receiver")
        return NOTHING

    def _rung(self, hits: dict[Target, str], path: str, namespace: str) -> str:
        if "import" in hits.values():
            return "import"
        if any(target.kind == "ns" for target in hits):
            return "namespace"
        is_near = all(target.kind == "sym" and target.value[0] == path for target in hits)
        return "local" if is_near else "namespace" if namespace else "import"

    def _in_namespace(
        self, space: str, name: str, query: NameQuery, seen: frozenset[str] = frozenset()
    ) -> dict[Target, str]:
        """Return the targets that a namespace has under a name, with those that using adds."""
        if space in seen or len(seen) > MAX_USINGS:
            return {}
        path = query.place[0]
        visible = self.includes.closure(path)
        declared = self.items.get((space, name), ())
        keys = [
            key
            for key in (self._fitting(declared, query) if declared else ())
            if key[0] in visible or not self._is_hidden(key)
        ]
        hits = {Target("sym", key): "" for key in keys if key[0] in visible}
        if not hits and keys:
            includers = self.includes.around(path)
            near = [key for key in keys if key[0] in includers]
            if len({self.settled(key)[0] for key in near}) == 1:
                hits = {Target("sym", key): "" for key in near}
        inner = f"{space}::{name}" if space else name
        if query.namespaces and inner in self.spaces:
            hits[Target("ns", inner)] = ""
        return hits or self._used(space, name, query, seen | {space})

    def _is_hidden(self, key: Key) -> bool:
        """Tell whether a symbol is visible only where its file is included."""
        detail = self.symbol(key).detail
        return bool(detail.get("static") or detail.get("hidden"))

    def _used(
        self, space: str, name: str, query: NameQuery, seen: frozenset[str]
    ) -> dict[Target, str]:
        """Return the targets that `using` and namespace aliases bring into a namespace."""
        starred: dict[Target, str] = {}
        for path, owner, around, using in self._usings(query.place[0]) if self.cpp else ():
            if around != space or (owner != FILE and (path, owner) != query.place[:2]):
                continue
            if using.alias:
                if query.namespaces and using.alias == name:
                    return {Target("ns", self._full(using.path, around)): "import"}
            elif using.star:
                full = self._full(using.path, around)
                if full != space and (using.path != "std" or "std" in self.spaces):
                    hits = self._in_namespace(full, name, query, seen)
                    starred |= dict.fromkeys(hits, "import")
            elif using.name == name and using.path != name:
                where, target = (path, FILE, around), using.path.split("::")
                found = self.resolve(target, where, types=query.types, tag=query.tag)
                if found.targets:
                    return dict.fromkeys(found.targets, "import")
        return starred

    def _usings(self, path: str) -> list[tuple[str, int, str, Import]]:
        """Return the using declarations that are visible in a file, each with its file, owner and
        namespace.
        """
        if path not in self.using_memo:
            self.using_memo[path] = [
                (file, *self.files[file].detail["contexts"][using.detail["ctx"]], using)
                for file in sorted(self.includes.closure(path))
                for using in self.usings[file]
            ]
        return self.using_memo[path]

    def _full(self, path: str, around: str) -> str:
        """Return the whole name of a namespace that is written inside another."""
        names = (f"{space}::{path}" if space else path for space in _outward(around))
        return next((name for name in names if name in self.spaces), path)

    def _outside(self, name: str, query: NameQuery) -> Found:
        """Look a name up in the headers of the standard library."""
        if name == "std" and query.types:
            return Found.outside("native", "std")
        path = query.place[0]
        if name in self.includes.natives(path):
            return Found.outside("native", name)
        is_std = self.cpp and name in NAMES["@std"]
        if is_std and any(one.star and one.path == "std" for *_, one in self._usings(path)):
            return Found.outside("native", f"std::{name}")
        return NOTHING

    # members

    def member(self, key: Key, name: str) -> list[Key]:
        """Return the members of a class under a name: its own, else those of its bases."""
        level, seen = [key], {key}
        while level:
            found = [member for one in level for member in self.members.get((*one, name), ())]
            if found:
                return found
            level = [base for one in level for base in self.bases(one) if base not in seen]
            seen |= set(level)
        return []

    def bases(self, key: Key) -> list[Key]:
        """Return the classes that a class extends, as far as they are in the project."""
        if key not in self.base_memo:
            found: list[Key] = []
            self.base_memo[key] = found
            for base in self.symbol(key).detail.get("bases", ()):
                for target in self.resolve(base[1], self.outside(key), types=True).targets:
                    real = self.real(target)
                    if real is not None and real != key:
                        found.append(real)
        return self.base_memo[key]

    def real(self, target: Target, depth: int = 0) -> Key | None:
        """Return the class behind a name, through typedefs."""
        if target.kind != "sym" or depth > MAX_TYPEDEFS:
            return None
        key, symbol = target.value, self.symbol(target.value)
        if symbol.kind != "type" or "alias" not in symbol.detail:
            return key if symbol.kind == "type" else None
        alias = symbol.detail["alias"]
        if not alias or alias[0] != "T":
            return None
        found = self.resolve(alias[1], self.outside(key), types=True, tag=bool(alias[3])).targets
        return self.real(found[0], depth + 1) if len(found) == 1 and found[0] != target else None


def _outward(space: str) -> Iterator[str]:
    """Yield a namespace and those around it, at last the global one."""
    while space:
        yield space
        space = space.rpartition("::")[0]
    yield ""
