"""TypeScript."""

import tree_sitter_typescript

from ghostmem.outline.engine.language import language
from ghostmem.outline.languages.ecma import Ecma


def grammar(path: str) -> object:
    """Return the grammar of a file: JSX and casts in angle brackets exclude each other."""
    return (
        tree_sitter_typescript.language_tsx()
        if path.endswith(".tsx")
        else tree_sitter_typescript.language_typescript()
    )


LANGUAGE = language(
    Ecma(),
    name="typescript",
    grammar=grammar,
    package="tree-sitter-typescript",
    version=8,
)
