"""Keys, versions and what removes or brings them back mean the same on every engine."""

from collections.abc import Callable
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError, NotFoundError
from ghostmem.errors import ConflictError, LockedError

NS = "agent:me"


def test_a_put_on_a_key_inherits_what_is_not_named(ghost: Ghost) -> None:
    """A new version keeps tags, kind, meta and files, and knows which one it follows."""
    first = ghost.put(
        NS,
        "tea",
        "Green.",
        tags=["drink"],
        kind="procedural",
        meta={"n": [1, None, "é"]},
        files=["src/a.py"],
    )
    second = ghost.put(NS, "tea", "Black.")
    assert (first.version, second.version, second.supersedes) == (1, 2, first.id)
    assert (second.tags, second.kind, second.meta) == (
        ("drink",),
        "procedural",
        {"n": [1, None, "é"]},
    )
    assert [file.path for file in ghost.get(NS, "tea").files] == ["src/a.py"]
    assert [one.content for one in ghost.history(NS, "tea")] == ["Green.", "Black."]
    assert ghost.get(NS, "tea", version=1).content == "Green."


def test_the_same_again_is_no_version_but_reinforces(ghost: Ghost) -> None:
    """The same content and fields count as one more use."""
    ghost.put(NS, "tea", "Green.")
    again = ghost.put(NS, "tea", "Green.")
    assert (again.version, again.access_count) == (1, 1)
    assert ghost.put(NS, "tea", "Green.", importance=0.9).version == 2


def test_compare_and_set(ghost: Ghost) -> None:
    """A put on a version that is not current is refused, and changes nothing."""
    ghost.put(NS, "tea", "Green.", base_version=0)
    ghost.put(NS, "tea", "Black.", base_version=1)
    for version in (0, 1, 3):
        with pytest.raises(ConflictError):
            ghost.put(NS, "tea", "White.", base_version=version)
    assert ghost.get(NS, "tea").content == "Black."


def test_what_was_believed_at_a_time(ghost: Ghost, clock: Any) -> None:
    """get, search and context answer as of a moment."""
    ghost.put(NS, "tea", "Sam drinks green tea.")
    then = clock()
    clock.forward(days=1)
    ghost.put(NS, "tea", "Sam drinks black tea.")
    assert ghost.get(NS, "tea", as_of=then).content == "Sam drinks green tea."
    assert [hit.content for hit in ghost.search("Sam tea", NS, as_of=then)] == [
        "Sam drinks green tea."
    ]
    assert "green" in ghost.context("Sam tea", NS, as_of=then).to_dict()["memories"][0]["content"]
    with pytest.raises(NotFoundError):
        ghost.get(NS, "tea", as_of="2020-01-01")


def test_removing_restoring_and_collecting(ghost: Ghost, clock: Any) -> None:
    """A soft removal can be taken back until gc purges it; a hard one is gone at once."""
    for key in ("a", "b", "c"):
        ghost.put(NS, key, f"Memory {key} about harbours.")
    ghost.edge(NS, "a", "b", "depends_on")
    assert ghost.rm(NS, "a", dry_run=True)
    assert ghost.get(NS, "a")
    ghost.rm(NS, "a")
    with pytest.raises(NotFoundError):
        ghost.get(NS, "a")
    assert [memory.key for memory in ghost.list(NS, deleted=True)] == ["a"]
    assert ghost.restore(NS, "a").content == "Memory a about harbours."
    ghost.rm(NS, "b", hard=True, all_versions=True)
    assert ghost.edges(NS) == []
    with pytest.raises(NotFoundError):
        ghost.restore(NS, "b")
    ghost.rm(NS, "a")
    clock.forward(days=40)
    assert ghost.lifecycle.gc(purge_deleted="30d").purged == 1
    assert [memory.key for memory in ghost.list(NS)] == ["c"]


def test_what_expires_is_hidden_and_then_collected(ghost: Ghost, clock: Any) -> None:
    """Nothing that has expired is found, and gc deletes it."""
    ghost.put(NS, "soon", "The ferry leaves soon.", ttl="1h")
    ghost.put(NS, "ever", "The ferry leaves every day.")
    clock.forward(hours=2)
    assert [memory.key for memory in ghost.list(NS)] == ["ever"]
    assert [hit.key for hit in ghost.search("ferry leaves", NS)] == ["ever"]
    ghost.lifecycle.gc()
    assert ghost.admin.stats().total_memories == 1


def test_a_locked_memory_needs_unlock(ghost: Ghost) -> None:
    """The tag guards against put, patch and rm."""
    ghost.put(NS, "law", "Never on Sundays.", tags=["locked"])
    for call in (
        lambda: ghost.put(NS, "law", "Always."),
        lambda: ghost.rm(NS, "law"),
        lambda: ghost.curate(NS, "law", "archive"),
    ):
        with pytest.raises(LockedError):
            call()
    assert ghost.put(NS, "law", "On Sundays too.", unlock=True).version == 2


def test_patching(ghost: Ghost) -> None:
    """A diff applies to the current text, or to none."""
    ghost.put(NS, "list", "milk\neggs\ntea\n")
    assert (
        ghost.patch(NS, "list", "@@ -1,3 +1,3 @@\n milk\n-eggs\n+bread\n tea\n").content
        == "milk\nbread\ntea\n"
    )
    with pytest.raises(ConflictError):
        ghost.patch(NS, "list", "@@ -1,3 +1,3 @@\n milk\n-eggs\n+rice\n tea\n")


