"""Find the memories that prevail over others, and the user's statements about the same subject."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from ghostmem.model import Memory, NsFilter, Rel
from ghostmem.store import Filter, Space, Transaction
from ghostmem.store.lexical import shared_terms_score, term_postings
from ghostmem.text.terms import index_terms
from ghostmem.truth.corrections import precedence, prevails

# By the id of a memory: the memories that contradict it and prevail, the strongest first.
Contradictions = Mapping[str, Sequence[Memory]]
MAX_CHAIN = 8  # corrections of corrections that are followed

MAX_CHARACTERS = 2_000  # of a claim that are read
MAX_TERMS = 8  # of its words that are looked up
MAX_POSTINGS = 4_000  # newest chunks per word: many, so that a flood cannot hide older statements
BATCH, MAX_CANDIDATES = 200, 2_000  # chunks read at once, and in all
MAX_CLAIMS = 50  # as many as a context has seeds
MAX_STATEMENTS = 3  # per claim
MIN_SHARE, MIN_SHARED_TERMS = 0.5, 2  # of the shorter text's words, that both texts must have


def find_contradictions(
    tx: Transaction, ids: Iterable[str], conditions: Filter, at: datetime
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
            partial(_valid, tx, fresh, conditions, at),
            partial(tx.graph.touching, near - seen, [Rel.CONTRADICTS]),
        )
        known |= _valid(tx, fresh, conditions, at)
        todo = set()
        for edge in edges:
            first, second = known.get(edge.from_id), known.get(edge.to_id)
            if first is None or second is None or first.ns != second.ns:
                continue
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
    tx: Transaction, ids: Iterable[str], conditions: Filter, at: datetime
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
        and memory.is_current(at)
        and (conditions.valid_at is not None or memory.is_open(at))
    }


def find_user_statements(
    tx: Transaction, memories: Iterable[Memory], conditions: Filter, at: datetime
) -> dict[str, list[Memory]]:
    """Return the user's statements about the same subject for each memory from another source.

    They pass the caller's filter, except that they may be dormant. Statements from the same
    conversation as the claim are left out: they are retrieved together anyway."""
    statements: dict[str, list[Memory]] = {}
    spaces: dict[str, Space] = {}
    for claim in [memory for memory in memories if not memory.from_user][:MAX_CLAIMS]:
        if claim.ns not in spaces:
            spaces |= {space.name: space for space in tx.search.spaces([claim.ns])}
        if claim.ns not in spaces:
            continue
        trusted = replace(conditions, ns=NsFilter(claim.ns), now=at, tiers=(), trusted=True)
        ids = _similar(tx, spaces[claim.ns], claim, trusted)
        rows = tx.memories.by_ids(ids)
        scope = claim.source_scope
        apart = [rows[id_] for id_ in ids if scope is None or rows[id_].source_scope != scope]
        if apart:
            statements[claim.id] = apart[:MAX_STATEMENTS]
    return statements


def _similar(tx: Transaction, space: Space, claim: Memory, trusted: Filter) -> list[str]:
    """Return the ids of the user's memories that share enough words with a claim, best first."""
    own = dict.fromkeys(index_terms(claim.content[:MAX_CHARACTERS]))
    numbers_first = sorted(own, key=lambda term: (not any(map(str.isdigit, term)), -len(term)))
    postings = term_postings(tx, space, numbers_first[:MAX_TERMS], MAX_POSTINGS)
    scores = shared_terms_score(postings, space.chunks)
    counts = Counter(chunk for chunks in postings.values() for chunk in chunks)
    shared = [chunk for chunk, count in counts.items() if count >= MIN_SHARED_TERMS]
    chunks = sorted(shared, key=lambda chunk: (-scores[chunk], chunk))[:MAX_CANDIDATES]
    shares: dict[str, float] = {}
    for start in range(0, len(chunks), BATCH):
        for candidate in tx.search.candidates(chunks[start : start + BATCH], trusted):
            terms = set(index_terms(candidate.text))
            common = len(terms & own.keys())
            share = common / max(1, min(len(terms), len(own)))
            if common >= MIN_SHARED_TERMS and share >= MIN_SHARE:
                shares[candidate.memory_id] = max(share, shares.get(candidate.memory_id, 0.0))
        if len(shares) >= MAX_STATEMENTS:
            break
    return sorted(shares, key=lambda id_: (-shares[id_], id_))
