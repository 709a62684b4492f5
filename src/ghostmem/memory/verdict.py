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
from ghostmem.memory.draft import Draft
from ghostmem.memory.prepare import Prepared, prepare, with_nearest
from ghostmem.model import Memory, NsFilter, SourceKind, Tier, Verdict, VerdictKind
from ghostmem.settings import Settings
from ghostmem.store import ChunkTerms, Filter, Space, Store, Transaction
from ghostmem.store.lexical import shared_terms_score, term_postings
from ghostmem.text.labels import tag_terms
from ghostmem.text.redact import MARK
from ghostmem.text.terms import encode, index_terms, rarity
from ghostmem.truth.plain import (
    MAX_READ,
    announces_change,
    judge_plainly,
    says_the_same,
)

if TYPE_CHECKING:
    from ghostmem.graph.autolink import NearestChunks
    from ghostmem.judge.model import JudgeThresholds

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
MIN_SHARED = 2  # terms of two texts that surely contradict each other
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
        tx.db.saw_all((self.memory, *self.also))
        rows = tx.memories.by_ids([self.memory.id, *(memory.id for memory in self.also)])
        valid = {id_ for id_, row in rows.items() if row.is_current(now) and row.is_open(now)}
        if self.memory.id not in valid:
            return NOTHING
        return self._replace(also=tuple(memory for memory in self.also if memory.id in valid))


NOTHING = Judgement(Verdict(VerdictKind.NEW))


def compare_draft(store: Store, draft: Draft, current: Memory | None) -> tuple[Prepared, Judgement]:
    """Chunk and embed a draft, and find how it relates to the memories of its namespace.

    `current` is the current version of its key."""
    prepared = prepare(store, draft, current)
    with store.engine.read() as tx:
        return judge_prepared(store, tx, draft, prepared, current)


def judge_prepared(
    store: Store, tx: Transaction, draft: Draft, prepared: Prepared, current: Memory | None
) -> tuple[Prepared, Judgement]:
    """Find the chunks nearest to a draft, and how it relates to the memories of its namespace."""
    prepared = with_nearest(store, tx, draft, prepared)
    return prepared, judge_draft(store, tx, draft, prepared.near, current)


def read_ahead(store: Store, tx: Transaction, draft: Draft) -> None:
    """Read what a put needs first in as few round trips as possible."""
    if not store.engine.shared:  # without a server there is nothing to read ahead
        return
    terms = dict.fromkeys(index_terms(draft.content[:MAX_READ]))
    telling = _telling_terms(terms, _limits(store.settings, draft.content).terms)
    codes = [encode(term) for term in telling]
    tx.ahead(
        lambda: tx.memories.last(draft.ns, draft.key),
        lambda: tx.search.spaces([draft.ns]),
        lambda: tx.search.expect(draft.ns, codes, MAX_POSTINGS),
        lambda: store.vectoriser.find_model(tx),
    )


