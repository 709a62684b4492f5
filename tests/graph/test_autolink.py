"""Linking on put: whom a memory is linked to, how strongly, at which moment, and what may come in between."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.graph import autolink as module
from ghostmem.settings import Settings

Linked = Callable[..., list[tuple[str, str, str]]]
Open = Callable[..., Ghost]
HERE = "[1, 0]"
NEAR = "[0.9, 0.43588989]"
EDGE = "[0.8, 0.6]"  # of the default threshold
FAR = "[0.79, 0.61310684]"


def at(place: str, about: str) -> str:
    """Return a text that lies at a place."""
    return f"Note {about} lies at {place}."


def weights(ghost: Ghost, ns: str = "a") -> dict[tuple[str, str], float]:
    """Return the weights of the edges of a namespace by their keys."""
    return {(str(edge.from_key), str(edge.to_key)): edge.weight for edge in ghost.edges(ns)}


@pytest.mark.requirement("002-041", "002-132")
def test_a_put_links_to_what_lies_near(open_exact: Open) -> None:
    """From the new memory to each older one of cosine 0.80 and more goes an edge whose weight is the cosine."""
    ghost = open_exact()
    for key, place in {
        "here": HERE,
        "near": NEAR,
        "edge": EDGE,
        "far": FAR,
        "across": "[0, 1]",
    }.items():
        ghost.put("a", key, at(place, key))
    ghost.put("a", "new", at(HERE, "new"))
    found = {other: weight for (key, other), weight in weights(ghost).items() if key == "new"}
    assert found == {
        "here": 1.0,
        "near": pytest.approx(0.9, abs=2e-3),
        "edge": pytest.approx(0.8, abs=2e-3),
    }
    assert {edge.rel.value for edge in ghost.edges("a")} == {"relates_to"}


def test_an_index_that_finds_nothing_makes_no_links(
    open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An approximate index may pass over all vectors of a small namespace."""
    ghost = open_exact()
    for number in range(module.MIN_NEAREST + 1):
        ghost.put("a", f"k{number}", at("[0, 1]", str(number)))
    before = weights(ghost)
    monkeypatch.setattr("ghostmem.store.nearest.VectorView.nearest", lambda *_: [])
    assert ghost.put("a", "new", at("[0, 1]", "new")).version == 1
    assert weights(ghost) == before


@pytest.mark.requirement("002-042")
@pytest.mark.parametrize(
    ("threshold", "found"),
    [(0.95, ["here"]), (0.85, ["here", "near"]), (0.7, ["far", "here", "near"])],
)
def test_the_threshold_is_a_setting(open_exact: Open, threshold: float, found: list[str]) -> None:
    """GHOST_EDGE_THRESHOLD moves the cosine from which memories are linked."""
    ghost = open_exact(edge_threshold=threshold)
    for key, place in {"here": HERE, "near": NEAR, "far": FAR}.items():
        ghost.put("a", key, at(place, key))
    ghost.put("a", "new", at(HERE, "new"))
    assert sorted(other for key, other in weights(ghost) if key == "new") == found


@pytest.mark.requirement("002-043")
@pytest.mark.parametrize("how", ["put", "backfill", "relink"])
def test_no_way_of_linking_by_itself_crosses_a_namespace(
    open_exact: Open, open_ghost: Open, how: str
) -> None:
    """Of alike memories in three namespaces only those of one are joined, as the table of edges itself shows."""
    ghost = open_ghost("m.db") if how != "put" else open_exact("m.db")
    for number, ns in enumerate(("a", "b", "a:b", "a", "b")):
        ghost.put(ns, f"k{number}", at(HERE, "the turbine gearbox of Marguerite Oyelaran"))
    ghost = open_exact("m.db")
    if how == "backfill":
        ghost.admin.embed_backfill()
    for ns in ("a", "b", "a:b") if how == "relink" else ():
        ghost.graph.relink(ns)
    with ghost.store.engine.read() as tx:
        joined = [tx.memories.by_ids([edge.from_id, edge.to_id]) for edge in tx.graph.edges()]
    assert sorted(sorted((end.ns, end.key) for end in ends.values()) for ends in joined) == [
        [("a", "k0"), ("a", "k3")],
        [("b", "k1"), ("b", "k4")],
    ]


