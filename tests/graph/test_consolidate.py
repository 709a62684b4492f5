"""consolidate: a summary and its edges in one transaction, and nothing lost by it."""

from collections.abc import Callable
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError, LockedError, NotFoundError, Outcome

Linked = Callable[..., list[tuple[str, str, str]]]
Open = Callable[..., Ghost]


@pytest.fixture
def three(ghost: Ghost) -> Ghost:
    """Store three memories."""
    ghost.put("a", "x", "Sam drinks green tea.")
    ghost.put("a", "y", "Sam drinks tea at four.")
    ghost.put("a", "z", "Sam never drinks coffee.")
    return ghost


@pytest.mark.requirement("002-127")
def test_a_summary_stands_for_its_sources(three: Ghost) -> None:
    """The summary is semantic, of importance 0.7, and has a `contains` edge of weight 0.6 to each source."""
    done = three.consolidate("a", "tea", "Sam drinks green tea at four.", ["x", "y"])
    assert (done.summary.key, done.summary.kind, done.summary.importance, done.summary.version) == (
        "tea",
        "semantic",
        0.7,
        1,
    )
    assert (done.summary.tier, done.summary.outcome, done.summary.chunks) == (
        "stm",
        Outcome.CREATED,
        1,
    )
    assert [(e.from_key, e.rel.value, e.to_key, e.weight) for e in done.edges] == [
        ("tea", "contains", "x", 0.6),
        ("tea", "contains", "y", 0.6),
    ]
    assert three.edges("a") == list(done.edges)


def test_what_is_said_of_a_summary_is_kept(three: Ghost) -> None:
    """Kind, importance and tags can be named."""
    done = three.consolidate(
        "a", "tea", "Tea.", ["x", "y"], kind="procedural", importance=0.2, tags=["habit"]
    )
    found = three.get("a", "tea")
    assert (
        (found.kind, found.importance, found.tags)
        == ("procedural", 0.2, ("habit",))
        == (
            done.summary.kind,
            done.summary.importance,
            done.summary.tags,
        )
    )


@pytest.mark.requirement("002-129")
def test_nothing_is_lost_by_a_summary(three: Ghost) -> None:
    """The sources stay as they were, current, counted as before, and are found."""
    before = {memory.key: memory for memory in three.list("a")}
    three.consolidate("a", "tea", "Sam drinks green tea at four.", ["x", "y"])
    after = {memory.key: memory for memory in three.list("a")}
    assert {key: after[key] for key in before} == before
    assert {"x", "y", "tea"} <= {hit.key for hit in three.search("What does Sam drink? tea", "a")}


@pytest.mark.parametrize("keys", [[], ["x"], ["x", "x"]])
def test_fewer_than_two_sources_are_refused(three: Ghost, keys: list[str]) -> None:
    """One memory needs no summary, also when it is named twice."""
    with pytest.raises(InvalidInputError, match=f"at least 2 source keys, got {len(set(keys))}"):
        three.consolidate("a", "tea", "Tea.", keys)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"summary_key": "x"}, "x is both the summary and one of its sources"),
        ({"source_keys": "xy"}, "must be a list"),
        ({"summary_key": " "}, "key"),
        ({"content": " "}, "content is required"),
        ({"content": 3}, "content"),
        ({"kind": "odd"}, "kind"),
        ({"importance": 2}, "importance"),
        ({"ns": ""}, "namespace"),
        ({"ns": "a b"}, "namespace"),
        ({"source_keys": ["x", ""]}, "key"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    three: Ghost, given: dict[str, Any], word: str
) -> None:
    """Bad input names what is wrong and changes nothing."""
    before = list(three.export())
    call = {"ns": "a", "summary_key": "tea", "content": "Tea.", "source_keys": ["x", "y"]} | given
    with pytest.raises(InvalidInputError, match=word):
        three.consolidate(**call)
    assert list(three.export()) == before


def test_an_unknown_source_leaves_no_summary(three: Ghost, clock: Any) -> None:
    """Missing, removed and expired sources, and those of another namespace, are named in the error."""
    three.put("b", "elsewhere", "Of another.")
    three.put("a", "short", "Soon gone.", ttl="1h")
    three.rm("a", "z")
    clock.forward(hours=2)
    before = list(three.export())
    for key in ("nope", "elsewhere", "z", "short"):
        with pytest.raises(NotFoundError, match=f"source memory not found: a/{key}"):
            three.consolidate("a", "tea", "Tea.", ["x", key])
    assert list(three.export()) == before


