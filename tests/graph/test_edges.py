"""Edges: made, changed, removed, listed, carried to the next version, strengthened."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError, NotFoundError, Outcome
from ghostmem.model import EDGE_WEIGHTS, Edge, Link, Rel
from ghostmem.settings import Settings

Linked = Callable[..., list[tuple[str, str, str]]]
Open = Callable[..., Ghost]
WEIGHTS = {
    "contradicts": 0.9,
    "refines": 0.8,
    "implies": 0.8,
    "caused_by": 0.75,
    "depends_on": 0.7,
    "prevents": 0.7,
    "contains": 0.6,
    "relates_to": 0.5,
    "merged_into": 0.0,
}


@pytest.fixture
def three(ghost: Ghost) -> Ghost:
    """Store three memories of one namespace and one of another."""
    for key in ("x", "y", "z"):
        ghost.put("a", key, f"The text of {key}.")
    ghost.put("b", "other", "The text of another namespace.")
    return ghost


def ends(edge: Edge) -> tuple[str | None, str, str | None]:
    """Return an edge as (from, relation, to)."""
    return edge.from_key, edge.rel.value, edge.to_key


def links(ghost: Ghost) -> list[Link]:
    """Return the legacy links."""
    with ghost.store.engine.read() as tx:
        return list(tx.graph.links())


@pytest.mark.requirement("002-034", "002-037", "002-038", "002-039")
@pytest.mark.parametrize(("rel", "weight"), WEIGHTS.items())
def test_each_relation_has_its_default_weight(three: Ghost, rel: str, weight: float) -> None:
    """An edge made without a weight gets that of the specification for its relation."""
    made = three.edge("a", "x", "y", rel)
    assert (made.weight, made.outcome, made.access_count, made.last_accessed_at) == (
        weight,
        Outcome.CREATED,
        0,
        None,
    )
    assert [(ends(edge), edge.weight) for edge in three.edges("a")] == [(("x", rel, "y"), weight)]


@pytest.mark.requirement("002-034")
def test_there_are_nine_relations() -> None:
    """Every relation has a default weight, and no other is known."""
    assert {rel.value: EDGE_WEIGHTS[rel] for rel in Rel} == WEIGHTS


def test_creating_an_edge_again_updates_its_weight_and_nothing_else(
    three: Ghost, clock: Any
) -> None:
    """The second creation changes the weight; counts and the time of creation stay."""
    first = three.edge("a", "x", "y", "depends_on")
    with three.store.engine.write() as tx:
        tx.graph.strengthen([first.from_id, first.to_id], 0.05, clock())
    clock.forward(days=1)
    again = three.edge("a", "x", "y", "depends_on", weight=0.25)
    assert (again.outcome, again.weight, again.access_count) == (Outcome.UPDATED, 0.25, 1)
    (listed,) = three.edges("a", "x")
    assert (listed.weight, listed.access_count, listed.created_at) == (0.25, 1, first.created_at)
    assert listed.last_accessed_at is not None


def test_creating_an_edge_again_without_a_weight_gives_it_the_default(three: Ghost) -> None:
    """Without a weight the update is to the default of the relation, as creating it anew would be."""
    three.edge("a", "x", "y", "refines", weight=0.1)
    assert three.edge("a", "x", "y", "refines").weight == 0.8


def test_the_same_pair_may_have_several_relations_and_directions(three: Ghost) -> None:
    """Relation and direction are part of what an edge is."""
    three.edge("a", "x", "y", "refines")
    three.edge("a", "y", "x", "refines", weight=0.3)
    three.edge("a", "x", "y", "implies")
    assert [(ends(edge), edge.weight) for edge in three.edges("a", "y")] == [
        (("x", "implies", "y"), 0.8),
        (("x", "refines", "y"), 0.8),
        (("y", "refines", "x"), 0.3),
    ]


@pytest.mark.requirement("002-033")
def test_an_edge_leads_from_one_id_to_another_and_counts_for_itself(
    three: Ghost, clock: Any
) -> None:
    """It has the ids of both memories in its direction, and its own count and time, which no other edge shares."""
    ids = {memory.key: memory.id for memory in three.list("a")}
    there, back = (
        three.edge("a", "x", "y", "refines", weight=0.4),
        three.edge("a", "y", "x", "refines", weight=0.6),
    )
    three.edge("a", "y", "z", "refines", weight=0.2)
    assert (there.from_id, there.to_id, there.rel, there.weight) == (
        ids["x"],
        ids["y"],
        Rel.REFINES,
        0.4,
    )
    assert (back.from_id, back.to_id, back.rel, back.weight) == (
        ids["y"],
        ids["x"],
        Rel.REFINES,
        0.6,
    )
    with three.store.engine.write() as tx:
        tx.graph.strengthen([ids["x"], ids["y"]], 0.05, clock())
    counted = {
        (edge.from_id, edge.to_id): (edge.access_count, edge.last_accessed_at is not None)
        for edge in three.edges("a")
    }
    assert counted == {
        (ids["x"], ids["y"]): (1, True),
        (ids["y"], ids["x"]): (1, True),
        (ids["y"], ids["z"]): (0, False),
    }
    three.graph.rm_edge("a", "x", "y", "refines")
    assert [ends(edge) for edge in three.edges("a", "x")] == [("y", "refines", "x")]


@pytest.mark.requirement("002-035")
@pytest.mark.parametrize("weight", [0, 0.0, 1, 1.0, 0.123456789])
def test_a_weight_from_nought_to_one_is_kept(three: Ghost, weight: float) -> None:
    """The ends of the range belong to it, and nought is a weight of its own, not the default."""
    assert three.edge("a", "x", "y", "depends_on", weight=weight).weight == weight
    assert three.edges("a")[0].weight == weight


@pytest.mark.requirement("002-035")
@pytest.mark.parametrize("weight", [-0.01, 1.01, float("nan"), float("inf"), "0.5", True, 10**400])
def test_a_weight_out_of_range_is_refused(three: Ghost, weight: Any) -> None:
    """A weight that is no number from 0 to 1 is invalid input, and nothing is written."""
    with pytest.raises(InvalidInputError, match="weight"):
        three.edge("a", "x", "y", "depends_on", weight=weight)
    assert three.edges("a") == []


@pytest.mark.requirement("002-034")
@pytest.mark.parametrize("rel", ["likes", "", "RELATES_TO", "relates_to ", None, 3, ["refines"]])
def test_an_unknown_relation_is_refused(three: Ghost, rel: Any) -> None:
    """The error names the relations there are."""
    with pytest.raises(InvalidInputError, match="invalid relation") as error:
        three.edge("a", "x", "y", rel)
    assert all(known in error.value.hint for known in WEIGHTS)


def test_a_memory_cannot_be_linked_to_itself(three: Ghost) -> None:
    """An edge has two different ends."""
    with pytest.raises(InvalidInputError, match="x cannot be linked to itself"):
        three.edge("a", "x", "x", "refines")


@pytest.mark.parametrize(
    ("one", "other"), [("x", "other"), ("other", "x"), ("x", "nope"), ("nope", "nope2")]
)
def test_an_edge_never_leaves_its_namespace(three: Ghost, one: str, other: str) -> None:
    """A key of another namespace is as unknown as one that is nowhere."""
    with pytest.raises(NotFoundError, match="memory not found: a/"):
        three.edge("a", one, other, "refines")
    assert three.edges("a") == three.edges("b") == []


def test_removed_and_expired_memories_cannot_be_linked(three: Ghost, clock: Any) -> None:
    """Both ends of a new edge are current."""
    three.put("a", "short", "Gone in an hour.", ttl="1h")
    three.rm("a", "y")
    clock.forward(hours=2)
    for key in ("y", "short"):
        with pytest.raises(NotFoundError):
            three.edge("a", "x", key, "refines")
        with pytest.raises(NotFoundError):
            three.edge("a", key, "x", "refines")


def test_removing_an_edge_returns_it_and_leaves_the_others(three: Ghost) -> None:
    """Only the named relation in the named direction goes."""
    three.edge("a", "x", "y", "refines", weight=0.4)
    three.edge("a", "y", "x", "refines")
    three.edge("a", "x", "y", "implies")
    gone = three.graph.rm_edge("a", "x", "y", "refines")
    assert (ends(gone), gone.weight) == (("x", "refines", "y"), 0.4)
    assert [ends(edge) for edge in three.edges("a")] == [
        ("x", "implies", "y"),
        ("y", "refines", "x"),
    ]


def test_removing_an_edge_that_is_not_there_says_so(three: Ghost) -> None:
    """The error names the edge, and the hint the command that lists what is there."""
    three.edge("a", "x", "y", "refines")
    for one, other, rel in [("y", "x", "refines"), ("x", "y", "implies"), ("x", "z", "refines")]:
        with pytest.raises(
            NotFoundError, match=f"there is no edge {one} {rel} {other} in a"
        ) as error:
            three.graph.rm_edge("a", one, other, rel)
        assert "ghost edge list -n a" in error.value.hint
    assert len(three.edges("a")) == 1


def test_a_list_has_both_directions_and_keys(three: Ghost) -> None:
    """The edges of a memory are those from it and those to it, heaviest first, each with the keys of both ends."""
    three.edge("a", "x", "y", "depends_on")
    three.edge("a", "z", "x", "contradicts")
    three.edge("a", "y", "z", "implies")
    assert [ends(edge) for edge in three.edges("a", "x")] == [
        ("z", "contradicts", "x"),
        ("x", "depends_on", "y"),
    ]
    assert {edge.ns for edge in three.edges("a", "x")} == {"a"}
    assert [ends(edge) for edge in three.edges("a", "x", rel="depends_on")] == [
        ("x", "depends_on", "y")
    ]
    assert len(three.edges("a")) == 3
    assert [ends(edge) for edge in three.edges("a", rel="implies")] == [("y", "implies", "z")]


def test_a_list_of_nothing_and_of_nobody(three: Ghost) -> None:
    """A memory and a namespace without edges have none; an unknown key or relation is an error."""
    assert three.edges("a", "x") == three.edges("a") == three.edges("nobody") == []
    with pytest.raises(NotFoundError):
        three.edges("a", "nope")
    with pytest.raises(InvalidInputError):
        three.edges("a", rel="likes")


@pytest.mark.requirement("002-044")
def test_a_new_version_takes_the_edges_of_both_directions(three: Ghost) -> None:
    """After an update every edge touches the new id, with its weight and counts, and none the old one."""
    three.edge("a", "x", "y", "depends_on", weight=0.31)
    three.edge("a", "z", "y", "refines")
    three.graph.link("a", "y", "z", "contradicts")
    before = three.get("a", "y").id
    after = three.put("a", "y", "Another text of y.").id
    assert before != after
    assert {(ends(edge), edge.weight) for edge in three.edges("a", "y")} == {
        (("x", "depends_on", "y"), 0.31),
        (("z", "refines", "y"), 0.8),
        (("y", "contradicts", "z"), 0.9),
    }
    assert {after in (edge.from_id, edge.to_id) for edge in three.edges("a")} == {True}
    assert [link.from_id for link in links(three)] == [after]
    with three.store.engine.read() as tx:
        assert list(tx.graph.edges(before)) == []


@pytest.mark.requirement("002-133")
def test_a_put_that_fails_leaves_the_edges_where_they_were(
    three: Ghost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure after the edges moved takes back the version and the move alike."""
    made = three.edge("a", "x", "y", "refines")

    def fail(*_: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr("ghostmem.memory.write.index_memory", fail)
    with pytest.raises(RuntimeError):
        three.put("a", "y", "Never to be read.")
    monkeypatch.undo()
    assert three.get("a", "y").version == 1
    assert [(edge.from_id, edge.to_id) for edge in three.edges("a")] == [(made.from_id, made.to_id)]


MOVED = """
import os, signal, sys
from ghostmem import Ghost
from ghostmem.store.graph import EdgeTable
from ghostmem.settings import Settings
ghost = Ghost.open(sys.argv[1], settings=Settings(embed_provider="none"))
move = EdgeTable.relink
def killed(self, old, new):
    move(self, old, new)
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "while moving":
    EdgeTable.relink = killed
ghost.put("a", "y", "The second text of y.")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.requirement("002-133")
@pytest.mark.parametrize(("moment", "version"), [("while moving", 1), ("after the put", 2)])
@pytest.mark.skipif(sys.platform == "win32", reason="kills are those of Unix")
@pytest.mark.may_skip
def test_a_killed_process_leaves_a_new_version_with_its_edges_or_neither(
    tmp_path: Path, moment: str, version: int
) -> None:
    """Killed when the edges had moved, before the commit, version and edges are as before; after it, both are new."""
    path = str(tmp_path / "m.db")
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        for key in ("x", "y", "z"):
            ghost.put("a", key, f"The text of {key}.")
        ghost.edge("a", "x", "y", "refines")
        ghost.graph.link("a", "y", "z", "depends_on")
    killed = subprocess.run(
        [sys.executable, "-c", MOVED, path, moment], env=os.environ, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        current = ghost.get("a", "y")
        assert current.version == version
        assert [ends(edge) for edge in ghost.edges("a", "y")] == [
            ("x", "refines", "y"),
            ("y", "depends_on", "z"),
        ]
        assert {current.id in (edge.from_id, edge.to_id) for edge in ghost.edges("a")} == {True}
        assert [link.from_id for link in links(ghost)] == [current.id]
        assert ghost.admin.check().problems == ()


def test_saying_the_same_again_moves_no_edge(three: Ghost) -> None:
    """A reinforced memory keeps its id and its edges."""
    made = three.edge("a", "x", "y", "refines")
    three.put("a", "y", "The text of y.")
    assert [(edge.from_id, edge.to_id) for edge in three.edges("a")] == [(made.from_id, made.to_id)]


def test_the_edges_of_a_removed_memory_hide_and_come_back_with_it(three: Ghost) -> None:
    """While one end is removed no list shows the edge; restored, it is there as before."""
    three.edge("a", "x", "y", "refines", weight=0.33)
    three.rm("a", "y")
    assert three.edges("a") == three.edges("a", "x") == []
    three.restore("a", "y")
    assert [(ends(edge), edge.weight) for edge in three.edges("a", "x")] == [
        (("x", "refines", "y"), 0.33)
    ]


def test_an_earlier_version_of_a_removed_memory_comes_back_with_its_edges(three: Ghost) -> None:
    """Going back to an earlier wording after a removal loses no edge either."""
    three.edge("a", "x", "y", "refines")
    three.put("a", "y", "The second text of y.")
    three.rm("a", "y")
    three.restore("a", "y", version=1)
    assert [ends(edge) for edge in three.edges("a")] == [("x", "refines", "y")]


def test_the_edges_of_an_expired_memory_are_not_listed(three: Ghost, clock: Any) -> None:
    """What has expired is linked to nothing anybody sees."""
    three.put("a", "short", "Gone in an hour.", ttl="1h")
    three.edge("a", "x", "short", "refines")
    clock.forward(hours=2)
    assert three.edges("a") == three.edges("a", "x") == []


def test_a_hard_delete_takes_the_edges_along(three: Ghost) -> None:
    """No edge and no link to a deleted memory stays behind."""
    three.graph.link("a", "x", "y", "refines")
    three.edge("a", "y", "z", "implies")
    three.rm("a", "y", hard=True, all_versions=True)
    with three.store.engine.read() as tx:
        assert (list(tx.graph.edges()), list(tx.graph.links())) == ([], [])


def test_co_retrieval_brings_an_edge_nearer_to_one(three: Ghost, clock: Any) -> None:
    """Each time w grows by 0.05 (1 - w), is counted, and never passes 1."""
    one = three.edge("a", "x", "y", "refines", weight=0.5)
    weight = 0.5
    for at in range(1, 4):
        with three.store.engine.write() as tx:
            assert tx.graph.strengthen([one.from_id, one.to_id], 0.05, clock()) == 1
        weight += 0.05 * (1 - weight)
        (edge,) = three.edges("a")
        assert edge.weight == pytest.approx(weight, abs=1e-12)
        assert (edge.access_count, edge.last_accessed_at is not None) == (at, True)
    three.edge("a", "x", "y", "refines", weight=1.0)
    with three.store.engine.write() as tx:
        tx.graph.strengthen([one.from_id, one.to_id], 0.05, clock())
    assert three.edges("a")[0].weight == 1.0


def test_only_edges_between_two_of_the_retrieved_are_strengthened(three: Ghost, clock: Any) -> None:
    """An edge with one end outside stays, and so does the audit trail `merged_into`."""
    one = three.edge("a", "x", "y", "refines", weight=0.5)
    three.edge("a", "y", "z", "refines", weight=0.5)
    three.edge("a", "y", "x", "merged_into")
    with three.store.engine.write() as tx:
        assert tx.graph.strengthen([one.from_id, one.to_id], 0.05, clock()) == 1
    found = {ends(edge): edge.weight for edge in three.edges("a")}
    assert found == {
        ("x", "refines", "y"): pytest.approx(0.525),
        ("y", "refines", "z"): 0.5,
        ("y", "merged_into", "x"): 0.0,
    }


def test_a_legacy_link_is_also_an_edge(three: Ghost) -> None:
    """`link` writes both tables; doing it twice changes nothing, and removing the edge removes both."""
    made = three.graph.link("a", "x", "y", "depends_on")
    assert (ends(made), made.weight) == (("x", "depends_on", "y"), 0.7)
    three.graph.link("a", "x", "y", "depends_on")
    assert ([link.rel for link in links(three)], len(three.edges("a"))) == ([Rel.DEPENDS_ON], 1)
    three.graph.rm_edge("a", "x", "y", "depends_on")
    assert (links(three), three.edges("a")) == ([], [])


@pytest.mark.requirement("002-045")
@pytest.mark.parametrize(
    "rel", ["relates_to", "contradicts", "depends_on", "refines", "contains", "merged_into"]
)
def test_every_legacy_relation_stays_readable_and_is_an_edge(three: Ghost, rel: str) -> None:
    """Each of the original's six relations is a link as before and an edge of the same relation, also in another store."""
    three.graph.link("a", "x", "y", rel)
    wanted = [(("x", rel, "y"), WEIGHTS[rel])]
    assert [link.rel for link in links(three)] == [rel]
    assert [(ends(edge), edge.weight) for edge in three.edges("a")] == wanted
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as other:
        other.import_(three.export())
        assert [link.rel for link in links(other)] == [rel]
        assert [(ends(edge), edge.weight) for edge in other.edges("a")] == wanted


def test_a_legacy_link_leaves_an_edge_that_is_there_as_it_is(three: Ghost) -> None:
    """Linking what is linked keeps its weight."""
    three.edge("a", "x", "y", "refines", weight=0.2)
    assert three.graph.link("a", "x", "y", "refines").weight == 0.2


def test_a_legacy_link_whose_edge_is_gone_gets_one_again(three: Ghost) -> None:
    """When the edge alone was pruned, linking again makes it anew."""
    made = three.graph.link("a", "x", "y", "refines")
    with three.store.engine.write() as tx:
        tx.db.execute("DELETE FROM memory_edges")  # type: ignore[attr-defined]
    assert three.graph.link("a", "x", "y", "refines").weight == made.weight
    assert [ends(edge) for edge in three.edges("a")] == [("x", "refines", "y")]


@pytest.mark.parametrize("rel", ["caused_by", "prevents", "implies", "nope"])
def test_a_legacy_link_has_only_the_legacy_relations(three: Ghost, rel: str) -> None:
    """Relations that the original's links never had are refused."""
    with pytest.raises(InvalidInputError, match="invalid relation"):
        three.graph.link("a", "x", "y", rel)
    assert (links(three), three.edges("a")) == ([], [])


def test_a_link_that_fails_half_way_leaves_neither(
    three: Ghost, graph_of: Callable[[Ghost], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Link and edge are one transaction."""

    def fail(*_: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(graph_of(three), "add_edge", fail)
    with pytest.raises(RuntimeError):
        three.graph.link("a", "x", "y", "refines")
    assert (links(three), three.edges("a")) == ([], [])


@pytest.mark.requirement("002-154")
def test_candidates_are_alike_pairs_without_a_reason(three: Ghost) -> None:
    """Pairs come heaviest first with both texts; one that a reasoning edge joins, in either direction, is only counted."""
    three.put("a", "w", "The text of w.")
    three.edge("a", "x", "y", "relates_to", weight=0.9)
    three.edge("a", "y", "z", "relates_to", weight=0.95)
    three.edge("a", "x", "z", "relates_to", weight=0.7)
    three.edge("a", "x", "w", "depends_on", weight=0.99)
    three.edge("a", "z", "y", "caused_by")
    found = three.graph.edge_candidates("a")
    assert [(c.from_key, c.to_key, c.relates_weight) for c in found.candidates] == [
        ("x", "y", 0.9),
        ("x", "z", 0.7),
    ]
    assert (found.candidates[0].from_content, found.candidates[0].to_content) == (
        "The text of x.",
        "The text of y.",
    )
    assert found.skipped_existing == 1


def test_candidates_that_point_at_each_other_are_one_pair(three: Ghost) -> None:
    """The heavier of two directions stands for the pair."""
    three.edge("a", "x", "y", "relates_to", weight=0.9)
    three.edge("a", "y", "x", "relates_to", weight=0.8)
    three.edge("a", "y", "z", "relates_to", weight=0.5)
    three.edge("a", "z", "y", "relates_to", weight=0.5)
    found = three.graph.edge_candidates("a").candidates
    assert [{c.from_key, c.to_key} for c in found] == [{"x", "y"}, {"y", "z"}]


def test_candidates_are_limited_after_they_are_chosen(three: Ghost) -> None:
    """A seed keeps only its own pairs however light they are, and the limit counts those."""
    three.edge("a", "x", "y", "relates_to", weight=0.9)
    three.edge("a", "y", "z", "relates_to", weight=0.2)
    found = three.graph.edge_candidates("a", max_pairs=1, seed=["z"])
    assert [(c.from_key, c.to_key) for c in found.candidates] == [("y", "z")]
    assert len(three.graph.edge_candidates("a", max_pairs=1).candidates) == 1
    assert three.graph.edge_candidates("b").candidates == ()


@pytest.mark.parametrize(
    "given", [{"max_pairs": 0}, {"max_pairs": -1}, {"seed": "xy"}, {"seed": [""]}]
)
def test_candidates_refuse_what_cannot_be(three: Ghost, given: dict[str, Any]) -> None:
    """A limit below one and a seed that is no list of keys are invalid input."""
    with pytest.raises(InvalidInputError):
        three.graph.edge_candidates("a", **given)


def test_candidates_of_an_unknown_seed_are_an_error(three: Ghost) -> None:
    """A mistyped key is said, not answered with nothing."""
    with pytest.raises(NotFoundError, match="a/nope"):
        three.graph.edge_candidates("a", seed=["x", "nope"])


def test_candidates_count_as_neither_use_nor_exposure(three: Ghost) -> None:
    """Looking for work to do changes no count."""
    three.edge("a", "x", "y", "relates_to", weight=0.9)
    before = list(three.export())
    three.graph.edge_candidates("a")
    three.edges("a", "x")
    three.clusters("a")
    assert list(three.export()) == before


@pytest.mark.parametrize(
    "key", ["it's", 'qu"ote', "日本 語", "%_\\", "a —refines→ b", "' OR 1=1 --"]
)
def test_hostile_keys_are_linked_like_any_other(ghost: Ghost, key: str) -> None:
    """Keys are data, never syntax."""
    ghost.put("a", key, "One.")
    ghost.put("a", "plain", "Two.")
    ghost.edge("a", key, "plain", "refines")
    assert [ends(edge) for edge in ghost.edges("a", key)] == [(key, "refines", "plain")]
    assert ghost.graph.rm_edge("a", key, "plain", "refines").from_key == key
