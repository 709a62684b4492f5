"""JavaScript."""

import tree_sitter_javascript

from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.ecma_.extract import extract
from ghostmem.outline.languages.ecma_.link import link

LANGUAGE = Language(
    name="javascript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    grammar=lambda _path: tree_sitter_javascript.language(),  # reads JSX too
    package="tree-sitter-javascript",
    version=5,
    extract=extract,
    link=link,
)
