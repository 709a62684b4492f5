"""C. Structs, unions and enums have names of their own; static functions belong to their file."""

import posixpath

import tree_sitter_c
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import CLASS, FILE, CodeSymbol
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import read_table
from ghostmem.outline.engine.terms import SYMBOL
from ghostmem.outline.languages.cfamily import TABLE, Family
from ghostmem.outline.languages.cfamily_names import home_of


class C(Family):
    """The rules of C."""

    forms = read_table(TABLE)
    grammar = staticmethod(tree_sitter_c.language)
    calls_convert = True

    def tag(self, node: Node, name: str) -> str:
        """Return the name of a struct, union or enum with its keyword, as C has to write it."""
        return f"{node.type.partition('_')[0]} {name}"

    def spill(self, walker: Walker, symbol: CodeSymbol, name: str) -> None:
        """Make a type inside of a struct visible everywhere."""
        if walker.scope_kind == CLASS:
            walker.bind(name, symbol.start, None, (SYMBOL, symbol.number), symbol.number, home=0)

    def canonical(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        """Return the name of a symbol, with its file if it is static."""
        name, full = super().canonical(resolver, symbol)
        if "static" in symbol.flags and symbol.parent == FILE:
            return f"{posixpath.basename(symbol.unit.path)}:{symbol.name}", (
                f"{symbol.unit.path}:{symbol.name}"
            )
        home = home_of(symbol)
        return (symbol.name if home is not None and "enum" in home.flags else name), full


LANGUAGE = language(
    C(),
    name="c",
    grammar=lambda _path: tree_sitter_c.language(),
    package="tree-sitter-c",
    version=9,
)
