"""Spreading activation: damping, caps, floors, directions, and what every relation does with the specification's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

FOLLOWED = "relates_to contradicts depends_on refines caused_by prevents implies".split()
BOOSTERS = ["relates_to", "depends_on", "refines", "caused_by", "prevents", "implies"]


@pytest.mark.requirement("002-093", "002-094")
def test_the_specifications_parameters_are_the_defaults() -> None:
    """The shipped settings are those of the specification's table."""
    found = Settings()
    assert found.edge_expansion is True
    assert (found.edge_damping, found.edge_max_per_seed, found.edge_min_weight) == (0.3, 5, 0.1)
    assert (found.edge_max_expansion, found.edge_max_boost, found.max_memory_tokens) == (
        50,
        0.5,
        400,
    )


@pytest.mark.requirement("002-087")
@pytest.mark.parametrize("rel", BOOSTERS)
@pytest.mark.parametrize("forward", [True, False], ids=["out", "back"])
def test_a_neighbour_scores_seed_times_weight_times_damping(
    book: Book, rel: str, forward: bool
) -> None:
    """A memory over one edge scores seed × weight × 0.3, whichever way the edge points."""
    book.answer()
    book.put("far")
    book.edge(*(("answer", "far") if forward else ("far", "answer")), rel, 0.6)
    pack = book.pack()
    assert sorted(pack.keys) == ["answer", "far"]
    found = {one.key: one for one in pack.memories}
    assert found["far"].score == pytest.approx(found["answer"].score * 0.6 * 0.3, abs=2e-4)


def test_the_way_is_told_in_the_edges_own_direction(book: Book) -> None:
    """A path names both keys, the relation and the weight as the edge points, also when it was walked backwards."""
    book.answer()
    book.put("far")
    book.edge("far", "answer", "refines", 0.6)
    (hop,) = book.one("far").why.path
    assert (hop.from_key, hop.rel, hop.to_key, hop.weight) == ("far", "refines", "answer", 0.6)


@pytest.mark.requirement("002-038")
def test_merged_into_is_never_followed(book: Book) -> None:
    """The audit trail of a merge leads nowhere, whatever its weight."""
    book.answer()
    book.put("merged")
    book.edge("merged", "answer", "merged_into", 1.0)
    assert book.read() == ["answer"]


@pytest.mark.requirement("002-038")
@pytest.mark.parametrize("forward", [True, False], ids=["out", "back"])
def test_merged_into_neither_brings_nor_raises_nor_learns(specified: Book, forward: bool) -> None:
    """Whichever way it points, however heavy, it brings no memory, adds nothing to a hit, and is not strengthened."""
    specified.answer()
    specified.answer("other", "The harbour ferry departs daily.")
    specified.put("merged")
    for key in ("merged", "other"):
        specified.edge(*(("answer", key) if forward else (key, "answer")), "merged_into", 0.9)
    pack = specified.pack()
    assert sorted(pack.keys) == ["answer", "other"]
    assert not any("edges" in one.why.parts for one in pack.memories)
    assert {(edge.weight, edge.access_count) for edge in specified.ghost.edges("agent:me")} == {
        (0.9, 0)
    }


@pytest.mark.requirement("002-087", "002-094")
@pytest.mark.parametrize("damping", [0.0, 0.1, 1.0])
def test_damping_is_a_setting(open_book: Callable[..., Book], damping: float) -> None:
    """GHOST_EDGE_DAMPING replaces 0.3."""
    book = open_book(edge_damping=damping)
    book.answer()
    book.put("far")
    book.edge("answer", "far", "refines", 0.5)
    pack = book.pack()
    found = {one.key: one.score for one in pack.memories}
    assert found["far"] == pytest.approx(found["answer"] * 0.5 * damping, abs=2e-4)


@pytest.mark.requirement("002-096")
@pytest.mark.parametrize(
    ("weight", "expected"), [(0.0, False), (0.09, False), (0.1, True), (1.0, True)]
)
def test_light_edges_are_not_followed(book: Book, weight: float, expected: bool) -> None:
    """An edge lighter than 0.1 leads nowhere."""
    book.answer()
    book.put("far")
    book.edge("answer", "far", "relates_to", weight)
    assert ("far" in book.read()) is expected


