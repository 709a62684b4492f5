"""Which memories a search may return, in what order, and what it says of each."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.model import Hits

Open = Callable[..., Ghost]


@pytest.fixture(params=["none", "static"])
def store(request: pytest.FixtureRequest, open_ghost: Open) -> Ghost:
    """Open an empty store, once without vectors and once with."""
    return open_ghost(":memory:", embed_provider=request.param)


def keys(hits: Hits) -> list[str]:
    """Return the keys of hits in order."""
    return [hit.key for hit in hits]


def ranking(hits: Hits) -> str:
    """Return all that hits say but how often they were shown before, which each search adds to."""
    counted = {"access_count", "last_accessed_at"}
    rows = [
        {name: value for name, value in hit.to_dict().items() if name not in counted}
        for hit in hits
    ]
    assert all({"key", "score", "why"} <= row.keys() for row in rows)
    return json.dumps(rows, sort_keys=True)


@pytest.mark.requirement("002-063")
def test_a_namespace_is_a_wall(store: Ghost) -> None:
    """A search in one namespace finds nothing of another; a prefix finds those below it, `*` and nothing find all."""
    for ns in ("agent:a", "agent:b", "agents", "team:x"):
        store.put(ns, "k", f"The deployment of {ns} runs on Tuesdays.")
    assert [hit.ns for hit in store.search("deployment", "agent:a")] == ["agent:a"]
    assert sorted(hit.ns for hit in store.search("deployment", "agent:*")) == ["agent:a", "agent:b"]
    assert sorted(hit.ns for hit in store.search("deployment", "agent*")) == [
        "agent:a",
        "agent:b",
        "agents",
    ]
    for everything in (None, "", "*"):
        assert (
            sorted(hit.ns for hit in store.search("deployment", everything))
            == "agent:a agent:b agents team:x".split()
        )
    assert store.search("deployment", "agent:none") == []
    with pytest.raises(InvalidInputError):
        store.search("deployment", "ag*ent")


@pytest.mark.requirement("002-063")
def test_another_namespace_does_not_change_a_ranking(store: Ghost) -> None:
    """Order, scores and receipts in one namespace are the same before and after another is filled."""
    words = ["deploy", "server", "cache", "login", "invoice", "report", "billing", "queue"]
    for at in range(40):
        store.put(
            "a",
            f"k{at}",
            f"The {words[at % 8]} of the {words[at * 3 % 8]} needs the {words[at * 5 % 7]}.",
        )
    before = store.search("deploy the cache server", "a", explain=True, weak=True)
    for at in range(120):
        store.put(
            "b",
            f"k{at}",
            f"deploy deploy {words[at % 3]} number {at}",
            source_user="Cache",
            source_scope="deploy",
        )
    after = store.search("deploy the cache server", "a", explain=True, weak=True)
    assert len(before) == 20
    assert ranking(before) == ranking(after)


def filled(ghost: Ghost) -> None:
    """Store memories that differ by one field each."""
    put = ghost.put
    put("f", "plain", "The deployment runs on plain Tuesdays.")
    put("f", "semantic", "The deployment is a semantic matter.", kind="semantic")
    put("f", "procedural", "The deployment goes by procedure.", kind="procedural")
    put("f", "tagged", "The deployment has a tag.", tags=["red", "blue"])
    put("f", "red", "The deployment is only red.", tags=["red"])
    put("f", "high", "The deployment is important.", priority="high")
    put("f", "old", "The deployment of long ago.", created_at="2020-05-01T00:00:00Z")
    put("f", "ann", "The deployment by Ann.", source_user="Ann", source_kind="stated")
    put("f", "chat", "The deployment in the chat.", source_scope="chat:1")
    put(
        "f",
        "file",
        "The deployment of a file.",
        files=[("src/a.py", "modified"), ("src/b.py", "read")],
    )
    put("f", "ltm", "The deployment kept for long.", tier="ltm")
    put("f", "dormant", "The deployment asleep.", tier="dormant")
    put("f", "sensory", "The deployment just sensed.", tier="sensory")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "procedural"}, ["procedural"]),
        ({"tags": ["red"]}, ["red", "tagged"]),
        ({"tags": ["red", "blue"]}, ["tagged"]),
        ({"tags": ["green"]}, []),
        ({"priority": "high"}, ["high"]),
        ({"before": "2021-01-01"}, ["old"]),
        ({"after": "2020-05-01T00:00:00Z", "before": "2020-05-01T00:00:00Z"}, ["old"]),
        ({"before": "2019-01-01"}, []),
        ({"source_user": "Ann"}, ["ann"]),
        ({"source_kind": "stated"}, ["ann"]),
        ({"source_scope": "chat:1"}, ["chat"]),
        ({"file": "src/a.py"}, ["file"]),
        ({"file": "src/b.py", "file_rel": "read"}, ["file"]),
        ({"file": "src/b.py", "file_rel": "modified"}, []),
        ({"tiers": ["ltm"]}, ["ltm"]),
        ({"tiers": ["dormant", "sensory"]}, ["dormant", "sensory"]),
        ({"source_user": "Ann", "source_kind": "stated", "after": "2021-01-01"}, ["ann"]),
        ({"source_user": "Ann", "kind": "procedural"}, []),
        (
            {"tags": ["red"], "tiers": ["stm"], "priority": "normal", "kind": "semantic"},
            ["red", "tagged"],
        ),
    ],
    ids=str,
)
def test_every_filter_alone_and_together(
    store: Ghost, fields: dict[str, object], expected: list[str]
) -> None:
    """Each filter lets through exactly what it names, and filters add up."""
    filled(store)
    assert sorted(keys(store.search("deployment", "f", **fields))) == expected  # type: ignore[arg-type]


@pytest.mark.requirement("002-076", "002-077")
def test_the_sleeping_and_the_sensed_are_left_out_unless_asked_for(store: Ghost) -> None:
    """Dormant and sensory memories need `include_all` or their tier."""
    filled(store)
    awake = set(keys(store.search("deployment", "f", weak=True)))
    assert not awake & {"dormant", "sensory"}
    assert set(keys(store.search("deployment", "f", weak=True, include_all=True))) == awake | {
        "dormant",
        "sensory",
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "x"},
        {"tiers": ["x"]},
        {"priority": "x"},
        {"source_kind": "x"},
        {"file_rel": "x"},
        {"after": "nonsense"},
        {"before": "nonsense"},
        {"limit": 0},
        {"limit": -1},
        {"now": "nonsense"},
        {"tags": "red"},
    ],
    ids=str,
)
def test_a_filter_that_cannot_be_is_refused(store: Ghost, fields: dict[str, object]) -> None:
    """An unknown choice, a time that is none and a limit below one are invalid input."""
    filled(store)
    with pytest.raises(InvalidInputError):
        store.search("deployment", "f", **fields)  # type: ignore[arg-type]


@pytest.mark.wide(keep=1)
@pytest.mark.parametrize("field", ["tags", "source_user", "file", "priority", "tiers"])
def test_a_filter_finds_the_one_among_many(store: Ghost, field: str) -> None:
    """The only memory that passes a filter is found however many others match the words better."""
    given, asked = {
        "tags": ({"tags": ["rare"]}, {"tags": ["rare"]}),
        "source_user": ({"source_user": "Zoe"}, {"source_user": "Zoe"}),
        "file": ({"files": ["a.py"]}, {"file": "a.py"}),
        "priority": ({"priority": "critical"}, {"priority": "critical"}),
        "tiers": ({"tier": "dormant"}, {"tiers": ["dormant"]}),
    }[field]
    store.put(
        "f",
        "needle",
        "A note on how the deployment went, among other matters of the week.",
        **given,
    )  # type: ignore[arg-type]
    for at in range(300):
        store.put("f", f"k{at}", f"deployment deployment {at}")
    assert keys(store.search("deployment", "f", **asked)) == ["needle"]  # type: ignore[arg-type]


@pytest.mark.wide
def test_what_is_awake_is_found_among_many_that_sleep(store: Ghost) -> None:
    """Hundreds of dormant memories do not hide the one that is awake."""
    store.put("f", "needle", "A note on how the deployment went, among other matters of the week.")
    for at in range(300):
        store.put("f", f"k{at}", f"deployment deployment {at}", tier="dormant")
    assert keys(store.search("deployment", "f")) == ["needle"]


def test_the_removed_and_the_expired_are_never_found(open_ghost: Open, clock: object) -> None:
    """A removed memory, an old version and one whose time is over are gone from every search."""
    ghost = open_ghost(":memory:", embed_provider="static")
    ghost.put("g", "gone", "The deployment that was removed.")
    ghost.put("g", "short", "The deployment that expires.", ttl="1h")
    ghost.put("g", "changed", "The deployment, first wording zebra.")
    ghost.put("g", "changed", "The deployment, second wording.")
    ghost.put("g", "stays", "The deployment that stays.")
    assert "gone" in keys(ghost.search("deployment", "g"))
    ghost.rm("g", "gone")
    assert sorted(keys(ghost.search("deployment", "g"))) == ["changed", "short", "stays"]
    clock.forward(hours=2)  # type: ignore[attr-defined]
    for include_all in (False, True):
        found = ghost.search("deployment", "g", include_all=include_all, min_score=-9.0)
        assert sorted(keys(found)) == ["changed", "stays"]
    assert [
        hit.version for hit in ghost.search("deployment wording", "g") if hit.key == "changed"
    ] == [2]
    assert "zebra" not in " ".join(
        hit.content for hit in ghost.search("zebra", "g", min_score=-9.0)
    )
    assert "short" in keys(
        ghost.search("deployment", "g", now=ghost.store.clock() - timedelta(hours=3))
    )


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_limit_cuts_the_same_list(store: Ghost, limit: int) -> None:
    """A limit returns the beginning of the longer list."""
    filled(store)
    whole = keys(store.search("deployment", "f", limit=100))
    assert keys(store.search("deployment", "f", limit=limit)) == whole[:limit]


def test_ties_and_repetitions_are_settled(store: Ghost) -> None:
    """Equal memories stand newest first, and asking again gives the same bytes, but for the count of how often it was asked."""
    when = "2026-01-01T00:00:00Z"
    for at in (3, 1, 2):
        store.put("t", f"same-{at}", "The deployment is equal.", created_at=when)
    store.put("t", "newer", "The deployment is equal.", created_at="2026-02-01T00:00:00Z")
    first = store.search("deployment equal", "t", explain=True)
    assert [key for key in keys(first) if key != "newer"] == ["same-1", "same-2", "same-3"]
    for number in range(1, 6):
        again = store.search("deployment equal", "t", explain=True)
        assert ranking(again) == ranking(first)
        assert {hit.access_count for hit in again} == {number}


@pytest.mark.requirement("002-075")
def test_a_memory_of_many_chunks_is_found_once(store: Ghost) -> None:
    """The best chunk stands for its memory, with the lines it has in the content."""
    parts = [
        f"Paragraph {at} about the garden and its flowers, told at length. " * 5 for at in range(12)
    ]
    parts[7] = (
        "The deployment of the billing service happens on Tuesdays at noon, deployment after deployment."
    )
    parts[9] = "Another deployment is mentioned here, with much else around it besides. " + parts[9]
    store.put("m", "long", "\n\n".join(parts))
    store.put("m", "other", "The deployment of something else.")
    found = store.search("when is the deployment of the billing service?", "m", weak=True)
    assert sorted(keys(found)) == ["long", "other"]
    hit = next(hit for hit in found if hit.key == "long")
    assert "billing service happens on Tuesdays" in hit.match_chunk
    lines = hit.content.split("\n")[hit.start_line - 1 : hit.end_line]
    assert hit.match_chunk.strip() in "\n".join(lines)
    assert hit.match_chunk in hit.content


@pytest.mark.requirement("002-167")
def test_a_hit_is_its_memory_and_more(store: Ghost) -> None:
    """The memory's fields are attributes of the hit, and its data holds them beside score, chunk and similarity."""
    put = store.put(
        "h", "k", "The deployment runs.", tags=["x"], files=["a.py"], importance=0.7, meta={"n": 1}
    )
    hit = store.search("deployment runs", "h")[0]
    assert (hit.id, hit.ns, hit.key, hit.content, hit.tags, hit.importance) == (
        put.id,
        "h",
        "k",
        put.content,
        ("x",),
        0.7,
    )
    assert [file.path for file in hit.files] == ["a.py"]
    data = hit.to_dict()
    assert data["key"] == "k"
    assert data["match_chunk"] == "The deployment runs."
    assert isinstance(data["score"], float)
    assert "memory" not in data
    vectors = store.store.settings.embed_provider != "none"
    assert ("similarity" in data) is vectors
    assert "why" not in data
    assert json.loads(json.dumps(data)) == data
    with pytest.raises(AttributeError):
        _ = hit.no_such_field


