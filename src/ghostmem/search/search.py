"""search: find memories by words, by parts of words and by meaning, and say why."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError
from ghostmem.model import Hit, Hits, NsFilter, Receipt, Tier
from ghostmem.notes.refresh import refresh
from ghostmem.search.corrections import (
    corrected_by,
    in_order,
    joined,
    unless_named,
    with_corrections,
)
from ghostmem.search.cutoff import answers, strong_count
from ghostmem.search.match_terms import match_terms
from ghostmem.search.ranked import AWAKE, ranked, waits_for_model
from ghostmem.search.ranking import Scored
from ghostmem.store import validate
from ghostmem.store.lookup import count
from ghostmem.store.narrowing import narrowed
from ghostmem.store.retry import again
from ghostmem.store.store import Store
from ghostmem.text.focus import find_place
from ghostmem.truth.refuters import refuters
from ghostmem.truth.standing import ending, noted
from ghostmem.truth.vouch import vouched

if TYPE_CHECKING:
    from typing import Unpack

    from ghostmem.store.narrowing import Narrow
    from ghostmem.store.protocol import Transaction
    from ghostmem.store.rows import Filter
    from ghostmem.text.matches import QueryTerms

    class SearchFields(Narrow, total=False):
        """What a search may be narrowed and explained by."""

        limit: int
        tiers: Iterable[str] | None
        include_all: bool
        min_score: float | None
        explain: bool
        within: str | None
        pieces: bool
        weak: bool
        now: datetime | str | None


MISSES = 3
ENDED = 5  # how many that no longer hold are listed
WITHIN = ("notes", "memories")


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
    explain: bool = False,
    within: str | None = None,
    pieces: bool = False,
    weak: bool = False,
    now: datetime | str | None = None,
    **conditions: Unpack[Narrow],
) -> Hits:
    """Return the memories that answer a question best, best first.

    Nothing when nothing is about it.

    The question is data, never syntax. The list holds the strong hits; `weaker` of the result holds
    the others up to `limit`, each marked `weak`, and `weak=True` returns them in the list. Dormant
    and sensory memories are left out unless `tiers` or `include_all` asks for them. `min_score`
    (scores are from 0 to 1) replaces the calibrated floor and the cut-off; `explain` adds a receipt
    to every hit and the nearest misses; `now` is the time that words like "yesterday" count from.
    Each hit in the list is counted as shown, and shows its counts before that. Notes are synced
    first, so that what was written into a file a moment ago is found; `within` keeps to "notes" or
    "memories", and `pieces` returns every matching piece of a memory instead of the best one. What
    no longer holds is left out and listed as superseded; `valid_at` asks for what was true at a
    time. A correction comes before what it corrects."""
    text = validate.text(query, "query")
    validate.positive(limit, "limit")
    at = store.clock() if now is None else as_time(now, "now")
    which = replace(narrowed(**conditions), now=at, noted=_noted(within))
    which = replace(
        which,
        tiers=chosen_tiers(tiers, include_all, which.valid_at),
        closed=False if which.valid_at is None else None,
    )
    told = refresh(store, validate.ns_filter(ns)) if within != "memories" else ()
    with store.engine.read() as tx:
        found = ranked(store, tx, text, validate.ns_filter(ns), which, at, limit, pieces)
        kept = answers(found, min_score, store.settings.abstain)
        count_strong = len(kept) if pieces else strong_count(kept, min_score, store.settings)
        known = refuters(tx, {s.item.memory_id for s in kept[:limit]}, which, at)
        rows = tx.memories.by_ids([s.item.memory_id for s in kept[:limit]])
        rows |= {memory.id: memory for others in known.values() for memory in others}
        beside = vouched(tx, rows.values(), which, at)
        before = unless_named(joined(known, beside), found.scored)
        strong = corrected_by({s.item.memory_id for s in kept[:count_strong]}, before)
        kept = (
            in_order(with_corrections(tx, kept, before, limit), before, lambda s: s.item.memory_id)
            if before
            else kept
        )
        terms = match_terms(text)
        hits, notes = _hits(tx, kept[:limit], terms, explain, strong), (*told, *found.notes)
        if store.reranker is not None and hits:
            from ghostmem.search.rerank import rerank

            hits, late = rerank(text, hits, store.reranker, store.settings.rerank_deadline)
            notes = (*notes, late) if late else notes
            hits = _strong_first(in_order(hits, before, lambda hit: hit.memory.id))
        hits = noted(tx, hits, known, beside, at)
        left = [s for s in found.scored if s not in kept[:limit]][:MISSES] if explain else []
        misses = _hits(tx, left, terms, explain)
        ended = _superseded(store, tx, text, validate.ns_filter(ns), which, at, min_score)
    shown = [hit for hit in hits if not hit.weak]
    weaker = [hit for hit in hits if hit.weak]
    shown, weaker = ([*shown, *weaker], []) if weak else (shown, weaker)
    count(store, [hit.memory for hit in shown], store.clock(), used=False)
    return Hits(shown, found.legs, misses, notes, ended, weaker, found.complete)


def _strong_first(hits: list[Hit]) -> list[Hit]:
    """Mark as many of the first hits as strong as were strong before a reranker changed
    the order.
    """
    strong = sum(not hit.weak for hit in hits)
    return [replace(hit, weak=place >= strong) for place, hit in enumerate(hits)]


def _superseded(
    store: Store,
    tx: Transaction,
    text: str,
    ns: NsFilter,
    which: Filter,
    at: datetime,
    min_score: float | None,
) -> list[Hit]:
    """Return what would have been found, had it not ended."""
    ended = replace(which, ns=ns, tiers=(), closed=True)
    if which.closed is None or not tx.listing.has_closed(ns, at):
        return []
    found = answers(
        ranked(store, tx, text, ns, ended, at, ENDED), min_score, store.settings.abstain
    )
    return [
        replace(hit, note=ending(hit.memory))
        for hit in _hits(tx, found[:ENDED], match_terms(text), explain=False)
    ]


def _noted(within: str | None) -> bool | None:
    if within not in (None, *WITHIN):
        raise InvalidInputError(
            f"cannot search in {within!r}",
            f"name one of: {', '.join(WITHIN)}; or leave it out for both",
        )
    return None if within is None else within == "notes"


def chosen_tiers(
    tiers: Iterable[str] | None, include_all: bool, valid_at: datetime | None = None
) -> tuple[str, ...]:
    """Return the tiers to look in: those named, all (an empty tuple), or those that are awake.

    What has ended is asleep.
    """
    if tiers:
        return tuple(str(validate.choice(tier, Tier, "tier")) for tier in tiers)
    if include_all:
        return ()
    return AWAKE if valid_at is None else (*AWAKE, str(Tier.DORMANT))


def _hits(
    tx: Transaction,
    scored: list[Scored],
    terms: QueryTerms,
    explain: bool,
    strong: Set[str] | None = None,
) -> list[Hit]:
    """Return hits with their memories and places.

    Those of memories that are not in `strong`, if given, are weak.
    """
    found = tx.memories.by_ids([s.item.memory_id for s in scored])
    rows = {memory.id: memory for memory in tx.memories.with_refs(list(found.values()))}
    places = tx.notes.places(rows)
    hits = []
    for s in scored:
        memory = rows[s.item.memory_id]
        why = (
            Receipt(s.ranks, {name: round(value, 4) for name, value in s.parts.items()})
            if explain
            else None
        )
        similarity = None if s.cosine is None else round(s.cosine, 3)
        lines = s.item.start_line, s.item.end_line
        place = places.get(memory.id)
        match = find_place(s.item.text, terms)
        below = lines[0] - 1 + (match.line if match else 0)
        path, line, root = (
            (place.path, place.line + below, place.root) if place else (None, None, None)
        )
        hits.append(
            Hit(
                memory,
                round(s.score, 4),
                s.item.text,
                *lines,
                similarity,
                why,
                path,
                line,
                root,
                weak=strong is not None and memory.id not in strong,
                match_start=match.start if match else None,
                match_end=match.stop if match else None,
            )
        )
    return hits
