"""Read a database of the original Ghost, of any age, without writing to it.

Its rows are normalised: one live version per key, the last one; versions numbered without gaps
or duplicates; known enum values. Values without a field here are kept in `meta` or named in a
note."""

import json
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import Any

import apsw

from ghostmem.clock import as_time
from ghostmem.errors import NotADatabaseError, NotFoundError
from ghostmem.grouping import grouped
from ghostmem.model import (
    EDGE_WEIGHTS,
    Access,
    Edge,
    FileRef,
    FileRel,
    Kind,
    Link,
    Memory,
    Priority,
    Record,
    Rel,
    Rule,
    SourceAlias,
    SourceKind,
    Tier,
    estimate_tokens,
)
from ghostmem.store.sqlite.failures import translated
from ghostmem.store.sqlite.reading import open_copy

Row = dict[str, Any]
TIERS = {"identity": Tier.LTM, "archived": Tier.DORMANT}  # tiers that only the original has


@dataclass
class Original:
    """The records of an original database, and notes about rows that could not be imported."""

    records: list[Record] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_original(path: str) -> Original:
    """Read a database of the original Ghost."""
    if not Path(path).is_file():
        raise NotFoundError(
            f"there is no file {path}", "give the original's database, usually ~/.ghost/memory.db"
        )
    with translated(path), closing(open_copy(path)) as db:
        tables = {
            name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        }
        if "memories" not in tables or "migrations" in tables:
            raise NotADatabaseError(
                f"{path} was not written by the original Ghost",
                f"`ghost --db {quote(path)} export | ghost import` imports a store of this Ghost",
            )
        return _collect({table: _rows(db, table) for table in _TABLES if table in tables})


_TABLES = [
    "memories",
    "memory_files",
    "memory_edges",
    "memory_links",
    "reflect_rules",
    "memory_accesses",
    "source_aliases",
]


def _rows(db: apsw.Connection, table: str) -> list[Row]:
    cursor = db.execute(f"SELECT * FROM {table} ORDER BY rowid")
    names = [name for name, _ in db.execute(f"SELECT name, type FROM pragma_table_info('{table}')")]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _collect(tables: dict[str, list[Row]]) -> Original:
    original = Original()
    rels = {str(rel): rel for rel in FileRel}
    files = grouped(
        (row["memory_id"], FileRef(row["path"], rels.get(row["rel"], FileRel.MODIFIED)))
        for row in tables.get("memory_files", [])
    )
    heads: dict[str, Memory] = {}
    order = sorted(tables["memories"], key=lambda row: (row["ns"], row["key"]))
    for _, rows in groupby(order, key=lambda row: (row["ns"], row["key"])):
        chain = _chain(list(rows), files, original.notes)
        original.records += chain
        heads |= dict.fromkeys((memory.id for memory in chain), chain[-1])
    _graph(tables, heads, original)
    original.records += _rules(tables.get("reflect_rules", []), original.notes)
    original.records += _accesses(tables.get("memory_accesses", []), heads)
    original.records += _source_aliases(tables.get("source_aliases", []), original.notes)
    return original


def _chain(rows: list[Row], files: dict[str, list[FileRef]], notes: list[str]) -> list[Memory]:
    """Order the versions of one key so that the current one is last and the only live one."""
    live = [row for row in rows if row["deleted_at"] is None]
    if live:
        current = max(live, key=lambda row: row["version"])
        rows = [row for row in rows if row is not current] + [current]
    versions = [row["version"] for row in rows]
    if versions != sorted(set(versions)):
        notes.append(
            f"renumbered the versions of {rows[0]['ns']}/{rows[0]['key']}: they were {versions}"
        )
        versions = list(range(1, len(rows) + 1))
    chain = []
    for position, (row, version) in enumerate(zip(rows, versions, strict=True)):
        after = rows[position + 1] if position + 1 < len(rows) else None
        deleted = row["deleted_at"] or (after and after["created_at"])
        supersedes = rows[position - 1]["id"] if position else None
        chain.append(
            _memory(
                {**row, "version": version, "deleted_at": deleted, "supersedes": supersedes}, files
            )
        )
    return chain


def _memory(row: Row, files: dict[str, list[FileRef]]) -> Memory:
    meta = _meta(row.get("meta"))
    kind, priority = row["kind"], row["priority"]
    if kind not in set(Kind):
        meta, kind = {**meta, "original_kind": kind}, Kind.SEMANTIC
    if priority not in set(Priority):
        meta, priority = {**meta, "original_priority": priority}, Priority.NORMAL
    tier = row.get("tier") or Tier.STM
    identity = tier == "identity"
    tier = TIERS.get(tier, tier)
    source = row.get("source_kind")
    created = _when(row["created_at"])
    assert created is not None
    return Memory(
        id=row["id"],
        ns=row["ns"],
        key=row["key"],
        content=row["content"],
        kind=Kind(kind),
        version=row["version"],
        created_at=created,
        tier=Tier(tier) if tier in set(Tier) else Tier.STM,
        priority=Priority(priority),
        importance=min(1.0, max(0.0, row.get("importance", 0.5))),
        pinned=bool(row.get("pinned")) or identity,
        access_count=row["access_count"],
        utility_count=row.get("utility_count", 0),
        est_tokens=row.get("est_tokens") or estimate_tokens(row["content"]),
        tags=_tags(row["tags"]),
        supersedes=row["supersedes"],
        deleted_at=_when(row["deleted_at"]),
        last_accessed_at=_when(row["last_accessed_at"]),
        meta=meta,
        expires_at=_when(row.get("expires_at")),
        source_user=row.get("source_user") or None,
        source_kind=SourceKind(source) if source in set(SourceKind) else None,
        source_scope=row.get("source_scope") or None,
        valid_from=_when(row.get("valid_from")),
        valid_to=_when(row.get("valid_to")),
        recorded_at=created,
        files=tuple(sorted(files.get(row["id"], []), key=lambda file: file.path)),
    )


