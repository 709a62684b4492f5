"""search: find memories by words, parts of words and meaning, and say why each was found."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError
from ghostmem.model import Hit, Hits, Memory, Receipt, Rel
from ghostmem.notes.refresh import refreshed
from ghostmem.search.candidates import ChunkMatch
from ghostmem.search.corrections import (
    Corrections,
    find_corrections,
    in_order,
    reachable,
    with_corrections,
)
from ghostmem.search.cutoff import strong_count
from ghostmem.search.query import match_terms, read_query, search_filter
from ghostmem.search.rank import Ranking, rank, rank_superseded, read_ahead, waits_for_model
from ghostmem.search.score import parts_of
from ghostmem.store import Narrow, Store, Transaction, again, count, validate
from ghostmem.text.focus import find_place
from ghostmem.text.matches import QueryTerms
from ghostmem.truth.annotations import annotate_hits, ending
from ghostmem.truth.as_of import store_at

MAX_MISSES = 3  # best candidates below the cut-off that an explained search lists
MAX_SUPERSEDED = 5
WITHIN = ("notes", "memories")


def make_hits(
    tx: Transaction,
    matches: Sequence[ChunkMatch],
    terms: QueryTerms,
    explain: bool = False,
    strong: Set[str] | None = None,
    known: Mapping[str, Memory] = MappingProxyType({}),
) -> list[Hit]:
    """Return matches as hits; memories that are not in `strong`, if given, are weak hits.

    `known` are memories that need not be read again."""
    if not matches:
        return []
    ids = dict.fromkeys(match.chunk.memory_id for match in matches)
    rows = {id_: known[id_] for id_ in ids if id_ in known}
    unknown = [id_ for id_ in ids if id_ not in known]
    tx.ahead(lambda: tx.memories.by_ids(unknown), *_details(tx, ids))
    if unknown:
        rows |= tx.memories.by_ids(unknown)
    memories = {memory.id: memory for memory in tx.memories.with_refs(list(rows.values()))}
    places = tx.notes.places(memories)
    hits = []
    for match in matches:
        chunk, memory = match.chunk, memories[match.chunk.memory_id]
        focus = find_place(chunk.text, terms)
        place = places.get(memory.id)
        line = chunk.start_line - 1 + (focus.line if focus else 0)
        hits.append(
            Hit(
                memory,
                round(match.score, 4),
                chunk.text,
                chunk.start_line,
                chunk.end_line,
                None if match.cosine is None else round(match.cosine, 3),
                Receipt(
                    match.ranks,
                    {name: round(value, 4) for name, value in parts_of(match).items()},
                    None if match.relevance is None else round(match.relevance, 3),
                )
                if explain
                else None,
                place.path if place else None,
                place.line + line if place else None,
                place.root if place else None,
                weak=strong is not None and memory.id not in strong,
                match_start=focus.start if focus else None,
                match_end=focus.stop if focus else None,
            )
        )
    return hits


@again
@waits_for_model
def search(
    store: Store,
    query: str,
    ns: str | None = None,
    *,
    limit: int = 20,
    tiers: Iterable[str] | None = None,
    include_all: bool = False,
    min_score: float | None = None,
    weak: bool = False,
    explain: bool = False,
    within: str | None = None,
    pieces: bool = False,
    now: datetime | str | None = None,
    as_of: datetime | str | None = None,
    kind: str | None = None,
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    pinned: bool | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    source_client: str | None = None,
    after: datetime | str | None = None,
    before: datetime | str | None = None,
    valid_at: datetime | str | None = None,
    file: str | None = None,
    file_rel: str | None = None,
) -> Hits:
    """Return the memories that answer a question, best first.

    The question is plain text, never query syntax. Notes are synced first. Memories whose
    validity has ended are left out and listed in `superseded`; a correction comes before the
    memory it corrects.

    Args:
        query: Question or words to look for.
        ns: Namespace, prefix such as "agent:*", or None for all.
        limit: Maximum number of hits.
        tiers: Tiers to search; default: all but "dormant" and "sensory".
        include_all: Search every tier.
        min_score: Minimum score, from 0 to 1; replaces the calibrated cut-off.
        weak: Return weaker hits in the list too.
        explain: Add a receipt to every hit, and the nearest misses.
        within: "notes" or "memories", to search only these.
        pieces: Return every matching chunk of a memory, not only its best.
        now: Time that words such as "yesterday" count from; default: the clock.
        as_of: Search the store as it was at this time.
        kind: "semantic", "episodic" or "procedural".
        tags: Tags that a memory must all have.
        priority: "low", "normal", "high" or "critical".
        pinned: True for pinned memories only, False for all others.
        source_user: Name of the person who said it.
        source_kind: "stated", "observed", "self", "peer" or "import".
        source_scope: Conversation, session or place it comes from.
        source_client: Program that stored it.
        after: Created at or after this time.
        before: Created at or before this time.
        valid_at: True at this time.
        file: Path of a file that a memory is about.
        file_rel: What was done to the file: "modified", "created", "deleted" or "read".

    Returns:
        A list of hits, empty when nothing is about the question, with `weaker` (hits below
        the cut-off), `misses`, `superseded`, `legs` (search methods used), `notes` and
        `complete` (False while some texts have no vectors and were searched by words only).
    """
    store = store_at(store, ns, as_of)
    moment = store.clock() if now is None else as_time(now, "now")
    parsed = read_query(validate.text(query, "query"), moment, validate.positive(limit, "limit"))
    min_score = validate.number(min_score, "min_score")
    filter_ = search_filter(
        ns,
        moment,
        tiers,
        include_all,
        Narrow(
            kind=kind,
            tags=tags,
            priority=priority,
            pinned=pinned,
            source_user=source_user,
            source_kind=source_kind,
            source_scope=source_scope,
            source_client=source_client,
            after=after,
            before=before,
            valid_at=valid_at,
            file=file,
            file_rel=file_rel,
        ),
    )
    if within not in (None, *WITHIN):
        raise InvalidInputError(
            f"cannot search in {within!r}",
            f"use one of: {', '.join(WITHIN)}; or leave it out for both",
        )
    filter_ = replace(filter_, noted=None if within is None else within == "notes")
    terms = match_terms(query)
    with refreshed(
        store,
        filter_.ns if within != "memories" else None,
        filter_.ns,
        lambda tx: read_ahead(store, tx, parsed, filter_),
    ) as (tx, synced):
        ranking = rank(store, tx, parsed, filter_, min_score, pieces)
        ids = [match.chunk.memory_id for match in ranking.answers[:limit]]
        tx.ahead(
            lambda: tx.memories.by_ids(ids),
            lambda: tx.graph.touching(ids, [Rel.CONTRADICTS]),
            *_details(tx, set(ids)),
        )
        shown = tx.memories.by_ids(ids)
        corrections = find_corrections(tx, shown, ranking.matches, ranking.answers, filter_, moment)
        strong = _strong(ranking, corrections, store, min_score, pieces)
        matches = ranking.answers
        if corrections.before:
            matches = with_corrections(tx, matches, corrections.before, limit)
            matches = in_order(matches, corrections.before, lambda match: match.chunk.memory_id)
        matches = matches[:limit]
        hits = make_hits(tx, matches, terms, explain, strong, shown)
        hits, reranked = _reranked(store, query, hits, corrections)
        hits = annotate_hits(tx, hits, corrections.contradictions, corrections.statements, moment)
        hit_ids = {match.chunk.memory_id for match in matches}
        misses = make_hits(
            tx,
            [match for match in ranking.matches if match.chunk.memory_id not in hit_ids][
                : MAX_MISSES if explain else 0
            ],
            terms,
            explain,
        )
        superseded = [
            replace(hit, note=ending(hit.memory))
            for hit in make_hits(
                tx, rank_superseded(store, tx, parsed, filter_, MAX_SUPERSEDED, min_score), terms
            )
        ]
    strong_hits = [hit for hit in hits if weak or not hit.weak]
    weaker = [hit for hit in hits if hit.weak and not weak]
    count(store, [hit.memory for hit in strong_hits], store.clock(), used=False)
    return Hits(
        strong_hits,
        ranking.retrievers,
        misses,
        (*synced, *ranking.notes, *reranked),
        superseded,
        weaker,
        ranking.complete,
    )


def _details(tx: Transaction, ids: Iterable[str]) -> list[Callable[[], object]]:
    """Return the reads of a hit's references, its place in a note, and the edges of its doubts."""
    return [
        lambda: tx.memories.files(ids),
        lambda: tx.memories.symbols(ids),
        lambda: tx.notes.places(ids),
        lambda: tx.graph.touching(ids, [Rel.DEPENDS_ON, Rel.CONTAINS]),
    ]


def _strong(
    ranking: Ranking, corrections: Corrections, store: Store, min_score: float | None, pieces: bool
) -> set[str]:
    """Return the ids of strong hits; a correction of a strong hit is strong."""
    count_ = strong_count(ranking.answers, min_score, store.settings)
    ids = {
        match.chunk.memory_id for match in (ranking.answers if pieces else ranking.answers[:count_])
    }
    return {
        *ids,
        *reachable(
            ids, {id_: [memory.id for memory in newer] for id_, newer in corrections.before.items()}
        ),
    }


def _reranked(
    store: Store, query: str, hits: list[Hit], corrections: Corrections
) -> tuple[list[Hit], tuple[str, ...]]:
    """Return the hits in the order of the caller's reranker, if there is one, and its notes."""
    if store.reranker is None or not hits:
        return hits, ()
    from ghostmem.search.rerank import rerank

    hits, problem = rerank(query, hits, store.reranker, store.settings.rerank_deadline)
    hits = in_order(hits, corrections.before, lambda hit: hit.memory.id)
    # as many hits are strong as before, and these come first
    strong = sum(not hit.weak for hit in hits)
    hits = [replace(hit, weak=place >= strong) for place, hit in enumerate(hits)]
    return hits, (problem,) if problem else ()
