"""What a question's words are worth in a namespace, and where they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ghostmem.embed.synonyms import near_words
from ghostmem.engine.rows import Space
from ghostmem.rank import lexical
from ghostmem.rank.rarity import rarity
from ghostmem.text.scripts import fold
from ghostmem.text.stem import stem
from ghostmem.text.terms import encode
from ghostmem.verbs.asked import Asked

if TYPE_CHECKING:
    from ghostmem.engine.base import Transaction

POSTINGS = 4_000  # how many of a term's newest chunks are looked at
INSIDE = 30  # how many chunks a word found inside other words may bring
SYNONYMS, NEAR = 12, 0.5
MOST_TERMS = 32


def read_wording(
    tx: Transaction, space: Space, asked: Asked, sources: list[str]
) -> tuple[lexical.Wording, dict[str, list[int]], list[int]]:
    """Return the wording with its rarities, where each of its terms is, and the chunks that hold a word only inside others."""
    given = list(dict.fromkeys(asked.terms))
    found = dict(zip(given, tx.search.postings(space.number, [encode(term) for term in given], POSTINGS), strict=True))
    terms = sorted(found, key=lambda term: (not found[term], len(found[term]), term))[:MOST_TERMS]
    rarities = [rarity(space.chunks, len(found[term])) for term in terms if found[term]]
    rarest = max(rarities, default=1.0)
    near = _synonyms(tx, space, asked, terms, sources)
    met = {at for at, _, _ in near.values()}
    # a term the namespace does not know counts as much as its rarest one; only a synonym can meet it
    known = [at for at, term in enumerate(terms) if found[term] or at in met]
    place = {at: number for number, at in enumerate(known)}
    idf = tuple(rarity(space.chunks, len(found[terms[at]])) if found[terms[at]] else rarest for at in known)
    stands: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at in known:
        if found[terms[at]]:
            stands[terms[at]].append((place[at], 1.0))
    for term, (at, worth, chunks) in near.items():
        stands[term].append((place[at], worth))
        found[term] = chunks
    unseen = [term for at, term in enumerate(terms) if at not in place]
    inside: list[int] = []
    for word in [term for term in unseen if len(term) > 2][:4]:
        inside += tx.search.containing(space.number, word, INSIDE)
    if not asked.terms and len(asked.text.strip()) > 2:  # only words that say nothing: look for them as they stand
        inside += tx.search.containing(space.number, fold(asked.text.strip()).lower(), INSIDE)
    weight = rarest * len(unseen)
    wording = lexical.Wording(
        idf, {term: tuple(uses) for term, uses in stands.items()}, weight or float(not idf and bool(inside))
    )
    return wording, found, inside


def most_worded(wording: lexical.Wording, found: Mapping[str, list[int]], count: int) -> list[int]:
    """Return the chunks that hold most of a wording by rarity, most first, the newest of equals."""
    uses = sorted((worth, at, term) for term, stands in wording.stands_for.items() for at, worth in stands)
    parts: dict[int, dict[int, float]] = defaultdict(dict)
    for worth, at, term in uses:  # by rising worth: what is worth more overwrites
        parts[at] |= dict.fromkeys(found[term], wording.idf[at] * worth)
    totals: dict[int, float] = {}
    for at in sorted(parts):
        for chunk, worth in parts[at].items():
            totals[chunk] = totals.get(chunk, 0.0) + worth
    least = sorted(totals.values(), reverse=True)[:count][-1:]
    best = [(-worth, -chunk) for chunk, worth in totals.items() if worth >= least[0]]
    return [-chunk for _, chunk in sorted(best)[:count]]


def _synonyms(
    tx: Transaction, space: Space, asked: Asked, terms: list[str], sources: list[str]
) -> dict[str, tuple[int, float, list[int]]]:
    """Return near words that the namespace knows: which query term each stands for, its worth, and where it is."""
    names = {part.lower() for source in sources for part in source.split()}
    found: dict[str, tuple[int, float, list[int]]] = {}
    for word in dict.fromkeys(asked.words):
        mine = stem(word)
        if mine not in terms or word in names:
            continue
        others: dict[str, float] = {}
        for other, cosine in near_words(word):
            if (term := stem(other)) not in terms and term not in found:
                others.setdefault(term, cosine)
        taken = 0
        places = tx.search.postings(space.number, [encode(term) for term in others], POSTINGS // 4)
        for (term, cosine), chunks in zip(others.items(), places, strict=False):
            if chunks:
                found[term] = (terms.index(mine), lexical.SYNONYM * (cosine - NEAR) / (1 - NEAR), chunks)
                taken += 1
            if taken == SYNONYMS:
                break
    return found
