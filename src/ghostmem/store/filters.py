"""Filters as SQL conditions with bound values: which conditions there are.

How an engine says them is its `Dialect`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from ghostmem.clock import format_time, read_time
from ghostmem.model import Memory, NsFilter
from ghostmem.store.rows import Filter, Group

Part = tuple[str, list[Any]]  # a condition and its values

LIVE = "m.deleted_at IS NULL"
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


class Dialect:
    """What engines say differently; a plain class, since every cold command makes one."""

    def __init__(
        self,
        mark: str,  # stands for a value
        always: str,
        among: Callable[[str, Iterable[str]], Part],  # a column has one of some values
        tagged: Callable[[str], Part],
        starts: Callable[[str], Part],  # the key starts so
        about: Callable[
            ..., str
        ],  # a memory has a row `x` in a table beside it for which some conditions hold
        path: str,  # a row `x` names this file
        root: str,  # a row `x` names this project
    ) -> None:
        self.mark, self.always, self.path, self.root = mark, always, path, root
        self.among, self.tagged, self.starts, self.about = among, tagged, starts, about


def unexpired(dialect: Dialect) -> str:
    """Return the condition that a memory's time is not up, bound with the time that it is now."""
    return f"(m.expires_at IS NULL OR m.expires_at > {dialect.mark})"


def ns_part(dialect: Dialect, ns: NsFilter, column: str = "m.ns") -> Part:
    """Return the condition for a namespace filter."""
    mark = dialect.mark
    if not ns:
        return dialect.always, []
    if ns.is_prefix:
        return f"({column} >= {mark} AND {column} < {mark})", [ns.prefix, ns.prefix + LAST]
    return f"{column} = {mark}", [str(ns)]


def clause(dialect: Dialect, which: Filter) -> Part:
    """Return a WHERE clause over `memories m` and its values."""
    mark = dialect.mark
    parts = [
        ns_part(dialect, which.ns),
        ("m.deleted_at IS NOT NULL" if which.deleted else LIVE, []),
    ]
    if which.now is not None:
        parts.append((unexpired(dialect), [format_time(which.now)]))
    for column, values in (
        ("m.kind", which.kinds),
        ("m.tier", which.tiers),
        ("m.priority", which.priorities),
    ):
        if values:
            parts.append(dialect.among(column, values))
    parts += map(dialect.tagged, which.tags)
    if which.tagged:
        parts.append(("m.tags IS NOT NULL", []))
    if which.pinned is not None:
        parts.append(
            (f"m.pinned = {int(which.pinned)}", [])
        )  # spelled out, as the index of the pinned is
    for column in ("source_user", "source_kind", "source_scope", "source_client"):
        if (value := getattr(which, column)) is not None:
            parts.append((f"m.{column} = {mark}", [str(value)]))
    if which.after is not None:
        parts.append((f"m.created_at >= {mark}", [format_time(which.after)]))
    if which.before is not None:
        parts.append((f"m.created_at <= {mark}", [format_time(which.before)]))
    if which.recorded_after is not None:
        parts.append((f"m.recorded_at > {mark}", [format_time(which.recorded_after)]))
    if which.valid_at is not None:
        begun, at = f"coalesce(m.valid_from, m.created_at) <= {mark}", format_time(which.valid_at)
        parts.append((f"{begun} AND (m.valid_to IS NULL OR m.valid_to > {mark})", [at, at]))
    if which.trusted:
        parts.append(("(m.source_kind IS NULL OR m.source_kind = 'stated')", []))
    if which.closed is not None and which.now is not None:
        ended = (
            f"m.valid_to <= {mark}"
            if which.closed
            else f"(m.valid_to IS NULL OR m.valid_to > {mark})"
        )
        parts.append((ended, [format_time(which.now)]))
    if which.key_prefix is not None:
        parts.append(dialect.starts(which.key_prefix))
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
                [*conditions, f"x.rel = {dialect.mark}"],
                [*values, str(which.file_rel)],
            )
        yield dialect.about("memory_files", *conditions), values
    if which.code is not None:
        yield (
            dialect.about("memory_symbols", *([dialect.root] if which.code else [])),
            [which.code] if which.code else [],
        )
    if which.paths:
        named, bound = dialect.among("x.path", which.paths)
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
    dialect: Dialect,
    read: Callable[[str, Sequence[Any]], list[Memory]],
    part: Part,
    batch: int = 500,
) -> Iterator[list[Memory]]:
    """Yield what passes a condition by namespace, key and version, a batch at a time, safe against
    changes made meanwhile.
    """
    mark = dialect.mark
    tail = (
        f"AND (m.ns, m.key, m.version) > ({mark}, {mark}, {mark}) ORDER BY m.ns, m.key, "
        f"m.version LIMIT {mark}"
    )
    last = ("", "", 0)
    while found := read(f"{part[0]} {tail}", [*part[1], *last, batch]):
        yield found
        last = (found[-1].ns, found[-1].key, found[-1].version)
