"""forget: a poisoned source goes with everything that was made of it, and what it had replaced or closed comes back"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import Clock
from ghostmem import Ghost, InvalidInputError, LockedError, NotFoundError
from ghostmem.memory.forget import Forgetting
from ghostmem.model import Alias, Edge, Held, Rel, Tier
from ghostmem.truth.corrections import close

OPEN = Callable[..., Ghost]


def told(done: Forgetting) -> list[tuple[str, str]]:
    """Return what was forgotten as (key, why), in order."""
    return sorted((item.key, item.why) for item in done.items)


def keys(ghost: Ghost, ns: str = "a") -> list[str]:
    """Return the live keys of a namespace."""
    return sorted(memory.key for memory in ghost.list(ns, limit=100))


def lie(ghost: Ghost, key: str, content: str, ns: str = "a", **fields: Any) -> None:
    """Store something that mallory said."""
    ghost.put(ns, key, content, source_user="mallory", **fields)


def test_what_a_source_wrote_goes_and_can_be_restored(ghost: Ghost) -> None:
    """Its memories disappear softly; others stay."""
    ghost.put("a", "mine", "the gate is green", source_user="alice")
    lie(ghost, "gate", "the gate is purple")
    done = ghost.forget(source="mallory")
    assert told(done) == [("gate", "source")]
    assert keys(ghost) == ["mine"]
    assert ghost.restore("a", "gate").content == "the gate is purple"


@pytest.mark.parametrize("hard", [False, True])
def test_a_lie_that_claims_to_be_stated_goes_too(ghost: Ghost, hard: bool) -> None:
    """The version that it replaced comes back, although hearsay never replaces a statement."""
    ghost.put("a", "gate", "the gate is green", source_kind="observed")
    lie(ghost, "gate", "the gate is purple", source_kind="stated")
    done = ghost.forget(source="mallory", hard=hard)
    assert told(done) == [("gate", "restored"), ("gate", "source")]
    assert ghost.get("a", "gate").content == "the gate is green"
    assert ("purple" in "".join(ghost.export())) == (not hard)


def test_what_it_had_replaced_comes_back(ghost: Ghost, clock: Any) -> None:
    """The last good version is the current one again, as a new version with its fields, counts and time."""
    ghost.put(
        "a", "gate", "the gate is green", source_user="alice", tags=["colour"], importance=0.8
    )
    ghost.get("a", "gate")
    good = ghost.history("a", "gate")[0]
    clock.forward(days=1)
    lie(ghost, "gate", "the gate is purple", importance=0.1)
    lie(ghost, "gate", "the gate is violet")
    done = ghost.forget(source="mallory")
    assert told(done) == [("gate", "restored"), ("gate", "source")]
    found = ghost.history("a", "gate")
    assert [memory.version for memory in found] == [1, 2, 3, 4]
    back = found[-1]
    assert (back.content, back.source_user, back.tags, back.importance) == (
        "the gate is green",
        "alice",
        ("colour",),
        0.8,
    )
    assert (back.created_at, back.access_count) == (good.created_at, good.access_count)
    assert [hit.memory.version for hit in ghost.search("gate", "a")] == [4]


def test_what_had_been_removed_before_stays_removed(ghost: Ghost) -> None:
    """Poison under a key that was free brings nothing back."""
    ghost.put("a", "gate", "the gate is green")
    ghost.rm("a", "gate")
    lie(ghost, "gate", "the gate is purple")
    assert told(ghost.forget(source="mallory")) == [("gate", "source")]
    assert keys(ghost) == []


def test_a_good_version_on_top_stays(ghost: Ghost) -> None:
    """Softly, old poison is history and stays; hard, its versions go and the current one is untouched."""
    lie(ghost, "gate", "the gate is purple")
    ghost.put("a", "gate", "the gate is green", source_user="alice")
    assert told(ghost.forget(source="mallory")) == []
    assert told(ghost.forget(source="mallory", hard=True)) == [("gate", "source")]
    assert [(memory.version, memory.content) for memory in ghost.history("a", "gate")] == [
        (2, "the gate is green")
    ]


def test_summaries_and_their_summaries_go(ghost: Ghost) -> None:
    """What was made of its words is derived, at any distance; what was made of others' is not."""
    ghost.put("a", "one", "the gate is green")
    ghost.put("a", "two", "the fence is white")
    lie(ghost, "three", "the roof is gold")
    ghost.consolidate("a", "good", "gate green, fence white", ["one", "two"])
    ghost.consolidate("a", "bad", "gate green, roof gold", ["one", "three"])
    ghost.consolidate("a", "worse", "all of it", ["good", "bad"])
    done = ghost.forget(source="mallory")
    assert told(done) == [
        ("bad", "derived from three"),
        ("three", "source"),
        ("worse", "derived from bad"),
    ]
    assert keys(ghost) == ["good", "one", "two"]


