"""What a question's words are worth in a namespace, and where they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghostmem.embed.synonyms import near_words
from ghostmem.engine.rows import Candidate, Space
from ghostmem.rank import lexical
from ghostmem.rank.rarity import rarity
from ghostmem.text.scripts import fold
from ghostmem.text.stem import stem
from ghostmem.text.terms import encode
from ghostmem.verbs.asked import Asked

if TYPE_CHECKING:
    from ghostmem.engine.base import Transaction

POSTINGS = 4_000  # how many of a term's newest chunks are looked at
INSIDE, MOST_INSIDE = 30, 4  # how many chunks a word found inside other words may bring, and how many words are so looked for
SYNONYMS, NEAR = 12, 0.5
MOST_TERMS = 32


@dataclass(frozen=True)
class Inside:
    """Words that the namespace does not know, each by its place in the wording, and the chunks that hold one inside another."""

    words: Mapping[int, str]
    chunks: list[int]

    def held(self, item: Candidate) -> dict[int, float]:
        """Return what an item's words are worth for those that stand inside them."""
        text = fold(f"{item.key}\n{item.text}").lower()
        found = {at: lexical.inside(word, text) for at, word in self.words.items()}
        return {at: worth for at, worth in found.items() if worth}


def read_wording(
    tx: Transaction, space: Space, asked: Asked, sources: list[str]
) -> tuple[lexical.Wording, dict[str, list[int]], Inside]:
    """Return the wording with its rarities, where each of its terms is, and what holds a word only inside others."""
    given = list(dict.fromkeys(asked.terms))
    found = dict(zip(given, tx.search.postings(space.number, [encode(term) for term in given], POSTINGS), strict=True))
    terms = sorted(found, key=lambda term: (not found[term], len(found[term]), term))[:MOST_TERMS]
    rarities = [rarity(space.chunks, len(found[term])) for term in terms if found[term]]
    rarest = max(rarities, default=1.0)
    near = _synonyms(tx, space, asked, terms, sources)
    met = {at for at, _, _ in near.values()}
    inside = {at: tx.search.containing(space.number, terms[at], INSIDE) for at in _unknown(terms, found, met)}
    # a term the namespace does not know counts as much as its rarest one; only a synonym or a part of a word can meet it
    known = [at for at, term in enumerate(terms) if found[term] or at in met or inside.get(at)]
    place = {at: number for number, at in enumerate(known)}
    idf = [rarity(space.chunks, len(found[terms[at]])) if found[terms[at]] else rarest for at in known]
    stands: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at in known:
        if found[terms[at]]:
            stands[terms[at]].append((place[at], 1.0))
    for term, (at, worth, chunks) in near.items():
        stands[term].append((place[at], worth))
        found[term] = chunks
    words = {place[at]: terms[at] for at in known if inside.get(at)}
    phrase = "" if asked.terms else fold(asked.text.strip()).lower()
    if len(phrase) > 2:  # only words that say nothing: look for them as they stand
        inside[-1] = tx.search.containing(space.number, phrase, INSIDE)
        words[len(idf)] = phrase
        idf.append(rarest)
    unseen = rarest * (len(terms) - len(known))
    wording = lexical.Wording(tuple(idf), {term: tuple(uses) for term, uses in stands.items()}, unseen)
    return wording, found, Inside(words, list(dict.fromkeys(chunk for chunks in inside.values() for chunk in chunks)))


def _unknown(terms: list[str], found: Mapping[str, list[int]], met: set[int]) -> list[int]:
    """Return the places of a few terms that are to be looked for inside other words."""
    return [at for at, term in enumerate(terms) if not found[term] and at not in met and len(term) > 2][:MOST_INSIDE]


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
