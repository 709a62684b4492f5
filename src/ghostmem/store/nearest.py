"""The vectors of one namespace in memory.

Few vectors are compared exactly; many are first reduced by a filter of 1-bit signs."""

import threading
from collections.abc import Iterator, Sequence

import numpy as np

from ghostmem.lazy import NDArray
from ghostmem.store.sketch import SCALE, TILE, Sketches, to_float32, to_scaled_float32

MAX_EXACT = 20_000  # vectors up to which all are compared in full
MIN_PREFILTERED = 1_500  # vectors that pass the filter by signs
BATCH = 256  # vectors that are compared with one query at once


class VectorBuffer:
    """Arrays of the vectors of a namespace, which views share and the newest view may extend."""

    def __init__(
        self, ids: "NDArray[np.int64]", rows: "NDArray[np.float16]", capacity: int = 0
    ) -> None:
        self.used = len(ids)
        size, width = max(capacity, len(ids)), rows.shape[1] if rows.ndim == 2 else 0
        self.ids = np.zeros(size, np.int64)
        self.rows = np.zeros((size, width), np.float16)
        self.ids[: self.used], self.rows[: self.used] = ids, rows
        self._float32: NDArray[np.float32] | None = None
        # one row for each 64 dimensions, so that counting runs along memory
        self._bits: NDArray[np.uint64] | None = None
        self._converted = self._packed = 0
        self._lock = threading.Lock()

    def add(self, after: int, ids: "NDArray[np.int64]", rows: "NDArray[np.float16]") -> bool:
        """Add vectors after the first `after`.

        Returns False when other vectors were added there, or the array is full."""
        with self._lock:
            if self.used != after or after + len(ids) > len(self.ids):
                return False
            self.ids[after : after + len(ids)], self.rows[after : after + len(ids)] = ids, rows
            self.used += len(ids)
            return True

    def float32(self, count: int) -> "NDArray[np.float32]":
        """Return the first vectors as float32, converted once."""
        with self._lock:
            if self._float32 is None:
                self._float32 = np.zeros(self.rows.shape, np.float32)
            if self._converted < count:
                self._float32[self._converted : count] = to_float32(
                    self.rows[self._converted : count]
                )
                self._converted = count
            return self._float32[:count]

    def sign_bits(self, count: int) -> "NDArray[np.uint64]":
        """Return the signs of the first vectors, packed once."""
        with self._lock:
            if self._bits is None:
                self._bits = np.zeros((-(-self.rows.shape[1] // 64), len(self.ids)), np.uint64)
            if self._packed < count:
                self._bits[:, self._packed : count] = _signs(self.rows[self._packed : count])
                self._packed = count
            return self._bits[:, :count]


class VectorView:
    """The vectors of a namespace by ascending chunk number, as of one sequence."""

    def __init__(
        self,
        sequence: int,
        ids: "NDArray[np.int64]",
        rows: "NDArray[np.float16]",
        buffer: "VectorBuffer | None" = None,
        gone: "NDArray[np.int64] | None" = None,
    ) -> None:
        self.sequence = sequence
        self._buffer = buffer or VectorBuffer(ids, rows)
        self.ids, self.rows = self._buffer.ids[: len(ids)], self._buffer.rows[: len(ids)]
        # positions of removed chunks, if they are known
        self._gone = np.zeros(0, np.int64) if gone is None else gone

    @property
    def count(self) -> int:
        """Return the number of vectors, without those of chunks that are known to be removed."""
        return len(self.ids) - len(self._gone)

    @property
    def last(self) -> int:
        """Return the highest number of a chunk that has a vector."""
        return int(self.ids[-1]) if len(self.ids) else 0

    def is_stale(self, chunks: int) -> bool:
        """Say whether most of these vectors belong to removed chunks, so that a reload pays off."""
        return len(self.ids) > chunks * 1.25 + 100

    def extended(
        self, sequence: int, ids: "NDArray[np.int64]", rows: "NDArray[np.float16]"
    ) -> "VectorView":
        """Return a view with more vectors after these."""
        before, after = len(self.ids), len(self.ids) + len(ids)
        buffer = self._buffer
        if not buffer.add(before, ids, rows):
            buffer = VectorBuffer(self.ids, self.rows, capacity=after + after // 2 + 64)
            buffer.add(before, ids, rows)
        return VectorView(sequence, buffer.ids[:after], buffer.rows[:after], buffer, self._gone)

    def only(self, chunks: "NDArray[np.int64]") -> "VectorView | None":
        """Return a view whose vectors are those of some chunks, or None if one is missing here."""
        positions, exists = self._positions(chunks)
        if not exists.all():
            return None
        gone = np.delete(np.arange(len(self.ids)), positions)
        return VectorView(self.sequence, self.ids, self.rows, self._buffer, gone)

    def expect(self, chunks: "Sequence[int]") -> None:
        """Fetch vectors that `vectors` is going to ask for, if they are not in memory."""

    def expect_nearest(self, query: "NDArray[np.float32]", count: int) -> None:
        """Fetch what `count` and `nearest` are going to need, if it is not in memory."""

    def nearest(
        self, query: "NDArray[np.float32]", count: int, among: "set[int] | None" = None
    ) -> list[int]:
        """Return the chunks nearest to a unit vector, nearest first, ties by newest.

        With `among`, only those chunks are compared."""
        if not self.count:
            return []
        if among is not None:
            chosen = np.flatnonzero(np.isin(self.ids, np.fromiter(among, np.int64, len(among))))
            if len(chosen):
                chosen = chosen[_top(_products(self.rows, chosen, query), count)]
        elif len(self.ids) <= MAX_EXACT:
            # not @: its threads cost more than they save
            scores = np.vecdot(self._buffer.float32(len(self.ids)), query)
            scores[self._gone] = -np.inf
            chosen = _top(scores, min(count, self.count))
        else:
            prefiltered = self._prefilter(query, max(MIN_PREFILTERED, count * 4))
            chosen = prefiltered[_top(_products(self.rows, prefiltered, query), count)]
        numbers: list[int] = self.ids[chosen].tolist()
        return numbers

    def pairs(
        self, chunks: Sequence[int], least: float, most: int
    ) -> Iterator[tuple[int, int, float]]:
        """Yield pairs of chunks that are more similar than `least`, each once, with the similarity.

        A chunk has at most `most` pairs with later ones, the nearest: thousands of texts from
        one template would be millions of pairs."""
        numbers = np.array(chunks, np.int64)
        positions, exists = self._positions(numbers)
        # in reverse, because a sketch is compared with those before it
        numbers, rows = numbers[exists][::-1], self.rows[positions[exists][::-1]]
        sketches, is_late = Sketches(rows), np.ones(len(rows), bool)
        for start in range(0, len(rows), TILE):
            stop = min(start + TILE, len(rows))
            at, to, cosines = sketches.nearest(
                np.arange(start, stop), stop, least, most, late=is_late
            )
            near = cosines > least
            yield from zip(
                numbers[start + at[near]].tolist(),
                numbers[to[near]].tolist(),
                np.minimum(1.0, cosines[near]).tolist(),
                strict=True,
            )

    def vectors(
        self, chunks: "NDArray[np.int64]"
    ) -> "tuple[NDArray[np.float32], NDArray[np.bool_]]":
        """Return the vectors of chunks, and a mask of those that exist."""
        positions, exists = self._positions(chunks)
        vectors = (
            to_float32(self.rows[positions])
            if len(self.ids)
            else np.zeros((len(chunks), 1), np.float32)
        )
        if not exists.all():
            vectors[~exists] = 0
        return vectors, exists

    def _positions(
        self, chunks: "NDArray[np.int64]"
    ) -> "tuple[NDArray[np.int64], NDArray[np.bool_]]":
        """Return the positions of the vectors of chunks, and a mask of those that exist."""
        if not len(self.ids):
            return np.zeros(len(chunks), np.int64), np.zeros(len(chunks), bool)
        positions = np.minimum(np.searchsorted(self.ids, chunks), len(self.ids) - 1)
        return positions, self.ids[positions] == chunks

    def _prefilter(self, query: "NDArray[np.float32]", count: int) -> "NDArray[np.int64]":
        """Return the rows whose signs agree most often with the query's."""
        differing = np.zeros(len(self.ids), np.uint16)
        for word, sign in zip(
            self._buffer.sign_bits(len(self.ids)), _signs(query[None, :]), strict=True
        ):
            differing += np.bitwise_count(word ^ sign)
        count = min(count, len(differing) - 1)
        cut = np.partition(differing, count)[count]
        near = np.flatnonzero(differing <= cut)
        if len(near) <= 2 * count:
            return near
        at_cut = differing[near] == cut  # thousands of texts from one template
        return np.concatenate([near[~at_cut], near[at_cut][-count:]])


def _signs(rows: "NDArray[np.float16] | NDArray[np.float32]") -> "NDArray[np.uint64]":
    """Return the signs of vectors as bits, 64 dimensions to a row."""
    packed = np.packbits(rows > 0, axis=1)
    words = np.zeros((len(rows), -(-packed.shape[1] // 8)), np.uint64)
    words.view(np.uint8)[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(words.T)


def _products(
    rows: "NDArray[np.float16]", positions: "NDArray[np.int64]", query: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    scaled = query * SCALE
    products = np.empty(len(positions), np.float32)
    for start in range(0, len(positions), BATCH):  # a part stays in the processor's cache
        part = positions[start : start + BATCH]
        products[start : start + BATCH] = np.vecdot(to_scaled_float32(rows[part]), scaled)
    return products


def _top(scores: "NDArray[np.float32]", count: int) -> "NDArray[np.int64]":
    """Return the positions of the largest scores, largest first, ties by the later position."""
    count = min(count, len(scores))
    least = np.partition(scores, -count)[-count]
    above = np.flatnonzero(scores > least)
    cut = np.concatenate([above, np.flatnonzero(scores == least)[len(above) - count :]])
    return cut[np.lexsort((-cut, -scores[cut]))]
