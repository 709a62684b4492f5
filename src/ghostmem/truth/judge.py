"""Finding what a text that is about to be put says again, updates or contradicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.model import Memory, NsFilter, Tier, Verdict, VerdictKind
from ghostmem.store.rows import Filter
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.labels import tag_terms
from ghostmem.text.rarity import rarity
from ghostmem.text.terms import encode, index_terms
from ghostmem.truth.rules.signs import FIRST, may_change

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ghostmem.graph.autolink import Near
    from ghostmem.store.nearest import VectorView
    from ghostmem.store.protocol import Transaction
    from ghostmem.store.rows import Candidate, Space
    from ghostmem.store.store import Store

NEAREST = 6  # how many of the nearest chunks are looked at
POSTINGS = 48  # how many of the newest chunks of each word
KNOWN = 0.5  # a text that the model has words for only in part has no cosine to go by


class _Look(NamedTuple):
    """How far to look: words looked up, chunks taken, the share of the words that a chunk must
    have, and shares to be judged.

    `judged` is how many memories are judged in the end.
    """

    terms: int
    chunks: int
    share: float
    of_shorter: float
    of_longer: float
    judged: int


PLAIN = _Look(terms=3, chunks=6, share=0.25, of_shorter=0.75, of_longer=0.5, judged=4)
CHANGED = _Look(
    terms=10, chunks=16, share=0.12, of_shorter=0.2, of_longer=0.2, judged=6
)  # it need not say much of what it changes
_STRENGTH = {
    VerdictKind.RESTATEMENT: 3,
    VerdictKind.UPDATE: 2,
    VerdictKind.CONFLICT: 1,
    VerdictKind.NEW: 0,
}


class Finding(NamedTuple):
    """A verdict, the memory it concerns, how sure it is, and everything else that the text
    corrects.
    """

    verdict: Verdict
    memory: Memory | None = None
    confidence: float = 1.0
    also: tuple[Memory, ...] = ()


NOTHING = Finding(Verdict(VerdictKind.NEW))


def find_verdict(
    store: Store,
    tx: Transaction,
    ns: str,
    key: str,
    content: str,
    vectors: Sequence[bytes],
    now: datetime,
    exclude_locked: bool = False,
    near: Near | None = None,
) -> Finding:
    """Say what a text is to what its namespace knows under other keys: the strongest of what it is
    to each memory near it.

    Near are those with the nearest vectors and those with most of its rare words, so that it works
    without vectors too. Memories that are sensory, closed or no longer there are none of these.
    `vectors` are those of the text's chunks, and `near` is what was found near them if somebody
    looked already."""
    space = next(iter(tx.search.spaces([ns])), None)
    if space is None or not space.chunks:
        return NOTHING
    view = _view(store, tx, space, content, vectors) if near is None else None
    terms = dict.fromkeys(index_terms(content[:FIRST]))
    look = CHANGED if _tells_change(content) else PLAIN
    chunks = list(dict.fromkeys([*_nearest(view, near), *_worded(tx, space, terms, look)]))
    owners = (
        _alike(terms, tx.search.candidates(chunks, Filter(NsFilter(ns), now)), key, look)
        if chunks
        else []
    )
    if not owners:
        return NOTHING
    memories = [
        memory
        for memory in tx.memories.by_ids(owners).values()
        if _is_open(memory, key, now, exclude_locked)
    ]
    if view is None and memories:
        view = _view(store, tx, space, content, vectors)
    return _judged(
        content, memories, view.cosines(tx, memories) if view is not None and memories else {}
    )


def _tells_change(content: str) -> bool:
    """Say whether a text has words of change.

    The rules are only loaded where one of their signs is there.
    """
    if not may_change(content):
        return False
    from ghostmem.truth.rules.change import changes

    return bool(changes(content[:FIRST]))


def _judged(content: str, memories: Sequence[Memory], cosines: Mapping[str, float]) -> Finding:
    """Return the strongest of what a text is to each of a few memories, the newest first, and all
    that it corrects.
    """
    if not memories:
        return NOTHING
    if (
        same := next((memory for memory in memories if memory.content == content), None)
    ) is not None:
        return Finding(Verdict(VerdictKind.RESTATEMENT, same.key, {"same": True}), same)
    from ghostmem.truth.rules.verdict import judge

    best, found, corrected = (0, 0.0), NOTHING, []
    for memory in sorted(memories, key=lambda memory: (-memory.created_at.timestamp(), memory.key)):
        judged = judge(content, memory.content, cosines.get(memory.id))
        rank = (_STRENGTH[judged.kind], judged.confidence)
        if judged.kind in (VerdictKind.UPDATE, VerdictKind.CONFLICT):
            corrected.append(memory)
        if judged.kind != VerdictKind.NEW and rank > best:
            evidence = {**judged.evidence, "confidence": judged.confidence}
            best, found = (
                rank,
                Finding(Verdict(judged.kind, memory.key, evidence), memory, judged.confidence),
            )
    return found._replace(also=tuple(memory for memory in corrected if memory is not found.memory))


def _nearest(view: _View | None, near: Near | None) -> list[int]:
    """Return the chunks nearest to a text's, nearest first."""
    if near is not None:
        return sorted(near.cosines, key=lambda chunk: -near.cosines[chunk])[:NEAREST]
    return [] if view is None else view.vectors.nearest(view.query, NEAREST)


