"""put: versions, inheritance, reinforcement, compare-and-swap, locks and defaults."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from ghostmem import (
    FileRef,
    Ghost,
    InvalidInputError,
    Kind,
    LockedError,
    NotFoundError,
    Outcome,
    Priority,
    SourceKind,
    Tier,
    VersionConflictError,
)
from ghostmem.ids import is_ulid

NS = "agent:pikamini"


@pytest.mark.requirement("002-012", "002-016", "002-168")
def test_first_put_makes_version_one(ghost: Ghost) -> None:
    """A new key starts at version 1, supersedes nothing, and comes back exactly as put."""
    memory = ghost.put(NS, "greeting", "Hello,\n  wörld 🌍 \r\n\ttabs stay ")
    assert (memory.version, memory.supersedes, memory.outcome) == (1, None, Outcome.CREATED)
    assert ghost.get(NS, "greeting").content == "Hello,\n  wörld 🌍 \r\n\ttabs stay "


@pytest.mark.requirement("002-012", "002-023")
def test_second_put_makes_version_two(ghost: Ghost) -> None:
    """Different content under a key is the next version, which names the one before it."""
    first = ghost.put(NS, "k", "one")
    second = ghost.put(NS, "k", "two")
    assert (second.version, second.supersedes, second.outcome) == (2, first.id, Outcome.UPDATED)
    assert ghost.get(NS, "k").content == "two"
    assert ghost.get(NS, "k", version=1).content == "one"


@pytest.mark.requirement("002-013")
def test_ids_are_ulids_that_sort_by_time(ghost: Ghost) -> None:
    """Every version has its own ULID, and later ones sort later."""
    ids = [ghost.put(NS, "k", f"text {n}").id for n in range(50)]
    assert all(is_ulid(i) for i in ids)
    assert all(a < b for a, b in pairwise(ids))


@pytest.mark.requirement("002-015", "002-060")
def test_same_key_in_two_namespaces_is_two_memories(ghost: Ghost) -> None:
    """A key is unique within its namespace only."""
    ghost.put("agent:a", "k", "of a")
    ghost.put("agent:b", "k", "of b")
    assert ghost.get("agent:a", "k").content == "of a"
    assert ghost.get("agent:b", "k").content == "of b"


def test_same_content_again_reinforces(ghost: Ghost) -> None:
    """Repeating content and fields makes no version; it counts as use."""
    ghost.put(NS, "k", "same", tags=["a"], importance=0.7)
    again = ghost.put(NS, "k", "same", tags=["a"])
    assert (again.version, again.outcome, again.access_count) == (1, Outcome.REINFORCED, 1)
    assert len(ghost.history(NS, "k")) == 1


def test_same_content_with_other_fields_is_a_version(ghost: Ghost) -> None:
    """A field that differs is worth a version even when the text is the same."""
    ghost.put(NS, "k", "same", tags=["a"])
    assert ghost.put(NS, "k", "same", tags=["b"]).version == 2


@pytest.mark.requirement("002-020")
def test_a_new_version_inherits_what_is_not_named(ghost: Ghost) -> None:
    """Kind, tier, priority, importance, pin, tags, meta, files and source carry over; counters too."""
    fields = {
        "kind": "procedural",
        "tier": "ltm",
        "priority": "high",
        "importance": 0.9,
        "pinned": True,
        "tags": ["x", "y"],
        "meta": {"a": [1, {"b": None}]},
        "files": [("src/app.py", "created")],
        "source_user": "ann",
        "source_kind": "stated",
        "source_scope": "chat:7",
        "source_client": "cli",
    }
    ghost.put(NS, "k", "one", **fields)  # type: ignore[arg-type]
    ghost.get(NS, "k")
    second = ghost.put(NS, "k", "two", importance=0.3)
    assert (second.kind, second.tier, second.priority, second.pinned) == (
        Kind.PROCEDURAL,
        Tier.LTM,
        Priority.HIGH,
        True,
    )
    assert (second.importance, second.tags, second.meta) == (
        0.3,
        ("x", "y"),
        {"a": [1, {"b": None}]},
    )
    assert second.files == (FileRef("src/app.py", "created"),)  # type: ignore[arg-type]
    assert (second.source_user, second.source_kind, second.source_scope) == (
        "ann",
        SourceKind.STATED,
        "chat:7",
    )
    assert second.access_count == 1
    assert ghost.get(NS, "k").to_dict()["files"] == [{"path": "src/app.py", "rel": "created"}]


@pytest.mark.requirement("002-196")
def test_put_infers_nothing_the_caller_did_not_give(ghost: Ghost) -> None:
    """Importance, utility and tier are the caller's word or the defaults."""
    memory = ghost.put(NS, "k", "EXTREMELY IMPORTANT! never forget!")
    assert (memory.importance, memory.utility_count, memory.tier, memory.priority) == (
        0.5,
        0,
        Tier.STM,
        Priority.NORMAL,
    )
    assert memory.pinned is False


