"""Reading JSON with or without comments into nodes that know where in the text they stand."""

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NoReturn

from ghostmem.errors import InvalidInputError

_DEEPEST = 100
SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])")


@dataclass(slots=True)
class Node:
    """A value and the piece of text it was read from."""

    start: int
    end: int
    value: Any
    children: list["Child"] = field(default_factory=list)


@dataclass(slots=True)
class Child:
    """A member of an object or an item of an array: where it begins, its value, and the comma
    behind it (-1: none).
    """

    key: str | int
    start: int
    node: Node
    comma: int = -1


def position(text: str, at: int) -> str:
    """Name a place in a text as editors do."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


@lru_cache(maxsize=8)
def read(text: str, comments: bool) -> Node | None:
    """Read a whole document, once; None when there is nothing in it.

    Nobody changes what it returns.
    """
    reader = _Reader(text, comments)
    at = reader.skip(0)
    if at == len(text):
        return None
    node = reader.value(at, 0)
    end = reader.skip(node.end)
    if end < len(text):
        reader.fail(end, "something stands behind the document's end")
    return node


class _Reader:
    """Reads values one after the other and fails with the place."""

    def __init__(self, text: str, comments: bool) -> None:
        self.text, self.comments = text, comments

    def fail(self, at: int, what: str) -> NoReturn:
        """Say what is wrong and where."""
        kind = "JSON" if not self.comments else "JSON with comments"
        raise InvalidInputError(
            f"{position(self.text, at)}: not valid {kind}: {what}",
            "fix the file, then run it again",
        )

    def skip(self, at: int) -> int:
        """Return the next place that is neither space nor comment."""
        while True:
            at = SPACE.match(self.text, at).end()  # type: ignore[union-attr]
            if not self.text.startswith("/", at):
                return at
            found = _COMMENT.match(self.text, at)
            if found is None:
                self.fail(
                    at,
                    "a comment does not end"
                    if self.text.startswith("/*", at)
                    else "a value was expected",
                )
            if not self.comments:
                self.fail(at, "this file takes no comments")
            at = found.end()

    def value(self, at: int, depth: int) -> Node:
        """Read one value."""
        if depth > _DEEPEST:
            self.fail(at, f"nested more than {_DEEPEST} deep")
        first = self.text[at : at + 1]
        if first in ("{", "["):
            return self.container(at, depth)
        found = (_STRING if first == '"' else _SCALAR).match(self.text, at)
        if found is None:
            what = (
                "the file ends too early"
                if not first
                else "a string does not end"
                if first == '"'
                else "a value was expected"
            )
            self.fail(at, what)
        return Node(at, found.end(), json.loads(found[0]))

    def container(self, start: int, depth: int) -> Node:
        """Read an object or an array."""
        is_object = self.text[start] == "{"
        last = "}" if is_object else "]"
        node = Node(start, start, {} if is_object else [])
        at = self.skip(start + 1)
        while self.text[at : at + 1] != last:
            if node.children and node.children[-1].comma < 0:
                self.fail(
                    at,
                    f"a comma or {last} was expected"
                    if at < len(self.text)
                    else f"{last} is missing at the end",
                )
            child = (
                self.member(at, depth)
                if is_object
                else Child(len(node.children), at, self.value(at, depth + 1))
            )
            node.children.append(child)
            at = self.skip(child.node.end)
            if self.text[at : at + 1] == ",":
                child.comma = at
                at = self.skip(at + 1)
        if node.children and node.children[-1].comma >= 0 and not self.comments:
            self.fail(node.children[-1].comma, f"a comma stands before {last}")
        node.value = (
            {child.key: child.node.value for child in node.children}
            if is_object
            else [c.node.value for c in node.children]
        )
        node.end = at + 1
        return node

    def member(self, at: int, depth: int) -> Child:
        """Read a key and its value."""
        found = _STRING.match(self.text, at)
        if found is None:
            self.fail(
                at,
                "a key in double quotes was expected"
                if at < len(self.text)
                else "} is missing at the end",
            )
        colon = self.skip(found.end())
        if self.text[colon : colon + 1] != ":":
            self.fail(colon, "a colon was expected")
        return Child(json.loads(found[0]), at, self.value(self.skip(colon + 1), depth + 1))
