"""Properties: for random graphs, budgets and switches, what must always hold of a pack."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.model import Rel
from ghostmem.settings import Settings

NS, OTHER = "agent:me", "agent:you"
ASKED = "where does the harbour ferry depart?"
START = datetime(2026, 3, 14, tzinfo=UTC)
QUIET = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
KEYS = [f"k{n}" for n in range(9)]

memories = st.lists(
    st.fixed_dictionaries(
        {
            "found": st.booleans(),
            "size": st.sampled_from([0, 0, 3, 30, 300]),
            "tier": st.sampled_from(["ltm", "stm", "stm", "dormant", "sensory"]),
            "kind": st.sampled_from(["semantic", "episodic", "procedural"]),
            "pinned": st.sampled_from([False, False, False, True]),
            "importance": st.sampled_from([0.0, 0.3, 0.5, 0.9]),
            "tags": st.sampled_from([[], ["a"], ["a", "b"]]),
            "age": st.integers(0, 5),
            "ttl": st.sampled_from([None, None, None, "1h"]),
            "file": st.sampled_from([None, None, "a.py"]),
        }
    ),
    min_size=1,
    max_size=len(KEYS),
)
links = st.lists(
    st.tuples(
        st.integers(0, len(KEYS) - 1),
        st.integers(0, len(KEYS) - 1),
        st.sampled_from([*(str(rel) for rel in Rel), "contradicts", "contains", "contains"]),
        st.sampled_from([0.0, 0.05, 0.5, 1.0]),
    ),
    max_size=18,
)
asked = st.fixed_dictionaries(
    {"budget": st.one_of(st.integers(1, 130), st.integers(1, 5000))},
    optional={
        "min_score": st.sampled_from([0.1, 0.4, 0.7]),
        "min_spread": st.sampled_from([0.05, 1.0]),
        "exclude_pinned": st.booleans(),
        "include_all": st.booleans(),
        "expand": st.booleans(),
        "tags": st.sampled_from([["a"], ["b"]]),
        "kind": st.sampled_from(["semantic", "episodic"]),
        "files": st.just(["a.py"]),
        "max_memory_tokens": st.sampled_from([-1, 1, 25, 60]),
    },
)
shipped = st.fixed_dictionaries(
    {"containment": st.sampled_from(["roomy", "always"])},
    optional={
        "edge_max_expansion": st.sampled_from([0, 1]),
        "edge_max_per_seed": st.just(1),
        "edge_hops": st.sampled_from([1, 3]),
    },
)


def filled(
    rows: list[dict[str, Any]], ways: list[tuple[int, int, str, float]], named: dict[str, Any]
) -> Ghost:
    """Open a store with random memories and edges, and the same keys again in another namespace."""
    at = [START]
    ghost = Ghost.open(
        ":memory:", settings=Settings(embed_provider="none", **named), clock=lambda: at[0]
    )
    for ns in (OTHER, NS):
        for n, row in enumerate(rows):
            content = (
                "The harbour ferry departs. " if row["found"] else f"Zq{n}. "
            ) + "sun wind rain " * row["size"]
            ghost.put(
                ns,
                KEYS[n],
                content,
                tier=row["tier"],
                kind=row["kind"],
                pinned=row["pinned"],
                importance=row["importance"],
                tags=row["tags"],
                created_at=START - timedelta(days=row["age"]),
                ttl=None if row["pinned"] else row["ttl"],
                files=[row["file"]] if row["file"] else None,
            )
        for one, other, rel, weight in ways:
            if one != other and max(one, other) < len(rows):
                ghost.edge(ns, KEYS[one], KEYS[other], rel, weight=weight)
    at[0] += timedelta(hours=2)
    return ghost


@pytest.mark.requirement("002-081", "002-197")
@QUIET
@given(memories, links, asked, shipped)
def test_what_always_holds(rows: Any, ways: Any, fields: Any, named: Any) -> None:
    """A pack is within its budget, has no memory twice, stays in its namespace, adds up, and is the same again."""
    with filled(rows, ways, named) as ghost:
        ghost.store.engine.read_only = True  # so that counting does not change the second answer
        pack = ghost.context(ASKED, NS, **fields)
        assert (
            pack.used == sum(one.tokens for one in pack.memories) <= pack.budget == fields["budget"]
        )
        assert len(set(pack.keys)) == len(pack.keys)
        assert {one.ns for one in pack.memories} | {one.ns for one in pack.left_out} <= {NS}
        assert not set(pack.keys) & {one.key for one in pack.left_out}
        assert sum(stage.packed for stage in pack.stages.values()) == len(pack.memories)
        assert sum(stage.tokens for stage in pack.stages.values()) == pack.used
        assert pack.skipped >= len(pack.left_out)
        assert ghost.context(ASKED, NS, **fields).to_dict() == pack.to_dict()


@QUIET
@given(memories, links, asked, shipped)
def test_no_stale_fact_without_its_correction(
    rows: Any, ways: Any, fields: Any, named: Any
) -> None:
    """Whatever the graph, a live newer memory that contradicts a packed one comes before it, itself or as a copy."""
    fields = {**fields, "expand": True}
    with filled(rows, ways, named) as ghost:
        live = {one.key: one for one in ghost.list(NS, limit=100)}
        pack = ghost.context(ASKED, NS, **fields)
        place = {key: at for at, one in enumerate(pack.memories) for key in (one.key, *one.same_as)}
        for one, other, rel, _ in ways:
            if rel == "contradicts" and one != other and {KEYS[one], KEYS[other]} <= live.keys():
                old, new = sorted(
                    (live[KEYS[one]], live[KEYS[other]]),
                    key=lambda m: (m.created_at, m.recorded_at, m.id),
                )
                if old.key in pack.keys:
                    assert new.key in place, (old.key, new.key, pack.keys)
                    assert (
                        place[new.key] < place[old.key]
                        or old.content.strip() == new.content.strip()
                    )


@QUIET
@given(memories, links, asked)
def test_a_summary_and_its_child_never_stand_together(rows: Any, ways: Any, fields: Any) -> None:
    """With plain suppression, no child stands in a pack after its summary, unless pinned or needed as a correction."""
    with filled(rows, ways, {"containment": "always"}) as ghost:
        pack = ghost.context(ASKED, NS, **{**fields, "expand": True})
        packed = {one.key: one for one in pack.memories}
        against: dict[str, set[str]] = defaultdict(set)
        parents: dict[str, set[str]] = defaultdict(set)
        for one, other, rel, _ in ways:
            if rel == "contradicts":
                against[KEYS[one]].add(KEYS[other])
                against[KEYS[other]].add(KEYS[one])
            if rel == "contains" and one != other:
                parents[KEYS[other]].add(KEYS[one])
        for key, one in packed.items():
            looped = any(
                key in parents[parent] or parents[parent] & parents[key] for parent in parents[key]
            )
            if not one.pinned and not against[key] & packed.keys() and not looped:
                assert not parents[key] & packed.keys(), (key, pack.keys)


@pytest.mark.requirement("002-197")
@QUIET
@given(
    memories,
    links,
    st.integers(1, 400),
    st.sampled_from([len, lambda text: len(text.split()), lambda text: 0]),
)
def test_any_tokenizer_keeps_the_budget(rows: Any, ways: Any, budget: int, tokens: Any) -> None:
    """Counted by whatever tokenizer, the budget holds, and each memory costs what the tokenizer says and twenty."""
    with filled(rows, ways, {}) as ghost:
        pack = ghost.context(ASKED, NS, budget=budget, tokens=tokens)
        assert pack.used <= budget
        assert all(one.tokens == tokens(one.content) + 20 for one in pack.memories)
