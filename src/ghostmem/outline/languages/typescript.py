"""TypeScript."""

import tree_sitter_typescript

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
    name="typescript",
    suffixes=(".ts", ".tsx", ".mts", ".cts"),
    grammar=grammar,
    package="tree-sitter-typescript",
    version=5,
    extract=extract,
    link=link,
)
