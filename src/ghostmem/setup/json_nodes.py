"""Parse JSON with or without comments into nodes that know their position in the text."""

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NoReturn

from ghostmem.errors import InvalidInputError

_MAX_DEPTH = 100
SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])")


@dataclass(slots=True)
class JsonNode:
    """A value and its span in the text."""

    start: int
    end: int
    value: Any
    children: list["Child"] = field(default_factory=list)


@dataclass(slots=True)
class Child:
    """A member of an object or an item of an array."""

    key: str | int
    start: int
    node: JsonNode
    comma: int = -1  # the position of the comma after it; -1: none


def position(text: str, at: int) -> str:
    """Return the line and column of a position, counted from 1."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


@lru_cache(maxsize=8)
def read(text: str, comments: bool) -> JsonNode | None:
    """Return the root node of a document, or None for an empty one; the result is shared."""
    reader = _Reader(text, comments)
    at = reader.skip(0)
    if at == len(text):
        return None
    node = reader.value(at, 0)
    end = reader.skip(node.end)
    if end < len(text):
        reader.fail(end, "unexpected text after the end of the document")
    return node


class _Reader:
    """A recursive-descent parser whose errors name the position."""

    def __init__(self, text: str, comments: bool) -> None:
        self.text, self.comments = text, comments

    def fail(self, at: int, reason: str) -> NoReturn:
        """Raise an error that names the position."""
        kind = "JSON" if not self.comments else "JSON with comments"
        raise InvalidInputError(
            f"{position(self.text, at)}: not valid {kind}: {reason}",
            "fix the file, then run it again",
        )

    def skip(self, at: int) -> int:
        """Return the next position that is neither space nor comment."""
        while True:
            at = SPACE.match(self.text, at).end()  # type: ignore[union-attr]
            if not self.text.startswith("/", at):
                return at
            comment = _COMMENT.match(self.text, at)
            if comment is None:
                is_open = self.text.startswith("/*", at)
                self.fail(at, "a comment does not end" if is_open else "a value was expected")
            if not self.comments:
                self.fail(at, "this file takes no comments")
            at = comment.end()

    def value(self, at: int, depth: int) -> JsonNode:
        """Parse one value."""
        if depth > _MAX_DEPTH:
            self.fail(at, f"nested more than {_MAX_DEPTH} deep")
        first = self.text[at : at + 1]
        if first in ("{", "["):
            return self.container(at, depth)
        scalar = (_STRING if first == '"' else _SCALAR).match(self.text, at)
        if scalar is None:
            reasons = {"": "the file ends too early", '"': "a string does not end"}
            self.fail(at, reasons.get(first, "a value was expected"))
        return JsonNode(at, scalar.end(), json.loads(scalar[0]))

    def container(self, start: int, depth: int) -> JsonNode:
        """Parse an object or an array."""
        is_object = self.text[start] == "{"
        last = "}" if is_object else "]"
        node = JsonNode(start, start, {} if is_object else [])
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
            self.fail(node.children[-1].comma, f"unexpected comma before {last}")
        node.value = (
            {child.key: child.node.value for child in node.children}
            if is_object
            else [c.node.value for c in node.children]
        )
        node.end = at + 1
        return node

    def member(self, at: int, depth: int) -> Child:
        """Parse a key and its value."""
        key = _STRING.match(self.text, at)
        if key is None:
            is_end = at == len(self.text)
            self.fail(
                at, "} is missing at the end" if is_end else "a key in double quotes was expected"
            )
        colon = self.skip(key.end())
        if self.text[colon : colon + 1] != ":":
            self.fail(colon, "a colon was expected")
        return Child(json.loads(key[0]), at, self.value(self.skip(colon + 1), depth + 1))
