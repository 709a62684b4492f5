"""Find how a draft relates to stored memories: new, a restatement, an update or a conflict.

Candidates are the memories with the nearest vectors and those that share the rarest words, so that
verdicts work without an embedding provider too. The judge compares the draft with the best of them
one by one, or the plain rules of `truth.plain` do, and the strongest verdict counts. A verdict that
the judge is not sure of is tentative: it is reported, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.judge import find_judge, judge_available
from ghostmem.memory.draft import Draft, Prepared, prepare, with_nearest
from ghostmem.model import Memory, NsFilter, Rel, SourceKind, Tier, Verdict, VerdictKind
from ghostmem.settings import Settings
from ghostmem.store import ChunkTerms, Filter, Space, Store, Transaction
from ghostmem.text.labels import tag_terms
from ghostmem.text.redact import MARK
from ghostmem.text.terms import encode, rarity
from ghostmem.truth.alike import resembles
from ghostmem.truth.plain import AnalysedText, Opinion, find_phrase, judge_plainly, reports_event

if TYPE_CHECKING:
    from ghostmem.graph.autolink import NearestChunks
    from ghostmem.judge.model import Judge

MAX_NEAREST = 6  # chunks taken by their vectors
MAX_POSTINGS = 48  # newest chunks of each word
CORRECTIONS = (VerdictKind.UPDATE, VerdictKind.CONFLICT)
_STRENGTH = {
    VerdictKind.RESTATEMENT: 2,
    VerdictKind.UPDATE: 1,
    VerdictKind.CONFLICT: 1,
    VerdictKind.NEW: 0,
}


class _Limits(NamedTuple):
    """How wide to search for candidates, and how many of them to judge."""

    terms: int  # words looked up
    chunks: int  # chunks taken by their words
    share: float  # of the summed rarity of the words that a chunk must have
    of_shorter: float  # share of the shorter text's terms, or
    of_longer: float  # of the longer text's terms, that both must have
    judged: int  # memories taken


PLAIN = _Limits(terms=3, chunks=6, share=0.25, of_shorter=0.75, of_longer=0.5, judged=4)
# A text that announces a change need not repeat much of the text that it changes.
CHANGED = _Limits(terms=10, chunks=16, share=0.12, of_shorter=0.2, of_longer=0.2, judged=6)
# The judge reads meaning, but each pair costs time.
JUDGED = _Limits(terms=6, chunks=12, share=0.12, of_shorter=0.5, of_longer=0.3, judged=4)
CONTRASTED = 0.6  # the probability of a sure correction that says "now" or "no longer"
HARDLY_SHARED = 0.92  # and of one that shares fewer terms than
MIN_SHARED = 2
RESTATES = 0.5  # the probability from which on an older text says no more than a new one
SURELY_NEW = 0.93  # from this probability on, phrases of change do not count
NEAR = 0.5  # the cosine from which on no shared word is needed
MAX_CHARACTERS = 400  # of two pairs that the judge reads; of longer texts it reads one
MAX_PART = 400  # characters of a text that the judge reads
SHOWN = 8  # shared terms in the evidence


class Judgement(NamedTuple):
    """A verdict, the memory it concerns, and further memories that the text corrects.

    `of_turn` says that the text is a turn of a conversation."""

    verdict: Verdict
    memory: Memory | None = None
    also: tuple[Memory, ...] = ()
    is_tentative: bool = False
    of_turn: bool = False

    def still_valid(self, tx: Transaction, now: datetime) -> Judgement:
        """Return the judgement without the memories that ended or were replaced meanwhile."""
        if self.memory is None:
            return self
        rows = tx.memories.by_ids([self.memory.id, *(memory.id for memory in self.also)])
        valid = {id_ for id_, row in rows.items() if row.is_current(now) and row.is_open(now)}
        return (
            self._replace(also=tuple(memory for memory in self.also if memory.id in valid))
            if self.memory.id in valid
            else NOTHING
        )


NOTHING = Judgement(Verdict(VerdictKind.NEW))


def compare_draft(store: Store, draft: Draft, current: Memory | None) -> tuple[Prepared, Judgement]:
    """Chunk and embed a draft, and find how it relates to the memories of its namespace.

    `current` is the current version of its key."""
    prepared = prepare(store, [(draft, current)])[0]
    with store.engine.read(draft.ns) as tx:
        return judge_prepared(store, tx, draft, prepared, current)


def judge_prepared(
    store: Store, tx: Transaction, draft: Draft, prepared: Prepared, current: Memory | None
) -> tuple[Prepared, Judgement]:
    """Find the chunks nearest to a draft, and how it relates to the memories of its namespace."""
    prepared = with_nearest(store, tx, draft, prepared)
    return prepared, _judge_draft(store, tx, draft, prepared.near, current)


def read_ahead(store: Store, tx: Transaction, draft: Draft) -> None:
    """Read what a put needs first in as few round trips as possible."""
    if not store.engine.shared:  # without a server there is nothing to read ahead
        return
    codes = [
        encode(term)
        for term in _telling_terms(
            draft.analysed.terms, _limits(store.settings, draft.analysed).terms
        )
    ]
    tx.ahead(
        lambda: tx.memories.last(draft.ns, draft.key),
        lambda: tx.search.spaces([draft.ns]),
        lambda: tx.search.expect(draft.ns, codes, MAX_POSTINGS),
        lambda: store.vectoriser.find_model(tx),
    )


def _judge_draft(
    store: Store,
    tx: Transaction,
    draft: Draft,
    near: NearestChunks | None,
    current: Memory | None,
) -> Judgement:
    """Return how a draft relates to the memories of its namespace and to its previous version."""
    if store.settings.freshness == "off" and not draft.dedup and not draft.supersedes:
        return NOTHING
    of_turn = draft.is_turn(current)
    judgement = find_verdict(
        replace(store.settings, judge="off") if of_turn else store.settings,
        tx,
        draft,
        current,
        store.clock(),
        near,
    )
    if judgement.memory is not None:
        return judgement._replace(of_turn=of_turn)
    if current is None:
        return NOTHING
    return Judgement(
        Verdict(
            VerdictKind.RESTATEMENT if current.content == draft.content else VerdictKind.UPDATE,
            current.key,
            {"version": current.version},
        ),
        current,
    )


def find_verdict(
    settings: Settings,
    tx: Transaction,
    draft: Draft,
    current: Memory | None,
    now: datetime,
    near: NearestChunks | None = None,
) -> Judgement:
    """Return how a draft relates to the memories of its namespace under other keys.

    Sensory, closed and removed memories are not considered. `near` are the stored chunks nearest
    to those of the text."""
    ns, terms = draft.ns, draft.analysed.terms
    space = tx.search.space(ns)
    if space is None or not space.chunks:
        return NOTHING
    limits = _limits(settings, draft.analysed)
    related = near.related if near is not None and limits is JUDGED else {}
    chunks = dict.fromkeys([*related, *_by_words(tx, space, terms, limits)])
    if near is not None:
        chunks |= dict.fromkeys(sorted(near.cosines, key=lambda c: -near.cosines[c])[:MAX_NEAREST])
    if not chunks:
        return NOTHING
    selection = Filter(NsFilter(ns), now)
    tx.ahead(
        lambda: tx.search.chunk_terms(list(chunks), selection),
        lambda: tx.memories.expect(ns, list(chunks)),
    )
    similar = _most_similar(
        terms, tx.search.chunk_terms(list(chunks), selection), draft.key, limits, related
    )
    rows = tx.memories.by_ids(list(similar)) if similar else {}
    # a summary does not correct the memories that it contains
    edges = () if current is None else tx.graph.touching([current.id], [Rel.CONTAINS])
    parts = {edge.to_id for edge in edges}
    memories = [
        memory
        for memory in (rows[id_] for id_ in similar if id_ in rows)
        if memory.id not in parts
        and memory.tier != Tier.SENSORY
        and memory.is_current(now)
        and memory.is_open(now)
        and _is_same_subject(memory, draft, current)
    ]
    texts = {
        memory.id: AnalysedText(memory.content[similar[memory.id].start : similar[memory.id].stop])
        for memory in memories
    }
    return (
        _strongest(settings, draft.analysed, draft.fields.get("created_at", now), memories, texts)
        if memories
        else NOTHING
    )


def _limits(settings: Settings, text: AnalysedText) -> _Limits:
    return JUDGED if judge_available(settings) else CHANGED if text.announces_change else PLAIN


def _strongest(
    settings: Settings,
    new: AnalysedText,
    moment: datetime,
    memories: Sequence[Memory],
    texts: Mapping[str, AnalysedText],
) -> Judgement:
    """Return the strongest verdict of a text of a time on some memories, the newest of equals.

    `texts` are their most similar parts, by the ids of the memories."""
    same = next((memory for memory in memories if memory.content == new.content), None)
    if same is not None:
        return Judgement(Verdict(VerdictKind.RESTATEMENT, same.key, {"same": True}), same)
    newest_first = sorted(
        _first_few(memories, texts, new) if judge_available(settings) else memories,
        key=lambda m: (-m.created_at.timestamp(), m.key),
    )
    old = [texts[memory.id] for memory in newest_first]
    best, strongest = (False, 0, 0, 0.0), NOTHING
    opinions: dict[str, Opinion] = {}
    for memory, text, opinion in zip(newest_first, old, _opinions(settings, new, old), strict=True):
        # what happens again does not make untrue what happened before
        if (
            opinion.kind in CORRECTIONS
            and reports_event(new.start, moment)
            and reports_event(text.start, memory.created_at)
            and not new.announces_change
        ):
            opinion = opinion._replace(is_sure=False)
        opinions[memory.id] = opinion
        strength = (
            opinion.is_sure,
            _STRENGTH[opinion.kind],
            len(new.terms.keys() & text.terms.keys()),
            opinion.confidence,
        )
        if opinion.kind != VerdictKind.NEW and strength > best:
            best = strength
            strongest = Judgement(
                Verdict(opinion.kind, memory.key, _evidence(new, memory, opinion)),
                memory,
                is_tentative=not opinion.is_sure,
            )
    return strongest._replace(also=_also_corrected(new, strongest, memories, texts, opinions))


def _also_corrected(
    new: AnalysedText,
    strongest: Judgement,
    memories: Sequence[Memory],
    texts: Mapping[str, AnalysedText],
    opinions: Mapping[str, Opinion],
) -> tuple[Memory, ...]:
    """Return further memories that a text corrects; what surely corrects one needs no certainty.

    A memory that lacks a word which the text shares with the one it surely concerns is about
    something else: production, where the text is about staging. A memory that repeats a corrected
    one, such as a summary of it, is corrected too, unless the judge calls the text new to it."""
    if strongest.memory is None or strongest.is_tentative:
        return ()
    text, corrects = texts[strongest.memory.id], strongest.verdict.kind in CORRECTIONS
    shared = new.terms.keys() & text.terms.keys()

    def is_corrected(memory: Memory) -> bool:
        if (opinion := opinions.get(memory.id)) is None:
            return corrects and resembles(text.content, texts[memory.id].content)
        return opinion.kind in CORRECTIONS and (corrects or opinion.is_sure)

    return tuple(
        memory
        for memory in memories
        if memory is not strongest.memory
        and shared <= texts[memory.id].terms.keys()
        and is_corrected(memory)
    )


def _opinions(settings: Settings, new: AnalysedText, old: Sequence[AnalysedText]) -> list[Opinion]:
    judge = find_judge(settings)
    by_rules = [judge_plainly(new, text) for text in old]
    if judge is None:
        return by_rules
    verdicts = judge.verdicts(new.content, [text.content for text in old])
    return [
        _better(_opinion(judge, new, text, chances), ruled)
        for text, chances, ruled in zip(old, verdicts, by_rules, strict=True)
    ]


def _opinion(
    judge: Judge, new: AnalysedText, old: AnalysedText, chances: Mapping[VerdictKind, float]
) -> Opinion:
    """Return the most likely kind; an update and a conflict count together as a correction."""
    kind = max(chances, key=lambda kind: chances[kind])
    chance = sum(chances[kind] for kind in CORRECTIONS) if kind in CORRECTIONS else chances[kind]
    is_sure = True
    if kind == VerdictKind.RESTATEMENT:
        # the judge takes two texts with a redacted secret for similar
        is_sure = chance >= judge.thresholds.restatement and MARK not in new.content
    elif kind in CORRECTIONS:
        # A text that contrasts the present with the past needs less certainty, and texts that share
        # a single word need more, because they may be about different things.
        hardly = len(new.terms.keys() & old.terms.keys()) < MIN_SHARED
        needed = HARDLY_SHARED if hardly else judge.thresholds.correction
        needed = CONTRASTED if new.announces_change else needed
        is_sure = chance >= needed and not _adds(judge, new, old, kind)
    return Opinion(kind, round(chance, 2), is_sure=is_sure)


def _adds(judge: Judge, new: AnalysedText, old: AnalysedText, kind: VerdictKind) -> bool:
    """Say whether a text that the judge calls a correction only adds to an older one.

    It says `not only`; or it has all terms of the older text ("but not on Monday"), or that one
    restates it. An update may well repeat all of what is over."""
    is_affirmed = find_phrase("affirmed", new.start) is not None
    if kind == VerdictKind.UPDATE or is_affirmed or old.terms.keys() <= new.terms.keys():
        return is_affirmed or kind != VerdictKind.UPDATE
    return judge.verdicts(old.content, [new.content])[0][VerdictKind.RESTATEMENT] >= RESTATES


def _better(judged: Opinion, ruled: Opinion) -> Opinion:
    """Return the better founded of two opinions.

    The plain rules know the same text again. A correction that the judge is not sure of is one if
    the text says so outright."""
    if ruled.kind == VerdictKind.RESTATEMENT:
        return ruled
    is_settled = judged.is_sure if judged.kind in CORRECTIONS else judged.confidence >= SURELY_NEW
    return ruled if ruled.kind in CORRECTIONS and not is_settled else judged


def _evidence(new: AnalysedText, memory: Memory, opinion: Opinion) -> dict[str, object]:
    old_terms = AnalysedText(memory.content).terms
    evidence = {
        "confidence": opinion.confidence,
        "shared": [term for term in new.terms if term in old_terms][:SHOWN],
        "phrase": opinion.phrase,
        "tentative": not opinion.is_sure,
    }
    return {name: value for name, value in evidence.items() if value or name == "shared"}


def _by_words(tx: Transaction, space: Space, terms: Iterable[str], limits: _Limits) -> list[int]:
    """Return the chunks that share the rarest words with a text, best first, then newest first."""
    postings = tx.search.term_postings(space, _telling_terms(terms, limits.terms), MAX_POSTINGS)
    scores: dict[int, float] = {}  # the summed rarity of the terms that each chunk contains
    for chunks in postings.values():
        weight = rarity(space.chunks, len(chunks))
        for chunk in chunks:
            scores[chunk] = scores.get(chunk, 0.0) + weight
    least = limits.share * sum(rarity(space.chunks, len(each)) for each in postings.values())
    return sorted(
        [chunk for chunk, score in scores.items() if score >= least],
        key=lambda chunk: (scores[chunk], chunk),
        reverse=True,
    )[: limits.chunks]


def _telling_terms(terms: Iterable[str], count: int) -> list[str]:
    """Return the words that are likely rarest, without a look at the index.

    These are the long ones, and up to a third with digits: rare words, but another text about the
    same thing may have other digits."""
    ranked = sorted(terms, key=len, reverse=True)
    numbered = [term for term in ranked if not term.isalpha() and any(map(str.isdigit, term))]
    return list(dict.fromkeys([*numbered[: max(1, count // 3)], *ranked]))[:count]


def _most_similar(
    terms: Collection[str],
    candidates: Sequence[ChunkTerms],
    key: str,
    limits: _Limits,
    related: Mapping[int, float],
) -> dict[str, ChunkTerms]:
    """Return the ids and best chunks of the memories that are most similar to a text, best first.

    They share enough terms with it, or have a related vector."""
    own_terms = set(terms)
    best: dict[str, tuple[float, ChunkTerms]] = {}
    for candidate in (each for each in candidates if each.key != key):
        their = set(candidate.terms.split())
        if candidate.tags is not None:  # a text and its restatement need not have the same tags
            their -= set(tag_terms(json.loads(candidate.tags))) - own_terms
        shared = len(own_terms & their)
        of_shorter = shared / max(1, min(len(own_terms), len(their)))
        of_longer = shared / max(1, len(own_terms), len(their))
        cosine = related.get(candidate.chunk, 0.0)
        is_related = cosine >= NEAR or (cosine > 0 and shared > 0)
        if of_longer >= limits.of_longer or of_shorter >= limits.of_shorter or is_related:
            score = of_shorter + of_longer + 2 * cosine
            if score > best.get(candidate.memory_id, (-1.0,))[0]:
                best[candidate.memory_id] = (score, candidate)
    return {
        id_: best[id_][1] for id_ in sorted(best, key=lambda id_: -best[id_][0])[: limits.judged]
    }


def _first_few(
    memories: Sequence[Memory], texts: Mapping[str, AnalysedText], new: AnalysedText
) -> list[Memory]:
    """Return the memories that the judge may read in the time of a put.

    These are the most similar one and, for short texts, the newest of the others: of several
    statements about one thing the newest is the one that holds."""
    best, *others = memories
    size = len(new.content[:MAX_PART]) + len(texts[best.id].content[:MAX_PART])
    return (
        [best]
        if not others or 2 * size > MAX_CHARACTERS
        else [best, max(others, key=lambda memory: (memory.created_at, memory.key))]
    )


def _is_same_subject(old: Memory, draft: Draft, current: Memory | None) -> bool:
    """Say whether two statements can be about one fact.

    "I live in Oslo" is a different fact when another person says it, and "the limit is 10" when
    the tags name different scopes, such as `project:shop` and `project:blog`.
    """
    source, user, tags = (
        draft.fields.get(name, getattr(current, name, None))
        for name in ("source_kind", "source_user", "tags")
    )
    scopes = dict(tag.split(":", 1) for tag in old.tags if ":" in tag)
    own_scopes = (tag.split(":", 1) for tag in tags or () if ":" in tag)
    if any(scopes.get(name, value) != value for name, value in own_scopes):
        return False
    return (
        old.from_user != (source in (None, SourceKind.STATED))
        or old.source_user is None
        or user is None
        or old.source_user.casefold() == user.casefold()
    )