@pytest.mark.requirement("002-096")
@pytest.mark.parametrize(
    ("least", "expected"),
    [(0.0, ["far0", "far1", "far2"]), (0.3, ["far1", "far2"]), (0.6, ["far2"])],
)
def test_the_least_weight_is_a_setting(
    open_book: Callable[..., Book], least: float, expected: list[str]
) -> None:
    """GHOST_EDGE_MIN_WEIGHT replaces 0.1: edges lighter than it lead nowhere, heavier ones do."""
    book = open_book(edge_min_weight=least)
    book.answer()
    for n, weight in enumerate((0.05, 0.3, 0.6)):
        book.put(f"far{n}")
        book.edge("answer", f"far{n}", "relates_to", weight)
    assert sorted(book.read()) == ["answer", *expected]


@pytest.mark.requirement("002-095")
def test_at_most_five_edges_of_a_seed_are_followed(book: Book) -> None:
    """The five heaviest edges of a memory are followed, and no more."""
    book.answer()
    for n in range(8):
        book.put(f"far{n}")
        book.edge("answer", f"far{n}", "relates_to", 0.9 - n / 10)
    assert sorted(book.read()) == ["answer", "far0", "far1", "far2", "far3", "far4"]


@pytest.mark.requirement("002-086")
def test_the_strongest_edges_of_every_hit_are_followed_by_weight(specified: Book) -> None:
    """Of each of three hits the five heaviest edges, of whatever relation and age, bring candidates that rank by weight."""
    rels = ["relates_to", "refines", "caused_by", "implies"]
    for n in range(3):
        specified.answer(f"answer{n}", f"The harbour ferry departs from pier {n}.")
        for m in range(8):
            specified.put(f"far{n}-{m}")
            specified.edge(f"answer{n}", f"far{n}-{m}", rels[m % 4], 0.2 + m / 10)
    pack = specified.pack()
    for n in range(3):
        assert [key for key in pack.keys if key.startswith(f"far{n}")] == [
            f"far{n}-{m}" for m in (7, 6, 5, 4, 3)
        ]
    assert pack.stages["edge"].candidates == 15


@pytest.mark.requirement("002-089", "002-095")
def test_edges_per_seed_is_a_setting(open_book: Callable[..., Book]) -> None:
    """GHOST_EDGE_MAX_PER_SEED replaces five; conflicts come beside them."""
    book = open_book(edge_max_per_seed=1)
    book.answer()
    for n in range(3):
        book.put(f"far{n}")
        book.edge("answer", f"far{n}", "relates_to", 0.9 - n / 10)
        book.put(f"against{n}")
        book.edge("answer", f"against{n}", "contradicts", 0.2)
    assert set(book.read()) == {"answer", "far0", "against0", "against1", "against2"}


@pytest.mark.requirement("002-097")
def test_at_most_so_many_memories_come_over_edges(open_book: Callable[..., Book]) -> None:
    """GHOST_EDGE_MAX_EXPANSION caps what edges may add."""
    book = open_book(edge_max_expansion=3)
    for n in range(3):
        book.answer(f"answer{n}", f"The harbour ferry departs from pier {n}.")
        for m in range(3):
            book.put(f"far{n}{m}")
            book.edge(f"answer{n}", f"far{n}{m}", "relates_to", 0.5)
    assert len([key for key in book.read() if key.startswith("far")]) == 3


@pytest.mark.requirement("002-097")
def test_fifty_memories_come_over_edges_by_default(book: Book) -> None:
    """In the shipped configuration edges add at most fifty memories."""
    for n in range(12):
        book.answer(f"answer{n}", f"The harbour ferry departs from pier {n}.")
        for m in range(5):
            book.put(f"far{n}-{m}")
            book.edge(f"answer{n}", f"far{n}-{m}", "relates_to", 0.5)
    pack = book.pack(budget=100_000)
    assert pack.stages["edge"].candidates == 50


@pytest.mark.requirement("002-089")
def test_a_correction_comes_even_when_the_cap_is_reached(open_book: Callable[..., Book]) -> None:
    """What contradicts a candidate bypasses the cap on expansion."""
    book = open_book(edge_max_expansion=0)
    book.answer()
    book.put("newer")
    book.edge("newer", "answer", "contradicts")
    book.put("far")
    book.edge("answer", "far", "relates_to")
    assert book.read() == ["newer", "answer"]


def test_a_summary_of_many_children_does_not_use_up_the_expansion(book: Book) -> None:
    """The children of a summary, which it stands for, leave room for what other edges lead to."""
    book.answer("summary")
    for n in range(60):
        book.put(f"child{n}")
        book.edge("summary", f"child{n}", "contains")
    book.put("needed")
    book.edge("summary", "needed", "refines")
    assert "needed" in book.read(budget=200)