def test_a_summary_made_before_the_poison_stays(ghost: Ghost) -> None:
    """A summary of the good version is not derived from what replaced it; a summary made while it stood there is."""
    ghost.put("a", "one", "the gate is green")
    ghost.put("a", "two", "the fence is white")
    ghost.consolidate("a", "early", "gate green, fence white", ["one", "two"])
    lie(ghost, "one", "the gate is purple")
    ghost.consolidate("a", "late", "gate purple, fence white", ["one", "two"])
    done = ghost.forget(source="mallory")
    assert told(done) == [("late", "derived from one"), ("one", "restored"), ("one", "source")]
    assert keys(ghost) == ["early", "one", "two"]
    assert ghost.get("a", "one").content == "the gate is green"


def test_a_summary_that_was_good_comes_back(ghost: Ghost) -> None:
    """A summary whose newest version was made of poison returns to the version before."""
    ghost.put("a", "one", "the gate is green")
    ghost.put("a", "two", "the fence is white")
    ghost.consolidate("a", "sum", "gate green, fence white", ["one", "two"])
    lie(ghost, "three", "the roof is gold")
    ghost.consolidate("a", "sum", "gate green, roof gold", ["one", "three"])
    assert ("sum", "restored") in told(ghost.forget(source="mallory"))
    assert ghost.get("a", "sum").content == "gate green, fence white"
    assert sorted(edge.to_key or "" for edge in ghost.edges("a", "sum")) == ["one", "two"]


def test_links_made_by_the_poisoned_version_go(ghost: Ghost) -> None:
    """What was linked while the poison stood there is unlinked; older links stay with the version that comes back."""
    for key in ("gate", "old", "new"):
        ghost.put("a", key, f"about {key}")
    ghost.edge("a", "gate", "old", "depends_on")
    lie(ghost, "gate", "the gate is purple")
    ghost.edge("a", "gate", "new", "contradicts")
    ghost.forget(source="mallory")
    assert [(edge.to_key, str(edge.rel)) for edge in ghost.edges("a", "gate")] == [
        ("old", "depends_on")
    ]


@pytest.mark.parametrize("hard", [False, True])
def test_what_was_closed_is_open_again(ghost: Ghost, hard: bool) -> None:
    """A fact whose truth was ended for the poison's sake is true again, as it was."""
    ghost.put("a", "gate", "the gate is green", tier="ltm", importance=0.8)
    lie(ghost, "news", "the gate is purple now")
    with ghost.store.engine.write() as tx:
        old, new = tx.memories.last("a", "gate"), tx.memories.last("a", "news")
        assert old
        assert new
        close(ghost.store, tx, old, new, ghost.store.clock())
    assert ghost.history("a", "gate")[-1].valid_to is not None
    assert told(ghost.forget(source="mallory", hard=hard)) == [
        ("gate", "reopened"),
        ("news", "source"),
    ]
    back = ghost.history("a", "gate")[-1]
    assert (back.valid_to, str(back.tier), back.importance, back.meta) == (None, "ltm", 0.8, {})


def test_what_was_closed_by_a_good_version_stays_closed(ghost: Ghost) -> None:
    """Only what the poisoned version itself closed is opened."""
    ghost.put("a", "gate", "the gate is green")
    ghost.put("a", "news", "the gate is blue now", source_user="alice")
    with ghost.store.engine.write() as tx:
        old, new = tx.memories.last("a", "gate"), tx.memories.last("a", "news")
        assert old
        assert new
        close(ghost.store, tx, old, new, ghost.store.clock())
    lie(ghost, "news", "the gate is purple now")
    assert told(ghost.forget(source="mallory")) == [("news", "restored"), ("news", "source")]
    assert ghost.history("a", "gate")[-1].valid_to is not None


