"""Evaluate filters on plain data, in the notation of LangGraph."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from ghostmem.errors import InvalidInputError

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def matches(value: Any, wanted: Any) -> bool:
    """Say whether a value matches: it is equal, satisfies the operators, or its parts match."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compare(value, name, bound) for name, bound in wanted.items())
        return isinstance(value, Mapping) and all(
            matches(value.get(name), part) for name, part in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(map(matches, value, wanted))
        )
    return bool(value == wanted)


def _compare(value: Any, name: str, bound: Any) -> bool:
    """Compare numbers (also in texts) by size and other texts by order; others do not match."""
    if (compare := _OPERATORS.get(name)) is None:
        raise InvalidInputError(
            f"filter operator {name!r} is unknown", f"use one of: {', '.join(_OPERATORS)}"
        )
    if name in ("$eq", "$ne"):
        return compare(value, bound)
    try:
        return compare(float(value), float(bound))
    except (TypeError, ValueError):
        return isinstance(value, str) and isinstance(bound, str) and compare(value, bound)
