"""Java."""

import tree_sitter_java

from ghostmem.outline.graph import FORWARD
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.java_.extract import extract
from ghostmem.outline.languages.java_.link import link


def grammar(_path: str) -> object:
    """Return the grammar."""
    return tree_sitter_java.language()


LANGUAGE = Language("java", (), (".java",), grammar, "tree-sitter-java", 3, extract, link, FORWARD)