@pytest.mark.requirement("002-068")
def test_explain_gives_receipts(store: Ghost) -> None:
    """Each hit's parts add up to its score, its legs have ranks, and the nearest misses and the legs that ran are named."""
    filled(store)
    found = store.search("when was the deployment by Ann?", "f", explain=True, weak=True, limit=2)
    assert len(found) == 2
    for hit in [*found, *found.misses]:
        assert hit.why is not None
        assert sum(hit.why.parts.values()) == pytest.approx(hit.score, abs=0.001)
        assert hit.why.legs
        assert set(hit.why.legs) <= set(found.legs)
        assert all(rank >= 1 for rank in hit.why.legs.values())
    assert len(found.misses) == 3
    assert not {hit.key for hit in found} & {hit.key for hit in found.misses}
    vectors = store.store.settings.embed_provider != "none"
    assert found.legs == (("substring", "text", "vector") if vectors else ("substring", "text"))
    plain = store.search("when was the deployment by Ann?", "f", weak=True, limit=2)
    assert keys(plain) == keys(found)
    assert [hit.why for hit in plain] == [None, None]
    assert plain.misses == []


def test_an_empty_namespace_and_an_empty_store_find_nothing(store: Ghost) -> None:
    """Nothing there is an empty list, not an error."""
    assert store.search("anything") == []
    store.put("a", "k", "x")
    store.rm("a", "k")
    assert store.search("x") == []
    assert store.search("x", "a", explain=True).misses == []


