"""Choose the chunks with the highest sums of weights.

This is done in arrays, or in dicts where numpy is not loaded; both give the same list."""

from array import array
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from ghostmem.lazy import NDArray, np

MAX_SPAN = 4_000_000  # chunk numbers from the first to the last that are looked up in an array


class WeighedChunks(NamedTuple):
    """Chunks that have the same weight for one of several numbered criteria."""

    number: int
    weight: float
    chunks: "array[int]"


def best_by_dicts(parts: Iterable[WeighedChunks], count: int) -> list[int]:
    """Return the chunks with the highest sums over the criteria, the newest of equals first.

    `parts` are ordered by criterion; of the weights of a chunk for one, the last one counts."""
    totals: dict[int, float] = {}
    for _, group in groupby(parts, key=lambda part: part.number):
        weights: dict[int, float] = {}
        for _, weight, chunks in group:
            weights |= dict.fromkeys(chunks, weight)
        sums = {chunk: totals[chunk] + weights[chunk] for chunk in totals.keys() & weights.keys()}
        totals |= weights
        totals |= sums
    least = sorted(totals.values(), reverse=True)[:count][-1:]
    best = [chunk for chunk, total in totals.items() if total >= least[0]]
    best.sort(reverse=True)
    best.sort(key=totals.__getitem__, reverse=True)  # stable: the newest of equals stays first
    return best[:count]


def best_by_arrays(parts: Sequence[WeighedChunks], count: int) -> list[int]:
    """Do the same as `best_by_dicts` in arrays, which is faster for thousands of chunks."""

    if not parts:
        return []
    numbers = [np.frombuffer(chunks, np.int64) for _, _, chunks in parts]
    chunks = np.concatenate(numbers)
    places = np.split(_last_places(chunks), np.cumsum([len(each) for each in numbers])[:-1])
    totals = np.full(len(chunks), -1.0)  # stays where the same chunk has a later place
    for _, group in groupby(zip(parts, places, strict=True), key=lambda pair: pair[0].number):
        for weight, indexes, before in [
            (part.weight, indexes, np.maximum(totals[indexes], 0.0)) for part, indexes in group
        ]:
            totals[indexes] = before + weight
    chosen = np.flatnonzero(totals >= 0)
    if len(chosen) > count:
        chosen = np.flatnonzero(totals >= np.partition(totals[chosen], -count)[-count])
    chunks, totals = chunks[chosen], totals[chosen]
    best: list[int] = chunks[np.lexsort((-chunks, -totals))][:count].tolist()
    return best


def _last_places(chunks: "NDArray[np.int64]") -> "NDArray[np.intp]":
    """Return for each chunk the last place that has the same one."""

    first, last = int(chunks.min()), int(chunks.max())
    if last - first > MAX_SPAN:
        _, chunks = np.unique(chunks, return_inverse=True)
        first, last = 0, len(chunks)
    numbers = chunks - first
    places = np.empty(last - first + 1, np.intp)  # only what is written is read
    places[numbers] = np.arange(len(chunks))
    return places[numbers]
