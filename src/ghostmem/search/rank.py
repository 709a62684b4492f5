"""Rank memories for a question: each namespace by its own statistics, merged on one scale.

Search and context share this ranking."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from math import exp, log
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from ghostmem.embed.base import Embedder
from ghostmem.errors import EmbeddingError
from ghostmem.frozen import frozen
from ghostmem.lazy import NDArray, np
from ghostmem.model import NsFilter
from ghostmem.search.candidates import (
    ChunkMatch,
    NamespaceQuery,
    QueryVector,
    find_candidates,
    shortlist,
)
from ghostmem.search.cutoff import answers, has_answer, measure_evidence
from ghostmem.search.features import measure
from ghostmem.search.query import Query
from ghostmem.search.query_words import corrected, expect_words, match_words
from ghostmem.search.relevance import judge_relevance
from ghostmem.search.score import score_by_rank, score_linear
from ghostmem.store import Filter, Space, Store, Transaction, Vectoriser
from ghostmem.text.chunk import CHUNKER

MIN_KNOWN_WORDS = 0.5  # the share of a question's words that a model must know to embed it
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
MAX_READ = 30  # best search results that are considered
MIN_BEST = 0.1  # the chance that the best memory needs, or nothing matters for the prompt
MIN_CHANCE = 0.02  # the chance that every other one needs
MIN_TERMS = 3  # of a prompt: shorter ones count as these


@frozen
class Ranking:
    """Ranked candidates, best first.

    `complete` is False when a namespace, or part of it, could not be searched by meaning although a
    model is configured."""

    matches: list[ChunkMatch]  # each memory by its best chunk, or every chunk
    answers: list[ChunkMatch]  # those that are about the question
    retrievers: tuple[str, ...]
    notes: tuple[str, ...]
    complete: bool


class StillLoadingError(Exception):
    """A search by words found no answer, and the embedding model is still being loaded."""


def waits_for_model(
    function: Callable[Concatenate[Store, Parameters], Result],
) -> Callable[Concatenate[Store, Parameters], Result]:
    """Repeat a search without results by words once the embedding model has been waited for."""

    @wraps(function)
    def waiting(store: Store, /, *args: Parameters.args, **fields: Parameters.kwargs) -> Result:
        try:
            return function(store, *args, **fields)
        except StillLoadingError:
            store.vectoriser.wait()
            return function(store, *args, **fields)

    return waiting


def read_ahead(store: Store, tx: Transaction, query: Query, filter_: Filter) -> None:
    """Read what a search in one namespace needs first in as few round trips as possible."""
    ns = filter_.ns
    if ns and not ns.is_prefix:
        tx.ahead(
            lambda: tx.notes.folders(ns),
            lambda: tx.search.spaces([str(ns)]),
            lambda: expect_words(tx, str(ns), query),
            lambda: tx.listing.has_closed(ns, query.now),
            lambda: store.vectoriser.find_model(tx),
        )


def rank(
    store: Store,
    tx: Transaction,
    query: Query,
    filter_: Filter,
    min_score: float | None = None,
    pieces: bool = False,
    *,
    judged: bool = True,
) -> Ranking:
    """Rank memories that pass a filter, each by its best chunk, or with `pieces` every chunk.

    Without `judged`, the judge does not read the best ones."""
    ns, vectoriser = filter_.ns, store.vectoriser
    is_linear = store.settings.fusion == "linear"
    names = tx.search.names(ns.prefix) if ns.is_prefix or not ns else [str(ns)]
    spaces = [space for space in tx.search.spaces(names) if space.chunks]
    vectors = QueryVectors(tx, vectoriser)
    chunks: list[ChunkMatch] = []
    matches: list[ChunkMatch] = []
    retrievers = {"text", "substring"}
    for space in spaces:
        ns_query = vectors.ask(space, query, replace(filter_, ns=NsFilter(space.name)))
        candidates = find_candidates(ns_query)
        measure(ns_query, candidates)
        if is_linear:
            matches += score_linear(candidates, query, ns_query.vectors is not None)
        else:
            matches += score_by_rank(candidates, query)
        retrievers.update(candidates.retrievers)
        measure_evidence(candidates, ns_query, is_linear)
        chunks += candidates.matches
    if len(names) > 1:
        matches.sort(key=lambda match: (match.space.name, match.chunk.key))
        matches.sort(key=lambda match: (match.score, match.chunk.created), reverse=True)
    if not pieces:  # each memory once, by its best chunk
        best: dict[str, ChunkMatch] = {}
        for match in matches:
            best.setdefault(match.chunk.memory_id, match)
        matches = list(best.values())
    notes: tuple[str, ...] = ()
    # without an embedding model that is loaded, no second model is loaded either
    if judged and is_linear and (vectors.embedder is not None or store.settings.judge == "on"):
        matches, notes = judge_relevance(store.settings, query, matches, vectoriser.has_time)
    is_answered = has_answer(chunks)
    has_words = any(char.isalnum() for char in query.text)
    if spaces and not is_answered and has_words and vectoriser.may_wait:
        raise StillLoadingError  # nothing may be called irrelevant before its meaning was compared
    return Ranking(
        matches,
        answers(matches, is_answered, min_score, store.settings.abstain),
        tuple(sorted(retrievers)),
        tuple(dict.fromkeys((*vectors.notes, *notes))),
        # every note is about missing vectors
        not vectoriser.wanted or (not vectors.notes and vectors.embedder is not None),
    )


def rank_superseded(
    store: Store,
    tx: Transaction,
    query: Query,
    filter_: Filter,
    limit: int,
    min_score: float | None = None,
) -> list[ChunkMatch]:
    """Return the best memories that would have been answers if they had not ended."""
    if filter_.closed is None or not tx.listing.has_closed(filter_.ns, query.now):
        return []
    return rank(
        store,
        tx,
        replace(query, limit=limit),
        replace(filter_, tiers=(), closed=True),
        min_score,
        judged=False,
    ).answers[:limit]


class QueryVectors:
    """Vectors of one question for several namespaces, and notes about missing vectors."""

    def __init__(self, tx: Transaction, vectoriser: Vectoriser) -> None:
        self._tx = tx
        self.embedder = vectoriser.get(tx)
        self.notes = [vectoriser.problem] if vectoriser.problem else []
        if vectoriser.is_loading:
            self.notes.append("the embedding model is still loading: searched by words only")
        self._known: dict[str, NDArray[np.float32] | None] = {}

    def ask(self, space: Space, query: Query, filter_: Filter) -> NamespaceQuery:
        """Return a question in a namespace, with vectors if there are any to compare."""
        tx = self._tx
        sources = tx.search.sources(space)
        words = match_words(tx, space, query, sources)
        ns_query = NamespaceQuery(tx, space, query, filter_, sources, words)
        if self.embedder is None:
            return ns_query
        vector = self._embed(
            self.embedder, _without_names(corrected(tx, query.text, words, filter_), sources)
        )
        if vector is None:
            return ns_query
        model = tx.vectors.find(self.embedder.model, len(vector), CHUNKER)
        view = None if model is None else tx.vectors.view(model, space)
        if view is not None:
            tx.ahead(lambda: view.expect_nearest(vector, shortlist(query) * 2))
        if view is None or not view.count:
            name = self.embedder.model
            self.notes.append(f"{space.name} has no vectors of {name} yet; `ghost embed backfill`")
            return ns_query
        pending = space.chunks - view.count
        if pending > 0 and (pending := pending - tx.vectors.plain(space)) > 0:
            self.notes.append(
                f"{pending} chunks of {space.name} have no vectors yet; `ghost embed backfill`"
            )
        return replace(ns_query, vectors=QueryVector(vector, view, self.embedder.thresholds.answer))

    def _embed(self, embedder: Embedder, text: str) -> NDArray[np.float32] | None:
        """Embed a text once; None when the provider fails or the model does not know its words."""
        if text not in self._known:
            self._known[text] = None
            try:
                # a model gives all texts whose words it does not know one and the same vector
                if embedder.known(text) >= MIN_KNOWN_WORDS:
                    self._known[text] = embedder.embed([text])[0]
            except EmbeddingError as error:
                self.notes.append(str(error))
        return self._known[text]


def _without_names(text: str, sources: list[str]) -> str:
    """Leave out the names of sources: many memories mention them, and they hide other words."""
    names = {part for source in sources for part in source.split()}
    if not names:
        return text
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    remaining = re.sub(
        rf"\b(?:{'|'.join(longest_first)})(?:['’]s)?\b", "", text, flags=re.IGNORECASE
    )
    return remaining if any(char.isalnum() for char in remaining) else text


class _Weights(NamedTuple):
    """The weights of what speaks for a memory, by provider of vectors."""

    bias: float
    score: float  # of the search
    cosine: float
    best_cosine: float  # of all memories: where all are similar, similarity tells less
    shared: float  # terms of the prompt that the memory shares, by rarity
    terms: float  # the logarithm of the number of terms of the prompt
    memories: float  # the logarithm of the number of memories


_BY_MEANING = _Weights(-5.98, 1.64, 9.32, -2.03, 0.85, 0.80, -0.35)
_BY_WORDS = _Weights(-4.27, 2.17, 0.0, 0.0, 1.16, 0.70, -0.53)


def rank_for_task(store: Store, tx: Transaction, query: Query, filter_: Filter) -> Ranking:
    """Rank memories by their chance to matter for a task; `answers` has those that do."""
    ranking = rank(store, tx, query, filter_, judged=False)
    matches = ranking.matches[:MAX_READ]
    by_chance = sorted(zip(_chances(matches, query), matches, strict=True), key=lambda row: -row[0])
    if not by_chance or by_chance[0][0] < MIN_BEST:
        return replace(ranking, answers=[])
    return replace(ranking, answers=[match for chance, match in by_chance if chance >= MIN_CHANCE])


def _chances(matches: list[ChunkMatch], query: Query) -> list[float]:
    cosines = [match.cosine for match in matches if match.cosine is not None]
    weights = _BY_MEANING if cosines else _BY_WORDS
    best = max(cosines, default=0.0)
    terms = max(MIN_TERMS, len(query.terms))
    log_odds = (
        (
            weights.bias
            + weights.score * match.score
            + weights.cosine * (match.cosine or 0.0)
            + weights.best_cosine * best
            + weights.shared * match.feature("lexical") * len(query.terms)
            + weights.terms * log(terms)
            + weights.memories * log(max(1, match.space.chunks))
        )
        for match in matches
    )
    return [1 / (1 + exp(-odds)) for odds in log_odds]
