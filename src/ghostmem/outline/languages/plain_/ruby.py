"""Ruby: names are looked up from the innermost scope outwards, and files by their paths."""

import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath

import tree_sitter_ruby

from ghostmem.outline.extract import Extraction, QueryMatch
from ghostmem.outline.facts import Facts, Import, Scope
from ghostmem.outline.languages.plain_.link import plain_language
from ghostmem.outline.rules import PACKAGE, SCOPE, FindFile, Rules, joined, names_in

LIBRARIES = names_in("ruby_libraries.txt")
METHODS = {"method", "singleton_method", "simple_symbol"}


def _clean(name: str) -> str:
    return name[1:] if name.startswith(":") and not name.startswith("::") else name


def _qualify(extraction: Extraction, scope: Scope, name: str, match: QueryMatch) -> str:
    if match.node.type in METHODS:
        single = "single" in match.settings or _is_single(match)
        return joined(scope.name, "." if single else "#", name)
    if name.startswith("::"):
        return name.removeprefix("::")
    head, _, rest = name.partition("::")
    around = scope
    while rest and around.name:  # module A; class A::B names the A around it, not an A inside
        if around.name.rpartition("::")[2] == head:
            return f"{around.name}::{rest}"
        around = extraction.facts.scopes[around.parent]
    return joined(scope.name, "::", name)


def _is_single(match: QueryMatch) -> bool:
    """Tell whether a method stands in `class << self`."""
    node = match.node.parent
    while node is not None and node.type not in {"class", "module", "singleton_class"}:
        node = node.parent
    return node is not None and node.type == "singleton_class"


def _find_files(files: Mapping[str, Facts]) -> FindFile:
    libraries: dict[str, list[str]] = {}
    for path in files:
        # what is required is looked for in the root, and in every folder lib
        for start in {0, *(found.end() for found in re.finditer(r"(?:^|/)lib/", path))}:
            libraries.setdefault(path[start:], []).append(path)

    def find(one: Import, path: str) -> str | None:
        wanted = one.path if one.path.endswith(".rb") else f"{one.path}.rb"
        if "relative" in one.options:
            found = normpath(join(dirname(path), wanted))
            return found if found in files else None
        hits = libraries.get(wanted, [])
        return hits[0] if len(hits) == 1 else None

    return find


RULES = Rules(
    name="ruby",
    grammar=tree_sitter_ruby.language,
    kinds=("extends", "declares", "imports"),
    order=(SCOPE, PACKAGE),
    separator="::",
    natives=names_in("ruby.txt"),
    is_native=lambda name: name.partition("/")[0] in LIBRARIES,
    absolute="::",
    clean=_clean,
    qualify=_qualify,
    find_files=_find_files,
)
LANGUAGE = plain_language(RULES, (".rb", ".rake", ".gemspec"), "tree-sitter-ruby")
