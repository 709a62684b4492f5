"""Score wording: the share of a question's terms that a chunk, its neighbours and its thread hold.

Each query term counts in proportion to its rarity in the namespace. A near synonym or a near
spelling may match it for less, and a term said a turn or two earlier still counts for the turns
that follow."""

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ghostmem.frozen import frozen
from ghostmem.lazy import NDArray, lazy_property, np
from ghostmem.text.terms import saturated

K1, B = 0.3, 0.1  # of BM25, low because chunks are short and of nearly one size
THREAD_K1, THREAD_B = 1.2, 0.5
BEFORE = (0.9, 0.7, 0.5, 0.3)  # worth of a term said one, two, three, four items earlier
AFTER = (0.7, 0.5, 0.3)  # and one, two, three items later
ANYWHERE = 0.1  # and anywhere else in the thread
SYNONYM = 0.7  # worth of the nearest synonym
JOINED = 0.9  # worth of a word that is written as two words, or of two words written as one
SPELLING = 0.9  # worth of a near spelling, times the similarity of the spellings
MAX_SPAN = 4_000_000  # chunk numbers from the first to the last that are looked up in an array


@frozen
class TermWeights:
    """The terms of a question with their rarities, and the index terms that match each of them.

    Terms that the namespace does not know are included: nothing matches them, and they lower every
    share."""

    idf: tuple[float, ...]
    matches: Mapping[str, tuple[tuple[int, float], ...]]  # index term -> (query term, worth), ...

    @lazy_property
    def total(self) -> float:
        """Return the highest possible score."""
        return sum(self.idf)


@dataclass(eq=False, repr=False)
class ThreadItems:
    """Candidates of one thread in order, and the length of the whole thread."""

    items: list[int] = field(default_factory=list)  # positions among the candidates
    places: list[int] = field(default_factory=list)  # positions in the thread, which show gaps
    length: float = 0.0

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield each two items that are neighbours."""
        for position in range(1, len(self.items)):
            if self.places[position] - self.places[position - 1] == 1:
                yield self.items[position - 1], self.items[position]


def best_chunks(
    weights: TermWeights, postings: "Mapping[str, array[int]]", count: int
) -> list[int]:
    """Return the chunks that hold most of the terms by rarity, best first, the newest of equals.

    Counts each term once: this chooses candidates, `term_worths` and `score` measure them."""
    uses = sorted(
        (number, worth, term)
        for term, matches in weights.matches.items()
        for number, worth in matches
        if len(postings[term])
    )
    # of the terms that match one query term, a higher worth comes later
    weighed = [
        WeighedChunks(number, weights.idf[number] * worth, postings[term])
        for number, worth, term in uses
    ]
    # loading numpy takes longer than it would save
    return (best_by_arrays if "numpy" in sys.modules else best_by_dicts)(weighed, count)


def term_worths(terms: Sequence[str], weights: TermWeights, average: float) -> dict[int, float]:
    """Return the worth of a chunk for each query term: that of the term or of its best substitute.

    `average` is the mean number of terms of a chunk."""
    matches = weights.matches
    worths: dict[int, float] = {}
    matching = [term for term in terms if term in matches]
    if not matching:
        return worths
    ratio = len(terms) / average
    once, counted = saturated(1, K1, B, ratio), len(set(matching)) < len(matching)
    for term in dict.fromkeys(matching) if counted else matching:
        full = saturated(matching.count(term), K1, B, ratio) if counted else once
        for number, worth in matches[term]:
            if full * worth > worths.get(number, 0.0):
                worths[number] = full * worth
    return worths


def phrase_worth(phrase: str, text: str) -> float:
    """Return the worth of an unknown word that a text may contain as two whole words."""
    return JOINED if re.search(rf"(?<![^\W_]){re.escape(phrase)}(?![^\W_])", text) else 0.0


def spread(
    own_worths: Sequence[dict[int, float]], threads: Sequence[ThreadItems]
) -> list[dict[int, float]]:
    """Return the worths of each item with, for less, those of its neighbours and its thread."""
    spread_worths = [dict(worths) for worths in own_worths] if threads else list(own_worths)
    for thread in threads:
        best: dict[int, float] = {}
        for position, item in enumerate(thread.items):
            if not own_worths[item]:
                continue
            near = [(spread_worths[to], factor) for to, factor in _neighbours(thread, position)]
            for number, worth in own_worths[item].items():
                best[number] = max(best.get(number, 0.0), worth)
                for neighbour, factor in near:
                    if worth * factor > neighbour.get(number, 0.0):
                        neighbour[number] = worth * factor
        for item in thread.items if best else ():
            worths = spread_worths[item]
            for number, worth in best.items():
                if worth * ANYWHERE > worths.get(number, 0.0):
                    worths[number] = worth * ANYWHERE
    return spread_worths


def _neighbours(thread: ThreadItems, position: int) -> Iterator[tuple[int, float]]:
    """Yield the items near a place of a thread, with the worth that a term there has for them."""
    # a term counts for the items that follow
    for step, factor in (
        *enumerate(BEFORE, 1),
        *((-step, factor) for step, factor in enumerate(AFTER, 1)),
    ):
        to = position + step
        if 0 <= to < len(thread.items) and thread.places[to] - thread.places[position] == step:
            yield thread.items[to], factor


def score(worths: Mapping[int, float], weights: TermWeights) -> float:
    """Return the share of the question's wording that is matched, by rarity."""
    matched = sum(weights.idf[number] * worth for number, worth in worths.items())
    return matched / weights.total if weights.total else 0.0


def thread_score(
    counts: Mapping[int, float], length: float, average: float, weights: TermWeights
) -> float:
    """Return BM25 of a whole thread as a share of its highest possible value."""
    if not weights.total or not counts:
        return 0.0
    ratio = length / max(average, 1.0)
    return sum(
        weights.idf[number] * saturated(count, THREAD_K1, THREAD_B, ratio)
        for number, count in counts.items()
    ) / ((THREAD_K1 + 1) * weights.total)


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