def _alike(
    terms: Collection[str], candidates: Sequence[Candidate], key: str, look: _Look
) -> list[str]:
    """Return the few memories whose chunks have much the same terms as a text: the only ones worth
    a judgement.
    """
    mine = set(terms)
    scores: dict[str, float] = {}
    for candidate in candidates:
        if candidate.key != key:
            theirs = set(candidate.terms.split())
            if candidate.tags is not None:  # a text and its restatement need not have the same tags
                theirs -= set(tag_terms(json.loads(candidate.tags))) - mine
            both = len(mine & theirs)
            of_shorter, of_longer = (
                both / max(1, min(len(mine), len(theirs))),
                both / max(1, len(mine), len(theirs)),
            )
            if of_longer >= look.of_longer or of_shorter >= look.of_shorter:
                scores[candidate.memory_id] = max(
                    scores.get(candidate.memory_id, 0.0), of_shorter + of_longer
                )
    return sorted(scores, key=lambda id_: -scores[id_])[: look.judged]


def _is_open(memory: Memory, key: str, now: datetime, exclude_locked: bool) -> bool:
    """Say whether a memory is one that a new text may say something about."""
    if memory.key == key or memory.tier == Tier.SENSORY or (exclude_locked and memory.locked):
        return False
    return memory.is_current(now) and (memory.valid_to is None or memory.valid_to > now)


def _worded(tx: Transaction, space: Space, terms: Iterable[str], look: _Look) -> list[int]:
    """Return the chunks that have most of a text's rarest words, most first, the newest of
    equals.
    """
    wanted = _wanted(terms, look.terms)
    found = dict(
        zip(
            wanted,
            tx.search.postings(space.number, [encode(term) for term in wanted], POSTINGS),
            strict=True,
        )
    )
    worth = {term: rarity(space.chunks, len(chunks)) for term, chunks in found.items()}
    totals: dict[int, float] = {}
    for term, chunks in found.items():
        for chunk in chunks:
            totals[chunk] = totals.get(chunk, 0.0) + worth[term]
    least = look.share * sum(worth.values())
    ranked = sorted((-total, -chunk) for chunk, total in totals.items() if total >= least)
    return [-chunk for _, chunk in ranked[: look.chunks]]


def _wanted(terms: Iterable[str], count: int) -> list[str]:
    """Return the words that likely tell most, without a look at the index: long ones, and one in
    three with digits in it.

    What has digits is rare, but it is also just what another text about the same thing may have
    another of."""
    ranked = sorted(terms, key=len, reverse=True)
    marked = [term for term in ranked if not term.isalpha() and any(map(str.isdigit, term))][
        : max(1, count // 3)
    ]
    plain = [term for term in ranked if term not in marked]
    return [*marked, *plain][:count]


class _View(NamedTuple):
    """The vectors of a namespace, and that of a text's first chunk."""

    vectors: VectorView
    query: NDArray[np.float32]
    known: Callable[[str], float]

    def cosines(self, tx: Transaction, memories: Sequence[Memory]) -> Mapping[str, float]:
        """Return how alike the first chunks of memories are to the text's, as far as they have
        vectors.
        """
        import numpy as np

        asked = [
            memory
            for memory in memories
            if memory.content.isascii() or self.known(memory.content[:FIRST]) >= KNOWN
        ]
        firsts = [
            (memory.id, numbers[0]) for memory in asked if (numbers := tx.index.numbers(memory.id))
        ]
        rows, there = self.vectors.vectors(np.array([number for _, number in firsts], np.int64))
        values = np.vecdot(rows, self.query).tolist()
        return {
            id_: value
            for (id_, _), value, is_there in zip(firsts, values, there.tolist(), strict=True)
            if is_there
        }


def _view(
    store: Store, tx: Transaction, space: Space, content: str, vectors: Sequence[bytes]
) -> _View | None:
    """Return the vectors to compare with.

    None without a provider that knows the text's words, and numpy is not touched then.
    """
    embedder = store.vectoriser.get() if vectors else None
    if embedder is None or not (content.isascii() or embedder.known(content[:FIRST]) >= KNOWN):
        return None
    model = tx.vectors.find(embedder.model, len(vectors[0]) // 2, CHUNKER)
    if model is None:
        return None
    import numpy as np

    return _View(
        tx.vectors.view(model, space),
        np.frombuffer(vectors[0], np.float16).astype(np.float32),
        embedder.known,
    )
