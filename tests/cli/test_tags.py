"""ghost tags list, rename and rm"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture(autouse=True)
def tagged(ghost_cli: "GhostCli") -> None:
    """Store three memories with tags."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "-t", "red,blue", "one")
    ghost_cli.ok("put", "-n", "a", "-k", "y", "-t", "red", "two")
    ghost_cli.ok("put", "-n", "b", "-k", "z", "-t", 'red,it\'s "so" ü', "three")


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ([], [("red", 3), ("blue", 1), ('it\'s "so" ü', 1)]),
        (["-n", "a"], [("red", 2), ("blue", 1)]),
        (["-n", "nobody"], []),
    ],
)
def test_list_counts_memories_per_tag(
    ghost_cli: "GhostCli", args: list[str], found: list[tuple[str, int]]
) -> None:
    """Tags of live memories, the most used first."""
    assert [(row["tag"], row["count"]) for row in ghost_cli.rows("tags", "list", *args)] == found


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ('"Smith, John"', ["Smith, John"]),
        ('red, "Smith, John" ,"say ""hi"", twice",', ["red", "Smith, John", 'say "hi", twice']),
        ('"open,end', ['"open', "end"]),
        ('it\'s "so", x', ['it\'s "so"', "x"]),
    ],
)
def test_double_quotes_keep_the_commas_of_a_tag(
    ghost_cli: "GhostCli", given: str, stored: list[str]
) -> None:
    """As in CSV; a put and a filter read them alike."""
    ghost_cli.ok("put", "-n", "c", "-k", "x", "-t", given, "one")
    assert ghost_cli.row("get", "-n", "c", "x")["tags"] == stored
    assert ghost_cli.names("-n", "c", "-t", given) == ["c/x"]
    assert ghost_cli.names("-n", "c", "-t", "Smith") == []


def test_list_in_text(ghost_cli: "GhostCli") -> None:
    """The tag in a column of thirty, then the count, as the original prints it."""
    assert ghost_cli.ok("tags", "list", "-n", "a").splitlines() == [
        f"{'red':<30} 2 memories",
        f"{'blue':<30} 1 memory",
    ]
    result = ghost_cli("tags", "list", "-n", "nobody")
    assert (result.code, result.out, result.err) == (0, "", "(no tags)\n")


def test_superseded_versions_do_not_count(ghost_cli: "GhostCli") -> None:
    """Only the tags of the current version are listed."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "-t", "green", "one")
    assert {row["tag"] for row in ghost_cli.rows("tags", "list", "-n", "a")} == {"red", "green"}


def test_rename_changes_every_live_memory(ghost_cli: "GhostCli") -> None:
    """All memories with the tag get the new name, in place."""
    assert ghost_cli.row("tags", "rename", "red", "crimson") == {
        "tag": "red",
        "new_tag": "crimson",
        "affected": 3,
    }
    assert ghost_cli.names("-t", "crimson") == ["b/z", "a/y", "a/x"]
    assert ghost_cli.row("get", "-n", "a", "x")["version"] == 1


def test_rename_joins_doubles_and_stays_in_its_namespace(ghost_cli: "GhostCli") -> None:
    """A memory that has both names keeps one; -n limits the change."""
    assert (
        ghost_cli.ok("tags", "rename", "red", "blue", "-n", "a")
        == "renamed red to blue on 2 memories\n"
    )
    assert ghost_cli.row("get", "-n", "a", "x")["tags"] == ["blue"]
    assert ghost_cli.row("get", "-n", "b", "z")["tags"][0] == "red"


def test_rm_takes_the_tag_off(ghost_cli: "GhostCli") -> None:
    """The tag goes, the others stay, and no empty list is left."""
    assert ghost_cli.ok("tags", "rm", "red", "-n", "a") == "removed red from 2 memories\n"
    assert ghost_cli.row("get", "-n", "a", "x")["tags"] == ["blue"]
    assert "tags" not in ghost_cli.row("get", "-n", "a", "y")
    assert ghost_cli.row("tags", "rm", 'it\'s "so" ü')["affected"] == 1


@pytest.mark.parametrize("args", [["rename", "nope", "x"], ["rm", "nope"]])
def test_unknown_tags_touch_nothing(ghost_cli: "GhostCli", args: list[str]) -> None:
    """No memory with the tag is no error, and changes nothing."""
    before = ghost_cli.ok("export")
    assert ghost_cli.row("tags", *args)["affected"] == 0
    assert ghost_cli.ok("export") == before


@pytest.mark.parametrize(
    "args", [["rename", "red", ""], ["rename", "", "x"], ["rm", ""], ["rename", "red", "a\nb"]]
)
def test_bad_tags_are_refused(ghost_cli: "GhostCli", args: list[str]) -> None:
    """An empty tag or one of two lines exits 2."""
    before = ghost_cli.ok("export")
    error, _ = ghost_cli.fails(2, "tags", *args)
    assert "tag" in error
    assert ghost_cli.ok("export") == before


def test_the_lock_is_not_lifted_by_removing_its_tag_everywhere(ghost_cli: "GhostCli") -> None:
    """The tag `locked` guards a memory: taking it off needs --unlock like every other change."""

    ghost_cli.ok("put", "-n", "a", "-k", "safe", "-t", "locked", "one")
    assert ghost_cli("tags", "rm", "locked").code == 4
    assert ghost_cli.row("get", "-n", "a", "safe")["tags"] == ["locked"]


def test_a_tag_may_be_given_with_tag(ghost_cli: "GhostCli") -> None:
    """`--tag` is `--tags`, for a put and for a filter."""
    ghost_cli.ok("put", "-n", "agent:me", "-k", "tea", "--tag", "drink", "green tea")
    ghost_cli.ok("put", "-n", "agent:me", "-k", "pie", "apple pie")
    assert [row["key"] for row in ghost_cli.rows("list", "--all", "--tag", "drink")] == ["tea"]
