"""Short sketches of vectors that rule out most distant pairs and never a near one.

A sketch holds the projection onto the directions in which the vectors differ most, and the
length of the rest. By the Cauchy-Schwarz inequality the product of two sketches is never less
than the product of their vectors."""

from collections.abc import Sequence

import numpy as np

from ghostmem.lazy import NDArray

# two positions, and how near they are
Pairs = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.float32]"]

_HALF_BITS = np.int32(-0x70002000)  # the sign, exponent and fraction of a float16 in a float32
SCALE = np.float32(2.0**112)  # the difference of their exponents
DIRECTIONS = 96
SAMPLE = 4_096  # vectors from which the directions are found
BLOCK = 8_192  # vectors that are sketched at once
GROUP = 64  # sketches in one small matrix
TILE = 16 * GROUP  # sketches compared at once; their products fit into the processor's cache
NO_VECTOR = 1e3
ROUNDING = 1e-3  # how far the product of two sketches may be off
MIN_SKETCHED = 2 * TILE  # with fewer vectors, sketches do not pay off
MAX_PAIRS = 200_000  # pairs that are kept before the most distant ones are dropped
DENSE = 0.05  # share of a tile from which all its pairs are computed


def to_float32(rows: "NDArray[np.float16]") -> "NDArray[np.float32]":
    """Return vectors as float32; moving bits is several times faster than `astype`."""
    vectors = to_scaled_float32(rows)
    vectors *= SCALE
    return vectors


def to_scaled_float32(rows: "NDArray[np.float16]") -> "NDArray[np.float32]":
    """Return vectors as float32 divided by `SCALE`, which only moves the bits of each number."""
    bits = rows.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _HALF_BITS
    return bits.view(np.float32)


class Sketches:
    """The sketches of vectors, by position."""

    def __init__(self, rows: "NDArray[np.float16]") -> None:
        self._rows = rows
        self._right = _sketch(rows) if len(rows) > MIN_SKETCHED else None

    def nearest_before(self, start: int, stop: int, least: float, count: int) -> "Pairs":
        """Return similar pairs of a vector from `start` to `stop` and one before `stop`.

        Each vector has at most `count` pairs, the nearest, ties by the later position; it is a
        pair with itself too."""
        origin, to, scores = self.nearest(np.arange(start, stop), stop, least, count)
        return origin + start, to, scores

    def nearest(
        self,
        positions: "NDArray[np.int64]",
        stop: int,
        least: float,
        count: int,
        late: "NDArray[np.bool_] | None" = None,
    ) -> "Pairs":
        """Return similar pairs of one of some vectors and one before `stop`.

        The first of a pair is a place among `positions`. `late` marks vectors that are left out
        for those at their own and at earlier positions."""
        if not len(positions) or not stop:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
        vectors, factors = to_float32(self._rows[positions]), self._left(positions)
        tiles: list[Pairs] = []
        for first in range(0, stop, TILE):
            pairs = self._tile(vectors, factors, slice(first, min(first + TILE, stop)), least)
            if late is not None:
                origin, to, scores = pairs
                chosen = ~late[to] | (to < positions[origin])
                pairs = origin[chosen], to[chosen], scores[chosen]
            tiles.append(pairs)
            if sum(len(origin) for origin, _, _ in tiles) > MAX_PAIRS:
                tiles = [_best(tiles, count)]
        return _best(tiles, count)

    def _left(self, positions: "NDArray[np.int64]") -> "NDArray[np.float32] | None":
        """Return the sketches of some vectors as the left factors of products, in groups."""
        if self._right is None:
            return None
        groups = -(-len(positions) // GROUP)
        factors = np.zeros((groups * GROUP, self._right.shape[1]), np.float32)
        factors[:, -2:] = -NO_VECTOR, 1.0
        factors[: len(positions)] = self._right[positions // GROUP, :, positions % GROUP]
        factors[: len(positions), -2:] = factors[: len(positions), :-3:-1]
        return factors.reshape(groups, GROUP, -1)

    def _tile(
        self,
        vectors: "NDArray[np.float32]",
        factors: "NDArray[np.float32] | None",
        those: slice,
        least: float,
    ) -> "Pairs":
        """Return pairs of some vectors and a short range with a product of at least `least`."""
        if self._right is not None and factors is not None:
            right = self._right[those.start // GROUP : -(-those.stop // GROUP)]
            # many products of small matrices rather than a large one, which would wait for the
            # threads of the library
            possible = factors[:, None] @ right[None] >= least - ROUNDING
            if np.count_nonzero(possible) <= DENSE * possible.size:
                places = np.flatnonzero(possible)  # faster than nonzero
                row, column, origin, to = np.unravel_index(places, possible.shape)
                origin, to = row * GROUP + origin, those.start + column * GROUP + to
                scores = np.vecdot(vectors[origin], to_float32(self._rows[to]))
                near = scores >= least
                return origin[near], to[near], scores[near]
        products = vectors @ to_float32(self._rows[those]).T
        origin, to = np.nonzero(products >= least)
        return origin, to + those.start, products[origin, to]


def _sketch(rows: "NDArray[np.float16]") -> "NDArray[np.float32]":
    """Return sketches of vectors in groups, as the right factors of a product.

    The left factors are the same with the last two numbers exchanged."""
    sample = rows[:: max(1, len(rows) // SAMPLE)].astype(np.float32)
    mean = sample.mean(axis=0)
    axes = np.linalg.eigh(np.cov((sample - mean).T))[1][:, ::-1][:, :DIRECTIONS].astype(np.float32)
    width = axes.shape[1]
    right = np.zeros((-(-len(rows) // GROUP), width + 3, GROUP), np.float32)
    for start in range(0, len(rows), BLOCK):
        some = rows[start : start + BLOCK].astype(np.float32)
        # two vectors are as far apart as before, and most of that is in a few directions
        centred = some - mean
        head, length = centred @ axes, np.vecdot(centred, centred)
        part = np.zeros((-(-len(some) // GROUP) * GROUP, width + 3), np.float32)
        part[:, width + 1 :] = 1.0, -NO_VECTOR  # the padding of the last group is near nothing
        part[: len(some), :width] = head
        part[: len(some), width] = np.sqrt(np.maximum(0.0, length - np.vecdot(head, head)))
        part[: len(some), width + 2] = (np.vecdot(some, some) - length) / 2
        groups = part.reshape(-1, GROUP, width + 3).transpose(0, 2, 1)
        right[start // GROUP : start // GROUP + len(groups)] = groups
    return right


def _best(tiles: "Sequence[Pairs]", count: int) -> "Pairs":
    """Return the nearest `count` of each first position, nearest first, ties by the later one."""
    origin, to, scores = (np.concatenate(parts) for parts in zip(*tiles, strict=True))
    order = np.lexsort((-to, -scores, origin))
    origin, to, scores = origin[order], to[order], scores[order]
    chosen = np.arange(len(origin)) - np.searchsorted(origin, origin) < count
    return origin[chosen], to[chosen], scores[chosen]
