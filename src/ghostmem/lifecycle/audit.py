"""audit: how tidy a store is, and what to run next."""

from __future__ import annotations

import json
import shlex
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import accumulate, groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.clock import earlier
from ghostmem.lifecycle.duplicates import nearly_said_again, said_again
from ghostmem.model import Memory, NsFilter, Record, Rel, Tier, optional
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.redact import find_secrets

if TYPE_CHECKING:
    from ghostmem.model import Edge
    from ghostmem.store.protocol import Transaction

EXAMPLES = 5
STALE = timedelta(days=90)
UNPROVEN = timedelta(days=14)
CHURN = timedelta(days=7)
_AT_ONCE = 500  # memories that are searched for secrets as one text
_BETWEEN = "\n\n\x1e\x1e\x1e\x1e\n\n"  # no pattern of a secret reaches across it
OVERSIZED = 4 * 400  # tokens; a context shows 400 of a memory


@dataclass(frozen=True, eq=False, repr=False)
class Finding(Record):
    """One thing looked for: how many memories have it, what share, a few of them, what it cost, and
    the next command.
    """

    name: str
    count: int
    share: float
    cost: float
    examples: tuple[str, ...] = optional(())
    advice: str = optional("")


@dataclass(frozen=True, eq=False, repr=False)
class AuditReport(Record):
    """How tidy a store is, from 0 to 100, and why; `unjudged` says what could not be looked at."""

    source: str
    score: int
    memories: int
    namespaces: int
    edges: int
    findings: tuple[Finding, ...]
    unjudged: tuple[str, ...] = ()
    notes: tuple[str, ...] = optional(())


@dataclass(frozen=True)
class Survey:
    """What one look at a store collects for every check: nothing here is written, counted or
    changed.
    """

    store: Store
    tx: Transaction
    now: datetime
    memories: Mapping[str, Memory]
    edges: Mapping[str, list[Edge]]
    expired: Mapping[str, Memory]
    unjudged: list[str] = field(default_factory=list)


class Check(NamedTuple):
    """A row of the table: the points lost when `full` of the memories have it, and what to do about
    one of them.
    """

    points: int
    full: float
    find: Callable[[Survey], Collection[str] | None]
    advice: str


def audit(
    store: Store, ns: str | None = None, *, skip: Mapping[str, str] | None = None
) -> AuditReport:
    """Score a store, or one namespace or prefix of it, without writing anything, not even that
    somebody looked.

    The score is 100 less what each finding costs: its points times the share of memories that have
    it, in full from the second number on.

    | finding        | points | full at | a memory has it when
    |
    |----------------|--------|---------|---------------------------------------------------------------------------------|
    | duplicates     |     25 |    25 % | an older one of its namespace and source says the same, or
    nearly               |
    | contradictions |     20 |    10 % | an edge says that it contradicts another, and both hold;
    each pair counts once  |
    | stale          |     10 |    50 % | it is stm or ltm, older than 90 days, and nobody asked for
    it in that time      |
    | never_used     |     10 |   100 % | it is older than 14 days, was never used on any day, and
    never helped           |
    | orphans        |      5 |   100 % | no edge touches it, in a namespace that has edges
    |
    | oversized      |     10 |    10 % | it has more than 1600 tokens, four times what a context
    shows of one            |
    | unembedded     |     10 |    50 % | a chunk of it has no vector of the chosen model
    |
    | expired        |      5 |    20 % | its time is up and it was not collected
    |
    | rule_churn     |      5 |   100 % | rules moved it to and fro: twice or more in the last 7
    days                     |
    | secrets        |      0 |       - | a key, a token or a password of a known shape stands in it
    |
    | quarantine     |      0 |       - | it is held in quarantine, and so no memory yet
    |

    Pinned and locked memories are never stale or never used. `skip` names checks not to make, with
    the reason."""
    chosen = validate.ns_filter(ns)
    now = store.clock()
    with store.engine.read() as tx:
        memories = {
            memory.id: memory for memory in tx.listing.scan(Filter(ns=chosen, now=now), batch=5_000)
        }
        names = sorted({memory.ns for memory in memories.values()})
        edges = {name: tx.graph.of_namespace(name, now) for name in names}
        expired = tx.memories.by_ids(sorted(tx.listing.expired_ids(chosen, now)))
        survey = Survey(store, tx, now, memories, edges, expired)
        survey.unjudged.extend(_reasons(skip or {}))
        found = [
            _finding(survey, name, check)
            for name, check in CHECKS.items()
            if name not in (skip or {})
        ]
        found += [] if "quarantine" in (skip or {}) else [_held(tx, chosen)]
    findings = tuple(one for one in found if one is not None)
    score = round(max(0.0, 100 - sum(one.cost for one in findings)))
    count = sum(len(some) for some in edges.values())
    return AuditReport(
        store.engine.location,
        score,
        len(memories),
        len(names),
        count,
        findings,
        tuple(survey.unjudged),
    )


