"""A memory of the types of declarations, which may depend on each other in long chains."""

from collections.abc import Callable
from typing import Any

from ghostmem.outline.languages.go_.types import Type

Known = dict[str, Type]
MAX_CHAIN = 20  # declarations that are followed on one stack, such as var a = b; var b = c
MAX_PARTS, MAX_NESTING = 50_000, 100  # of one type; larger ones are not written by people


class _Further(Exception):  # noqa: N818
    """Names a declaration that must be known first: a chain is too long for one stack."""

    def __init__(self, known: Known, key: str, work: Callable[[], Type]) -> None:
        super().__init__(key)
        self.asked = (known, key, work)


class Memo:
    """Work out each declaration once."""

    def __init__(self) -> None:
        self.busy: set[str] = set()
        self._depth = 0

    def once(self, known: Known, key: str, work: Callable[[], Type]) -> Type:
        """Return the type of a declaration that is worked out once; None for one that needs itself.

        The first of a chain lets the others be worked out from the far end, so that its length does
        not matter."""
        if key in self.busy:
            return None
        if key in known:
            return known[key]
        if self._depth >= MAX_CHAIN:
            raise _Further(known, key, work)
        if self._depth:
            return self._work(known, key, work)
        waiting = [(known, key, work)]
        try:
            while waiting:
                self.busy.discard(waiting[-1][1])
                try:
                    self._work(*waiting[-1])
                    waiting.pop()
                except _Further as further:
                    self.busy.add(waiting[-1][1])
                    waiting.append(further.asked)
        finally:
            self.busy.difference_update(one[1] for one in waiting)
        return known[key]

    def _work(self, known: Known, key: str, work: Callable[[], Type]) -> Type:
        self.busy.add(key)
        self._depth += 1
        try:
            found = work()
        finally:
            self._depth -= 1
            self.busy.discard(key)
        known[key] = found = found if _has_usual_size(found) else None
        return found


def _has_usual_size(kind: Type) -> bool:
    """Tell whether a type can be handled; aliases of aliases may double it each time."""
    level: list[Any] = [kind] if kind else []
    count = 0
    for _ in range(MAX_NESTING - 1):
        count += sum(map(len, level))
        if not level or count > MAX_PARTS:
            break
        level = [part for one in level for part in one if part and isinstance(part, tuple)]
    return not level
