"""The mark of an export: an HMAC of its lines with a secret that only this store has, so that it
knows its own exports.

The mark is a field of the header, which every version of Ghost reads without minding further
fields. It is written on request
only: without it the same memories give the same bytes, whatever store they are exported from.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ghostmem.store.store import Store

MARK = "mark"  # the field of the header
_SECRET = "export"  # noqa: S105 (the secret's name)
_BYTES = 32


def mark_of(secret: str, lines: Iterable[str]) -> str:
    """Return the mark of the lines that follow a header."""
    made = _keyed(secret)
    for line in lines:
        made.update(_canonical(line))
    return made.hexdigest()


def make_secret(store: Store) -> str:
    """Return the store's secret, which is made when it is first needed."""
    if (secret := _secret(store)) is not None:
        return secret
    with store.engine.write() as tx:
        secret = tx.secrets.get(_SECRET)  # somebody else may have been faster
        if secret is None:
            secret = secrets.token_hex(_BYTES)
            tx.secrets.put(_SECRET, secret)
    return secret


class MarkReader:
    """Passes the lines of an import on and finds out whether they carry this store's mark."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._mark = ""
        self._made: hmac.HMAC | None = None

    @property
    def is_ours(self) -> bool:
        """Say whether this store wrote all the lines that were read, and nobody changed them."""
        return self._made is not None and hmac.compare_digest(
            self._made.hexdigest().encode(), self._mark.encode()
        )

    def lines(self, source: Iterable[str]) -> Iterator[str]:
        """Yield every line."""
        is_header = True
        for line in source:
            if line.strip():
                if is_header:
                    self._begin(line)
                elif self._made is not None:
                    self._made.update(_canonical(line))
                is_header = False
            yield line

    def _begin(self, header: str) -> None:
        text = header.lstrip("\ufeff").lstrip()
        try:
            found = json.loads(text) if text.startswith("{") else {}
        except (ValueError, RecursionError):
            return  # the import says what is wrong with it
        mark = found.get(MARK)
        secret = _secret(self._store) if isinstance(mark, str) else None
        if secret is not None:
            self._mark, self._made = str(mark), _keyed(secret)


def _keyed(secret: str) -> hmac.HMAC:
    return hmac.new(secret.encode(), digestmod=hashlib.sha256)


def _canonical(line: str) -> bytes:
    return line.strip().encode("utf-8", "surrogatepass") + b"\n"


def _secret(store: Store) -> str | None:
    with store.engine.read() as tx:
        return tx.secrets.get(_SECRET)
