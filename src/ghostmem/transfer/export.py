"""export: everything as lines of JSON, the same bytes for the same store."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ghostmem.model import SYSTEM, NsFilter
from ghostmem.store import validate
from ghostmem.store.export_lines import FORMAT, Wording, line_of
from ghostmem.store.store import Store
from ghostmem.transfer.export_mark import MARK, make_secret, mark_of

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


def export(store: Store, ns: str | None = None, *, mark: bool = False) -> Iterator[str]:
    """Yield a header, then memories with all versions, edges, links, days of use, wordings, what is
    held, and rules, in order.

    Nothing is left out and no export time is written: importing the lines into an empty store and
    exporting again gives the same bytes. With `mark` the header has a mark by which this store, and
    no other, knows its own export."""
    which = validate.ns_filter(ns)
    header: dict[str, Any] = {"type": "ghost", "format": FORMAT}
    secret = make_secret(store) if mark else None
    with store.engine.snapshot() as tx:
        if secret is not None:
            header[MARK] = mark_of(secret, _lines(store, tx, which))
        yield json.dumps(header)
        yield from _lines(store, tx, which)


def _lines(store: Store, tx: "Transaction", which: NsFilter) -> Iterator[str]:
    included: set[str] = set()
    for memory in tx.listing.rows(which):
        included.add(memory.id)
        yield line_of("memory", memory)
    for edge in tx.graph.edges():
        if edge.from_id in included and edge.to_id in included:
            yield line_of("edge", edge)
    for link in tx.graph.links():
        if link.from_id in included and link.to_id in included:
            yield line_of("link", link)
    for access in tx.journal.accesses():
        if access.memory_id in included:
            yield line_of("access", access)
    for memory_id, alias in tx.aliases.all():
        if memory_id in included:
            yield line_of("alias", Wording.of(memory_id, alias))
    for held in tx.quarantine.all(which):
        yield line_of("held", held)
    namespaces = {name for name, *_ in tx.listing.namespaces(which, store.clock())}
    for rule in tx.rules.all():
        if rule.created_by != SYSTEM and (not which or rule.ns in namespaces):
            yield line_of("rule", rule)
