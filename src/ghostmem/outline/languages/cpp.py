"""C++: as C, with classes, namespaces, overloads and templates."""

from typing import TYPE_CHECKING

import tree_sitter_cpp

from ghostmem.outline.engine.facts import CodeSymbol
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.link import Target
from ghostmem.outline.engine.resolve import CALLABLES, Resolver
from ghostmem.outline.engine.table import read_table
from ghostmem.outline.engine.terms import CONSTRUCT, GENERIC, MEMBER, NAME, Term
from ghostmem.outline.languages.cfamily import CPP_TABLE, TABLE, Family

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from ghostmem.outline.engine.extract import Walker

_SUFFIXES = "cpp cc cxx c++ hpp hh hxx h++ ipp inl tpp h"


class Cpp(Family):
    """The rules of C++."""

    forms = read_table(TABLE + CPP_TABLE)
    grammar = staticmethod(tree_sitter_cpp.language)
    members_visible = True

    def construct(
        self,
        walker: "Walker",
        kind: str,
        type_term: Term | None,
        node: "Node",
        arguments: "Sequence[Term | None]",
    ) -> None:
        """Note the call of a constructor of a type with a name."""
        if type_term is not None and type_term[0] in (NAME, MEMBER, GENERIC):
            walker.refer(kind, (CONSTRUCT, type_term), node, arguments)

    def alike(self, symbol: CodeSymbol, found: list[CodeSymbol]) -> list[CodeSymbol]:
        """Return the functions with the same types of parameters, else with as many."""
        exact = [one for one in found if self.is_same(one, symbol)]
        return exact or [one for one in found if one.max_arguments == symbol.max_arguments]

    def is_same(self, symbol: CodeSymbol, other: CodeSymbol) -> bool:
        """Tell whether two functions have the same types of parameters."""
        return symbol.kind not in CALLABLES or bool(symbol.detail == other.detail)

    def accepting(self, resolver: Resolver, functions: list[Target], count: int) -> list[Target]:
        """Return the functions that take a number of arguments, by declaration or definition."""
        return [
            one
            for one in functions
            if one.symbol is not None
            and "deleted" not in one.symbol.flags
            and any(
                each.min_arguments <= count <= each.max_arguments
                for each in (one.symbol, *self.definitions(resolver, one.symbol))
            )
        ]


LANGUAGE = language(
    Cpp(),
    name="cpp",
    suffixes=tuple(f".{suffix}" for suffix in _SUFFIXES.split()),
    grammar=lambda _path: tree_sitter_cpp.language(),
    package="tree-sitter-cpp",
    version=7,
)
