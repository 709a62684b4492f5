"""curate: one step in the life of one memory, with the specification's steps, limits and errors."""

from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import ConflictError, Ghost, NotFoundError
from ghostmem.errors import InvalidInputError, LockedError

if TYPE_CHECKING:
    from conftest import Life

NS = "agent:me"


@pytest.mark.requirement("002-147", "002-149")
@pytest.mark.parametrize(
    ("op", "before", "after"),
    [
        ("promote", "dormant", "stm"),
        ("promote", "stm", "ltm"),
        ("promote", "sensory", "stm"),
        ("demote", "ltm", "stm"),
        ("demote", "stm", "dormant"),
        ("archive", "ltm", "dormant"),
        ("archive", "stm", "dormant"),
        ("archive", "sensory", "dormant"),
        ("archive", "dormant", "dormant"),
    ],
)
def test_a_step_up_or_down(life: "Life", op: str, before: str, after: str) -> None:
    """The tiers are dormant, stm, ltm; archive goes to sleep from anywhere."""
    life.put("k", tier=before)
    done = life.ghost.curate(NS, "k", op)
    assert done.to_dict() == {"ns": NS, "key": "k", "op": op, "old_tier": before, "new_tier": after}
    assert life.tier("k") == after


@pytest.mark.parametrize("op", ["promote", "archive"])
def test_a_sensory_memory_that_moves_waits_for_its_links(life: "Life", op: str) -> None:
    """Sensory memories are not linked to similar ones, so the next backfill does that."""
    memory = life.put("k", tier="sensory")
    with life.ghost.store.engine.write() as tx:
        tx.graph.linked([memory.id])
    life.ghost.curate(NS, "k", op)
    with life.ghost.store.engine.read() as tx:
        assert tx.graph.waiting() == {memory.id}


@pytest.mark.requirement("002-147")
@pytest.mark.parametrize(
    ("op", "tier", "error"),
    [
        ("promote", "ltm", 'cannot promote from tier "ltm" (already at highest)'),
        ("demote", "dormant", 'cannot demote from tier "dormant" (already at lowest)'),
        ("demote", "sensory", 'cannot demote from tier "sensory" (already at lowest)'),
    ],
)
def test_at_the_ends_of_the_scale_there_is_an_error(
    life: "Life", op: str, tier: str, error: str
) -> None:
    """It says where the memory is, and nothing changes."""
    life.put("k", tier=tier)
    before = life.export()
    with pytest.raises(ConflictError) as caught:
        life.ghost.curate(NS, "k", op)
    assert (caught.value.message, bool(caught.value.hint)) == (error, True)
    assert life.export() == before


@pytest.mark.requirement("002-148")
@pytest.mark.parametrize(
    ("op", "before", "after"),
    [
        ("boost", 0.5, 0.7),
        ("boost", 0.95, 1.0),
        ("boost", 0.8, 1.0),
        ("boost", 1.0, 1.0),
        ("boost", 0.1, 0.3),
        ("diminish", 0.5, 0.3),
        ("diminish", 0.15, 0.1),
        ("diminish", 0.3, 0.1),
        ("diminish", 0.1, 0.1),
        ("diminish", 0.05, 0.05),
        ("diminish", 0.7, 0.5),
    ],
)
def test_importance_changes_by_a_fifth_within_its_limits(
    life: "Life", op: str, before: float, after: float
) -> None:
    """Up to 1.0 and down to 0.1, without rests of binary fractions."""
    life.put("k", importance=before)
    done = life.ghost.curate(NS, "k", op)
    assert (done.old_importance, done.new_importance) == (before, after)
    assert life.row("k").importance == after


@pytest.mark.requirement("002-150")
def test_pin_and_unpin(life: "Life") -> None:
    """They set and clear pinned, and say what it was."""
    life.put("k")
    assert life.ghost.curate(NS, "k", "pin").to_dict() == {
        "ns": NS,
        "key": "k",
        "op": "pin",
        "old_pinned": False,
        "new_pinned": True,
    }
    assert life.row("k").pinned
    done = life.ghost.curate(NS, "k", "unpin")
    assert (done.old_pinned, done.new_pinned, life.row("k").pinned) == (True, False, False)


@pytest.mark.parametrize("op", ["pin", "lock"])
def test_what_is_guarded_no_longer_expires(life: "Life", clock: Any, op: str) -> None:
    """A put refuses an expiry on what is pinned or locked, so guarding takes one away."""
    life.put("k", ttl="1h")
    life.ghost.curate(NS, "k", op)
    assert life.row("k").expires_at is None
    clock.forward(hours=2)
    assert [memory.key for memory in life.ghost.list(NS)] == ["k"]


