"""The pool of a search in one namespace: shortlists of each leg, their neighbours, and the features of every item."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.embed.synonyms import near_words
from ghostmem.engine.rows import Candidate, Filter, Space
from ghostmem.rank import lexical
from ghostmem.rank.score import AFTER, BEFORE
from ghostmem.text.question import Question, is_question, names_something, tells_time
from ghostmem.text.scripts import fold
from ghostmem.text.stem import stem
from ghostmem.text.temporal import Times, day_match, month_match, window_match
from ghostmem.text.terms import encode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ghostmem.engine.base import Transaction
    from ghostmem.engine.nearest import VectorView

SHORTLIST = 120  # how many items each leg sends into the pool
POSTINGS = 4_000  # how many of a term's newest chunks are looked at
ALLOWED = 20_000  # filters that let through no more than this are applied before ranking
SYNONYMS, NEAR = 12, 0.5
WHOLE_THREAD = 80  # threads up to this many chunks join the pool whole
MOST_TERMS = 32
ENOUGH, USUAL = 20, 0.1  # from how many cosines on their spread is known, and what it is made
SUBSTRING = 0.6  # what a word is worth that is only found inside other words


@dataclass
class Asked:
    """A question as ranking sees it."""

    text: str
    terms: list[str]
    words: list[str]
    times: Times
    question: Question
    now: datetime
    count: int
    query: NDArray[np.float32] | None = None


@dataclass
class Pool:
    """Items of one namespace with their features and their ranks by leg."""

    items: list[Candidate]
    features: list[dict[str, float]]
    ranks: dict[str, dict[int, int]] = field(default_factory=dict)  # leg -> chunk -> rank
    cosines: list[float | None] = field(default_factory=list)


def gather(tx: Transaction, space: Space, asked: Asked, which: Filter, view: VectorView | None, sources: list[str]) -> Pool:
    """Collect the items that may answer a question and measure them."""
    wording, postings, inside = _lexical(tx, space, asked, sources)
    found = _shortlists(tx, space, asked, which, view, wording, postings, inside)
    ranks = {leg: {item.chunk: rank for rank, item in enumerate(items, 1)} for leg, items in found.items()}
    seeds = {item.chunk: item for items in found.values() for item in items}
    items, threads = _with_neighbours(tx, list(seeds.values()), which)
    pool = Pool(items, [{} for _ in items], ranks, [None] * len(items))
    _measure_words(tx, space, pool, wording, threads, set(inside))
    if view is not None and asked.query is not None:
        _measure_meaning(pool, asked.query, view, threads)
    _measure_fields(pool, asked, sources)
    return pool


def _shortlists(
    tx: Transaction,
    space: Space,
    asked: Asked,
    which: Filter,
    view: VectorView | None,
    wording: lexical.Wording,
    postings: Mapping[str, list[int]],
    inside: list[int],
) -> dict[str, list[Candidate]]:
    """Return the best of each leg that the filter lets through; a filter that lets little through is asked first."""
    count = max(SHORTLIST, asked.count)

    def legs(among: set[int] | None) -> dict[str, list[int]]:
        held = postings if among is None else {term: [c for c in chunks if c in among] for term, chunks in postings.items()}
        found = {"text": _best(wording, held, count * 2), "substring": inside}
        if view is not None and asked.query is not None:
            found["vector"] = view.nearest(asked.query, count * 2, among)
        return found

    wanted = legs(None)
    found = {leg: _filtered(tx, chunks, which, count) for leg, chunks in wanted.items()}
    looked = sum(min(count, len(chunks)) for chunks in wanted.values())
    if sum(map(len, found.values())) < looked / 2:
        among = tx.search.allowed(space.number, which, ALLOWED)
        if among is not None:
            found = {leg: _filtered(tx, chunks, which, count) for leg, chunks in legs(set(among)).items()}
    return found


def _lexical(
    tx: Transaction, space: Space, asked: Asked, sources: list[str]
) -> tuple[lexical.Wording, dict[str, list[int]], list[int]]:
    """Return the wording with its rarities, where each of its terms is, and the chunks that hold a word only inside others."""
    found = {term: tx.search.postings(space.number, encode(term), POSTINGS) for term in dict.fromkeys(asked.terms)}
    terms = sorted(found, key=lambda term: (not found[term], len(found[term]), term))[:MOST_TERMS]
    rarities = [lexical.rarity(space.chunks, len(found[term])) for term in terms if found[term]]
    rarest = max(rarities, default=1.0)
    near = _synonyms(tx, space, asked, terms, sources)
    met = {at for at, _, _ in near.values()}
    # a term the namespace does not know counts as much as its rarest one; only a synonym can meet it
    known = [at for at, term in enumerate(terms) if found[term] or at in met]
    place = {at: number for number, at in enumerate(known)}
    idf = tuple(lexical.rarity(space.chunks, len(found[terms[at]])) if found[terms[at]] else rarest for at in known)
    stands: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at in known:
        if found[terms[at]]:
            stands[terms[at]].append((place[at], 1.0))
    for term, (at, worth, chunks) in near.items():
        stands[term].append((place[at], worth))
        found[term] = chunks
    unseen = [term for at, term in enumerate(terms) if at not in place]
    inside: list[int] = []
    for word in [term for term in unseen if len(term) > 2][:4]:
        inside += tx.search.containing(space.number, word, SHORTLIST // 4)
    if not asked.terms and len(asked.text.strip()) > 2:  # only words that say nothing: look for them as they stand
        inside += tx.search.containing(space.number, fold(asked.text.strip()).lower(), SHORTLIST // 4)
    weight = rarest * len(unseen)
    wording = lexical.Wording(
        idf, {term: tuple(uses) for term, uses in stands.items()}, weight or float(not idf and bool(inside))
    )
    return wording, found, inside


def _best(wording: lexical.Wording, found: Mapping[str, list[int]], count: int) -> list[int]:
    """Return the chunks that hold most of a wording by rarity, most first, the newest of equals."""
    uses = sorted((worth, at, term) for term, stands in wording.stands_for.items() for at, worth in stands)
    parts: dict[int, dict[int, float]] = defaultdict(dict)
    for worth, at, term in uses:  # by rising worth: what is worth more overwrites
        parts[at] |= dict.fromkeys(found[term], wording.idf[at] * worth)
    totals: dict[int, float] = {}
    for at in sorted(parts):
        for chunk, worth in parts[at].items():
            totals[chunk] = totals.get(chunk, 0.0) + worth
    least = sorted(totals.values(), reverse=True)[:count][-1:]
    best = [(-worth, -chunk) for chunk, worth in totals.items() if worth >= least[0]]
    return [-chunk for _, chunk in sorted(best)[:count]]


def _synonyms(
    tx: Transaction, space: Space, asked: Asked, terms: list[str], sources: list[str]
) -> dict[str, tuple[int, float, list[int]]]:
    """Return near words that the namespace knows: which query term each stands for, its worth, and where it is."""
    names = {part.lower() for source in sources for part in source.split()}
    found: dict[str, tuple[int, float, list[int]]] = {}
    for word in dict.fromkeys(asked.words):
        mine = stem(word)
        if mine not in terms or word in names:
            continue
        taken = 0
        for other, cosine in near_words(word):
            term = stem(other)
            if taken == SYNONYMS or term in terms or term in found:
                continue
            chunks = tx.search.postings(space.number, encode(term), POSTINGS // 4)
            if chunks:
                found[term] = (terms.index(mine), lexical.SYNONYM * (cosine - NEAR) / (1 - NEAR), chunks)
                taken += 1
    return found


def _filtered(tx: Transaction, chunks: list[int], which: Filter, count: int) -> list[Candidate]:
    found: list[Candidate] = []
    for start in range(0, len(chunks), count):
        found += tx.search.candidates(chunks[start : start + count], which)
        if len(found) >= count:
            break
    return found[:count]


def _with_neighbours(tx: Transaction, seeds: list[Candidate], which: Filter) -> tuple[list[Candidate], list[lexical.Thread]]:
    """Add to the seeds what stands beside them in their threads, and return the threads in order."""
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
    around = tx.search.around(item.thread, item.place, len(lexical.BEFORE), len(lexical.AFTER), which)
    return sorted([*around, item], key=lambda found: found.place or "")


def _thread(runs: list[list[Candidate]], order: dict[int, int], length: int) -> lexical.Thread:
    """Join windows on one thread; what stood together in a window is together, anything else is far apart."""
    together = {(a.chunk, b.chunk) for run in runs for a, b in itertools.pairwise(run)}
    members = sorted({item.chunk: item for run in runs for item in run}.values(), key=lambda item: item.place or "")
    thread = lexical.Thread(length=length)
    at = 0
    for before, item in zip([None, *members], members, strict=False):
        at += 1 if before is None or (before.chunk, item.chunk) in together else 100
        thread.items.append(order[item.chunk])
        thread.places.append(at)
    return thread


def _measure_words(
    tx: Transaction, space: Space, pool: Pool, wording: lexical.Wording, threads: list[lexical.Thread], inside: set[int]
) -> None:
    average = max(1.0, space.length / max(1, space.chunks))
    terms = [item.terms.split() for item in pool.items]
    own = [lexical.held(words, wording, average) for words in terms]
    for item, held in zip(pool.items, own, strict=True):
        if item.chunk in inside and wording.unseen:
            held[-1] = SUBSTRING
    spread = lexical.spread(own, threads)
    for features, held in zip(pool.features, spread, strict=True):
        extra = held.pop(-1, 0.0) * wording.unseen / wording.total if wording.total else 0.0
        features["lexical"] = lexical.score(held, wording) + extra
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


def _measure_meaning(pool: Pool, query: NDArray[np.float32], view: VectorView, threads: list[lexical.Thread]) -> None:
    import numpy as np

    vectors, there = view.vectors(np.array([item.chunk for item in pool.items], np.int64))
    cosines = np.vecdot(vectors, query)
    mixed = vectors.copy()
    pairs = np.array([pair for thread in threads for pair in thread.pairs()], np.intp).reshape(-1, 2)
    left, right = pairs[:, 0], pairs[:, 1]  # each item stands at most once on either side
    mixed[right] += BEFORE * vectors[left]
    mixed[left] += AFTER * vectors[right]
    mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12)
    blended = np.vecdot(mixed, query)
    measured = zip(cosines.tolist(), _stretched(cosines, there).tolist(), _stretched(blended, there).tolist(), strict=True)
    for at, (cosine, own, both) in enumerate(measured):
        if there[at]:
            pool.cosines[at] = cosine
            pool.features[at]["own"], pool.features[at]["mixed"] = own, both
    for thread in threads:
        best = float(np.sort(cosines[thread.items])[-3:].mean())
        for item in thread.items:
            pool.features[item]["thread"] = best


def _stretched(cosines: NDArray[np.float32], there: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Give the cosines of a large pool the usual spread: a vague question's lie close together, and would count for little."""
    found = cosines[there]
    if len(found) < ENOUGH:
        return cosines
    mean, deviation = float(found.mean()), max(float(found.std()), 0.04)
    return mean + (cosines - mean) * (USUAL / deviation)


