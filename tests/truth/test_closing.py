"""Ending a truth: what a successor closes, who may, what is left of it, and taking it back."""

from datetime import timedelta

import pytest

from ghostmem import ConflictError, Ghost, InvalidInputError, LockedError, NotFoundError

NS = "agent:me"
OLD, NEW = "The staging database is Postgres 15.", "The staging database is Postgres 16."


@pytest.fixture
def closed(ghost: Ghost) -> Ghost:
    """A store in which one memory has replaced another."""
    ghost.put(NS, "old", OLD, importance=0.9)
    ghost.put(NS, "new", NEW, supersedes="old")
    return ghost


def test_the_old_one_ends_when_the_new_one_begins(closed: Ghost) -> None:
    """Its end is its successor's beginning, it sleeps, is half as important, and says by what it was replaced."""
    old, new = closed.get(NS, "old"), closed.get(NS, "new")
    assert (old.valid_to, old.tier, old.importance, old.meta["superseded_by"]) == (
        new.created_at,
        "dormant",
        0.45,
        "new",
    )


def test_the_same_put_again_changes_nothing(closed: Ghost) -> None:
    """A client that repeats its request gets the same version with the same importance."""
    again = closed.put(NS, "new", NEW, supersedes="old")
    assert (again.version, again.outcome, again.importance) == (1, "reinforced", 0.9)
    assert closed.get(NS, "old").version == 2
    closed.reopen(NS, "old")
    closed.put(NS, "new", NEW, supersedes="old")
    assert closed.get(NS, "old").meta["superseded_by"] == "new"


def test_a_successor_keeps_its_own_importance(ghost: Ghost) -> None:
    """A memory that replaces a less important one inherits from its last version, as always."""
    ghost.put(NS, "old", OLD, importance=0.3)
    ghost.put(NS, "new", "The staging database is new.", importance=0.9)
    assert ghost.put(NS, "new", NEW, supersedes="old").importance == 0.9


def test_what_is_declared_true_since_ends_the_old_one_then(ghost: Ghost) -> None:
    """A successor that says since when it holds ends the old one at that time."""
    ghost.put(NS, "old", OLD)
    ghost.put(NS, "new", NEW, supersedes="old", valid_from="2026-01-01")
    assert str(ghost.get(NS, "old").valid_to)[:10] == "2026-01-01"


def test_importance_carries_over(closed: Ghost) -> None:
    """The successor is no less important than what it replaces."""
    assert closed.get(NS, "new").importance == 0.9


def test_nothing_is_deleted(closed: Ghost) -> None:
    """The version from before is in the history, as it was."""
    first, second = closed.history(NS, "old")
    assert (first.content, first.valid_to, first.importance) == (OLD, None, 0.9)
    assert (second.content, second.created_at, second.version) == (OLD, first.created_at, 2)


def test_it_is_left_out_and_listed(closed: Ghost) -> None:
    """Search and context show what holds, and name what does not."""
    found = closed.search("staging database", NS)
    assert [hit.key for hit in found] == ["new"]
    assert [(hit.key, hit.note.split(", ")[-1]) for hit in found.superseded] == [
        ("old", "superseded by new")
    ]
    pack = closed.context("staging database", NS)
    assert pack.keys == ["new"]
    assert [(left.key, left.reason, left.by) for left in pack.left_out] == [
        ("old", "superseded", "new")
    ]


def test_all_tiers_do_not_bring_it_back(closed: Ghost) -> None:
    """Asking for what sleeps is not asking for what is no longer true."""
    assert [hit.key for hit in closed.search("staging database", NS, include_all=True)] == ["new"]


def test_edges_do_not_bring_it_back(closed: Ghost) -> None:
    """A memory that depends on what has ended does not carry it into a context, and is marked."""
    closed.put(NS, "script", "The nightly dump script assumes pg_dump of the same major release.")
    closed.edge(NS, "script", "old", "depends_on")
    pack = closed.context("nightly dump script", NS)
    assert "old" not in pack.keys
    notes = {memory.key: memory.why.note for memory in pack.memories}
    assert notes["script"].startswith("maybe stale: depends on old, which held until")


def test_a_pinned_one_is_not_shown_once_it_ended(ghost: Ghost) -> None:
    """By explicit word also what is pinned ends."""
    ghost.put(NS, "old", OLD, pinned=True)
    ghost.put(NS, "new", NEW, supersedes="old")
    assert ghost.context("anything at all", NS, whole=False).keys == []


def test_what_is_locked_needs_unlock(ghost: Ghost) -> None:
    """Without, nothing is written at all."""
    ghost.put(NS, "old", OLD, tags=["locked"])
    with pytest.raises(LockedError):
        ghost.put(NS, "new", NEW, supersedes="old")
    with pytest.raises(NotFoundError):
        ghost.get(NS, "new")
    assert ghost.put(NS, "new", NEW, supersedes="old", unlock=True).version == 1


