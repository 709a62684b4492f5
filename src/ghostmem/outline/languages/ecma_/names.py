"""Look up the names of a JavaScript or TypeScript project: in scopes, imports and exports.

A type is a tuple that begins with its sort:

- of the project: instance, class, function, anonymous, namespace, module, variable, object,
- of the language and its library: native, native value, native member,
- of a package: external, external instance,
- written: function type, object type, tuple, union, intersection, null.

A referent is what a name stands for, a tuple that begins with its sort: symbol, member, type,
expression, binding, type parameter, module, native, external.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import Facts, Symbol
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_.natives import GLOBAL_TYPES, GLOBAL_VALUES
from ghostmem.outline.languages.ecma_.paths import Paths

MAX_DEPTH = 40  # steps of one inference
MAX_NESTING = 12  # type arguments inside of type arguments
WHOLE_MODULE = frozenset({"*", "=", "default", ""})  # names that import a module as one value
Key = tuple[str, int]  # a symbol: its file and number
Env = tuple[tuple[str, Any], ...]  # type parameters and the types they stand for
Type = tuple[Any, ...] | None  # None: unknown
Referent = tuple[Any, ...]
Arguments = tuple[str, tuple[int, ...]]  # of a call: their file and expressions
Exported = frozenset[tuple[str, str]]  # files and names whose export is being looked up


def union(types: list[Type]) -> Type:
    """Return one type for several: None if one is unknown, and null only if all are null."""
    if not types or None in types:
        return None
    parts = [part for one in types if one for part in (one[1] if one[0] == "union" else (one,))]
    real = list(dict.fromkeys(part for part in parts if part[0] != "null"))
    return real[0] if len(real) == 1 else ("union", tuple(real)) if real else ("null",)


def sort_of(of: Type) -> str:
    """Return the sort of a type, an empty text if it is unknown."""
    return of[0] if of else ""


def is_shallow(part: Any, levels: int = MAX_NESTING) -> bool:
    """Tell whether a type is nested no deeper than a person writes it.

    A class that extends itself made for itself would grow without end.
    """
    return not isinstance(part, tuple) or (
        levels > 0 and all(is_shallow(inner, levels - 1) for inner in part)
    )


class EcmaNames(ABC):
    """The files of a project, and the referents of the names in them."""

    def __init__(self, files: Mapping[str, Facts], read: Read) -> None:
        self.files = {path: files[path] for path in sorted(files)}
        self.paths = Paths(self.files, read)
        self.types: dict[tuple[str, int], Type] = {}  # of expressions
        self.bindings: dict[tuple[str, str, int, bool], tuple[list[Any], int]] = {}
        self.merged: dict[Key, list[Key]] = {}  # the declarations that are one type
        self.open_aliases: set[Key] = set()  # aliases being resolved
        # the file, scope and name of bases: those being resolved, and those that were not found
        self.open_bases: set[tuple[str, int, str]] = set()
        self.unknown_bases: set[tuple[str, int, str]] = set()
        self.exports: dict[tuple[str, str], list[Referent]] = {}  # by file and name
        self.guesses = 0  # how often an export was looked up in the type of a value
        self.depth = 0
        self.children: dict[Key, dict[str, list[int]]] = {}  # the members of each symbol by name
        self.namespace_scopes: set[tuple[str, int]] = set()
        for path, facts in self.files.items():
            for number, symbol in enumerate(facts.symbols):
                if symbol.kind == "module":
                    self.namespace_scopes.add((path, symbol.detail["scope"]))
                members = self.children.setdefault((path, symbol.parent), {})
                members.setdefault(symbol.name, []).append(number)

    def symbol(self, key: Key) -> Symbol:
        """Return a symbol."""
        return self.files[key[0]].symbols[key[1]]

    def detail(self, path: str, name: str) -> Any:
        """Return one of the tables of a file."""
        return self.files[path].detail[name]

    def row(self, path: str, number: int) -> Any:
        """Return the row of an expression."""
        return self.detail(path, "rows")[number] if number >= 0 else ["?"]

    def declared(self, key: Key, name: str) -> list[Key]:
        """Return the symbols of a name that are declared in a symbol."""
        return [(key[0], number) for number in self.children.get(key, {}).get(name, [])]

    @abstractmethod
    def type_of(self, path: str, number: int) -> Type:
        """Return the type of an expression."""

    @abstractmethod
    def value(self, referent: Referent) -> Type:
        """Return the type of a referent that is a value."""

    @abstractmethod
    def values(self, referents: list[Referent]) -> Type:
        """Return the type of the only value among referents, None if there are several."""

    @abstractmethod
    def this(self, path: str, scope: int) -> Type:
        """Return the type of `this` in a scope."""

    @abstractmethod
    def member(self, of: Type, name: str, seen: frozenset[Key] = frozenset()) -> list[Referent]:
        """Return the referents of a member of a type."""

    @abstractmethod
    def member_type(self, of: Type, name: str) -> Type:
        """Return the type of a member of a type."""

    @abstractmethod
    def result(
        self, of: Type, types: tuple[Type, ...] = (), arguments: Arguments = ("", ())
    ) -> Type:
        """Return the type of the result of calling a value."""

    def lookup(
        self, path: str, name: str, scope: int, types: bool = False
    ) -> tuple[list[Any], int]:
        """Return the bindings of a name and their scope, nothing if it is not bound."""
        key = (path, name, scope, types)
        if key not in self.bindings:
            self.bindings[key] = self._lookup(path, name, scope, types)
        return self.bindings[key]

    def _lookup(self, path: str, name: str, scope: int, types: bool) -> tuple[list[Any], int]:
        scopes = self.detail(path, "scopes")
        while scope >= 0:
            names = scopes[scope][2]
            found = names.get("^" + name if types else name)
            if found is None and types:
                found = [binding for binding in names.get(name, ()) if binding[0] in {"i", "v"}]
            if found:
                return found, scope
            scope = scopes[scope][0]
        return [], -1

    def referents(
        self, path: str, name: str, scope: int, types: bool = False
    ) -> tuple[list[Referent], str]:
        """Return the referents of a name, and how they were found."""
        found, at = self.lookup(path, name, scope, types)
        if not found:
            is_native = name in GLOBAL_TYPES or (not types and name in GLOBAL_VALUES)
            return ([("native", name)], "native") if is_native else ([], "")
        match found[0][0]:
            case "i":
                imported = self.files[path].imports[found[0][1]]
                return self.imported(path, imported.path, imported.name), "import"
            case "s":
                inside = at != 0 and (path, at) not in self.namespace_scopes
                symbols: list[Referent] = [
                    ("symbol", (path, binding[1])) for binding in found if binding[0] == "s"
                ]
                return symbols, "local" if inside else "module"
            case "t":
                return [("type parameter", name, at)], "local"
        return [("binding", path, found[-1], at)] if len(found) == 1 else [], "local"

    def imported(self, path: str, module: str, name: str) -> list[Referent]:
        """Return the referents of a name that is imported from a module."""
        origin, place = self.paths.find(path, module)
        if origin == "file":
            return self.export(place, name)
        if origin == "missing":
            return []
        whole = name in WHOLE_MODULE
        if origin == "native":
            return [("native", place if whole else f"{place}.{name}")]
        return [("external", place, "" if whole else name)]

    def export(self, path: str, name: str) -> list[Referent]:
        """Return the referents of a name that a file exports, following re-exports."""
        key = (path, name)
        if key not in self.exports:
            self.exports[key] = []  # an export that leads back to itself is nothing
            before = self.guesses
            self.exports[key] = found = self._export(path, name, frozenset())
            if self.guesses != before:  # by types that may be better known later
                del self.exports[key]
            return found
        return self.exports[key]

    def _export(self, path: str, name: str, seen: Exported) -> list[Referent]:
        if (path, name) in seen or len(seen) > MAX_DEPTH:
            return []
        seen |= {(path, name)}
        exports = self.detail(path, "exports")
        if name == "*" or (name == "=" and "=" not in exports):
            return [("module", path)]
        if name in exports:
            return self.exported(path, exports[name], seen)
        if "=" in exports:
            whole = self._export(path, "=", seen)
            if name == "default":
                return whole
            self.guesses += 1
            return [member for value in whole for member in self.member(self.value(value), name)]
        if name == "default":
            return [("module", path)] if self._is_commonjs(path) else []
        return self._starred(path, name, seen)

    def _is_commonjs(self, path: str) -> bool:
        exports = self.detail(path, "exports").values()
        return not self.detail(path, "stars") and any(
            export[0] in {"expr", "sym"} for export in exports
        )

    def exported(
        self, path: str, export: list[Any], seen: Exported = frozenset()
    ) -> list[Referent]:
        """Return the referents of an export of a file."""
        match export:
            case ["sym", number]:
                return [("symbol", (path, number))]
            case ["expr", number]:
                return [("expression", path, number)]
            case ["from", module, name]:
                return self._through(path, module, name, seen)[0]
        found: list[Referent] = []
        for types in (False, True):  # a name can be a value and a type
            is_bound = bool(self.lookup(path, export[1], 0, types)[0])
            referents, _ = self.referents(path, export[1], 0, types)
            found += [
                one for one in referents if one not in found and (one[0] != "native" or is_bound)
            ]
        return found

    def _through(
        self, path: str, module: str, name: str, seen: Exported
    ) -> tuple[list[Referent], bool]:
        """Return a name of another module, and whether that is a file of the project."""
        origin, place = self.paths.find(path, module)
        if origin == "file":
            return self._export(place, name, seen), True
        return self.imported(path, module, name), False

    def _starred(self, path: str, name: str, seen: Exported) -> list[Referent]:
        """Return the referents of a name that just one `export *` provides."""
        found: dict[bool, list[list[Referent]]] = {True: [], False: []}  # by: inside the project
        for module in self.detail(path, "stars"):
            referents, within = self._through(path, module, name, seen)
            if referents and referents not in found[within]:
                found[within].append(referents)
        candidates = found[True] or found[False]
        return candidates[0] if len(candidates) == 1 else []
