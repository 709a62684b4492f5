"""Filters on plain data"""

from typing import Any

import pytest

from ghostmem.adapters.filters import matches
from ghostmem.errors import InvalidInputError


@pytest.mark.parametrize(
    ("value", "wanted", "fits"),
    [
        ("a", "a", True),
        ("a", "b", False),
        (None, None, True),
        (3, {"$eq": 3}, True),
        (3, {"$ne": 3}, False),
        (None, {"$ne": 3}, True),
        (3, {"$gt": 2, "$lt": 4}, True),
        (3, {"$gte": 3, "$lte": 3}, True),
        (3, {"$gt": 3}, False),
        ("10", {"$gt": 9}, True),
        ("b", {"$gt": "a"}, True),
        ("2026-03-14", {"$lt": "2026-04-01"}, True),
        (None, {"$gt": 1}, False),
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": {"b": 5}}, {"a": {"b": {"$gte": 5}}}, True),
        ("text", {"a": 1}, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
    ],
)
def test_a_value_fits_or_does_not(value: Any, wanted: Any, fits: bool) -> None:
    """Equality, bounds, nested objects and lists."""
    assert matches(value, wanted) is fits


def test_an_unknown_operator_is_named() -> None:
    """A typing error is no empty result."""
    with pytest.raises(InvalidInputError, match=r"filter operator '\$like' is unknown"):
        matches("a", {"$like": "a"})