def _reasons(skip: Mapping[str, str]) -> Iterable[str]:
    return (
        f"{', '.join(name for name in skip if skip[name] == why)}: {why}"
        for why in dict.fromkeys(skip.values())
    )


def _finding(survey: Survey, name: str, check: Check) -> Finding | None:
    ids = check.find(survey)
    if ids is None:
        return None
    known = {**survey.memories, **survey.expired}
    having = sorted((known[id_].ns, known[id_].key) for id_ in ids)
    total = len(survey.memories) + (len(survey.expired) if name == "expired" else 0)
    share = len(having) / total if total else 0.0
    cost = round(check.points * min(1.0, share / check.full), 2)
    if not having:
        return Finding(name, 0, 0.0, 0.0)
    ns, key = having[0]
    advice = check.advice.format(ns=shlex.quote(ns), key=shlex.quote(key))
    examples = tuple(f"{ns}/{key}" for ns, key in list(dict.fromkeys(having))[:EXAMPLES])
    return Finding(name, len(having), round(share, 4), cost, examples, advice)


def _duplicates(survey: Survey) -> set[str]:
    ordered = sorted(
        survey.memories.values(), key=lambda memory: (memory.ns, memory.created_at, memory.id)
    )
    found = said_again(ordered)
    embedder = survey.store.vectoriser.get()
    if embedder is None:
        survey.unjudged.append("near duplicates: there are no vectors")
        return found
    blind = []
    for ns, group in groupby(ordered, key=lambda memory: memory.ns):
        members = {memory.id: memory for memory in group if memory.id not in found}
        near = nearly_said_again(survey.tx, embedder, ns, members)
        blind += [ns] if near is None else []
        found |= near or set()
    if blind:
        names = ", ".join(blind[:EXAMPLES]) + (", …" if len(blind) > EXAMPLES else "")
        survey.unjudged.append(
            f"near duplicates: {names} have no vectors of the chosen model, or too many to compare"
        )
    return found


def _contradictions(survey: Survey) -> list[str]:
    """Return one end of each pair that nobody has decided about: both still hold."""
    holds = {memory.id for memory in survey.memories.values() if memory.is_open(survey.now)}
    said = (
        _ends(edge)
        for edges in survey.edges.values()
        for edge in edges
        if edge.rel == Rel.CONTRADICTS
    )
    return [max(pair) for pair in {frozenset(ends) for ends in said} if pair <= holds]


def _ends(edge: Edge) -> tuple[str, str]:
    return edge.from_id, edge.to_id


def _unprotected(survey: Survey, age: timedelta) -> Iterable[Memory]:
    """Yield memories that maintenance may touch and that have been here for longer than an age."""
    before = earlier(survey.now, age)
    return (
        m
        for m in survey.memories.values()
        if not m.protected and (m.recorded_at or m.created_at) < before
    )


def _stale(survey: Survey) -> set[str]:
    before = earlier(survey.now, STALE)
    return {
        memory.id
        for memory in _unprotected(survey, STALE)
        if memory.tier in (Tier.STM, Tier.LTM)
        and (memory.last_accessed_at or memory.created_at) < before
    }


def _never_used(survey: Survey) -> set[str]:
    used = {access.memory_id for access in survey.tx.journal.accesses() if access.used}
    return {
        memory.id
        for memory in _unprotected(survey, UNPROVEN)
        if not memory.utility_count and memory.id not in used
    }


