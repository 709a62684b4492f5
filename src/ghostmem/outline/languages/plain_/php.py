"""PHP: what is used wins, then the own namespace; a class never falls back to the global one."""

from collections.abc import Mapping
from posixpath import dirname, join, normpath

import tree_sitter_php

from ghostmem.outline.extract import Extraction, QueryMatch
from ghostmem.outline.facts import Facts, Import, Scope
from ghostmem.outline.languages.plain_.link import plain_language
from ghostmem.outline.rules import IMPORT, PACKAGE, FindFile, Rules, joined, names_in


def _qualify(_extraction: Extraction, scope: Scope, name: str, _match: QueryMatch) -> str:
    return joined(scope.name, "::" if scope.kind == "type" else "\\", name)


def _find_files(files: Mapping[str, Facts]) -> FindFile:
    def find(one: Import, path: str) -> str | None:
        named = one.path.lstrip("/") if "here" in one.options else one.path
        found = normpath(join(dirname(path), named))
        return found if found in files else None

    return find


NATIVES = names_in("php.txt")
RULES = Rules(
    name="php",
    grammar=tree_sitter_php.language_php,
    kinds=("extends", "implements", "declares", "imports"),
    order=(IMPORT, PACKAGE),
    separator="\\",
    natives=NATIVES,
    is_native=NATIVES.__contains__,
    absolute="\\",
    relative="namespace\\",
    clean=lambda name: name.lstrip("\\"),
    qualify=_qualify,
    find_files=_find_files,
)
LANGUAGE = plain_language(RULES, (".php", ".phtml"), "tree-sitter-php")