def _when(text: str | None) -> datetime | None:
    return as_time(text) if text else None


def _meta(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {"original": value}


def _tags(text: str | None) -> tuple[str, ...]:
    try:
        values = json.loads(text or "[]")
    except ValueError:
        values = [text]
    return tuple(
        dict.fromkeys(tag.strip() for tag in values or () if isinstance(tag, str) and tag.strip())
    )


def _graph(tables: dict[str, list[Row]], heads: dict[str, Memory], original: Original) -> None:
    """Convert edges and links, moved to the current version of each end, without duplicates."""
    edges: dict[tuple[str, str, str], Edge] = {}
    links_as_edges = [
        {**row, "weight": EDGE_WEIGHTS.get(row["rel"], 0.5)}
        for row in tables.get("memory_links", [])
    ]
    for row in [*tables.get("memory_edges", []), *links_as_edges]:
        if (ends := _ends(row, heads, "edge", original.notes)) is None:
            continue
        edge = Edge(
            *ends,
            Rel(row["rel"]),
            min(1.0, max(0.0, row["weight"])),
            as_time(row["created_at"]),
            row.get("access_count", 0),
            _when(row.get("last_accessed_at")),
        )
        former = edges.get((*ends, row["rel"]))
        if former is None or (former.access_count, former.weight) < (
            edge.access_count,
            edge.weight,
        ):
            edges[*ends, row["rel"]] = (
                edge if former is None or "last_accessed_at" in row else former
            )
    links: dict[tuple[str, str, str], Link] = {}
    for row in tables.get("memory_links", []):
        if (ends := _ends(row, heads, "link", [])) is not None:
            links.setdefault(
                (*ends, row["rel"]), Link(*ends, Rel(row["rel"]), as_time(row["created_at"]))
            )
    original.records += [*edges.values(), *links.values()]


def _ends(
    row: Row, heads: dict[str, Memory], what: str, notes: list[str]
) -> tuple[str, str] | None:
    start, to = heads.get(row["from_id"]), heads.get(row["to_id"])
    name = f"left out {what} {row['from_id']} {row['rel']} {row['to_id']}"
    if start is None or to is None or row["rel"] not in set(Rel):
        notes.append(f"{name}: one end is missing, or the relation unknown")
    elif start.ns != to.ns:
        notes.append(f"{name}: it crosses namespaces")
    elif start.id == to.id:
        notes.append(f"{name}: it leads to itself")
    else:
        return start.id, to.id
    return None


def _rules(rows: list[Row], notes: list[str]) -> list[Rule]:
    """Take over the user's rules; the built-in ones are ours."""
    of_user = [row for row in rows if row["created_by"] != "system"]
    if len(of_user) < len(rows):
        notes.append(f"left out {len(rows) - len(of_user)} built-in rules of the original")
    return [
        Rule(
            **{
                name: value
                for name, value in row.items()
                if name not in ("created_at", "rule_expires_at", "action_params")
            },
            created_at=as_time(row["created_at"]),
            rule_expires_at=_when(row["rule_expires_at"]),
            action_params=_params(row["action_params"]),
        )
        for row in of_user
    ]


def _params(text: str | None) -> dict[str, Any]:
    """Read the parameters of an action, with the name of a tier that is called otherwise here."""
    params = _meta(text)
    if (tier := params.get("to_tier")) in TIERS:
        params["to_tier"] = TIERS[tier]
    return params


def _accesses(rows: list[Row], heads: dict[str, Memory]) -> list[Access]:
    days = Counter(
        (heads[row["memory_id"]].id, row["accessed_at"][:10])
        for row in rows
        if row["memory_id"] in heads
    )
    return [Access(memory_id, day, count, 0) for (memory_id, day), count in sorted(days.items())]


def _source_aliases(rows: list[Row], notes: list[str]) -> list[SourceAlias]:
    aliases = [
        SourceAlias(
            row["ns"], row["alias"].strip(), row["canonical"].strip(), as_time(row["created_at"])
        )
        for row in rows
    ]
    unnamed = [alias for alias in aliases if not (alias.alias and alias.canonical)]
    if unnamed:
        notes.append(f"left out {len(unnamed)} source aliases without a name")
    return [alias for alias in aliases if alias.alias and alias.canonical]
