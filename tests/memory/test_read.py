"""get, history, list, files, peek and stats."""

import pytest

from ghostmem import Ghost, InvalidInputError, NotFoundError

NS = "agent:a"


def fill(ghost: Ghost) -> None:
    """Store six memories in three namespaces."""
    ghost.put(
        NS, "tea", "green tea", tags=["drink", "likes"], kind="semantic", created_at="2026-01-01"
    )
    ghost.put(
        NS,
        "run",
        "ran 5 km",
        tags=["sport"],
        kind="episodic",
        created_at="2026-01-03",
        source_user="ann",
        source_scope="chat:1",
    )
    ghost.put(
        NS,
        "ship",
        "push to main",
        kind="procedural",
        tier="ltm",
        priority="high",
        created_at="2026-01-02",
        files=["deploy.sh"],
    )
    ghost.put("agent:a:sub", "x", "below", created_at="2026-01-04", pinned=True)
    ghost.put("agent:ab", "y", "beside", created_at="2026-01-05", tier="dormant")
    ghost.put("other", "z", "elsewhere", created_at="2026-01-06", source_kind="observed")


@pytest.mark.requirement("002-025")
def test_get_counts_the_retrieval_and_shows_the_count_before(ghost: Ghost) -> None:
    """access_count grows by one per get, and last_accessed_at is set."""
    ghost.put(NS, "k", "text")
    assert ghost.get(NS, "k").access_count == 0
    again = ghost.get(NS, "k")
    assert again.access_count == 1
    assert again.last_accessed_at is not None


def test_unknown_key_is_not_found_with_a_suggestion(ghost: Ghost) -> None:
    """The error names the memory and what comes close."""
    fill(ghost)
    with pytest.raises(NotFoundError, match="memory not found: agent:a/te") as caught:
        ghost.get(NS, "te")
    assert "tea" in caught.value.hint
    with pytest.raises(NotFoundError) as caught:
        ghost.get("agent:nobody", "tea")
    assert "agent:nobody" in caught.value.hint


def test_unknown_version_says_how_many_there_are(ghost: Ghost) -> None:
    """Asking for a version that never was names the number of those that are."""
    ghost.put(NS, "k", "text")
    with pytest.raises(NotFoundError, match="it has 1 version$"):
        ghost.get(NS, "k", version=9)
    with pytest.raises(NotFoundError) as caught:
        ghost.get(NS, "kk", version=9)
    assert caught.value.hint == "did you mean k?"


def test_history_is_oldest_first_and_includes_removed(ghost: Ghost) -> None:
    """History shows every version with its state and counts nothing."""
    for text in ("one", "two", "three"):
        ghost.put(NS, "k", text)
    ghost.rm(NS, "k")
    found = ghost.history(NS, "k")
    assert [(m.version, m.content) for m in found] == [(1, "one"), (2, "two"), (3, "three")]
    assert all(m.deleted_at for m in found)
    assert all(m.access_count == 0 for m in found)
    with pytest.raises(NotFoundError):
        ghost.history(NS, "nope")


@pytest.mark.requirement("002-168")
def test_list_is_newest_first(ghost: Ghost) -> None:
    """The newest memory comes first, and only the current version of each."""
    fill(ghost)
    ghost.put(NS, "tea", "oolong", created_at="2026-01-01")
    assert [m.key for m in ghost.list()] == ["z", "y", "x", "run", "ship", "tea"]
    assert [m.content for m in ghost.list(NS)] == ["ran 5 km", "push to main", "oolong"]


@pytest.mark.requirement("002-024")
@pytest.mark.parametrize(
    ("filters", "keys"),
    [
        ({"ns": "agent:a"}, ["run", "ship", "tea"]),
        ({"ns": "agent:*"}, ["y", "x", "run", "ship", "tea"]),
        ({"ns": "agent:a:*"}, ["x"]),
        ({"ns": "agent:a*"}, ["y", "x", "run", "ship", "tea"]),
        ({"ns": "*", "kind": "procedural"}, ["ship"]),
        ({"tags": ["drink"]}, ["tea"]),
        ({"tags": ["drink", "sport"]}, []),
        ({"tier": "dormant"}, ["y"]),
        ({"priority": "high"}, ["ship"]),
        ({"pinned": True}, ["x"]),
        ({"after": "2026-01-04"}, ["z", "y", "x"]),
        ({"before": "2026-01-02"}, ["ship", "tea"]),
        ({"after": "2026-01-02", "before": "2026-01-03"}, ["run", "ship"]),
        ({"source_user": "ann"}, ["run"]),
        ({"source_scope": "chat:1"}, ["run"]),
        ({"source_kind": "observed"}, ["z"]),
        ({"file": "deploy.sh"}, ["ship"]),
        ({"file": "deploy.sh", "file_rel": "read"}, []),
        ({"key_prefix": "s"}, ["ship"]),
        ({"limit": 2}, ["z", "y"]),
        ({"limit": 2, "offset": 4}, ["ship", "tea"]),
    ],
)
def test_list_filters(ghost: Ghost, filters: dict[str, object], keys: list[str]) -> None:
    """Every filter narrows, together they narrow further."""
    fill(ghost)
    assert [m.key for m in ghost.list(**filters)] == keys  # type: ignore[arg-type]