@pytest.mark.requirement("002-041")
@pytest.mark.wide
def test_the_whole_namespace_is_compared(open_exact: Open, linked: Linked) -> None:
    """The oldest of 300 memories is found as well as the newest."""
    ghost = open_exact()
    ghost.put("a", "oldest", at(HERE, "oldest"))
    for number in range(300):
        ghost.put(
            "a",
            f"k{number}",
            at(f"[0, 0, {number % 17 + 1}, {number % 13}, {number % 7}]", str(number)),
            tier="ltm",
        )
    ghost.put("a", "new", at(HERE, "new"))
    assert [edge for edge in linked(ghost) if "new" in edge] == [("new", "relates_to", "oldest")]


def test_sixty_alike_get_five_links_each(open_exact: Open) -> None:
    """Among many equals a put links to the five newest, and to no more."""
    ghost = open_exact()
    for number in range(60):
        ghost.put("a", f"k{number:02}", at(HERE, str(number)))
    found = weights(ghost)
    for number in range(60):
        mine = {other for key, other in found if key == f"k{number:02}"}
        assert mine == {f"k{older:02}" for older in range(max(0, number - 5), number)}


def test_the_most_alike_win(open_exact: Open) -> None:
    """Of more than five, those with the highest cosines are linked, whatever their age."""
    ghost = open_exact()
    for number, share in enumerate([0.99, 0.85, 0.97, 0.86, 0.98, 0.96, 0.87, 0.95]):
        ghost.put("a", f"k{number}", at(f"[{share}, {(1 - share**2) ** 0.5:.8f}]", str(number)))
    ghost.put("a", "new", at(HERE, "new"))
    found = {other: weight for (key, other), weight in weights(ghost).items() if key == "new"}
    assert sorted(found) == ["k0", "k2", "k4", "k5", "k7"]


def test_old_versions_do_not_crowd_out_what_lives(open_exact: Open) -> None:
    """Forty wordings of one key, long superseded, do not hide another memory that is alike."""
    ghost = open_exact()
    ghost.put("a", "near", at(NEAR, "near"))
    for number in range(40):
        ghost.put("a", "often", at(HERE, f"often {number}"))
    ghost.put("a", "new", at(HERE, "new"))
    assert {other for key, other in weights(ghost) if key == "new"} == {"near", "often"}


def test_removed_memories_do_not_crowd_out_what_lives(open_exact: Open) -> None:
    """Forty memories that were removed do not hide one that is alike."""
    ghost = open_exact()
    ghost.put("a", "near", at(NEAR, "near"))
    for number in range(40):
        ghost.put("a", f"k{number}", at(HERE, str(number)))
    ghost.put("a", "last", at("[0, 1]", "last"))
    for number in range(40):
        ghost.rm("a", f"k{number}")
    ghost.put("a", "new", at(HERE, "new"))
    assert {other for key, other in weights(ghost) if key == "new"} == {"near"}


def test_a_long_memory_does_not_crowd_out_others(open_exact: Open) -> None:
    """One memory of forty chunks that all lie near is one neighbour among others."""
    ghost = open_exact()
    ghost.put("a", "near", at(NEAR, "near"))
    ghost.put(
        "a", "long", "\n\n".join(at(HERE, f"{number}: {'word ' * 70}") for number in range(40))
    )
    assert ghost.store.engine.check() == []
    assert len(ghost.chunks("a", "long")) >= 30
    ghost.put("a", "new", at(HERE, "new"))
    assert {other for key, other in weights(ghost) if key == "new"} == {"near", "long"}


def test_the_nearest_chunk_speaks_for_a_memory(open_exact: Open) -> None:
    """Two long memories are as alike as their most alike chunks, and linked once."""
    ghost = open_exact()
    filler = "word " * 90
    ghost.put("a", "one", f"{at('[0, 1]', filler)}\n\n{at(HERE, filler)}")
    ghost.put("a", "two", f"{at('[0, 0, 1]', filler)}\n\n{at(NEAR, filler)}")
    assert weights(ghost) == {("two", "one"): pytest.approx(0.9, abs=2e-3)}


@pytest.mark.parametrize("state", ["sensory", "removed", "expired"])
def test_what_is_passing_or_gone_is_never_linked_to(
    open_exact: Open, clock: Any, state: str
) -> None:
    """Sensory, removed and expired memories get no edge from a new one."""
    ghost = open_exact()
    fields: dict[str, Any] = {"sensory": {"tier": "sensory"}, "expired": {"ttl": "1h"}}.get(
        state, {}
    )
    ghost.put("a", "old", at(HERE, "old"), **fields)
    if state == "removed":
        ghost.rm("a", "old")
    clock.forward(hours=2)
    new = ghost.put("a", "new", at(HERE, "new"))
    with ghost.store.engine.read() as tx:
        assert list(tx.graph.edges(new.id)) == []


