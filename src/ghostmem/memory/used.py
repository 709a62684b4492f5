"""used: say which memories really helped."""

from collections.abc import Iterable
from dataclasses import dataclass

from ghostmem.errors import InvalidInputError
from ghostmem.model import Record
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.retry import again
from ghostmem.store.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class Use(Record):
    """A memory that helped, and how often it has."""

    ns: str
    key: str
    utility_count: int


@again
def used(store: Store, ns: str, keys: Iterable[str]) -> list[Use]:
    """Mark memories as having really helped: each gains one in utility, and a use on this day.

    All of them, or none.
    """
    if isinstance(keys, str):
        keys = [keys]
    names = list(dict.fromkeys(validate.text(key, "key") for key in keys))
    if not names:
        raise InvalidInputError("at least one key is required", "name the memories that helped")
    now = store.clock()
    with store.engine.write(within=(ns,)) as tx:
        found = [find(tx, validate.text(ns, "namespace"), key, now) for key in names]
        tx.memories.touch(found, now, used=True, helped=True)
    return [Use(memory.ns, memory.key, memory.utility_count + 1) for memory in found]