def _measure_fields(pool: Pool, asked: Asked, sources: list[str]) -> None:
    lowered = {word.lower() for word in asked.words}
    named = [source for source in sources if {part.lower() for part in source.split()} & lowered]
    identifiers = {term for term in asked.terms if _is_identifier(term)}
    newest = _newest(pool) if asked.times.recent else {}
    times, speaker = asked.times, named[0] if len(named) == 1 else None
    for item, features in zip(pool.items, pool.features, strict=True):
        if speaker is not None:
            features["source"] = float(item.source_user == speaker)
        if times.months:
            features["month"], features["day"] = month_match(times, item.created_at), day_match(times, item.created_at)
        if times.window is not None:
            features["window"] = window_match(times, item.created_at)
        if is_question(item.text):
            features["question"] = 1.0
        if asked.question.when:
            features["when"] = float(tells_time(item.text))
        if asked.question.where:
            features["place"] = float(names_something(item.text))
        if identifiers:
            features["identifier"] = len(identifiers.intersection(item.terms.split())) / len(identifiers)
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
    about = [item for item, features in zip(pool.items, pool.features, strict=True) if features.get("lexical", 0.0) >= best / 2]
    about.sort(key=lambda item: item.created_at, reverse=True)
    return {item.chunk: 1 / (1 + place) for place, item in enumerate(about)}
