"""The ranking that search and context share: every namespace by its own statistics, merged on one
scale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from ghostmem.errors import EmbeddingError
from ghostmem.model import NsFilter, Tier
from ghostmem.search.candidates import gather
from ghostmem.search.query import Asked, Pool
from ghostmem.search.ranking import Scored, best_chunks, fused, is_sure, linear
from ghostmem.search.score import WITH_VECTORS, WITHOUT_VECTORS
from ghostmem.search.wording import corrected, read_wording
from ghostmem.store.rows import Filter, Space
from ghostmem.store.store import Store
from ghostmem.text.calendar import RECENT, TIME_WORDS
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.question import read_question
from ghostmem.text.stem import stem
from ghostmem.text.temporal import Times, times_in
from ghostmem.text.terms import STOP_WORDS, query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ghostmem.embed.base import Embedder
    from ghostmem.store.protocol import Transaction

AWAKE = (str(Tier.STM), str(Tier.LTM))  # dormant and sensory are left out unless asked for
KNOWN = 0.5  # how much of a question a model must have words for
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
LONGEST = 20_000  # characters of a question that are read


@dataclass(frozen=True)
class Ranked:
    """Memories by their best chunk, best first.

    Which legs ran, what is to be said, and whether any answers.

    `complete` is False when a namespace, or part of it, could not be searched by meaning although a
    model is configured."""

    scored: list[Scored]
    legs: tuple[str, ...]
    notes: tuple[str, ...]
    sure: bool
    complete: bool = True
    chunks: int = 0  # in the namespaces that were searched


def ranked(
    store: Store,
    tx: Transaction,
    text: str,
    ns: NsFilter,
    which: Filter,
    at: datetime,
    count: int,
    pieces: bool = False,
) -> Ranked:
    """Rank everything that may answer a question, each memory by its best chunk, or with `pieces`
    every chunk.
    """
    text = text[:LONGEST]
    times = times_in(text, at)
    asked = Asked(
        text, _terms(text, times), _plain_words(text), times, read_question(text), at, count
    )
    found = _all_spaces(store, tx, ns, asked, which, pieces)
    has_words = any(char.isalnum() for char in text)
    if not found.sure and found.chunks and has_words and store.vectoriser.may_wait:
        raise StillLoadingError  # nothing may be called irrelevant before its meaning was compared
    return found


class StillLoadingError(Exception):
    """A search by words found no answer, and the embedding model is still being loaded."""


def waits_for_model(
    function: Callable[Concatenate[Store, Parameters], Result],
) -> Callable[Concatenate[Store, Parameters], Result]:
    """Repeat a search that finds nothing by words once the model is loaded, or once it took too
    long.
    """

    @wraps(function)
    def waiting(store: Store, /, *args: Parameters.args, **fields: Parameters.kwargs) -> Result:
        try:
            return function(store, *args, **fields)
        except StillLoadingError:
            store.vectoriser.wait()
            return function(store, *args, **fields)

    return waiting


def _terms(text: str, times: Times) -> list[str]:
    """Return what a question looks for.

    Words that were read as a time counted back from now are not looked for as words.
    """
    terms = query_terms(text)
    if not times.relative:
        return terms
    told = {stem(word) for word in (*TIME_WORDS, *RECENT)}
    return [term for term in terms if term not in told] or terms


def _plain_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", text.lower()) if word not in STOP_WORDS]


def _all_spaces(
    store: Store, tx: Transaction, ns: NsFilter, asked: Asked, which: Filter, pieces: bool
) -> Ranked:
    """Rank each namespace by its own statistics and merge by score, which is on one scale
    everywhere.
    """
    names = tx.search.names(ns.prefix) if ns.is_prefix or not ns else [str(ns)]
    embedder = store.vectoriser.get()
    legs = {"text", "substring"}
    notes = [store.vectoriser.problem] if store.vectoriser.problem else []
    if store.vectoriser.is_loading:
        notes.append("the embedding model is still loading: searched by words only")
    scored: list[Scored] = []
    sure = False
    known: dict[str, NDArray[np.float32] | None] = {}
    spaces = tx.search.spaces(names)
    for space in spaces:
        if not space.chunks:
            continue
        pool, weights = _one_space(
            tx, space, asked, replace(which, ns=NsFilter(space.name)), embedder, known, notes
        )
        if weights is WITH_VECTORS:
            legs.add("vector")
        legs |= pool.ranks.keys() & {"spelling"}
        is_linear = store.settings.fusion == "linear"
        found = linear(space, pool, weights, asked) if is_linear else fused(space, pool, asked)
        threshold = (
            embedder.thresholds.answer if embedder is not None and weights is WITH_VECTORS else None
        )
        sure = sure or is_sure(pool, found, asked, space, threshold, is_linear)
        scored += found
    if len(names) > 1:
        scored.sort(
            key=lambda s: (-s.score, -s.item.created_at.timestamp(), s.space.name, s.item.key)
        )
    # every note is about vectors that are missing
    complete = not store.vectoriser.wanted or (not notes and embedder is not None)
    found = scored if pieces else best_chunks(scored)
    return Ranked(
        found,
        tuple(sorted(legs)),
        tuple(dict.fromkeys(notes)),
        sure,
        complete,
        sum(space.chunks for space in spaces),
    )


def _one_space(
    tx: Transaction,
    space: Space,
    asked: Asked,
    which: Filter,
    embedder: Embedder | None,
    known: dict[str, NDArray[np.float32] | None],
    notes: list[str],
) -> tuple[Pool, Mapping[str, float]]:
    sources = tx.search.sources(space.name)
    words = read_wording(tx, space, asked, sources)
    query = None
    if embedder is not None:
        text = corrected(tx, asked.text, words, which)
        query = _embedded(embedder, _without_names(text, sources), known, notes)
    if embedder is None or query is None:
        return gather(tx, space, asked, words, which, None, sources), WITHOUT_VECTORS
    model = tx.vectors.find(embedder.model, len(query), CHUNKER)
    view = None if model is None else tx.vectors.view(model, space)
    if view is None or not view.count:
        notes.append(f"{space.name} has no vectors of {embedder.model} yet; `ghost embed backfill`")
        return gather(tx, space, asked, words, which, None, sources), WITHOUT_VECTORS
    if (
        view.count < space.chunks
        and (pending := space.chunks - view.count - tx.vectors.plain(space.number)) > 0
    ):
        notes.append(
            f"{pending} chunks of {space.name} have no vectors yet; `ghost embed backfill`"
        )
    return gather(tx, space, replace(asked, query=query), words, which, view, sources), WITH_VECTORS


def _embedded(
    embedder: Embedder, text: str, known: dict[str, NDArray[np.float32] | None], notes: list[str]
) -> NDArray[np.float32] | None:
    """Embed a question once, however many namespaces are asked; None when the provider fails."""
    if text not in known:
        try:
            # a model that has no words for a text gives every such text one and the same vector
            known[text] = embedder.embed([text])[0] if embedder.known(text) >= KNOWN else None
        except EmbeddingError as error:
            notes.append(str(error))
            known[text] = None
    return known[text]


def _without_names(text: str, sources: list[str]) -> str:
    """Leave the names of the namespace's sources out: everybody's memories mention them, and they
    drown the rest.
    """
    names = {part for source in sources for part in source.split()}
    if not names:
        return text
    pattern = (
        r"\b(?:"
        + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        + r")(?:['’]s)?\b"
    )
    kept = re.sub(pattern, "", text, flags=re.IGNORECASE)
    return kept if any(char.isalnum() for char in kept) else text