def test_a_sensory_memory_links_to_nothing(open_exact: Open) -> None:
    """What was only sensed makes no edges of its own."""
    ghost = open_exact()
    ghost.put("a", "old", at(HERE, "old"))
    ghost.put("a", "new", at(HERE, "new"), tier="sensory")
    assert weights(ghost) == {}


def test_a_sensory_memory_is_not_linked_by_a_backfill(open_ghost: Open, open_exact: Open) -> None:
    """Nor does filling in vectors later link what was only sensed."""
    plain = open_ghost("m.db")
    plain.put("a", "old", at(HERE, "old"))
    plain.put("a", "sensed", at(HERE, "sensed"), tier="sensory")
    plain.put("a", "new", at(HERE, "new"))
    ghost = open_exact("m.db")
    ghost.admin.embed_backfill()
    assert set(weights(ghost)) == {("new", "old")}


def test_an_update_links_by_the_new_text_too(open_exact: Open) -> None:
    """A memory that moved keeps its edges and gains those of where it is now."""
    ghost = open_exact()
    ghost.put("a", "there", at("[0, 1]", "there"))
    ghost.put("a", "here", at(HERE, "here"))
    ghost.put("a", "moving", at("[0, 1]", "moving"))
    ghost.put("a", "moving", at(HERE, "moving"))
    assert set(weights(ghost)) == {("moving", "there"), ("moving", "here")}


def test_an_update_does_not_link_a_pair_twice(open_exact: Open, linked: Linked) -> None:
    """Two memories that are alike stay one pair, whichever of them gets a new version."""
    ghost = open_exact()
    ghost.put("a", "one", at(HERE, "one"))
    ghost.put("a", "two", at(HERE, "two"))
    ghost.put("a", "one", at(HERE, "one, reworded"))
    ghost.put("a", "two", at(HERE, "two, reworded"))
    assert linked(ghost) == [("two", "relates_to", "one")]


def test_a_reinforced_memory_gains_no_links(open_exact: Open) -> None:
    """Saying the same again is no put of something new."""
    ghost = open_exact()
    ghost.put("a", "one", at(HERE, "one"))
    ghost.put("a", "two", at(HERE, "two"))
    ghost.graph.rm_edge("a", "two", "one", "relates_to")
    ghost.put("a", "two", at(HERE, "two"))
    assert weights(ghost) == {}


def test_without_vectors_nothing_is_linked(open_ghost: Open) -> None:
    """With provider none a put makes no edges."""
    ghost = open_ghost(":memory:")
    for key in ("one", "two"):
        ghost.put("a", key, at(HERE, "same"))
    assert weights(ghost) == {}


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "text", None])
def test_vectors_that_are_none_link_nothing(open_exact: Open, wrong: Any) -> None:
    """A function that returns nonsense leaves the memory stored, without vectors and without edges."""

    def nonsense(texts: list[str]) -> Any:
        return [[wrong, 1.0] for _ in texts]

    ghost = open_exact(embedder=nonsense)
    for key in ("one", "two"):
        assert ghost.put("a", key, at(HERE, "same")).version == 1
    assert weights(ghost) == {}
    assert ghost.admin.embed_status().problem


def test_vectors_of_nought_are_like_nothing(open_exact: Open) -> None:
    """Two texts without direction have a cosine of nought, not of one."""
    ghost = open_exact()
    for key in ("one", "two"):
        ghost.put("a", key, at("[0, 0]", key))
    assert weights(ghost) == {}


@pytest.mark.parametrize(
    "content",
    [
        "'; DROP TABLE memory_edges; --",
        "Robert\x1b[31m said \u202egnp.exe\u202c to the deployment server of the company",
        "the deployment " * 3000,
        '{"type": "edge", "from_id": "x", "to_id": "y", "weight": 99}',
        "日本語の文章は単語の間に空白がありません。これは試験です。",
    ],
    ids=["sql", "control", "long", "json", "script"],
)
def test_hostile_content_is_linked_like_any_other(open_ghost: Open, content: str) -> None:
    """Whatever a text says, two of it make at most one edge of weight at most 1, and the store stays whole."""
    ghost = open_ghost("m.db", embed_provider="static")
    ghost.put("a", "one", content)
    ghost.put("a", "two", content + " ")
    assert set(weights(ghost)) <= {("two", "one")}
    assert all(0.9 <= weight <= 1 for weight in weights(ghost).values())
    assert ghost.admin.check().problems == ()