@pytest.mark.requirement("002-093")
def test_expansion_can_be_switched_off(book: Book, open_book: Callable[..., Book]) -> None:
    """`expand=False` or the setting leaves edges alone, and the argument wins over the setting."""
    off = open_book(edge_expansion=False)
    for one in (book, off):
        one.answer()
        one.put("far")
        one.edge("answer", "far", "relates_to")
    assert book.read(expand=False) == ["answer"]
    assert off.read() == ["answer"]
    assert sorted(off.read(expand=True)) == ["answer", "far"]


@pytest.mark.requirement("002-088")
def test_a_hit_is_boosted_by_its_neighbours(specified: Book) -> None:
    """A memory that was found and is also a neighbour gains what the edge passes on."""
    specified.answer("one", importance=0.5)
    specified.answer("two", "The harbour ferry departs daily.", importance=0.5)
    specified.edge("one", "two", "relates_to", 0.5)
    found = {one.key: one for one in specified.pack().memories}
    direct = {key: one.score - one.why.parts["edges"] for key, one in found.items()}
    assert found["two"].why.parts["edges"] == pytest.approx(direct["one"] * 0.5 * 0.3, abs=2e-4)
    assert found["one"].why.parts["edges"] == pytest.approx(direct["two"] * 0.5 * 0.3, abs=2e-4)


@pytest.mark.requirement("002-088", "002-098")
def test_a_boost_is_at_most_half_of_the_direct_score(open_book: Callable[..., Book]) -> None:
    """However many neighbours, edges add no more than 0.5 × the score of the hit itself."""
    book = open_book(edge_damping=1.0, context_score="specified")
    for n in range(6):
        book.answer(f"answer{n}", f"The harbour ferry departs from pier {n}.")
    for n in range(5):
        book.edge("answer5", f"answer{n}", "relates_to", 1.0)
    found = book.one("answer5")
    direct = sum(found.why.parts[name] for name in ("relevance", "recency", "importance", "access"))
    assert found.score == pytest.approx(1.5 * direct, abs=1e-3)


@pytest.mark.requirement("002-098")
def test_the_boost_cap_is_a_setting(open_book: Callable[..., Book]) -> None:
    """GHOST_EDGE_MAX_BOOST of nothing leaves hits as they are."""
    book = open_book(edge_max_boost=0.0, context_score="specified")
    book.answer("one")
    book.answer("two", "The harbour ferry departs daily.")
    book.edge("one", "two", "relates_to", 1.0)
    assert "edges" not in book.one("two").why.parts


@pytest.mark.requirement("002-089")
@pytest.mark.parametrize("forward", [True, False], ids=["out", "back"])
@pytest.mark.parametrize("weight", [0.0, 0.05, 0.9, 1.0])
@pytest.mark.parametrize("newer", [True, False], ids=["newer", "older"])
def test_what_contradicts_scores_at_least_four_fifths(
    book: Book, forward: bool, weight: float, newer: bool
) -> None:
    """A contradiction surfaces with 80 % of the seed's score, whichever way the edge points, whatever it weighs."""
    book.put("against") if not newer else None
    book.answer()
    book.put("against") if newer else None
    book.edge(*(("answer", "against") if forward else ("against", "answer")), "contradicts", weight)
    pack = book.pack()
    found = {one.key: one.score for one in pack.memories}
    assert found["against"] >= 0.8 * found["answer"] - 1e-3
    assert pack.keys == (["against", "answer"] if newer else ["answer", "against"])


def test_a_contradiction_keeps_four_fifths_of_a_boosted_seed(specified: Book) -> None:
    """When edges raise a seed, what contradicts it still scores 80 % of what the seed shows."""
    specified.answer("one")
    specified.answer("two", "The harbour ferry departs from pier nine daily.")
    specified.put("against")
    specified.edge("one", "two", "relates_to", 1.0)
    specified.edge("against", "one", "contradicts")
    found = {one.key: one.score for one in specified.pack().memories}
    assert found["against"] >= 0.8 * found["one"] - 1e-3


@pytest.mark.requirement("002-089")
def test_a_weak_hit_that_contradicts_a_strong_one_is_raised(book: Book) -> None:
    """A contradiction that was found itself is raised to 80 % of the seed, and keeps its receipt of the search."""
    book.answer(importance=1.0)
    book.put("against", "A ferry zq wx.", importance=0.01, tier="stm")
    book.edge("answer", "against", "contradicts")
    found = {one.key: one for one in book.pack().memories}
    assert found["against"].score >= 0.8 * found["answer"].score - 1e-3
    assert found["against"].why.parts["conflict"] > 0
    assert found["against"].why.legs