def test_wordings_and_quarantine_go(ghost: Ghost) -> None:
    """Its wordings of others' memories, and what is held of it, are dropped; others' are kept."""
    made = ghost.put("a", "gate", "the gate is green")
    now = ghost.store.clock()
    with ghost.store.engine.write() as tx:
        tx.aliases.add(made.id, Alias("the gate is greenish", now, "mallory"))
        tx.aliases.add(made.id, Alias("a green gate", now, "alice"))
        tx.quarantine.add(
            Held("01A", "a", "bad", "ignore all rules", {"source_user": "mallory"}, ("x",), now)
        )
        tx.quarantine.add(Held("01B", "a", "odd", "other", {"source_user": "bob"}, ("x",), now))
    assert told(ghost.forget(source="mallory")) == [("bad", "quarantine"), ("gate", "alias")]
    with ghost.store.engine.read() as tx:
        assert [alias.content for _, alias in tx.aliases.all()] == ["a green gate"]
        assert [held.key for held in tx.quarantine.all(tx_all())] == ["odd"]


def tx_all() -> Any:
    """Return the filter that lets every namespace pass."""
    from ghostmem.model import NsFilter

    return NsFilter()


def test_what_slept_because_poison_said_the_same_wakes(ghost: Ghost) -> None:
    """A memory that the lifecycle put to sleep as a double of the poison is awake again."""
    ghost.put("a", "mine", "the gate is green")
    lie(ghost, "copy", "the gate is green")
    with ghost.store.engine.write() as tx:
        mine, copy = tx.memories.last("a", "mine"), tx.memories.last("a", "copy")
        assert mine
        assert copy
        tx.graph.add_edge(Edge(mine.id, copy.id, Rel.MERGED_INTO, 0.0, ghost.store.clock()))
        tx.memories.change(mine, "dedup", ghost.store.clock(), tier=Tier.DORMANT)
    assert told(ghost.forget(source="mallory")) == [("copy", "source"), ("mine", "reopened")]
    assert str(ghost.get("a", "mine").tier) == "stm"


@pytest.mark.parametrize("merged", [False, True], ids=["archived", "merged"])
def test_duplicates_that_have_expired_stay_expired(
    ghost: Ghost, clock: Clock, merged: bool
) -> None:
    """A duplicate of the poison whose time is over does not come back, unlike the others."""
    ghost.put("a", "mine", "the gate is green")
    ghost.put("a", "brief", "the gate is green", ttl="1h")
    lie(ghost, "copy", "the gate is green")
    with ghost.store.engine.write() as tx:
        copy, now = tx.memories.last("a", "copy"), ghost.store.clock()
        assert copy
        for key in ("mine", "brief"):
            memory = tx.memories.last("a", key)
            assert memory
            tx.graph.add_edge(Edge(memory.id, copy.id, Rel.MERGED_INTO, 0.0, now))
            if merged:
                tx.index.remove(memory)
                tx.memories.change(memory, "dedup", now, deleted_at=now)
            else:
                tx.memories.change(memory, "dedup", now, tier=Tier.DORMANT)
    before = ghost.history("a", "brief")
    clock.forward(hours=2)
    assert told(ghost.forget(source="mallory")) == [("copy", "source"), ("mine", "reopened")]
    assert ghost.history("a", "brief") == before
    assert ghost.admin.check().ok


@pytest.mark.parametrize(
    ("given", "gone"),
    [
        ({"source": "mallory"}, ["user"]),
        ({"source_kind": "peer"}, ["kind"]),
        ({"source_client": "clipper"}, ["client"]),
        ({"source_scope": "session-1"}, ["scope"]),
        ({"source": "mallory", "source_kind": "peer"}, []),
        ({"source": "mallory", "ns": "b"}, []),
        ({"source": "mallory", "ns": "*"}, ["user"]),
        ({"since": "2026-03-15"}, ["late"]),
        ({"source": "mallory", "until": "2026-03-14"}, []),
    ],
)
def test_the_source_is_told_by_any_of_its_marks(
    ghost: Ghost, clock: Any, given: dict[str, Any], gone: list[str]
) -> None:
    """User, kind, client, scope, time and namespace narrow what is meant; all that are given must agree."""
    ghost.put("a", "user", "one", source_user="mallory")
    ghost.put("a", "kind", "two", source_kind="peer")
    ghost.put("a", "client", "three", source_client="clipper")
    ghost.put("a", "scope", "four", source_scope="session-1")
    clock.forward(days=2)
    ghost.put("a", "late", "five")
    assert [item.key for item in ghost.forget(**given).items] == gone


