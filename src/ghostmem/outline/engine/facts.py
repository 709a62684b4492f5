"""The facts of a file: plain data that is stored and linked; no syntax node survives.

A binding is a tuple (position, end, scope, type term, value term, symbol):
- from `position` on, the name has this type or value. It surely has it before `end`, the end of the
  block that binds it (0: to the end of its scope), and possibly after that; a negative end says
  that it does not have it after the block, because the block returns or the binding narrows.
- `scope` is where its terms are evaluated; `symbol` is the number of the declared symbol, or -1.

A reference is a tuple (kind, owner, scope, term, line, position, terms of arguments or None); its
kind is calls, uses (of a type), reads (of a value) or assigns. Numbers refer to the lists of the
same file, and -1 as an owner or parent is the file itself.
"""

import marshal
import zlib
from operator import attrgetter
from typing import Any, Final

from ghostmem.outline.engine.terms import Term, Value
from ghostmem.outline.languages.base import Facts

FILE = -1
END = 1 << 60  # a position after all others
NO_SYMBOL = -1

Binding = tuple[int, int, int, "Term | None", "Term | None", int]
B_POSITION: Final = 0
B_END: Final = 1
B_SCOPE: Final = 2
B_TYPE: Final = 3
B_VALUE: Final = 4
B_SYMBOL: Final = 5
Reference = tuple[str, int, int, "Term", int, int, "tuple[Term | None, ...] | None"]
Base = tuple[str, "Term", int, int]  # relation, type, line, position
Returned = tuple[int, int, "Term"]  # scope, position, value

# kinds of scopes
FILE_SCOPE, MODULE_SCOPE, CLASS = "file", "module", "class"
FUNCTION_SCOPE, BLOCK = "function", "block"
# the kind and name of a symbol, without a node, that adds members and bases to its receiver
EXTENSION = "(extension)"


_STORED = (
    "name", "kind", "parent", "line", "end_line", "start", "signature", "body", "scope",
    "inner", "result", "receiver", "underlying", "bases", "parameters",
    "min_arguments", "max_arguments", "returns", "type_parameters", "detail",
)  # fmt: skip
_LINKED = ("number", "unit", "display", "full", "id", "outer_members", "order", "attached_to")


class CodeSymbol:
    """A declaration. The second group of attributes is not stored: linking sets it."""

    __slots__ = (*_STORED, "flags", *_LINKED)
    number: int  # in its file
    unit: "Unit"

    def __init__(
        self, name: str, kind: str, parent: int, line: int, end_line: int, start: int, scope: int
    ) -> None:
        self.name, self.kind, self.parent = name, kind, parent
        self.line, self.end_line, self.start = line, end_line, start
        self.signature = self.body = ""
        self.scope = scope  # the scope that it is declared in
        self.inner = -1  # the scope that it opens
        self.result: Term | None = None  # declared, of a function
        self.receiver: Term | None = None  # the type of a member that is declared outside of it
        self.underlying: Term | None = None  # the type that this one is defined as
        self.bases: list[Base] = []
        self.flags: set[str] = set()
        self.parameters: list[str] = []  # names, without the receiver
        self.min_arguments = self.max_arguments = 0
        self.returns: list[Returned] = []
        self.type_parameters: tuple[str, ...] = ()
        self.detail: Any = None  # of the language
        self.display = self.full = self.id = ""  # canonical names, short and unique; of the node
        self.outer_members = NO_MEMBERS  # those declared outside of the type
        self.order: list[tuple[CodeSymbol, tuple[Value, ...]]] | None = None  # with all bases
        self.attached_to: CodeSymbol | None = None

    def path(self) -> list[str]:
        """Return its name after those of the symbols around it."""
        outer = [] if self.parent == FILE else self.unit.symbols[self.parent].path()
        return [*outer, self.name]

    @classmethod
    def from_row(cls, row: tuple[Any, ...]) -> "CodeSymbol":
        """Return the symbol that was stored."""
        name, kind, parent, line, end_line, start, *_ = row
        symbol = cls(name, kind, parent, line, end_line, start, row[8])
        (
            symbol.signature, symbol.body, _, symbol.inner, symbol.result,
            symbol.receiver, symbol.underlying, symbol.bases, symbol.parameters,
            symbol.min_arguments, symbol.max_arguments, symbol.returns, symbol.type_parameters,
            symbol.detail, flags,
        ) = row[6:]  # fmt: skip
        symbol.flags = set(flags)
        return symbol