@pytest.mark.requirement("002-090")
def test_the_parent_of_a_match_is_pulled_in(open_book: Callable[..., Book]) -> None:
    """A summary comes with at least the score of its matching child, though the question shares no word with it."""
    book = open_book(containment="always")
    book.answer()
    book.put("sibling")
    book.put("summary")
    book.edge("summary", "answer", "contains", 0.2)
    book.edge("summary", "sibling", "contains", 0.2)
    pack = book.pack()
    assert pack.keys == ["summary"]
    assert pack.memories[0].why.stage == "parent"
    left = {one.key: one for one in pack.left_out}
    assert pack.memories[0].score >= left["answer"].score
    assert left["answer"].by == "summary"


@pytest.mark.parametrize("rel", FOLLOWED)
def test_edges_do_not_wake_the_dormant(book: Book, rel: str) -> None:
    """A dormant neighbour stays out, unless it corrects, or is what the seed depends on or must prevent."""
    book.answer()
    book.put("asleep", tier="dormant")
    book.edge("answer", "asleep", rel)
    assert ("asleep" in book.read()) is (rel in {"contradicts", "depends_on", "prevents"})
    assert "asleep" in book.read(include_all=True)


@pytest.mark.parametrize("rel", ["depends_on", "prevents"])
def test_who_depends_does_not_wake(book: Book, rel: str) -> None:
    """Against the edge's direction, a dormant memory stays asleep."""
    book.answer()
    book.put("asleep", tier="dormant")
    book.edge("asleep", "answer", rel)
    assert book.read() == ["answer"]


def test_an_old_dormant_contradiction_stays_asleep(book: Book) -> None:
    """What was corrected long ago and sleeps is not woken by its correction."""
    book.put("old", tier="dormant")
    book.answer()
    book.edge("answer", "old", "contradicts")
    assert book.read() == ["answer"]


@pytest.mark.parametrize("gone", ["removed", "expired", "hard"])
@pytest.mark.parametrize("rel", FOLLOWED)
def test_what_is_gone_does_not_come(book: Book, rel: str, gone: str) -> None:
    """A neighbour that was removed or has expired is not packed, and does not hold back the seed."""
    book.answer()
    book.put("far", **({"ttl": "1h"} if gone == "expired" else {}))
    book.edge("answer", "far", rel)
    if gone == "expired":
        book.clock.forward(hours=2)
    else:
        book.ghost.rm("agent:me", "far", hard=gone == "hard")
    assert book.read() == ["answer"]


def test_a_neighbour_must_pass_the_filters(book: Book) -> None:
    """A memory over an edge of likeness must carry the tag and be of the kind asked for."""
    book.answer(tags=["trip"])
    book.put("tagged", tags=["trip"])
    book.put("untagged")
    book.put("procedure", tags=["trip"], kind="procedural")
    for key in ("tagged", "untagged", "procedure"):
        book.edge("answer", key, "relates_to")
    assert sorted(book.read(tags=["trip"])) == ["answer", "procedure", "tagged"]
    assert sorted(book.read(tags=["trip"], kind="semantic")) == ["answer", "tagged"]


def test_a_pinned_neighbour_is_not_added_twice(book: Book) -> None:
    """A pinned memory that an edge leads to stands once, as pinned."""
    book.answer()
    book.put("rule", pinned=True)
    book.edge("answer", "rule", "depends_on")
    pack = book.pack()
    assert pack.keys == ["rule", "answer"]
    assert pack.memories[0].why.stage == "pinned"


def test_hops_are_a_setting(open_book: Callable[..., Book]) -> None:
    """One hop is the specification's; two are shipped."""
    assert Settings().edge_hops == 2
    for hops, expected in (
        (1, ["answer", "one"]),
        (2, ["answer", "one", "two"]),
        (3, ["answer", "one", "three", "two"]),
    ):
        book = open_book(edge_hops=hops)
        book.answer()
        for key in ("one", "two", "three"):
            book.put(key)
        book.edge("answer", "one", "refines")
        book.edge("one", "two", "refines")
        book.edge("two", "three", "refines")
        assert sorted(book.read()) == expected


def test_the_best_way_counts(book: Book) -> None:
    """A memory that two seeds lead to has the score of the better way, and tells that way."""
    book.answer("good", importance=1.0)
    book.answer("poor", "A ferry zq wx.", importance=0.1, tier="stm")
    book.put("far")
    book.edge("poor", "far", "refines", 0.9)
    book.edge("good", "far", "refines", 0.9)
    (hop,) = book.one("far").why.path
    assert hop.from_key == "good"


