"""Score how tidy a store is, and suggest the next command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.clock import earlier
from ghostmem.embed.base import Embedder
from ghostmem.frozen import frozen
from ghostmem.grouping import components, grouped
from ghostmem.model import Edge, Memory, NsFilter, Record, Rel, Tier, optional
from ghostmem.store import Filter, Store, Transaction, validate
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.redact import find_secrets
from ghostmem.truth.alike import distinctive, essence, resembles

if TYPE_CHECKING:
    from ghostmem.store.nearest import VectorView

MAX_EXAMPLES = 5
STALE_AFTER = timedelta(days=90)
UNUSED_AFTER = timedelta(days=14)
CHURN_WINDOW = timedelta(days=7)
MAX_TOKENS = 4 * 400  # a context shows 400 tokens of a memory
_MEMORIES_PER_TEXT = 100  # memories that are searched for secrets as one text
_SEPARATOR = "\n\n\x1e\x1e\x1e\x1e\n\n"  # no pattern of a secret matches across it
NEAR_DUPLICATES = "near duplicates"  # a part of the check `duplicates` that can be skipped
MAX_NEIGHBOURS = 8  # nearest chunks that are compared with each one
MAX_CHUNKS = 100_000  # chunks of a namespace that are compared with each other


@frozen
class AuditFinding(Record):
    """The result of one check: count, share and examples of memories, cost, and next command."""

    name: str
    count: int
    share: float
    cost: float
    examples: tuple[str, ...] = optional(())
    advice: str = optional("")


@frozen
class AuditReport(Record):
    """The score of a store from 0 to 100 with its findings; `unjudged` lists skipped checks."""

    source: str
    score: int
    memories: int
    namespaces: int
    edges: int
    findings: tuple[AuditFinding, ...]
    unjudged: tuple[str, ...] = ()
    notes: tuple[str, ...] = optional(())


@dataclass(frozen=True)
class Survey:
    """The data that all checks read."""

    store: Store
    tx: Transaction
    scope: NsFilter
    now: datetime
    memories: Mapping[str, Memory]  # by id, in the order of namespace and key
    edges: Mapping[str, list[Edge]]
    expired: Mapping[str, Memory]  # in the same order
    skip: Mapping[str, str]
    unjudged: list[str] = field(default_factory=list)


class Check(NamedTuple):
    """A check: the points lost if a share `full` of the memories is found, and the advice.

    `locked` is the advice where only locked memories are found, which no command changes."""

    points: int
    full: float
    find: Callable[[Survey], Collection[str] | None]
    advice: str
    locked: str = ""


def audit(
    store: Store,
    ns: str | None = None,
    *,
    skip: Mapping[str, str] | None = None,
) -> AuditReport:
    """Score how tidy a store is, or a namespace or prefix of it, without writing anything.

    The score is 100 minus the cost of each finding. A finding costs its points times the share of
    memories that have it, in full from the share in the second column on.

    | finding        | points | full at | a memory has it if
    |----------------|--------|---------|------------------------------------------------------
    | duplicates     |     25 |    25 % | an older one of its namespace and source says the same
    | contradictions |     20 |    10 % | it contradicts another that also holds; pairs count once
    | stale          |      0 |       - | it is stm or ltm, and was not read for 90 days
    | never_used     |     10 |   100 % | it is older than 14 days, and never was used or useful
    | orphans        |      5 |   100 % | no edge touches it, in a namespace that has edges
    | oversized      |     10 |    10 % | it has over 1600 tokens, 4 times a context's share
    | unembedded     |     10 |    50 % | a chunk of it has no vector of the chosen model
    | expired        |      5 |    20 % | it has expired and was not collected
    | rule_churn     |      5 |   100 % | rules moved it twice or more in the last 7 days
    | secrets        |      0 |       - | it contains a key, token or password of a known form
    | quarantine     |      0 |       - | it is in quarantine, and so not a memory yet

    Pinned and locked memories are never stale or never used; age alone costs no points. `skip`
    names checks to leave out, or NEAR_DUPLICATES, with the reason."""
    chosen, skip = validate.ns_filter(ns), skip or {}
    now = store.clock()
    with store.engine.read() as tx:
        memories = {memory.id: memory for memory in tx.listing.scan(Filter(ns=chosen, now=now))}
        names = sorted({memory.ns for memory in memories.values()})
        edges = {name: list(tx.graph.of_namespace(name, now)) for name in names}
        late = tx.listing.expired_ids(chosen, now)
        every = tx.listing.scan(Filter(ns=chosen)) if late else ()
        expired = {memory.id: memory for memory in every if memory.id in late}
        survey = Survey(store, tx, chosen, now, memories, edges, expired, skip)
        survey.unjudged.extend(
            f"{', '.join(name for name in skip if skip[name] == reason)}: {reason}"
            for reason in dict.fromkeys(skip.values())
        )
        results = [
            _run_check(survey, name, check) for name, check in CHECKS.items() if name not in skip
        ]
        results += [] if "quarantine" in skip else [_quarantined(tx, chosen)]
    findings = tuple(finding for finding in results if finding is not None)
    return AuditReport(
        store.engine.location,
        round(max(0.0, 100 - sum(finding.cost for finding in findings))),
        len(memories),
        len(names),
        sum(len(of_namespace) for of_namespace in edges.values()),
        findings,
        tuple(survey.unjudged),
    )


def _run_check(survey: Survey, name: str, check: Check) -> AuditFinding | None:
    ids = check.find(survey)
    if ids is None:
        return None
    if not ids:
        return AuditFinding(name, 0, 0.0, 0.0)
    pool = survey.expired if name == "expired" else survey.memories
    total = len(survey.memories) + (len(survey.expired) if name == "expired" else 0)
    share = len(ids) / total if total else 0.0
    cost = round(check.points * min(1.0, share / check.full), 2)
    wanted = set(ids)
    matches = [memory for id_, memory in pool.items() if id_ in wanted]
    examples = tuple(f"{memory.ns}/{memory.key}" for memory in matches[:MAX_EXAMPLES])
    first = next((m for m in matches if not (check.locked and m.locked)), None)
    advice = check.locked
    if first is not None:
        # the namespace of the memories, or everything audited if they have several
        scope = (
            first.ns if len({memory.ns for memory in matches}) == 1 else str(survey.scope or "*")
        )
        advice = check.advice.format(
            **{
                name: shlex.quote(text)
                for name, text in {"ns": first.ns, "key": first.key, "scope": scope}.items()
            }
        )
    return AuditFinding(name, len(ids), round(share, 4), cost, examples, advice)


def _duplicates(survey: Survey) -> set[str]:
    ordered = sorted(
        survey.memories.values(), key=lambda memory: (memory.ns, memory.created_at, memory.id)
    )
    duplicates = equal_texts(ordered)
    if NEAR_DUPLICATES in survey.skip:
        return duplicates
    embedder = survey.store.vectoriser.get(survey.tx)
    if embedder is None:
        survey.unjudged.append(f"{NEAR_DUPLICATES}: there are no vectors")
        return duplicates
    unjudged = []
    for ns, group in groupby(ordered, key=lambda memory: memory.ns):
        near = near_duplicates(
            survey.tx.of(ns),
            embedder,
            ns,
            {memory.id: memory for memory in group if memory.id not in duplicates},
        )
        unjudged += [ns] if near is None else []
        duplicates |= near or set()
    if unjudged:
        names = ", ".join(unjudged[:MAX_EXAMPLES])
        names += ", …" if len(unjudged) > MAX_EXAMPLES else ""
        survey.unjudged.append(
            f"{NEAR_DUPLICATES}: {names} have no vectors of the chosen model, or too many to "
            "compare"
        )
    return duplicates


def _contradictions(survey: Survey) -> list[str]:
    """Return one end of each unresolved contradiction."""
    valid = {
        memory.id
        for memory in survey.memories.values()
        if memory.valid_to is None or memory.valid_to > survey.now
    }
    pairs = {
        frozenset((edge.from_id, edge.to_id))
        for edges in survey.edges.values()
        for edge in edges
        if edge.rel == Rel.CONTRADICTS
    }
    return [max(pair) for pair in pairs if pair <= valid]


def _unprotected(survey: Survey, age: timedelta) -> Iterator[Memory]:
    """Return the memories older than an age that maintenance may change."""
    before = earlier(survey.now, age)
    return (m for m in survey.memories.values() if m.written_at < before and not m.protected)


def _stale(survey: Survey) -> set[str]:
    before = earlier(survey.now, STALE_AFTER)
    return {
        memory.id
        for memory in _unprotected(survey, STALE_AFTER)
        if memory.tier in (Tier.STM, Tier.LTM)
        and (memory.last_accessed_at or memory.created_at) < before
    }


def _never_used(survey: Survey) -> set[str]:
    used = {access.memory_id for access in survey.tx.journal.accesses() if access.used}
    return {
        memory.id
        for memory in _unprotected(survey, UNUSED_AFTER)
        if not memory.utility_count and memory.id not in used
    }


def _orphans(survey: Survey) -> set[str]:
    linked = {
        end
        for edges in survey.edges.values()
        for edge in edges
        for end in (edge.from_id, edge.to_id)
    }
    return {
        memory.id
        for memory in survey.memories.values()
        if survey.edges[memory.ns] and memory.id not in linked
    }


def _unembedded(survey: Survey) -> set[str] | None:
    embedder = survey.store.vectoriser.get(survey.tx)
    if embedder is None:
        reason = survey.store.vectoriser.problem or "the provider is none"
        survey.unjudged.append(f"unembedded: {reason}")
        return None
    vectors = survey.tx.vectors
    model = vectors.find(embedder.model, embedder.dimension, CHUNKER)
    missing = [chunk for _, chunk, _, _ in vectors.missing(-1 if model is None else model, 0, -1)]
    return set(vectors.owners(missing).values()) & survey.memories.keys()


def _secrets(survey: Survey) -> list[str]:
    """Return the memories with secrets; many are searched as one text first, which is faster."""
    ids: list[str] = []
    remaining = iter(survey.memories.values())
    while batch := list(islice(remaining, _MEMORIES_PER_TEXT)):
        texts = {memory.id: _all_text(memory) for memory in batch}
        if find_secrets(_SEPARATOR.join(texts.values())):
            secrets = {id_: find_secrets(text) for id_, text in texts.items()}
            ids += [id_ for id_, in_text in secrets.items() if any(s.sure for s in in_text)]
    return ids


def _all_text(memory: Memory) -> str:
    return "\n".join(
        [
            memory.key,
            memory.content,
            *memory.tags,
            json.dumps(dict(memory.meta), ensure_ascii=False) if memory.meta else "",
            *filter(None, (memory.source_user, memory.source_scope)),
        ]
    )


def _quarantined(tx: Transaction, ns: NsFilter) -> AuditFinding:
    entries = tx.quarantine.all(ns)
    examples = tuple(f"{entry.ns}/{entry.key}" for entry in entries[:MAX_EXAMPLES])
    return AuditFinding(
        "quarantine", len(entries), 0.0, 0.0, examples, "ghost quarantine list" if entries else ""
    )


def _churn(survey: Survey) -> list[str]:
    moved = survey.tx.runs.moved(earlier(survey.now, CHURN_WINDOW))
    return [id_ for id_, times in moved.items() if times > 1 and id_ in survey.memories]


CHECKS: Mapping[str, Check] = {
    "duplicates": Check(
        25, 0.25, _duplicates, "ghost rm -n {ns} -k {key}", "edit the notes that repeat each other"
    ),
    "contradictions": Check(20, 0.10, _contradictions, "ghost conflicts -n {scope}"),
    "stale": Check(0, 1.00, _stale, "ghost reflect -n {scope} --dry-run"),
    "never_used": Check(10, 1.00, _never_used, "ghost list -n {scope}"),
    "orphans": Check(5, 1.00, _orphans, "ghost edge relink -n {scope} --dry-run"),
    "oversized": Check(
        10,
        0.10,
        lambda survey: {m.id for m in survey.memories.values() if m.est_tokens > MAX_TOKENS},
        "ghost get -n {ns} {key} > long.md && ghost ingest long.md -n {ns}",
        "split the notes into shorter sections",
    ),
    "unembedded": Check(10, 0.50, _unembedded, "ghost embed backfill"),
    "expired": Check(5, 0.20, lambda survey: survey.expired.keys(), "ghost gc --dry-run"),
    "rule_churn": Check(5, 1.00, _churn, "ghost undo"),
    "secrets": Check(0, 1.00, _secrets, "ghost get -n {ns} {key}"),
}


def equal_texts(memories: Iterable[Memory]) -> set[str]:
    """Return the ids of memories that have the words of an earlier one; see `essence`."""
    seen: set[tuple[str, str | None, str]] = set()
    duplicates: set[str] = set()
    for memory in memories:
        fingerprint = (
            memory.ns,
            memory.source_user,
            " ".join(essence(memory.content)) or memory.content.strip(),
        )
        if fingerprint in seen:
            duplicates.add(memory.id)
        seen.add(fingerprint)
    return duplicates


def near_duplicates(
    tx: Transaction, embedder: Embedder, ns: str, memories: Mapping[str, Memory]
) -> set[str] | None:
    """Return the ids of memories that nearly equal an older one of their namespace.

    Every chunk must have a similar one in the other memory, and the details that distinguish texts
    of one template must agree. Returns None if there are no vectors, or too many."""
    space = tx.search.space(ns)
    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
    view = None if space is None or model is None else tx.vectors.view(model, space)
    if view is None or not 0 < view.count <= MAX_CHUNKS:
        return None
    matched = grouped(
        (pair, chunk)
        for left_chunk, right_chunk, left, right in _similar_chunks(
            tx, view, embedder.thresholds.dedup
        )
        if left != right and left in memories and right in memories
        for pair, chunk in (((left, right), left_chunk), ((right, left), right_chunk))
    )
    ids = {id_ for pair in matched for id_ in pair}
    # comparing two sets is many times faster than `resembles`, which needs one within the other
    terms = {id_: frozenset(distinctive(memories[id_].content)) for id_ in ids}
    chunks = {id_: tx.index.count(id_) for id_ in ids}
    equal = [
        (left, right)
        for (left, right), of_left in matched.items()
        if left < right
        and len(set(of_left)) == chunks[left]
        and len(set(matched[right, left])) == chunks[right]
        and (terms[left] <= terms[right] or terms[right] <= terms[left])
        and _say_the_same(memories[left], memories[right])
    ]
    return {
        id_
        for group in components(equal)
        for id_ in sorted(group, key=lambda id_: (memories[id_].created_at, id_))[1:]
    }


def _say_the_same(first: Memory, second: Memory) -> bool:
    return first.source_user == second.source_user and (
        resembles(first.content, second.content) or resembles(second.content, first.content)
    )


def _similar_chunks(
    tx: Transaction, view: VectorView, minimum: float
) -> Iterator[tuple[int, int, str, str]]:
    """Yield pairs of similar chunks with the memories they belong to."""
    from ghostmem.store.sketch import TILE, Sketches

    ids, sketches = view.ids, Sketches(view.rows)
    for start in range(0, len(ids), TILE):
        left, right, _ = sketches.nearest_before(
            start, min(start + TILE, len(ids)), minimum, MAX_NEIGHBOURS + 1
        )
        distinct = left != right
        pairs = list(zip(ids[left[distinct]].tolist(), ids[right[distinct]].tolist(), strict=True))
        owners = (
            tx.vectors.owners(list({chunk for pair in pairs for chunk in pair})) if pairs else {}
        )
        for first, second in pairs:
            if first in owners and second in owners:
                yield first, second, owners[first], owners[second]
