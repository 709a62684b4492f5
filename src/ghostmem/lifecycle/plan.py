"""Compute all changes of a reflect run in one namespace, without making any."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

from ghostmem.grouping import grouped
from ghostmem.lazy import np
from ghostmem.lifecycle.actions import UNKNOWN, UseRecord, changed, first_match, matches, strategy
from ghostmem.lifecycle.rules import BUILT_IN, configured
from ghostmem.lifecycle.run_log import digest
from ghostmem.model import EDGE_WEIGHTS, SYSTEM, Edge, Memory, NsFilter, Rel, Rule, Tie, Tier, plain
from ghostmem.store import AuditEntry, Filter, Store, Tally, Transaction
from ghostmem.text.chunk import CHUNKER
from ghostmem.truth.alike import essence, groups, in_order

MAX_NEIGHBOURS = 32  # nearest memories that are compared with each one
MAX_FULLY_LINKED = 8  # larger groups are linked to their first memory only
EDGE_IDLE = timedelta(days=30)  # an edge that was not used for this long fades
EDGE_MIN_USES = 3  # an edge used at least this often does not fade
EDGE_FADE = 0.9  # the factor by which a weight fades per run
EDGE_MIN_WEIGHT = 0.05  # an edge below it is pruned
LASTING = (Rel.CONTRADICTS, Rel.CONTAINS)  # these edges fade, but are never pruned
LASTING_MIN_WEIGHT = 0.1
_UNCOMPARED = "the rules about similar memories were not applied"
_BACKFILL = "`ghost embed backfill` adds them"
_BUILT_IN_IDS = {rule.id for rule in BUILT_IN}


@dataclass
class ReflectPlan:
    """The changes of a run in one namespace."""

    ns: str
    entries: list[AuditEntry] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)  # what the changes do not show

    def add(
        self,
        subject: str,
        rule: str,
        op: str,
        before: Mapping[str, Any] | None,
        after: Mapping[str, Any] | None,
        hash_: str = "",
    ) -> None:
        """Add a change of a memory, whose content has a hash, or of an edge."""
        values = [
            None if fields is None else {name: plain(value) for name, value in fields.items()}
            for fields in (before, after)
        ]
        self.entries.append(AuditEntry(0, self.ns, subject, rule, op, hash_, values[0], values[1]))

    def change(self, memory: Memory, rule: str, op: str, fields: Mapping[str, Any]) -> Memory:
        """Add a change of a memory's fields, and return the changed memory."""
        self.add(
            memory.id,
            rule,
            op,
            {name: getattr(memory, name) for name in fields},
            fields,
            digest(memory),
        )
        return replace(memory, **fields)

    def add_edge(self, edge: Edge, rule: str, op: str) -> None:
        """Add a new edge."""
        self.add(f"{edge.from_id} {edge.to_id} {edge.rel}", rule, op, None, edge.to_dict())


def make_plan(
    store: Store,
    tx: Transaction,
    ns: str,
    rules: Sequence[Rule],
    now: datetime,
    relink: bool = False,
    progress: Callable[[int], None] | None = None,
) -> ReflectPlan:
    """Evaluate every memory of a namespace, then groups of similar ones, then the edges."""
    plan = ReflectPlan(ns)
    days_of_use, times_shown = tx.journal.days_of_use(ns), tx.journal.times_shown(ns)
    applicable = [
        configured(rule, store.settings)
        for rule in rules
        if rule.ns in ("", ns) and rule.scope == "reflect"
    ]
    memories: dict[str, Memory] = {}
    for memory in tx.listing.scan(Filter(ns=NsFilter(ns), now=now)):
        plan.tally.evaluated += 1
        days, shown = days_of_use.get(memory.id), times_shown.get(memory.id, 0)
        memories[memory.id] = _evaluate(
            plan,
            memory,
            applicable,
            UNKNOWN if days is None else UseRecord(logged=True, days=days, shown=shown),
            now,
        )
        if progress is not None and plan.tally.evaluated % 500 == 0:
            progress(plan.tally.evaluated)
    live = [
        memory for memory in memories.values() if memory.deleted_at is None and not memory.protected
    ]
    memories |= _evaluate_similar(
        store,
        tx,
        plan,
        live,
        [
            rule
            for rule in applicable
            if rule.cond_similarity_gt is not None
            and (rule.rule_expires_at is None or rule.rule_expires_at > now)
        ],
        now,
    )
    _fade_edges(plan, tx.graph.of_namespace(ns, now), now)
    if relink:
        _relink(store, tx, plan, memories, now)
    return plan


