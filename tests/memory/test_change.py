"""rm, restore, patch, ns, tags and gc."""

import difflib
from typing import Any

import pytest

from ghostmem import (
    ConflictError,
    Ghost,
    InvalidInputError,
    LockedError,
    NotFoundError,
    PatchConflictError,
    VersionConflictError,
)

NS = "agent:a"


@pytest.mark.requirement("002-168")
def test_rm_is_soft_and_restore_undoes_it(ghost: Ghost) -> None:
    """A removed memory is gone from every read and comes back whole."""
    ghost.put(NS, "k", "text", tags=["t"], files=["f"])
    assert ghost.rm(NS, "k").versions == 1
    with pytest.raises(NotFoundError) as caught:
        ghost.get(NS, "k")
    assert "ghost restore" in caught.value.hint
    assert ghost.list(NS) == []
    assert ghost.admin.stats().total_chunks == 0
    back = ghost.restore(NS, "k")
    assert (back.version, back.tags, [f.path for f in back.files]) == (1, ("t",), ["f"])
    assert ghost.get(NS, "k").content == "text"


def test_rm_of_what_is_not_there(ghost: Ghost) -> None:
    """Removing twice, or something unknown, is not found."""
    ghost.put(NS, "k", "text")
    ghost.rm(NS, "k")
    for key in ("k", "nope"):
        with pytest.raises(NotFoundError):
            ghost.rm(NS, key)


def test_rm_hard_deletes_the_latest_version_only(ghost: Ghost) -> None:
    """Older versions stay in the history; the key is not current any more."""
    ghost.put(NS, "k", "one")
    ghost.put(NS, "k", "two")
    ghost.rm(NS, "k", hard=True)
    assert [m.content for m in ghost.history(NS, "k")] == ["one"]
    with pytest.raises(NotFoundError):
        ghost.get(NS, "k")
    assert ghost.restore(NS, "k").content == "one"


def test_rm_hard_all_versions_leaves_nothing(ghost: Ghost) -> None:
    """Every version goes for good."""
    ghost.put(NS, "k", "one")
    ghost.put(NS, "k", "two")
    assert ghost.rm(NS, "k", hard=True, all_versions=True).versions == 2
    with pytest.raises(NotFoundError):
        ghost.history(NS, "k")
    with pytest.raises(NotFoundError):
        ghost.restore(NS, "k")


def test_rm_dry_run_changes_nothing(ghost: Ghost) -> None:
    """A dry run counts what a run would remove."""
    ghost.put(NS, "k", "one")
    assert ghost.rm(NS, "k", dry_run=True).versions == 1
    assert ghost.get(NS, "k").content == "one"


def test_rm_of_locked_needs_unlock(ghost: Ghost) -> None:
    """The lock guards against removal too."""
    ghost.put(NS, "k", "one", tags=["locked"])
    with pytest.raises(LockedError):
        ghost.rm(NS, "k")
    ghost.rm(NS, "k", unlock=True)


def test_put_after_rm_continues_the_versions(ghost: Ghost) -> None:
    """A key that was removed goes on counting and inherits nothing."""
    ghost.put(NS, "k", "one", tags=["t"])
    ghost.rm(NS, "k")
    assert (ghost.put(NS, "k", "two").version, ghost.get(NS, "k").tags) == (2, ())


def test_restore_of_a_version_writes_it_as_the_newest(ghost: Ghost) -> None:
    """Going back is going forward: the old text becomes a new version."""
    ghost.put(NS, "k", "one", tags=["first"], files=["f"])
    ghost.put(NS, "k", "two", tags=["second"], files=[])
    back = ghost.restore(NS, "k", version=1)
    assert (back.version, back.content, back.tags, [f.path for f in back.files]) == (
        3,
        "one",
        ("first",),
        ["f"],
    )


@pytest.mark.parametrize("state", [{"pinned": True}, {"tags": ["locked"]}])
def test_a_restored_pinned_or_locked_version_does_not_expire(
    ghost: Ghost, state: dict[str, Any]
) -> None:
    """It does not inherit the expiry of the version that it replaces."""
    ghost.put(NS, "k", "one", **state)
    ghost.put(NS, "k", "two", pinned=False, tags=[], ttl="1d", unlock=True)
    back = ghost.restore(NS, "k", version=1)
    assert (back.content, back.protected, back.expires_at) == ("one", True, None)


