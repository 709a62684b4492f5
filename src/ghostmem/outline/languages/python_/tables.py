"""The tables that one Python file fills while it is walked: scopes, blocks, bindings, expressions,
symbols and references.

An expression is a row [op, ...] whose operands are row numbers, so that facts stay flat whatever
the nesting: n name scope block pos | a object attribute | c callee args keywords | s object index |
b left right method | k literal text | l t S items | d keys values | o alternatives | i iterated | u
unpacked index | enter, exc, inst of one row | comp kind rows | lam body | tv bound | doc dotted
name | x unknown."""

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.outline.facts import FILE, Facts, Symbol
from ghostmem.outline.languages.shared.syntax import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node

LATE = 1 << 40  # a position after everything: names in strings and closures see the end of a scope
ELSEWHERE = -2  # the block of a binding made from another scope: it never hides an earlier one
# in the place of an annotation: not the value of an attribute, but a value put into it later
FILLED = -2
MAX_TEXT = 160  # characters of a reference or a signature
Row = tuple[Any, ...]
_BLANK = re.compile(r"\s+")
_new = tuple.__new__  # takes half the time of a call of the class


class PythonRef(NamedTuple):
    """A reference: its kind, the symbol that makes it, its text and line, and its expression."""

    kind: str
    owner: int
    text: str
    line: int
    row: int