def judge_draft(
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
    settings = replace(store.settings, judge="off") if of_turn else store.settings
    judgement = find_verdict(settings, tx, draft.ns, draft.key, draft.content, store.clock(), near)
    if judgement.memory is not None and _same_speaker(judgement.memory, draft, current):
        also = tuple(memory for memory in judgement.also if _same_speaker(memory, draft, current))
        return judgement._replace(also=also, of_turn=of_turn)
    if current is None:
        return NOTHING
    same = current.content == draft.content
    kind = VerdictKind.RESTATEMENT if same else VerdictKind.UPDATE
    return Judgement(Verdict(kind, current.key, {"version": current.version}), current)


def _same_speaker(old: Memory, draft: Draft, current: Memory | None) -> bool:
    """Say whether two statements can be about one fact.

    "I live in Oslo" is a different fact when another person says it.
    """
    source = draft.fields.get("source_kind", current.source_kind if current else None)
    user = draft.fields.get("source_user", current.source_user if current else None)
    if old.from_user != (source in (None, SourceKind.STATED)):
        return True
    return old.source_user is None or user is None or old.source_user.casefold() == user.casefold()


def find_verdict(
    settings: Settings,
    tx: Transaction,
    ns: str,
    key: str,
    content: str,
    now: datetime,
    near: NearestChunks | None = None,
) -> Judgement:
    """Return how a text relates to the memories of a namespace under other keys.

    Sensory, closed and removed memories are not considered. `near` are the stored chunks nearest
    to those of the text."""
    space = tx.search.space(ns)
    if space is None or not space.chunks:
        return NOTHING
    terms = dict.fromkeys(index_terms(content[:MAX_READ]))
    limits = _limits(settings, content)
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
    candidates = tx.search.chunk_terms(list(chunks), selection)
    similar = _most_similar(terms, candidates, key, limits, related)
    found = tx.memories.by_ids(list(similar)) if similar else {}
    memories = [found[id_] for id_ in similar if id_ in found]
    memories = [memory for memory in memories if _is_comparable(memory, key, now)]
    contents = {memory.id: memory.content for memory in memories}
    texts = {
        id_: contents[id_][chunk.start : chunk.stop]
        for id_, chunk in similar.items()
        if id_ in contents
    }
    return _strongest(settings, content, memories, texts) if memories else NOTHING


def _limits(settings: Settings, content: str) -> _Limits:
    if judge_available(settings):
        return JUDGED
    return CHANGED if announces_change(content) else PLAIN


def _strongest(
    settings: Settings, content: str, memories: Sequence[Memory], texts: Mapping[str, str]
) -> Judgement:
    """Return the strongest verdict of a text on some memories, the newest of equals.

    `texts` are their most similar parts, by the ids of the memories."""
    same = next((memory for memory in memories if memory.content == content), None)
    if same is not None:
        return Judgement(Verdict(VerdictKind.RESTATEMENT, same.key, {"same": True}), same)
    judged = _first_few(memories, texts, content) if judge_available(settings) else memories
    newest_first = sorted(judged, key=lambda m: (-m.created_at.timestamp(), m.key))
    old = [texts[memory.id] for memory in newest_first]
    own = set(index_terms(content[:MAX_READ]))
    shared = [len(own.intersection(index_terms(text))) for text in old]
    opinions = _opinions(settings, content, old, shared)
    best, strongest = (False, 0, 0, 0.0), NOTHING
    for memory, opinion, count in zip(newest_first, opinions, shared, strict=True):
        strength = (opinion.is_sure, _STRENGTH[opinion.kind], count, opinion.confidence)
        if opinion.kind != VerdictKind.NEW and strength > best:
            best = strength
            evidence = _evidence(content, memory, opinion)
            verdict = Verdict(opinion.kind, memory.key, evidence)
            strongest = Judgement(verdict, memory, is_tentative=not opinion.is_sure)
    judged_as = {m.id: opinion for m, opinion in zip(newest_first, opinions, strict=True)}
    return strongest._replace(also=_also_corrected(own, strongest, memories, texts, judged_as))


def _also_corrected(
    own: Collection[str],
    strongest: Judgement,
    memories: Sequence[Memory],
    texts: Mapping[str, str],
    opinions: Mapping[str, _Opinion],
) -> tuple[Memory, ...]:
    """Return further memories that a text corrects; what surely corrects one needs no certainty.

    A memory that lacks a word which the text shares with the one it surely concerns is about
    something else: production, where the text is about staging. A memory that repeats a corrected
    one, such as a summary of it, is corrected too, unless the judge calls the text new to it."""
    if strongest.memory is None or strongest.is_tentative:
        return ()
    named = set(own) & set(index_terms(texts[strongest.memory.id]))
    corrected = [strongest.memory] if strongest.verdict.kind in CORRECTIONS else []
    for memory in memories:
        opinion = opinions.get(memory.id)
        if memory is strongest.memory or not named <= set(index_terms(texts[memory.id])):
            continue
        if opinion is None:
            repeats = any(says_the_same(texts[memory.id], texts[one.id]) for one in corrected)
            corrected += [memory] * repeats
        elif opinion.kind in CORRECTIONS and (opinion.is_sure or corrected):
            corrected.append(memory)
    return tuple(memory for memory in corrected if memory is not strongest.memory)


class _Opinion(NamedTuple):
    """The relation of a text to one memory, its probability, and whether it may be acted on."""

    kind: VerdictKind
    confidence: float
    phrase: str = ""
    is_sure: bool = True


def _opinions(
    settings: Settings, content: str, old: Sequence[str], shared: Sequence[int]
) -> list[_Opinion]:
    """Return how a text relates to each older one; `shared` counts the terms they share."""
    judge = find_judge(settings)
    by_rules = [_Opinion(*judge_plainly(content, text)) for text in old]
    if judge is None:
        return by_rules
    by_judge = [
        _opinion(chances, judge.thresholds, count)
        for chances, count in zip(judge.verdicts(content, old), shared, strict=True)
    ]
    if MARK in content:  # the judge takes two texts with a redacted secret for similar
        by_judge = [
            opinion._replace(is_sure=False) if opinion.kind == VerdictKind.RESTATEMENT else opinion
            for opinion in by_judge
        ]
    return [
        _better(judged, ruled, says_the_same(content, text))
        for judged, ruled, text in zip(by_judge, by_rules, old, strict=True)
    ]


def _opinion(
    chances: Mapping[VerdictKind, float], thresholds: JudgeThresholds, shared: int
) -> _Opinion:
    """Return the most likely kind; an update and a conflict count together as a correction.

    Texts that share a single term (`shared`) may be about different things, so a conflict of these
    is never sure."""
    kind = max(chances, key=lambda kind: chances[kind])
    if kind in CORRECTIONS:
        chance = sum(chances[kind] for kind in CORRECTIONS)
        is_sure = chance >= thresholds.correction
        if kind == VerdictKind.CONFLICT and shared < MIN_SHARED:
            is_sure = False
        return _Opinion(kind, round(chance, 2), is_sure=is_sure)
    is_sure = kind == VerdictKind.NEW or chances[kind] >= thresholds.restatement
    return _Opinion(kind, round(chances[kind], 2), is_sure=is_sure)


def _better(judged: _Opinion, ruled: _Opinion, has_same_terms: bool) -> _Opinion:
    """Return the better founded of two opinions.

    The plain rules know the same text again. A correction that the judge is not sure of is one if
    the text says so outright. Texts with the same terms hardly correct each other."""
    if ruled.kind == VerdictKind.RESTATEMENT:
        return ruled
    corrects = judged.kind in CORRECTIONS
    is_settled = judged.is_sure if corrects else judged.confidence >= SURELY_NEW
    if ruled.kind in CORRECTIONS and not is_settled:
        return ruled
    return judged._replace(is_sure=False) if corrects and has_same_terms else judged


def _evidence(content: str, memory: Memory, opinion: _Opinion) -> dict[str, object]:
    """Return what a verdict rests on."""
    theirs = set(index_terms(memory.content[:MAX_READ]))
    own = dict.fromkeys(index_terms(content[:MAX_READ]))
    evidence: dict[str, object] = {
        "confidence": opinion.confidence,
        "shared": [term for term in own if term in theirs][:SHOWN],
    }
    if opinion.phrase:
        evidence["phrase"] = opinion.phrase
    if not opinion.is_sure:
        evidence["tentative"] = True
    return evidence


def _by_words(tx: Transaction, space: Space, terms: Iterable[str], limits: _Limits) -> list[int]:
    """Return the chunks that share the rarest words with a text, best first, then newest first."""
    postings = term_postings(tx, space, _telling_terms(terms, limits.terms), MAX_POSTINGS)
    scores = shared_terms_score(postings, space.chunks)
    rarities = (rarity(space.chunks, len(chunks)) for chunks in postings.values())
    least = limits.share * sum(rarities)
    shared = sorted((chunk for chunk, score in scores.items() if score >= least), reverse=True)
    return sorted(shared, key=scores.__getitem__, reverse=True)[: limits.chunks]


def _telling_terms(terms: Iterable[str], count: int) -> list[str]:
    """Return the words that are likely rarest, without a look at the index.

    These are the long ones, and up to a third with digits: rare words, but another text about the
    same thing may have other digits."""
    ranked = sorted(terms, key=len, reverse=True)
    numbered = [term for term in ranked if not term.isalpha() and any(map(str.isdigit, term))]
    numbered = numbered[: max(1, count // 3)]
    return [*numbered, *(term for term in ranked if term not in numbered)][:count]


def _most_similar(
    terms: Collection[str],
    candidates: Sequence[ChunkTerms],
    key: str,
    limits: _Limits,
    related: Mapping[int, float],
) -> dict[str, ChunkTerms]:
    """Return the ids and best chunks of the memories that are most similar to a text, best first.

    They share enough terms with it, or have a related vector."""
    own = set(terms)
    best: dict[str, tuple[float, ChunkTerms]] = {}
    for candidate in candidates:
        if candidate.key == key:
            continue
        their = set(candidate.terms.split())
        if candidate.tags is not None:  # a text and its restatement need not have the same tags
            their -= set(tag_terms(json.loads(candidate.tags))) - own
        shared = len(own & their)
        of_shorter = shared / max(1, min(len(own), len(their)))
        of_longer = shared / max(1, len(own), len(their))
        cosine = related.get(candidate.chunk, 0.0)
        is_related = cosine >= NEAR or (cosine > 0 and shared > 0)
        if of_longer >= limits.of_longer or of_shorter >= limits.of_shorter or is_related:
            score = of_shorter + of_longer + 2 * cosine
            if candidate.memory_id not in best or score > best[candidate.memory_id][0]:
                best[candidate.memory_id] = (score, candidate)
    ranked = sorted(best, key=lambda id_: -best[id_][0])[: limits.judged]
    return {id_: best[id_][1] for id_ in ranked}


def _first_few(memories: Sequence[Memory], texts: Mapping[str, str], content: str) -> list[Memory]:
    """Return the memories that the judge may read in the time of a put.

    These are the most similar one and, for short texts, the newest of the others: of several
    statements about one thing the newest is the one that holds."""
    by_id = {memory.id: memory for memory in memories}
    best, *others = [by_id[id_] for id_ in texts if id_ in by_id]
    size = len(content[:MAX_PART]) + len(texts[best.id][:MAX_PART])
    if not others or 2 * size > MAX_CHARACTERS:
        return [best]
    return [best, max(others, key=lambda memory: (memory.created_at, memory.key))]


def _is_comparable(memory: Memory, key: str, now: datetime) -> bool:
    """Say whether a new text can restate or correct a memory."""
    if memory.key == key or memory.tier == Tier.SENSORY:
        return False
    return memory.is_current(now) and (memory.valid_to is None or memory.valid_to > now)