def test_restore_of_a_live_memory_is_a_conflict(ghost: Ghost) -> None:
    """There is nothing to bring back."""
    ghost.put(NS, "k", "one")
    with pytest.raises(ConflictError, match="version 1 is current"):
        ghost.restore(NS, "k")


def test_restore_of_an_expired_memory_frees_it(ghost: Ghost, clock) -> None:  # type: ignore[no-untyped-def]
    """What expired but was not collected yet can be kept."""
    ghost.put(NS, "k", "one", ttl="60s")
    clock.forward(hours=1)
    assert ghost.restore(NS, "k").expires_at is None
    assert ghost.get(NS, "k").content == "one"


def test_patch_applies_a_diff_as_the_next_version(ghost: Ghost) -> None:
    """A diff against the current text makes the next version."""
    old, new = "a\nb\nc\nd\n", "a\nB\nc\nd\ne\n"
    ghost.put(NS, "k", old)
    diff = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True)))
    assert ghost.patch(NS, "k", diff, dry_run=True).content == new
    assert ghost.get(NS, "k").content == old
    assert (ghost.patch(NS, "k", diff).version, ghost.get(NS, "k").content) == (2, new)


def test_patch_refuses_what_does_not_fit(ghost: Ghost) -> None:
    """A context that is not there, an empty result or another base changes nothing."""
    ghost.put(NS, "k", "a\nb\n")
    with pytest.raises(PatchConflictError):
        ghost.patch(NS, "k", "@@ -1,2 +1,2 @@\n a\n-x\n+y\n")
    with pytest.raises(InvalidInputError, match="empty"):
        ghost.patch(NS, "k", "@@ -1,2 +0,0 @@\n-a\n-b\n")
    with pytest.raises(VersionConflictError):
        ghost.patch(NS, "k", "@@ -1,2 +1,2 @@\n a\n-b\n+y\n", base_version=7)
    assert ghost.get(NS, "k").version == 1


@pytest.mark.requirement("002-060")
def test_ns_list_and_rm(ghost: Ghost) -> None:
    """A namespace goes as a whole, softly; a prefix takes several; the others stay."""
    for ns in ("a:x", "a:y", "b"):
        ghost.put(ns, "k", "one")
        ghost.put(ns, "k", "two")
    assert [(i.ns, i.count, i.keys) for i in ghost.admin.namespaces()] == [
        ("a:x", 1, 1),
        ("a:y", 1, 1),
        ("b", 1, 1),
    ]
    assert ghost.admin.rm_namespace("a:*", dry_run=True).deleted == 2
    assert ghost.admin.rm_namespace("a:*").deleted == 2
    assert [m.ns for m in ghost.list()] == ["b"]
    assert ghost.restore("a:x", "k").content == "two"
    assert ghost.admin.rm_namespace("a:x", hard=True).deleted == 2
    assert [i.ns for i in ghost.admin.namespaces()] == ["a:y", "b"]


def test_ns_rm_needs_a_name(ghost: Ghost) -> None:
    """An empty filter would be everything, and is refused; an unknown one is not found."""
    for empty in ("", "*"):
        with pytest.raises(InvalidInputError, match="cannot be empty"):
            ghost.admin.rm_namespace(empty)
    with pytest.raises(NotFoundError):
        ghost.admin.rm_namespace("nobody")


def test_ns_rm_stops_at_a_lock(ghost: Ghost) -> None:
    """One locked memory keeps the whole namespace until unlocked."""
    ghost.put(NS, "a", "x")
    ghost.put(NS, "b", "x", tags=["locked"])
    with pytest.raises(LockedError, match="nothing was removed"):
        ghost.admin.rm_namespace(NS)
    assert len(ghost.list(NS)) == 2
    assert ghost.admin.rm_namespace(NS, unlock=True).deleted == 2


