"""The rules of a language besides its query: the names of symbols, and how names are looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.bodies import Bodies
    from ghostmem.outline.extract import Extraction
    from ghostmem.outline.facts import Facts, Import, Scope, Term
    from ghostmem.outline.query import QueryMatch

# The steps by which a name is looked up; each language has its own order.
SCOPE, PACKAGE, IMPORT, STAR = "scope", "package", "import", "star"

Qualify = Callable[["Extraction", "Scope", str, "QueryMatch"], str]
FindFile = Callable[["Import", str], str | None]  # the file that an import in a file means


def joined(place: str, separator: str, name: str) -> str:
    """Return a name inside of a place."""
    return f"{place}{separator}{name}" if place and name else place or name


def qualified(extraction: Extraction, scope: Scope, name: str, _match: QueryMatch) -> str:
    """Return the canonical name of a symbol: that of its scope, then its own."""
    return joined(scope.name, extraction.rules.separator, name)


def unquoted(name: str) -> str:
    """Return a name without the quotes around its parts."""
    return name.replace("`", "")


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of a language."""

    name: str
    grammar: Callable[[], object]
    kinds: tuple[str, ...]  # the relations that are looked for
    order: tuple[str, ...]  # the steps by which a name is looked up
    separator: str = "."
    natives: frozenset[str] = frozenset()  # types that the language brings, by their whole name
    is_native: Callable[[str], bool] = lambda _name: False  # of names outside of the project
    stars: tuple[str, ...] = ()  # packages that every file imports
    nested_packages: bool = False  # whether a package sees the names of those around it
    counts_type_arguments: bool = False  # whether types of one name differ by these
    absolute: str = ""  # before a name: it is whole
    relative: str = ""  # before a name: it is of the own package
    # returns a source without something that its grammar does not understand, of the same length
    repair: Callable[[bytes], bytes] | None = None
    clean: Callable[[str], str] = unquoted
    qualify: Qualify = qualified
    # Languages whose bodies are read: how a written type becomes a term, and symbols are completed.
    term: Callable[[Bodies, Node, int, int], Term | None] | None = None
    complete: Callable[[Facts], None] | None = None
    find_files: Callable[[Mapping[str, Facts]], FindFile] | None = None  # if imports name files


@cache
def packages_in(file: str) -> Mapping[str, frozenset[str]]:
    """Return the names in a data file by package: each line has a package, or `-`, and names."""
    path = Path(__file__).parent / "languages" / "data" / file
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: frozenset(row[1:]) for row in rows if row and row[0] != "#"}


def names_in(file: str) -> frozenset[str]:
    """Return the whole names in a data file."""
    return frozenset(
        name if package == "-" else f"{package}.{name}"
        for package, names in packages_in(file).items()
        for name in names
    )
