"""ghost ns list, tree and rm"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture(autouse=True)
def three_namespaces(ghost_cli: "GhostCli") -> None:
    """Fill three namespaces, one below another."""
    for ns, key in (("agent:a", "x"), ("agent:a", "y"), ("agent:a:sub", "z"), ("other", "w")):
        ghost_cli.ok("put", "-n", ns, "-k", key, "one")
    ghost_cli.ok("put", "-n", "agent:a", "-k", "x", "two")


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ([], [("agent:a", 2, 2), ("agent:a:sub", 1, 1), ("other", 1, 1)]),
        (["agent:a"], [("agent:a", 2, 2)]),
        (["agent:*"], [("agent:a", 2, 2), ("agent:a:sub", 1, 1)]),
        (["nobody"], []),
    ],
)
def test_list_counts_memories_and_keys(
    ghost_cli: "GhostCli", args: list[str], found: list[tuple[str, int, int]]
) -> None:
    """Each namespace with its live memories and its keys, in order."""
    assert [
        (row["ns"], row["count"], row["keys"]) for row in ghost_cli.rows("ns", "list", *args)
    ] == found


def test_list_in_text(ghost_cli: "GhostCli") -> None:
    """One line per namespace, in words a person would write."""

    assert ghost_cli.ok("ns", "list").splitlines() == [
        "agent:a  2 memories, 2 keys",
        "agent:a:sub  1 memory, 1 key",
        "other  1 memory, 1 key",
    ]


def test_an_empty_store_has_no_namespaces(ghost_cli: "GhostCli") -> None:
    """Nothing there: exit 0, a word on standard error only."""
    result = ghost_cli("ns", "list", "--db", ":memory:")
    assert (result.code, result.out, result.err) == (0, "", "no namespaces yet\n")


def test_tree_shows_segments(ghost_cli: "GhostCli") -> None:
    """The tree has a line per segment, also for those that hold nothing themselves."""
    assert [line.split("  (")[0] for line in ghost_cli.ok("ns", "tree").splitlines()] == [
        "agent",
        "  a",
        "    sub",
        "other",
    ]
    rows = ghost_cli.rows("ns", "tree")
    assert [(row["ns"], row["depth"], row["count"]) for row in rows] == [
        ("agent", 0, 0),
        ("agent:a", 1, 2),
        ("agent:a:sub", 2, 1),
        ("other", 0, 1),
    ]
    assert [row["ns"] for row in ghost_cli.rows("ns", "tree", "other")] == ["other"]


def test_expired_memories_are_not_counted(ghost_cli: "GhostCli", wind: Any) -> None:
    """Expiry hides at once, in counts too."""

    ghost_cli.ok("put", "-n", "short", "-k", "s", "--ttl", "1h", "x")
    wind.forward(hours=2)
    assert sum(row["count"] for row in ghost_cli.rows("ns", "list", "short")) == 0


def test_rm_is_soft(ghost_cli: "GhostCli") -> None:
    """A namespace's memories are removed and can be restored one by one."""
    assert ghost_cli.ok("ns", "rm", "agent:a") == (
        "soft-deleted 2 memories in agent:a; `ghost restore -n agent:a -k KEY` brings one back\n"
    )
    assert ghost_cli.names() == ["other/w", "agent:a:sub/z"]
    ghost_cli.ok("restore", "-n", "agent:a", "x")
    assert ghost_cli.ok("get", "-n", "agent:a", "x") == "two\n"


def test_rm_takes_a_prefix(ghost_cli: "GhostCli") -> None:
    """agent:* goes through everything below."""
    found = ghost_cli.row("ns", "rm", "agent:*")
    assert found == {
        "ns": "agent:*",
        "deleted": 3,
        "hard": False,
        "dry_run": False,
        "action": "soft-deleted",
    }
    assert ghost_cli.names() == ["other/w"]


def test_rm_hard_deletes_every_version(ghost_cli: "GhostCli") -> None:
    """--hard leaves nothing behind, and counts versions."""
    assert (
        ghost_cli.ok("ns", "rm", "agent:a", "--hard", "--yes")
        == "permanently deleted 3 versions in agent:a\n"
    )
    assert ghost_cli("history", "-n", "agent:a", "x").code == 3
    assert [row["ns"] for row in ghost_cli.rows("ns", "list")] == ["agent:a:sub", "other"]
    assert ghost_cli.ok("check") == "clean\n"


@pytest.mark.parametrize("args", [[], ["--hard"]])
def test_rm_dry_run_counts_what_the_real_run_removes(
    ghost_cli: "GhostCli", args: list[str]
) -> None:
    """--dry-run reports the same numbers and changes nothing."""
    before = ghost_cli.ok("export")
    planned = ghost_cli.row("ns", "rm", "agent:*", *args, "--dry-run")
    assert ghost_cli.ok("export") == before
    assert ghost_cli.row("ns", "rm", "agent:*", *args) == {**planned, "dry_run": False}


def test_rm_stops_at_a_locked_memory(ghost_cli: "GhostCli") -> None:
    """One locked memory keeps the whole namespace, unless --unlock."""
    ghost_cli.ok("put", "-n", "agent:a", "-k", "y", "-t", "locked", "one")
    error, _ = ghost_cli.fails(4, "ns", "rm", "agent:a")
    assert "agent:a/y is locked" in error
    assert len(ghost_cli.names()) == 4
    ghost_cli.ok("ns", "rm", "agent:a", "--unlock")
    assert len(ghost_cli.names()) == 2


@pytest.mark.parametrize(("ns", "code"), [("nobody", 3), ("", 2), ("*", 2), ("a:*:b", 2)])
def test_rm_wants_a_namespace_that_exists(ghost_cli: "GhostCli", ns: str, code: int) -> None:
    """Everything at once, or nothing that matches, is refused."""
    ghost_cli.fails(code, "ns", "rm", ns)
    assert len(ghost_cli.names()) == 4


def test_removed_keys_are_not_counted(ghost_cli: "GhostCli") -> None:
    """Keys are those of live memories; `ghost ns` alone lists too."""
    for key in ("x", "y"):
        ghost_cli.ok("put", "-n", "a", "-k", key, key)
    ghost_cli.ok("rm", "-n", "a", "y")
    assert ghost_cli.ok("ns", "list", "a") == "a  1 memory, 1 key\n"
    assert ghost_cli.ok("ns") == ghost_cli.ok("ns", "list")
