"""The interface of a language: which files it has, and how to extract and link their facts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import Linked

if TYPE_CHECKING:
    from tree_sitter import Node

# Returns the text of a file of the project, such as go.mod, or None if there is no such file.
Read = Callable[[str], str | None]


@dataclass(frozen=True)
class Language:
    """A language of the outline.

    `extract` turns a parsed file into facts: from its root node, its bytes and its path below the
    project. `link` turns the facts of all its files, by path, into a graph. Both are pure and
    deterministic: the same input gives the same output, whatever the order of files and the hash
    seed. `version` is raised whenever `extract` returns other facts for the same file."""

    name: str
    grammar: Callable[[str], object]  # for a path: the language capsule of its grammar's wheel
    package: str  # the distribution that the grammar comes in, for its version
    version: int
    extract: Callable[["Node", bytes, str], Facts]
    link: Callable[[Mapping[str, Facts], Read], Linked]
    # Returns why the grammar cannot parse a file, or an empty text.
    refuse: Callable[[bytes], str] = lambda _source: ""
