"""Filters as SQL conditions with bound values."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ghostmem.clock import format_time
from ghostmem.model import Memory, NsFilter
from ghostmem.store.database import Dialect, Part
from ghostmem.store.rows import ChunkCandidate, Filter

LIVE = "m.deleted_at IS NULL"
OPEN = "(m.valid_to IS NULL OR m.valid_to > ?)"
UNEXPIRED = "(m.expires_at IS NULL OR m.expires_at > ?)"  # bound with the present time
LAST = "\U0010ffff"  # sorts after every text that may follow a prefix

ORDERS = {  # of `Listing.first`, by their most significant field
    "importance": "m.importance DESC, m.created_at DESC, m.ns, m.key",
    "created_at": "m.created_at DESC, m.importance DESC, m.ns, m.key",
    "recorded_at": "m.recorded_at DESC, m.ns DESC, m.key DESC",
    "importance, recorded_at": "m.importance DESC, m.recorded_at DESC, m.ns DESC, m.key DESC",
}


def ns_part(ns: NsFilter, column: str = "m.ns") -> Part:
    """Return the condition for a namespace filter."""
    if not ns:
        return "true", []
    return (
        (f"({column} >= ? AND {column} < ?)", [ns.prefix, ns.prefix + LAST])
        if ns.is_prefix
        else (f"{column} = ?", [str(ns)])
    )


def clause(dialect: Dialect, selection: Filter) -> Part:
    """Return a WHERE clause over `memories m` and its values."""
    parts = [
        ns_part(selection.ns),
        ("m.deleted_at IS NOT NULL" if selection.deleted else LIVE, []),
        *_plain(dialect, selection),
        *_timed(selection),
        *_about(dialect, selection),
    ]
    return " AND ".join(sql for sql, _ in parts), [value for _, bound in parts for value in bound]


def plain_test(selection: Filter) -> Callable[[ChunkCandidate], bool] | None:
    """Return the test of a usual filter on a live chunk, or None if the filter asks for more."""
    plain = type(selection)(
        selection.ns, selection.now, tiers=selection.tiers, closed=selection.closed
    )
    if selection.__dict__ != plain.__dict__:
        return None
    tiers, closed = frozenset(selection.tiers), selection.closed
    now = None if selection.now is None else format_time(selection.now)

    def passes(chunk: ChunkCandidate) -> bool:
        if tiers and chunk.tier not in tiers:
            return False
        if now is None:
            return True
        return (chunk.expires is None or chunk.expires > now) and (
            closed is None or closed == (chunk.valid_to is not None and chunk.valid_to <= now)
        )

    return passes


def _plain(dialect: Dialect, selection: Filter) -> Iterator[Part]:
    """Yield the conditions over fields of a memory that are not times."""
    for column, values in (
        ("m.kind", selection.kinds),
        ("m.tier", selection.tiers),
        ("m.priority", selection.priorities),
    ):
        if values:
            yield dialect.has_one_of(column, values)
    for tag in selection.tags:
        yield dialect.tagged, [tag]
    if selection.pinned is not None:
        # not a bound value, to match the partial index
        yield f"m.pinned = {int(selection.pinned)}", []
    for column in ("source_user", "source_kind", "source_scope", "source_client"):
        if (value := getattr(selection, column)) is not None:
            yield f"m.{column} = ?", [str(value)]
    for is_set, condition in (
        (selection.tagged, "m.tags IS NOT NULL"),
        (
            selection.changed,
            "(m.version > 1 OR m.valid_to IS NOT NULL OR m.deleted_at IS NOT NULL)",
        ),
        (selection.trusted, "(m.source_kind IS NULL OR m.source_kind = 'stated')"),
    ):
        if is_set:
            yield condition, []
    if selection.key_prefix is not None:
        yield dialect.starts("m.key", selection.key_prefix)


def _timed(selection: Filter) -> Iterator[Part]:
    """Yield the conditions over times of a memory."""
    for at, condition in (
        (selection.now, UNEXPIRED),
        (selection.after, "m.created_at >= ?"),
        (selection.before, "m.created_at <= ?"),
        (selection.recorded_after, "m.recorded_at > ?"),
        (selection.valid_at, "coalesce(m.valid_from, m.created_at) <= ?"),
        (selection.valid_at, OPEN),
        (selection.now, {None: None, True: "m.valid_to <= ?", False: OPEN}[selection.closed]),
    ):
        if at is not None and condition is not None:
            yield condition, [format_time(at)]


def _about(dialect: Dialect, selection: Filter) -> Iterator[Part]:
    """Yield the conditions over notes, files and symbols of a memory."""
    if selection.noted is not None:
        yield f"{'' if selection.noted else 'NOT '}{dialect.about('note_sections')}", []
    if selection.file is not None:
        conditions, values = [dialect.path], [selection.file]
        if selection.file_rel:
            conditions.append("x.rel = ?")
            values.append(str(selection.file_rel))
        yield dialect.about("memory_files", *conditions), values
    if selection.code is not None:
        yield (
            dialect.about("memory_symbols", *([dialect.root] if selection.code else [])),
            [selection.code] if selection.code else [],
        )
    if selection.paths:
        condition, bound = dialect.has_one_of("x.path", selection.paths)
        yield dialect.about("memory_files", condition), bound


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
