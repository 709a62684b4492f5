"""used: say which memories really helped."""

from collections.abc import Iterable
from dataclasses import dataclass

from ghostmem.errors import InvalidInputError
from ghostmem.model import Record
from ghostmem.verbs import accept
from ghostmem.verbs.again import again
from ghostmem.verbs.get import find
from ghostmem.verbs.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class Use(Record):
    """A memory that helped, and how often it has."""

    ns: str
    key: str
    utility_count: int


@again
def used(store: Store, ns: str, keys: Iterable[str]) -> list[Use]:
    """Mark memories as having really helped: each gains one in utility, and a use on this day; all of them, or none."""
    if isinstance(keys, str):
        keys = [keys]
    names = list(dict.fromkeys(accept.text(key, "key") for key in keys))
    if not names:
        raise InvalidInputError("at least one key is required", "name the memories that helped")
    now = store.clock()
    with store.engine.write(within=(ns,)) as tx:
        found = [find(tx, accept.text(ns, "namespace"), key, now) for key in names]
        tx.memories.touch(found, now, used=True, helped=True)
    return [Use(memory.ns, memory.key, memory.utility_count + 1) for memory in found]