def test_the_static_model_links_paraphrases_only(open_ghost: Open, linked: Linked) -> None:
    """With the small model the threshold is 0.90: near-repetitions are linked, the same topic is not."""
    ghost = open_ghost(":memory:", embed_provider="static")
    ghost.put("a", "one", "The deployment of the billing service runs every Tuesday at noon.")
    ghost.put("a", "other", "The cat of the neighbours sleeps on our sofa.")
    ghost.put("a", "two", "Deployment of the billing service runs on every Tuesday at noon.")
    assert linked(ghost) == [("two", "relates_to", "one")]


@pytest.mark.requirement("002-042")
def test_minilm_links_by_meaning(open_ghost: Open) -> None:
    """With MiniLM the same fact in other words is linked from 0.80 on, with the cosine as weight."""
    ghost = open_ghost(":memory:", embed_provider="local")
    ghost.put("a", "one", "The deployment of the billing service happens every Tuesday at noon.")
    ghost.put("a", "other", "The cat of the neighbours sleeps on our sofa.")
    ghost.put("a", "two", "Every Tuesday at noon the billing service is deployed.")
    ((pair, weight),) = weights(ghost).items()
    assert pair == ("two", "one")
    assert 0.8 <= weight < 1


@pytest.mark.requirement("002-040")
def test_no_reason_is_found_by_likeness(open_exact: Open, open_ghost: Open, tmp_path: Path) -> None:
    """Put, update, ingest, backfill, relink and consolidate make no edge of reasoning, whatever the texts say; a caller does."""
    plain = open_ghost("m.db")
    for key in ("early", "earlier"):
        plain.put(
            "a",
            key,
            at(
                HERE,
                f"{key}: the outage was caused by the deploy, tests prevent it, which implies more tests",
            ),
        )
    ghost = open_exact("m.db")
    ghost.admin.embed_backfill()
    for key in ("one", "two", "two"):
        ghost.put(
            "a",
            key,
            at(
                HERE,
                f"{key}: the deploy caused the outage because nobody ran the tests that prevent it",
            ),
        )
    file = tmp_path / "notes.md"
    file.write_text(
        f"## Cause\n\n{at(HERE, 'caused by the deploy')}\n\n## Effect\n\n{at(HERE, 'implies an outage')}\n"
    )
    ghost.ingest(file, "a")
    for edge in ghost.edges("a")[:3]:
        ghost.graph.rm_edge("a", str(edge.from_key), str(edge.to_key), "relates_to")
    ghost.graph.relink("a")
    ghost.consolidate("a", "sum", at(HERE, "the deploy caused the outage"), ["one", "two"])
    found = [edge.rel.value for edge in ghost.edges("a")]
    assert set(found) == {"relates_to", "contains"}
    assert found.count("relates_to") > 5
    for rel in ("caused_by", "prevents", "implies"):
        ghost.edge("a", "one", "two", rel)
    assert {edge.rel.value for edge in ghost.edges("a", "one")} >= {
        "caused_by",
        "prevents",
        "implies",
    }


# --- in the put's transaction


