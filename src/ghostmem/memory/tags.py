"""tags: which there are, renaming and removing them everywhere."""

from dataclasses import dataclass

from ghostmem.errors import InvalidInputError, LockedError
from ghostmem.model import LOCKED, Record
from ghostmem.store import validate
from ghostmem.store.indexing import retag
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class TagInfo(Record):
    """How many memories carry a tag."""

    tag: str
    count: int


@dataclass(frozen=True, eq=False, repr=False)
class TagChange(Record):
    """How many memories a change of tags touched."""

    tag: str
    new_tag: str | None
    affected: int


def list_tags(store: Store, ns: str | None = None) -> list[TagInfo]:
    """Return the tags of live memories, most used first."""
    with store.engine.read() as tx:
        return [TagInfo(*row) for row in tx.listing.tags(validate.ns_filter(ns), store.clock())]


def rename_tag(
    store: Store, old: str, new: str, ns: str | None = None, *, unlock: bool = False
) -> TagChange:
    """Give a tag another name on every live memory; where both stand already, one remains."""
    return _change(store, old, _tag(new), ns, unlock)


def rm_tag(store: Store, tag: str, ns: str | None = None, *, unlock: bool = False) -> TagChange:
    """Take a tag off every live memory."""
    return _change(store, tag, None, ns, unlock)


def _tag(text: str) -> str:
    found = validate.tags([text])
    if not found:
        raise InvalidInputError("a tag is required")
    return found[0]


def _change(store: Store, old: str, new: str | None, ns: str | None, unlock: bool) -> TagChange:
    old = _tag(old)
    now = store.clock()
    with store.engine.write() as tx:
        found = list(tx.listing.scan(Filter(ns=validate.ns_filter(ns), now=now, tags=(old,))))
        if old == LOCKED and new != LOCKED and found and not unlock:
            raise LockedError(f"taking the tag off would unlock {found[0].ns}/{found[0].key}")
        for memory in found:
            renamed = dict.fromkeys(new if tag == old else tag for tag in memory.tags)
            tags = tuple(tag for tag in renamed if tag is not None)
            tx.memories.change(memory, "tag", now, tags=tags)
            retag(tx, memory, tags)
    return TagChange(old, new, len(found))
