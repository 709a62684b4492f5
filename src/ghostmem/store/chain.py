"""The chain of the change log: each line's hash holds the line and the hash before it, so nothing
can be changed unseen.

A line says which memory, what, when and who; never what it said, nor its key. Every namespace has a
chain of its own, and all lines are numbered in one order, so that one digest stands for everything
up to a line."""

import json
from typing import NamedTuple

# what hashlib would find too, without loading OpenSSL, which costs every cold command some
# milliseconds
try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256


class Line(NamedTuple):
    """One change; `line` and `hash` are None for what was written before there was a chain."""

    number: int
    seq: int
    memory_id: str
    op: str
    at: str
    actor: str | None
    line: int | None
    hash: str | None = None


class Head(NamedTuple):
    """Where the log of a namespace stands by the namespace's own word."""

    number: int
    name: str
    sequence: int
    head: str | None


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return str(sha256(data).hexdigest())


def chained(before: str, line: Line) -> str:
    """Return the hash of a line of the log, which holds everything before it too."""
    return sha256_hex(json.dumps([before, *line[:7]], ensure_ascii=False).encode())


def rolled(before: str, hash_: str) -> str:
    """Return the digest of all lines up to one, from the digest up to the one before."""
    return sha256_hex(f"{before}{hash_}".encode())
