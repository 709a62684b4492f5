"""Where the statements of a TOML file stand: a scanner for files that the standard library has
found valid.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_SPACE = re.compile(r"[ \t]*")
_BETWEEN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}(?!")|\'\'\'.*?'{3,5}(?!')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'''',
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\[\]{}#\r\n]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """A table's head, or a key with its value: whose it is, and where it stands."""

    is_head: bool
    path: tuple[str, ...]  # with the table it stands in
    start: int
    key_end: int
    value: int  # where the value begins
    end: int


def statements(text: str) -> Iterator[Statement]:
    """Yield the heads and keys of a file that is known to be valid."""
    table: tuple[str, ...] = ()
    at = _skip(text, 0)
    while at < len(text):
        start = at
        if text[at] == "[":
            at += 2 if text.startswith("[[", at) else 1
            table, at = _path(text, at)
            at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
            at += 2 if text.startswith("]]", at) else 1
            yield Statement(True, table, start, at, at, at)
        else:
            path, key_end = _path(text, at)
            at = _SPACE.match(text, key_end).end() + 1  # type: ignore[union-attr]
            value = _SPACE.match(text, at).end()  # type: ignore[union-attr]
            at = _value_end(text, value)
            yield Statement(False, (*table, *path), start, key_end, value, at)
        at = _skip(text, at)


def _path(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """Read a dotted key and return it with where it ends."""
    keys: list[str] = []
    while True:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        found = KEY.match(text, at)
        assert found is not None
        keys.append(next(iter(tomllib.loads(f"{found[0]} = 0"))))
        end = found.end()
        at = _SPACE.match(text, end).end()  # type: ignore[union-attr]
        if text[at : at + 1] != ".":
            return tuple(keys), end
        at += 1


def _value_end(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        char = text[at]
        if char in "\"'":
            found = _STRING.match(text, at)
            assert found is not None
            at = found.end()
        elif char in "[{":
            depth, at = depth + 1, at + 1
        elif char in "]}":
            depth, at = depth - 1, at + 1
        elif depth:
            at = _skip(text, at) if char in " \t\r\n#" else at + 1
        else:
            return at + len(_PLAIN.match(text, at)[0].rstrip())  # type: ignore[index]
        if depth == 0:
            return at
    return at


def _skip(text: str, at: int) -> int:
    return _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
