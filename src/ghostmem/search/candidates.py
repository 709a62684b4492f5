"""Collect the chunks of one namespace that may answer a question.

Each retriever (text, substring, spelling, vector) gives a shortlist; neighbours in the same
conversation thread are added to these."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.lazy import NDArray, np
from ghostmem.search import lexical
from ghostmem.search.query import Query
from ghostmem.search.query_words import QueryWords
from ghostmem.store import ChunkCandidate, Filter, Space, Transaction

if TYPE_CHECKING:
    from ghostmem.store.nearest import VectorView

MIN_SHORTLIST = 120  # chunks of each retriever
MAX_ALLOWED = 20_000  # filters that pass no more chunks than this are applied before ranking
MAX_WHOLE_THREAD = 80  # threads up to this many chunks are added whole
FAR_APART = 100  # places between two chunks of a thread that are not known to be neighbours


class QueryVector(NamedTuple):
    """The vector of a question, the vectors of the chunks, and the model's threshold of answers."""

    vector: NDArray[np.float32]
    chunks: VectorView
    threshold: float


@frozen
class NamespaceQuery:
    """A question in one namespace: the filter, the matching words, and vectors if there are any."""

    tx: Transaction
    space: Space
    query: Query
    filter_: Filter
    sources: list[str]  # users that memories of the namespace come from
    words: QueryWords
    vectors: QueryVector | None = None


@dataclass(eq=False, repr=False)
class FeatureTable:
    """The features of all candidates of one namespace: a column of values for each feature.

    Columns have the order of the candidates; 0 stands for a feature that a candidate lacks."""

    ranks: Mapping[str, Mapping[int, int]] = field(default_factory=dict)  # retriever -> chunk
    features: dict[str, list[float]] = field(default_factory=dict)
    summands: dict[str, list[float]] = field(default_factory=dict)  # features times weights


@dataclass(slots=True, eq=False, repr=False)
class ChunkMatch:
    """A chunk that may answer a question: a row of the table of features and, later, a score."""

    chunk: ChunkCandidate
    space: Space
    table: FeatureTable
    row: int = 0
    cosine: float | None = None
    relevance: float | None = None  # the judge's probability that it answers the question
    opinion: float = 0.0  # the summand of that probability
    newer: float = 0.0  # the summand of a fact that is newer than others that answer as well
    total: float = 0.0  # the sum of the summands
    limit: float = 0.0  # the sum that the summands could reach
    score: float = 0.0
    margin: float = 0.0  # evidence that it is about the question, less the evidence needed
    specified: float = 0.0  # relevance as the specified context score counts it, from 0 to 1
    parts: dict[str, float] | None = None  # of the score, where they are not scaled summands

    @property
    def ranks(self) -> dict[str, int]:
        """Return the rank in the shortlist of each retriever that found the chunk."""
        number = self.chunk.chunk
        return {
            retriever: places[number]
            for retriever, places in self.table.ranks.items()
            if number in places
        }

    @property
    def summands(self) -> dict[str, float]:
        """Return the features that the chunk has, times their weights."""
        return {
            name: column[self.row]
            for name, column in self.table.summands.items()
            if column[self.row]
        }

    def feature(self, name: str) -> float:
        """Return the value of a feature, 0 if the chunk lacks it."""
        column = self.table.features.get(name)
        return column[self.row] if column is not None else 0.0


class Candidates(NamedTuple):
    """The candidates of one namespace, their features, their threads, and the retrievers run."""

    matches: list[ChunkMatch]
    table: FeatureTable
    terms: list[list[str]]  # of each of them
    threads: list[lexical.ThreadItems]  # items are positions in `matches`
    retrievers: tuple[str, ...]


def find_candidates(ns_query: NamespaceQuery) -> Candidates:
    """Return the chunks that may answer a question, and the threads that they are part of."""
    shortlists = _shortlists(ns_query)
    seeds = {chunk.chunk: chunk for chunks in shortlists.values() for chunk in chunks}
    chunks, threads = _with_neighbours(ns_query, list(seeds.values()))
    table = FeatureTable(
        {
            retriever: {chunk.chunk: rank for rank, chunk in enumerate(listed, 1)}
            for retriever, listed in shortlists.items()
        }
    )
    return Candidates(
        [ChunkMatch(chunk, ns_query.space, table, row) for row, chunk in enumerate(chunks)],
        table,
        [chunk.terms.split() for chunk in chunks],
        threads,
        tuple(shortlists),
    )


def shortlist(query: Query) -> int:
    """Return the number of chunks that each retriever gives, of twice as many that it finds."""
    return max(MIN_SHORTLIST, query.limit)


