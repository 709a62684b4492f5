"""The interface of a language: how it extracts and links facts, and the facts as stored."""

import marshal
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ghostmem.outline.graph import Linked

if TYPE_CHECKING:
    from tree_sitter import Node

# Returns the text of a file of the project, such as go.mod, or None if there is no such file.
Read = Callable[[str], str | None]


@dataclass(slots=True)
class Facts:
    """The facts of a file; see `engine.facts`."""

    errors: list[int] = field(default_factory=list)  # lines that could not be parsed
    fold: bytes = field(default=b"", repr=False)  # the file as the engine packs it

    def packed(self) -> bytes:
        """Return the facts as bytes for the cache, with the checksum that zlib adds."""
        return zlib.compress(marshal.dumps((self.errors, self.fold)), 0)

    @classmethod
    def unpacked(cls, packed: bytes) -> "Facts | None":
        """Read what `packed` returned; None if it is damaged."""
        try:
            return cls(*marshal.loads(zlib.decompress(packed)))  # noqa: S302
        except zlib.error:
            return None


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
