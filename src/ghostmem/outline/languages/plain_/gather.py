"""Gather the declarations, imports and base types of one file."""

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE, Facts, Import, Ref, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

LONGEST = 200  # of a signature or a reference, as written
MOST_ERRORS = 100
DEEPEST = 50  # types inside of types

# where a name is looked up: the rung, and for a scope or a package its name
Rung = list[str]
SCOPE, PACKAGE, ALIAS, STAR = "scope", "package", "import", "star"
Step = tuple["Syntax", int, Any]


class Gather:
    """The facts of one file while its tree is walked."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.facts = Facts()
        self.packages: set[str] = set()
        self.depths = {FILE: 0}

    def visit(self, node: "Syntax", owner: int, state: Any) -> Iterable["Step"]:
        """Take a node, and return what is visited next; a language says how."""
        raise NotImplementedError

    def walk(self, root: "Syntax", state: Any) -> Facts:
        """Visit the tree of a file in order, without recursion.

        What is not parsed, or too deep, is an error.
        """
        stack: list[Step] = [(root, FILE, state)]
        errors = set(error_lines(root))
        while stack:
            node, owner, inner = stack.pop()
            if (
                self.depths[owner] > DEEPEST
            ):  # names and digests of all levels would grow with the square of the depth
                errors.add(node.start_point[0] + 1)
                continue
            stack.extend(reversed(list(self.visit(node, owner, inner))))
        self.facts.errors = sorted(errors)
        self.facts.detail = {"packages": sorted(self.packages)}
        self.facts.package = min(self.packages, default="")
        return self.facts

    def text(self, node: "Syntax | None", most: int = LONGEST) -> str:
        """Return the source of a node on one line, cut when it is long."""
        if node is None:
            return ""
        raw = self.source[node.start_byte : min(node.end_byte, node.start_byte + 4 * most)]
        return " ".join(raw.decode("utf-8", "replace").split())[:most]

    def declare(
        self, name: str, canonical: str, kind: str, owner: int, node: "Syntax", **detail: Any
    ) -> int:
        """Add a symbol and return its number."""
        raw = self.source[node.start_byte : node.end_byte]
        line = raw[: 4 * LONGEST].decode("utf-8", "replace").strip().split("\n", 1)[0]
        known = {"name": canonical, "body": hashlib.sha256(raw).hexdigest(), **detail}
        # not .row: with tree-sitter 0.26.0 that of a passing point is freed memory from line 257 on
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        place = (owner, first, last, node.start_byte, node.end_byte)
        self.depths[len(self.facts.symbols)] = self.depths[owner] + 1
        self.facts.symbols.append(
            Symbol(name, kind, *place, line.strip().rstrip("{ ")[:LONGEST], known)
        )
        return len(self.facts.symbols) - 1

    def base(self, kind: str, owner: int, node: "Syntax", rungs: list[Rung], **detail: Any) -> None:
        """Add a reference to a base type, with where its name is to be looked up."""
        text = self.text(node)
        self.facts.refs.append(
            Ref(kind, owner, text, node.start_point[0] + 1, {"rungs": rungs, **detail})
        )

    def bring(
        self,
        path: str,
        node: "Syntax",
        owner: int = FILE,
        alias: str = "",
        star: bool = False,
        **detail: Any,
    ) -> None:
        """Add an import."""
        self.facts.imports.append(
            Import(path, node.start_point[0] + 1, owner, alias=alias, star=star, detail=detail)
        )


def error_lines(root: "Syntax") -> list[int]:
    """Return the lines that could not be parsed."""
    lines: set[int] = set()
    stack = [root] if root.has_error else []
    while stack and len(lines) < MOST_ERRORS:
        node = stack.pop()
        if node.is_error or node.is_missing:
            lines.add(node.start_point[0] + 1)
        stack.extend(
            child for child in reversed(node.children) if child.has_error or child.is_missing
        )
    return sorted(lines)


def dotted(place: str, name: str) -> str:
    """Return a name inside of a place."""
    return f"{place}.{name}" if place else name
