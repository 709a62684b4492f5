"""Connected components of a graph."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

from ghostmem.grouping import grouped

T = TypeVar("T", bound=Hashable)


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
