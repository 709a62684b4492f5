"""Counts of the memories that pass a filter, by namespace, kind and tag."""

from collections import Counter
from dataclasses import replace
from typing import Unpack

from ghostmem.frozen import frozen
from ghostmem.model import LOCKED, Record, Tier
from ghostmem.store import Narrow, Store, again, narrowed, validate
from ghostmem.store.narrowing import one
from ghostmem.web.shape import Bar, bars

MAX_TAGS = 40


@frozen
class Facets(Record):
    """The number of memories, and of those in each namespace, kind and tag, most first."""

    total: int
    namespaces: tuple[Bar, ...]
    kinds: tuple[Bar, ...]
    tags: tuple[Bar, ...]


@again
def facets(
    store: Store, ns: str | None = None, *, tier: str | None = None, **conditions: Unpack[Narrow]
) -> Facets:
    """Count the memories that `list` returns with the same filters."""
    selected = replace(
        narrowed(**conditions),
        ns=validate.ns_filter(ns),
        now=store.clock(),
        tiers=one(validate.choice(tier, Tier, "tier")),
    )
    with store.engine.read() as tx:
        groups = tx.listing.kind_counts(selected)
        tags = tx.listing.tag_counts(selected)
    namespaces: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for name, kind, count in groups:
        namespaces[name] += count
        kinds[kind] += count
    return Facets(
        namespaces.total(),
        bars(namespaces),
        bars(kinds),
        tuple(Bar(tag, count) for tag, count in tags if tag != LOCKED)[:MAX_TAGS],
    )