@pytest.mark.requirement("002-062")
def test_a_namespace_never_shows_another(ghost: Ghost) -> None:
    """Exact reads stay inside; a prefix or no namespace reads several, and each result names its own."""
    fill(ghost)
    assert {m.ns for m in ghost.list("agent:a")} == {"agent:a"}
    assert {m.ns for m in ghost.list("agent:*")} == {"agent:a", "agent:a:sub", "agent:ab"}
    with pytest.raises(NotFoundError):
        ghost.get("other", "tea")


@pytest.mark.parametrize(
    "bad",
    [
        {"limit": 0},
        {"limit": -5},
        {"offset": -1},
        {"kind": "fact"},
        {"ns": "a*b"},
        {"after": "soon"},
    ],
)
def test_bad_filters_are_refused(ghost: Ghost, bad: dict[str, object]) -> None:
    """A wrong filter is an error, never an empty list."""
    with pytest.raises(InvalidInputError):
        ghost.list(**bad)  # type: ignore[arg-type]


def test_deleted_lists_what_is_not_live(ghost: Ghost) -> None:
    """Removed and superseded versions can be looked through."""
    ghost.put(NS, "k", "one")
    ghost.put(NS, "k", "two")
    ghost.put(NS, "gone", "x")
    ghost.rm(NS, "gone")
    assert {(m.key, m.version) for m in ghost.list(NS, deleted=True)} == {("k", 1), ("gone", 1)}


@pytest.mark.requirement("002-032", "002-055")
def test_files_finds_memories_about_a_file(ghost: Ghost) -> None:
    """The path matches exactly, the relation optionally."""
    ghost.put(NS, "k", "text", files=[("src/a.py", "modified"), ("src/b.py", "read")])
    ghost.put(NS, "old", "text", files=["src/a.py"])
    ghost.put(NS, "old", "other", files=[])
    assert [m.key for m in ghost.files("src/a.py")] == ["k"]
    assert [m.key for m in ghost.files("src/b.py", rel="read")] == ["k"]
    assert ghost.files("src/b.py", rel="created") == []
    assert ghost.files("src") == []


@pytest.mark.requirement("002-177")
def test_peek_counts_tiers_and_shows_the_top_without_counting(ghost: Ghost) -> None:
    """Peek is a light index of the state and no access."""
    fill(ghost)
    ghost.put(NS, "who", "I am " + "very " * 80 + "long", tier="identity", importance=1.0)
    found = ghost.admin.peek(NS)
    assert found.total == 4
    assert found.memory_counts == {"stm": 2, "ltm": 2}
    assert found.pinned_summary.startswith("I am very")
    assert len(found.pinned_summary) <= 200
    assert found.recent_topics == ("sport", "drink", "likes")
    assert [s.key for s in found.high_importance][0] == "who"
    assert all(len(s.summary) <= 80 for s in found.high_importance)
    assert ghost.get(NS, "tea").access_count == 0


def test_stats_count_versions_and_live_ones(ghost: Ghost) -> None:
    """Stats tell live memories from all versions, by namespace."""
    fill(ghost)
    ghost.put(NS, "tea", "oolong")
    ghost.rm("other", "z")
    found = ghost.admin.stats()
    assert (found.total_memories, found.active_memories, found.total_files) == (7, 5, 1)
    assert {info.ns: info.count for info in found.namespaces} == {
        "agent:a": 3,
        "agent:a:sub": 1,
        "agent:ab": 1,
        "other": 0,
    }


def test_to_dict_leaves_out_what_is_empty(ghost: Ghost) -> None:
    """JSON has the specification's names, times as RFC 3339, and no empty optional fields."""
    found = ghost.put(NS, "k", "text", tags=["t"]).to_dict()
    assert found["created_at"].endswith("Z")
    assert found["tags"] == ["t"]
    assert "supersedes" not in found
    assert "deleted_at" not in found
    assert found["pinned"] is False


def test_a_key_is_looked_up_in_one_namespace(ghost: Ghost) -> None:
    """The error for a prefix suggests no keys, which would not be found there either."""
    ghost.put(NS, "tea", "green")
    with pytest.raises(NotFoundError) as error:
        ghost.get("agent:*", "tea")
    assert error.value.hint.startswith("give one namespace")
