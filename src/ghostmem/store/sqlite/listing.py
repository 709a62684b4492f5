"""Memories by what they are rather than by their key: filters, sweeps and counts."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

import apsw

from ghostmem.clock import format_time
from ghostmem.model import Memory, NsFilter
from ghostmem.store.filters import ORDERS, group_of, grouped, pages
from ghostmem.store.rows import Filter, Group
from ghostmem.store.sqlite.memories import SqliteMemories
from ghostmem.store.sqlite.where import DIALECT, LIVE, UNEXPIRED, conditions, ns_condition

_NEWEST = "ORDER BY m.created_at DESC, m.ns, m.key"


class SqliteListing:
    """Filters, sweeps and counts over all memories."""

    def __init__(self, db: apsw.Connection, memories: SqliteMemories) -> None:
        self._db = db
        self._memories = memories

    def same_content(self, ns: str, content: str, now: datetime) -> Memory | None:
        """Return the oldest live memory of a namespace with exactly this content."""
        tail = f"m.ns = ? AND {LIVE} AND {UNEXPIRED} AND m.content = ? ORDER BY m.created_at, m.key"
        return self._memories.one(tail, (ns, format_time(now), content))

    def select(self, which: Filter, limit: int | None = None, offset: int = 0) -> list[Memory]:
        """List memories that pass a filter, newest first, with their files and symbols."""
        where, values = conditions(which)
        tail = f"{where} {_NEWEST} LIMIT ? OFFSET ?"
        return self._memories.with_refs(
            self._memories.many(tail, [*values, -1 if limit is None else limit, offset])
        )

    def first(self, which: Filter, order: str, limit: int) -> list[Memory]:
        """List the first memories that pass a filter in one of ORDERS, without their files and
        symbols.
        """
        where, values = conditions(which)
        return self._memories.many(f"{where} ORDER BY {ORDERS[order]} LIMIT ?", [*values, limit])

    def groups(self, which: Filter, *by: str) -> list[Group]:
        """Count memories that pass a filter by some of namespace, tier and source."""
        return [group_of(row) for row in self._db.execute(*grouped(by, conditions(which)))]

    def scan(self, which: Filter, batch: int = 500) -> Iterator[Memory]:
        """Yield all memories that pass a filter by key, a batch at a time, safe against changes
        made meanwhile.
        """
        for page in pages(DIALECT, self._memories.many, conditions(which), batch):
            yield from page

    def rows(self, ns: NsFilter) -> Iterator[Memory]:
        """Yield every version of every key with its files and symbols, by namespace, key and
        version.
        """
        for page in pages(DIALECT, self._memories.many, ns_condition(ns)):
            yield from self._memories.with_refs(page)

    def count(self, which: Filter) -> int:
        """Count memories that pass a filter."""
        where, values = conditions(which)
        found: int = self._db.execute(f"SELECT count(*) FROM memories m WHERE {where}", values).get
        return found

    def expired(self, now: datetime) -> list[Memory]:
        """List versions whose time is up."""
        return self._memories.many(
            "m.expires_at <= ? ORDER BY m.ns, m.key, m.version", (format_time(now),)
        )

    def pinned(self, ns: NsFilter, now: datetime) -> list[Memory]:
        """List the pinned memories, most important first."""
        where, values = conditions(Filter(ns=ns, now=now, pinned=True, closed=False))
        # the unary plus keeps the planner from walking the namespace by age
        return self._memories.many(
            f"{where} ORDER BY +m.importance DESC, +m.created_at DESC, m.key, m.ns", values
        )

    def decisions(
        self,
        which: Filter,
        tags: Sequence[str],
        importance: float,
        limit: int,
    ) -> list[Memory]:
        """List decisions and standing rules, most important first.

        These are procedural memories, those with a high or critical priority, those that have one
        of some tags, and those that are at least so important.
        """
        where, values = conditions(which)
        tail = (
            f"{where} AND (m.kind = 'procedural' OR m.priority IN ('high', 'critical')"
            " OR m.importance >= ? OR EXISTS (SELECT 1 FROM json_each(m.tags)"
            " WHERE value IN (SELECT value FROM json_each(?))))"
            " ORDER BY +m.importance DESC, +m.created_at DESC, m.key, m.ns LIMIT ?"
        )
        return self._memories.many(tail, [*values, importance, json.dumps(list(tags)), limit])

    def expired_ids(self, ns: NsFilter, now: datetime) -> set[str]:
        """Return the ids of live versions whose time is up and which gc has not collected yet."""
        where, values = ns_condition(ns, "+m.ns")  # the plus: few expire, many share a namespace
        sql = (
            "SELECT m.id FROM memories m WHERE m.expires_at IS NOT NULL AND "
            f"m.expires_at <= ? AND {LIVE} AND {where}"
        )
        return {found for (found,) in self._db.execute(sql, [format_time(now), *values])}

    def has_closed(self, ns: NsFilter, now: datetime) -> bool:
        """Say whether anything that is there has ended."""
        where, values = ns_condition(ns)
        sql = (
            "SELECT 1 FROM memories m WHERE m.valid_to IS NOT NULL AND m.valid_to <= ? "
            f"AND {LIVE} AND {where} LIMIT 1"
        )
        return self._db.execute(sql, [format_time(now), *values]).get is not None

    def passing(self, ids: Sequence[str], which: Filter) -> set[str]:
        """Return which of these memories pass a filter."""
        where, values = conditions(which)
        sql = (
            f"SELECT m.id FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value WHERE {where}"
        )
        return {found for (found,) in self._db.execute(sql, [json.dumps(list(ids)), *values])}

    def dead_keys(self, before: datetime) -> list[Memory]:
        """List all versions of keys that have no live version and were removed before a time."""
        tail = (
            "NOT EXISTS (SELECT 1 FROM memories n WHERE n.ns = m.ns AND n.key = m.key"
            " AND (n.deleted_at IS NULL OR n.deleted_at > ?)) ORDER BY m.ns, m.key, m.version"
        )
        return self._memories.many(tail, (format_time(before),))

    def stale(self, before: datetime, now: datetime) -> list[Memory]:
        """List live memories nobody asked for since a time."""
        tail = (
            f"{LIVE} AND {UNEXPIRED} AND max(coalesce(m.last_accessed_at, "
            "m.created_at), m.recorded_at) < ? ORDER BY m.ns, m.key"
        )
        return self._memories.many(tail, (format_time(now), format_time(before)))

    def namespaces(self, ns: NsFilter, now: datetime) -> list[tuple[str, int, int, int]]:
        """List namespaces with how many live memories and how many keys they hold."""
        where, values = ns_condition(ns, "n.name")
        sql = (
            f"SELECT n.name, count(m.id) FILTER (WHERE {LIVE} AND {UNEXPIRED}), "
            "count(DISTINCT m.key), n.sequence"
            f" FROM namespaces n LEFT JOIN memories m ON m.ns = n.name WHERE {where} GROUP "
            "BY n.name"
            " HAVING count(m.id) > 0 ORDER BY n.name"
        )
        return list(self._db.execute(sql, [format_time(now), *values]))

    def tags(self, ns: NsFilter, now: datetime) -> list[tuple[str, int]]:
        """List tags of live memories, most used first."""
        where, values = conditions(Filter(ns=ns, now=now))
        sql = (
            "SELECT t.value, count(*) FROM memories m, json_each(m.tags) t WHERE "
            f"{where} GROUP BY 1 ORDER BY 2 DESC, 1"
        )
        return list(self._db.execute(sql, values))

    def totals(self, now: datetime) -> dict[str, int]:
        """Count rows of every sort."""
        tables = ("memories", "chunks", "memory_edges", "memory_links", "memory_files", "accesses")
        found = {table: self._db.execute(f"SELECT count(*) FROM {table}").get for table in tables}
        found["reflect_rules"] = self._db.execute(
            "SELECT count(*) FROM reflect_rules WHERE created_by <> 'system'"
        ).get
        found["live"] = self.count(Filter(now=now))
        return found
