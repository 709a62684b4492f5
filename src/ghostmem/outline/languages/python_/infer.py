"""What Python expressions can be: definitions behind names and attributes, and the types of values.

A type is a tuple: C class | I instance, its arguments | F function, what it is bound to | M module
| D namespace folder | X something outside | O instance of something outside, its arguments | T
tuple of types | S super | V type variable | B method of an outside instance | K callable by its
annotation | P partial | L lambda. A key is (path, symbol). A definition is sym path symbol receiver
| mod path | dir folder | out origin name | loc path scope name number | attr path class name
receiver | val types."""

from collections.abc import Iterable, Mapping
from copy import copy
from itertools import chain
from typing import Any, Self

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.graph import NATIVE
from ghostmem.outline.languages.python_.files import PythonFiles
from ghostmem.outline.languages.python_.modules import Modules, origin
from ghostmem.outline.languages.python_.scopes import Bind
from ghostmem.outline.languages.python_.stdlib import BUILTINS

Type = tuple[Any, ...]
Types = tuple[Type, ...]
Def = tuple[Any, ...]
DEEPEST = 60  # steps of one inference; past them nothing is known
DEEP = 20  # tuples inside each other in one type
MOST = 16  # types of one expression
Key = tuple[str, int]
_MODULE_NAMES = frozenset(  # that every module has
    "__name__ __file__ __doc__ __package__ __spec__ __loader__ __path__ __debug__".split()
)


def union(groups: Iterable[Types]) -> Types:
    """Join types in their order, each once, not too many."""
    return tuple(dict.fromkeys(chain.from_iterable(groups)))[:MOST]


def nesting(kind: Any) -> int:
    """Return how deep a type is."""
    return (
        1 + max((nesting(one) for one in kind if isinstance(one, tuple)), default=0)
        if isinstance(kind, tuple)
        else 0
    )


def box(name: str, *elements: Types) -> Type:
    """Return an instance of a container of Python's own."""
    made = ("O", NATIVE, name, tuple(elements))
    return made if nesting(made) < DEEP else ("O", NATIVE, name, ())


