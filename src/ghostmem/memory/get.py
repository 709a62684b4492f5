"""get: read a memory by its key, its versions or its chunks; used: mark those that helped."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from shlex import quote

from ghostmem.clock import as_time, format_time
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.model import Chunk, Memory, Record, is_namespace
from ghostmem.store import Store, Transaction, again, count, find, validate


@again
def get(
    store: Store,
    ns: str,
    key: str,
    *,
    version: int | None = None,
    as_of: datetime | str | None = None,
) -> Memory:
    """Return a memory by its key, and count the retrieval.

    The counters of the returned memory do not include this retrieval.

    Args:
        ns: Namespace.
        key: Key.
        version: Number of an earlier version.
        as_of: Return the version that was current at this time.

    Raises:
        NotFoundError: There is no such memory or version.
    """
    validate.text(ns, "namespace")
    validate.text(key, "key")
    now = store.clock()
    with store.engine.read(ns) as tx:
        memory = (
            find(tx, ns, key, now, version)
            if as_of is None
            else _version_of(tx, ns, key, as_time(as_of, "as_of"))
        )
        tx.ahead(lambda: tx.memories.with_refs([memory]), lambda: tx.aliases.of(memory.id))
        memory = tx.memories.with_refs([memory])[0]
        if wordings := tx.aliases.texts(memory.id):
            memory = replace(memory, aliases=wordings)
    count(store, [memory], now, used=True)
    return memory


def _version_of(tx: Transaction, ns: str, key: str, moment: datetime) -> Memory:
    current_then = [
        m
        for m in tx.memories.history(ns, key)
        if m.written_at <= moment and (not m.deleted_at or m.deleted_at > moment)
    ]
    if not current_then:
        raise NotFoundError(
            f"memory not found: {ns}/{key} as of {format_time(moment)}",
            f"`ghost history -n {ns} -k {quote(key)}` shows its versions",
        )
    return current_then[-1]


def history(store: Store, ns: str, key: str) -> list[Memory]:
    """Return every version of a key, oldest first, including deleted ones.

    Args:
        ns: Namespace of the memory.
        key: Key of the memory.

    Raises:
        NotFoundError: The key never existed.
    """
    validate.text(ns, "namespace")
    validate.text(key, "key")
    with store.engine.read(ns) as tx:
        versions = tx.memories.history(ns, key)
    if not versions:
        raise NotFoundError(
            f"memory not found: {ns}/{key}", f"`ghost list -n {ns}` shows the keys of the namespace"
        )
    return versions


def is_known(store: Store, ns: str, key: str) -> bool:
    """Say whether a key has a version, which may be removed; nothing is counted."""
    with store.engine.read() as tx:
        return tx.memories.last(ns, key) is not None


def split_name(store: Store, ns: str, name: str) -> tuple[str, str]:
    """Return namespace and key of a name such as `ns/key`; a plain key has no namespace.

    An exact key of the namespace `ns` wins, also one that contains a slash."""
    space, _, key = validate.text(name, "key").partition("/")
    if not key or not is_namespace(space) or is_known(store, ns, name):
        return "", name
    return (
        (space, key) if space == ns or ":" in space or is_known(store, space, key) else ("", name)
    )


def one_namespace(spaces: Iterable[str]) -> str:
    """Return the namespace that names of memories have, or an empty text for plain keys.

    Raises:
        InvalidInputError: The names are of several namespaces.
    """
    names = [ns for ns in dict.fromkeys(spaces) if ns]
    if len(names) > 1:
        raise InvalidInputError(
            f"{names[0]} and {names[1]} are different namespaces",
            "give memories of one namespace",
        )
    return names[0] if names else ""


def chunks(store: Store, ns: str, key: str) -> list[Chunk]:
    """Return the chunks of a memory, in order.

    Args:
        ns: Namespace of the memory.
        key: Key of the memory.

    Raises:
        NotFoundError: There is no such memory.
    """
    with store.engine.read() as tx:
        return tx.index.chunks(
            find(tx, validate.text(ns, "namespace"), validate.text(key, "key"), store.clock())
        )


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
    if not (names := list(dict.fromkeys(validate.texts(keys, "keys", "key")))):
        raise InvalidInputError(
            "at least one key is required", "give the keys of the memories that helped"
        )
    validate.text(ns, "namespace")
    now = store.clock()
    with store.engine.write(within=(ns,)) as tx:
        memories = [find(tx, ns, key, now) for key in names]
        tx.memories.touch(memories, now, used=True, helped=True)
    return [UsedMemory(memory.ns, memory.key, memory.utility_count + 1) for memory in memories]
