"""The lexical score: how much of a question's wording an item, its neighbours and its thread hold.

Each query term contributes in proportion to its rarity in the namespace; a term may also be met by
a near synonym or a near spelling, and a term said a turn or two before still counts for what
follows it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

SATURATION, FLAT = 0.3, 0.9  # k1 and 1 - b of BM25, low because chunks are short and of one size
BEFORE = (
    0.9,
    0.7,
    0.5,
    0.3,
)  # what a term is worth that was said one, two, three, four items before
AFTER = (0.7, 0.5, 0.3)  # and one, two, three items after
ANYWHERE = 0.1  # and anywhere else in the thread
SYNONYM = 0.7  # what the nearest of synonyms is worth
JOINED = 0.9  # what a word is worth that is written as two words, or two as one
SPELLING = 0.9  # what a near spelling is worth, times how alike the spellings are
THREAD_K1, THREAD_B = 1.2, 0.5


@dataclass(frozen=True)
class Wording:
    """A question's terms: each with its rarity, and every term of the store that can stand for it
    with its worth.

    Terms that the namespace does not know are among them: nothing stands for them, and they lower
    every share."""

    idf: tuple[float, ...]
    stands_for: Mapping[str, tuple[tuple[int, float], ...]]  # term -> (which query term, worth)

    @cached_property
    def total(self) -> float:
        """Return the most that could be scored."""
        return sum(self.idf)


@dataclass
class Thread:
    """Items of one thread in order, and how long the whole thread is."""

    items: list[int] = field(
        default_factory=list
    )  # positions in the pool, in the thread's order; gaps split a run
    places: list[int] = field(
        default_factory=list
    )  # where each stands in the thread, for finding gaps
    length: float = 0.0

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield each two items that stand side by side."""
        for at in range(1, len(self.items)):
            if self.places[at] - self.places[at - 1] == 1:
                yield self.items[at - 1], self.items[at]


def held(terms: Sequence[str], wording: Wording, average: float) -> dict[int, float]:
    """Return what an item's own terms are worth for each query term: the best of the word itself
    and its synonyms.
    """
    stands_for = wording.stands_for
    met = [term for term in terms if term in stands_for]
    found: dict[int, float] = {}
    soft = SATURATION * (FLAT + (1 - FLAT) * len(terms) / average)
    for term in dict.fromkeys(met):
        count = met.count(term)
        full = count * (1 + SATURATION) / (count + soft)
        for which, worth in stands_for[term]:
            found[which] = max(found.get(which, 0.0), full * worth)
    return found


def apart(phrase: str, text: str) -> float:
    """Return what a word is worth that a text may have as two words, which must be whole words
    there.
    """
    at = text.find(phrase)
    while at >= 0:
        stop = at + len(phrase)
        if not text[max(0, at - 1) : at].isalnum() and not text[stop : stop + 1].isalnum():
            return JOINED
        at = text.find(phrase, at + 1)
    return 0.0


def spread(own: Sequence[Mapping[int, float]], threads: Iterable[Thread]) -> list[dict[int, float]]:
    """Let each item also hold, for less, what its neighbours and its thread hold."""
    found = [dict(held_) for held_ in own]
    for thread in threads:
        best: dict[int, float] = {}
        for at, item in enumerate(thread.items):
            if not own[item]:
                continue
            near = [(found[to], factor) for to, factor in _neighbours(thread, at)]
            for which, worth in own[item].items():
                best[which] = max(best.get(which, 0.0), worth)
                for theirs, factor in near:
                    if worth * factor > theirs.get(which, 0.0):
                        theirs[which] = worth * factor
        for item in thread.items if best else ():
            mine = found[item]
            for which, worth in best.items():
                if worth * ANYWHERE > mine.get(which, 0.0):
                    mine[which] = worth * ANYWHERE
    return found


def _neighbours(thread: Thread, at: int) -> Iterator[tuple[int, float]]:
    """Yield the items near a place of a thread, each with what a term said there is worth to it."""
    here, last = thread.places[at], len(thread.items) - 1
    for step, factor in enumerate(BEFORE, 1):
        if at + step <= last and thread.places[at + step] - here == step:
            yield thread.items[at + step], factor
    for step, factor in enumerate(AFTER, 1):
        if at >= step and here - thread.places[at - step] == step:
            yield thread.items[at - step], factor


def score(held_: Mapping[int, float], wording: Wording) -> float:
    """Return the share of the question's wording that is held, by rarity."""
    total = wording.total
    return (
        sum(wording.idf[which] * worth for which, worth in held_.items()) / total if total else 0.0
    )


def thread_score(
    counts: Mapping[int, float], length: float, average: float, wording: Wording
) -> float:
    """Return BM25 of a whole thread as a share of the most it could reach."""
    total = wording.total
    if not total or not counts:
        return 0.0
    soft = THREAD_K1 * (1 - THREAD_B + THREAD_B * length / max(average, 1.0))
    found = sum(
        wording.idf[which] * count * (THREAD_K1 + 1) / (count + soft)
        for which, count in counts.items()
    )
    return found / ((THREAD_K1 + 1) * total)
