"""suspect: decide which texts are held in quarantine: whose text it is, and whether it reads like
instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ghostmem.caller import AGENT
from ghostmem.model import SourceKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ghostmem.memory.draft import Draft
    from ghostmem.model import Memory
    from ghostmem.settings import Settings
    from ghostmem.store.protocol import Transaction
    from ghostmem.store.store import Store


def suspected(
    store: Store, tx: Transaction, draft: Draft, *, from_file: bool = False
) -> tuple[str, ...]:
    """Return why a draft is held in quarantine, or nothing when it may be stored.

    Only texts that do not come from the user are judged: by the source that the draft names, else
    by the one that it takes over from the version before it. What an agent puts over MCP without a
    source counts as its own words, and with `from_file` the text of a file as an import. A text
    that is already current under its key was accepted before and is not judged again."""
    if not store.settings.quarantine:
        return ()
    named = draft.fields.get("source_kind")
    if named is SourceKind.STATED and not from_file:
        return ()
    current = tx.memories.current(draft.ns, draft.key, store.clock())
    if not (from_file or _is_foreign(named, current)) or _is_accepted(draft, current):
        return ()
    return looks_like_orders(
        store.settings, draft.key, draft.content, draft.fields.get("tags") or ()
    )


def looks_like_orders(
    settings: Settings, key: str, content: str, tags: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return why a text looks like instructions to the agent that reads it.

    Its key and its tags are read too.
    """
    if not settings.quarantine:
        return ()
    from ghostmem.truth.rules.injection import suspicions

    return suspicions("\n".join((key, content, *tags)))


def _is_foreign(named: SourceKind | None, current: Memory | None) -> bool:
    """Say whether a text is not the user's."""
    if named is not None:
        return named is not SourceKind.STATED
    return AGENT.get() or (current is not None and not current.from_user)


def _is_accepted(draft: Draft, current: Memory | None) -> bool:
    """Say whether the current version has the same text and all the tags already."""
    if current is None or current.content != draft.content:
        return False
    return set(draft.fields.get("tags") or ()) <= set(current.tags)
