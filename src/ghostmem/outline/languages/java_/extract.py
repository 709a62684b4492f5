"""What a Java file says: a walk without recursion over its tree, one function a kind of node."""

from typing import TYPE_CHECKING

from ghostmem.outline.facts import FILE, Facts, Symbol
from ghostmem.outline.languages.java_.declare import DECLARATIONS
from ghostmem.outline.languages.java_.references import REFERENCES
from ghostmem.outline.languages.java_.statements import STATEMENTS
from ghostmem.outline.languages.java_.tables import JavaTables
from ghostmem.outline.languages.shared.steps import walk
from ghostmem.outline.languages.shared.syntax import error_lines

if TYPE_CHECKING:
    from tree_sitter import Node

HANDLERS = DECLARATIONS | STATEMENTS | REFERENCES


def extract(root: "Node", source: bytes, _path: str) -> Facts:
    """Return what a file says."""
    tables = JavaTables(source)
    walk(HANDLERS, tables, [(root, 0, FILE)], tables)
    detail = {"scopes": tables.scopes, "rows": tables.rows, "lambdas": tables.lambdas}
    symbols = [Symbol(**one) for one in tables.symbols]
    return Facts(
        tables.package,
        symbols,
        tables.imports,
        tables.refs,
        detail,
        sorted({*error_lines(root), *tables.cut}),
    )
