"""Group values by a key, or by the pairs that connect them."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
T = TypeVar("T", bound=Hashable)


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values of each key; keys and values keep the order of the pairs."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def components(pairs: Iterable[tuple[T, T]]) -> list[list[T]]:
    """Return the groups of items that pairs connect, each in order of first appearance."""
    parent: dict[T, T] = {}

    def root(item: T) -> T:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for first, second in pairs:
        parent.setdefault(first, first)
        parent.setdefault(second, second)
        parent[root(second)] = root(first)
    return list(grouped((root(item), item) for item in parent).values())