@pytest.mark.requirement("002-127")
def test_a_failure_at_the_second_edge_leaves_neither(
    three: Ghost, graph_of: Callable[[Ghost], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Summary and edges are one transaction."""
    before = list(three.export())
    kind, calls = graph_of(three), []
    add = kind.add_edge

    def fail(self: Any, edge: Any) -> bool:
        calls.append(edge)
        if len(calls) == 2:
            raise RuntimeError("killed")
        return add(self, edge)

    monkeypatch.setattr(kind, "add_edge", fail)
    with pytest.raises(RuntimeError):
        three.consolidate("a", "tea", "Tea.", ["x", "y"])
    assert len(calls) == 2
    assert list(three.export()) == before


def test_a_source_that_goes_away_meanwhile_leaves_no_summary(
    open_ghost: Open, open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When another process removes a source while the summary is embedded, nothing is written."""
    other = open_ghost("m.db")
    for key in ("x", "y"):
        other.put("a", key, f"Text {key}.")

    def removing(texts: list[str]) -> list[list[float]]:
        if other.list("a", key_prefix="y"):
            other.rm("a", "y")
        return [[1.0, 0.0] for _ in texts]

    ghost = open_exact("m.db", embedder=removing)
    with pytest.raises(NotFoundError, match="source memory not found: a/y"):
        ghost.consolidate("a", "tea", "Tea.", ["x", "y"])
    assert [memory.key for memory in ghost.list("a")] == ["x"]
    assert ghost.edges("a") == []


def test_a_summary_that_exists_gets_a_new_version_and_keeps_its_sources(
    three: Ghost, linked: Linked
) -> None:
    """Consolidating again under the same key updates the text, keeps what it said of itself, and adds the new sources."""
    three.consolidate("a", "tea", "First.", ["x", "y"], importance=0.9, tags=["habit"])
    again = three.consolidate("a", "tea", "Second.", ["y", "z"])
    assert (again.summary.version, again.summary.importance, again.summary.tags) == (
        2,
        0.9,
        ("habit",),
    )
    assert linked(three) == [
        ("tea", "contains", "x"),
        ("tea", "contains", "y"),
        ("tea", "contains", "z"),
    ]
    assert [edge.to_key for edge in again.edges] == ["y", "z"]


def test_what_is_returned_is_what_is_stored(three: Ghost) -> None:
    """An edge that was there keeps its weight, and the answer says so."""
    three.consolidate("a", "tea", "First.", ["x", "y"])
    three.edge("a", "tea", "x", "contains", weight=0.95)
    again = three.consolidate("a", "tea", "Second.", ["x", "y"])
    stored = {edge.to_key: edge.weight for edge in three.edges("a")}
    assert {edge.to_key: edge.weight for edge in again.edges} == stored == {"x": 0.95, "y": 0.6}


def test_the_same_summary_again_is_no_new_version(three: Ghost, linked: Linked) -> None:
    """The same text with one more source only adds the edge."""
    three.consolidate("a", "tea", "Tea.", ["x", "y"])
    again = three.consolidate("a", "tea", "Tea.", ["x", "z"])
    assert (again.summary.version, again.summary.outcome) == (1, Outcome.REINFORCED)
    assert len(linked(three)) == 3


def test_a_removed_summary_is_made_anew(three: Ghost) -> None:
    """A key whose summary was removed starts from the defaults again."""
    three.consolidate("a", "tea", "Tea.", ["x", "y"], importance=0.1)
    three.rm("a", "tea")
    again = three.consolidate("a", "tea", "Tea again.", ["x", "y"])
    assert (again.summary.version, again.summary.importance, len(three.edges("a"))) == (2, 0.7, 2)


def test_a_locked_summary_is_not_overwritten(three: Ghost) -> None:
    """The tag `locked` guards a summary like any memory."""
    three.consolidate("a", "tea", "Tea.", ["x", "y"], tags=["locked"])
    before = list(three.export())
    with pytest.raises(LockedError):
        three.consolidate("a", "tea", "Other.", ["x", "z"])
    assert list(three.export()) == before


def test_summaries_may_have_summaries_but_not_in_a_circle(three: Ghost, linked: Linked) -> None:
    """A summary of summaries is fine; one that would contain itself, however far below, is refused whole."""
    three.consolidate("a", "low", "Low.", ["x", "y"])
    three.consolidate("a", "high", "High.", ["low", "z"])
    before = list(three.export())
    for key, sources in [("low", ["high", "z"]), ("x", ["high", "y"])]:
        with pytest.raises(InvalidInputError, match=f"high already contains {key}"):
            three.consolidate("a", key, "Round.", sources)
    assert list(three.export()) == before


def test_a_summary_is_linked_to_what_is_like_it(open_exact: Open, linked: Linked) -> None:
    """A summary is a put like any other: it has vectors, and edges to its neighbours."""
    ghost = open_exact()
    for key, place in {"x": "[1, 0]", "y": "[0, 1]", "near": "[0, 0, 1]"}.items():
        ghost.put("a", key, f"{key} {place}")
    ghost.consolidate("a", "sum", "sum [0, 0, 1]", ["x", "y"])
    assert ghost.admin.embed_status().pending == 0
    assert linked(ghost) == [
        ("sum", "contains", "x"),
        ("sum", "contains", "y"),
        ("sum", "relates_to", "near"),
    ]


def test_a_source_that_is_updated_stays_below_its_summary(three: Ghost, linked: Linked) -> None:
    """New versions of source and summary keep the edge between them."""
    three.consolidate("a", "tea", "Tea.", ["x", "y"])
    three.put("a", "x", "Sam drinks black tea.")
    three.put("a", "tea", "Teas.")
    assert linked(three) == [("tea", "contains", "x"), ("tea", "contains", "y")]
