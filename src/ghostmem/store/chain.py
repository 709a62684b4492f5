"""The hash chain of the change log, which makes later changes to it visible.

The hash of each line covers the line and the hash before it. A line names the memory, the
operation, the time and the caller; never the content or the key. Every namespace has its own
chain, and lines are numbered over all namespaces, so that one digest covers everything up to a
line."""

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


class ChainLine(NamedTuple):
    """One change; `line` and `hash` are None for changes older than the chain."""

    number: int
    seq: int
    memory_id: str
    op: str
    at: str
    actor: str | None
    line: int | None
    hash: str | None = None


class Head(NamedTuple):
    """The end of a namespace's log as the namespace records it."""

    number: int
    name: str
    sequence: int
    head: str | None


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return str(sha256(data).hexdigest())


def chained(before: str, line: ChainLine) -> str:
    """Return the hash of a line of the log, which covers all lines before it."""
    return sha256_hex(json.dumps([before, *line[:7]], ensure_ascii=False).encode())


def rolled(before: str, hash_: str) -> str:
    """Return the digest of all lines up to one, from the digest of those before it."""
    return sha256_hex(f"{before}{hash_}".encode())
