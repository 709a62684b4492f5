"""Export a store as lines of JSON: the same bytes for the same memories."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from secrets import token_hex
from typing import Any

from ghostmem.model import SYSTEM, Access, Edge, Link, Memory, NsFilter, Record
from ghostmem.store import FORMAT, AliasLine, Store, Transaction, line_of, validate

MARK, COUNT = "mark", "memories"  # fields of the header
_SECRET = "export"  # noqa: S105 (the secret's name)
_SECRET_BYTES = 32


def mark_of(secret: str, lines: Iterable[str]) -> str:
    """Return the mark of the lines that follow a header."""
    mac = hmac.new(secret.encode(), digestmod=hashlib.sha256)
    for line in lines:
        mac.update(line.strip().encode("utf-8", "surrogatepass") + b"\n")
    return mac.hexdigest()


def make_secret(store: Store) -> str:
    """Return the secret of the store, created at the first call."""
    if (secret := _secret(store)) is not None:
        return secret
    with store.engine.write() as tx:
        secret = tx.secrets.get(_SECRET)  # another process may have created it
        if secret is None:
            secret = token_hex(_SECRET_BYTES)
            tx.secrets.put(_SECRET, secret)
    return secret


def is_our_export(store: Store, header: Mapping[str, Any], lines: Iterable[str]) -> bool:
    """Say whether this store wrote the header and the lines after it, and they are unchanged."""
    mark, secret = header.get(MARK), _secret(store)
    return (
        isinstance(mark, str)
        and secret is not None
        and hmac.compare_digest(mark_of(secret, lines).encode(), mark.encode())
    )


def _secret(store: Store) -> str | None:
    with store.engine.read() as tx:
        return tx.secrets.get(_SECRET)


def export(store: Store, ns: str | None = None, *, mark: bool = False) -> Iterator[str]:
    """Yield all memories, edges and rules as JSON lines.

    Importing the lines into an empty store and exporting again gives the same bytes.

    Args:
        ns: Namespace, prefix such as "agent:*", or None for all.
        mark: Sign the export, so that this store imports it without the quarantine.
    """
    chosen = validate.ns_filter(ns)
    secret = make_secret(store) if mark else None
    with store.engine.snapshot() as tx:
        header: dict[str, Any] = {
            "type": "ghost",
            "format": FORMAT,
            COUNT: tx.listing.count_rows(chosen),
        }
        if secret is not None:
            header[MARK] = mark_of(secret, _lines(tx, chosen))
        yield json.dumps(header)
        yield from _lines(tx, chosen)


# the fields that the original's memories have; its import refuses other types of values
ORIGINAL_FIELDS = (
    "id ns key content kind tags version supersedes created_at deleted_at priority access_count "
    "last_accessed_at expires_at importance utility_count tier source_user source_kind "
    "source_scope pinned est_tokens files"
).split()


def export_original(store: Store, ns: str | None = None) -> Iterator[str]:
    """Yield the lines of a JSON array of current memories that the original Ghost imports.

    Each memory follows its earlier versions. Edges, rules and daily usage are left out.

    Args:
        ns: Namespace, prefix such as "agent:*", or None for all.
    """
    chosen, now = validate.ns_filter(ns), store.clock()
    before = "["
    with store.engine.snapshot() as tx:
        for _, versions in groupby(tx.listing.rows(chosen), key=lambda row: (row.ns, row.key)):
            chain = list(versions)
            last = chain[-1]
            if last.deleted_at is not None or (last.expires_at and last.expires_at <= now):
                continue
            for memory in chain:
                yield before + json.dumps(_original_memory(memory), ensure_ascii=False)
                before = ","
    yield "]" if before == "," else "[]"


def _original_memory(memory: Memory) -> dict[str, Any]:
    row = memory.to_dict()
    fields = {name: row[name] for name in ORIGINAL_FIELDS if name in row}
    meta = json.dumps(row["meta"], ensure_ascii=False) if row.get("meta") else None
    return fields if meta is None else {**fields, "meta": meta}


def memory_ids(record: Record) -> tuple[str, ...]:
    """Return the ids of the memories that an edge, link, access or alias belongs to."""
    if isinstance(record, Edge | Link):
        return (record.from_id, record.to_id)
    return (record.memory_id,) if isinstance(record, Access | AliasLine) else ()


def _lines(tx: Transaction, chosen: NsFilter) -> Iterator[str]:
    included: set[str] = set()
    for memory in tx.listing.rows(chosen):
        included.add(memory.id)
        yield line_of("memory", memory)
    attached: dict[str, Callable[[], Iterable[Record]]] = {
        "edge": tx.graph.edges,
        "link": tx.graph.links,
        "access": tx.journal.accesses,
        "alias": lambda: (AliasLine.of(*alias) for alias in tx.aliases.all()),
        "held": lambda: tx.quarantine.all(chosen),
        "source_alias": lambda: tx.source_aliases.all(chosen),
        # a rule without a namespace belongs to the whole store
        "rule": lambda: (
            rule
            for rule in tx.rules.all()
            if rule.created_by != SYSTEM
            and (not chosen or (rule.ns != "" and chosen.matches(rule.ns)))
        ),
    }
    yield from (
        line_of(kind, record)
        for kind, records in attached.items()
        for record in records()
        if included.issuperset(memory_ids(record))
    )
