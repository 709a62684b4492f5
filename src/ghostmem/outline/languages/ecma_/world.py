"""All files of a JavaScript or TypeScript project, and what the parts of the inference ask of each
other.

A type is a tuple that begins with its sort: inst, cls, fn, anon, ns, mod, var, o, nat, natv, natm,
ext, exti, fnt, objt, tup, u. A thing is what a name leads to: sym, member, type, row, value, param,
mod, native, external."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import Facts, Symbol
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_.paths import Paths
from ghostmem.outline.languages.shared.types import Key, Type

Thing = tuple[Any, ...]
Given = tuple[str, tuple[int, ...]]  # the arguments of a call: their file and rows


class EcmaWorld(ABC):
    """All files of one language, and what has been found out about them."""

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
