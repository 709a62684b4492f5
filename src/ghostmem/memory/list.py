"""list: the memories of a namespace or about a file, newest first."""

from dataclasses import replace
from typing import Unpack

from ghostmem.model import Memory, Tier
from ghostmem.store import Narrow, Store, again, narrowed, validate
from ghostmem.store.narrowing import one


@again
def list_memories(
    store: Store,
    ns: str | None = None,
    *,
    tier: str | None = None,
    key_prefix: str | None = None,
    deleted: bool = False,
    limit: int = 20,
    offset: int = 0,
    **conditions: Unpack[Narrow],
) -> list[Memory]:
    """Return live memories that pass every filter, newest first.

    `deleted` lists deleted and old versions instead.
    """
    selected = replace(
        narrowed(**conditions),
        ns=validate.ns_filter(ns),
        now=None if deleted else store.clock(),
        tiers=one(validate.choice(tier, Tier, "tier")),
        key_prefix=None if key_prefix is None else validate.text(key_prefix, "key prefix"),
        deleted=deleted,
    )
    count = validate.positive(limit, "limit")
    start = validate.positive(offset, "offset", least=0)
    with store.engine.read() as tx:
        return tx.listing.select(selected, count, start)


def files(
    store: Store, path: str, *, rel: str | None = None, ns: str | None = None, limit: int = 20
) -> list[Memory]:
    """Return live memories that name a file, newest first."""
    return list_memories(store, ns, file=path, file_rel=rel, limit=limit)
