"""Counts of the memories that pass a filter, by namespace, kind and tag."""

from collections import Counter
from dataclasses import replace
from typing import Unpack

from ghostmem.model import LOCKED, Tier
from ghostmem.store import Narrow, Store, again, narrowed, validate
from ghostmem.store.narrowing import one
from ghostmem.web.rows import Row
from ghostmem.web.shape import bars

MAX_TAGS = 40


@again
def facets(
    store: Store, ns: str | None = None, *, tier: str | None = None, **conditions: Unpack[Narrow]
) -> Row:
    """Count the memories that `list` returns with the same filters, most first."""
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
    return {
        "total": namespaces.total(),
        "namespaces": bars(namespaces),
        "kinds": bars(kinds),
        "tags": [{"name": tag, "count": count} for tag, count in tags if tag != LOCKED][:MAX_TAGS],
    }
