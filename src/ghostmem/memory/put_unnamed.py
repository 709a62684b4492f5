"""Store a text under a key that is made of its words."""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from ghostmem.errors import InvalidInputError, VersionConflictError
from ghostmem.memory.put import put
from ghostmem.memory.redact import redact_content
from ghostmem.model import Memory
from ghostmem.store import Store
from ghostmem.text.redact import redact
from ghostmem.text.sections import slug

MAX_WORDS = 8
MAX_LENGTH = 48  # characters of the words in a key
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def put_unnamed(store: Store, ns: str, content: str, **fields: Any) -> Memory:
    """Store a text under a new key; the same text again keeps the key it has.

    A key that ever belonged to another text is not used, even if another process takes it in the
    same moment. Secrets in the text do not become part of the key.
    """
    if fields.get("base_version") is not None:
        raise InvalidInputError(
            f"base version {fields['base_version']} needs a key", "give the key of the memory"
        )
    settings, allow_secrets = store.settings, bool(fields.get("allow_secrets"))
    stored = redact_content(settings, content, allow_secrets).content
    for key in _keys(content):
        while (version := _base_version(store, ns, key, stored)) is not None:
            try:
                return put(store, ns, key, content, **{**fields, "base_version": version})
            except VersionConflictError:
                continue  # somebody else was faster: look again at whose key this is
    raise AssertionError  # there is no last key


def _base_version(store: Store, ns: str, key: str, stored: str) -> int | None:
    """Return the version that a put of this text replaces, or None if another text has the key."""
    with store.engine.read() as tx:
        last = tx.memories.last(ns, key)
    if last is None:
        return 0
    if last.content != stored:
        return None
    return last.version if last.is_current(store.clock()) else 0


def _keys(content: str) -> Iterator[str]:
    """Yield keys for a text: its first words, then the same with a number."""
    name = key_from_text(content)
    yield name
    for number in count(2):
        yield f"{name}-{number}"


def key_from_text(content: str) -> str:
    """Return the first words of a text as a key, without secrets."""
    head = redact(content[: MAX_LENGTH * 100])[0][: MAX_LENGTH * 10]
    words = _WORD.findall(head)[:MAX_WORDS]
    name = slug(" ".join(words)) if words else "note"
    if len(name) <= MAX_LENGTH:
        return name
    return name[: MAX_LENGTH + 1].rpartition("-")[0] or name[:MAX_LENGTH]
