"""Follow edges from search results: add linked memories, summaries and corrections."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ghostmem.context.duplicates import with_similar
from ghostmem.context.packer import ContextItem, Relations
from ghostmem.context.request import ContextRequest
from ghostmem.grouping import components, grouped
from ghostmem.model import Hop, Memory, Rel, SourceKind, Tie
from ghostmem.search.corrections import reachable
from ghostmem.settings import Settings
from ghostmem.store import Filter, Transaction
from ghostmem.truth.corrections import prevails

# relations that constrain packing, and so matter even where edges are not followed further
CONSTRAINTS = (Rel.CONTRADICTS, Rel.CONTAINS, Rel.DEPENDS_ON, Rel.PREVENTS)
SPARE_LOOKUPS = 8  # memories that are read in addition to those that may still join
MIN_CLUSTER = 3  # similar memories from which a summary is worth writing
MAX_NAMED = 8  # of these that the suggestion names
# how to write one; interfaces without a shell name their own operations instead
COMPACTION_COMMANDS = "summarise them with `ghost consolidate`"
CONFLICT = 0.8  # the least share of its score that a memory passes on to one it contradicts


class Policy(NamedTuple):
    """In which directions a relation is followed, and whether room is reserved for its target."""

    out: bool
    back: bool
    reserve: bool = False
    always: bool = False  # also beyond the maximum number of edges per memory


POLICIES: Mapping[Rel, Policy] = {
    Rel.CONTRADICTS: Policy(out=True, back=True, reserve=True, always=True),
    Rel.DEPENDS_ON: Policy(out=True, back=True, reserve=True),
    Rel.PREVENTS: Policy(out=True, back=True, reserve=True),
    Rel.REFINES: Policy(out=True, back=True),
    Rel.CAUSED_BY: Policy(out=True, back=True),
    Rel.IMPLIES: Policy(out=True, back=True),
    Rel.RELATES_TO: Policy(out=True, back=True),
    Rel.CONTAINS: Policy(out=True, back=True, always=True),
    Rel.MERGED_INTO: Policy(out=False, back=False),
}


class Step(NamedTuple):
    """A step from a memory to another over an edge."""

    source: str
    target: str
    edge: Tie
    outward: bool  # follows the edge's direction
    reserved: bool  # room is reserved for the target: a conflict, a dependency, a prevention

    @property
    def typed(self) -> bool:
        """Say whether the edge has a specific relation, not mere similarity."""
        return self.edge.rel != Rel.RELATES_TO


def steps(
    sources: Iterable[str], edges: Iterable[Tie], per_source: int, typed_first: bool = True
) -> list[Step]:
    """Return the steps from each source: all conflicts and summaries, and the best of the rest.

    With `typed_first`, specific relations come before similarity, whatever their weights."""
    around: dict[str, list[Step]] = {source: [] for source in sources}
    for edge in edges:
        policy = POLICIES[edge.rel]
        if policy.out and edge.from_id in around:
            around[edge.from_id].append(Step(edge.from_id, edge.to_id, edge, True, policy.reserve))
        if policy.back and edge.to_id in around:
            around[edge.to_id].append(
                Step(edge.to_id, edge.from_id, edge, False, edge.rel == Rel.CONTRADICTS)
            )
    chosen: list[Step] = []
    for candidates in around.values():
        candidates.sort(
            key=lambda step: (
                not step.reserved,
                typed_first and not step.typed,
                -step.edge.weight,
                not step.outward,
                step.edge.rel,
                step.target,
            )
        )
        chosen += [step for step in candidates if POLICIES[step.edge.rel].always]
        chosen += [step for step in candidates if not POLICIES[step.edge.rel].always][:per_source]
    return chosen


class Expansion:
    """The candidates of a context, while edges are followed from them."""

    def __init__(self, tx: Transaction, settings: Settings, request: ContextRequest) -> None:
        self._tx, self._settings, self._request = tx, settings, request
        self._relevance_first = settings.context_score == "relevance"
        self.items: dict[str, ContextItem] = {}
        self.pinned: dict[str, ContextItem] = {}
        # all that were read; of candidates at least those that constrain packing
        self.edges: dict[Tie, None] = {}
        self._conflicts: dict[Tie, None] = {}  # those of them that contradict
        self._last_edges: list[Tie] = []  # of the memories visited last
        self._visited: set[str] = set()
        self._memories: dict[str, Memory | None] = {}  # read at the ends of edges
        self._added = 0  # memories that joined over plain edges
        self._children: dict[str, set[str]] = defaultdict(set)  # of summaries, by id
        filter_ = request.filter_
        plain = Filter(ns=filter_.ns, now=filter_.now, closed=filter_.closed)
        anywhere = replace(filter_, tiers=())
        # the caller's conditions for memories at the ends of edges, if there are any
        self._conditions = None if anywhere.__dict__ == plain.__dict__ else anywhere
        self._passing: set[str] = set()  # ids that meet these conditions

    def run(self, seeds: Sequence[ContextItem], pinned: Sequence[ContextItem]) -> None:
        """Start with seeds and add the memories that edges lead to."""
        self.items = {item.id: item for item in seeds}
        self.pinned = {item.id: item for item in pinned}
        self._visit([*seeds, *pinned])
        if not self._request.follow_edges:
            return
        sources = sorted(seeds, key=lambda item: item.order)
        for hops_left in reversed(range(self._settings.edge_hops)):
            sources = self._hop(sources)
            goes_on = hops_left and self._added < self._settings.edge_max_expansion
            self._visit(sources, () if goes_on else CONSTRAINTS)
        self._add_corrections((*self.items.values(), *pinned))
        self._lift_conflicts_and_summaries()

    def add(self, items: Iterable[ContextItem]) -> None:
        """Add candidates without following their edges, but with all their corrections."""
        fresh = [item for item in items if item.id not in self.items]
        self.items |= {item.id: item for item in fresh}
        self._visit(fresh, CONSTRAINTS)
        if self._request.follow_edges:
            self._add_corrections(fresh)

    def _visit(self, items: Iterable[ContextItem], rels: tuple[Rel, ...] = ()) -> None:
        """Read the edges of memories; with `rels`, only those of some relations."""
        fresh = [item.id for item in items if item.id not in self._visited]
        self._visited.update(fresh)
        self._last_edges = self._tx.graph.touching(fresh, rels) if fresh else []
        self.edges |= dict.fromkeys(self._last_edges)
        for edge in self._last_edges:
            if edge.rel == Rel.CONTRADICTS:
                self._conflicts[edge] = None
            elif edge.rel == Rel.CONTAINS:
                self._children[edge.from_id].add(edge.to_id)

    def _load(self, ids: Iterable[str]) -> None:
        """Read memories, and whether they pass the caller's conditions."""
        if unknown := sorted({id_ for id_ in ids if not self._is_known(id_)}):
            memories = self._tx.memories.by_ids(unknown)
            self._memories |= {id_: memories.get(id_) for id_ in unknown}
            if self._conditions:
                self._passing.update(self._tx.listing.passing(unknown, self._conditions))

    def _is_known(self, id_: str) -> bool:
        return id_ in self.items or id_ in self._memories

    def _hop(self, sources: Sequence[ContextItem]) -> list[ContextItem]:
        """Follow the edges of some candidates by one step and return the new candidates."""
        scores = {item.id: item.score for item in sources if item.stage != "child"}
        to_follow = self._steps(scores)
        self._load(step.target for step in to_follow if POLICIES[step.edge.rel].always)
        fresh: list[ContextItem] = []
        for at, step in enumerate(to_follow):
            if not self._is_known(step.target) and self._has_room(step):
                room = self._settings.edge_max_expansion - self._added
                ahead = dict.fromkeys(
                    later.target for later in to_follow[at:] if later.target not in self._memories
                )
                self._load(list(ahead)[: room + SPARE_LOOKUPS])
            item = self._arrive(self.items[step.source], step, scores[step.source])
            fresh += [item] if item else []
        return fresh

    def _steps(self, sources: Iterable[str]) -> list[Step]:
        settings = self._settings
        edges = [
            edge
            for edge in self._last_edges
            if not (edge.automatic and edge.rel == Rel.CONTRADICTS)
            and (edge.weight >= settings.edge_min_weight or POLICIES[edge.rel].always)
        ]
        allowed = [
            (step, step.edge.rel == Rel.CONTAINS and step.outward)
            for step in steps(sources, edges, settings.edge_max_per_seed, self._relevance_first)
            if step.target not in self.pinned
        ]
        # children only follow a summary where everything fits: very many of them are not even read
        children = Counter(step.source for step, to_child in allowed if to_child)
        # similarity comes last, because it may use up the maximum number of new memories
        return sorted(
            [
                step
                for step, to_child in allowed
                if not to_child or children[step.source] <= settings.edge_max_expansion
            ],
            key=lambda step: self._relevance_first and not step.typed,
        )

    def _arrive(self, source: ContextItem, step: Step, score: float) -> ContextItem | None:
        """Add the memory at the end of a step and return it, or raise the score of a known one."""
        passed = score * step.edge.weight * self._settings.edge_damping
        if _is_to_summary(step):
            passed = score  # a summary scores no less than the memory it was reached from
        elif step.edge.rel == Rel.CONTRADICTS:
            passed = max(passed, CONFLICT * score)
        if (reached := self.items.get(step.target)) is not None:
            self._raise(reached, source, step, passed)
            return None
        memory = self._memories.get(step.target)
        if memory is None or not self._may_join(memory, source.memory, step):
            return None
        stage = "edge"
        if step.edge.rel == Rel.CONTAINS:
            stage = "child" if step.outward else "parent"
        elif step.edge.rel == Rel.CONTRADICTS and prevails(memory, source.memory):
            stage = "correction"
        item = ContextItem(
            memory,
            passed,
            stage,
            parts={"seed": score, "weight": step.edge.weight},
            path=(*source.path, _hop_of(step, source.memory, memory)),
            firm=step.typed,
            origin=source.origin or source.id,
            last=self._relevance_first and stage == "edge" and not step.typed,
        )
        self.items[memory.id] = item
        self._added += stage == "edge"
        return item

    def _raise(self, item: ContextItem, source: ContextItem, step: Step, passed: float) -> None:
        """Add the score that an edge passes on to a known candidate."""
        if step.source == step.target or step.edge.rel == Rel.CONTRADICTS or _is_to_summary(step):
            return
        is_result = item.stage in ("search", "file")
        if self._relevance_first and is_result:
            if step.typed and not item.firm and item.score < source.score:
                item.firm, item.origin = True, source.origin or source.id
        elif is_result and step.edge.rel != Rel.CONTAINS and not source.path:
            added = min(
                passed, self._settings.edge_max_boost * (item.score - item.boost) - item.boost
            )
            if added > 0:
                item.boost, item.score = item.boost + added, item.score + added
                item.parts["edges"] = item.boost
        elif passed > item.score and item.stage == "edge" and not source.path:
            item.score, item.path = passed, (_hop_of(step, source.memory, item.memory),)
            item.parts = {"seed": source.score, "weight": step.edge.weight}
            item.firm, item.origin = step.typed, source.id
            item.last = self._relevance_first and not step.typed

    def _may_join(self, memory: Memory, source: Memory, step: Step) -> bool:
        """Return whether a memory may join: current, of the same namespace, and asked for."""
        if not self._is_valid(memory) or memory.ns != source.ns or not self._has_room(step):
            return False
        is_conflict, tiers = step.edge.rel == Rel.CONTRADICTS, self._request.filter_.tiers
        if step.reserved and (not is_conflict or prevails(memory, source)):
            return True  # needed, whatever the caller's conditions
        return (is_conflict or self._conditions is None or memory.id in self._passing) and (
            not tiers or memory.tier in tiers
        )

    def _has_room(self, step: Step) -> bool:
        return (
            step.edge.rel == Rel.CONTRADICTS
            or _is_to_summary(step)
            or self._added < self._settings.edge_max_expansion
        )

    def _add_corrections(self, items: Iterable[ContextItem]) -> None:
        """Add the memories that contradict a candidate and prevail, and their corrections."""
        todo = list(items)
        while todo:
            self._visit(todo, CONSTRAINTS)
            sources = {item.id: item for item in todo}
            ends = [
                (edge, start, end)
                for edge in self._conflicts
                for start, end in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id))
                if start in sources and end not in self.pinned and not edge.automatic
            ]
            self._load(end for _, _, end in ends)
            todo = []
            for edge, start, end in ends:
                source, memory = sources[start], self._memories.get(end)
                if memory and end not in self.items and prevails(memory, source.memory):
                    item = self._arrive(
                        source, Step(start, end, edge, start == edge.from_id, True), source.score
                    )
                    todo += [item] if item else []

    def _lift_conflicts_and_summaries(self) -> None:
        """Give conflicts and summaries their share of scores that edges raised later."""
        for share, rel, name in (
            (CONFLICT, Rel.CONTRADICTS, "conflict"),
            (1.0, Rel.CONTAINS, "child"),
        ):
            for edge in self.edges:
                is_inferred = edge.automatic and rel == Rel.CONTRADICTS
                start, end = self.items.get(edge.from_id), self.items.get(edge.to_id)
                if edge.rel == rel and not is_inferred and start and end and end.stage != "child":
                    _lift(start, end.score * share, name)
                    if rel == Rel.CONTRADICTS:
                        _lift(end, start.score * share, name)

    def relations(self) -> Relations:
        """Return the relations of the candidates that packing must respect."""
        refuters: dict[str, list[str]] = defaultdict(list)
        for conflict in self._conflicts:
            self._add_conflict(conflict, refuters)
        ends = [(edge.rel, edge.from_id, edge.to_id) for edge in self.edges]
        parents = grouped(
            (end, start)
            for rel, start, end in ends
            if rel == Rel.CONTAINS and self._replaces(start, end)
        )
        companions = grouped(
            (start, end)
            for rel, start, end in ends
            if rel in (Rel.DEPENDS_ON, Rel.PREVENTS) and {start, end} <= self.items.keys()
        )
        for id_, children in self._children.items():
            self._inherit(id_, children, refuters)
        for ids in companions.values():
            ids.sort(key=lambda id_: self.items[id_].order)
        return Relations(
            refuters,
            {
                child: [id_ for id_ in reachable([child], parents) if id_ != child]
                for child in parents
            },
            companions,
        )

    def _replaces(self, summary_id: str, child_id: str) -> bool:
        """Say whether a summary can stand for a child; for the user's words only the user's can."""
        if summary_id not in self.items and summary_id not in self.pinned:
            return False
        summary, child = self._memory(summary_id), self._memory(child_id)
        is_stated = child is not None and child.source_kind is SourceKind.STATED
        return not is_stated or (summary is not None and summary.source_kind is SourceKind.STATED)

    def _add_conflict(self, edge: Tie, refuters: dict[str, list[str]]) -> None:
        start, end = self._memory(edge.from_id), self._memory(edge.to_id)
        if start and end and start.id != end.id:
            older, newer = (end, start) if prevails(start, end) else (start, end)
            if self._is_valid(newer) and newer.id not in refuters[older.id]:
                refuters[older.id].append(newer.id)

    def _inherit(self, id_: str, children: set[str], refuters: dict[str, list[str]]) -> None:
        """Let memories that contradict a child of an older summary contradict the summary too."""
        summary = self._memory(id_)
        for other in [newer for child in sorted(children) for newer in refuters.get(child, ())]:
            newer = self._memory(other)
            is_listed = other in children or other in refuters[id_]
            if summary and newer and not is_listed and prevails(newer, summary):
                refuters[id_].append(other)

    def _memory(self, id_: str) -> Memory | None:
        candidate = self.items.get(id_) or self.pinned.get(id_)
        return candidate.memory if candidate else self._memories.get(id_)

    def _is_valid(self, memory: Memory) -> bool:
        """Return whether a memory is current and holds, now or at the time that was asked for."""
        now, at = self._request.query.now, self._request.filter_.valid_at
        return memory.is_current(now) and (
            memory.is_open(now) if at is None else memory.held_at(at)
        )

    def children(self, id_: str) -> list[str]:
        """Return the keys of a summary's current children that were reached."""
        return sorted(
            child.key
            for child in map(self._memory, self._children.get(id_, ()))
            if child and self._is_valid(child)
        )

    def compaction(self, relevant: Collection[str]) -> str:
        """Suggest consolidating similar memories of `relevant` ids without a summary, if any."""
        summarised = {child for children in self._children.values() for child in children}
        pairs = [
            (edge.from_id, edge.to_id)
            for edge in self.edges
            if edge.rel == Rel.RELATES_TO and edge.from_id in relevant and edge.to_id in relevant
        ]
        # without vectors nothing is linked, but notes of one pattern share their words
        pairs += [
            (other.id, item.id)
            for item, similar in with_similar(
                item for item in self.items.values() if item.id in relevant
            )
            for other in similar
            if other.memory.ns == item.memory.ns
        ]
        for group in sorted(components(pairs), key=lambda group: (-len(group), group)):
            loose = [id_ for id_ in group if id_ not in summarised and id_ not in self._children]
            if len(loose) >= MIN_CLUSTER and len(loose) * 2 > len(group):
                keys = sorted(self.items[id_].memory.key for id_ in loose)
                shown = ", ".join(keys[:MAX_NAMED]) + (" …" if len(keys) > MAX_NAMED else "")
                return (
                    f"{len(loose)} similar memories have no summary yet ({shown}); "
                    f"{COMPACTION_COMMANDS}"
                )
        return ""


def _is_to_summary(step: Step) -> bool:
    return step.edge.rel == Rel.CONTAINS and not step.outward


def _hop_of(step: Step, source: Memory, target: Memory) -> Hop:
    first, second = (source, target) if step.outward else (target, source)
    return Hop(first.key, step.edge.rel, second.key, round(step.edge.weight, 4))


def _lift(item: ContextItem, minimum: float, name: str) -> None:
    if minimum > item.score:
        item.parts[name] = item.parts.get(name, 0.0) + minimum - item.score
        item.score = minimum