def test_curating(ghost: Ghost) -> None:
    """Every word of curate does what it says."""
    ghost.put(NS, "tea", "Green.")
    for op, field, value in (
        ("promote", "tier", "ltm"),
        ("demote", "tier", "stm"),
        ("archive", "tier", "dormant"),
        ("pin", "pinned", True),
        ("unpin", "pinned", False),
    ):
        ghost.curate(NS, "tea", op)
        assert getattr(ghost.get(NS, "tea"), field) == value, op
    before = ghost.get(NS, "tea").importance
    ghost.curate(NS, "tea", "boost")
    assert ghost.get(NS, "tea").importance > before
    ghost.curate(NS, "tea", "delete")
    with pytest.raises(NotFoundError):
        ghost.get(NS, "tea")


def test_tags_are_counted_renamed_and_removed(ghost: Ghost) -> None:
    """In one namespace, and nowhere else."""
    ghost.put(NS, "a", "One.", tags=["red", "über"])
    ghost.put(NS, "b", "Two.", tags=["red"])
    ghost.put("other", "c", "Three.", tags=["red"])
    assert [(tag.tag, tag.count) for tag in ghost.admin.tags(NS)] == [("red", 2), ("über", 1)]
    ghost.admin.rename_tag("red", "blue", NS)
    ghost.admin.rm_tag("über", NS)
    assert [(tag.tag, tag.count) for tag in ghost.admin.tags(NS)] == [("blue", 2)]
    assert ghost.get("other", "c").tags == ("red",)


def test_namespaces_come_and_go(ghost: Ghost) -> None:
    """A namespace that was removed for good leaves no name, and its key can be put anew."""
    ghost.put("team:a", "k", "One.")
    ghost.put("team:b", "k", "Two.")
    assert [(one.ns, one.count) for one in ghost.admin.namespaces("team:*")] == [
        ("team:a", 1),
        ("team:b", 1),
    ]
    ghost.admin.rm_namespace("team:a", hard=True)
    assert [one.ns for one in ghost.admin.namespaces()] == ["team:b"]
    assert ghost.put("team:a", "k", "One again.").version == 1
    assert ghost.admin.verify_log().ok


def test_forgetting_a_source(ghost: Ghost) -> None:
    """What a source said goes, with what was derived from it; the rest stays."""
    ghost.put(NS, "a", "Ann likes rain.", source_user="Ann")
    ghost.put(NS, "b", "Bo likes snow.", source_user="Bo")
    assert ghost.forget(source="Ann", dry_run=True)
    assert ghost.get(NS, "a")
    ghost.forget(source="Ann", hard=True)
    assert [memory.key for memory in ghost.list(NS)] == ["b"]


def test_use_is_counted_by_day(ghost: Ghost, clock: Any) -> None:
    """`used` counts help, and get counts use."""
    ghost.put(NS, "a", "One.")
    ghost.used(NS, ["a"])
    clock.forward(days=1)
    ghost.get(NS, "a")
    ghost.get(NS, "a")
    found = ghost.list(NS)[0]
    assert (found.utility_count, found.access_count) == (1, 2)
    with ghost.store.engine.read() as tx:
        assert [(one.day, one.used) for one in tx.journal.accesses()] == [
            ("2026-03-14", 1),
            ("2026-03-15", 2),
        ]


def test_bad_input_is_refused_before_anything_is_written(ghost: Ghost) -> None:
    """The same words on every engine."""
    for ns, key, content in (
        ("Bad ns", "k", "x"),
        (NS, "", "x"),
        (NS, "k", ""),
        (NS, "k", "nul \0 inside"),
    ):
        with pytest.raises(InvalidInputError):
            ghost.put(ns, key, content)
    assert ghost.admin.stats().total_memories == 0


def test_of_several_equal_memories_a_restatement_names_the_newest(ghost: Ghost) -> None:
    """Which of the equal memories a verdict names does not depend on the engine."""
    ghost.put(NS, "red-cup", "The cup is on the shelf.", created_at="2026-02-01")
    ghost.put(NS, "big-cup", "The cup is on the shelf.", created_at="2026-01-01")
    verdict = ghost.put(NS, "old-cup", "The cup is on the shelf.").verdict
    assert verdict is not None
    assert verdict.key == "big-cup"


@pytest.mark.parametrize(
    "call",
    [
        lambda ghost, ns: ghost.curate(ns, "k", "pin"),
        lambda ghost, ns: ghost.used(ns, ["k"]),
        lambda ghost, ns: ghost.edge(ns, "k", "l", "refines"),
        lambda ghost, ns: ghost.graph.rm_edge(ns, "k", "l", "refines"),
        lambda ghost, ns: ghost.graph.link(ns, "k", "l", "refines"),
        lambda ghost, ns: ghost.reopen(ns, "k"),
    ],
    ids=["curate", "used", "edge", "rm_edge", "link", "reopen"],
)
@pytest.mark.parametrize("ns", [["a"], None, "a\0b"], ids=["list", "none", "nul"])
def test_a_namespace_that_is_no_text_is_refused(
    ghost: Ghost, call: Callable[[Ghost, Any], object], ns: object
) -> None:
    """Before an engine sees it."""
    with pytest.raises(InvalidInputError):
        call(ghost, ns)
