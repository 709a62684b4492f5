"""Score chunks by the rare terms that they share with a text."""

from array import array
from collections.abc import Mapping, Sequence

from ghostmem.store.rows import Space
from ghostmem.store.transaction import Transaction
from ghostmem.text.terms import encode, rarity


def term_postings(
    tx: Transaction, space: Space, terms: Sequence[str], limit: int
) -> "dict[str, array[int]]":
    """Return the newest chunks of a namespace that contain each term, at most `limit` per term."""
    chunks = tx.search.postings(space, [encode(term) for term in terms], limit)
    return dict(zip(terms, chunks, strict=True))


def shared_terms_score(postings: Mapping[str, Sequence[int]], count: int) -> dict[int, float]:
    """Return the summed rarity of the terms that each chunk contains, among `count` chunks."""
    scores: dict[int, float] = {}
    for chunks in postings.values():
        weight = rarity(count, len(chunks))
        for chunk in chunks:
            scores[chunk] = scores.get(chunk, 0.0) + weight
    return scores
