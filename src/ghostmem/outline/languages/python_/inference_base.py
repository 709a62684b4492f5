"""The Python files of a project: a memory of inferred types, and the definitions behind names."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, Self, TypeVar

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.graph import NATIVE
from ghostmem.outline.languages.python_.modules import Modules, origin
from ghostmem.outline.languages.python_.scopes import Bind, PythonFiles
from ghostmem.outline.languages.python_.tables import LATE
from ghostmem.outline.languages.python_.types import KNOWN, Def, Key, Site, Type, Types, union

MAX_STEPS = 60  # of one inference; past them nothing is known
MAX_PASSED = 20  # expressions passed for one parameter that are looked at
STARRED, UNKNOWN_SCOPE = -2, -1  # in place of a scope: found by a star import, or in no scope
_MODULE_NAMES = frozenset(  # that every module has
    "__name__ __file__ __doc__ __package__ __spec__ __loader__ __path__ __debug__".split()
)
Result = TypeVar("Result")
_BUSY: Any = object()  # in place of the result of work that is not finished


class KnownAnswers:
    """Answers by key, or by number in a list, which takes less memory."""

    __slots__ = ("before", "known", "provisional")

    def __init__(self, known: list[Any] | defaultdict[Any, Any]) -> None:
        self.known: Any = known  # None for no answer
        self.provisional: set[Any] = set()  # known answers that another round may change
        self.before: dict[Any, Any] = {}  # those of the last round

    def next_round(self) -> None:
        """Forget provisional answers, except that a cycle starts from its last one."""
        self.before = {key: self.known[key] for key in self.provisional}
        for key in self.provisional:
            self.known[key] = None
        self.provisional = set()


class _FileAnswers(dict[str, KnownAnswers]):
    """The types of the expressions of all files, by path."""

    def __init__(self, tables: PythonFiles) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, path: str) -> KnownAnswers:
        self[path] = memo = KnownAnswers([None] * len(self._tables[path].exprs))
        return memo


class InferenceBase:
    """Files, their symbols and names, and a memory of answers that lasts for several rounds."""

    # the parts of inference call each other; `PythonInference` has them all
    infer: Callable[[str, int], Types]
    definitions: Callable[[str, int], tuple[list[Def], str]]
    types: Callable[[Def], Types]
    bounds: Callable[[Type], Types]
    results: Callable[[Def, Site], Types]

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.modules = Modules(files)
        self.tables = PythonFiles(files)
        starred = (
            (path, [one.path for one in facts.imports if one.star]) for path, facts in files.items()
        )
        self.stars = {path: stars for path, stars in starred if stars}
        self._forget()

    def empty_copy(self) -> Self:
        """Return an inference of the same files in which nothing is inferred yet."""
        other = copy(self)
        other._forget()
        return other

    def _forget(self) -> None:
        self.memo = KnownAnswers(defaultdict(lambda: None))
        self.expressions = _FileAnswers(self.tables)
        self.is_provisional = False  # whether the answer that is being worked out is one
        self.depth = 0
        self.rounds = 0  # those that are over
        self.outer_names: dict[tuple[str, int, str], tuple[list[Def], int]] = {}
        self._is_class: dict[Key, bool] = {}
        # by parameter: the expressions that calls pass for it
        self.passed: dict[tuple[str, int, int], list[tuple[str, int]]] = {}

    def next_round(self, passed: dict[tuple[str, int, int], set[tuple[str, int]]]) -> None:
        """Forget provisional answers, except that a cycle starts from its last one."""
        for memo in (self.memo, *self.expressions.values()):
            memo.next_round()
        self.rounds += 1
        self.passed = {key: sorted(rows)[:MAX_PASSED] for key, rows in passed.items()}

    def once(self, key: Any, work: Callable[..., Result], *args: Any) -> Result:
        """Return the result of a piece of work that is done once."""
        return self.remembered(self.memo, key, work, *args)

    def remembered(
        self, memo: KnownAnswers, key: Any, work: Callable[..., Result], *args: Any
    ) -> Result:
        """Return the result of a piece of work that is done once, from a memo.

        A cycle gets the answer of the last round. An answer that needed neither a cycle nor the
        arguments of calls is the same in every round, so it is kept."""
        known: Result | None = memo.known[key]
        if known is _BUSY or (known is None and self.depth > MAX_STEPS):
            self.is_provisional = True
            return memo.before.get(key, ())  # type: ignore[no-any-return]
        if known is not None:
            if not self.is_provisional and key in memo.provisional:
                self.is_provisional = True
            return known
        memo.known[key] = _BUSY
        self.depth += 1
        outer, self.is_provisional = self.is_provisional, False
        memo.known[key] = result = work(*args)
        self.depth -= 1
        if self.is_provisional:
            memo.provisional.add(key)
        self.is_provisional = self.is_provisional or outer
        return result

    def is_known(self, key: Any) -> bool:
        """Tell whether a piece of work is done."""
        return self.memo.known[key] not in (None, _BUSY)

    def infer_all(self, path: str, rows: Iterable[int]) -> Types:
        """Return the types of several expressions of a file together."""
        return union(self.infer(path, row) for row in rows)

    def detail(self, key: Key) -> dict[str, Any]:
        """Return the language's own facts of a symbol."""
        return self.tables[key[0]].details[key[1]]

    def kind(self, key: Key) -> str:
        """Return a symbol's kind."""
        return self.files[key[0]].symbols[key[1]].kind

    def name(self, key: Key) -> str:
        """Return a symbol's bare name."""
        return self.files[key[0]].symbols[key[1]].name

    def is_class(self, key: Key) -> bool:
        """Tell whether a symbol is a class, rather than an alias of a type."""
        known = self._is_class.get(key)
        if known is None:
            known = self.kind(key) in ("type", "interface") and "bases" in self.detail(key)
            self._is_class[key] = known
        return known

    def named(self, path: str, row: int) -> tuple[list[Def], int]:
        """Return the definitions behind a name, and the scope that it was found in."""
        table = self.tables[path]
        _, name, scope, block, position = table.exprs[row]
        inner = table.scopes.scopes[scope]
        if (
            inner["kind"] != "function"
            or name in inner["names"]
            or name in inner["moved"]
            or name in inner["narrow"]
        ):
            return self.lookup(path, name, scope, block, position)
        # it is found outside of the function, and there the place inside does not matter
        key = (path, inner["parent"], name)
        known = self.outer_names.get(key)
        if known is None:
            outer, self.is_provisional = self.is_provisional, False
            known = self.lookup(path, name, scope, block, position)
            if not self.is_provisional:
                self.outer_names[key] = known
            self.is_provisional = self.is_provisional or outer
        return known

    def lookup(
        self, path: str, name: str, scope: int, block: int, position: int
    ) -> tuple[list[Def], int]:
        """Return the definitions of a name at a place."""
        binds, home = self.tables[path].scopes.lookup(name, scope, block, position)
        if home >= 0:
            return self.bound(path, home, name, binds), home
        if starred := self.starred(path, name, ()):
            return starred, STARRED
        is_native = name in KNOWN["builtins"] or name in _MODULE_NAMES
        return [("out", NATIVE, name)] if is_native else [], UNKNOWN_SCOPE

    def bound(self, path: str, scope: int, name: str, binds: list[Bind]) -> list[Def]:
        """Return the definitions that bindings stand for."""
        found: list[Def] = []
        for bind in binds:
            if bind[5] >= 0:
                found.append(("sym", (path, bind[5]), None))
            elif bind[0] == "imp":
                found.extend(self.once(("imp", path, bind[3]), self._imported, path, bind[3]))
            else:
                group = "narrow" if bind[0] == "narrow" else "names"
                number = self.tables[path].scopes.scopes[scope][group][name].index(bind)
                found.append(("loc", path, scope, name, group, number))
        return list(dict.fromkeys(found)) if len(found) > 1 else found

    def _imported(self, path: str, number: int) -> tuple[Def, ...]:
        """Return the definitions that an import brings in."""
        statement = self.files[path].imports[number]
        if not statement.name:
            dotted = statement.path if statement.alias else statement.path.split(".")[0]
            outside = ("out", origin(dotted), self.modules.absolute(dotted, path))
            return tuple(self._modules(self.modules.find(dotted, path))) or (outside,)
        targets = self.modules.find(statement.path, path)
        members = dict.fromkeys(
            member for target in targets for member in self.module_member(target, statement.name)
        )
        if members or (targets and not self._has_outside_star(targets)):
            return tuple(members)
        dotted = self.modules.absolute(statement.path, path)
        return (("out", origin(dotted), f"{dotted}.{statement.name}"),)

    def _has_outside_star(self, paths: list[str]) -> bool:
        """Tell whether modules import everything from something outside, where a name may be."""
        return any(
            not self.modules.find(dotted, path)
            for path in paths
            for dotted in self.stars.get(path, ())
        )

    def _modules(self, paths: Iterable[str]) -> list[Def]:
        return [("mod" if path in self.files else "dir", path) for path in paths]

    def module_member(self, path: str, name: str, seen: tuple[str, ...] = ()) -> list[Def]:
        """Return the definitions of a module's attribute: its own, those it imports, submodules."""
        if path in self.files and path not in seen:
            scopes = self.tables[path].scopes
            binds = scopes.reaching(scopes.scopes[0], name)
            found = self.bound(path, 0, name, binds) if binds else self.starred(path, name, seen)
            if found:
                return found
        submodule = self.modules.below(path, name)
        return [] if submodule is None else self._modules([submodule])

    def starred(self, path: str, name: str, seen: tuple[str, ...]) -> list[Def]:
        """Return the definitions that star imports bring under a name, when exactly one does."""
        sources: list[list[Def]] = []
        for dotted in self.stars.get(path, ()):
            for target in self.modules.find(dotted, path):
                if target in self.files and target not in seen and self._exports(target, name):
                    found = self.module_member(target, name, (*seen, path))
                    if found and found not in sources:
                        sources.append(found)
        return sources[0] if len(sources) == 1 else []

    def _exports(self, path: str, name: str) -> bool:
        listed = self.files[path].detail
        return not name.startswith("_") if listed is None else name in listed

    def dotted(self, path: str, text: str) -> list[Def]:
        """Return the definitions of a dotted name in a docstring or a string, as seen from the file
        or from the project's top.
        """
        first, *rest = text.split(".")
        found, _ = self.lookup(path, first, 0, -1, LATE)
        if not found or found[0][0] == "out":
            found = self._modules(self.modules.find(first, path)) or found
        for name in rest:
            found = [
                member
                for definition in found
                for kind in self.plain(definition)
                for member in self._plain_member(kind, name)
            ]
        return found

    def plain(self, definition: Def) -> Types:
        """Return the type of a definition that needs no inference."""
        if definition[0] in ("mod", "dir", "out"):
            return (definition,)
        is_class = definition[0] == "sym" and self.is_class(definition[1])
        return (("class", definition[1]),) if is_class else ()

    def _plain_member(self, kind: Type, name: str) -> list[Def]:
        if kind[0] == "out":
            return [("out", kind[1], f"{kind[2]}.{name}")]
        if kind[0] != "class":
            return self.module_member(kind[1], name)
        path, scope = kind[1][0], self.detail(kind[1])["scope"]
        scopes = self.tables[path].scopes
        return self.bound(path, scope, name, scopes.reaching(scopes.scopes[scope], name))

    def class_around(self, path: str, scope: int) -> tuple[int, int]:
        """Return the class and the method that a scope is in, or FILE for either."""
        scopes = self.tables[path].scopes.scopes
        while scope >= 0:
            symbol = scopes[scope]["symbol"]
            if scopes[scope]["kind"] == "function" and symbol != FILE:
                detail = self.detail((path, symbol))
                inside = int(detail.get("class", FILE))
                if inside != FILE and detail.get("scope") == scope:
                    return inside, symbol
            scope = scopes[scope]["parent"]
        return FILE, FILE