def _evaluate(
    plan: ReflectPlan, memory: Memory, rules: Iterable[Rule], use: UseRecord, now: datetime
) -> Memory:
    """Plan the action of the first rule that matches a memory, and return the changed memory."""
    rule = None if memory.protected else first_match(memory, rules, use, now)
    fields = changed(memory, rule, now) if rule is not None else {}
    if rule is None or not fields:
        return memory
    plan.tally.applied += 1
    return plan.change(memory, rule.id, rule.action_op, fields)


def _evaluate_similar(
    store: Store,
    tx: Transaction,
    plan: ReflectPlan,
    live: Sequence[Memory],
    rules: Sequence[Rule],
    now: datetime,
) -> dict[str, Memory]:
    """Plan the rules about similar memories, and return the memories after the changes."""
    if not rules or len(live) < 2:
        return {}
    similarity = _Similarity(store, tx, plan.ns)
    if problem := similarity.problem([memory.id for memory in live]):
        plan.tally.notes.append(f"{plan.ns}: {problem}")
    if not similarity.is_known:
        return {}
    similar: list[Sequence[Memory]] = []
    memories = {memory.id: memory for memory in live}
    ties = list(tx.graph.ties(plan.ns, now))
    linked = {frozenset((tie.from_id, tie.to_id)) for tie in ties if tie.rel == Rel.RELATES_TO}
    merged = {(tie.from_id, tie.to_id) for tie in ties if tie.rel == Rel.MERGED_INTO}
    for rule in rules:
        matching = [
            m for m in memories.values() if m.deleted_at is None and matches(m, rule, UNKNOWN, now)
        ]
        near = similarity.of_rule(rule, matching, _min_similarity(store, tx, rule))
        for group in groups(matching, near):
            if strategy(rule) == "link_only":
                _link(plan, rule, group, near, linked, now)
                similar.append(group)
            else:
                _join(plan, rule, group, memories, merged, now)
    _note_clusters(plan, similar, ties)
    return memories


def _note_clusters(
    plan: ReflectPlan, similar: Iterable[Sequence[Memory]], ties: Iterable[Tie]
) -> None:
    """Report the groups of similar memories that no summary contains."""
    contained = grouped((tie.from_id, tie.to_id) for tie in ties if tie.rel == Rel.CONTAINS)
    summaries = [set(ids) for ids in contained.values()]
    unsummarised = (
        tuple(sorted(memory.key for memory in group))
        for group in similar
        if not any(ids.issuperset(memory.id for memory in group) for ids in summaries)
    )
    plan.tally.clusters.extend((plan.ns, keys) for keys in dict.fromkeys(unsummarised))


def _min_similarity(store: Store, tx: Transaction, rule: Rule) -> float:
    """Return a rule's similarity for the current model; built-in rules have those of MiniLM."""
    embedder, minimum = store.vectoriser.get(tx), float(rule.cond_similarity_gt or 0.0)
    if embedder is None or rule.created_by != SYSTEM:
        return minimum
    return {0.9: embedder.thresholds.merge, 0.92: embedder.thresholds.dedup}.get(minimum, minimum)