def test_a_correction_that_is_shown_is_not_missed(ghost: Ghost) -> None:
    """A memory that is shown because it corrects a hit is not listed as missed, too."""
    ghost.put("a", "office-old", "The office is in Berlin, near the station.")
    ghost.put("a", "office-new", "The office moved to Hamburg in May.")
    for number in range(6):
        ghost.put("a", f"lunch-{number}", f"Lunch number {number} is at noon in room {number}.")
    ghost.edge("a", "office-new", "office-old", "contradicts")
    question = "is the office near the station in Berlin"
    found = ghost.search(question, "a", explain=True, limit=3, min_score=0.5)
    shown = {hit.key for hit in (*found, *found.weaker)}
    assert "office-new" in shown
    assert not shown & {hit.key for hit in found.misses}


def test_rrf_receipts_add_up(open_ghost: Open) -> None:
    """Under GHOST_FUSION=rrf the parts add up to the score too, also when an episode gains by a time word."""
    ghost = open_ghost(":memory:", embed_provider="static", fusion="rrf")
    ghost.put("r", "k", "The deployment ran yesterday.", kind="episodic")
    plain = ghost.search("deployment", "r", explain=True)[0]
    assert plain.why is not None
    assert sum(plain.why.parts.values()) == pytest.approx(plain.score, abs=0.001)
    hit = ghost.search("deployment yesterday", "r", explain=True)[0]
    assert hit.why is not None
    assert sum(hit.why.parts.values()) == pytest.approx(hit.score, abs=0.001)
