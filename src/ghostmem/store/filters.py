"""Filters as SQL conditions with bound values."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from ghostmem.clock import format_time, read_time
from ghostmem.model import Memory, NsFilter
from ghostmem.store.database import Dialect, Part
from ghostmem.store.rows import Filter, Group

LIVE = "m.deleted_at IS NULL"
UNEXPIRED = "(m.expires_at IS NULL OR m.expires_at > ?)"  # bound with the present time
LAST = "\U0010ffff"

ORDERS = {  # in which memories can be asked for, by what counts first
    "importance": "m.importance DESC, m.created_at DESC, m.ns, m.key",
    "created_at": "m.created_at DESC, m.importance DESC, m.ns, m.key",
    "recorded_at": "m.recorded_at DESC, m.ns DESC, m.key DESC",
    "importance, recorded_at": "m.importance DESC, m.recorded_at DESC, m.ns DESC, m.key DESC",
}
_GROUPED = {
    "ns": "m.ns",
    "tier": "m.tier",
    "source": "coalesce(nullif(m.source_user, ''), nullif(m.source_client, ''), "
    "m.source_kind, 'unknown')",
}


def ns_part(ns: NsFilter, column: str = "m.ns") -> Part:
    """Return the condition for a namespace filter."""
    if not ns:
        return "true", []
    if ns.is_prefix:
        return f"({column} >= ? AND {column} < ?)", [ns.prefix, ns.prefix + LAST]
    return f"{column} = ?", [str(ns)]


def clause(dialect: Dialect, which: Filter) -> Part:
    """Return a WHERE clause over `memories m` and its values."""
    parts = [
        ns_part(which.ns),
        ("m.deleted_at IS NOT NULL" if which.deleted else LIVE, []),
    ]
    if which.now is not None:
        parts.append((UNEXPIRED, [format_time(which.now)]))
    for column, values in (
        ("m.kind", which.kinds),
        ("m.tier", which.tiers),
        ("m.priority", which.priorities),
    ):
        if values:
            parts.append(dialect.has_one_of(column, values))
    parts += ((dialect.tagged, [tag]) for tag in which.tags)
    if which.tagged:
        parts.append(("m.tags IS NOT NULL", []))
    if which.pinned is not None:
        parts.append(
            (f"m.pinned = {int(which.pinned)}", [])
        )  # spelled out, as the index of the pinned is
    for column in ("source_user", "source_kind", "source_scope", "source_client"):
        if (value := getattr(which, column)) is not None:
            parts.append((f"m.{column} = ?", [str(value)]))
    if which.after is not None:
        parts.append(("m.created_at >= ?", [format_time(which.after)]))
    if which.before is not None:
        parts.append(("m.created_at <= ?", [format_time(which.before)]))
    if which.recorded_after is not None:
        parts.append(("m.recorded_at > ?", [format_time(which.recorded_after)]))
    if which.valid_at is not None:
        begun, at = "coalesce(m.valid_from, m.created_at) <= ?", format_time(which.valid_at)
        parts.append((f"{begun} AND (m.valid_to IS NULL OR m.valid_to > ?)", [at, at]))
    if which.trusted:
        parts.append(("(m.source_kind IS NULL OR m.source_kind = 'stated')", []))
    if which.closed is not None and which.now is not None:
        ended = "m.valid_to <= ?" if which.closed else "(m.valid_to IS NULL OR m.valid_to > ?)"
        parts.append((ended, [format_time(which.now)]))
    if which.key_prefix is not None:
        parts.append(dialect.starts("m.key", which.key_prefix))
    parts += _beside(dialect, which)
    return " AND ".join(sql for sql, _ in parts), [value for _, bound in parts for value in bound]


def _beside(dialect: Dialect, which: Filter) -> Iterator[Part]:
    """Yield the conditions over notes, files and symbols of a memory."""
    if which.noted is not None:
        yield f"{'' if which.noted else 'NOT '}{dialect.about('note_sections')}", []
    if which.file is not None:
        conditions, values = [dialect.path], [which.file]
        if which.file_rel:
            conditions, values = (
                [*conditions, "x.rel = ?"],
                [*values, str(which.file_rel)],
            )
        yield dialect.about("memory_files", *conditions), values
    if which.code is not None:
        yield (
            dialect.about("memory_symbols", *([dialect.root] if which.code else [])),
            [which.code] if which.code else [],
        )
    if which.paths:
        named, bound = dialect.has_one_of("x.path", which.paths)
        yield dialect.about("memory_files", named), bound


def grouped(by: Collection[str], part: Part) -> Part:
    """Return the statement that counts what passes a condition, by some of namespace, tier and
    source.
    """
    names = [sql if name in by else "''" for name, sql in _GROUPED.items()]
    sums = "count(*), sum(m.est_tokens), sum(m.pinned), max(m.recorded_at)"
    return (
        f"SELECT {', '.join(names)}, {sums} FROM memories m WHERE {part[0]} GROUP BY 1, 2, 3",
        part[1],
    )


def group_of(row: Sequence[Any]) -> Group:
    """Read a row of what `grouped` finds."""
    ns, tier, source, memories, tokens, pinned, newest = row
    return Group(ns, tier, source, memories, int(tokens), int(pinned), read_time(newest))


def pages(
    read: Callable[[str, Sequence[Any]], list[Memory]], part: Part, batch: int = 500
) -> Iterator[list[Memory]]:
    """Yield memories that pass a condition in pages, ordered by namespace, key and version.

    Each page continues after the last key, so memories may be changed between pages."""
    tail = "AND (m.ns, m.key, m.version) > (?, ?, ?) ORDER BY m.ns, m.key, m.version LIMIT ?"
    last = ("", "", 0)
    while page := read(f"{part[0]} {tail}", [*part[1], *last, batch]):
        yield page
        last = (page[-1].ns, page[-1].key, page[-1].version)
