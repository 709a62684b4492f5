"""Spreading activation: from the memories that were found to those that edges lead to."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ghostmem.model import Rel, Tie

CONFLICT = 0.8  # a memory that contradicts another scores at least this share of it


class Policy(NamedTuple):
    """How a relation is followed: out of its memory and back, and whether what it leads to has room
    reserved.
    """

    out: bool
    back: bool
    reserve: bool = False
    always: bool = False  # beyond the number of edges that are followed from one memory


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
    """One way from a memory to another over an edge."""

    source: str
    target: str
    edge: Tie
    outward: bool  # follows the edge's direction
    # what it leads to has room reserved: a conflict, or what the source depends on or must prevent
    reserved: bool

    @property
    def typed(self) -> bool:
        """Say whether somebody said how the two relate, rather than that they are alike."""
        return self.edge.rel != Rel.RELATES_TO


def steps(sources: Iterable[str], edges: Iterable[Tie], per_source: int) -> list[Step]:
    """Return the ways out of each source, in the order of the sources: conflicts and summaries
    always, the best of the rest.
    """
    around: dict[str, list[Step]] = {source: [] for source in sources}
    for edge in edges:
        policy = POLICIES[edge.rel]
        if policy.out and edge.from_id in around:
            around[edge.from_id].append(Step(edge.from_id, edge.to_id, edge, True, policy.reserve))
        if policy.back and edge.to_id in around:
            around[edge.to_id].append(
                Step(edge.to_id, edge.from_id, edge, False, edge.rel == Rel.CONTRADICTS)
            )
    found: list[Step] = []
    for ways in around.values():
        ways.sort(
            key=lambda way: (
                not way.reserved,
                -way.edge.weight,
                not way.outward,
                way.edge.rel,
                way.target,
            )
        )
        always = [way for way in ways if POLICIES[way.edge.rel].always]
        others = [way for way in ways if not POLICIES[way.edge.rel].always]
        found += always + others[:per_source]
    return found


def propagated(score: float, way: Step, damping: float) -> float:
    """Return what a memory at the end of a way scores."""
    passed = score * way.edge.weight * damping
    return max(passed, CONFLICT * score) if way.edge.rel == Rel.CONTRADICTS else passed
