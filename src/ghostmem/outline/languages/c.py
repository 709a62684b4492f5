"""C. Structs, unions and enums have names of their own; static functions belong to their file."""

import posixpath

import tree_sitter_c

from ghostmem.outline.engine.facts import FILE, CodeSymbol
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import read_table
from ghostmem.outline.languages.cfamily import TABLE, Family
from ghostmem.outline.languages.cfamily_names import home_of


class C(Family):
    """The rules of C."""

    forms = read_table(TABLE)
    grammar = staticmethod(tree_sitter_c.language)
    calls_convert = has_tags = True

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
    version=11,
)
