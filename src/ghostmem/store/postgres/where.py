"""Filters as SQL conditions, in PostgreSQL's words."""

from collections.abc import Iterable
from functools import partial

from ghostmem.store.filters import LIVE, Dialect, Part, clause, ns_part, unexpired

__all__ = ["DIALECT", "LIVE", "UNEXPIRED", "conditions", "ns_condition"]


def _among(column: str, values: Iterable[str]) -> Part:
    return f"{column} = ANY(%s)", [[str(value) for value in values]]


def _tagged(tag: str) -> Part:
    return "m.tags::jsonb ? %s", [tag]


def _starts(prefix: str) -> Part:
    return "starts_with(m.key, %s)", [prefix]


def _about(table: str, *conditions: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM {table} x WHERE "
        f"{' AND '.join(('x.ns = m.ns', 'x.memory_id = m.id', *conditions))})"
    )


DIALECT = Dialect(
    "%s", "true", _among, _tagged, _starts, _about, "x.digest = md5(%s)", "md5(x.root) = md5(%s)"
)
UNEXPIRED = unexpired(DIALECT)
ns_condition = partial(ns_part, DIALECT)
conditions = partial(clause, DIALECT)