@pytest.mark.requirement("002-018")
@pytest.mark.parametrize(
    ("tier", "kind"),
    [
        (None, "episodic"),
        ("sensory", "episodic"),
        ("stm", "episodic"),
        ("ltm", "semantic"),
        ("dormant", "semantic"),
    ],
)
def test_kind_defaults_by_tier(
    open_ghost: Callable[..., Ghost], tier: str | None, kind: str
) -> None:
    """As specified, short-lived tiers hold episodes and long-lived ones facts; by default all are facts."""
    specified = open_ghost(":memory:", default_kind="tier")
    assert specified.put(NS, "k", "text", tier=tier).kind == kind
    assert specified.put(NS, "k2", "text", tier=tier, kind="procedural").kind == "procedural"
    assert open_ghost(":memory:").put(NS, "k", "text", tier=tier).kind == "semantic"


@pytest.mark.requirement("002-017", "002-195")
def test_the_same_three_kinds_in_every_namespace(ghost: Ghost) -> None:
    """Kind says what sort of knowledge it is, the namespace whose."""
    for ns in ("agent:a", "project:b"):
        assert [ghost.put(ns, kind, "text", kind=kind).kind for kind in Kind] == list(Kind)


@pytest.mark.requirement("002-067")
def test_identity_means_pinned_long_term(ghost: Ghost) -> None:
    """The original's identity tier becomes a pinned ltm memory."""
    memory = ghost.put(NS, "who", "I am Pika.", tier="identity")
    assert (memory.tier, memory.pinned) == (Tier.LTM, True)


@pytest.mark.requirement("002-019")
def test_pinned_is_stored_and_returned(ghost: Ghost) -> None:
    """A pin is set by put and can be taken back by put."""
    assert ghost.put(NS, "k", "text", pinned=True).pinned
    assert ghost.get(NS, "k").pinned
    assert not ghost.put(NS, "k", "text", pinned=False).pinned


@pytest.mark.requirement("002-028")
def test_est_tokens_are_bytes_over_four_plus_twenty(ghost: Ghost) -> None:
    """The estimate counts UTF-8 bytes."""
    assert ghost.put(NS, "k", "a" * 41).est_tokens == 30
    assert ghost.put(NS, "k", "界" * 4).est_tokens == 23


@pytest.mark.requirement("002-029")
def test_ttl_sets_expiry_on_the_clock(ghost: Ghost, clock) -> None:  # type: ignore[no-untyped-def]
    """expires_at is the clock's time plus the ttl."""
    memory = ghost.put(NS, "k", "text", ttl="7d")
    assert memory.expires_at is not None
    assert memory.expires_at - memory.created_at == timedelta(days=7)


@pytest.mark.parametrize("ttl", ["", "7", "7x", "d7", "-1d", "1.5h", "7 d", "９d"])
def test_bad_ttl_is_refused(ghost: Ghost, ttl: str) -> None:
    """A ttl is a number and one of d, h, m, s; the error names what was given."""
    with pytest.raises(InvalidInputError, match="not a duration") as caught:
        ghost.put(NS, "k", "text", ttl=ttl)
    assert repr(ttl) in caught.value.message
    assert "7d" in caught.value.hint


