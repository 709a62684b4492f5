"""search: find memories by words, by parts of words and by meaning, and say why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.engine.rows import Filter, Space
from ghostmem.errors import EmbeddingError
from ghostmem.hit import Hit, Hits, Receipt
from ghostmem.model import NsFilter, Tier
from ghostmem.rank.score import WITH_VECTORS, WITHOUT_VECTORS
from ghostmem.text.calendar import RECENT, TIME_WORDS
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.question import read_question
from ghostmem.text.stem import stem
from ghostmem.text.temporal import Times, times_in
from ghostmem.text.terms import STOP_WORDS, query_terms
from ghostmem.times import as_time
from ghostmem.verbs import accept
from ghostmem.verbs.asked import Asked, Pool
from ghostmem.verbs.narrow import narrowed
from ghostmem.verbs.pool import gather
from ghostmem.verbs.ranking import Scored, best_chunks, fused, is_evidence, is_sure, linear
from ghostmem.verbs.store import Store

if TYPE_CHECKING:
    from typing import Unpack

    import numpy as np
    from numpy.typing import NDArray

    from ghostmem.embed.base import Embedder
    from ghostmem.engine.base import Transaction
    from ghostmem.verbs.narrow import Narrow

    class SearchFields(Narrow, total=False):
        """What a search may be narrowed and explained by."""

        limit: int
        tiers: Iterable[str] | None
        include_all: bool
        min_score: float | None
        explain: bool
        now: datetime | str | None


AWAKE = (str(Tier.STM), str(Tier.LTM))  # dormant and sensory are left out unless asked for
MISSES = 3
KNOWN = 0.5  # how much of a question a model must have words for
LONGEST = 20_000  # characters of a question that are read


def search(
    store: Store,
    query: str,
    ns: str | None = None,
    *,
    limit: int = 20,
    tiers: Iterable[str] | None = None,
    include_all: bool = False,
    min_score: float | None = None,
    explain: bool = False,
    now: datetime | str | None = None,
    **conditions: Unpack[Narrow],
) -> Hits:
    """Return the memories that answer a question best, best first; nothing when nothing is about it.

    The question is data, never syntax. Dormant and sensory memories are left out unless `tiers` or `include_all` asks for them.
    `min_score` replaces the calibrated floor; `explain` adds a receipt to every hit and the nearest misses; `now` is the time
    that words like "yesterday" count from.
    """
    text = accept.text(query, "query")[:LONGEST]
    accept.positive(limit, "limit")
    at = store.clock() if now is None else as_time(now, "now")
    chosen = tuple(str(accept.choice(tier, Tier, "tier")) for tier in tiers) if tiers else () if include_all else AWAKE
    which = replace(narrowed(**conditions), now=at, tiers=chosen)
    times = times_in(text, at)
    asked = Asked(text, _terms(text, times), _plain_words(text), times, read_question(text), at, limit)
    with store.engine.read() as tx:
        scored, legs, notes, sure = _all_spaces(store, tx, accept.ns_filter(ns), asked, which)
        kept = _kept(scored, sure, min_score, store.settings.abstain)
        hits = _hits(tx, kept[:limit], explain)
        if store.reranker is not None and hits:
            from ghostmem.verbs.rerank import rerank

            hits, late = rerank(text, hits, store.reranker, store.settings.rerank_deadline)
            notes = (*notes, late) if late else notes
        left = [s for s in scored if s not in kept[:limit]][:MISSES] if explain else []
        return Hits(hits, legs, _hits(tx, left, explain), notes)


def _kept(scored: list[Scored], sure: bool, min_score: float | None, abstain_: bool) -> list[Scored]:
    """Leave out what nothing speaks for, or everything when nothing is about the question; a caller's floor replaces both."""
    if min_score is not None:
        return [s for s in scored if s.score >= min_score]
    if not abstain_:
        return scored
    return [s for s in scored if is_evidence(s)] if sure else []


def _terms(text: str, times: Times) -> list[str]:
    """Return what a question looks for; words that were read as a time counted back from now are not looked for as words."""
    terms = query_terms(text)
    if not times.relative:
        return terms
    told = {stem(word) for word in (*TIME_WORDS, *RECENT)}
    return [term for term in terms if term not in told] or terms


def _plain_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", text.lower()) if word not in STOP_WORDS]


def _all_spaces(
    store: Store, tx: Transaction, ns: NsFilter, asked: Asked, which: Filter
) -> tuple[list[Scored], tuple[str, ...], tuple[str, ...], bool]:
    """Rank each namespace by its own statistics and merge by score, which is on one scale everywhere."""
    names = tx.search.names(ns.prefix) if ns.is_prefix or not ns else [str(ns)]
    embedder = store.vectoriser.get()
    legs = {"text", "substring"}
    notes = [store.vectoriser.problem] if store.vectoriser.problem else []
    scored: list[Scored] = []
    sure = False
    known: dict[str, NDArray[np.float32] | None] = {}
    for space in tx.search.spaces(names):
        if not space.chunks:
            continue
        pool, weights = _one_space(tx, space, asked, replace(which, ns=NsFilter(space.name)), embedder, known, notes)
        if weights is WITH_VECTORS:
            legs.add("vector")
        found = fused(space, pool, asked) if store.settings.fusion == "rrf" else linear(space, pool, weights, asked)
        sure = sure or is_sure(pool, asked, weights is WITH_VECTORS)
        scored += found
    if len(names) > 1:
        scored.sort(key=lambda s: (-s.score, -s.item.created_at.timestamp(), s.space.name, s.item.key))
    return best_chunks(scored), tuple(sorted(legs)), tuple(dict.fromkeys(notes)), sure


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
    query = None if embedder is None else _embedded(embedder, _without_names(asked.text, sources), known, notes)
    if embedder is None or query is None:
        return gather(tx, space, asked, which, None, sources), WITHOUT_VECTORS
    model = tx.vectors.find(embedder.model, len(query), CHUNKER)
    view = None if model is None else tx.vectors.view(model, space)
    if view is None or not len(view.ids):
        notes.append(f"{space.name} has no vectors of {embedder.model} yet; `ghost embed backfill`")
        return gather(tx, space, asked, which, None, sources), WITHOUT_VECTORS
    if len(view.ids) < space.chunks:
        notes.append(f"{space.chunks - len(view.ids)} chunks of {space.name} have no vectors yet; `ghost embed backfill`")
    return gather(tx, space, replace(asked, query=query), which, view, sources), WITH_VECTORS


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
    """Leave the names of the namespace's sources out: everybody's memories mention them, and they drown the rest."""
    names = {part for source in sources for part in source.split()}
    if not names:
        return text
    pattern = r"\b(?:" + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) + r")(?:['’]s)?\b"
    kept = re.sub(pattern, "", text, flags=re.IGNORECASE)
    return kept if any(char.isalnum() for char in kept) else text


def _hits(tx: Transaction, scored: list[Scored], explain: bool) -> list[Hit]:
    files = tx.memories.files(s.item.memory_id for s in scored) if scored else {}
    rows = tx.memories.by_ids([s.item.memory_id for s in scored])
    hits = []
    for s in scored:
        memory = rows[s.item.memory_id]
        memory = replace(memory, files=files[memory.id]) if memory.id in files else memory
        why = Receipt(s.ranks, {name: round(value, 4) for name, value in s.parts.items()}) if explain else None
        similarity = None if s.cosine is None else round(s.cosine, 3)
        hits.append(
            Hit(
                memory,
                round(s.score, 4),
                s.item.text,
                s.item.start_line,
                s.item.end_line,
                similarity,
                why,
            )
        )
    return hits