def test_parallel_edges_bring_one_memory(book: Book) -> None:
    """Several relations between the same two memories bring it once."""
    book.answer()
    book.put("far")
    for rel in FOLLOWED:
        book.edge("answer", "far", rel)
        book.edge("far", "answer", rel)
    assert sorted(book.read()) == ["answer", "far"]


def test_a_ring_of_edges_ends(book: Book) -> None:
    """Edges in a ring are walked without end nor doubles."""
    book.answer()
    ring = ["answer", "one", "two", "three"]
    for key in ring[1:]:
        book.put(key)
    for at, key in enumerate(ring):
        book.edge(key, ring[(at + 1) % 4], "relates_to")
        book.edge(key, ring[(at + 1) % 4], "contradicts")
    assert sorted(book.read()) == sorted(ring)


@pytest.mark.requirement("002-036", "002-131")
def test_edges_between_what_is_read_together_are_strengthened(book: Book) -> None:
    """A weight of .5 becomes .525, then .54875, and is counted and dated."""
    book.answer()
    book.put("far")
    book.edge("answer", "far", "relates_to")
    book.pack()
    (edge,) = book.ghost.edges("agent:me", "answer")
    assert (edge.weight, edge.access_count) == (pytest.approx(0.525), 1)
    assert edge.last_accessed_at is not None
    book.pack()
    (edge,) = book.ghost.edges("agent:me", "answer")
    assert (edge.weight, edge.access_count) == (pytest.approx(0.54875), 2)


@pytest.mark.requirement("002-036")
def test_an_edge_to_what_was_left_out_is_not_strengthened(book: Book) -> None:
    """Only what is read together wires together."""
    book.answer()
    book.put("far", "zq wx " * 200)
    book.edge("answer", "far", "relates_to")
    assert book.read(budget=35) == ["answer"]
    (edge,) = book.ghost.edges("agent:me", "answer")
    assert (edge.weight, edge.access_count) == (0.5, 0)


@pytest.mark.requirement("002-131")
def test_a_full_weight_stays_one(book: Book) -> None:
    """Strengthening approaches one and never passes it."""
    book.answer()
    book.put("far")
    book.edge("answer", "far", "relates_to", 1.0)
    book.pack()
    assert book.ghost.edges("agent:me", "answer")[0].weight == 1.0


@pytest.mark.requirement("002-094", "002-095", "002-096", "002-097", "002-098")
@pytest.mark.parametrize(
    "name",
    [
        "edge_damping",
        "edge_min_weight",
        "edge_max_per_seed",
        "edge_max_expansion",
        "edge_max_boost",
    ],
)
def test_every_parameter_has_a_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each parameter is read from its GHOST_EDGE_* variable."""
    from ghostmem.settings import load

    monkeypatch.setenv(f"GHOST_{name.upper()}", "1")
    found: Any = getattr(load(), name)
    assert found == 1


@pytest.mark.parametrize("rel", ["depends_on", "prevents", "refines", "caused_by", "implies"])
@pytest.mark.parametrize("reverse", [False, True])
def test_an_explicit_edge_brings_its_neighbour(book: Book, rel: str, reverse: bool) -> None:
    """A neighbour over a stated relation is packed although heavier similarity links compete."""
    book.answer()
    for n in range(6):
        book.put(f"near{n}")
        book.edge("answer", f"near{n}", "relates_to", 0.95)
    book.put("cause")
    book.edge(*(("cause", "answer") if reverse else ("answer", "cause")), rel)
    assert "cause" in book.read()


def test_an_explicit_edge_is_not_displaced_by_the_links_of_better_hits(book: Book) -> None:
    """Similarity links do not use up the number of memories that edges may add."""
    for n in range(12):
        book.answer(f"answer{n}", f"The harbour ferry departs from pier {n}.", importance=0.9)
        for m in range(5):
            book.put(f"near{n}-{m}")
            book.edge(f"answer{n}", f"near{n}-{m}", "relates_to", 0.9)
    book.answer("last", "The harbour ferry departs from pier nine.", importance=0.1)
    book.put("cause")
    book.edge("last", "cause", "caused_by")
    assert "cause" in book.read()


def test_explicit_edges_pass_the_floor_one_after_the_other(book: Book) -> None:
    """A weak hit linked to a packed memory is packed, and the memory that it implies as well."""
    book.answer()
    for key in ("weak", "other"):
        book.put(key, f"A ferry {key} zq wx with many words that no question about it has in it.")
    book.put("end")
    book.edge("weak", "end", "implies")
    assert "weak" not in book.read()
    book.edge("answer", "weak", "caused_by")
    found = book.read()
    assert {"answer", "weak", "end"} <= set(found)
    assert "other" not in found
