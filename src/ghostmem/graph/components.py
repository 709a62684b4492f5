"""Groups of things that are connected."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def components(pairs: Iterable[tuple[T, T]]) -> list[list[T]]:
    """Return the groups that pairs connect, each in order of first appearance."""
    parent: dict[T, T] = {}

    def root(item: T) -> T:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for one, other in pairs:
        parent.setdefault(one, one)
        parent.setdefault(other, other)
        parent[root(other)] = root(one)
    groups: dict[T, list[T]] = {}
    for item in parent:
        groups.setdefault(root(item), []).append(item)
    return list(groups.values())
