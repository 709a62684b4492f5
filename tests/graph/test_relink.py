"""relink: links from shared names, shared topics and likeness, made later and only where there are none."""

from collections.abc import Callable
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.graph.relink import by_names, by_topic

Linked = Callable[..., list[tuple[str, str, str]]]
Open = Callable[..., Ghost]

NAMES = {
    "visit": "Marguerite Oyelaran came by on her bicycle.",
    "weather": "Clouds hung low over the hills all afternoon.",
    "phone": "Got a call about lunch: Marguerite Oyelaran wants soup.",
}
TOPICS = {
    "one": "the turbine gearbox vibrates when lubricant runs low",
    "sofa": "the neighbour's cat naps on our sofa all day",
    "two": "low lubricant makes the turbine gearbox vibrate",
}


def fill(ghost: Ghost, texts: dict[str, str], ns: str = "a") -> None:
    """Store texts under their keys, in order."""
    for key, text in texts.items():
        ghost.put(ns, key, text)


def test_what_names_the_same_is_linked(ghost: Ghost, linked: Linked) -> None:
    """Two memories that share a name are linked from the newer to the older, without any vectors."""
    fill(ghost, NAMES)
    done = ghost.graph.relink("a")
    assert (done.ns, done.memories, done.added, done.dry_run) == ("a", 3, 1, False)
    assert linked(ghost) == [("phone", "relates_to", "visit")]
    assert 0.15 <= ghost.edges("a")[0].weight <= 1


def test_what_is_about_the_same_is_linked(ghost: Ghost, linked: Linked) -> None:
    """Two memories whose rare words agree are linked by the cosine of those words."""
    fill(ghost, TOPICS)
    assert ghost.graph.relink("a").added == 1
    assert linked(ghost) == [("two", "relates_to", "one")]
    assert 0.3 <= ghost.edges("a")[0].weight <= 1


def test_what_lies_near_is_linked(open_exact: Open, linked: Linked) -> None:
    """Two memories whose vectors are alike are linked by their cosine, though they share no word."""
    ghost = open_exact()
    ghost.put("a", "one", "alpha [1, 0]")
    ghost.put("a", "two", "omega [0.9, 0.43588989]")
    ghost.graph.rm_edge("a", "two", "one", "relates_to")
    assert ghost.graph.relink("a").added == 1
    assert linked(ghost) == [("two", "relates_to", "one")]
    assert ghost.edges("a")[0].weight == pytest.approx(0.9, abs=2e-3)


def test_the_strongest_of_the_three_is_the_weight(open_exact: Open) -> None:
    """A pair found in several ways gets the largest of its shares."""
    ghost = open_exact()
    ghost.put("a", "one", f"{TOPICS['one']} [1, 0]")
    ghost.put("a", "two", f"{TOPICS['two']} [0.999, 0.0447]")
    ghost.graph.rm_edge("a", "two", "one", "relates_to")
    ghost.graph.relink("a")
    assert ghost.edges("a")[0].weight == pytest.approx(0.999, abs=2e-3)


@pytest.mark.parametrize("rel", ["contradicts", "relates_to", "merged_into"])
@pytest.mark.parametrize("pair", [("visit", "phone"), ("phone", "visit")])
def test_a_pair_that_has_any_link_is_left_alone(
    ghost: Ghost, linked: Linked, rel: str, pair: tuple[str, str]
) -> None:
    """Whatever relation and direction a pair has already, relink adds none."""
    fill(ghost, NAMES)
    ghost.edge("a", *pair, rel, weight=0.01)
    assert ghost.graph.relink("a").added == 0
    assert linked(ghost) == [(pair[0], rel, pair[1])]
    assert ghost.edges("a")[0].weight == 0.01


def test_a_dry_run_counts_and_writes_nothing(ghost: Ghost) -> None:
    """It says how many links it would add, and adds none."""
    fill(ghost, NAMES)
    before = list(ghost.export())
    done = ghost.graph.relink("a", dry_run=True)
    assert (done.added, done.dry_run) == (1, True)
    assert list(ghost.export()) == before


def test_nobody_gets_more_than_the_limit(open_ghost: Open) -> None:
    """Among many that are alike each memory gets at most GHOST_RELINK_MAX links, counted in both directions."""
    ghost = open_ghost(":memory:", relink_max=3, freshness="off")
    for number in range(15):
        ghost.put("a", f"k{number:02}", f"{TOPICS['one']} in hall {number}")
    ghost.graph.relink("a")
    degrees = [len(ghost.edges("a", f"k{number:02}")) for number in range(15)]
    assert max(degrees) <= 3
    assert min(degrees) >= 1


def test_a_second_relink_adds_nothing(open_ghost: Open) -> None:
    """Run again on the same memories, as by a nightly job, it adds no link: the limit is that of a memory, not of a run."""
    ghost = open_ghost(":memory:", relink_max=3, freshness="off")
    for number in range(15):
        ghost.put("a", f"k{number:02}", f"{TOPICS['one']} in hall {number}")
    ghost.graph.relink("a")
    before = list(ghost.export())
    assert ghost.graph.relink("a").added == 0
    assert list(ghost.export()) == before


