"""The packages of a project: which declarations a name in a file can mean, before any types."""

import json
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from ghostmem.outline.facts import Facts, Symbol
from ghostmem.outline.graph import EXTERNAL, NATIVE, OutlineNode, outside_id, project_id
from ghostmem.outline.languages.base import Read

_SYSTEMS = frozenset(
    "aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd "
    "plan9 solaris wasip1 windows zos".split()
)
_MACHINES = frozenset(
    "386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 "
    "s390x wasm".split()
)


@dataclass(eq=False)
class Package:
    """The files of one directory that name the same package."""

    path: str
    name: str
    folder: str
    files: list["GoFile"] = field(default_factory=list)
    scope: dict[str, list["Decl"]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Return the id of its node."""
        return project_id(f"{self.folder or '.'}/", self.path, 0)


@dataclass(eq=False)
class GoFile:
    """A file with its imports by the name they have in it."""

    path: str
    facts: Facts
    package: Package
    ids: list[str] = field(default_factory=list)  # of its symbols
    imports: dict[str, "Package | str"] = field(default_factory=dict)
    stars: list["Package | str"] = field(default_factory=list)
    system: str = ""
    machine: str = ""

    @property
    def specs(self) -> list[Any]:
        """Return the trees of its variables and constants."""
        return _trees((self.facts.detail or {}).get("specs", "[]"))

    def bodies(self) -> list[Any]:
        """Return the trees of the bodies of its functions and methods, in their order."""
        return list(self.facts.all_of_it() or ())

    @property
    def test(self) -> bool:
        """Tell whether it is a test."""
        return bool((self.facts.detail or {}).get("test"))

    @property
    def ignored(self) -> bool:
        """Tell whether its build constraint leaves it out of every build."""
        return (self.facts.detail or {}).get("build") == "ignore"


_decode = json.JSONDecoder().raw_decode


@lru_cache(maxsize=8)
def _trees(text: str) -> list[Any]:
    return list(_decode(text)[0])


class Decl(NamedTuple):
    """A declaration at package level, or a method."""

    id: str
    file: GoFile
    symbol: Symbol

    def tree(self) -> Any:
        """Return its tree."""
        return _decode(self.symbol.detail)[0]


def receiver_type(method: Symbol) -> str:
    """Return the name of the type whose method a symbol is."""
    return method.full.rpartition(".")[0].strip("(*)")


class GoProject:
    """Everything declared: packages, methods and members by type, and the nodes outside the project
    that were met.
    """

    def __init__(self, files: Mapping[str, Facts], read: Read) -> None:
        self.packages: dict[tuple[str, str], Package] = {}
        self.by_path: dict[str, Package] = {}
        self.files: list[GoFile] = []
        self.methods: dict[str, dict[str, list[Decl]]] = {}
        self.conditional: set[str] = set()  # names of methods that a type has several of
        self.members: dict[str, dict[str, list[str]]] = {}  # the methods of interfaces
        self.types: dict[str, list[Decl]] = {}  # by path of the package and name
        self.outside: dict[str, OutlineNode] = {}
        self._outsiders: dict[tuple[str, str], str] = {}
        self.names: dict[str, int] = {}
        self._modules: dict[str, str | None] = {}
        self._read = read
        for path in sorted(files):
            self._place(path, files[path])
        self._choose_importable()
        for one in self.files:
            _import(self, one)

    def module_of(self, folder: str) -> str | None:
        """Return the import path of a folder: the nearest go.mod says it."""
        if folder not in self._modules:
            named = _module(self._read(posixpath.join(folder, "go.mod")))
            if named is None and folder:
                above = self.module_of(posixpath.dirname(folder))
                named = None if above is None else posixpath.join(above, posixpath.basename(folder))
            self._modules[folder] = named
        return self._modules[folder]

    def _place(self, path: str, facts: Facts) -> None:
        folder = posixpath.dirname(path)
        where = self.module_of(folder)
        where = folder if where is None else where
        name = facts.package or "_"
        key = (folder, name)
        if key not in self.packages:
            self.packages[key] = Package(
                f"{where}_test" if name.endswith("_test") else where or name, name, folder
            )
        one = GoFile(path, facts, self.packages[key])
        one.system, one.machine = _constraint(path)
        one.package.files.append(one)
        self.files.append(one)

    def release(self) -> None:
        """Free what only the links need; without it, packages and files keep each other."""
        for package in self.packages.values():
            package.files.clear()
            package.scope.clear()
        for index in (self.methods, self.members, self.types, self.names):
            index.clear()
        _trees.cache_clear()

    def _choose_importable(self) -> None:
        for package in self.packages.values():
            other = self.by_path.get(package.path)
            if other is None or _rank(package) < _rank(other):
                self.by_path[package.path] = package

    def outsider(self, path: str, name: str, kind: str) -> str:
        """Return the id of something outside, and remember its node."""
        known = self._outsiders.get((path, name))
        if known is not None:
            return known
        origin = NATIVE if native(path) else EXTERNAL
        full = f"{path}.{name}" if path and name else path or name
        key = outside_id(origin, full)
        if key not in self.outside:
            short = f"{_guesses(path)[0]}.{name}" if path and name else full
            where = "" if origin == NATIVE else path
            self.outside[key] = OutlineNode(key, short, kind, origin, where=where, full=full)
        self._outsiders[path, name] = key
        return key

    def candidates(self, found: list[Decl], file: GoFile) -> list[Decl]:
        """Return the declarations that a file can mean: its own, or all that can be built together
        with it.
        """
        if len(found) < 2:
            return found
        own = [one for one in found if one.file is file]
        if own:
            return own
        together = [one for one in found if _together(one.file, file)]
        settled = [
            one for one in together if not one.file.ignored and (file.test or not one.file.test)
        ]
        return settled or together or found


def native(path: str) -> bool:
    """Tell whether an import path is of the standard library."""
    return "." not in path.split("/", 1)[0]


def _rank(package: Package) -> tuple[bool, bool, bool, int, str]:
    built = [one for one in package.files if not one.ignored and not one.test]
    return (
        package.name.endswith("_test"),
        not built,
        package.name == "main",
        -len(built),
        package.name,
    )


def _together(one: GoFile, other: GoFile) -> bool:
    systems = not one.system or not other.system or one.system == other.system
    return systems and (not one.machine or not other.machine or one.machine == other.machine)


def _constraint(path: str) -> tuple[str, str]:
    parts = posixpath.basename(path).removesuffix(".go").removesuffix("_test").split("_")[1:]
    machine = parts.pop() if parts and parts[-1] in _MACHINES else ""
    system = parts.pop() if parts and parts[-1] in _SYSTEMS else ""
    return system, machine


def _module(text: str | None) -> str | None:
    for line in (text or "").splitlines():
        words = line.split("//")[0].split()
        if len(words) == 2 and words[0] == "module":
            named = words[1].strip('"`')
            return "" if named == "std" else named
    return None


def _guesses(path: str) -> list[str]:
    """Return the names that a package outside goes by, the likeliest first: its path is all that is
    known of it.
    """
    parts = path.split("/")
    last = parts[-1]
    if len(parts) > 1 and last[:1] == "v" and last[1:].isdigit():
        last = parts[-2]
    head, _, version = last.rpartition(".")
    if head and version[:1] == "v" and version[1:].isdigit():
        last = head
    found = [
        last,
        last.removeprefix("go-"),
        last.removesuffix("-go"),
        last.removesuffix(".go"),
        last.replace("-", "_"),
    ]
    found += [last.replace("-", ""), last.split("-")[-1], last.split(".")[0], last.split("-")[0]]
    return list(dict.fromkeys(found))


def _import(project: GoProject, file: GoFile) -> None:
    guessed: dict[str, list[str]] = {}
    for one in file.facts.imports:
        target: Package | str = project.by_path.get(one.path, one.path)
        if target is file.package:
            target = one.path
        if one.star:
            file.stars.append(target)
        elif one.alias:
            file.imports[one.alias] = target
        elif isinstance(target, Package):
            file.imports[target.name] = target
        else:
            first, *others = _guesses(one.path)
            file.imports.setdefault(first, target)
            for other in others:
                guessed.setdefault(other, []).append(one.path)
    for name, paths in guessed.items():
        if len(paths) == 1:
            file.imports.setdefault(name, paths[0])
