"""Filters as SQL conditions with bound values."""

from datetime import datetime
from typing import Any

from ghostmem.engine.rows import Filter
from ghostmem.model import NsFilter
from ghostmem.times import format_time

LIVE = "m.deleted_at IS NULL"
UNEXPIRED = "(m.expires_at IS NULL OR m.expires_at > %s)"
_LAST = "\U0010ffff"


def ns_condition(ns: NsFilter, column: str = "m.ns") -> tuple[str, list[Any]]:
    """Return the condition for a namespace filter."""
    if not ns:
        return "true", []
    if ns.is_prefix:
        return f"({column} >= %s AND {column} < %s)", [ns.prefix, ns.prefix + _LAST]
    return f"{column} = %s", [str(ns)]


def _among(column: str, values: tuple[str, ...]) -> tuple[str, list[Any]]:
    return f"{column} = ANY(%s)", [[str(value) for value in values]]


def _equal(column: str, value: Any) -> tuple[str, list[Any]]:
    return f"{column} = %s", [format_time(value) if isinstance(value, datetime) else str(value)]


def _about(table: str, condition: str) -> str:
    """Return the condition that a memory has a row in one of the tables that hang on it."""
    return f"EXISTS (SELECT 1 FROM {table} x WHERE x.ns = m.ns AND x.memory_id = m.id{condition})"


def conditions(which: Filter) -> tuple[str, list[Any]]:
    """Return a WHERE clause over `memories m` and its values."""
    parts = [ns_condition(which.ns), ("m.deleted_at IS NOT NULL" if which.deleted else LIVE, [])]
    if which.now is not None:
        parts.append((UNEXPIRED, [format_time(which.now)]))
    for column, values in (("m.kind", which.kinds), ("m.tier", which.tiers), ("m.priority", which.priorities)):
        if values:
            parts.append(_among(column, values))
    for tag in which.tags:
        parts.append(("m.tags::jsonb ? %s", [tag]))
    if which.pinned is not None:
        parts.append((f"m.pinned = {int(which.pinned)}", []))
    for column in ("source_user", "source_kind", "source_scope", "source_client"):
        if (value := getattr(which, column)) is not None:
            parts.append(_equal(f"m.{column}", value))
    if which.after is not None:
        parts.append(("m.created_at >= %s", [format_time(which.after)]))
    if which.before is not None:
        parts.append(("m.created_at <= %s", [format_time(which.before)]))
    if which.valid_at is not None:
        at = format_time(which.valid_at)
        parts.append(("coalesce(m.valid_from, m.created_at) <= %s AND (m.valid_to IS NULL OR m.valid_to > %s)", [at, at]))
    if which.trusted:
        parts.append(("(m.source_kind IS NULL OR m.source_kind = 'stated')", []))
    if which.closed is not None and which.now is not None:
        ended = "m.valid_to <= %s" if which.closed else "(m.valid_to IS NULL OR m.valid_to > %s)"
        parts.append((ended, [format_time(which.now)]))
    if which.key_prefix is not None:
        parts.append(("starts_with(m.key, %s)", [which.key_prefix]))
    if which.noted is not None:
        parts.append((f"{'' if which.noted else 'NOT '}{_about('note_sections', '')}", []))
    if which.file is not None:
        rel = " AND x.rel = %s" if which.file_rel else ""
        values_ = [which.file, *([str(which.file_rel)] if which.file_rel else [])]
        parts.append((_about("memory_files", f" AND x.digest = md5(%s){rel}"), values_))
    if which.code is not None:
        root = " AND md5(x.root) = md5(%s)" if which.code else ""
        parts.append((_about("memory_symbols", root), [which.code] if which.code else []))
    if which.paths:
        parts.append((_about("memory_files", " AND x.path = ANY(%s)"), [list(which.paths)]))
    return " AND ".join(sql for sql, _ in parts), [value for _, bound in parts for value in bound]