def test_other_namespaces_are_left_alone(ghost: Ghost) -> None:
    """Only the named namespace is linked, and never to another."""
    fill(ghost, NAMES)
    fill(ghost, NAMES, "b")
    ghost.graph.relink("a")
    assert (len(ghost.edges("a")), ghost.edges("b")) == (1, [])


@pytest.mark.parametrize("state", ["sensory", "removed", "expired"])
def test_what_is_passing_or_gone_is_not_linked(ghost: Ghost, clock: Any, state: str) -> None:
    """Sensory, removed and expired memories take no part."""
    ghost.put("a", "visit", NAMES["visit"])
    fields: dict[str, Any] = {"sensory": {"tier": "sensory"}, "expired": {"ttl": "1h"}}.get(
        state, {}
    )
    ghost.put("a", "phone", NAMES["phone"], **fields)
    if state == "removed":
        ghost.rm("a", "phone")
    clock.forward(hours=2)
    done = ghost.graph.relink("a")
    assert (done.memories, done.added) == (1, 0)


def test_what_goes_away_meanwhile_is_not_linked(
    open_ghost: Open, open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory that another process removes, deletes or changes while relink compares gets no edge, and stops nothing."""
    ghost = open_exact("m.db")
    other = open_ghost("m.db", freshness="off", busy_timeout=0.2)
    for number, key in enumerate(("removed", "deleted", "changed", "stays")):
        other.put("a", key, f"{TOPICS['one']} in hall {number}")
    chosen = __import__("ghostmem.graph.relink", fromlist=["x"])._edges

    def interrupted(*args: Any) -> Any:
        found = chosen(*args)
        other.rm("a", "removed")
        other.rm("a", "deleted", hard=True, all_versions=True)
        other.put("a", "changed", "Something else entirely.")
        return found

    monkeypatch.setattr("ghostmem.graph.relink._edges", interrupted)
    assert ghost.graph.relink("a").added == 0
    with ghost.store.engine.read() as tx:
        assert list(tx.graph.edges()) == []


def test_progress_is_told(open_exact: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of vectors compared is passed on and ends at all of them."""
    monkeypatch.setattr("ghostmem.store.sketch.TILE", 64)
    ghost = open_exact()
    for number in range(100):
        ghost.put("a", f"k{number}", f"[{number % 9}, {number % 7}, 1] {number}")
    seen: list[int] = []
    ghost.graph.relink("a", progress=seen.append)
    assert seen == [64, 100]


def test_an_empty_namespace_has_nothing_to_link(ghost: Ghost) -> None:
    """Nothing there is no error; no namespace is."""
    assert (ghost.graph.relink("nobody").memories, ghost.graph.relink("nobody").added) == (0, 0)
    with pytest.raises(InvalidInputError):
        ghost.graph.relink("")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "the the the",
        "1 2 3 4",
        "\x1b[31m\u202e",
        "A" * 5000,
        "日本語",
        "' OR 1=1 --",
        "[1, 2",
        "NaN",
    ],
)
def test_hostile_content_is_compared_like_any_other(ghost: Ghost, text: str) -> None:
    """Texts without names or words, and texts of syntax, link at most to their equals."""
    ghost.put("a", "plain", NAMES["visit"])
    for key in ("one", "two"):
        ghost.put("a", key, f"{text}." if not text.strip() else text)
    ghost.graph.relink("a")
    assert {(edge.from_key, edge.to_key) for edge in ghost.edges("a")} <= {("two", "one")}


def test_common_names_and_words_say_nothing() -> None:
    """What more than a twentieth of the texts and more than twenty have links none of them."""
    same = [frozenset({"alice"})] * 100
    assert list(by_names(same)) == []
    assert list(by_topic([["alice", f"word{number}"] for number in range(100)])) == []
    assert len(list(by_names(same[:3]))) == 3


def test_shares_are_those_of_sets_and_cosines() -> None:
    """Names count by Jaccard's share from 0.15, words by their weighted cosine from 0.30; later texts come first."""
    named = [
        frozenset("abc"),
        frozenset("bcd"),
        frozenset("z"),
        frozenset("a") | frozenset(str(n) for n in range(7)),
    ]
    assert list(by_names(named)) == [(1, 0, 0.5)]
    ((later, earlier, cosine),) = by_topic([["x", "y"], ["x", "y"], ["q"]])
    assert (later, earlier, round(cosine, 6)) == (1, 0, 1.0)
    assert list(by_topic([[], [], ["x"]])) == []


def test_a_filter_links_within_each_namespace(ghost: Ghost) -> None:
    """Every namespace of the filter is compared on its own; others are left alone."""
    for ns in ("p:a", "p:b", "q"):
        ghost.put(ns, "one", "Margarethe Kowalczyk plays the cello.")
        ghost.put(ns, "two", "The concert of Margarethe Kowalczyk is in Ghent.")
    done = ghost.graph.relink("p:*", dry_run=True)
    assert (done.memories, done.added) == (4, 2)
    assert ghost.graph.relink("*").added == 3
