"""C."""

import tree_sitter_c

from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.cfamily_.extract import extract
from ghostmem.outline.languages.cfamily_.link import CppLinker

LANGUAGE = Language(
    name="c",
    suffixes=(".c", ".h"),
    grammar=lambda _path: tree_sitter_c.language(),
    package="tree-sitter-c",
    version=5,
    extract=lambda root, source, _path: extract(root, source, tree_sitter_c.language()),
    link=lambda files, _read: CppLinker(files, cpp=False).run(),
)
