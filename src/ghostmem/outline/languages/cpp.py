"""C++: as C, with classes, namespaces, overloads and templates."""

from collections.abc import Sequence

import tree_sitter_cpp
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.table import read_table
from ghostmem.outline.engine.terms import CONSTRUCT, GENERIC, MEMBER, NAME, Term
from ghostmem.outline.languages.cfamily import CPP_TABLE, TABLE, Family


class Cpp(Family):
    """The rules of C++."""

    forms = read_table(TABLE + CPP_TABLE)
    grammar = staticmethod(tree_sitter_cpp.language)
    members_visible = has_signatures = True

    def construct(
        self,
        walker: Walker,
        kind: str,
        type_term: Term | None,
        node: Node,
        arguments: Sequence[Term | None],
    ) -> None:
        """Note the call of a constructor of a type with a name."""
        if type_term is not None and type_term[0] in (NAME, MEMBER, GENERIC):
            walker.refer(kind, (CONSTRUCT, type_term), node, arguments)


LANGUAGE = language(
    Cpp(),
    name="cpp",
    grammar=lambda _path: tree_sitter_cpp.language(),
    package="tree-sitter-cpp",
    version=10,
)
