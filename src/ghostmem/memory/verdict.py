"""Find how a draft relates to stored memories: new, a restatement, an update or a conflict.

Candidates are the memories with the nearest vectors and those that share the rarest words, so that
verdicts work without an embedding provider too. `truth.rules` compares the draft with each of
them, and the strongest verdict counts."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ghostmem.embed.base import Embedder
from ghostmem.graph.autolink import NearestChunks
from ghostmem.memory.draft import Draft
from ghostmem.memory.prepare import Prepared
from ghostmem.model import Memory, NsFilter, SourceKind, Tier, Verdict, VerdictKind
from ghostmem.store import ChunkCandidate, Filter, Space, Store, Transaction
from ghostmem.store.lexical import shared_terms_score, term_postings
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.labels import tag_terms
from ghostmem.text.terms import index_terms, rarity
from ghostmem.truth.rules.signs import FIRST, may_change

MAX_NEAREST = 6  # chunks taken by their vectors
MAX_POSTINGS = 48  # newest chunks of each word
MIN_KNOWN = 0.5  # share of a text's words that the model must know for a cosine to count
CORRECTIONS = (VerdictKind.UPDATE, VerdictKind.CONFLICT)
_STRENGTH = {
    VerdictKind.RESTATEMENT: 3,
    VerdictKind.UPDATE: 2,
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
    judged: int


PLAIN = _Limits(terms=3, chunks=6, share=0.25, of_shorter=0.75, of_longer=0.5, judged=4)
# A text that announces a change need not repeat much of the text that it changes.
CHANGED = _Limits(terms=10, chunks=16, share=0.12, of_shorter=0.2, of_longer=0.2, judged=6)


class Judgement(NamedTuple):
    """A verdict, the memory it concerns, and further memories that the text corrects."""

    verdict: Verdict
    memory: Memory | None = None
    confidence: float = 1.0
    also: tuple[Memory, ...] = ()

    def still_valid(self, tx: Transaction, now: datetime) -> "Judgement":
        """Return the judgement without the memories that ended or were replaced meanwhile."""
        if self.memory is None:
            return self
        rows = tx.memories.by_ids([self.memory.id, *(memory.id for memory in self.also)])
        valid = {id_ for id_, row in rows.items() if row.is_current(now) and row.is_open(now)}
        if self.memory.id not in valid:
            return NOTHING
        return self._replace(also=tuple(memory for memory in self.also if memory.id in valid))


NOTHING = Judgement(Verdict(VerdictKind.NEW))


def judge_draft(store: Store, draft: Draft, prepared: Prepared) -> Judgement:
    """Return how a draft relates to the memories of its namespace and to its previous version."""
    if store.settings.freshness == "off" and not draft.dedup and not draft.supersedes:
        return NOTHING
    now = store.clock()
    with store.engine.read() as tx:
        # vectors of a model that was replaced meanwhile cannot be compared
        is_current = prepared.embedder is not None and prepared.embedder is store.vectoriser.get(tx)
        vectors = prepared.vectors if is_current else ()
        judgement = find_verdict(
            store, tx, draft.ns, draft.key, draft.content, vectors, now, near=prepared.near
        )
        current = tx.memories.current(draft.ns, draft.key, now)
    if judgement.memory is not None and _same_speaker(judgement.memory, draft, current):
        also = tuple(memory for memory in judgement.also if _same_speaker(memory, draft, current))
        return judgement._replace(also=also)
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
    store: Store,
    tx: Transaction,
    ns: str,
    key: str,
    content: str,
    vectors: Sequence[bytes],
    now: datetime,
    near: NearestChunks | None = None,
) -> Judgement:
    """Return how a text relates to the memories of a namespace under other keys.

    Sensory, closed and removed memories are not considered. `vectors` are those of the text's
    chunks, and `near` the stored chunks nearest to them."""
    space = next(iter(tx.search.spaces([ns])), None)
    if space is None or not space.chunks:
        return NOTHING
    terms = dict.fromkeys(index_terms(content[:FIRST]))
    limits = CHANGED if _announces_change(content) else PLAIN
    cosines = {} if near is None else near.cosines
    nearest = sorted(cosines, key=lambda chunk: -cosines[chunk])[:MAX_NEAREST]
    chunks = dict.fromkeys([*nearest, *_by_words(tx, space, terms, limits)])
    if not chunks:
        return NOTHING
    candidates = tx.search.candidates(list(chunks), Filter(NsFilter(ns), now))
    owners = _most_similar(terms, candidates, key, limits)
    memories = [
        memory
        for memory in (tx.memories.by_ids(owners).values() if owners else ())
        if _is_comparable(memory, key, now)
    ]
    if not memories:
        return NOTHING
    similarity = _cosines(store, tx, space, content, vectors, memories)
    return _strongest(content, memories, similarity)


def _announces_change(content: str) -> bool:
    if not may_change(content):  # a cheap test first: the rules take time to load
        return False
    from ghostmem.truth.rules.change import changes

    return bool(changes(content[:FIRST]))


def _strongest(content: str, memories: Sequence[Memory], cosines: Mapping[str, float]) -> Judgement:
    """Return the strongest verdict of a text on some memories, the newest of equals."""
    same = next((memory for memory in memories if memory.content == content), None)
    if same is not None:
        return Judgement(Verdict(VerdictKind.RESTATEMENT, same.key, {"same": True}), same)
    from ghostmem.truth.rules.verdict import judge

    best, strongest, corrected = (0, 0.0), NOTHING, []
    for memory in sorted(memories, key=lambda memory: (-memory.created_at.timestamp(), memory.key)):
        kind, confidence, evidence = judge(content, memory.content, cosines.get(memory.id))
        if kind in CORRECTIONS:
            corrected.append(memory)
        if kind != VerdictKind.NEW and (_STRENGTH[kind], confidence) > best:
            best = (_STRENGTH[kind], confidence)
            verdict = Verdict(kind, memory.key, {**evidence, "confidence": confidence})
            strongest = Judgement(verdict, memory, confidence)
    return strongest._replace(
        also=tuple(memory for memory in corrected if memory is not strongest.memory)
    )


def _by_words(tx: Transaction, space: Space, terms: Iterable[str], limits: _Limits) -> list[int]:
    """Return the chunks that share the rarest words with a text, best first, then newest first."""
    postings = term_postings(tx, space, _telling_terms(terms, limits.terms), MAX_POSTINGS)
    scores = shared_terms_score(postings, space.chunks)
    rarities = (rarity(space.chunks, len(chunks)) for chunks in postings.values())
    least = limits.share * sum(rarities)
    ranked = sorted((-score, -chunk) for chunk, score in scores.items() if score >= least)
    return [-chunk for _, chunk in ranked[: limits.chunks]]


def _telling_terms(terms: Iterable[str], count: int) -> list[str]:
    """Return the words that are likely rarest, without a look at the index.

    These are the long ones, and up to a third with digits: rare words, but another text about the
    same thing may have other digits."""
    ranked = sorted(terms, key=len, reverse=True)
    numbered = [term for term in ranked if not term.isalpha() and any(map(str.isdigit, term))]
    numbered = numbered[: max(1, count // 3)]
    return [*numbered, *(term for term in ranked if term not in numbered)][:count]


def _most_similar(
    terms: Collection[str], candidates: Sequence[ChunkCandidate], key: str, limits: _Limits
) -> list[str]:
    """Return the ids of the memories whose chunks share enough terms with a text, best first."""
    own = set(terms)
    scores: dict[str, float] = {}
    for candidate in candidates:
        if candidate.key == key:
            continue
        their = set(candidate.terms.split())
        if candidate.tags is not None:  # a text and its restatement need not have the same tags
            their -= set(tag_terms(json.loads(candidate.tags))) - own
        shared = len(own & their)
        of_shorter = shared / max(1, min(len(own), len(their)))
        of_longer = shared / max(1, len(own), len(their))
        if of_longer >= limits.of_longer or of_shorter >= limits.of_shorter:
            score = scores.get(candidate.memory_id, 0.0)
            scores[candidate.memory_id] = max(score, of_shorter + of_longer)
    return sorted(scores, key=lambda id_: -scores[id_])[: limits.judged]


def _is_comparable(memory: Memory, key: str, now: datetime) -> bool:
    """Say whether a new text can restate or correct a memory."""
    if memory.key == key or memory.tier == Tier.SENSORY:
        return False
    return memory.is_current(now) and (memory.valid_to is None or memory.valid_to > now)


def _cosines(
    store: Store,
    tx: Transaction,
    space: Space,
    content: str,
    vectors: Sequence[bytes],
    memories: Iterable[Memory],
) -> dict[str, float]:
    """Return the cosines of the first chunks of a text and of memories, by the ids of these.

    A memory without a vector, or with words that the model does not know, has no cosine."""
    embedder = store.vectoriser.get(tx) if vectors else None
    if embedder is None or not _is_known(embedder, content):
        return {}
    model = tx.vectors.find(embedder.model, len(vectors[0]) // 2, CHUNKER)
    if model is None:
        return {}
    import numpy as np

    first_chunks = {
        memory.id: numbers[0]
        for memory in memories
        if _is_known(embedder, memory.content) and (numbers := tx.index.numbers(memory.id))
    }
    view = tx.vectors.view(model, space)
    rows, has_vector = view.vectors(np.array(list(first_chunks.values()), np.int64))
    cosines = np.vecdot(rows, np.frombuffer(vectors[0], np.float16).astype(np.float32))
    compared = zip(first_chunks, cosines.tolist(), has_vector.tolist(), strict=True)
    return {id_: cosine for id_, cosine, is_there in compared if is_there}


def _is_known(embedder: Embedder, text: str) -> bool:
    return text.isascii() or embedder.known(text[:FIRST]) >= MIN_KNOWN
