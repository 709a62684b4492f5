"""Find the memories that prevail over others, and the user's statements about the same subject."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain, pairwise
from typing import NamedTuple

from ghostmem.model import Memory, NsFilter, Rel
from ghostmem.store import Filter, Space, Transaction
from ghostmem.text.terms import index_terms, rarity
from ghostmem.truth.corrections import precedence, prevails

# By the id of a memory: the memories that contradict it and prevail, the strongest first.
Contradictions = Mapping[str, Sequence[Memory]]
MAX_CHAIN = 8  # corrections of corrections that are followed

MAX_CHARACTERS = 2_000  # of a claim that are read
MAX_TERMS = 8  # of its words that are looked up
MAX_POSTINGS = 4_000  # newest chunks per word: many, so that a flood cannot hide older statements
BATCH, MAX_CANDIDATES = 200, 2_000  # chunks read at once, and in all
MAX_CLAIMS = 50  # as many as a context has seeds
MAX_SIMILAR = 20  # statements per claim that are read, some from the same conversation
MAX_STATEMENTS = 3  # per claim
MIN_SHARE, MIN_SHARED_TERMS = 0.5, 2  # of the shorter text's words, that both texts must have


def find_contradictions(
    tx: Transaction, ids: Iterable[str], conditions: Filter, moment: datetime
) -> Contradictions:
    """Return the memories that prevail over others, and those that prevail over these in turn."""
    prevailing: dict[str, list[Memory]] = defaultdict(list)
    known: dict[str, Memory] = {}
    todo, seen = set(ids), set[str]()
    near = set(todo)  # the memories whose edges are read: all that may be needed next
    for _ in range(MAX_CHAIN):
        edges = [
            edge
            for edge in (tx.graph.touching(near - seen, [Rel.CONTRADICTS]) if todo - seen else [])
            if not seen.issuperset(todo & {edge.from_id, edge.to_id})
        ]
        if not edges:
            break
        seen |= todo
        near = {end for edge in edges for end in (edge.from_id, edge.to_id)}
        fresh = near - known.keys()
        tx.ahead(
            partial(_valid, tx, fresh, conditions, moment),
            partial(tx.graph.touching, near - seen, [Rel.CONTRADICTS]),
        )
        known |= _valid(tx, fresh, conditions, moment)
        todo = set()
        for edge in edges:
            first, second = known.get(edge.from_id), known.get(edge.to_id)
            if first and second and first.ns == second.ns:
                new, old = (first, second) if prevails(first, second) else (second, first)
                if new not in prevailing[old.id]:
                    prevailing[old.id].append(new)
                    todo.add(new.id)
    return {
        id_: sorted(memories, key=precedence, reverse=True)
        for id_, memories in prevailing.items()
        if memories
    }


def _valid(
    tx: Transaction, ids: Iterable[str], conditions: Filter, moment: datetime
) -> dict[str, Memory]:
    """Return the valid memories that pass the caller's filter; they may be dormant."""
    wanted, selection = sorted(ids), replace(conditions, ns=NsFilter(), tiers=())
    tx.ahead(lambda: tx.memories.by_ids(wanted), lambda: tx.listing.passing(wanted, selection))
    rows = tx.memories.by_ids(wanted)
    passing = tx.listing.passing(wanted, selection)
    return {
        id_: memory
        for id_, memory in rows.items()
        if id_ in passing
        and memory.is_current(moment)
        and (conditions.valid_at is not None or memory.is_open(moment))
    }


