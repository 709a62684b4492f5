"""Measure the candidates of a question: their wording, their meaning, and their fields."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from ghostmem.lazy import NDArray, np
from ghostmem.search import lexical
from ghostmem.search.candidates import Candidates, NamespaceQuery, QueryVector
from ghostmem.search.score import AFTER, BEFORE
from ghostmem.store import ChunkCandidate
from ghostmem.text.question import is_question, names_something, tells_time
from ghostmem.text.temporal import day_match, month_match, window_match

MIN_SPREAD_SAMPLE = 20  # cosines from which their spread is known
USUAL_DEVIATION = 0.1  # the standard deviation that cosines are brought to
MIN_DEVIATION = 0.04  # cosines that are all alike are not stretched further than from this
BEST_OF_THREAD = 3  # cosines whose mean counts for a whole thread


def measure(ns_query: NamespaceQuery, candidates: Candidates) -> None:
    """Fill the table of features."""
    _measure_words(ns_query, candidates)
    if ns_query.vectors is not None:
        _measure_meaning(ns_query.vectors, candidates)
    _measure_fields(ns_query, candidates)


def _measure_words(ns_query: NamespaceQuery, candidates: Candidates) -> None:
    """Set the features `lexical` and, in threads, `wording`."""
    matches, table, terms, threads, _ = candidates
    weights, inner, space = ns_query.words.weights, ns_query.words.inner, ns_query.space
    average = max(1.0, space.length / max(1, space.chunks))
    own_worths = [lexical.term_worths(chunk_terms, weights, average) for chunk_terms in terms]
    with_inner_words = set(inner.chunks)
    for match, worths in zip(matches, own_worths, strict=True) if with_inner_words else ():
        if match.chunk.chunk in with_inner_words:
            for number, worth in inner.worths(match.chunk).items():
                worths[number] = max(worths.get(number, 0.0), worth)
    table.features["lexical"] = [
        lexical.score(worths, weights) for worths in lexical.spread(own_worths, threads)
    ]
    if threads:
        matching = [
            chunk_terms if worths else ()
            for chunk_terms, worths in zip(terms, own_worths, strict=True)
        ]
        table.features["wording"] = _thread_wording(ns_query, threads, matching)


def _thread_wording(
    ns_query: NamespaceQuery,
    threads: Sequence[lexical.ThreadItems],
    terms: Sequence[Sequence[str]],
) -> list[float]:
    """Return for each candidate the wording of its whole thread, 0 outside of threads."""
    weights = ns_query.words.weights
    mean = ns_query.tx.search.thread_average(ns_query.space)
    wording = [0.0] * len(terms)
    for thread in threads:
        counts: dict[int, float] = defaultdict(float)
        for position in thread.items:
            for term in terms[position]:
                for number, worth in weights.matches.get(term, ()):
                    counts[number] += worth
        share = lexical.thread_score(counts, thread.length, mean, weights)
        for position in thread.items:
            wording[position] = share
    return wording


def _measure_meaning(query: QueryVector, candidates: Candidates) -> None:
    """Set the cosines and the features `own`, `mixed` and, in threads, `thread`."""
    matches, table, _, threads, _ = candidates
    vectors, has_vector = query.chunks.vectors(
        np.array([match.chunk.chunk for match in matches], np.int64)
    )
    cosines = np.vecdot(vectors, query.vector)
    mixed = vectors
    if pairs := [pair for thread in threads for pair in thread.pairs()]:
        left, right = np.array(pairs, np.intp).T  # each item is once on either side
        mixed = vectors.copy()
        mixed[right] += BEFORE * vectors[left]
        mixed[left] += AFTER * vectors[right]
    blended = (np.vecdot(mixed, query.vector) if pairs else cosines) / np.maximum(
        np.sqrt(np.vecdot(mixed, mixed)), 1e-12
    )
    table.features["own"] = np.where(has_vector, _stretched(cosines, has_vector), 0.0).tolist()
    table.features["mixed"] = np.where(has_vector, _stretched(blended, has_vector), 0.0).tolist()
    for match, cosine, is_measured in zip(
        matches, cosines.tolist(), has_vector.tolist(), strict=True
    ):
        match.cosine = cosine if is_measured else None
    if threads:
        column = table.features["thread"] = [0.0] * len(matches)
        for thread in threads:
            best = float(np.sort(cosines[thread.items])[-BEST_OF_THREAD:].mean())
            for position in thread.items:
                column[position] = best


def _stretched(cosines: NDArray[np.float32], has_vector: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Give the cosines of many candidates the usual spread.

    Those of a vague question are close together and would otherwise count for little."""
    measured = cosines[has_vector]
    if len(measured) < MIN_SPREAD_SAMPLE:
        return cosines
    mean, deviation = float(measured.mean()), max(float(measured.std()), MIN_DEVIATION)
    return mean + (cosines - mean) * (USUAL_DEVIATION / deviation)


def _measure_fields(ns_query: NamespaceQuery, candidates: Candidates) -> None:
    """Set the features of source, time, form and kind that the question asks for."""
    query, times, question = ns_query.query, ns_query.query.times, ns_query.query.question
    features, chunks = candidates.table.features, [match.chunk for match in candidates.matches]
    words, identifiers = set(query.words), set(filter(_is_identifier, query.terms))
    named_sources = [name for name in ns_query.sources if words.intersection(name.lower().split())]
    recency = _recency(chunks, features["lexical"]) if times.recent else {}
    # features with the parts of the question that ask for them, in the order of a receipt
    measures: dict[str, tuple[object, Callable[[ChunkCandidate], float]]] = {
        "source": (len(named_sources) == 1, lambda chunk: chunk.source_user == named_sources[0]),
        "month": (times.months, lambda chunk: month_match(times, chunk.created_at)),
        "day": (times.months, lambda chunk: day_match(times, chunk.created_at)),
        "window": (times.window, lambda chunk: window_match(times, chunk.created_at)),
        "recency": (recency, lambda chunk: recency.get(chunk.chunk, 0.0)),
        "episode": (times.relative, lambda chunk: chunk.kind == "episodic"),
        "question": (True, lambda chunk: is_question(chunk.text)),
        "when": (question.when, lambda chunk: tells_time(chunk.text)),
        "place": (question.where, lambda chunk: names_something(chunk.text)),
        "identifier": (
            identifiers,
            lambda chunk: len(identifiers.intersection(chunk.terms.split())) / len(identifiers),
        ),
    }
    features |= {
        name: [float(value_of(chunk)) for chunk in chunks]
        for name, (is_asked, value_of) in measures.items()
        if is_asked
    }


def is_code(term: str) -> bool:
    """Return whether a term is a long number, a code or a path, not a compound like `full-time`."""
    return _is_identifier(term) and not term.replace("-", "").isalpha()


def _is_identifier(term: str) -> bool:
    """Return whether a term is a long number, a code, a path or a compound rather than a word."""
    has_form = len(term) > 4 if term.isdigit() else not term.isalpha()
    return has_form and term.isascii() and len(term) > 1


def _recency(chunks: list[ChunkCandidate], wording: list[float]) -> dict[int, float]:
    """Return 1 for the newest chunk that is about the question, and less for each older one."""
    least = max(wording, default=0.0) / 2
    about = [chunk for chunk, share in zip(chunks, wording, strict=True) if share >= least]
    about.sort(key=lambda chunk: chunk.created, reverse=True)
    return {chunk.chunk: 1 / place for place, chunk in enumerate(about, 1)}
