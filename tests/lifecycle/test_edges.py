"""The life of edges: fading, pruning, what lasts, and linking anew."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Life


@pytest.fixture
def pair(life: "Life") -> "Life":
    """Return a store with three memories."""
    for key in ("a", "b", "c"):
        life.put(key)
    return life


@pytest.mark.requirement("002-134")
@pytest.mark.parametrize(
    ("fields", "after"),
    [
        ({"age": 31}, 0.45),
        ({"age": 30}, 0.45),
        ({"age": 29.99}, 0.5),
        ({"age": 90, "access": 2, "idle": 31}, 0.45),
        ({"age": 90, "access": 2, "idle": 29}, 0.5),
        ({"age": 90, "access": 3, "idle": 80}, 0.5),
        ({"age": 90, "access": 100, "idle": 80}, 0.5),
    ],
)
def test_an_edge_nobody_needs_fades(pair: "Life", fields: dict[str, Any], after: float) -> None:
    """30 days without use and fewer than three uses in all: × 0.9; else it stays as it is."""
    pair.edge("a", "b", weight=0.5, **fields)
    report = pair.reflect()
    assert pair.weight("a", "b") == pytest.approx(after)
    assert report.edges_decayed == int(after < 0.5)
    assert report.rules_applied == 0


@pytest.mark.requirement("002-135")
@pytest.mark.parametrize(
    ("weight", "fields"),
    [(0.03, {}), (0.0499, {}), (0.03, {"access": 50, "age": 90, "idle": 1}), (0.0, {})],
)
def test_a_faint_edge_is_dropped(pair: "Life", weight: float, fields: dict[str, Any]) -> None:
    """Below 0.05 it goes, however young or used."""
    pair.edge("a", "b", weight=weight, **fields)
    report = pair.reflect()
    assert pair.weight("a", "b") is None
    assert (report.edges_pruned, report.edges_decayed) == (1, 0)


@pytest.mark.requirement("002-135")
def test_an_edge_at_the_border_stays(pair: "Life") -> None:
    """0.05 is not below 0.05."""
    pair.edge("a", "b", weight=0.05)
    assert pair.reflect().edges_pruned == 0
    assert pair.weight("a", "b") == 0.05


def test_an_edge_that_fades_below_the_border_is_dropped_in_the_same_run(pair: "Life") -> None:
    """It counts as dropped, not as fainter."""
    pair.edge("a", "b", weight=0.055, age=31)
    report = pair.reflect()
    assert (report.edges_decayed, report.edges_pruned, pair.weight("a", "b")) == (0, 1, None)


@pytest.mark.parametrize(
    "rel", ["relates_to", "depends_on", "refines", "caused_by", "prevents", "implies"]
)
def test_every_other_relation_fades_until_it_is_gone(pair: "Life", rel: str) -> None:
    """From 0.5 it takes 22 runs: 0.5 × 0.9^22 is below 0.05."""
    pair.edge("a", "b", rel, weight=0.5, age=31)
    for _ in range(21):
        pair.reflect()
    assert pair.weight("a", "b", rel) == pytest.approx(0.5 * 0.9**21)
    pair.reflect()
    assert pair.weight("a", "b", rel) is None


@pytest.mark.parametrize("rel", ["contradicts", "contains"])
@pytest.mark.parametrize("start", [0.9, 0.105, 0.1])
def test_what_conflicts_or_belongs_fades_but_is_never_lost(
    pair: "Life", rel: str, start: float
) -> None:
    """These edges stop at 0.1 and are never dropped."""
    pair.edge("a", "b", rel, weight=start, age=31)
    for _ in range(40):
        pair.reflect()
    assert pair.weight("a", "b", rel) == pytest.approx(0.1)
    assert pair.reflect().changes == ()


@pytest.mark.parametrize("rel", ["contradicts", "contains"])
@pytest.mark.parametrize("weight", [0.07, 0.01, 0.0])
def test_a_lasting_edge_that_somebody_made_faint_stays_as_it_is(
    pair: "Life", rel: str, weight: float
) -> None:
    """It is neither raised nor lowered nor dropped."""
    pair.edge("a", "b", rel, weight=weight, age=31)
    assert pair.reflect().changes == ()
    assert pair.weight("a", "b", rel) == weight


def test_a_trail_is_never_touched(pair: "Life") -> None:
    """merged_into has weight zero, and stays."""
    pair.edge("a", "b", "merged_into", weight=0.0, age=500)
    pair.edge("a", "c", "merged_into", weight=0.6, age=500)
    assert pair.reflect().changes == ()


def test_edges_fade_within_the_scope_only(life: "Life") -> None:
    """Another namespace's edges keep their weight."""
    for ns in ("agent:me", "agent:you"):
        life.put("a", ns=ns)
        life.put("b", ns=ns)
        life.edge("a", "b", ns=ns, age=31)
    life.reflect("agent:me")
    assert (life.weight("a", "b"), life.weight("a", "b", ns="agent:you")) == (
        pytest.approx(0.45),
        0.5,
    )


