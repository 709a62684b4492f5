"""Memories by their fields rather than by key: filters, scans and counts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from ghostmem.clock import format_time, read_time
from ghostmem.model import Memory, NsFilter
from ghostmem.store.database import Database, Part, StoreTable
from ghostmem.store.filters import (
    LIVE,
    ORDERS,
    UNEXPIRED,
    clause,
    ns_part,
    pages,
)
from ghostmem.store.memories import Memories
from ghostmem.store.records import RowType
from ghostmem.store.rows import Filter, Group

T = TypeVar("T")

_NEWEST = "ORDER BY m.created_at DESC, m.ns, m.key"
_COUNTED = ("memories", "chunks", "memory_edges", "memory_links", "memory_files", "accesses")


_GROUPED = {
    "ns": "m.ns",
    "tier": "m.tier",
    "source": "coalesce(nullif(m.source_user, ''), nullif(m.source_client, ''), "
    "m.source_kind, 'unknown')",
}


class Listing(StoreTable):
    """Filters, scans and counts over all memories."""

    def __init__(self, db: Database, memories: Memories) -> None:
        super().__init__(db)
        self._memories = memories
        # few memories are pinned: an index by age would walk the whole namespace
        plus = self._sql.unindexed
        self._by_importance = f"{plus}m.importance DESC, {plus}m.created_at DESC, m.key, m.ns"

    def _filtered(self, selection: Filter, sql: str, *more: Any) -> Part:
        """Return a statement about memories that pass a filter, and its values.

        `:where` in it becomes the condition of the filter, whose values are before the others."""
        condition, values = clause(self._sql, selection)
        return sql.replace(":where", condition), [*values, *more]

    def same_content(self, ns: str, content: str, now: datetime) -> Memory | None:
        """Return the oldest live memory of a namespace with exactly this content."""
        return self._memories.one(
            f"m.ns = ? AND {LIVE} AND {UNEXPIRED} AND m.content = ? ORDER BY m.created_at, m.key",
            (ns, format_time(now), content),
        )

    def select(self, selection: Filter, limit: int | None = None, offset: int = 0) -> list[Memory]:
        """List memories that pass a filter, newest first, with their files and symbols."""
        most = self._sql.no_limit if limit is None else limit
        sql = f":where {_NEWEST} LIMIT ? OFFSET ?"
        return self._memories.with_refs(
            self._memories.many(*self._filtered(selection, sql, most, offset))
        )

    def first(self, selection: Filter, order: str, limit: int) -> list[Memory]:
        """List the first memories that pass a filter in one of ORDERS, without files or symbols."""
        return self._memories.many(
            *self._filtered(selection, f":where ORDER BY {ORDERS[order]} LIMIT ?", limit)
        )

    def groups(self, selection: Filter, *by: str) -> list[Group]:
        """Count memories that pass a filter by some of namespace, tier and source."""
        names = [sql if name in by else "''" for name, sql in _GROUPED.items()]
        sql = (
            f"SELECT {', '.join(names)}, count(*), sum(m.est_tokens), sum(m.pinned),"
            " max(m.recorded_at) FROM memories m WHERE :where GROUP BY 1, 2, 3"
        )
        return [
            Group(ns, tier, source, count, int(tokens), int(pinned), read_time(newest))
            for ns, tier, source, count, tokens, pinned, newest in self._db.rows(
                *self._filtered(selection, sql)
            )
        ]

    def scan(self, selection: Filter, batch: int = 500) -> Iterator[Memory]:
        """Yield all memories that pass a filter by key, in batches; changes meanwhile are safe."""
        for page in pages(self._memories.many, clause(self._sql, selection), batch):
            yield from page

    def parts(self, row_type: RowType[T], selection: Filter) -> Iterator[T]:
        """Yield some fields of all memories that pass a filter, by namespace and key."""
        columns = ", ".join(f"m.{name}" for name in row_type.names)
        sql = f"SELECT {columns} FROM memories m WHERE :where ORDER BY m.ns, m.key, m.version"
        yield from map(row_type.read, self._db.iterate(*self._filtered(selection, sql)))

    def rows(self, ns: NsFilter) -> Iterator[Memory]:
        """Yield every version with its files and symbols, by namespace, key and version."""
        for page in pages(self._memories.many, ns_part(ns)):
            yield from self._memories.with_refs(page)

    def count_rows(self, ns: NsFilter) -> int:
        """Count the versions that `rows` yields."""
        condition, values = ns_part(ns)
        return int(self._db.get(f"SELECT count(*) FROM memories m WHERE {condition}", values))

    def count(self, selection: Filter) -> int:
        """Count memories that pass a filter."""
        sql = "SELECT count(*) FROM memories m WHERE :where"
        return int(self._db.get(*self._filtered(selection, sql)))

    def exceeds(self, selection: Filter, count: int) -> bool:
        """Say whether more memories than this pass a filter; all others are not read."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM memories m WHERE :where LIMIT ?) AS passing"
        return int(self._db.get(*self._filtered(selection, sql, count + 1))) > count

    def expired(self, now: datetime) -> list[Memory]:
        """List versions that have expired."""
        return self._memories.many(
            "m.expires_at <= ? ORDER BY m.ns, m.key, m.version", (format_time(now),)
        )

    def pinned(self, ns: NsFilter, now: datetime) -> list[Memory]:
        """List the pinned memories, most important first."""
        selection = Filter(ns=ns, now=now, pinned=True, closed=False)
        return self._memories.many(
            *self._filtered(selection, f":where ORDER BY {self._by_importance}")
        )

    def decisions(
        self, selection: Filter, tags: Sequence[str], importance: float, limit: int
    ) -> list[Memory]:
        """List decisions and standing rules, most important first.

        These are procedural memories, and those with a high or critical priority, with one of some
        tags, or with at least some importance."""
        return self._memories.many(
            *self._filtered(
                selection,
                ":where AND (m.kind = 'procedural' OR m.priority IN ('high', 'critical')"
                f" OR m.importance >= ? OR {self._sql.any_tag})"
                f" ORDER BY {self._by_importance} LIMIT ?",
                importance,
                self._sql.array(tags),
                limit,
            )
        )

    def expired_ids(self, ns: NsFilter, now: datetime) -> set[str]:
        """Return the ids of live versions that have expired and were not collected yet."""
        # few memories expire, many share a namespace
        condition, values = ns_part(ns, f"{self._sql.unindexed}m.ns")
        return set(
            self._column(
                f"SELECT m.id FROM memories m WHERE {condition} AND m.expires_at IS NOT NULL"
                f" AND m.expires_at <= ? AND {LIVE}",
                [*values, format_time(now)],
            )
        )

    def has_closed(self, ns: NsFilter, now: datetime) -> bool:
        """Say whether the validity of any live memory has ended."""
        condition, values = ns_part(ns)
        sql = (
            f"SELECT 1 FROM memories m WHERE {condition} AND m.valid_to IS NOT NULL"
            f" AND m.valid_to <= ? AND {LIVE} LIMIT 1"
        )
        return self._db.get(sql, [*values, format_time(now)]) is not None

    def passing(self, ids: Sequence[str], selection: Filter) -> set[str]:
        """Return the ids of those memories that pass a filter."""
        if self.ns is not None and selection.ns.matches(self.ns):
            selection = replace(selection, ns=NsFilter(self.ns))
        condition, values = clause(self._sql, selection)
        sql = f"SELECT m.id FROM {self._sql.given_memories} WHERE {condition}"
        return set(self._column(sql, [self._sql.array(ids), *values]))

    def dead_keys(self, before: datetime) -> list[Memory]:
        """List all versions of keys that have no live version and were removed before a time."""
        return self._memories.many(
            "NOT EXISTS (SELECT 1 FROM memories n WHERE n.ns = m.ns AND n.key = m.key"
            " AND (n.deleted_at IS NULL OR n.deleted_at > ?)) ORDER BY m.ns, m.key, m.version",
            (format_time(before),),
        )

    def stale(self, before: datetime, now: datetime) -> list[Memory]:
        """List live memories that were not retrieved since a time."""
        last = f"{self._sql.greatest}(coalesce(m.last_accessed_at, m.created_at), m.recorded_at)"
        return self._memories.many(
            f"{LIVE} AND {UNEXPIRED} AND {last} < ? ORDER BY m.ns, m.key",
            (format_time(now), format_time(before)),
        )

    def namespaces(self, ns: NsFilter, now: datetime) -> list[tuple[str, int, int, int]]:
        """List namespaces as (name, live memories, live keys, sequence of the audit log)."""
        name = f"n.{self._sql.ns_name}"
        condition, values = ns_part(ns, name)
        return self._db.rows(
            f"SELECT {name}, count(m.id) FILTER (WHERE {LIVE} AND {UNEXPIRED}),"
            f" count(DISTINCT m.key) FILTER (WHERE {LIVE} AND {UNEXPIRED}),"
            f" n.sequence FROM namespaces n"
            f" LEFT JOIN memories m ON m.ns = {name} WHERE {condition} GROUP BY {name}, n.sequence"
            f" HAVING count(m.id) > 0 ORDER BY {name}",
            [*[format_time(now)] * 2, *values],
        )

    def tag_counts(self, selection: Filter) -> list[tuple[str, int]]:
        """Count memories that pass a filter by tag, most used first."""
        return self._db.rows(
            *self._filtered(
                selection,
                f"SELECT {self._sql.tag_name}, count(*) FROM memories m, {self._sql.tag_values}"
                " WHERE :where AND m.tags IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1",
            )
        )

    def kind_counts(self, selection: Filter) -> list[tuple[str, str, int]]:
        """Count memories that pass a filter by namespace and kind."""
        sql = "SELECT m.ns, m.kind, count(*) FROM memories m WHERE :where GROUP BY 1, 2"
        return self._db.rows(*self._filtered(selection, sql))

    def totals(self, now: datetime) -> dict[str, int]:
        """Count the rows of the main tables."""
        return {
            **{table: self._db.get(f"SELECT count(*) FROM {table}") for table in _COUNTED},
            "reflect_rules": self._db.get(
                "SELECT count(*) FROM reflect_rules WHERE created_by <> 'system'"
            ),
            "live": self.count(Filter(now=now)),
        }
