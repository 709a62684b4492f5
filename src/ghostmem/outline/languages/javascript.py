"""JavaScript."""

import tree_sitter_javascript

from ghostmem.outline.graph import FORWARD
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.ecma_.extract import extract
from ghostmem.outline.languages.ecma_.link import link


def grammar(path: str) -> object:
    """Return the grammar, which reads JSX too."""
    del path
    return tree_sitter_javascript.language()


LANGUAGE = Language(
    "javascript",
    ("js", "node"),
    (".js", ".mjs", ".cjs", ".jsx"),
    grammar,
    "tree-sitter-javascript",
    3,
    extract,
    link,
    FORWARD,
)
