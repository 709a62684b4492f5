"""All files of a JavaScript or TypeScript project, and what a name in them leads to: in a scope,
through an import, among the exports of a file.

A type is a tuple that begins with its sort: inst, cls, fn, anon, ns, mod, var, o, nat, natv, natm,
ext, exti, fnt, objt, tup, u. A thing is what a name leads to: sym, member, type, row, value, param,
mod, native, external.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import Facts, Symbol
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_.natives import GLOBAL_TYPES, GLOBAL_VALUES
from ghostmem.outline.languages.ecma_.paths import Paths

MAX_DEPTH = 40  # steps of one inference
Key = tuple[str, int]  # a symbol: its file and number
Env = tuple[tuple[str, Any], ...]  # type parameters and what they stand for
Type = tuple[Any, ...] | None  # begins with its sort; each language has its own
Thing = tuple[Any, ...]
Given = tuple[str, tuple[int, ...]]  # the arguments of a call: their file and rows


def union(kinds: list[Type]) -> Type:
    """Return one type for several: None as soon as one is unknown, without what is empty."""
    if not kinds or any(one is None for one in kinds):
        return None
    flat = [part for one in kinds if one for part in (one[1] if one[0] == "u" else (one,))]
    real = list(dict.fromkeys(one for one in flat if one[0] != "null"))
    return real[0] if len(real) == 1 else ("u", tuple(real)) if real else ("null",)


def is_shallow(kind: Any, levels: int = 12) -> bool:
    """Say whether a type is of a depth that a person writes.

    A class that extends itself made for itself grows without end.
    """
    if not isinstance(kind, tuple):
        return True
    for one in kind if levels else ():
        if isinstance(one, tuple) and not is_shallow(one, levels - 1):
            return False
    return levels > 0


class EcmaNames(ABC):
    """All files of one language, what has been found out about them, and what names lead to."""

    def __init__(self, files: Mapping[str, Facts], read: Read) -> None:
        self.files = {path: files[path] for path in sorted(files)}
        self.paths = Paths(self.files, read)
        self.rows: dict[tuple[str, int], Type] = {}
        self.bound: dict[tuple[str, str, int, bool], tuple[list[Any], int]] = {}
        self.merged: dict[Key, list[Key]] = {}
        self.aliases: set[Key] = set()  # those being followed
        self.heirs: set[tuple[str, int, str]] = (
            set()
        )  # the file, scope and name of what is extended, while that is looked for
        self.orphans: set[tuple[str, int, str]] = set()  # of these, what was not found
        self.handed: dict[tuple[str, str], list[Thing]] = {}  # file and name: what is exported
        self.guesses = 0  # how often an export was looked up in the type of a value
        self.depth = 0
        self.children: dict[Key, dict[str, list[int]]] = {}  # the members of each symbol by name
        self.spaces: set[tuple[str, int]] = set()  # the scopes that are the inside of a namespace
        for path, facts in self.files.items():
            for number, one in enumerate(facts.symbols):
                if one.kind == "module":
                    self.spaces.add((path, one.detail["scope"]))
                self.children.setdefault((path, one.parent), {}).setdefault(one.name, []).append(
                    number
                )

    def symbol(self, key: Key) -> Symbol:
        """Return a symbol."""
        return self.files[key[0]].symbols[key[1]]

    def detail(self, path: str, name: str) -> Any:
        """Return one of the tables of a file."""
        return self.files[path].detail[name]

    @abstractmethod
    def type_of(self, path: str, number: int) -> Type:
        """Return the type of an expression."""

    @abstractmethod
    def value(self, thing: Thing) -> Type:
        """Return the type of what a name leads to, when it stands for a value."""

    @abstractmethod
    def values(self, things: list[Thing]) -> Type:
        """Return the type of what a name leads to, None when it leads to more than one value."""

    @abstractmethod
    def this(self, path: str, scope: int) -> Type:
        """Return what `this` is in a scope."""

    @abstractmethod
    def member(self, kind: Type, name: str, seen: frozenset[Key] = frozenset()) -> list[Thing]:
        """Return what a member of a value is."""

    @abstractmethod
    def member_type(self, kind: Type, name: str) -> Type:
        """Return the type of a member of a value."""

    @abstractmethod
    def result(self, kind: Type, types: tuple[Type, ...] = (), given: Given = ("", ())) -> Type:
        """Return what calling a value gives."""

    def lookup(
        self, path: str, name: str, scope: int, types: bool = False
    ) -> tuple[list[Any], int]:
        """Return what a name is bound to and in which scope, nothing when it is nowhere."""
        key = (path, name, scope, types)
        if key not in self.bound:
            self.bound[key] = self._lookup(path, name, scope, types)
        return self.bound[key]

    def _lookup(self, path: str, name: str, scope: int, types: bool) -> tuple[list[Any], int]:
        scopes = self.detail(path, "scopes")
        while scope >= 0:
            names = scopes[scope][2]
            found = names.get("^" + name if types else name)
            if found is None and types:
                found = [one for one in names.get(name, ()) if one[0] in {"i", "v"}] or None
            if found:
                return found, scope
            scope = scopes[scope][0]
        return [], -1

    def things(
        self, path: str, name: str, scope: int, types: bool = False
    ) -> tuple[list[Thing], str]:
        """Return what a name leads to, and by which rung."""
        found, at = self.lookup(path, name, scope, types)
        if not found:
            if name in GLOBAL_TYPES or (not types and name in GLOBAL_VALUES):
                return [("native", name)], "native"
            return [], ""
        match found[0][0]:
            case "i":
                given = self.files[path].imports[found[0][1]]
                return self.imported(path, given.path, given.name), "import"
            case "s":
                symbols: list[Thing] = [("sym", (path, one[1])) for one in found if one[0] == "s"]
                return symbols, "local" if self._is_inside(path, at) else "module"
            case "t":
                return [("param", name, at)], "local"
        return [("value", path, found[-1], at)] if len(found) == 1 else [], "local"

    def _is_inside(self, path: str, scope: int) -> bool:
        return scope != 0 and (path, scope) not in self.spaces

    def imported(self, path: str, module: str, name: str) -> list[Thing]:
        """Return what a name of a module leads to."""
        where, place = self.paths.find(path, module)
        if where == "file":
            return self.export(place, name)
        if where == "missing":
            return []
        whole = name in {"*", "=", "default", ""}
        if where == "native":
            return [("native", place if whole else f"{place}.{name}")]
        return [("external", place, "" if whole else name)]

    def export(self, path: str, name: str) -> list[Thing]:
        """Return what a file hands out under a name, following re-exports."""
        key = (path, name)
        if key not in self.handed:
            self.handed[key] = []  # what leads back to itself is nothing
            before = self.guesses
            self.handed[key] = found = self._export(path, name, frozenset())
            if self.guesses != before:  # by types that may be better known later
                del self.handed[key]
            return found
        return self.handed[key]

    def _export(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> list[Thing]:
        if (path, name) in seen or len(seen) > MAX_DEPTH:
            return []
        seen |= {(path, name)}
        exports = self.detail(path, "exports")
        if name == "*" or (name == "=" and "=" not in exports):
            return [("mod", path)]
        if name not in exports and "=" in exports:
            whole = self._export(path, "=", seen)
            if name == "default":
                return whole
            self.guesses += 1
            return [one for thing in whole for one in self.member(self.value(thing), name)]
        if name in exports:
            return self.exported(path, exports[name], seen)
        if name == "default":
            return (
                [("mod", path)]
                if exports and not self.detail(path, "stars") and self._is_commonjs(path)
                else []
            )
        return self._starred(path, name, seen)

    def _is_commonjs(self, path: str) -> bool:
        return any(
            one[0] in {"expr", "sym"}
            for name, one in self.detail(path, "exports").items()
            if name != "default"
        )

    def exported(
        self, path: str, what: list[Any], seen: frozenset[tuple[str, str]] = frozenset()
    ) -> list[Thing]:
        """Return what stands behind a name among the exports of a file."""
        match what:
            case ["sym", number]:
                return [("sym", (path, number))]
            case ["expr", number]:
                return [("row", path, number)]
            case ["from", module, name]:
                return self._through(path, module, name, seen)[0]
        value, _ = self.things(path, what[1], 0)
        kind, _ = self.things(path, what[1], 0, types=True)
        outside = [one for one in value if one[0] != "native" or self.lookup(path, what[1], 0)[0]]
        return outside + [
            one
            for one in kind
            if one not in outside and (one[0] != "native" or self.lookup(path, what[1], 0, True)[0])
        ]

    def _through(
        self, path: str, module: str, name: str, seen: frozenset[tuple[str, str]]
    ) -> tuple[list[Thing], bool]:
        """Return what another module hands out, and whether that is a file of the project."""
        where, place = self.paths.find(path, module)
        if where == "file":
            return self._export(place, name, seen), True
        return self.imported(path, module, name), False

    def _starred(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> list[Thing]:
        """Return a name that comes through `export *`, when just one source has it."""
        found: list[list[Thing]] = []
        outside: list[list[Thing]] = []
        for module in self.detail(path, "stars"):
            given, within = self._through(path, module, name, seen)
            rows = found if within else outside
            if given and given not in rows:
                rows.append(given)
        rows = found or outside
        return rows[0] if len(rows) == 1 else []