def test_repeating_with_a_ttl_moves_the_expiry(ghost: Ghost, clock) -> None:  # type: ignore[no-untyped-def]
    """The same content with a ttl again lives longer without a new version, and ttl=never frees it."""
    ghost.put(NS, "k", "text", ttl="1h")
    clock.forward(minutes=30)
    again = ghost.put(NS, "k", "text", ttl="1h")
    assert again.version == 1
    clock.forward(minutes=45)
    assert ghost.get(NS, "k").content == "text"
    assert ghost.put(NS, "k", "text", ttl="never").expires_at is None


@pytest.mark.requirement("002-030")
def test_expired_is_hidden_at_once_and_a_put_starts_afresh(ghost: Ghost, clock) -> None:  # type: ignore[no-untyped-def]
    """After its time a memory is gone from every read; a new put does not inherit from it but keeps counting versions."""
    ghost.put(NS, "k", "old", ttl="60s", tags=["t"])
    clock.forward(seconds=61)
    with pytest.raises(NotFoundError, match="k"):
        ghost.get(NS, "k")
    assert ghost.list(NS) == []
    fresh = ghost.put(NS, "k", "new")
    assert (fresh.version, fresh.tags, fresh.outcome) == (2, (), Outcome.CREATED)


@pytest.mark.parametrize("state", [{"pinned": True}, {"tags": ["locked"]}])
def test_pinned_and_locked_do_not_expire(ghost: Ghost, state: dict[str, object]) -> None:
    """A ttl on what maintenance may not touch is a contradiction, and an error."""
    with pytest.raises(InvalidInputError, match="cannot expire"):
        ghost.put(NS, "k", "text", ttl="1h", **state)  # type: ignore[arg-type]
    assert ghost.list(NS) == []


@pytest.mark.parametrize("state", [{"pinned": True}, {"tags": ["locked"]}])
def test_a_repetition_lets_no_pinned_or_locked_memory_expire(
    ghost: Ghost, state: dict[str, object]
) -> None:
    """The same text with a ttl is refused like another text; a locked one is not changed at all."""
    ghost.put(NS, "k", "text", **state)  # type: ignore[arg-type]
    with pytest.raises((InvalidInputError, LockedError)):
        ghost.put(NS, "k", "text", ttl="1h")
    with pytest.raises(InvalidInputError, match="cannot expire"):
        ghost.put(NS, "k", "text", ttl="1h", unlock=True)
    assert ghost.get(NS, "k").expires_at is None
    assert ghost.put(NS, "k", "text", ttl="never").outcome is Outcome.REINFORCED
    assert ghost.put(NS, "k", "other", unlock=True).version == 2


def test_base_version_is_compare_and_swap(ghost: Ghost) -> None:
    """A put with a base succeeds only on that very version; 0 means the key must be new."""
    assert ghost.put(NS, "k", "one", base_version=0).version == 1
    with pytest.raises(VersionConflictError, match="is at version 1, not at version 0"):
        ghost.put(NS, "k", "two", base_version=0)
    assert ghost.put(NS, "k", "two", base_version=1).version == 2
    with pytest.raises(VersionConflictError, match="version 2"):
        ghost.put(NS, "k", "three", base_version=1)
    with pytest.raises(VersionConflictError, match="does not exist"):
        ghost.put(NS, "other", "text", base_version=1)
    assert ghost.get(NS, "k").content == "two"


def test_locked_needs_unlock(ghost: Ghost) -> None:
    """The tag `locked` guards a memory until the caller says unlock; saying the same again is no change."""
    ghost.put(NS, "k", "truth", tags=["locked"])
    with pytest.raises(LockedError, match=r"agent:pikamini/k is locked"):
        ghost.put(NS, "k", "lie")
    assert ghost.put(NS, "k", "truth").outcome is Outcome.REINFORCED
    assert ghost.put(NS, "k", "new truth", unlock=True).version == 2


def test_dedup_is_off_by_default(ghost: Ghost) -> None:
    """A put to a new key always creates that key."""
    ghost.put(NS, "a", "the very same text")
    assert ghost.put(NS, "b", "the very same text").key == "b"


