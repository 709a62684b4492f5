"""Kotlin: imports win over the package, and the standard packages come last."""

import tree_sitter_kotlin

from ghostmem.outline.languages.plain_.link import plain_language
from ghostmem.outline.rules import IMPORT, PACKAGE, SCOPE, STAR, Rules, names_in

PACKAGES = "annotation collections comparisons io ranges sequences text"


def _is_native(name: str) -> bool:
    return name.partition(".")[0] in {"kotlin", "java", "javax"} and "." in name


RULES = Rules(
    name="kotlin",
    grammar=tree_sitter_kotlin.language,
    kinds=("extends", "implements", "declares", "imports"),
    order=(SCOPE, IMPORT, PACKAGE, STAR),
    natives=names_in("kotlin.txt"),
    is_native=_is_native,
    stars=(*(f"kotlin.{one}" for one in PACKAGES.split()), "kotlin", "java.lang"),
)
LANGUAGE = plain_language(RULES, (".kt", ".kts"), "tree-sitter-kotlin")
