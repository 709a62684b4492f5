"""Kotlin: imports win over the package, and the standard packages come last."""

import re

import tree_sitter_kotlin

from ghostmem.outline.languages.plain_.link import plain_language
from ghostmem.outline.rules import IMPORT, PACKAGE, SCOPE, STAR, Rules, names_in

PACKAGES = "annotation collections comparisons io ranges sequences text"


# a text, or a blank before the brace that closes a body after something on the same line
_END = re.compile(rb'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|(?<=[^\s{;])[ \t]\}')


def _repair(source: bytes) -> bytes:
    """End the last member of a body on one line, which the grammar does not accept without."""
    return _END.sub(lambda match: match[0] if match[0][:1] == b'"' else b";}", source)


def _is_native(name: str) -> bool:
    return name.partition(".")[0] in {"kotlin", "java", "javax"} and "." in name


RULES = Rules(
    name="kotlin",
    grammar=tree_sitter_kotlin.language,
    kinds=("extends", "implements", "declares", "imports"),
    order=(SCOPE, IMPORT, PACKAGE, STAR),
    natives=names_in("kotlin.txt"),
    is_native=_is_native,
    repair=_repair,
    stars=(*(f"kotlin.{one}" for one in PACKAGES.split()), "kotlin", "java.lang"),
)
LANGUAGE = plain_language(RULES, (".kt", ".kts"), "tree-sitter-kotlin")
