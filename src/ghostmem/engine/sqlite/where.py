"""Filters as SQL conditions with bound values."""

import json
from datetime import datetime
from typing import Any

from ghostmem.engine.rows import Filter
from ghostmem.model import NsFilter
from ghostmem.times import format_time

LIVE = "m.deleted_at IS NULL"
UNEXPIRED = "(m.expires_at IS NULL OR m.expires_at > ?)"
_LAST = "\U0010ffff"


def ns_condition(ns: NsFilter, column: str = "m.ns") -> tuple[str, list[Any]]:
    """Return the condition for a namespace filter."""
    if not ns:
        return "1", []
    if ns.is_prefix:
        return f"({column} >= ? AND {column} < ?)", [ns.prefix, ns.prefix + _LAST]
    return f"{column} = ?", [ns]


def _among(column: str, values: tuple[str, ...]) -> tuple[str, list[Any]]:
    return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps([str(v) for v in values])]


def _equal(column: str, value: Any) -> tuple[str, list[Any]]:
    return f"{column} = ?", [format_time(value) if isinstance(value, datetime) else value]


def conditions(which: Filter) -> tuple[str, list[Any]]:
    """Return a WHERE clause over `memories m` and its values."""
    parts = [ns_condition(which.ns), ("m.deleted_at IS NOT NULL" if which.deleted else LIVE, [])]
    if which.now is not None:
        parts.append((UNEXPIRED, [format_time(which.now)]))
    for column, values in (("m.kind", which.kinds), ("m.tier", which.tiers), ("m.priority", which.priorities)):
        if values:
            parts.append(_among(column, values))
    for tag in which.tags:
        parts.append(("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)", [tag]))
    if which.pinned is not None:
        parts.append((f"m.pinned = {int(which.pinned)}", []))  # spelled out, as the index of the pinned is
    for column in ("source_user", "source_kind", "source_scope", "source_client"):
        if (value := getattr(which, column)) is not None:
            parts.append(_equal(f"m.{column}", value))
    if which.after is not None:
        parts.append(("m.created_at >= ?", [format_time(which.after)]))
    if which.before is not None:
        parts.append(("m.created_at <= ?", [format_time(which.before)]))
    if which.valid_at is not None:
        at = format_time(which.valid_at)
        parts.append(("coalesce(m.valid_from, m.created_at) <= ? AND (m.valid_to IS NULL OR m.valid_to > ?)", [at, at]))
    if which.trusted:
        parts.append(("(m.source_kind IS NULL OR m.source_kind = 'stated')", []))
    if which.closed is not None and which.now is not None:
        ended = "m.valid_to <= ?" if which.closed else "(m.valid_to IS NULL OR m.valid_to > ?)"
        parts.append((ended, [format_time(which.now)]))
    if which.key_prefix is not None:
        parts.append(("substr(m.key, 1, ?) = ?", [len(which.key_prefix), which.key_prefix]))
    if which.noted is not None:
        parts.append((f"m.id {'' if which.noted else 'NOT '}IN (SELECT memory_id FROM note_sections)", []))
    if which.file is not None:
        rel = " AND rel = ?" if which.file_rel else ""
        values_ = [which.file, *([which.file_rel] if which.file_rel else [])]
        parts.append((f"m.id IN (SELECT memory_id FROM memory_files WHERE path = ?{rel})", values_))
    if which.code is not None:
        root = " WHERE root = ?" if which.code else ""
        parts.append((f"m.id IN (SELECT memory_id FROM memory_symbols{root})", [which.code] if which.code else []))
    if which.paths:
        sql, bound = _among("path", which.paths)
        parts.append((f"m.id IN (SELECT memory_id FROM memory_files WHERE {sql})", bound))
    return " AND ".join(sql for sql, _ in parts), [value for _, bound in parts for value in bound]