class _Similarity:
    """The similarity of the memories of a namespace, by the vectors of their first chunks."""

    def __init__(self, store: Store, tx: Transaction, ns: str) -> None:
        embedder = store.vectoriser.get(tx)
        self._store, self._model = store, embedder.model if embedder else ""
        model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER) if embedder else None
        self.is_known = model is not None
        self._view = (
            tx.vectors.view(model, tx.search.spaces([ns])[0]) if model is not None else None
        )
        self._first = tx.index.first_chunks(ns) if self.is_known else {}

    def problem(self, ids: Sequence[str]) -> str:
        """Return why memories cannot be compared, or not all of them; empty if they can."""
        vectoriser = self._store.vectoriser
        if self._view is None and not self._model:
            if not vectoriser.wanted:
                return f"{_UNCOMPARED}: there is no embedding provider"
            reason = vectoriser.problem or "the embedding model is not loaded yet; try again"
            return f"{_UNCOMPARED}: {reason}"
        if self._view is None:
            return f"{_UNCOMPARED}: no vectors of {self._model} yet; {_BACKFILL}"

        chunks = np.array([self._first[id_] for id_ in ids if id_ in self._first], np.int64)
        missing = int((~np.isin(chunks, self._view.ids)).sum())
        return (
            f"{missing} of {len(ids)} memories have no vectors, so that the rules about "
            f"similar memories skipped them; {_BACKFILL}"
            if missing
            else ""
        )

    def of_rule(
        self, rule: Rule, memories: Sequence[Memory], minimum: float
    ) -> dict[str, dict[str, float]]:
        """Return the memories that a rule takes for similar, each with those similar to it.

        Similarity is that of first chunks: longer memories are joined by their words only."""
        if strategy(rule) == "link_only":
            return self.near([memory.id for memory in memories], minimum)
        duplicates, longest = self.duplicates(memories, minimum), self._store.settings.chunk_target
        short = [memory.id for memory in memories if len(memory.content) <= longest]
        return duplicates if rule.id in _BUILT_IN_IDS else duplicates | self.near(short, minimum)

    def near(self, ids: Sequence[str], minimum: float) -> dict[str, dict[str, float]]:
        """Return the nearest memories of each memory with their similarity above a minimum."""
        assert self._view is not None
        owners = {self._first[id_]: id_ for id_ in ids if id_ in self._first}
        near: dict[str, dict[str, float]] = {}
        for left, right, cosine in self._view.pairs(sorted(owners), minimum, MAX_NEIGHBOURS):
            near.setdefault(owners[left], {})[owners[right]] = cosine
            near.setdefault(owners[right], {})[owners[left]] = cosine
        return near

    def duplicates(self, memories: Sequence[Memory], minimum: float) -> dict[str, dict[str, float]]:
        """Return the memories with the same essence and a similarity above a minimum.

        They are listed under the first memory of each group."""

        assert self._view is not None
        by_essence = grouped(
            (essence(memory.content), memory)
            for memory in in_order(memories)
            if memory.id in self._first
        )
        duplicates: dict[str, dict[str, float]] = {}
        for group in by_essence.values():
            if len(group) > 1:
                rows, present = self._view.vectors(
                    np.array([self._first[memory.id] for memory in group], np.int64)
                )
                candidates = zip(
                    group[1:],
                    np.vecdot(rows, rows[0])[1:].tolist(),
                    present[1:].tolist(),
                    strict=True,
                )
                duplicates[group[0].id] = {
                    memory.id: min(1.0, cosine)
                    for memory, cosine, is_present in candidates
                    if is_present and cosine > minimum
                }
        return duplicates


def _link(
    plan: ReflectPlan,
    rule: Rule,
    group: Sequence[Memory],
    near: Mapping[str, Mapping[str, float]],
    linked: set[frozenset[str]],
    now: datetime,
) -> None:
    """Link a small group all to all by `relates_to`, a large one to its first memory."""
    pairs = (
        combinations(group, 2)
        if len(group) <= MAX_FULLY_LINKED
        else ((group[0], memory) for memory in group[1:])
    )
    new_pairs = [(a.id, b.id) for a, b in pairs if frozenset((a.id, b.id)) not in linked]
    for left, right in new_pairs:
        linked.add(frozenset((left, right)))
        weight = round(near.get(left, {}).get(right, EDGE_WEIGHTS[Rel.RELATES_TO]), 3)
        newer, older = max(left, right), min(left, right)
        plan.add_edge(Edge(newer, older, Rel.RELATES_TO, weight, now), rule.id, "LINK")
    if new_pairs:
        plan.tally.applied += 1


_ACTIVITY = {Tier.LTM: 2, Tier.STM: 2, Tier.SENSORY: 1, Tier.DORMANT: 0}
_TIER_ORDER = {Tier.DORMANT: 0, Tier.SENSORY: 1, Tier.STM: 2, Tier.LTM: 3}