def test_dedup_reinforces_the_other_key(ghost: Ghost) -> None:
    """With dedup the same content elsewhere in the namespace is reinforced instead, and the answer says so."""
    ghost.put(NS, "a", "the very same text")
    found = ghost.put(NS, "b", "the very same text", dedup=True)
    assert (found.key, found.requested_key, found.outcome) == ("a", "b", Outcome.REINFORCED)
    assert ghost.put("agent:other", "b", "the very same text", dedup=True).key == "b"


def test_created_at_and_valid_times_are_kept(ghost: Ghost) -> None:
    """A caller may say when something was said and since when it is true; the time of recording is kept beside it."""
    memory = ghost.put(
        NS,
        "k",
        "text",
        created_at="2023-05-08 13:56",
        valid_from="2023-05-01",
        valid_to="2024-01-01T00:00:00+02:00",
    )
    assert memory.created_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    found = ghost.get(NS, "k")
    assert found.valid_from == datetime(2023, 5, 1, tzinfo=UTC)
    assert found.valid_to == datetime(2023, 12, 31, 22, tzinfo=UTC)
    assert found.recorded_at is not None
    assert found.recorded_at.year == 2026


def test_times_keep_microseconds(ghost: Ghost) -> None:
    """Times are stored to the microsecond in UTC."""
    at = datetime(2024, 2, 29, 23, 59, 59, 123457, tzinfo=UTC)
    ghost.put(NS, "k", "text", created_at=at)
    assert ghost.get(NS, "k").created_at == at


BAD = [
    ({"ns": ""}, "namespace is required"),
    ({"ns": "_x"}, "_x"),
    ({"ns": "a::b"}, "a::b"),
    ({"ns": "a b"}, "a b"),
    ({"ns": "n" * 129}, "129 characters"),
    ({"key": " "}, "key is required"),
    ({"key": "two\nlines"}, "two"),
    ({"key": "k" * 513}, "513 characters"),
    ({"content": " \n"}, "content is required"),
    ({"content": "nul\x00byte"}, "NUL byte at position 3"),
    ({"content": "lone \ud800"}, "U+D800"),
    ({"content": "x" * 10_000_001}, "10,000,001 bytes"),
    ({"kind": "fact"}, "'fact'"),
    ({"tier": "archive"}, "'archive'"),
    ({"priority": "urgent"}, "'urgent'"),
    ({"importance": 1.5}, "1.5"),
    ({"importance": -0.1}, "-0.1"),
    ({"importance": float("nan")}, "nan"),
    ({"tags": "a,b"}, "must be a list"),
    ({"tags": [""]}, "invalid tag"),
    ({"meta": {"x": object()}}, "meta"),
    ({"meta": {"x": float("inf")}}, "meta"),
    ({"files": [("a", "touched")]}, "'touched'"),
    ({"files": [""]}, "file path"),
    ({"source_kind": "rumour"}, "'rumour'"),
    ({"created_at": "yesterday"}, "'yesterday'"),
    ({"base_version": -1}, "-1"),
]


@pytest.mark.requirement("002-014", "002-017", "002-018", "002-020", "002-021", "002-032")
@pytest.mark.parametrize(
    ("change", "named"), BAD, ids=[f"{next(iter(c))}-{n[:12]}" for c, n in BAD]
)
def test_bad_input_is_refused_and_changes_nothing(
    ghost: Ghost, change: dict[str, object], named: str
) -> None:
    """Each bad value gives one error that names it and the next step, and the store stays as it was."""
    ghost.put(NS, "k", "before")
    before = list(ghost.export())
    given: dict[str, object] = {"ns": NS, "key": "k", "content": "after", **change}
    with pytest.raises(InvalidInputError) as caught:
        ghost.put(**given)  # type: ignore[arg-type]
    assert named in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code == 2
    assert list(ghost.export()) == before