def test_tags_list_rename_rm(ghost: Ghost) -> None:
    """Tags are counted over live memories, renamed without doubles, and removed."""
    ghost.put(NS, "a", "x", tags=["red", "big"])
    ghost.put(NS, "b", "x", tags=["red", "crimson"])
    ghost.put("other", "c", "x", tags=["red"])
    assert [(t.tag, t.count) for t in ghost.admin.tags()] == [
        ("red", 3),
        ("big", 1),
        ("crimson", 1),
    ]
    assert ghost.admin.rename_tag("red", "crimson", NS).affected == 2
    assert ghost.get(NS, "b").tags == ("crimson",)
    assert ghost.get("other", "c").tags == ("red",)
    assert ghost.admin.rm_tag("crimson").affected == 2
    assert ghost.get(NS, "b").tags == ()
    assert ghost.admin.rename_tag("nope", "x").affected == 0
    ghost.put(NS, "brief", "text", tags=["keep"], ttl="1h")
    ghost.admin.rename_tag("keep", "locked")
    assert ghost.get(NS, "brief").expires_at is None
    with pytest.raises(InvalidInputError):
        ghost.admin.rename_tag("a", " ")


@pytest.mark.requirement("002-030", "002-168")
def test_gc_removes_expired_for_good(ghost: Ghost, clock) -> None:  # type: ignore[no-untyped-def]
    """Expired rows stay until gc; a dry run counts them; then they are gone with their chunks."""
    ghost.put(NS, "k", "one", ttl="60s")
    ghost.put(NS, "stays", "two")
    clock.forward(hours=1)
    assert ghost.admin.stats().total_memories == 2
    assert ghost.lifecycle.gc(dry_run=True).expired == 1
    done = ghost.lifecycle.gc()
    assert (done.expired, done.chunks_freed, done.remaining) == (1, 1, 1)
    assert ghost.admin.stats().total_memories == 1
    assert ghost.lifecycle.gc().expired == 0


@pytest.mark.requirement("002-187")
def test_gc_stale_spares_what_matters(ghost: Ghost, clock) -> None:  # type: ignore[no-untyped-def]
    """Unasked-for memories go softly; pinned, locked, high and critical ones and those read since stay."""
    for key, fields in {
        "plain": {},
        "read": {},
        "pin": {"pinned": True},
        "lock": {"tags": ["locked"]},
        "high": {"priority": "high"},
        "crit": {"priority": "critical"},
    }.items():
        ghost.put(NS, key, f"text of {key}", **fields)  # type: ignore[arg-type]
    clock.forward(days=20)
    ghost.get(NS, "read")
    clock.forward(days=20)
    preview = ghost.lifecycle.gc(stale="30d", dry_run=True)
    done = ghost.lifecycle.gc(stale="30d")
    assert (preview.stale, preview.protected) == (done.stale, done.protected) == (1, 4)
    assert "plain" not in {m.key for m in ghost.list(NS)}
    assert ghost.restore(NS, "plain").content == "text of plain"


def test_gc_purge_deletes_what_was_removed_long_ago(ghost: Ghost, clock) -> None:  # type: ignore[no-untyped-def]
    """Removed keys go with their history after the time given; the history of live keys stays."""
    ghost.put(NS, "gone", "one")
    ghost.put(NS, "gone", "two")
    ghost.put(NS, "live", "one")
    ghost.put(NS, "live", "two")
    ghost.rm(NS, "gone")
    assert ghost.lifecycle.gc(purge_deleted="30d").purged == 0
    clock.forward(days=31)
    assert ghost.lifecycle.gc(purge_deleted="30d", vacuum=True).purged == 2
    assert len(ghost.history(NS, "live")) == 2
    ghost.rm(NS, "live")
    assert ghost.lifecycle.gc(purge_deleted="all").purged == 2
    assert ghost.admin.stats().total_memories == 0


@pytest.mark.parametrize("bad", [{"stale": "old"}, {"purge_deleted": "1"}])
def test_gc_refuses_bad_durations(ghost: Ghost, bad: dict[str, str]) -> None:
    """A duration that cannot be read removes nothing."""
    with pytest.raises(InvalidInputError):
        ghost.lifecycle.gc(**bad)  # type: ignore[arg-type]
