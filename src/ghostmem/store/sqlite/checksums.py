"""Checksums of contents: written with each memory, compared by `ghost check`."""

from collections.abc import Iterator
from typing import Any

import apsw

from ghostmem.store.journal import sha256_hex


def checksum(content: str | bytes) -> str:
    """Return the checksum of a content, as text or as its UTF-8."""
    return sha256_hex(content.encode() if isinstance(content, str) else content)


def fill(db: apsw.Connection) -> None:
    """Compute missing checksums, of memories that an older Ghost or another program wrote."""

    def content_checksum(*values: Any) -> str:
        return checksum(values[0])

    db.create_scalar_function("content_checksum", content_checksum, 1, deterministic=True)
    # as bytes, because a damaged content may not be UTF-8
    db.execute(
        "UPDATE memories SET checksum = content_checksum(CAST(content AS BLOB)) WHERE "
        "checksum IS NULL"
    )


def differing(db: apsw.Connection) -> Iterator[tuple[str, str, int]]:
    """Yield namespace, key and version of each memory whose content fails its checksum."""
    sql = (
        "SELECT CAST(ns AS BLOB), CAST(key AS BLOB), version, CAST(content AS BLOB), "
        "CAST(checksum AS BLOB) FROM memories"
    )
    for ns, key, version, content, expected in db.execute(f"{sql} WHERE checksum IS NOT NULL"):
        if checksum(content).encode() != expected:
            yield ns.decode(errors="replace"), key.decode(errors="replace"), version