@pytest.mark.requirement("002-014", "002-061", "002-066")
@pytest.mark.parametrize(
    "ns",
    [
        "proj",
        "my-project",
        "reflect:agent-memory",
        "a:b:c",
        "project_name",
        "A:B",
        "-100999",
        "relay:chat:-1001",
    ],
)
def test_good_namespaces_are_accepted(ghost: Ghost, ns: str) -> None:
    """Segments of letters, digits, - and _ joined by colons, also negative chat ids."""
    assert ghost.put(ns, "k", "text").ns == ns


@pytest.mark.requirement("002-024", "002-064", "002-065", "002-066")
def test_any_tag_is_accepted(ghost: Ghost) -> None:
    """Conventions such as project:<name> are conventions; unknown tags, quotes and other scripts work as well."""
    tags = ["identity", "chat:123", "project:ghost", "user:ann", 'a "quoted" one', "標籤", "x%_y"]
    ghost.put(NS, "k", "text", tags=tags)
    assert list(ghost.get(NS, "k").tags) == tags
    for tag in tags:
        assert [m.key for m in ghost.list(NS, tags=[tag])] == ["k"]


@pytest.mark.requirement("002-031", "002-051")
def test_chunks_are_stored_with_lines(ghost: Ghost) -> None:
    """A long content is stored in ordered pieces that know their lines and cover the text."""
    content = "\n\n".join(
        f"## Part {n}\n" + f"Sentence number {n} says a little more. " * 8 for n in range(6)
    )
    memory = ghost.put(NS, "k", content)
    pieces = ghost.chunks(NS, "k")
    assert len(pieces) == memory.chunks
    assert len(pieces) > 3
    assert [p.seq for p in pieces] == list(range(len(pieces)))
    lines = content.split("\n")
    for piece in pieces:
        assert piece.text.split("\n")[0].strip() in lines[piece.start_line - 1]
        assert len(piece.text) <= 600
    assert pieces[0].to_dict()["start_line"] == 1


@pytest.mark.requirement("002-031")
def test_a_new_version_replaces_the_chunks(ghost: Ghost) -> None:
    """Only the current version is indexed."""
    ghost.put(NS, "k", "word " * 400)
    ghost.put(NS, "k", "short")
    assert [c.text for c in ghost.chunks(NS, "k")] == ["short"]
    assert ghost.admin.stats().total_chunks == 1


def test_a_put_that_leaves_a_memory_dormant_says_so(ghost: Ghost) -> None:
    """Search does not show an archived memory, so its update has a note; a named tier needs none."""
    ghost.put(NS, "k", "one")
    ghost.curate(NS, "k", "archive")
    (note,) = ghost.put(NS, "k", "two").notes
    assert f"{NS}/k is dormant" in note
    assert "--tier stm" in note
    (note,) = ghost.patch(NS, "k", "@@ -1 +1 @@\n-two\n+three\n").notes
    assert f"{NS}/k is dormant" in note
    assert ghost.put(NS, "k", "four", tier="dormant").notes == ()
    revived = ghost.put(NS, "k", "five", tier="stm")
    assert (revived.tier, revived.notes) == (Tier.STM, ())


def test_a_period_that_ends_before_it_begins_is_refused(ghost: Ghost) -> None:
    """The error has both times; an import keeps such a memory that an earlier version stored."""
    times = {"valid_from": "2026-02-01", "valid_to": "2026-01-01"}
    with pytest.raises(InvalidInputError, match="valid_to 2026-01-01T.* valid_from 2026-02-01T"):
        ghost.put(NS, "k", "one", **times)  # type: ignore[arg-type]
    captured = ghost.capture(None, NS, candidates=[{"content": "one", **times}])
    assert "valid_to 2026-01-01T" in captured.refused[0]
    assert ghost.list(NS) == []
    ghost.put(NS, "k", "one", valid_from="2026-02-01", valid_to="2026-02-01")
    old = [re.sub(r'("valid_to": ?"2026)-02', r"\1-01", line) for line in ghost.export()]
    ghost.rm(NS, "k", hard=True, all_versions=True)
    assert ghost.import_(old).imported == 1
    assert ghost.get(NS, "k").valid_to == datetime(2026, 1, 1, tzinfo=UTC)
