"""Spreading activation: follow edges from found memories to further ones."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ghostmem.model import Rel, Tie

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


def propagated(score: float, step: Step, damping: float) -> float:
    """Return the score of a memory that a step leads to."""
    passed = score * step.edge.weight * damping
    return max(passed, CONFLICT * score) if step.edge.rel == Rel.CONTRADICTS else passed