@pytest.mark.parametrize("kind", ["observed", "peer", "import"])
def test_hearsay_cannot_end_the_users_word(ghost: Ghost, kind: str) -> None:
    """What others say never closes what the user stated, and nothing is written."""
    ghost.put(NS, "old", OLD, source_kind="stated")
    with pytest.raises(ConflictError, match="the user's own statement"):
        ghost.put(NS, "new", NEW, supersedes="old", source_kind=kind)
    assert [memory.key for memory in ghost.list(NS)] == ["old"]


def test_an_unknown_or_own_key_is_refused(ghost: Ghost) -> None:
    """One clear error each, and nothing is written."""
    with pytest.raises(NotFoundError):
        ghost.put(NS, "new", NEW, supersedes="nothing")
    ghost.put(NS, "old", OLD)
    with pytest.raises(InvalidInputError, match="cannot supersede itself"):
        ghost.put(NS, "old", NEW, supersedes="old")
    assert ghost.get(NS, "old").content == OLD


def test_reopening_gives_back_what_was(closed: Ghost) -> None:
    """Tier, importance and place in the search are as before; both then stand in dispute."""
    closed.reopen(NS, "old")
    old = closed.get(NS, "old")
    assert (old.valid_to, old.tier, old.importance, dict(old.meta)) == (None, "stm", 0.9, {})
    assert {hit.key for hit in closed.search("staging database", NS)} == {"old", "new"}
    assert [(one.key, one.other) for one in closed.conflicts(NS).conflicts] == [("new", "old")]
    with pytest.raises(ConflictError, match="is not closed"):
        closed.reopen(NS, "old")


def test_reopening_a_locked_memory_needs_unlock(closed: Ghost) -> None:
    """`reopen`, and a `resolve` that keeps the closed memory, change it only with `unlock`."""
    closed.curate(NS, "old", "lock")
    before = closed.get(NS, "old")
    for attempt in (
        lambda: closed.reopen(NS, "old"),
        lambda: closed.resolve(NS, "old", "new"),
    ):
        with pytest.raises(LockedError, match="agent:me/old is locked"):
            attempt()
    assert closed.get(NS, "old").version == before.version
    assert closed.reopen(NS, "old", unlock=True).reopened
    old = closed.get(NS, "old")
    assert (old.valid_to, old.tier, old.locked) == (None, "stm", True)


@pytest.mark.parametrize(
    "saved",
    [5, None, [1], {"tier": "x"}, {"tier": [1]}, {"importance": "x"}, {"importance": 7}, {}],
    ids=str,
)
def test_reopening_does_not_trust_the_meta_of_a_caller(ghost: Ghost, saved: object) -> None:
    """Invalid fields are replaced by defaults, also if the memory is closed again first."""
    meta = {"superseded_by": "new", "before_closing": saved}
    ghost.put(NS, "old", OLD, valid_to="2020-01-01", meta=meta)
    ghost.put(NS, "new", NEW)
    for is_closed_again in (False, True):
        if is_closed_again:
            ghost.resolve(NS, "new", "old")
        ghost.reopen(NS, "old")
        old = ghost.get(NS, "old")
        assert (old.valid_to, old.tier, old.importance) == (None, "stm", 0.5)


@pytest.mark.parametrize("by", [5, None, [1], {"a": 1}], ids=str)
def test_a_successor_that_is_no_key_is_ignored(ghost: Ghost, by: object) -> None:
    """Results name a successor only if it is a text."""
    ghost.put(NS, "old", OLD, valid_to="2020-01-01", meta={"superseded_by": by})
    [left] = ghost.context("staging database", NS).left_out
    assert (left.key, left.reason, left.by) == ("old", "superseded", None)
    ghost.reopen(NS, "old")
    assert ghost.get(NS, "old").valid_to is None


def test_a_summary_of_what_ended_is_marked(ghost: Ghost) -> None:
    """A summary made before its child ended still says the old thing, and says so."""
    ghost.put(NS, "old", OLD)
    ghost.put(NS, "logs", "The staging logs go to Loki.")
    ghost.consolidate(
        NS, "staging", "Staging has Postgres 15 and Loki for its logs.", ["old", "logs"]
    )
    ghost.put(NS, "new", NEW, supersedes="old")
    [hit] = [hit for hit in ghost.search("staging Postgres Loki logs", NS) if hit.key == "staging"]
    assert "maybe stale: summary of old, which held until" in hit.note
    assert [doubt.key for doubt in ghost.conflicts(NS).maybe_stale] == ["staging"]


def test_what_ends_later_still_holds(ghost: Ghost, clock: object) -> None:
    """An end in the future hides nothing until then."""
    until = clock() + timedelta(days=2)  # type: ignore[operator]
    ghost.put(NS, "freeze", "There is a release freeze.", valid_to=until)
    assert [hit.key for hit in ghost.search("release freeze", NS)] == ["freeze"]
    clock.forward(days=3)  # type: ignore[attr-defined]
    found = ghost.search("release freeze", NS)
    assert (list(found), [hit.key for hit in found.superseded]) == ([], ["freeze"])


def test_a_namespace_is_a_wall(ghost: Ghost) -> None:
    """A key of another namespace cannot be superseded."""
    ghost.put("agent:other", "old", OLD)
    with pytest.raises(NotFoundError):
        ghost.put(NS, "new", NEW, supersedes="old")
