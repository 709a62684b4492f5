"""Choose the chunks with the highest sums of weights.

This is done in arrays, or in dicts where numpy is not loaded; both give the same list."""

from array import array
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple


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
        both = totals.keys() & weights.keys()
        sums = {chunk: totals[chunk] + weights[chunk] for chunk in both}
        totals |= weights
        totals |= sums
    least = sorted(totals.values(), reverse=True)[:count][-1:]
    best = [chunk for chunk, total in totals.items() if total >= least[0]]
    best.sort(reverse=True)
    best.sort(key=totals.__getitem__, reverse=True)  # stable: the newest of equals stays first
    return best[:count]


def best_by_arrays(parts: Sequence[WeighedChunks], count: int) -> list[int]:
    """Do the same as `best_by_dicts` in arrays, which is faster for thousands of chunks."""
    import numpy as np

    if not parts:
        return []
    numbers = [np.frombuffer(chunks, np.int64) for _, _, chunks in parts]
    chunks, places = np.unique(np.concatenate(numbers), return_inverse=True)
    totals = np.zeros(len(chunks))
    start = 0
    for _, group in groupby(parts, key=lambda part: part.number):
        weights = np.zeros(len(chunks))
        for _, weight, held in group:
            weights[places[start : start + len(held)]] = weight
            start += len(held)
        totals += weights
    if len(totals) > count:
        least = np.partition(totals, -count)[-count]
        kept = np.flatnonzero(totals >= least)
        chunks, totals = chunks[kept], totals[kept]
    best: list[int] = chunks[np.lexsort((-chunks, -totals))][:count].tolist()
    return best