def test_a_change_of_an_edge_names_both_ends(pair: "Life") -> None:
    """With its relation and the weights, and no rule."""
    pair.edge("a", "b", "depends_on", weight=0.7, age=31)
    (change,) = pair.reflect().changes
    assert change.to_dict() == {
        "ns": "agent:me",
        "key": "a",
        "to_key": "b",
        "rel": "depends_on",
        "op": "FADE",
        "rule": "",
        "before": {"weight": 0.7},
        "after": {"weight": pytest.approx(0.63)},
    }


def test_use_in_a_context_stops_the_fading(life: "Life", clock: Any) -> None:
    """An edge between two memories that are shown together is in use again."""
    life.put("pier", "The harbour ferry departs from pier nine.")
    life.put("fare", "The harbour ferry fare is four euros.")
    life.edge("pier", "fare", weight=0.5, age=31)
    life.ghost.context("harbour ferry", "agent:me")
    assert life.weight("pier", "fare") == pytest.approx(0.525)
    assert life.reflect().edges_decayed == 0
    clock.forward(days=30)
    assert life.reflect().edges_decayed == 1


def test_relink_links_what_shares_names(life: "Life") -> None:
    """Only when asked for; counted apart, and a second time there is nothing to add."""
    life.put("one", "Marguerite Oyelaran repaired the gearbox of the turbine at Lindholm.")
    life.put("two", "Marguerite Oyelaran retired from Lindholm in spring.")
    assert life.reflect().relinked == 0
    report = life.reflect(relink=True)
    assert (report.relinked, report.linked, [change.op for change in report.changes]) == (
        1,
        0,
        ["RELINK"],
    )
    assert life.weight("two", "one") is not None
    assert life.reflect(relink=True).changes == ()


def test_relink_in_a_dry_run_adds_nothing(life: "Life") -> None:
    """It tells the edge it would add."""
    life.put("one", "Marguerite Oyelaran repaired the gearbox of the turbine at Lindholm.")
    life.put("two", "Marguerite Oyelaran retired from Lindholm in spring.")
    report = life.reflect(relink=True, dry_run=True)
    assert (report.relinked, life.weight("two", "one")) == (1, None)


def test_relink_leaves_out_what_the_same_run_removes(life: "Life") -> None:
    """An edge to something that goes would be no help."""
    life.ghost.lifecycle.set_rule("r", "DELETE", tag="x")
    life.put(
        "one", "Marguerite Oyelaran repaired the gearbox of the turbine at Lindholm.", tags=["x"]
    )
    life.put("two", "Marguerite Oyelaran retired from Lindholm in spring.")
    assert life.reflect(relink=True).relinked == 0


def test_relink_stays_within_each_namespace(life: "Life") -> None:
    """Without --ns each namespace is linked by itself."""
    for ns, key in (("agent:me", "one"), ("agent:you", "two")):
        life.put(key, "Marguerite Oyelaran repaired the gearbox of the turbine at Lindholm.", ns=ns)
    assert life.reflect(None, relink=True).changes == ()


def test_what_a_run_merges_away_is_not_relinked(open_life: Any) -> None:
    """The dry run knows it too: what it plans is what is done."""
    from lifecycle.conftest import placed

    life = open_life(embedder=placed)
    for key in ("one", "two"):
        life.put(key, "The ferry departs at nine [1, 0]")
    life.ghost.lifecycle.set_rule(
        "merge",
        "MERGE",
        similarity_gt=0.5,
        action_params={"strategy": "keep_highest_importance"},
        priority=200,
    )
    dry = life.reflect(None, dry_run=True, relink=True)
    done = life.reflect(None, relink=True)
    assert ([change.op for change in dry.changes], dry.relinked) == (
        [change.op for change in done.changes],
        done.relinked,
    )
    assert done.relinked == 0
