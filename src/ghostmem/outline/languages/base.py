"""What a language must know: which files are its own, what one of them says, and how files hang
together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import Linked

if TYPE_CHECKING:
    from tree_sitter import Node

Read = Callable[
    [str], str | None
]  # the text of a file of the project by its path, such as go.mod; None when there is none


@dataclass(frozen=True)
class Language:
    """One language.

    `extract` turns a parsed file into facts: from its root node, its bytes and its path below the
    project. `link` turns the facts of all its files, by path, into a graph. Both are pure and
    deterministic: the same input gives the same output, whatever the order of files and the hash
    seed. `version` is raised whenever `extract` would say something else."""

    name: str
    aliases: tuple[str, ...]
    suffixes: tuple[str, ...]
    grammar: Callable[[str], object]  # for a path: the language capsule of its grammar's wheel
    package: str  # the distribution that the grammar comes in, for its version
    version: int
    extract: Callable[["Node", bytes, str], Facts]
    link: Callable[[Mapping[str, Facts], Read], Linked]
    kinds: tuple[str, ...]  # the forward kinds that it has
    refuse: Callable[[bytes], str] = lambda _source: (
        ""
    )  # why a file must not be parsed: what its grammar cannot cope with