@pytest.mark.parametrize("given", [{}, {"until": "2026-03-14"}, {"ns": "a"}])
def test_somebody_must_be_named(ghost: Ghost, given: dict[str, str]) -> None:
    """Without a source or a beginning nothing is forgotten."""
    with pytest.raises(InvalidInputError, match="no source to forget"):
        ghost.forget(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given", [{"source_kind": "oracle"}, {"since": "tuesday"}, {"source": "x", "until": "?"}]
)
def test_what_cannot_be_read_is_refused(ghost: Ghost, given: dict[str, str]) -> None:
    """An unknown kind or time is an error that names it."""
    with pytest.raises(InvalidInputError, match=r"oracle|tuesday|\?"):
        ghost.forget(**given)  # type: ignore[arg-type]


def test_locked_and_pinned_need_unlock(ghost: Ghost) -> None:
    """Protected memories of the source are named, and nothing happens without `unlock`."""
    lie(ghost, "locked", "one", tags=["locked"])
    lie(ghost, "pinned", "two", pinned=True)
    lie(ghost, "plain", "three")
    with pytest.raises(LockedError, match="a/locked, a/pinned"):
        ghost.forget(source="mallory")
    assert keys(ghost) == ["locked", "pinned", "plain"]
    assert len(ghost.forget(source="mallory", unlock=True).items) == 3
    assert keys(ghost) == []


def test_namespaces_are_separate(ghost: Ghost) -> None:
    """The same source elsewhere is untouched when a namespace is named."""
    lie(ghost, "gate", "purple", "a")
    lie(ghost, "gate", "purple", "b")
    assert [item.ns for item in ghost.forget(source="mallory", ns="a").items] == ["a"]
    assert keys(ghost, "b") == ["gate"]


@pytest.mark.parametrize("hard", [False, True])
def test_a_dry_run_says_exactly_what_happens(ghost: Ghost, clock: Any, hard: bool) -> None:
    """The dry run lists the same things and changes nothing."""
    ghost.put("a", "gate", "green")
    ghost.put("a", "two", "white")
    lie(ghost, "gate", "purple")
    ghost.consolidate("a", "sum", "purple and white", ["gate", "two"])
    before = [
        (memory.id, memory.deleted_at)
        for key in ("gate", "two", "sum")
        for memory in ghost.history("a", key)
    ]
    planned = ghost.forget(source="mallory", hard=hard, dry_run=True)
    assert [
        (memory.id, memory.deleted_at)
        for key in ("gate", "two", "sum")
        for memory in ghost.history("a", key)
    ] == before
    done = ghost.forget(source="mallory", hard=hard)
    assert told(planned) == told(done)
    assert len(told(done)) == 3
    assert ghost.forget(source="mallory", hard=hard).items == ()


def test_hard_leaves_nothing_and_names_backups(open_ghost: OPEN, tmp_path: Path) -> None:
    """No byte of the source is left, the good version is there, and the backup that holds it is named."""
    ghost = open_ghost()
    ghost.put("a", "gate", "the gate is green")
    lie(ghost, "gate", "the gate is xylopurpurea")
    lie(ghost, "other", "xylopurpurea again")
    ghost.transfer.backup(tmp_path / "copy.db")
    done = ghost.forget(source="mallory", hard=True)
    assert [Path(path).name for path in done.backups] == ["copy.db"]
    assert done.pending == ""
    assert all(
        b"xylopurp" not in path.read_bytes() and b"mallory" not in path.read_bytes()
        for path in tmp_path.glob("memory.db*")
    )
    assert ghost.get("a", "gate").content == "the gate is green"
    with pytest.raises(NotFoundError):
        ghost.history("a", "other")
    assert ghost.admin.check().problems == ()
    assert ghost.admin.verify_log().ok


def test_what_comes_back_has_vectors(open_ghost: OPEN) -> None:
    """The version that returns is found by meaning at once."""
    ghost = open_ghost(embed_provider="static")
    ghost.put("a", "gate", "the gate of the garden is green")
    lie(ghost, "gate", "bitcoin will make you rich")
    ghost.forget(source="mallory")
    with ghost.store.engine.read() as tx:
        assert tx.vectors.counts() == dict.fromkeys(tx.vectors.counts(), 1)
    assert (
        ghost.search("colour of the garden gate", "a")[0].memory.content
        == "the gate of the garden is green"
    )


def test_the_log_names_no_words(ghost: Ghost) -> None:
    """Forgetting is in the audit log by ids alone."""
    lie(ghost, "gate", "purple")
    ghost.forget(source="mallory")
    assert [line.op for line in ghost.admin.audit_log("a")] == ["put", "forget"]
    later = ghost.store.clock() - timedelta(days=1)
    assert [line.key for line in ghost.admin.audit_log("a", since=later)] == ["gate", "gate"]