def test_lock_and_unlock(life: "Life") -> None:
    """The tag `locked` comes and goes; the other tags keep their order."""
    life.put("k", tags=["b", "a"])
    assert life.ghost.curate(NS, "k", "lock").locked is True
    assert life.row("k").tags == ("b", "a", "locked")
    assert life.ghost.curate(NS, "k", "lock").locked is True
    assert life.ghost.curate(NS, "k", "unlock").locked is False
    assert life.row("k").tags == ("b", "a")


@pytest.mark.parametrize(
    "op", ["promote", "demote", "boost", "diminish", "archive", "delete", "pin", "unpin"]
)
def test_a_locked_memory_needs_the_word(life: "Life", op: str) -> None:
    """Without unlock nothing changes; with it the step is made and the lock stays."""
    life.put("k", tags=["locked"], importance=0.5)
    before = life.export()
    with pytest.raises(LockedError):
        life.ghost.curate(NS, "k", op)
    assert life.export() == before
    life.ghost.curate(NS, "k", op, unlock=True)
    assert life.row("k").locked


@pytest.mark.requirement("002-149")
def test_delete_is_soft(life: "Life") -> None:
    """It leaves every read, and can be restored."""
    life.put("k", "The ferry departs at nine.")
    assert life.ghost.curate(NS, "k", "delete").to_dict() == {
        "ns": NS,
        "key": "k",
        "op": "delete",
        "deleted": True,
    }
    assert (life.ghost.list(NS), list(life.ghost.search("ferry", NS))) == ([], [])
    assert life.ghost.restore(NS, "k").content == "The ferry departs at nine."


@pytest.mark.parametrize(
    "op", ["promote", "demote", "boost", "diminish", "archive", "pin", "unpin", "lock", "unlock"]
)
def test_a_step_changes_one_field_of_one_version(life: "Life", op: str) -> None:
    """No new version, no retrieval counted, nothing else touched."""
    life.put("k", access=5, idle=3, tags=["x"])
    life.put("k", ns="agent:you")
    before, other = life.row("k"), life.row("k", "agent:you")
    life.ghost.curate(NS, "k", op)
    after = life.row("k")
    field = {
        "boost": "importance",
        "diminish": "importance",
        "pin": "pinned",
        "unpin": "pinned",
        "lock": "tags",
        "unlock": "tags",
    }
    for name in (
        *"id version content access_count last_accessed_at tier importance pinned tags".split(),
    ):
        if name != field.get(op, "tier"):
            assert getattr(after, name) == getattr(before, name), name
    assert life.row("k", "agent:you") == other


@pytest.mark.parametrize("op", ["", "explode", "PROMOTE", "pin "])
def test_an_unknown_step_is_refused(life: "Life", op: str) -> None:
    """The hint lists them all."""
    life.put("k")
    with pytest.raises(InvalidInputError) as caught:
        life.ghost.curate(NS, "k", op)
    assert caught.value.message == f"invalid op {op!r}"
    assert caught.value.hint == (
        "must be one of: promote, demote, boost, diminish, archive, delete, pin, unpin, lock, unlock"
    )


def test_a_memory_that_is_not_there_is_not_found(ghost: Ghost, clock: Any) -> None:
    """Never stored, removed, or expired."""
    ghost.put(NS, "removed", "x")
    ghost.rm(NS, "removed")
    ghost.put(NS, "expired", "y", ttl="1h")
    clock.forward(hours=2)
    for key in ("never", "removed", "expired"):
        with pytest.raises(NotFoundError):
            ghost.curate(NS, key, "pin")


def test_a_curated_pin_holds_against_reflect(life: "Life") -> None:
    """From then on no rule touches it; unpinned, they do again."""
    life.put("k", tier="sensory", age=5)
    life.ghost.curate(NS, "k", "pin")
    assert life.reflect().changes == ()
    life.ghost.curate(NS, "k", "unpin")
    assert life.reflect().deleted == 1


def test_what_is_awake_again_is_found_again(life: "Life") -> None:
    """archive takes a memory out of searches, promote brings it back."""
    life.put("k", "The harbour ferry departs at nine.")
    life.ghost.curate(NS, "k", "archive")
    assert list(life.ghost.search("harbour ferry", NS)) == []
    life.ghost.curate(NS, "k", "promote")
    assert [hit.key for hit in life.ghost.search("harbour ferry", NS)] == ["k"]