def _shortlists(ns_query: NamespaceQuery) -> dict[str, list[ChunkCandidate]]:
    """Return the best chunks of each retriever that pass the filter.

    A filter that passes few chunks is applied first."""
    count = shortlist(ns_query.query)
    best = _retrieve(ns_query, count * 2)
    shortlists = _filtered(ns_query, best, count)
    if (
        sum(map(len, shortlists.values()))
        < sum(min(count, len(chunks)) for chunks in best.values()) / 2
    ):
        allowed = ns_query.tx.search.allowed(ns_query.space, ns_query.filter_, MAX_ALLOWED)
        if allowed is not None:
            best = _retrieve(ns_query, count * 2, set(allowed))
            shortlists = _filtered(ns_query, best, count)
    shortlists["substring"] = [
        chunk for chunk in shortlists["substring"] if ns_query.words.inner.worths(chunk)
    ]
    return shortlists


def _retrieve(
    ns_query: NamespaceQuery, count: int, allowed: set[int] | None = None
) -> dict[str, list[int]]:
    """Return the best chunks of each retriever, best first, of all chunks or of those allowed."""
    words, postings = ns_query.words, ns_query.words.postings
    if allowed is not None:
        postings = {
            term: array("q", [chunk for chunk in chunks if chunk in allowed])
            for term, chunks in postings.items()
        }
    best = {
        "text": lexical.best_chunks(words.weights, postings, count),
        "substring": words.inner.chunks,
    }
    if words.spellings.matches:
        best["spelling"] = lexical.best_chunks(words.spellings, postings, count)
    if ns_query.vectors is not None:
        best["vector"] = ns_query.vectors.chunks.nearest(ns_query.vectors.vector, count, allowed)
    return best


def _filtered(
    ns_query: NamespaceQuery, best: Mapping[str, list[int]], count: int
) -> dict[str, list[ChunkCandidate]]:
    """Return the first `count` chunks of each retriever that pass a filter, each read once."""
    search = ns_query.tx.search
    read: dict[int, ChunkCandidate] = {}
    passed: dict[str, list[ChunkCandidate]] = {retriever: [] for retriever in best}
    for start in range(0, max(map(len, best.values())), count):
        batches = {
            retriever: chunks[start : start + count]
            for retriever, chunks in best.items()
            if len(passed[retriever]) < count
        }
        if fresh := [
            number
            for number in dict.fromkeys(itertools.chain(*batches.values()))
            if number not in read
        ]:
            read_chunks = partial(search.candidates, fresh, ns_query.filter_, ns_query.space)
            vectors = () if ns_query.vectors is None else (ns_query.vectors.chunks.expect,)
            # the vectors are compared later
            ns_query.tx.ahead(read_chunks, *(partial(expect, fresh) for expect in vectors))
            read |= {chunk.chunk: chunk for chunk in read_chunks()}
        for retriever, chunks in batches.items():
            passed[retriever] += [read[number] for number in chunks if number in read]
    return {retriever: chunks[:count] for retriever, chunks in passed.items()}


def _with_neighbours(
    ns_query: NamespaceQuery, seeds: list[ChunkCandidate]
) -> tuple[list[ChunkCandidate], list[lexical.ThreadItems]]:
    """Add the neighbours of seeds in their threads, and return the threads in order."""
    search, window = ns_query.tx.search, (len(lexical.BEFORE), len(lexical.AFTER))
    by_thread = grouped((seed.thread, seed) for seed in seeds if seed.thread is not None)
    chunks = {seed.chunk: seed for seed in seeds}
    if not by_thread:
        return seeds, []
    sizes = search.threads(ns_query.space, by_thread)
    runs: dict[int, list[list[ChunkCandidate]]] = {}
    for number, members in by_thread.items():
        if sizes[number][0] <= MAX_WHOLE_THREAD:
            runs[number] = [search.thread(number, ns_query.filter_)]
        else:
            runs[number] = [
                sorted(
                    [*search.around(number, _place(seed), *window, ns_query.filter_), seed],
                    key=_place,
                )
                for seed in members
            ]
        chunks |= {chunk.chunk: chunk for run in runs[number] for chunk in run}
    positions = {chunk: position for position, chunk in enumerate(chunks)}
    return list(chunks.values()), [
        _thread(parts, positions, sizes[number][1]) for number, parts in runs.items()
    ]


def _place(chunk: ChunkCandidate) -> str:
    return chunk.place or ""


def _thread(
    runs: list[list[ChunkCandidate]], positions: dict[int, int], length: int
) -> lexical.ThreadItems:
    """Join windows on one thread; only chunks that were together in a window are neighbours."""
    together = {(a.chunk, b.chunk) for run in runs for a, b in itertools.pairwise(run)}
    members = {chunk.chunk: chunk for run in runs for chunk in run}.values()
    thread = lexical.ThreadItems(length=length)
    place, previous = 0, None
    for chunk in sorted(members, key=_place):
        place += 1 if previous is None or (previous.chunk, chunk.chunk) in together else FAR_APART
        thread.items.append(positions[chunk.chunk])
        thread.places.append(place)
        previous = chunk
    return thread
