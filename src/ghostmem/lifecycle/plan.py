"""The plan of a reflection over one namespace: everything it would change, computed without
changing anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ghostmem.lifecycle.act import changed, strategy
from ghostmem.lifecycle.match import UNKNOWN, Use, first_match, matches
from ghostmem.model import EDGE_WEIGHTS, SYSTEM, Edge, Memory, NsFilter, Rel, Rule, Tier, plain
from ghostmem.store.rows import Entry, Filter
from ghostmem.store.store import Store
from ghostmem.text.chunk import CHUNKER
from ghostmem.truth.rules.alike import essence, groups, in_order

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

CROWD = 32  # how many of those near one are looked at when there are very many
PAIRS = 8  # groups up to this size are linked all to all, larger ones to their middle
IDLE, SELDOM, FADE, FAINT = timedelta(days=30), 3, 0.9, 0.05
LASTING = (Rel.CONTRADICTS, Rel.CONTAINS)  # they fade, but never so far that they are lost
LEAST = 0.1
COUNTED = {
    "PROMOTE": "promoted",
    "DEMOTE": "demoted",
    "DECAY": "decayed",
    "DELETE": "deleted",
    "ARCHIVE": "archived",
    "TTL_SET": "expiring",
    "PIN": "pinned",
    "DEDUP": "deduplicated",
    "MERGE": "merged",
    "LINK": "linked",
    "FADE": "edges_decayed",
    "PRUNE": "edges_pruned",
    "RELINK": "relinked",
}


@dataclass
class Plan:
    """What a run would do in one namespace."""

    ns: str
    evaluated: int = 0
    applied: int = 0
    entries: list[Entry] = field(default_factory=list)
    clusters: list[tuple[str, ...]] = field(default_factory=list)

    def add(
        self,
        subject: str,
        rule: str,
        op: str,
        before: Mapping[str, Any] | None,
        after: Mapping[str, Any] | None,
    ) -> None:
        """Add one change."""
        told = [
            None if values is None else {name: plain(value) for name, value in values.items()}
            for values in (before, after)
        ]
        self.entries.append(Entry(0, self.ns, subject, rule, op, "", told[0], told[1]))


def make_plan(
    store: Store,
    tx: Transaction,
    ns: str,
    rules: Sequence[Rule],
    at: datetime,
    relink: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Plan:
    """Evaluate every memory of a namespace, then those that are alike, then the edges."""
    plan = Plan(ns)
    uses = _uses(tx, ns)
    mine = [rule for rule in rules if rule.ns in ("", ns) and rule.scope == "reflect"]
    memories: dict[str, Memory] = {}
    for memory in tx.listing.scan(Filter(ns=NsFilter(ns), now=at)):
        plan.evaluated += 1
        memories[memory.id] = _alone(plan, memory, mine, uses.get(memory.id, UNKNOWN), at)
        if progress is not None and plan.evaluated % 500 == 0:
            progress(plan.evaluated)
    live = [
        memory for memory in memories.values() if memory.deleted_at is None and not memory.protected
    ]
    edges = tx.graph.of_namespace(ns, at)
    memories |= _together(
        store,
        tx,
        plan,
        live,
        edges,
        [rule for rule in mine if rule.cond_similarity_gt is not None],
        at,
    )
    _fade(plan, edges, at)
    if relink:
        _relink(store, tx, plan, memories, at)
    return plan


def _uses(tx: Transaction, ns: str) -> dict[str, Use]:
    return {
        memory_id: Use(logged=True, days=days)
        for memory_id, days in tx.journal.days_of_use(ns).items()
    }


def _alone(plan: Plan, memory: Memory, rules: Iterable[Rule], use: Use, at: datetime) -> Memory:
    """Apply the first rule that matches a memory to the plan, and return the memory as it
    will be.
    """
    if memory.protected:
        return memory
    rule = first_match(memory, rules, use, at)
    fields = changed(memory, rule, at) if rule is not None else {}
    if rule is None or not fields:
        return memory
    plan.applied += 1
    return _change(plan, memory, rule.id, rule.action_op, fields)


def _change(plan: Plan, memory: Memory, rule: str, op: str, fields: Mapping[str, Any]) -> Memory:
    plan.add(memory.id, rule, op, {name: getattr(memory, name) for name in fields}, fields)
    return replace(memory, **fields)


def _together(
    store: Store,
    tx: Transaction,
    plan: Plan,
    live: Sequence[Memory],
    edges: Sequence[Edge],
    rules: Sequence[Rule],
    at: datetime,
) -> dict[str, Memory]:
    """Carry out the rules about memories that are alike, most urgent first, and return the memories
    as they will be.
    """
    active = [
        (rule, _least(store, rule))
        for rule in rules
        if rule.rule_expires_at is None or rule.rule_expires_at > at
    ]
    likeness = _Likeness(store, tx, plan.ns) if active and len(live) > 1 else None
    if likeness is None or not likeness.is_known:
        return {}
    known = {memory.id: memory for memory in live}
    joined = {frozenset((e.from_id, e.to_id)) for e in edges if e.rel == Rel.RELATES_TO}
    merged = {(e.from_id, e.to_id) for e in edges if e.rel == Rel.MERGED_INTO}
    for rule, least in active:
        meant = [
            m for m in known.values() if m.deleted_at is None and matches(m, rule, UNKNOWN, at)
        ]
        if strategy(rule) == "link_only":
            near = likeness.near([memory.id for memory in meant], least)
            for group in groups(meant, near):
                _link(plan, rule, group, near, joined, at)
        else:
            for group in groups(meant, likeness.doubles(meant, least)):
                _join(plan, rule, group, known, merged, at)
    return known


def _least(store: Store, rule: Rule) -> float:
    """Return a rule's likeness in the terms of the model.

    The built-in rules' numbers are MiniLM's.
    """
    embedder = store.vectoriser.get()
    given = float(rule.cond_similarity_gt or 0.0)
    if embedder is None or rule.created_by != SYSTEM:
        return given
    return {0.9: embedder.thresholds.merge, 0.92: embedder.thresholds.dedup}.get(given, given)


class _Likeness:
    """How alike the memories of a namespace are, by the vectors of their first chunks."""

    def __init__(self, store: Store, tx: Transaction, ns: str) -> None:
        embedder = store.vectoriser.get()
        model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER) if embedder else None
        self.is_known = model is not None
        self._view = (
            tx.vectors.view(model, tx.search.spaces([ns])[0]) if model is not None else None
        )
        self._first = tx.index.first_chunks(ns) if self.is_known else {}

    def near(self, ids: Sequence[str], least: float) -> dict[str, dict[str, float]]:
        """Return, for each memory, those nearer to it than this; of very many the nearest."""
        assert self._view is not None
        chunks = {self._first[id_]: id_ for id_ in ids if id_ in self._first}
        found: dict[str, dict[str, float]] = {}
        for one, other, cosine in self._view.pairs(sorted(chunks), least, CROWD):
            found.setdefault(chunks[one], {})[chunks[other]] = cosine
            found.setdefault(chunks[other], {})[chunks[one]] = cosine
        return found

    def doubles(self, memories: Sequence[Memory], least: float) -> dict[str, dict[str, float]]:
        """Return, for the first memory of each group that says the same, those nearer to it than
        this.
        """
        import numpy as np

        assert self._view is not None
        said: dict[tuple[str, ...], list[Memory]] = {}
        for memory in in_order(memories):
            if memory.id in self._first:
                said.setdefault(essence(memory.content), []).append(memory)
        found: dict[str, dict[str, float]] = {}
        for group in said.values():
            if len(group) > 1:
                rows, there = self._view.vectors(
                    np.array([self._first[memory.id] for memory in group], np.int64)
                )
                cosines = np.vecdot(rows, rows[0])
                close = zip(group[1:], cosines[1:].tolist(), there[1:].tolist(), strict=True)
                found[group[0].id] = {
                    m.id: min(1.0, cosine)
                    for m, cosine, is_there in close
                    if is_there and cosine > least
                }
        return found


def _link(
    plan: Plan,
    rule: Rule,
    group: Sequence[Memory],
    near: Mapping[str, Mapping[str, float]],
    joined: set[frozenset[str]],
    at: datetime,
) -> None:
    """Link a group by `relates_to`: all to all when it is small, else each to its middle.

    Nothing else changes.
    """
    pairs = (
        [(a, b) for n, a in enumerate(group) for b in group[n + 1 :]]
        if len(group) <= PAIRS
        else [(group[0], b) for b in group[1:]]
    )
    fresh = 0
    for one, other in pairs:
        if frozenset((one.id, other.id)) in joined:
            continue
        joined.add(frozenset((one.id, other.id)))
        new, old = (one, other) if one.id > other.id else (other, one)
        weight = round(near.get(one.id, {}).get(other.id, EDGE_WEIGHTS[Rel.RELATES_TO]), 3)
        plan.add(
            f"{new.id} {old.id} {Rel.RELATES_TO}",
            rule.id,
            "LINK",
            None,
            _edge(new.id, old.id, Rel.RELATES_TO, weight, at),
        )
        fresh += 1
    if fresh:
        plan.applied += 1
        plan.clusters.append(tuple(sorted(memory.key for memory in group)))


def _edge(start: str, to: str, rel: Rel, weight: float, at: datetime) -> dict[str, Any]:
    return Edge(start, to, rel, weight, at).to_dict()


_AWAKE = {Tier.LTM: 2, Tier.STM: 2, Tier.SENSORY: 1, Tier.DORMANT: 0}
_HEIGHT = {Tier.DORMANT: 0, Tier.SENSORY: 1, Tier.STM: 2, Tier.LTM: 3}


def _join(
    plan: Plan,
    rule: Rule,
    group: Sequence[Memory],
    known: dict[str, Memory],
    merged: set[tuple[str, str]],
    at: datetime,
) -> None:
    """Let one memory of a group stand for those that say the same.

    The others sleep (dedup) or are removed (merge).
    """
    ranked = sorted(
        group,
        key=lambda m: (
            -_AWAKE[m.tier],
            -m.importance,
            -m.est_tokens,
            -m.access_count,
            -m.created_at.timestamp(),
        ),
    )
    kept, same = ranked[0], ranked[1:]
    if kept.tier == Tier.DORMANT:
        return
    op, gone = (
        ("DEDUP", {"tier": Tier.DORMANT})
        if strategy(rule) == "dedup"
        else ("MERGE", {"deleted_at": at})
    )
    joined = [
        other
        for other in same
        if any(getattr(other, name) != value for name, value in gone.items())
    ]
    for other in joined:
        if (other.id, kept.id) not in merged:  # the trail first: without it nothing is put to sleep
            merged.add((other.id, kept.id))
            trail = _edge(other.id, kept.id, Rel.MERGED_INTO, 0.0, at)
            plan.add(f"{other.id} {kept.id} {Rel.MERGED_INTO}", rule.id, "TRAIL", None, trail)
        known[other.id] = _change(plan, other, rule.id, op, gone)
    if joined:
        plan.applied += 1
        known[kept.id] = _gather(plan, rule, kept, joined, merge=op == "MERGE")


def _gather(plan: Plan, rule: Rule, kept: Memory, same: Sequence[Memory], merge: bool) -> Memory:
    """Give the memory that stays the tags and the counts of those it stands for."""
    everyone = (kept, *same)
    fields: dict[str, Any] = {
        "tags": tuple(dict.fromkeys(tag for memory in everyone for tag in memory.tags)),
        "access_count": max(memory.access_count for memory in everyone),
        "utility_count": max(memory.utility_count for memory in everyone),
    }
    if merge:
        fields["importance"] = max(memory.importance for memory in everyone)
        fields["tier"] = max((memory.tier for memory in everyone), key=lambda tier: _HEIGHT[tier])
    differing = {name: value for name, value in fields.items() if getattr(kept, name) != value}
    return _change(plan, kept, rule.id, "GATHER", differing) if differing else kept


def _relink(
    store: Store, tx: Transaction, plan: Plan, memories: Mapping[str, Memory], at: datetime
) -> None:
    """Link what shares names, topics or meaning, will still be there, and is not linked by the plan
    already.
    """
    from ghostmem.graph.relink import missing_edges

    planned = {
        frozenset(entry.subject.split(" ")[:2]) for entry in plan.entries if entry.op == "LINK"
    }
    for edge in missing_edges(store, tx, plan.ns, at)[1]:
        ends = (memories.get(edge.from_id), memories.get(edge.to_id))
        if frozenset((edge.from_id, edge.to_id)) not in planned and all(
            end and end.deleted_at is None for end in ends
        ):
            plan.add(f"{edge.from_id} {edge.to_id} {edge.rel}", "", "RELINK", None, edge.to_dict())


def _fade(plan: Plan, edges: Sequence[Edge], at: datetime) -> None:
    """Let edges that nobody needs grow fainter, and drop the faintest.

    What says how memories conflict or belong stays.
    """
    for edge in edges:
        if edge.rel == Rel.MERGED_INTO:
            continue
        weight = edge.weight
        idle = (
            at - (edge.last_accessed_at or edge.created_at) >= IDLE and at - edge.created_at >= IDLE
        )
        if idle and edge.access_count < SELDOM and weight >= FAINT:
            weight = (
                max(weight * FADE, min(weight, LEAST)) if edge.rel in LASTING else weight * FADE
            )
        subject = f"{edge.from_id} {edge.to_id} {edge.rel}"
        if weight < FAINT and edge.rel not in LASTING:
            plan.add(subject, "", "PRUNE", edge.to_dict(), None)
        elif weight != edge.weight:
            plan.add(subject, "", "FADE", {"weight": edge.weight}, {"weight": weight})