def _orphans(survey: Survey) -> set[str]:
    touched = {end for edges in survey.edges.values() for edge in edges for end in _ends(edge)}
    return {
        memory.id
        for memory in survey.memories.values()
        if survey.edges[memory.ns] and memory.id not in touched
    }


def _oversized(survey: Survey) -> set[str]:
    return {memory.id for memory in survey.memories.values() if memory.est_tokens > OVERSIZED}


def _unembedded(survey: Survey) -> set[str] | None:
    embedder = survey.store.vectoriser.get()
    if embedder is None:
        reason = survey.store.vectoriser.problem or "the provider is none"
        survey.unjudged.append(f"unembedded: {reason}")
        return None
    vectors = survey.tx.vectors
    model = vectors.find(embedder.model, embedder.dimension, CHUNKER)
    missing = [chunk for _, chunk, _, _ in vectors.missing(-1 if model is None else model, 0, -1)]
    return set(vectors.owners(missing).values()) & survey.memories.keys()


def _secrets(survey: Survey) -> list[str]:
    suspects = (
        memory for batch in _batches(survey.memories.values()) for memory in _suspects(batch)
    )
    return [
        memory.id for memory in suspects if any(one.sure for one in find_secrets(_said(memory)))
    ]


def _batches(memories: Iterable[Memory]) -> Iterator[list[Memory]]:
    rest = iter(memories)
    while batch := list(islice(rest, _AT_ONCE)):
        yield batch


def _suspects(batch: list[Memory]) -> list[Memory]:
    """Return the memories of a batch that may hold secrets.

    Their texts are read as one, which is many times faster.
    """
    texts = [_said(memory) + _BETWEEN for memory in batch]
    starts = list(accumulate(map(len, texts), initial=0))
    found: set[int] = set()
    for secret in find_secrets("".join(texts)):
        found.update(
            range(bisect_right(starts, secret.start) - 1, bisect_left(starts, secret.stop))
        )
    return [memory for number, memory in enumerate(batch) if number in found]


def _said(memory: Memory) -> str:
    """Return all that a memory says, a line for each field."""
    meta = json.dumps(dict(memory.meta), ensure_ascii=False) if memory.meta else ""
    return "\n".join(
        [
            memory.key,
            memory.content,
            *memory.tags,
            meta,
            *filter(None, (memory.source_user, memory.source_scope)),
        ]
    )


def _held(tx: Transaction, ns: NsFilter) -> Finding:
    """Count what is held in quarantine."""
    held = tx.quarantine.all(ns)
    examples = tuple(f"{one.ns}/{one.key}" for one in held[:EXAMPLES])
    return Finding(
        "quarantine", len(held), 0.0, 0.0, examples, "ghost quarantine list" if held else ""
    )


def _churn(survey: Survey) -> list[str]:
    moved = survey.tx.runs.moved(earlier(survey.now, CHURN))
    return [id_ for id_, times in moved.items() if times > 1 and id_ in survey.memories]


CHECKS: Mapping[str, Check] = {
    "duplicates": Check(25, 0.25, _duplicates, "ghost rm -n {ns} -k {key}"),
    "contradictions": Check(20, 0.10, _contradictions, "ghost edge list -n {ns} {key}"),
    "stale": Check(10, 0.50, _stale, "ghost gc --stale 90d --dry-run"),
    "never_used": Check(10, 1.00, _never_used, "ghost list -n {ns}"),
    "orphans": Check(5, 1.00, _orphans, "ghost edge relink -n {ns} --dry-run"),
    "oversized": Check(
        10, 0.10, _oversized, "ghost get -n {ns} {key} > long.md && ghost ingest long.md -n {ns}"
    ),
    "unembedded": Check(10, 0.50, _unembedded, "ghost embed backfill"),
    "expired": Check(5, 0.20, lambda survey: survey.expired.keys(), "ghost gc --dry-run"),
    "rule_churn": Check(5, 1.00, _churn, "ghost undo"),
    "secrets": Check(0, 1.00, _secrets, "ghost get -n {ns} {key}"),
}
