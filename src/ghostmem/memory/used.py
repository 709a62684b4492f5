"""used: mark the memories that helped."""

from collections.abc import Iterable

from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.model import Record
from ghostmem.store import Store, again, find, validate


@frozen
class UsedMemory(Record):
    """A memory that helped, and the number of times it did."""

    ns: str
    key: str
    utility_count: int


@again
def used(store: Store, ns: str, keys: Iterable[str]) -> list[UsedMemory]:
    """Add one to the utility of memories and count a use on this day, for all of them or none."""
    listed = [keys] if isinstance(keys, str) else keys
    names = list(dict.fromkeys(validate.texts(listed, "keys", "key")))
    if not names:
        raise InvalidInputError(
            "at least one key is required", "give the keys of the memories that helped"
        )
    validate.text(ns, "namespace")
    now = store.clock()
    with store.engine.write(within=(ns,)) as tx:
        memories = [find(tx, ns, key, now) for key in names]
        tx.memories.touch(memories, now, used=True, helped=True)
    return [UsedMemory(memory.ns, memory.key, memory.utility_count + 1) for memory in memories]
