"""The pool of a search in one namespace: shortlists of each leg, and what stands beside them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ghostmem.search import lexical
from ghostmem.search.features import measure_fields, measure_meaning, measure_words
from ghostmem.search.query import Asked, Pool
from ghostmem.search.wording import QueryWords, most_worded
from ghostmem.store.rows import Candidate, Filter, Space

if TYPE_CHECKING:
    from ghostmem.store.nearest import VectorView
    from ghostmem.store.protocol import Transaction

SHORTLIST = 120  # how many items each leg sends into the pool
ALLOWED = 20_000  # filters that let through no more than this are applied before ranking
WHOLE_THREAD = 80  # threads up to this many chunks join the pool whole


def gather(
    tx: Transaction,
    space: Space,
    asked: Asked,
    words: QueryWords,
    which: Filter,
    view: VectorView | None,
    sources: list[str],
) -> Pool:
    """Collect the items that may answer a question and measure them."""
    found = _shortlists(tx, space, asked, words, which, view)
    ranks = {
        leg: {item.chunk: rank for rank, item in enumerate(items, 1)}
        for leg, items in found.items()
    }
    seeds = {item.chunk: item for items in found.values() for item in items}
    items, threads = _with_neighbours(tx, list(seeds.values()), which)
    pool = Pool(items, [{} for _ in items], ranks, [None] * len(items))
    measure_words(tx, space, pool, words, threads)
    if view is not None and asked.query is not None:
        measure_meaning(pool, asked.query, view, threads)
    measure_fields(pool, asked, sources)
    return pool


def _shortlists(
    tx: Transaction,
    space: Space,
    asked: Asked,
    words: QueryWords,
    which: Filter,
    view: VectorView | None,
) -> dict[str, list[Candidate]]:
    """Return the best of each leg that the filter lets through.

    A filter that lets little through is asked first.
    """
    count = max(SHORTLIST, asked.count)

    def legs(among: set[int] | None) -> dict[str, list[int]]:
        held = words.postings
        if among is not None:
            held = {
                term: [chunk for chunk in chunks if chunk in among] for term, chunks in held.items()
            }
        found = {
            "text": most_worded(words.wording, held, count * 2),
            "substring": words.inside.chunks,
        }
        if words.spelled.stands_for:
            found["spelling"] = most_worded(words.spelled, held, count * 2)
        if view is not None and asked.query is not None:
            found["vector"] = view.nearest(asked.query, count * 2, among)
        return found

    wanted = legs(None)
    found = _filtered(tx, wanted, which, count)
    looked = sum(min(count, len(chunks)) for chunks in wanted.values())
    if sum(map(len, found.values())) < looked / 2:
        among = tx.search.allowed(space.number, which, ALLOWED)
        if among is not None:
            found = _filtered(tx, legs(set(among)), which, count)
    found["substring"] = [item for item in found["substring"] if words.inside.held(item)]
    return found


def _filtered(
    tx: Transaction, legs: Mapping[str, list[int]], which: Filter, count: int
) -> dict[str, list[Candidate]]:
    """Return the first so many of each leg that a filter lets through.

    What several legs name is read once.
    """
    known: dict[int, Candidate] = {}
    found: dict[str, list[Candidate]] = {leg: [] for leg in legs}
    for start in range(0, max(map(len, legs.values())), count):
        parts = {
            leg: chunks[start : start + count]
            for leg, chunks in legs.items()
            if len(found[leg]) < count
        }
        fresh = [
            chunk for chunk in dict.fromkeys(itertools.chain(*parts.values())) if chunk not in known
        ]
        known |= {item.chunk: item for item in tx.search.candidates(fresh, which)} if fresh else {}
        for leg, chunks in parts.items():
            found[leg] += [known[chunk] for chunk in chunks if chunk in known]
    return {leg: items[:count] for leg, items in found.items()}


def _with_neighbours(
    tx: Transaction, seeds: list[Candidate], which: Filter
) -> tuple[list[Candidate], list[lexical.Thread]]:
    """Add to the seeds what stands beside them in their threads, and return the threads in
    order.
    """
    by_thread: dict[int, list[Candidate]] = defaultdict(list)
    items = {item.chunk: item for item in seeds}
    for item in seeds:
        if item.thread is not None:
            by_thread[item.thread].append(item)
    sizes = tx.search.threads(by_thread)
    runs: dict[int, list[list[Candidate]]] = {}
    for number, members in by_thread.items():
        if sizes[number][0] <= WHOLE_THREAD:
            runs[number] = [tx.search.thread(number, which)]
        else:
            runs[number] = [_window(tx, item, which) for item in members]
        items |= {item.chunk: item for run in runs[number] for item in run}
    order = {chunk: at for at, chunk in enumerate(items)}
    threads = [_thread(found, order, sizes[number][1]) for number, found in runs.items()]
    return list(items.values()), threads


def _window(tx: Transaction, item: Candidate, which: Filter) -> list[Candidate]:
    assert item.thread is not None
    assert item.place is not None
    around = tx.search.around(
        item.thread, item.place, len(lexical.BEFORE), len(lexical.AFTER), which
    )
    return sorted([*around, item], key=lambda found: found.place or "")


def _thread(runs: list[list[Candidate]], order: dict[int, int], length: int) -> lexical.Thread:
    """Join windows on one thread.

    What stood together in a window is together, anything else is far apart.
    """
    together = {(a.chunk, b.chunk) for run in runs for a, b in itertools.pairwise(run)}
    members = sorted(
        {item.chunk: item for run in runs for item in run}.values(),
        key=lambda item: item.place or "",
    )
    thread = lexical.Thread(length=length)
    at = 0
    for before, item in zip([None, *members], members, strict=False):
        at += 1 if before is None or (before.chunk, item.chunk) in together else 100
        thread.items.append(order[item.chunk])
        thread.places.append(at)
    return thread
