"""tags: list, rename and remove tags."""

from ghostmem.errors import InvalidInputError, LockedError
from ghostmem.frozen import frozen
from ghostmem.model import LOCKED, Record
from ghostmem.store import Filter, Store, retag, validate


@frozen
class TagInfo(Record):
    """A tag and the number of memories with it."""

    tag: str
    count: int


@frozen
class TagChange(Record):
    """A change of a tag, and the number of memories it affected."""

    tag: str
    new_tag: str | None
    affected: int


def list_tags(store: Store, ns: str | None = None) -> list[TagInfo]:
    """Return tags with the number of memories that have each.

    Args:
        ns: Namespace, a prefix such as "agent:*", or None for all.
    """
    live = Filter(ns=validate.ns_filter(ns), now=store.clock())
    with store.engine.read() as tx:
        return [TagInfo(*row) for row in tx.listing.tag_counts(live)]


def rename_tag(
    store: Store, old: str, new: str, ns: str | None = None, *, unlock: bool = False
) -> TagChange:
    """Rename a tag on every live memory.

    Args:
        old: Tag to rename.
        new: Its new name.
        ns: Namespace, a prefix such as "agent:*", or None for all.
        unlock: Also change memories tagged `locked`.
    """
    return _change(store, old, _tag(new), ns, unlock)


def rm_tag(store: Store, tag: str, ns: str | None = None, *, unlock: bool = False) -> TagChange:
    """Remove a tag from every live memory.

    Args:
        tag: Tag to remove.
        ns: Namespace, a prefix such as "agent:*", or None for all.
        unlock: Also change memories tagged `locked`.
    """
    return _change(store, tag, None, ns, unlock)


def _tag(text: str) -> str:
    if not (tags := validate.tags([text])):
        raise InvalidInputError("a tag is required")
    return tags[0]


def _change(store: Store, old: str, new: str | None, ns: str | None, unlock: bool) -> TagChange:
    validate.flags(unlock=unlock)
    old = _tag(old)
    now = store.clock()
    with store.engine.write() as tx:
        memories = list(tx.listing.scan(Filter(ns=validate.ns_filter(ns), now=now, tags=(old,))))
        if old == LOCKED and new != LOCKED and memories and not unlock:
            raise LockedError(f"removing the tag would unlock {memories[0].ns}/{memories[0].key}")
        for memory in memories:
            renamed = dict.fromkeys(new if tag == old else tag for tag in memory.tags)
            tags = tuple(tag for tag in renamed if tag is not None)
            fields = {"expires_at": None} if new == LOCKED else {}  # as curate locks it
            tx.memories.change(memory, "tag", now, tags=tags, **fields)
            retag(tx, memory, tags)
    return TagChange(old, new, len(memories))
