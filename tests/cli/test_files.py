"""ghost files"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture(autouse=True)
def about_files(ghost_cli: "GhostCli") -> None:
    """Store three memories about files."""
    for ns, key, files, rel in (
        ("a", "x", "app.py,b.py", "modified"),
        ("a", "y", "app.py", "read"),
        ("b", "z", "app.py", "read"),
    ):
        ghost_cli.ok(
            "put", "-n", ns, "-k", key, "--files", files, "--file-rel", rel, f"about {key}"
        )


@pytest.mark.parametrize(
    ("args", "keys"),
    [
        (["app.py"], ["b/z", "a/y", "a/x"]),
        (["b.py"], ["a/x"]),
        (["app"], []),
        (["app.py", "--rel", "read"], ["b/z", "a/y"]),
        (["app.py", "--rel", "deleted"], []),
        (["app.py", "-n", "a"], ["a/y", "a/x"]),
        (["app.py", "--ns", "b*", "--rel", "read"], ["b/z"]),
        (["app.py", "-l", "1"], ["b/z"]),
    ],
)
def test_memories_are_found_by_path_relation_and_namespace(
    ghost_cli: "GhostCli", args: list[str], keys: list[str]
) -> None:
    """The path must be equal; relation, namespace and limit narrow."""
    args = args if {"-n", "--ns"} & set(args) else ["--all", *args]
    assert [f"{row['ns']}/{row['key']}" for row in ghost_cli.rows("files", *args)] == keys
    heads = [line.split("  ")[0] for line in ghost_cli.ok("files", *args).splitlines()[::2]]
    assert heads == keys


def test_nothing_about_a_file_is_success(ghost_cli: "GhostCli") -> None:
    """No hits: exit 0, and a word beside the data."""
    result = ghost_cli("files", "--all", "nope.py")
    assert (result.code, result.out, result.err) == (0, "", "no memory is about nope.py\n")


def test_a_superseded_version_does_not_count(ghost_cli: "GhostCli") -> None:
    """When the new version is about another file, the old one is not found."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "--files", "c.py", "about x")
    assert ghost_cli.rows("files", "-n", "a", "b.py") == []
    assert [row["key"] for row in ghost_cli.rows("files", "-n", "a", "c.py")] == ["x"]