class PythonTables(SourceText):
    """The tables of one file, and the place of the walk in it."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)  # inside of a string that is a type, its text is the source
        self._shorts: dict[bytes, str] = {}
        self.facts = Facts()
        self.refs: list[PythonRef] = []
        self.exprs: list[Row] = [("x",)]  # row 0 is the unknown
        self.scopes: list[dict[str, Any]] = []
        self.blocks: list[list[int]] = []  # parent, loop, end, leaves
        self.owner = FILE
        self.scope = self.new_scope("module", -1, FILE)
        self.block = self.new_block(-1)
        self.kind = "accesses"  # the kind of a read here: in annotations it is uses
        self.quoted = False  # strings are types here
        self.offset: int | None = None  # inside a string that is a type: where the string stands
        self.quoted_line = 0
        self.depth = 0
        self.function: dict[str, Any] | None = None
        # the name of the first parameter of the method, and the class
        self.me: tuple[str, int] | None = None
        self.exports: list[str] | None = None

    def new_scope(self, kind: str, parent: int, symbol: int) -> int:
        """Open a scope and return its number."""
        self.scopes.append(
            {
                "kind": kind,
                "parent": parent,
                "symbol": symbol,
                "names": {},
                "narrow": {},
                "moved": {},
            }
        )
        return len(self.scopes) - 1

    def new_block(self, parent: int, loop: bool = False) -> int:
        """Open a block, a piece of a scope that may be skipped or repeated, and return its
        number.
        """
        self.blocks.append([parent, int(loop), LATE, 0])
        return len(self.blocks) - 1

    def add(self, *row: Any) -> int:
        """Add an expression and return its number."""
        self.exprs.append(row)
        return len(self.exprs) - 1

    def index(self, base: int, rows: list[int]) -> int:
        """Add the expression of a subscript with one or several indexes, and return its number."""
        return self.add("s", base, rows[0] if len(rows) == 1 else self.add("t", rows))

    def short(self, node: "Node") -> str:
        """Return a node's text in one line, cut."""
        start = node.start_byte
        raw = self.source[start : min(node.end_byte, start + MAX_TEXT * 4)]
        found = self._shorts.get(raw)
        if found is None:
            found = self._shorts[raw] = _BLANK.sub(" ", raw.decode("utf-8", "replace")).strip()[
                :MAX_TEXT
            ]
        return found

    def at(self, node: "Node") -> int:
        """Return the line of a node."""
        return self.quoted_line if self.offset is not None else self.line(node.start_byte)

    def ref(self, kind: str, text: str, line: int, row: int) -> None:
        """Note a reference of the symbol that the walk is in."""
        self.refs.append(_new(PythonRef, (kind, self.owner, text, line, row)))

    def name(self, word: str, node: "Node", pos: int | None = None) -> int:
        """Add the expression of a name as seen from here."""
        if pos is None:
            pos = LATE if self.offset is not None else node.start_byte
        self.exprs.append(("n", word, self.scope, self.block, pos))
        return len(self.exprs) - 1

    def bind(
        self, word: str, op: str, pos: int, first: Any, second: Any = -1, symbol: int = -1
    ) -> None:
        """Bind a name in the scope that owns it, which global and nonlocal move."""
        home = self.home(word)
        block = (
            self.block
            if home == self.scope or self.scopes[self.scope]["kind"] == "comp"
            else ELSEWHERE
        )
        self.scopes[home]["names"].setdefault(word, []).append(
            [op, pos, block, first, second, symbol]
        )

    def home(self, word: str) -> int:
        """Return the scope in which assigning a name from here binds it."""
        moved = self.scopes[self.scope]["moved"].get(word)
        return self.scope if moved is None else int(moved)

    def narrow(
        self, word: str, block: int, pos: int, expr: int, before: int = -1, less: bool = False
    ) -> None:
        """Note that from a position of a block on a name is of some class, or is what it was less
        that class.
        """
        self.scopes[self.scope]["narrow"].setdefault(word, []).append(
            ["narrow", pos, block, expr, before, -1, int(less)]
        )

    def own_attribute(self, node: "Node") -> list[list[int]] | None:
        """Return the values of an attribute of the first parameter of a method, None if the node
        is no such attribute.
        """
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if (
            self.me is None
            or owner is None
            or name is None
            or owner.type != "identifier"
            or self.text(owner) != self.me[0]
        ):
            return None
        attributes: dict[str, list[list[int]]] = self.facts.symbols[self.me[1]].detail["attrs"]
        return attributes.setdefault(self.text(name), [])

    def fill(self, node: "Node | None", row: int, pos: int) -> None:
        """Note a value that is put into a container: a local, or an attribute of the first
        parameter of a method.
        """
        names = self.scopes[self.scope]["names"]
        if node is None:
            return
        if node.type == "identifier" and self.text(node) in names:
            names[self.text(node)].append(["fill", pos, ELSEWHERE, row, -1, -1])
        elif node.type == "attribute" and (values := self.own_attribute(node)) is not None:
            values.append([FILLED, row])

    def symbol(
        self, name: str, kind: str, node: "Node", signature: str, detail: dict[str, Any]
    ) -> int:
        """Declare a symbol and return its number."""
        detail["body"] = sha256(self.source[node.start_byte : node.end_byte]).hexdigest()
        first, last = self.line(node.start_byte), self.line(node.end_byte)
        self.facts.symbols.append(
            Symbol(
                name,
                kind,
                self.owner,
                first,
                last,
                node.start_byte,
                node.end_byte,
                signature[:MAX_TEXT],
                detail,
            )
        )
        return len(self.facts.symbols) - 1

    def finish(self) -> Facts:
        """Drop reads of locals, and return the facts.

        The tables for inference are large, and go into the rest.
        """
        facts = self.facts
        refs = [
            ref
            for ref in self.refs
            if ref.kind not in ("accesses", "assigns") or not self._is_local(ref.row)
        ]
        details = [one.detail for one in facts.symbols]
        facts.symbols = [one._replace(detail=one.detail.pop("body")) for one in facts.symbols]
        facts.detail = self.exports
        facts.rest = [refs, self.exprs, self.scopes, self.blocks, details]
        return facts

    def _is_local(self, expr: int) -> bool:
        row = self.exprs[expr]
        if row[0] != "n":
            return False
        at, first = row[2], True
        while at >= 0:
            scope = self.scopes[at]
            if scope["kind"] in ("function", "comp") and row[1] in scope["names"]:
                return True
            if row[1] in scope["names"] and (first or scope["kind"] != "class"):
                return False
            at, first = scope["parent"], False
        return False


def nth(node: "Node", number: int) -> "Node | None":
    """Return a named child, or None where a broken file has none."""
    return node.named_child(number) if number < node.named_child_count else None
