"""ghost get"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

KEY = ("-n", "agent:me", "-k", "tea")


@pytest.fixture(autouse=True)
def two_versions(ghost_cli: "GhostCli") -> None:
    """Store a memory with two versions."""
    ghost_cli.ok("put", *KEY, "-t", "drink", "--files", "cup.md", "green tea")
    ghost_cli.ok("put", *KEY, "white tea")


@pytest.mark.parametrize(
    "args",
    [KEY, ("-n", "agent:me", "tea"), ("tea", "--ns", "agent:me"), ("--key", "tea", "-nagent:me")],
)
def test_the_key_may_stand_alone_or_behind_k(ghost_cli: "GhostCli", args: tuple[str, ...]) -> None:
    """Text output is the content and a newline, nothing else."""
    assert ghost_cli.ok("get", *args) == "white tea\n"


def test_json_is_the_whole_memory(ghost_cli: "GhostCli") -> None:
    """JSON shows every field, the files too, under the specification's names."""
    found = ghost_cli.row("get", *KEY)
    wanted = {
        "id",
        "ns",
        "key",
        "content",
        "kind",
        "version",
        "supersedes",
        "created_at",
        "priority",
        "access_count",
    }
    wanted |= {"importance", "utility_count", "tier", "pinned", "est_tokens", "tags", "files"}
    assert wanted <= found.keys()
    assert (found["version"], found["tags"], found["files"]) == (
        2,
        ["drink"],
        [{"path": "cup.md", "rel": "modified"}],
    )
    assert not {"deleted_at", "expires_at", "outcome", "chunks"} & found.keys()


@pytest.mark.parametrize("flag", ["-v", "--version"])
def test_a_numbered_version_can_be_read(ghost_cli: "GhostCli", flag: str) -> None:
    """--version reads a superseded version."""
    assert ghost_cli.ok("get", *KEY, flag, "1") == "green tea\n"
    assert ghost_cli.row("get", *KEY, flag, "1")["version"] == 1


def test_history_is_newest_first(ghost_cli: "GhostCli") -> None:
    """--history shows every version, the newest first, one object per line in JSON."""
    assert [row["version"] for row in ghost_cli.rows("get", *KEY, "--history")] == [2, 1]
    text = ghost_cli.ok("get", *KEY, "--history")
    assert text.index("white tea") < text.index("green tea")
    assert "[current]" in text


def test_history_of_a_numbered_version_is_not_ignored(ghost_cli: "GhostCli") -> None:
    """--history and --version together are refused, or the number counts."""

    result = ghost_cli("--json", "get", *KEY, "--history", "--version", "1")
    assert result.code == 2 or [row["version"] for row in result.rows] == [1]


def test_every_get_is_counted(ghost_cli: "GhostCli") -> None:
    """The second get shows the count after the first; history counts nothing."""
    assert ghost_cli.row("get", *KEY)["access_count"] == 0
    ghost_cli.ok("get", *KEY, "--history")
    found = ghost_cli.row("get", *KEY)
    assert found["access_count"] == 1
    assert "last_accessed_at" in found


def test_unknown_keys_exit_3_with_a_suggestion(ghost_cli: "GhostCli") -> None:
    """A typo is answered by what comes close, nothing near by where to look."""
    error, hint = ghost_cli.fails(3, "get", "-n", "agent:me", "te")
    assert error == "memory not found: agent:me/te"
    assert "did you mean tea" in hint
    _, hint = ghost_cli.fails(3, "get", "-n", "agent:me", "TEA")
    assert "did you mean tea" in hint
    _, hint = ghost_cli.fails(3, "get", "-n", "agent:me", "zzzzzz")
    assert "ghost list -n agent:me" in hint
    _, hint = ghost_cli.fails(3, "get", "-n", "nobody", "tea")
    assert "the namespace nobody is empty" in hint


def test_a_removed_memory_says_how_to_bring_it_back(ghost_cli: "GhostCli") -> None:
    """After rm, get exits 3 and names the command that restores."""
    ghost_cli.ok("rm", *KEY)
    _, hint = ghost_cli.fails(3, "get", *KEY)
    assert "ghost restore -n agent:me -k tea" in hint
    assert ghost_cli.ok("get", *KEY, "-v", "2") == "white tea\n"


def test_text_output_is_the_content_byte_for_byte(ghost_cli: "GhostCli") -> None:
    """What was put comes out again in text, terminal escapes included, also when piped."""

    content = "log: \x1b[31mred\x1b[0m\ttab \x07 bell"
    ghost_cli.ok("put", "-n", "agent:me", "-k", "log", input=content)
    assert ghost_cli.ok("get", "-n", "agent:me", "log") == content + "\n"


def test_stripped_colour_does_not_change_a_dry_patch(ghost_cli: "GhostCli") -> None:
    """The text that `patch --dry-run` shows is the text that it would store."""

    ghost_cli.ok("put", "-n", "agent:me", "-k", "log", input="one\n\x1b[1mtwo\x1b[0m")
    diff = "@@ -1,2 +1,2 @@\n-one\n+ONE\n \x1b[1mtwo\x1b[0m\n"
    assert (
        ghost_cli.ok("patch", "-n", "agent:me", "log", "--dry-run", input=diff)
        == "ONE\n\x1b[1mtwo\x1b[0m\n"
    )


def test_default_namespace_comes_from_the_environment(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """GHOST_NS stands in for -n."""
    monkeypatch.setenv("GHOST_NS", "agent:me")
    assert ghost_cli.ok("get", "tea") == "white tea\n"
    assert ghost_cli("get", "-n", "agent:other", "tea").code == 3