class PythonWorld:
    """All files of a project, the names in them, and what has been inferred in this round and the
    one before.
    """

    def __init__(self, files: Mapping[str, Facts]) -> None:
        """Take the files."""
        self.files = files
        self.modules = Modules(files)
        self.tables = PythonFiles(files)
        starred = (
            (path, [one.path for one in facts.imports if one.star]) for path, facts in files.items()
        )
        self.stars = {path: stars for path, stars in starred if stars}
        self._forget()

    def beside(self) -> Self:
        """Return a world of the same files in which nothing is inferred yet."""
        other = copy(self)
        other._forget()
        return other

    def _forget(self) -> None:
        self.known: dict[Any, Any] = {}
        self.before: dict[Any, Any] = {}
        self.doubted: set[Any] = set()  # of what is known: what another round may answer otherwise
        self.doubt = False  # whether the answer that is being worked out is such
        self.busy: set[Any] = set()
        self.depth = 0
        self.rounds = 0  # those that are over
        self._outer: dict[tuple[str, int, str], tuple[list[Def], int]] = {}
        self._is_class: dict[Key, bool] = {}
        self.passed: dict[
            tuple[str, int, int], list[tuple[str, int]]
        ] = {}  # what calls pass for a parameter

    def next_round(self, passed: dict[tuple[str, int, int], set[tuple[str, int]]]) -> None:
        """Forget what may be answered otherwise now, but for cycles, which go on from it."""
        self.before = {key: self.known.pop(key) for key in self.doubted}
        self.doubted = set()
        self.rounds += 1
        self.passed = {key: sorted(rows)[:20] for key, rows in passed.items()}

    def once(self, key: Any, work: Any, *args: Any) -> Any:
        """Return what a piece of work gives, having done it once.

        A cycle gets the last round's answer.

        What was answered without a cycle and without what calls pass is the same in every round, so
        that it is kept."""
        known = self.known.get(key)
        if known is not None:
            if not self.doubt and key in self.doubted:
                self.doubt = True
            return known
        if key in self.busy or self.depth > DEEPEST:
            self.doubt = True
            return self.before.get(key, ())
        self.busy.add(key)
        self.depth += 1
        outer, self.doubt = self.doubt, False
        try:
            self.known[key] = result = work(*args)
        finally:
            self.depth -= 1
            self.busy.discard(key)
        if self.doubt:
            self.doubted.add(key)
        self.doubt = self.doubt or outer
        return result

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
        """Return the definitions behind a name, and the scope that it was found in: -1 when that is
        none of the file's.
        """
        table = self.tables[path]
        _, word, scope, block, pos = table.exprs[row]
        inner = table.scopes.scopes[scope]
        if (
            inner["kind"] != "function"
            or word in inner["names"]
            or word in inner["moved"]
            or word in inner["narrow"]
        ):
            return self.lookup(path, word, scope, block, pos)
        # it is found outside of the function, and there the place inside does not matter
        key = (path, inner["parent"], word)
        known = self._outer.get(key)
        if known is None:
            outer, self.doubt = self.doubt, False
            known = self.lookup(path, word, scope, block, pos)
            if not self.doubt:
                self._outer[key] = known
            self.doubt = self.doubt or outer
        return known

    def lookup(
        self, path: str, word: str, scope: int, block: int, pos: int
    ) -> tuple[list[Def], int]:
        """Return the definitions of a name at a place."""
        binds, home = self.tables[path].scopes.lookup(word, scope, block, pos)
        if home >= 0:
            return self.bound(path, home, word, binds), home
        starred = self.starred(path, word, ())
        if starred:
            return starred, -2
        if word in BUILTINS or word in _MODULE_NAMES:
            return [("out", NATIVE, word)], -1
        return [], -1

    def bound(self, path: str, scope: int, word: str, binds: list[Bind]) -> list[Def]:
        """Return the definitions that bindings stand for."""
        found: list[Def] = []
        for bind in binds:
            if bind[5] >= 0:
                found.append(("sym", path, bind[5], None))
            elif bind[0] == "imp":
                found.extend(self.imported(path, bind[3]))
            else:
                group = "narrow" if bind[0] == "narrow" else "names"
                number = self.tables[path].scopes.scopes[scope][group][word].index(bind)
                found.append(("loc", path, scope, word, group, number))
        return list(dict.fromkeys(found)) if len(found) > 1 else found

    def imported(self, path: str, number: int) -> list[Def]:
        """Return what an import brings in."""
        return list(self.once(("imp", path, number), self._imported, path, number))

    def _imported(self, path: str, number: int) -> tuple[Def, ...]:
        one = self.files[path].imports[number]
        if not one.name:
            dotted = one.path if one.alias else one.path.split(".")[0]
            return tuple(self.module(dotted, path))
        found = self.modules.find(one.path, path)
        if not found:
            dotted = self.modules.absolute(one.path, path)
            return (("out", origin(dotted), f"{dotted}.{one.name}"),)
        members = [member for target in found for member in self.module_member(target, one.name)]
        if members:
            return tuple(dict.fromkeys(members))
        dotted = self.modules.absolute(one.path, path)
        return (
            (("out", origin(dotted), f"{dotted}.{one.name}"),) if self.outside_stars(found) else ()
        )

    def outside_stars(self, paths: list[str]) -> bool:
        """Tell whether modules take everything from something outside, so that a name may come from
        there.
        """
        return any(
            not self.modules.find(dotted, path)
            for path in paths
            for dotted in self.stars.get(path, ())
        )

    def module(self, dotted: str, importer: str) -> list[Def]:
        """Return the module of a dotted name as seen from a file."""
        found = self.modules.find(dotted, importer)
        if found:
            return [("mod", path) if path in self.files else ("dir", path) for path in found]
        return [("out", origin(dotted), self.modules.absolute(dotted, importer))]

    def module_member(self, path: str, word: str, seen: tuple[str, ...] = ()) -> list[Def]:
        """Return the definitions of a module's attribute: its own, those it takes from others, its
        submodules.
        """
        if path in self.files and path not in seen:
            table = self.tables[path].scopes.scopes[0]
            binds = self.tables[path].scopes.reaching(table, word)
            found = self.bound(path, 0, word, binds) if binds else self.starred(path, word, seen)
            if found:
                return found
        below = self.modules.below(path, word)
        if below is None:
            return []
        return [("mod", below) if below in self.files else ("dir", below)]

    def starred(self, path: str, word: str, seen: tuple[str, ...]) -> list[Def]:
        """Return what the star imports of a file define under a name, when exactly one does."""
        sources: list[list[Def]] = []
        for dotted in self.stars.get(path, ()):
            for target in self.modules.find(dotted, path):
                if target in self.files and target not in seen and self._exports(target, word):
                    found = self.module_member(target, word, (*seen, path))
                    if found and found not in sources:
                        sources.append(found)
        return sources[0] if len(sources) == 1 else []

    def _exports(self, path: str, word: str) -> bool:
        listed = self.files[path].detail
        return not word.startswith("_") if listed is None else word in listed

    def dotted(self, path: str, text: str, scope: int = 0) -> list[Def]:
        """Return the definitions of a dotted name in a docstring or a string: seen from the file,
        or from the project's top.
        """
        first, *rest = text.split(".")
        found, _ = self.lookup(path, first, scope, -1, 1 << 40)
        if not found or found[0][0] == "out":
            modules = self.modules.find(first, path)
            found = [
                ("mod", one) if one in self.files else ("dir", one) for one in modules
            ] or found
        for word in rest:
            found = [
                member
                for one in found
                for kind in self.plain(one)
                for member in self._plain_member(kind, word)
            ]
        return found

    def plain(self, one: Def) -> Types:
        """Return the type of a definition that needs no inference."""
        match one[0]:
            case "mod":
                return (("M", one[1]),)
            case "dir":
                return (("D", one[1]),)
            case "out":
                return (("X", one[1], one[2]),)
            case "sym" if self.is_class((one[1], one[2])):
                return (("C", (one[1], one[2])),)
        return ()

    def _plain_member(self, kind: Type, word: str) -> list[Def]:
        if kind[0] in ("M", "D"):
            return self.module_member(kind[1], word)
        if kind[0] == "X":
            return [("out", kind[1], f"{kind[2]}.{word}")]
        table = self.tables[kind[1][0]].scopes.scopes[self.detail(kind[1])["scope"]]
        return self.bound(
            kind[1][0],
            self.detail(kind[1])["scope"],
            word,
            self.tables[kind[1][0]].scopes.reaching(table, word),
        )

    def class_around(self, path: str, scope: int) -> tuple[int, int]:
        """Return the class and the method that a scope is in, or FILE for either."""
        table = self.tables[path].scopes.scopes
        while scope >= 0:
            symbol = table[scope]["symbol"]
            if table[scope]["kind"] == "function" and symbol != FILE:
                detail = self.detail((path, symbol))
                inside = int(detail.get("class", FILE))
                if inside != FILE and detail.get("scope") == scope:
                    return inside, symbol
            scope = table[scope]["parent"]
        return FILE, FILE
