"""Filters as SQL conditions, in SQLite's words."""

import json
from collections.abc import Iterable
from functools import partial

from ghostmem.store.filters import LIVE, Dialect, Part, clause, ns_part, unexpired

__all__ = ["DIALECT", "LIVE", "UNEXPIRED", "conditions", "ns_condition"]


def _among(column: str, values: Iterable[str]) -> Part:
    return f"{column} IN (SELECT value FROM json_each(?))", [
        json.dumps([str(value) for value in values])
    ]


def _tagged(tag: str) -> Part:
    return "EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)", [tag]


def _starts(prefix: str) -> Part:
    return "substr(m.key, 1, ?) = ?", [len(prefix), prefix]


def _about(table: str, *conditions: str) -> str:
    return (
        f"m.id IN (SELECT x.memory_id FROM {table} "
        f"x{' WHERE ' if conditions else ''}{' AND '.join(conditions)})"
    )


DIALECT = Dialect("?", "1", _among, _tagged, _starts, _about, "x.path = ?", "x.root = ?")
UNEXPIRED = unexpired(DIALECT)
ns_condition = partial(ns_part, DIALECT)
conditions = partial(clause, DIALECT)