def test_a_put_that_fails_while_linking_leaves_neither(
    open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory, vectors and edges are one transaction."""
    ghost = open_exact("m.db")
    ghost.put("a", "one", at(HERE, "one"))
    before = list(ghost.export())

    def fail(*_: object) -> int:
        raise RuntimeError("killed")

    monkeypatch.setattr(module, "link_alike", fail)
    with pytest.raises(RuntimeError):
        ghost.put("a", "two", at(HERE, "two"))
    assert list(ghost.export()) == before
    assert ghost.admin.check().problems == ()
    monkeypatch.undo()
    ghost.put("a", "two", at(HERE, "two"))
    assert set(weights(ghost)) == {("two", "one")}


KILLED = """
import os, signal, sys
from ghostmem import Ghost
from ghostmem.store.graph import EdgeTable
from ghostmem.settings import Settings
ghost = Ghost.open(sys.argv[1], settings=Settings(embed_provider="static"))
def killed(write):
    def kill(self, edges):
        write(self, edges)
        os.kill(os.getpid(), signal.SIGKILL)
    return kill
EdgeTable.add_edge = killed(EdgeTable.add_edge)
EdgeTable.add_edges = killed(EdgeTable.add_edges)
text = "The deployment of the billing service runs every Tuesday at noon."
if sys.argv[2] == "put":
    ghost.put("a", "new", text)
else:
    ghost.consolidate("a", "new", text, ["one", "two"])
"""


@pytest.mark.parametrize("verb", ["put", "consolidate"])
@pytest.mark.skipif(sys.platform == "win32", reason="kills are those of Unix")
@pytest.mark.may_skip
def test_a_process_killed_while_linking_leaves_neither(tmp_path: Path, verb: str) -> None:
    """Killed after edges were written and before the commit, neither memory nor edge is there."""
    path = str(tmp_path / "m.db")
    with Ghost.open(path, settings=Settings(embed_provider="static")) as ghost:
        ghost.put("a", "one", "The deployment of the billing service runs every Tuesday at noon!")
        ghost.put("a", "two", "Something else entirely: cats on sofas.")
        before = list(ghost.export())
    killed = subprocess.run([sys.executable, "-c", KILLED, path, verb], env=os.environ, check=False)
    assert killed.returncode == -signal.SIGKILL
    with Ghost.open(path, settings=Settings(embed_provider="static")) as ghost:
        assert list(ghost.export()) == before
        assert ghost.admin.check().problems == ()


# --- while others write


def test_what_another_wrote_after_the_look_is_linked(
    open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory written between looking for neighbours and writing is found all the same, over another connection."""
    one, two = open_exact("m.db"), open_exact("m.db")
    one.put("a", "first", at(HERE, "first"))
    look = module.find_near

    def interrupted(*args: Any) -> Any:
        found = look(*args)
        monkeypatch.undo()
        two.put("a", "between", at(HERE, "between"))
        return found

    monkeypatch.setattr(module, "find_near", interrupted)
    one.put("a", "new", at(HERE, "new"))
    assert set(weights(one)) == {("between", "first"), ("new", "first"), ("new", "between")}


def test_what_another_removed_after_the_look_is_not_linked(
    open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A neighbour that is removed or replaced meanwhile gets no edge; its next version does."""
    one, two = open_exact("m.db"), open_exact("m.db", busy_timeout=0.2)
    for key in ("gone", "changed", "moved"):
        two.put("a", key, at(HERE, key))
    for edge in two.edges("a"):
        two.graph.rm_edge("a", str(edge.from_key), str(edge.to_key), "relates_to")
    look = module.find_near

    def interrupted(*args: Any) -> Any:
        found = look(*args)
        monkeypatch.undo()
        two.rm("a", "gone", hard=True, all_versions=True)
        two.put("a", "changed", at(NEAR, "changed"))
        two.put("a", "moved", at("[0, 1]", "moved"))
        for edge in two.edges("a"):
            two.graph.rm_edge("a", str(edge.from_key), str(edge.to_key), "relates_to")
        return found

    monkeypatch.setattr(module, "find_near", interrupted)
    one.put("a", "new", at(HERE, "new"))
    assert weights(one) == {("new", "changed"): pytest.approx(0.9, abs=2e-3)}


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
def test_threads_that_put_at_once_are_both_linked(
    open_exact: Open, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Four threads that all looked before any wrote still find each other: each pair is linked once, later to earlier."""
    ghost = open_exact(name)
    look = module.find_near
    together = threading.Barrier(4, timeout=20)

    def waiting(*args: Any) -> Any:
        found = look(*args)
        if name != ":memory:":  # there one connection takes turns, and a reader holds it
            together.wait()
        return found

    monkeypatch.setattr(module, "find_near", waiting)
    errors: list[BaseException] = []

    def put(number: int) -> None:
        try:
            ghost.put("a", f"k{number}", at(HERE, str(number)))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    found = [frozenset(pair) for pair in weights(ghost)]
    assert len(found) == len(set(found)) == 6


def test_a_view_kept_in_memory_sees_what_others_put(open_exact: Open) -> None:
    """A process that has the vectors in memory links to what another put, changed or removed since."""
    one, two = open_exact("m.db"), open_exact("m.db")
    one.put("a", "gone", at(HERE, "gone"))
    one.put("a", "moved", at(HERE, "moved"))
    assert one.search("Note", "a", min_score=-9.0)
    two.put("a", "fresh", at("[0, 1]", "fresh"))
    two.put("a", "moved", at("[0, 1]", "moved"))
    two.rm("a", "gone")
    one.put("a", "up", at("[0, 1]", "up"))
    one.put("a", "here", at(HERE, "here"))
    found = set(weights(one))
    assert {("up", "fresh"), ("up", "moved")} <= found
    assert not any("here" in pair for pair in found)


def test_a_failed_put_leaves_nothing_in_the_view(
    open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was rolled back is no neighbour of what comes next."""
    ghost = open_exact("m.db")
    ghost.put("a", "one", at("[0, 1]", "one"))

    def fail(*_: object) -> int:
        raise RuntimeError("killed")

    monkeypatch.setattr(module, "link_alike", fail)
    with pytest.raises(RuntimeError):
        ghost.put("a", "ghostly", at(HERE, "ghostly"))
    monkeypatch.undo()
    ghost.put("a", "two", at("[0, 0, 1]", "two"))  # takes the number that was given back
    ghost.put("a", "three", at(HERE, "three"))
    ghost.put("a", "four", at("[0, 0, 1]", "four"))
    assert set(weights(ghost)) == {("four", "two")}


# --- vectors that come later


def waiting(ghost: Ghost) -> int:
    """Return how many memories wait for their links."""
    with ghost.store.engine.read() as tx:
        return len(tx.graph.unlinked(1000))


def test_a_backfill_links_as_puts_would_have(open_ghost: Open, open_exact: Open) -> None:
    """Memories stored without vectors and filled in later have the edges they would have had at once."""
    plain, direct = open_ghost("m.db"), open_exact("direct.db")
    for number in range(90):
        text = at(f"[{number % 3}, {number % 5}, {number % 2}, 1]", str(number))
        for ghost in (plain, direct):
            ghost.put("a" if number % 4 else "b", f"k{number}", text)
    late = open_exact("m.db")
    assert late.admin.embed_backfill() == 90
    for ns in ("a", "b"):
        assert weights(late, ns) == weights(direct, ns)
        assert weights(late, ns)
    assert waiting(late) == 0


def test_one_stored_without_vectors_is_linked_to_what_came_after(
    open_exact: Open, open_ghost: Open
) -> None:
    """A put during a provider's outage is linked by the next backfill to newer neighbours as well as to older ones."""
    ghost = open_exact("m.db")
    ghost.put("a", "older", at("[0.8, 0.6]", "older"))
    open_ghost("m.db").put("a", "outage", at(HERE, "outage"))
    ghost.put("a", "newer", at("[0.8, -0.6]", "newer"))
    assert weights(ghost) == {}
    ghost.admin.embed_backfill()
    assert {frozenset(pair) for pair in weights(ghost)} == {
        frozenset({"outage", "older"}),
        frozenset({"outage", "newer"}),
    }


def test_a_backfill_killed_before_linking_is_resumed(
    open_ghost: Open, open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped when all vectors are there and no links, the next backfill makes the links though no vector is missing."""
    plain = open_ghost("m.db")
    for key in ("one", "two"):
        plain.put("a", key, at(HERE, key))
    first = open_exact("m.db")

    def killed(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("ghostmem.memory.embedding.link_pending", killed)
    with pytest.raises(KeyboardInterrupt):
        first.admin.embed_backfill()
    monkeypatch.undo()
    assert (weights(first), waiting(first)) == ({}, 2)
    second = open_exact("m.db")
    assert second.admin.embed_backfill() == 0
    assert (set(weights(second)), waiting(second)) == ({("two", "one")}, 0)


def test_a_backfill_killed_while_linking_is_resumed(
    open_ghost: Open, open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped between two batches of links, the next run goes on where it was and ends where an undisturbed one does."""
    monkeypatch.setattr(module, "BATCH", 3)
    for name in ("killed.db", "whole.db"):
        plain = open_ghost(name)
        for number in range(10):
            plain.put("a", f"k{number}", at(HERE, str(number)))
    ghost, whole = open_exact("killed.db"), open_exact("whole.db")
    link = module.link_alike
    calls = 0

    def killed(*args: Any, **named: Any) -> int:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        return link(*args, **named)

    with monkeypatch.context() as patch:
        patch.setattr(module, "link_alike", killed)
        with pytest.raises(KeyboardInterrupt):
            ghost.admin.embed_backfill()
    assert waiting(ghost) == 7
    ghost.admin.embed_backfill()
    whole.admin.embed_backfill()
    assert (weights(ghost), waiting(ghost)) == (weights(whole), 0)


def test_what_waits_for_links_may_go_away(
    open_ghost: Open, open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory that is deleted or changed by another while its links are sought does not stop the backfill."""
    plain = open_ghost("m.db", freshness="off", busy_timeout=0.2)
    for key in ("one", "deleted", "changed", "two"):
        plain.put("a", key, at(HERE, key))
    ghost = open_exact("m.db")
    seek = module._near_late

    def interrupted(*args: Any) -> Any:
        found = seek(*args)
        monkeypatch.undo()
        plain.rm("a", "deleted", hard=True, all_versions=True)
        plain.put("a", "changed", at("[0, 1]", "changed"))
        return found

    monkeypatch.setattr(module, "_near_late", interrupted)
    ghost.admin.embed_backfill()
    assert ("two", "one") in weights(ghost)
    assert not any("changed" in pair for pair in weights(ghost))
    assert ghost.admin.check().problems == ()


def test_what_was_removed_while_waiting_is_not_linked(
    open_ghost: Open, open_exact: Open, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removed and expired memories that still wait get no links, and wait no more."""
    plain = open_ghost("m.db")
    plain.put("a", "one", at(HERE, "one"))
    plain.put("a", "removed", at(HERE, "removed"))
    plain.put("a", "expired", at(HERE, "expired"), ttl="1h")
    ghost = open_exact("m.db")
    monkeypatch.setattr("ghostmem.memory.embedding.link_pending", lambda *_, **__: 0)
    ghost.admin.embed_backfill()
    monkeypatch.undo()
    plain.rm("a", "removed")
    clock.forward(hours=2)
    ghost.admin.embed_backfill()
    with ghost.store.engine.read() as tx:
        assert list(tx.graph.edges()) == []
    assert waiting(ghost) == 0


def test_a_backfill_with_another_model_brings_no_removed_edge_back(open_exact: Open) -> None:
    """Only memories that get their first vectors are linked: what somebody took apart stays apart."""

    def again(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    ghost = open_exact("m.db")
    ghost.put("a", "one", at(HERE, "one"))
    ghost.put("a", "two", at(HERE, "two"))
    ghost.graph.rm_edge("a", "two", "one", "relates_to")
    other = open_exact("m.db", embedder=again)
    assert other.admin.embed_backfill() == 2
    assert weights(other) == {}


def test_a_repair_brings_no_removed_edge_back(open_exact: Open) -> None:
    """Rebuilding the indexes makes no edges that were not there."""
    ghost = open_exact("m.db")
    ghost.put("a", "one", at(HERE, "one"))
    ghost.put("a", "two", at(HERE, "two"))
    ghost.graph.rm_edge("a", "two", "one", "relates_to")
    assert ghost.admin.repair().ok
    assert weights(ghost) == {}


@pytest.mark.parametrize("verb", ["restore", "import", "switch"])
def test_what_waits_for_vectors_keeps_its_claim_to_links(
    open_ghost: Open, open_exact: Open, verb: str
) -> None:
    """Memories stored without vectors are linked when they get them, whichever command happens to give them theirs."""
    plain = open_ghost("m.db")
    for key in ("one", "two"):
        plain.put("a", key, at(HERE, key))
    ghost = open_exact("m.db")
    if verb == "switch":
        ghost.admin.embed_switch()
    elif verb == "restore":
        ghost.put("b", "k", "Something else.")
        ghost.rm("b", "k")
        ghost.restore("b", "k")
    else:
        elsewhere = open_ghost("elsewhere.db")
        elsewhere.put("b", "k", "Something else.")
        ghost.import_(elsewhere.export())
    ghost.admin.embed_backfill()
    assert set(weights(ghost)) == {("two", "one")}


def test_a_restored_memory_has_vectors_and_its_edges(open_exact: Open) -> None:
    """Brought back, a memory is found by meaning again and has the edges it had."""
    ghost = open_exact()
    ghost.put("a", "one", at(HERE, "one"))
    ghost.put("a", "two", at(HERE, "two"))
    ghost.rm("a", "two")
    ghost.restore("a", "two")
    assert ghost.admin.embed_status().pending == 0
    assert set(weights(ghost)) == {("two", "one")}
    ghost.put("a", "three", at(HERE, "three"))
    assert ("three", "two") in weights(ghost)


def test_an_earlier_version_that_is_restored_has_vectors(open_exact: Open) -> None:
    """Going back to an earlier version embeds what it says."""
    ghost = open_exact()
    ghost.put("a", "k", at(HERE, "first"))
    ghost.put("a", "k", at("[0, 1]", "second"))
    ghost.restore("a", "k", version=1)
    assert ghost.admin.embed_status().pending == 0
    ghost.put("a", "new", at(HERE, "new"))
    assert set(weights(ghost)) == {("new", "k")}


def test_a_patched_memory_has_vectors_and_links(open_exact: Open) -> None:
    """What a diff made of a memory is embedded and linked by its new text."""
    ghost = open_exact()
    ghost.put("a", "one", at("[0, 1]", "one"))
    ghost.put("a", "k", f"{at(HERE, 'k')}\n")
    ghost.patch("a", "k", f"@@ -1 +1 @@\n-{at(HERE, 'k')}\n+{at('[0, 1]', 'k')}\n")
    assert ghost.admin.embed_status().pending == 0
    assert set(weights(ghost)) == {("k", "one")}


def test_an_ingest_links_what_it_stored(open_exact: Open, tmp_path: Path) -> None:
    """Sections of a file are linked among themselves and to what was there."""
    ghost = open_exact("m.db")
    ghost.put("a", "before", at(HERE, "before"))
    file = tmp_path / "notes.md"
    file.write_text(
        f"## One\n\n{at(HERE, 'one')}\n\n## Two\n\n{at('[0, 1]', 'two')}\n\n## Three\n\n{at('[0, 1]', 'three')}\n"
    )
    ghost.ingest(file, "a")
    assert {frozenset(pair) for pair in weights(ghost)} == {
        frozenset({"one", "before"}),
        frozenset({"two", "three"}),
    }


# --- export and import


def rich(ghost: Ghost) -> None:
    """Store alike memories with edges of every origin, uses and a summary."""
    for number in range(8):
        ghost.put(
            "a",
            f"k{number}",
            f"The deployment of the billing service runs every Tuesday at noon, note {number}.",
        )
    ghost.put(
        "a", "k0", "The deployment of the billing service runs every Tuesday at noon, updated."
    )
    ghost.edge("a", "k1", "k2", "contradicts", weight=0.123)
    ghost.graph.link("a", "k3", "k4", "depends_on")
    ghost.graph.rm_edge("a", "k7", "k6", "relates_to")
    ghost.consolidate("a", "all", "Deployments are on Tuesdays.", ["k1", "k2", "k3"])
    ghost.get("a", "k1")
    ghost.search("deployment", "a")
    ghost.used("a", ["k2"])
    ghost.rm("a", "k5")


def test_an_import_makes_no_edges_of_its_own(open_ghost: Open) -> None:
    """An import brings the edges of the file and no others, then or at the next backfill."""
    source, target = (
        open_ghost("a.db", embed_provider="static"),
        open_ghost("b.db", embed_provider="static"),
    )
    rich(source)
    assert len(source.edges("a")) > 10
    report = target.import_(source.export(), trust=True)
    assert report.edges + report.links >= len(source.edges("a"))
    assert weights(target) == weights(source)
    assert (target.admin.embed_status().pending, waiting(target)) == (0, 0)
    target.admin.embed_backfill()
    assert weights(target) == weights(source)


def test_export_import_export_is_byte_identical_with_vectors(open_ghost: Open) -> None:
    """With a provider too, everything survives the way into an empty store and out again, to the byte."""
    source, target = (
        open_ghost("a.db", embed_provider="static"),
        open_ghost("b.db", embed_provider="static"),
    )
    rich(source)
    lines = list(source.export())
    target.import_(lines, trust=True)
    assert list(target.export()) == lines
    again = target.import_(lines, trust=True)
    assert (again.imported, again.edges, again.links, again.accesses) == (0, 0, 0, 0)
    assert list(target.export()) == lines


def test_a_pruned_edge_stays_pruned_on_the_way(open_exact: Open) -> None:
    """A legacy link whose edge was pruned comes out of an import as it went in: without the edge."""
    source, target = open_exact("a.db"), open_exact("b.db")
    for key in ("one", "two"):
        source.put("a", key, at(f"[{len(key)}, 0]", key))
    source.graph.link("a", "one", "two", "refines")
    with source.store.engine.write() as tx:
        tx.db.execute("DELETE FROM memory_edges")  # type: ignore[attr-defined]
    lines = list(source.export())
    target.import_(lines, trust=True)
    assert list(target.export()) == lines
