"""C."""

import tree_sitter_c

from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.cfamily_.extract import extract
from ghostmem.outline.languages.cfamily_.link import link_c

LANGUAGE = Language(
    name="c",
    suffixes=(".c", ".h"),
    grammar=lambda _path: tree_sitter_c.language(),
    package="tree-sitter-c",
    version=3,
    extract=lambda root, source, _path: extract(root, source, tree_sitter_c.language()),
    link=link_c,
)
