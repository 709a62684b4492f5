"""Measure the candidates of a question: their wording, their meaning, and their fields."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ghostmem.search import lexical
from ghostmem.search.candidates import Candidates, ChunkMatch, NamespaceQuery, QueryVector
from ghostmem.search.query import Query
from ghostmem.search.score import AFTER, BEFORE
from ghostmem.text.question import is_question, names_something, tells_time
from ghostmem.text.temporal import day_match, month_match, window_match

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_SPREAD_SAMPLE = 20  # cosines from which their spread is known
USUAL_DEVIATION = 0.1  # the standard deviation that cosines are brought to
MIN_DEVIATION = 0.04  # cosines that are all alike are not stretched further than from this
BEST_OF_THREAD = 3  # cosines whose mean counts for a whole thread


def measure(ns_query: NamespaceQuery, candidates: Candidates) -> None:
    """Set the features of every candidate."""
    _measure_words(ns_query, candidates)
    if ns_query.vectors is not None:
        _measure_meaning(ns_query.vectors, candidates)
    _measure_fields(ns_query, candidates.matches)


def _measure_words(ns_query: NamespaceQuery, candidates: Candidates) -> None:
    """Set the features `lexical` and, in threads, `wording`."""
    matches, threads, _ = candidates
    weights, inner, space = ns_query.words.weights, ns_query.words.inner, ns_query.space
    average = max(1.0, space.length / max(1, space.chunks))
    terms = [match.chunk.terms.split() for match in matches]
    own = [lexical.term_worths(chunk_terms, weights, average) for chunk_terms in terms]
    with_inner_words = set(inner.chunks)
    for match, worths in zip(matches, own, strict=True):
        if match.chunk.chunk in with_inner_words:
            for number, worth in inner.worths(match.chunk).items():
                worths[number] = max(worths.get(number, 0.0), worth)
    for match, worths in zip(matches, lexical.spread(own, threads), strict=True):
        match.features["lexical"] = lexical.score(worths, weights)
    mean = ns_query.tx.search.thread_average(space.number) if threads else 1.0
    for thread in threads:
        counts: dict[int, float] = defaultdict(float)
        for at in thread.items:
            for term in terms[at] if own[at] else ():
                for number, worth in weights.matches.get(term, ()):
                    counts[number] += worth
        share = lexical.thread_score(counts, thread.length, mean, weights)
        for at in thread.items:
            matches[at].features["wording"] = share


def _measure_meaning(query: QueryVector, candidates: Candidates) -> None:
    """Set the cosines and the features `own`, `mixed` and, in threads, `thread`."""
    import numpy as np

    matches, threads, _ = candidates
    vectors, has_vector = query.chunks.vectors(
        np.array([match.chunk.chunk for match in matches], np.int64)
    )
    cosines = np.vecdot(vectors, query.vector)
    mixed = vectors.copy()
    pairs = [pair for thread in threads for pair in thread.pairs()]
    left, right = np.array(pairs, np.intp).reshape(-1, 2).T  # each item is once on either side
    mixed[right] += BEFORE * vectors[left]
    mixed[left] += AFTER * vectors[right]
    mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12)
    own = _stretched(cosines, has_vector).tolist()
    blended = _stretched(np.vecdot(mixed, query.vector), has_vector).tolist()
    for at in np.flatnonzero(has_vector).tolist():
        matches[at].cosine = float(cosines[at])
        matches[at].features |= {"own": own[at], "mixed": blended[at]}
    for thread in threads:
        best = float(np.sort(cosines[thread.items])[-BEST_OF_THREAD:].mean())
        for at in thread.items:
            matches[at].features["thread"] = best


def _stretched(cosines: NDArray[np.float32], has_vector: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Give the cosines of many candidates the usual spread.

    Those of a vague question are close together and would otherwise count for little."""
    measured = cosines[has_vector]
    if len(measured) < MIN_SPREAD_SAMPLE:
        return cosines
    mean, deviation = float(measured.mean()), max(float(measured.std()), MIN_DEVIATION)
    return mean + (cosines - mean) * (USUAL_DEVIATION / deviation)


def _measure_fields(ns_query: NamespaceQuery, matches: list[ChunkMatch]) -> None:
    """Set the features of source, time, form and kind that the question asks for."""
    query, times, question = ns_query.query, ns_query.query.times, ns_query.query.question
    source = _named_source(query, ns_query.sources)
    identifiers = {term for term in query.terms if _is_identifier(term)}
    newest = _newest(matches) if times.recent else {}
    for match in matches:
        chunk, features = match.chunk, match.features
        if source is not None:
            features["source"] = float(chunk.source_user == source)
        if times.months:
            features["month"] = month_match(times, chunk.created_at)
            features["day"] = day_match(times, chunk.created_at)
        if times.window is not None:
            features["window"] = window_match(times, chunk.created_at)
        if is_question(chunk.text):
            features["question"] = 1.0
        if question.when:
            features["when"] = float(tells_time(chunk.text))
        if question.where:
            features["place"] = float(names_something(chunk.text))
        if identifiers:
            shared = identifiers.intersection(chunk.terms.split())
            features["identifier"] = len(shared) / len(identifiers)
        if times.recent:
            features["recency"] = newest.get(chunk.chunk, 0.0)
        if times.relative:
            features["episode"] = float(chunk.kind == "episodic")


def _named_source(query: Query, sources: list[str]) -> str | None:
    """Return the source that a question names, if it names exactly one."""
    words = set(query.words)
    named = [name for name in sources if words.intersection(name.lower().split())]
    return named[0] if len(named) == 1 else None


def _is_identifier(term: str) -> bool:
    """Return whether a term is a number, a code or a path rather than a word."""
    if not term.isascii() or len(term) < 2:
        return False
    return len(term) > 4 if term.isdigit() else not term.isalpha()


def _newest(matches: list[ChunkMatch]) -> dict[int, float]:
    """Return 1 for the newest chunk that is about the question, and less for each older one."""
    best = max((match.features["lexical"] for match in matches), default=0.0)
    about = [match.chunk for match in matches if match.features["lexical"] >= best / 2]
    about.sort(key=lambda chunk: chunk.created_at, reverse=True)
    return {chunk.chunk: 1 / (1 + place) for place, chunk in enumerate(about)}
