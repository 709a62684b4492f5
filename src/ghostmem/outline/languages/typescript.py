"""TypeScript."""

import tree_sitter_typescript

from ghostmem.outline.graph import FORWARD
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.ecma_.extract import extract
from ghostmem.outline.languages.ecma_.link import link


def grammar(path: str) -> object:
    """Return the grammar of a file: JSX and casts in angle brackets exclude each other."""
    return (
        tree_sitter_typescript.language_tsx()
        if path.endswith(".tsx")
        else tree_sitter_typescript.language_typescript()
    )


LANGUAGE = Language(
    "typescript",
    ("ts",),
    (".ts", ".tsx", ".mts", ".cts"),
    grammar,
    "tree-sitter-typescript",
    3,
    extract,
    link,
    FORWARD,
)
