"""consolidate: store a summary of several memories, which all stay."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.memory.draft import Draft, prepare, read_current, with_nearest
from ghostmem.memory.quarantine import hold_draft, missing, quarantine_reasons
from ghostmem.memory.redact import redact_draft
from ghostmem.memory.write import write_draft
from ghostmem.model import EDGE_WEIGHTS, Edge, Kind, Memory, Record, Rel
from ghostmem.store import Store, Transaction, find, put_fields, validate

DEFAULT_IMPORTANCE = 0.7


@frozen
class Consolidation(Record):
    """A summary and the edges to its sources."""

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
    """Store a summary of several memories, which are kept.

    Args:
        ns: Namespace.
        summary_key: Key of the summary; an existing one gets a new version.
        content: Text of the summary.
        source_keys: Keys of the summarised memories.
        kind: Default: "semantic".
        importance: Default: 0.7.
        tags: Tags of the summary.
        allow_secrets: Store keys, tokens and passwords instead of redacting them.
    """
    validate.flags(allow_secrets=allow_secrets)
    keys = _validate_sources(source_keys, summary_key)
    key = validate.new_key(summary_key)
    draft = Draft(
        validate.namespace(ns),
        key,
        validate.content(content, store.settings.max_content_bytes),
        put_fields(kind=kind, importance=importance, tags=tags),
    )
    draft, notes = redact_draft(store.settings, draft, allow_secrets)
    with store.engine.read(ns) as tx:
        now = store.clock()
        if tx.memories.current(ns, draft.key, now) is None:
            draft = replace(
                draft,
                fields={
                    "kind": Kind.SEMANTIC,
                    "importance": DEFAULT_IMPORTANCE,
                    **draft.fields,
                },
            )
        _find_sources(tx, ns, keys, now)
        reasons = quarantine_reasons(store, tx, draft)
    if reasons:
        return Consolidation(hold_draft(store, draft, reasons, notes, keys), ())
    written = write_summary(store, draft, keys)
    return replace(written, summary=replace(written.summary, notes=notes)) if notes else written


def write_summary(
    store: Store, draft: Draft, keys: Iterable[str], *, released: str | None = None
) -> Consolidation:
    """Write a summary and its edges in one transaction.

    `released` is the id of the summary in quarantine, from which it is removed.
    """
    ns, summary_key = draft.ns, draft.key
    prepared = prepare(store, [(draft, read_current(store, draft))])[0]
    with store.engine.read(ns) as tx:
        prepared = with_nearest(store, tx, draft, prepared)
    with store.engine.write(within=(ns,)) as tx:
        if released is not None and not tx.quarantine.drop(released):
            raise missing(released)  # another process released it first
        now = store.clock()
        sources = _find_sources(tx, ns, keys, now)
        summary = write_draft(store, tx, draft, prepared)
        containers = _containers(tx, summary.id)
        edges = []
        for source in sources:
            if source.id in containers:
                raise InvalidInputError(
                    f"{source.key} already contains {summary_key}",
                    "a summary cannot contain itself",
                )
            edge = Edge(summary.id, source.id, Rel.CONTAINS, EDGE_WEIGHTS[Rel.CONTAINS], now)
            tx.graph.add_edge(edge)
            edge = tx.graph.edge(summary.id, source.id, Rel.CONTAINS) or edge
            edges.append(replace(edge, ns=ns, from_key=summary_key, to_key=source.key))
    return Consolidation(summary, tuple(edges))


def _validate_sources(source_keys: Iterable[str], summary_key: str) -> list[str]:
    keys = list(
        dict.fromkeys(
            validate.key(key) for key in validate.texts(source_keys, "source_keys", "key")
        )
    )
    if summary_key in keys:
        raise InvalidInputError(
            f"{summary_key} is both the summary and one of its sources",
            "give the summary a key of its own",
        )
    if len(keys) < 2:
        raise InvalidInputError(
            f"consolidate requires at least 2 source keys, got {len(keys)}",
            "`ghost clusters` shows memories that belong together",
        )
    return keys


def _find_sources(tx: Transaction, ns: str, keys: Iterable[str], now: datetime) -> list[Memory]:
    try:
        return [find(tx, ns, key, now) for key in keys]
    except NotFoundError as error:
        raise NotFoundError(f"source {error.message}", error.hint) from None


def _containers(tx: Transaction, id_: str) -> set[str]:
    """Return the ids of all memories that contain one, directly or not."""
    containers: set[str] = set()
    todo = [id_]
    while todo:
        parents = {
            edge.from_id for edge in tx.graph.touching(todo, [Rel.CONTAINS]) if edge.to_id in todo
        }
        todo = sorted(parents - containers)
        containers |= parents
    return containers
