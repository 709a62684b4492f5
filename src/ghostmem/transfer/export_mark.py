"""The mark of an export: an HMAC over its lines with a secret that only this store has.

With it a store recognises its own exports. It is a field of the header, and older versions of Ghost
ignore it. It is written on request only: without it, the same memories give the same bytes,
whatever store they are exported from."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator

from ghostmem.store import Store

MARK = "mark"  # the field of the header
_SECRET = "export"  # noqa: S105 (the secret's name)
_SECRET_BYTES = 32


def mark_of(secret: str, lines: Iterable[str]) -> str:
    """Return the mark of the lines that follow a header."""
    mac = _new_mac(secret)
    for line in lines:
        mac.update(_canonical(line))
    return mac.hexdigest()


def make_secret(store: Store) -> str:
    """Return the secret of the store, created at the first call."""
    if (secret := _secret(store)) is not None:
        return secret
    with store.engine.write() as tx:
        secret = tx.secrets.get(_SECRET)  # another process may have created it
        if secret is None:
            secret = secrets.token_hex(_SECRET_BYTES)
            tx.secrets.put(_SECRET, secret)
    return secret


class MarkReader:
    """Passes the lines of an import on, and checks whether they carry the mark of this store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._mark = ""
        self._mac: hmac.HMAC | None = None

    @property
    def is_ours(self) -> bool:
        """Say whether this store wrote all lines that were read, and they are unchanged."""
        return self._mac is not None and hmac.compare_digest(
            self._mac.hexdigest().encode(), self._mark.encode()
        )

    def lines(self, source: Iterable[str]) -> Iterator[str]:
        """Yield every line of the source."""
        is_header = True
        for line in source:
            if line.strip():
                if is_header:
                    self._begin(line)
                elif self._mac is not None:
                    self._mac.update(_canonical(line))
                is_header = False
            yield line

    def _begin(self, header: str) -> None:
        text = header.lstrip("\ufeff").lstrip()
        try:
            fields = json.loads(text) if text.startswith("{") else {}
        except (ValueError, RecursionError):
            return  # the import reports the error
        mark = fields.get(MARK)
        secret = _secret(self._store) if isinstance(mark, str) else None
        if secret is not None:
            self._mark, self._mac = str(mark), _new_mac(secret)


def _new_mac(secret: str) -> hmac.HMAC:
    return hmac.new(secret.encode(), digestmod=hashlib.sha256)


def _canonical(line: str) -> bytes:
    return line.strip().encode("utf-8", "surrogatepass") + b"\n"


def _secret(store: Store) -> str | None:
    with store.engine.read() as tx:
        return tx.secrets.get(_SECRET)
