"""ghost history"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

KEY = ("-n", "agent:me", "-k", "tea")


@pytest.fixture(autouse=True)
def three_versions(ghost_cli: "GhostCli", wind: Any) -> None:
    """Store a memory three times, a minute apart."""
    for content in ("one", "two", "three"):
        ghost_cli.ok("put", *KEY, "-t", "drink", content)
        wind.forward(minutes=1)


def test_versions_are_shown_oldest_first(ghost_cli: "GhostCli") -> None:
    """JSON is one version per line, ascending, each with its successor's time as its end."""
    rows = ghost_cli.rows("history", *KEY)
    assert [(row["version"], row["content"]) for row in rows] == [
        (1, "one"),
        (2, "two"),
        (3, "three"),
    ]
    assert [row.get("supersedes") for row in rows] == [None, rows[0]["id"], rows[1]["id"]]
    assert ["deleted_at" in row for row in rows] == [True, True, False]


def test_text_names_versions_times_and_states(ghost_cli: "GhostCli") -> None:
    """Text says how many versions there are, when each was made and which is current."""
    lines = ghost_cli.ok("history", *KEY).splitlines()
    assert lines[0] == "agent:me/tea  (3 versions)"
    assert lines[1].startswith("v1  2026-03-14 09:26:53  [until 2026-03-14 09:27:53]")
    assert "[current]" in lines[5]
    assert "#drink" in lines[5]
    assert lines[6] == "    three"


def test_removed_versions_stay_in_history(ghost_cli: "GhostCli") -> None:
    """After rm the history is still there, with no version current."""
    ghost_cli.ok("rm", *KEY)
    assert [row["version"] for row in ghost_cli.rows("history", *KEY)] == [1, 2, 3]
    assert "[current]" not in ghost_cli.ok("history", *KEY)


def test_history_counts_nothing(ghost_cli: "GhostCli") -> None:
    """Looking at the past is not a use."""
    ghost_cli.ok("history", *KEY)
    assert ghost_cli.row("get", *KEY)["access_count"] == 0


def test_unknown_keys_exit_3(ghost_cli: "GhostCli") -> None:
    """A key that never was has no history."""
    error, _ = ghost_cli.fails(3, "history", "-n", "agent:me", "coffee")
    assert error == "memory not found: agent:me/coffee"


def test_a_retired_memory_has_the_time_of_its_end(ghost_cli: "GhostCli") -> None:
    """The version that retires a memory is dated when that happened, not when it was said."""
    said = "2020-01-02T03:04:05Z"
    ghost_cli.ok("put", "-n", "agent:me", "-k", "old", "--created-at", said, "Port 8123 is used.")
    new = ("put", "-n", "agent:me", "-k", "new", "--supersedes", "old", "Port 9000 is used.")
    ghost_cli.ok(*new)
    first, _, last, _ = ghost_cli.ok("history", "-n", "agent:me", "old").splitlines()[1:]
    ended = ghost_cli.rows("history", "-n", "agent:me", "old")[-1]["valid_to"]
    ended = ended[:19].replace("T", " ")
    assert first.startswith("v1  2020-01-02 03:04:05  [until ")
    assert f"[current, true until {ended}]" in last
    assert not last.startswith("v2  2020")