_stored = attrgetter(*_STORED)
NO_MEMBERS: "dict[str, list[FoundBinding]]" = {}  # of most symbols


class Scope:
    """A region in which names are looked up, and the symbol whose body it is.

    Linking sets `module`, the module whose names a file or a module scope adds to.
    """

    __slots__ = ("kind", "module", "names", "parent", "symbol")

    def __init__(
        self, parent: int, kind: str, symbol: int, names: dict[str, list[Binding]] | None = None
    ) -> None:
        self.parent, self.kind, self.symbol = parent, kind, symbol
        self.names: dict[str, list[Binding]] = {} if names is None else names
        self.module: str | None = None


class Unit:
    """A file of a project with its facts."""

    __slots__ = (
        "detail",
        "errors",
        "exports",
        "imports",
        "module",
        "name",
        "package",
        "path",
        "references",
        "scopes",
        "stars",
        "symbols",
    )  # fmt: skip

    def __init__(self, path: str = "") -> None:
        self.path = self.name = path  # the name is shown
        self.package = self.module = ""
        self.symbols: list[CodeSymbol] = []
        self.scopes: list[Scope] = [Scope(-1, FILE_SCOPE, FILE)]
        self.references: list[Reference] | bytes = []
        self.imports: list[tuple[str, int, str]] = []  # path, line, member or ""
        self.stars: list[str] = []  # paths of which everything is imported
        self.exports: dict[str, Any] = {}
        self.errors: list[int] = []  # lines that could not be parsed
        self.detail: Any = None  # of the language

    def packed(self) -> Facts:
        """Return the facts as they are stored; references apart, for they are read once."""
        scopes = [(scope.parent, scope.kind, scope.symbol, scope.names) for scope in self.scopes]
        symbols = [(*_stored(symbol), sorted(symbol.flags)) for symbol in self.symbols]
        self.symbols = []  # they refer to the file
        row = (
            self.package, symbols, scopes, self.imports, self.stars, self.exports, self.detail,
        )  # fmt: skip
        return Facts(self.errors, marshal.dumps((_folded(row), _folded(self.references))))

    @classmethod
    def unpacked(cls, path: str, facts: Facts) -> "Unit":
        """Return the file that was packed."""
        unit = cls(path)
        row, unit.references = marshal.loads(facts.fold)  # noqa: S302
        (
            unit.package, symbols, scopes, unit.imports, unit.stars, unit.exports, unit.detail,
        ) = unfolded(row)  # fmt: skip
        unit.scopes = [Scope(*row) for row in scopes]
        unit.symbols = [CodeSymbol.from_row(row) for row in symbols]
        for number, symbol in enumerate(unit.symbols):
            symbol.number, symbol.unit = number, unit
        return unit

    def enclosing(self, scope: int) -> "CodeSymbol | None":
        """Return the type whose body, or whose member's body, a scope is in."""
        while scope >= 0:
            here = self.scopes[scope]
            if here.kind == CLASS:
                symbol = self.symbols[here.symbol]
                return symbol.attached_to if symbol.kind == EXTENSION else symbol
            if here.kind == FUNCTION_SCOPE and here.symbol >= 0:
                function = self.symbols[here.symbol]
                owner = function if function.outer_members else function.attached_to
                if owner is not None:
                    return owner
            scope = here.parent
        return None


def _folded(data: Any) -> bytes:
    return zlib.compress(marshal.dumps(data), 1)


def unfolded(packed: Any) -> Any:
    """Return a part of the facts that was packed."""
    return marshal.loads(zlib.decompress(packed))  # noqa: S302


FoundBinding = tuple[Unit, Binding]


def is_import(binding: Binding) -> bool:
    """Tell whether a name is bound by an import."""
    value = binding[B_VALUE]
    return value is not None and value[0] == "import"