def _join(
    plan: ReflectPlan,
    rule: Rule,
    group: Sequence[Memory],
    memories: dict[str, Memory],
    merged: set[tuple[str, str]],
    now: datetime,
) -> None:
    """Keep one memory of a group of duplicates; the others become dormant or are removed."""
    ranked = sorted(
        group,
        key=lambda m: (
            -_ACTIVITY[m.tier],
            -m.importance,
            -m.est_tokens,
            -m.access_count,
            -m.created_at.timestamp(),
        ),
    )
    survivor = ranked[0]
    if survivor.tier == Tier.DORMANT:
        return
    op, fields = (
        ("DEDUP", {"tier": Tier.DORMANT})
        if strategy(rule) == "dedup"
        else ("MERGE", {"deleted_at": now})
    )
    duplicates = [
        memory
        for memory in ranked[1:]
        if any(getattr(memory, name) != value for name, value in fields.items())
    ]
    for memory in duplicates:
        # The edge comes first, because `apply` refuses to archive a duplicate without one.
        if (memory.id, survivor.id) not in merged:
            merged.add((memory.id, survivor.id))
            plan.add_edge(Edge(memory.id, survivor.id, Rel.MERGED_INTO, 0.0, now), rule.id, "TRAIL")
        memories[memory.id] = plan.change(memory, rule.id, op, fields)
    if duplicates:
        plan.tally.applied += 1
        memories[survivor.id] = _gather(plan, rule, survivor, duplicates, merge=op == "MERGE")


def _gather(
    plan: ReflectPlan, rule: Rule, survivor: Memory, duplicates: Sequence[Memory], merge: bool
) -> Memory:
    """Give the kept memory the tags and counts of its duplicates."""
    group = (survivor, *duplicates)
    fields: dict[str, Any] = {
        "tags": tuple(dict.fromkeys(tag for memory in group for tag in memory.tags)),
        "access_count": max(memory.access_count for memory in group),
        "utility_count": max(memory.utility_count for memory in group),
    }
    if merge:
        fields["importance"] = max(memory.importance for memory in group)
        fields["tier"] = max((memory.tier for memory in group), key=lambda tier: _TIER_ORDER[tier])
    changes = {name: value for name, value in fields.items() if getattr(survivor, name) != value}
    return plan.change(survivor, rule.id, "GATHER", changes) if changes else survivor


def _relink(
    store: Store, tx: Transaction, plan: ReflectPlan, memories: Mapping[str, Memory], now: datetime
) -> None:
    from ghostmem.graph.relink import missing_edges

    planned = {
        frozenset(entry.subject.split(" ")[:2]) for entry in plan.entries if entry.op == "LINK"
    }
    for edge in missing_edges(store, tx, plan.ns, now)[1]:
        ends = (memories.get(edge.from_id), memories.get(edge.to_id))
        if frozenset((edge.from_id, edge.to_id)) not in planned and all(
            end and end.deleted_at is None for end in ends
        ):
            plan.add_edge(edge, "", "RELINK")


def _fade_edges(plan: ReflectPlan, edges: Iterable[Edge], now: datetime) -> None:
    """Reduce the weight of unused edges, and prune the weakest that are not lasting."""
    for edge in (each for each in edges if each.rel != Rel.MERGED_INTO):
        weight = edge.weight
        is_unused = (
            now - max(edge.created_at, edge.last_accessed_at or edge.created_at) >= EDGE_IDLE
            and edge.access_count < EDGE_MIN_USES
        )
        if is_unused and weight >= EDGE_MIN_WEIGHT:
            weight = max(
                weight * EDGE_FADE, min(weight, LASTING_MIN_WEIGHT) if edge.rel in LASTING else 0.0
            )
        subject = f"{edge.from_id} {edge.to_id} {edge.rel}"
        if weight < EDGE_MIN_WEIGHT and edge.rel not in LASTING:
            plan.add(subject, "", "PRUNE", edge.to_dict(), None)
        elif weight != edge.weight:
            plan.add(subject, "", "FADE", {"weight": edge.weight}, {"weight": weight})
