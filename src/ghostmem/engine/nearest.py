"""Vectors of one namespace in memory: exact products while they are few, a 1-bit sieve before them when they are many."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT = 20_000  # up to so many vectors every one is compared in full
SIEVE = 1_500  # how many survive the sieve


@dataclass
class VectorView:
    """The vectors of a namespace by ascending chunk number, as of one sequence."""

    sequence: int
    ids: "NDArray[np.int64]"
    rows: "NDArray[np.float16]"
    full: "NDArray[np.float32] | None" = None
    bits: "NDArray[np.uint64] | None" = None  # one row for each 64 dimensions, so that counting runs along memory

    def nearest(self, query: "NDArray[np.float32]", count: int, among: "set[int] | None" = None) -> list[int]:
        """Return the chunks nearest to a unit vector, nearest first, ties by newest; with `among`, only of those."""
        if not len(self.ids):
            return []
        if among is not None:
            kept = np.flatnonzero(np.isin(self.ids, np.fromiter(among, np.int64, len(among))))
            chosen = kept[_top(np.vecdot(self.rows[kept].astype(np.float32), query), count)] if len(kept) else kept
            few: list[int] = self.ids[chosen].tolist()
            return few
        if len(self.ids) <= EXACT:
            scores = np.vecdot(self._full(), query)  # not @: its threads cost more than they save
            chosen = _top(scores, count)
        else:
            sieved = self._sieve(query, max(SIEVE, count * 4))
            scores = np.vecdot(self.rows[sieved].astype(np.float32), query)
            chosen = sieved[_top(scores, count)]
        found: list[int] = self.ids[chosen].tolist()
        return found

    def vectors(self, chunks: "NDArray[np.int64]") -> "tuple[NDArray[np.float32], NDArray[np.bool_]]":
        """Return the vectors of chunks and which of them there are."""
        at = np.searchsorted(self.ids, chunks)
        at = np.minimum(at, max(0, len(self.ids) - 1))
        there = self.ids[at] == chunks if len(self.ids) else np.zeros(len(chunks), bool)
        found = self.rows[at].astype(np.float32) if len(self.ids) else np.zeros((len(chunks), 1), np.float32)
        found[~there] = 0
        return found, there

    def _full(self) -> "NDArray[np.float32]":
        if self.full is None:
            self.full = self.rows.astype(np.float32)
        return self.full

    def _sieve(self, query: "NDArray[np.float32]", count: int) -> "NDArray[np.int64]":
        """Return the rows whose signs agree with the query's most often."""
        if self.bits is None:
            self.bits = _signs(self.rows)
        differing = np.zeros(len(self.ids), np.uint16)
        for word, sign in zip(self.bits, _signs(query[None, :]), strict=True):
            differing += np.bitwise_count(word ^ sign)
        count = min(count, len(differing) - 1)
        cut = np.partition(differing, count)[count]
        return np.concatenate([np.flatnonzero(differing < cut), np.flatnonzero(differing == cut)[-count:]])


def _signs(rows: "NDArray[np.float16] | NDArray[np.float32]") -> "NDArray[np.uint64]":
    """Return the signs of vectors as bits, 64 dimensions to a row."""
    packed = np.packbits(rows > 0, axis=1)
    spare = -packed.shape[1] % 8
    words = np.ascontiguousarray(np.pad(packed, ((0, 0), (0, spare)))).view(np.uint64)
    return np.ascontiguousarray(words.T)


def _top(scores: "NDArray[np.float32]", count: int) -> "NDArray[np.int64]":
    """Return the positions of the largest scores, largest first, ties by the later position."""
    count = min(count, len(scores))
    least = np.partition(scores, -count)[-count]
    above = np.flatnonzero(scores > least)
    cut = np.concatenate([above, np.flatnonzero(scores == least)[len(above) - count :]])
    return cut[np.lexsort((-cut, -scores[cut]))]
