"""JavaScript."""

import tree_sitter_javascript

from ghostmem.outline.engine.language import language
from ghostmem.outline.languages.ecma import Ecma

LANGUAGE = language(
    Ecma(),
    name="javascript",
    grammar=lambda _path: tree_sitter_javascript.language(),  # reads JSX too
    package="tree-sitter-javascript",
    version=8,
)
