"""The facts of a source file, before anything is resolved.

Facts are cached as JSON, so every value is plain data.
"""

import json
import struct
import zlib
from dataclasses import dataclass, field, fields
from itertools import starmap
from sys import intern
from typing import Any, NamedTuple

# before packed facts: their length without the rest, and the checksum of the rest
_FRONT = struct.Struct(">II")
_ENCODE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode
FILE = -1  # the parent or owner of everything outside of all symbols


class Symbol(NamedTuple):
    """A declaration: its bare name and kind, the symbol that it is inside of, its place, and its
    first line.

    `kind` is function, method, type, interface, variable, constant, field or module; each language
    has its own `detail`."""

    name: str
    kind: str
    parent: int
    line: int
    end_line: int
    start: int
    stop: int
    signature: str
    detail: Any = None
    full: str = ""  # the canonical name
    body: str = ""  # the SHA-256 of its text
    scope: int = 0  # the scope that it is declared in
    arity: int = 0  # type parameters
    inner: int = -1  # the scope that it opens
    term: int = -1  # its declared type, or that of its result
    flags: tuple[str, ...] = ()  # static, constructor and the like


_FULL = Symbol._fields.index("full")


class Term(NamedTuple):
    """A type as written: named, an array of its part, primitive, or the type of the symbol around
    it (own).
    """

    sort: str
    name: str
    scope: int
    parts: tuple[int, ...] = ()


class Binding(NamedTuple):
    """A name that a scope binds: to a declared type, or to the value of an expression.

    `kind` is local, parameter, or type for a type parameter with its bound.
    """

    scope: int
    name: str
    kind: str
    term: int = -1
    value: int = -1
    flags: tuple[str, ...] = ()


class Expression(NamedTuple):
    """An expression: its operation, and the expressions it operates on.

    `op` is one of name, member, call, new, cast, element, union, sum, literal, this, super,
    function, parameter."""

    op: str
    scope: int
    name: str = ""
    target: int = -1
    term: int = -1
    parts: tuple[int, ...] = ()


class Scope(NamedTuple):
    """A part of a file in which names are looked up: a package or a type, with its canonical name,
    the scope around it, and the symbol whose body it is.
    """

    parent: int
    kind: str  # package or type
    name: str
    definition: int


class Import(NamedTuple):
    """An import of a file: its path, its name here (empty: the last part of the path), and whether
    everything is imported.
    """

    path: str
    line: int
    owner: int = FILE
    name: str = ""
    alias: str = ""
    star: bool = False
    detail: Any = None
    kind: str = ""  # of the imported symbol, if the import tells it
    options: tuple[str, ...] = ()  # other settings of the query: file, relative, global, here


class Ref(NamedTuple):
    """A reference: a call, a read or write of a variable, or a type, as written."""

    kind: str  # calls, accesses, assigns, uses, extends, implements
    owner: int
    text: str
    line: int
    detail: Any = None
    scope: int = 0  # where its name is looked up
    expression: int = -1
    term: int = -1


@dataclass(slots=True)
class Facts:
    """The facts of a file."""

    package: str = ""
    symbols: list[Symbol] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    refs: list[Ref] = field(default_factory=list)
    detail: Any = None  # other tables of the language: scopes, bindings, exports
    errors: list[int] = field(default_factory=list)  # lines that could not be parsed
    scopes: list[Scope] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    expressions: list[Expression] = field(default_factory=list)
    rest: Any = None  # large tables that linking rarely needs; `all_of_it` returns them
    fold: bytes = field(default=b"", compare=False, repr=False)  # the rest, compressed

    def all_of_it(self) -> Any:
        """Return the rest, decompressed each time if only the compressed form is in memory."""
        return self.rest if self.rest is not None else unfolded(self.fold) if self.fold else None

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "Facts":
        """Return the facts, without the rest, that were written as JSON.

        A field that is a tuple is the last of its record.
        """
        return cls(
            data["package"],
            [_symbol(row) for row in data["symbols"]],
            [Import._make([*row[:-1], tuple(row[-1])]) for row in data["imports"]],
            list(starmap(Ref, data["refs"])),
            data["detail"],
            data["errors"],
            list(starmap(Scope, data["scopes"])),
            [Term._make([*row[:-1], tuple(row[-1])]) for row in data["terms"]],
            [Binding._make([*row[:-1], tuple(row[-1])]) for row in data["bindings"]],
            [Expression._make([*row[:-1], tuple(row[-1])]) for row in data["expressions"]],
        )

    def packed(self) -> bytes:
        """Return the facts as bytes for the cache."""
        if self.rest is not None:
            self.fold = folded(self.rest)
        head = folded({one.name: getattr(self, one.name) for one in fields(self)[:-2]})
        return _FRONT.pack(len(head), zlib.crc32(self.fold)) + head + self.fold

    @classmethod
    def unpacked(cls, packed: bytes) -> "Facts | None":
        """Read what `packed` returned, with the rest compressed; None if it is damaged."""
        try:
            size, check = _FRONT.unpack_from(packed)
            found = cls._from_json(unfolded(packed[_FRONT.size : _FRONT.size + size]))
        except (struct.error, zlib.error, ValueError, TypeError, KeyError, RecursionError):
            return None
        found.fold = packed[_FRONT.size + size :]
        return found if zlib.crc32(found.fold) == check else None


def _symbol(row: list[Any]) -> Symbol:
    """Return a symbol; equal kinds are one object, to save memory, and equal names too."""
    row[1] = intern(row[1])
    if row[_FULL] == row[0]:
        row[_FULL] = row[0]
    row[-1] = tuple(row[-1])
    return Symbol._make(row)


def folded(data: Any) -> bytes:
    """Return plain data as compressed bytes."""
    return zlib.compress(_ENCODE(data).encode(errors="surrogatepass"), 1)


def unfolded(packed: bytes) -> Any:
    """Return the plain data that `folded` compressed."""
    return json.loads(zlib.decompress(packed))
