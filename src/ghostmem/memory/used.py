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
    """Record that memories helped; either all of `keys` are recorded or none.

    Args:
        ns: Namespace of the memories.
        keys: Keys of the memories that helped.

    Raises:
        NotFoundError: One of the keys does not exist.
    """
    keys = [keys] if isinstance(keys, str) else keys
    names = list(dict.fromkeys(validate.texts(keys, "keys", "key")))
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
