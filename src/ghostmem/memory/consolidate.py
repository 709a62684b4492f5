"""consolidate: store a summary that stands for several memories, which all stay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.memory.draft import Draft, prepare, write_draft
from ghostmem.memory.quarantine import hold, memory_of, missing
from ghostmem.memory.screen import screen, screen_fields
from ghostmem.model import EDGE_WEIGHTS, Edge, Kind, Memory, Record, Rel
from ghostmem.store import validate
from ghostmem.store.fields import put_fields
from ghostmem.store.lookup import find
from ghostmem.store.store import Store
from ghostmem.truth.suspect import suspected

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

IMPORTANCE = 0.7  # of a summary, when none is named


@dataclass(frozen=True, eq=False, repr=False)
class Consolidation(Record):
    """A summary and the edges to what it stands for."""

    summary: Memory
    edges: tuple[Edge, ...]


def consolidate(
    store: Store,
    ns: str,
    summary_key: str,
    content: str,
    source_keys: Iterable[str],
    *,
    kind: str | None = None,
    importance: float | None = None,
    tags: Iterable[str] | None = None,
    allow_secrets: bool = False,
) -> Consolidation:
    """Store a summary with a `contains` edge to each of its sources, in one transaction.

    The sources stay as they are.

    The summary is semantic with importance 0.7 unless said otherwise. A summary that exists gets a
    new version and keeps its sources beside the new ones. Secrets are redacted unless
    `allow_secrets`. A summary that an agent writes over MCP and that looks like instructions is
    held in quarantine, with its sources."""
    keys = _sources(source_keys, summary_key)
    named = {
        "key": validate.key(summary_key),
        **put_fields(kind=kind, importance=importance, tags=tags),
    }
    clean, notes = screen(
        store.settings, validate.content(content, store.settings.max_content_bytes), allow_secrets
    )
    fields, more = screen_fields(store.settings, named, allow_secrets)
    summary_key = fields.pop("key")
    draft = Draft(validate.namespace(ns), summary_key, clean, fields)
    with store.engine.read() as tx:
        now = store.clock()
        if tx.memories.current(ns, summary_key, now) is None:
            draft = replace(
                draft, fields={"kind": Kind.SEMANTIC, "importance": IMPORTANCE, **fields}
            )
        _found(tx, ns, keys, now)
        reasons = suspected(store, tx, draft)
    if reasons:
        with store.engine.write(within=(ns,)) as tx:
            held = hold(store, tx, draft, reasons, keys)
        return Consolidation(memory_of(draft, held, (*notes, *more)), ())
    made = write_summary(store, draft, keys)
    return (
        replace(made, summary=replace(made.summary, notes=(*notes, *more)))
        if notes or more
        else made
    )


def write_summary(
    store: Store, draft: Draft, keys: Iterable[str], *, released: str | None = None
) -> Consolidation:
    """Write a summary and its edges.

    With `released` it was held under that id in quarantine, which it leaves.
    """
    ns, summary_key, keys = draft.ns, draft.key, list(keys)
    prepared = prepare(store, draft)
    with store.engine.write(within=(ns,)) as tx:
        if released is not None and not tx.quarantine.drop(released):
            raise missing(released)  # somebody else was faster
        now = store.clock()
        sources = _found(tx, ns, keys, now)
        summary = write_draft(store, tx, draft, prepared)
        above = _above(tx, summary.id)
        made = []
        for source in sources:
            if source.id in above:
                raise InvalidInputError(
                    f"{source.key} already stands for {summary_key}",
                    "a summary cannot contain itself",
                )
            edge = Edge(summary.id, source.id, Rel.CONTAINS, EDGE_WEIGHTS[Rel.CONTAINS], now)
            tx.graph.add_edge(edge)
            there = tx.graph.edge(summary.id, source.id, Rel.CONTAINS) or edge
            made.append(replace(there, ns=ns, from_key=summary_key, to_key=source.key))
    return Consolidation(summary, tuple(made))


def _sources(given: Iterable[str], summary_key: str) -> list[str]:
    if isinstance(given, str):
        raise InvalidInputError(
            f"source_keys must be a list, not the text {validate.shown(given)}",
            "pass source_keys=['a', 'b']",
        )
    keys = list(dict.fromkeys(validate.key(key) for key in given))
    if summary_key in keys:
        raise InvalidInputError(
            f"{summary_key} is both the summary and one of its sources",
            "give the summary a key of its own",
        )
    if len(keys) < 2:
        raise InvalidInputError(
            f"consolidate requires at least 2 source keys, got {len(keys)}",
            "`ghost clusters` shows what belongs together",
        )
    return keys


def _found(tx: Transaction, ns: str, keys: list[str], now: datetime) -> list[Memory]:
    found = []
    for key in keys:
        try:
            found.append(find(tx, ns, key, now))
        except NotFoundError as error:
            raise NotFoundError(f"source {error.message}", error.hint) from None
    return found


def _above(tx: Transaction, id_: str) -> set[str]:
    """Return the ids of everything that contains a memory, at any distance."""
    found: set[str] = set()
    todo = [id_]
    while todo:
        parents = {
            e.from_id for e in tx.graph.touching(todo) if e.rel == Rel.CONTAINS and e.to_id in todo
        }
        todo = sorted(parents - found)
        found |= parents
    return found
