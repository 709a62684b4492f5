"""What texts have in common beside their meaning: the things they name, and the words they are
about.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log, sqrt

NAMES = 0.15  # from which share of common names on two texts are kin
TOPIC = 0.30  # from which cosine of their rare words on
COMMON = (
    0.05  # what more than this share of the texts have, and more than FEW of them, says nothing
)
FEW = 20


def by_names(named: Sequence[frozenset[str]]) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of texts, later first, that name the same things, with the share of names they
    have in common.
    """
    holders: dict[str, list[int]] = defaultdict(list)
    limit = max(FEW, int(len(named) * COMMON))
    for at, names in enumerate(named):
        for name in names:
            holders[name].append(at)
    rare = {name: found for name, found in holders.items() if len(found) <= limit}
    for at, names in enumerate(named):
        shared = Counter(other for name in names for other in rare.get(name, ()) if other < at)
        for other, common in sorted(shared.items()):
            share = common / (len(names) + len(named[other]) - common)
            if share >= NAMES:
                yield at, other, share


def by_topic(worded: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of texts, later first, whose rare words agree, with the cosine of those words."""
    spread = Counter(word for words in worded for word in set(words))
    limit = max(FEW, int(len(worded) * COMMON))
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at, words in enumerate(worded):
        weights = {
            word: (1 + log(count)) * log(1 + len(worded) / spread[word])
            for word, count in Counter(words).items()
        }
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        products: dict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            if spread[word] <= limit:
                for other, its in postings[word]:
                    products[other] += its * weight / length
                postings[word].append((at, weight / length))
        for other, cosine in sorted(products.items()):
            if cosine >= TOPIC:
                yield at, other, min(1.0, cosine)
