"""What is gathered from one file of JavaScript, TypeScript or Java: symbols, scopes, and
expressions as rows of a table.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE, Import, Ref
from ghostmem.outline.languages.shared.syntax import digest, line_of

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = -1  # an expression of which nothing is known


@dataclass(slots=True)
class Tables:
    """What is gathered from one file; `scopes` are [parent, what it is the body of, names]."""

    source: bytes
    symbols: list[dict[str, Any]] = field(default_factory=list)
    scopes: list[list[Any]] = field(default_factory=lambda: [[-1, None, {}]])
    rows: list[list[Any]] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    refs: list[Ref] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)  # node: its row
    known: dict[int, int] = field(default_factory=dict)  # node of a function or lambda: its record
    depths: dict[int, int] = field(
        default_factory=lambda: {FILE: 0}
    )  # symbol: how many it is inside of
    cut: set[int] = field(default_factory=set)  # lines of what is inside of too many


def new_scope(tables: Tables, parent: int, body: Any = None) -> int:
    """Open a scope and return its number."""
    tables.scopes.append([parent, body, {}])
    return len(tables.scopes) - 1


def bind(tables: Tables, scope: int, name: str, what: list[Any]) -> None:
    """Give a name a meaning in a scope; several stay several."""
    rows = tables.scopes[scope][2].setdefault(name, [])
    if what not in rows:
        rows.append(what)


def row(tables: Tables, *values: Any) -> int:
    """Add an expression and return its number."""
    tables.rows.append(list(values))
    return len(tables.rows) - 1


def new_symbol(
    tables: Tables,
    name: str,
    kind: str,
    parent: int,
    node: "Node",
    head: str,
    detail: dict[str, Any],
) -> int:
    """Add a symbol and return its number; `head` is its first line."""
    tables.depths[len(tables.symbols)] = tables.depths[parent] + 1
    tables.symbols.append(
        {
            "name": name,
            "kind": kind,
            "parent": parent,
            "line": line_of(node),
            "end_line": node.end_point[0] + 1,
            "start": node.start_byte,
            "stop": node.end_byte,
            "signature": head.removesuffix("{").rstrip()[:200],
            "detail": {"h": digest(tables.source, node), **detail},
        }
    )
    return len(tables.symbols) - 1
