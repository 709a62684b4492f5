"""Store a text under a key that is made of its words."""

import re
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
    name = key = key_from_text(content)
    number = 1
    while True:
        with store.engine.read() as tx:
            last = tx.memories.last(ns, key)
        if last is not None and last.content != stored:  # another text has the key
            number += 1
            key = f"{name}-{number}"
            continue
        is_current = last is not None and last.is_current(store.clock())
        base = last.version if last is not None and is_current else 0
        try:
            return put(store, ns, key, content, **{**fields, "base_version": base})
        except VersionConflictError:
            continue  # somebody else was faster: look again at whose key this is


def key_from_text(content: str) -> str:
    """Return the first words of a text as a key, without secrets."""
    words = _WORD.findall(redact(content[: MAX_LENGTH * 100])[0][: MAX_LENGTH * 10])[:MAX_WORDS]
    name = slug(" ".join(words)) if words else "note"
    if len(name) <= MAX_LENGTH:
        return name
    return name[: MAX_LENGTH + 1].rpartition("-")[0] or name[:MAX_LENGTH]