def find_user_statements(
    tx: Transaction, memories: Iterable[Memory], conditions: Filter, moment: datetime
) -> dict[str, list[Memory]]:
    """Return the user's statements about the same subject for each memory from another source.

    They pass the caller's filter, except that they may be dormant. Statements from the same
    conversation as the claim are left out: they are retrieved together anyway."""
    claims = [memory for memory in memories if not memory.from_user][:MAX_CLAIMS]
    if not claims:
        return {}
    namespaces = {
        space.name: _UserStatements(
            tx,
            space,
            replace(conditions, ns=NsFilter(space.name), now=moment, tiers=(), trusted=True),
        )
        for space in tx.search.spaces(dict.fromkeys(claim.ns for claim in claims))
    }
    similar = {
        claim.id: namespaces[claim.ns].similar(claim) for claim in claims if claim.ns in namespaces
    }
    rows = tx.memories.by_ids(list(dict.fromkeys(chain.from_iterable(similar.values()))))
    statements = {
        claim.id: [
            rows[id_]
            for id_ in similar.get(claim.id, ())
            if claim.source_scope is None or rows[id_].source_scope != claim.source_scope
        ][:MAX_STATEMENTS]
        for claim in claims
    }
    return {id_: stated for id_, stated in statements.items() if stated}


class _StatedChunk(NamedTuple):
    """A chunk of a statement: the id of its memory, and the terms of its text."""

    memory_id: str
    terms: frozenset[str]


class _Posting(NamedTuple):
    """A term: how many chunks contain it, and those that may belong to statements."""

    total: int
    chunks: frozenset[int]


class _UserStatements:
    """The user's statements in one namespace; terms and chunks are read once for all claims."""

    def __init__(self, tx: Transaction, space: Space, trusted: Filter) -> None:
        self._tx, self._space, self._trusted = tx, space, trusted
        self._known = tx.search.statements(space)  # their chunks, or None: not known
        self._postings: dict[str, _Posting] = {}
        self._chunks: dict[int, _StatedChunk | None] = {}  # None: no statement of the user

    def similar(self, claim: Memory) -> list[str]:
        """Return the ids of the statements that share enough words with a claim, best first."""
        claim_terms = dict.fromkeys(index_terms(claim.content[:MAX_CHARACTERS]))
        numbers_first = sorted(
            claim_terms, key=lambda term: (not any(map(str.isdigit, term)), -len(term))
        )
        chunks = self._sharing(numbers_first[:MAX_TERMS])
        shares: dict[str, float] = {}
        for start in range(0, len(chunks), BATCH):
            for memory_id, terms in self._stated(chunks[start : start + BATCH]):
                common = len(claim_terms.keys() & terms)
                share = common / max(1, min(len(terms), len(claim_terms)))
                if common >= MIN_SHARED_TERMS and share >= MIN_SHARE:
                    shares[memory_id] = max(share, shares.get(memory_id, 0.0))
            if len(shares) >= MAX_STATEMENTS:
                break
        return sorted(shares, key=lambda id_: (-shares[id_], id_))[:MAX_SIMILAR]

    def _sharing(self, terms: Sequence[str]) -> list[int]:
        """Return the chunks that contain two of some terms or more, those with the rarest first."""
        if fresh := [term for term in terms if term not in self._postings]:
            for term, numbers in self._tx.search.term_postings(
                self._space, fresh, MAX_POSTINGS
            ).items():
                stated = numbers if self._known is None else self._known.intersection(numbers)
                self._postings[term] = _Posting(len(numbers), frozenset(stated))
        postings = [self._postings[term] for term in terms]
        seen, shared = set[int](), set[int]()
        for smaller, larger in pairwise(sorted((each.chunks for each in postings), key=len)):
            seen |= smaller
            shared |= seen & larger
        scores = dict.fromkeys(sorted(shared), 0.0)
        for total, chunks in postings:
            weight = rarity(self._space.chunks, total)
            for chunk in shared & chunks:
                scores[chunk] += weight
        return sorted(scores, key=scores.__getitem__, reverse=True)[:MAX_CANDIDATES]

    def _stated(self, chunks: Sequence[int]) -> list[_StatedChunk]:
        """Return those of some chunks that belong to statements of the user."""
        if fresh := [chunk for chunk in chunks if chunk not in self._chunks]:
            self._chunks |= dict.fromkeys(fresh)
            self._chunks |= {
                candidate.chunk: _StatedChunk(
                    candidate.memory_id, frozenset(index_terms(candidate.text))
                )
                for candidate in self._tx.search.candidates(fresh, self._trusted)
            }
        return [chunk for chunk in map(self._chunks.__getitem__, chunks) if chunk is not None]
