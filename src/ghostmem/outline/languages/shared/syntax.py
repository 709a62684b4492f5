"""Text, lines and broken parts of a syntax tree."""

from bisect import bisect_left
from collections.abc import Callable
from hashlib import sha256
from itertools import accumulate, count
from operator import add
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH = 120  # of nested expressions; deeper ones are unknown, because Python's stack is finite
MAX_ERRORS = 100
# of symbols inside of symbols: the names of all levels grow with the square of the depth
MAX_SYMBOL_DEPTH = 50


class SourceText:
    """The text of a file by its nodes and lines."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        # the ends of all lines
        self.breaks = list(map(add, accumulate(map(len, source.split(b"\n"))), count()))
        self.words: dict[bytes, str] = {}

    def text(self, node: "Node") -> str:
        """Return a node's text; equal texts are one object."""
        raw = self.source[node.start_byte : node.end_byte]  # faster than the node's own text
        found = self.words.get(raw)
        if found is None:
            found = self.words[raw] = raw.decode("utf-8", "replace")
        return found

    def line(self, byte: int) -> int:
        """Return the line of a byte.

        The points of nodes are slow, and crash tree-sitter 0.26.0 (py-tree-sitter #472).
        """
        return bisect_left(self.breaks, byte) + 1


def text_of(node: "Node | None") -> str:
    """Return a node's source text."""
    return (node.text or b"").decode("utf-8", "replace") if node else ""


def short(node: "Node | None", limit: int = 80) -> str:
    """Return a node's text on one line, cut to a length."""
    return (
        " ".join((node.text or b"")[: limit * 4].decode("utf-8", "replace").split())[:limit]
        if node
        else ""
    )


def line_of(node: "Node") -> int:
    """Return the line a node begins on, from 1."""
    return node.start_point[0] + 1


def digest(source: bytes, node: "Node") -> str:
    """Return the SHA-256 of a node's bytes."""
    return sha256(source[node.start_byte : node.end_byte]).hexdigest()


def error_places(root: "Node", place: Callable[["Node"], int]) -> set[int]:
    """Return the first places where the source could not be parsed."""
    found: set[int] = set()
    stack = [root] if root.has_error else []
    while stack and len(found) < MAX_ERRORS:
        node = stack.pop()
        if node.is_error or node.is_missing:
            found.add(place(node))
        else:
            stack.extend(one for one in node.children if one.has_error or one.is_missing)
    return found


def error_lines(root: "Node") -> list[int]:
    """Return the lines that could not be parsed."""
    return sorted(error_places(root, line_of))


def reparsed(root: "Node", grammar: object, source: bytes) -> "Node":
    """Return the tree of a changed source if it has fewer errors than a tree, otherwise that tree.

    The source must have the same length and lines."""
    from tree_sitter import Language, Parser

    other = Parser(Language(grammar)).parse(source).root_node
    return min(root, other, key=lambda tree: len(error_lines(tree)))
