"""The features of every item of a pool: its wording, its meaning, and its fields."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ghostmem.search import lexical
from ghostmem.search.query import Asked, Pool
from ghostmem.search.score import AFTER, BEFORE
from ghostmem.search.wording import QueryWords
from ghostmem.store.rows import Space
from ghostmem.text.question import is_question, names_something, tells_time
from ghostmem.text.temporal import day_match, month_match, window_match

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ghostmem.store.nearest import VectorView
    from ghostmem.store.protocol import Transaction

ENOUGH, USUAL = 20, 0.1  # from how many cosines on their spread is known, and what it is made


def measure_words(
    tx: Transaction, space: Space, pool: Pool, words: QueryWords, threads: list[lexical.Thread]
) -> None:
    wording, inside = words.wording, words.inside
    average = max(1.0, space.length / max(1, space.chunks))
    terms = [item.terms.split() for item in pool.items]
    own = [lexical.held(held, wording, average) for held in terms]
    within = set(inside.chunks)
    for item, held in zip(pool.items, own, strict=True):
        if item.chunk in within:
            for place, worth in inside.held(item).items():
                held[place] = max(held.get(place, 0.0), worth)
    spread = lexical.spread(own, threads)
    for features, held in zip(pool.features, spread, strict=True):
        features["lexical"] = lexical.score(held, wording)
    mean = tx.search.thread_average(space.number) if threads else 1.0
    for thread in threads:
        counts: dict[int, float] = defaultdict(float)
        for item_ in thread.items:
            for word in terms[item_] if own[item_] else ():
                for which, worth in wording.stands_for.get(word, ()):
                    counts[which] += worth
        share = lexical.thread_score(counts, thread.length, mean, wording)
        for item_ in thread.items:
            pool.features[item_]["wording"] = share


def measure_meaning(
    pool: Pool, query: NDArray[np.float32], view: VectorView, threads: list[lexical.Thread]
) -> None:
    import numpy as np

    vectors, there = view.vectors(np.array([item.chunk for item in pool.items], np.int64))
    cosines = np.vecdot(vectors, query)
    mixed = vectors.copy()
    pairs = np.array([pair for thread in threads for pair in thread.pairs()], np.intp).reshape(
        -1, 2
    )
    left, right = pairs[:, 0], pairs[:, 1]  # each item stands at most once on either side
    mixed[right] += BEFORE * vectors[left]
    mixed[left] += AFTER * vectors[right]
    mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12)
    blended = np.vecdot(mixed, query)
    measured = zip(
        cosines.tolist(),
        _stretched(cosines, there).tolist(),
        _stretched(blended, there).tolist(),
        strict=True,
    )
    for at, (cosine, own, both) in enumerate(measured):
        if there[at]:
            pool.cosines[at] = cosine
            pool.features[at]["own"], pool.features[at]["mixed"] = own, both
    for thread in threads:
        best = float(np.sort(cosines[thread.items])[-3:].mean())
        for item in thread.items:
            pool.features[item]["thread"] = best


def _stretched(cosines: NDArray[np.float32], there: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Give the cosines of a large pool the usual spread: a vague question's lie close together, and
    would count for little.
    """
    found = cosines[there]
    if len(found) < ENOUGH:
        return cosines
    mean, deviation = float(found.mean()), max(float(found.std()), 0.04)
    return mean + (cosines - mean) * (USUAL / deviation)


def measure_fields(pool: Pool, asked: Asked, sources: list[str]) -> None:
    lowered = {word.lower() for word in asked.words}
    named = [source for source in sources if {part.lower() for part in source.split()} & lowered]
    identifiers = {term for term in asked.terms if _is_identifier(term)}
    newest = _newest(pool) if asked.times.recent else {}
    times, speaker = asked.times, named[0] if len(named) == 1 else None
    for item, features in zip(pool.items, pool.features, strict=True):
        if speaker is not None:
            features["source"] = float(item.source_user == speaker)
        if times.months:
            features["month"], features["day"] = (
                month_match(times, item.created_at),
                day_match(times, item.created_at),
            )
        if times.window is not None:
            features["window"] = window_match(times, item.created_at)
        if is_question(item.text):
            features["question"] = 1.0
        if asked.question.when:
            features["when"] = float(tells_time(item.text))
        if asked.question.where:
            features["place"] = float(names_something(item.text))
        if identifiers:
            features["identifier"] = len(identifiers.intersection(item.terms.split())) / len(
                identifiers
            )
        if times.recent:
            features["recency"] = newest.get(item.chunk, 0.0)
        if times.relative:
            features["episode"] = float(item.kind == "episodic")


def _is_identifier(term: str) -> bool:
    """Say whether a term is a number, a code or a path rather than a word."""
    if not term.isascii() or len(term) < 2:
        return False
    return len(term) > 4 if term.isdigit() else not term.isalpha()


def _newest(pool: Pool) -> dict[int, float]:
    """Return 1 for the newest item that is about the question, and less for each one before it."""
    best = max((features.get("lexical", 0.0) for features in pool.features), default=0.0)
    about = [
        item
        for item, features in zip(pool.items, pool.features, strict=True)
        if features.get("lexical", 0.0) >= best / 2
    ]
    about.sort(key=lambda item: item.created_at, reverse=True)
    return {item.chunk: 1 / (1 + place) for place, item in enumerate(about)}
