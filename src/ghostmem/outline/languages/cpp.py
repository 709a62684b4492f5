"""C++: as C, with classes, namespaces, overloads and templates."""

import tree_sitter_cpp

from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.table import read_table
from ghostmem.outline.languages.cfamily import CPP_TABLE, TABLE, Family


class Cpp(Family):
    """The rules of C++."""

    forms = read_table(TABLE + CPP_TABLE)
    grammar = staticmethod(tree_sitter_cpp.language)
    members_visible = has_signatures = True


LANGUAGE = language(
    Cpp(),
    name="cpp",
    grammar=lambda _path: tree_sitter_cpp.language(),
    package="tree-sitter-cpp",
    version=12,
)
