"""ghost put"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost

if TYPE_CHECKING:
    from conftest import GhostCli

KEY = ("-n", "agent:me", "-k", "tea")


def test_says_what_was_stored(ghost_cli: "GhostCli") -> None:
    """A put answers with one line that names the memory and its version."""
    assert ghost_cli.ok("put", *KEY, "green", "tea") == "created agent:me/tea v1\n"
    assert ghost_cli.ok("put", *KEY, "black tea") == "updated agent:me/tea v2\n"
    assert ghost_cli.ok("put", *KEY, "black tea") == "agent:me/tea v2 unchanged, reinforced\n"


def test_json_shows_the_memory_and_the_outcome(ghost_cli: "GhostCli") -> None:
    """In JSON a put answers with the whole memory, its chunks and what happened."""
    made = ghost_cli.row("put", *KEY, "green tea")
    assert {
        name: made[name] for name in ("ns", "key", "content", "version", "chunks", "outcome")
    } == {
        "ns": "agent:me",
        "key": "tea",
        "content": "green tea",
        "version": 1,
        "chunks": 1,
        "outcome": "created",
    }
    assert ghost_cli.row("put", *KEY, "green tea")["outcome"] == "reinforced"
    again = ghost_cli.row("put", *KEY, "white tea")
    assert (again["outcome"], again["version"], again["supersedes"]) == ("updated", 2, made["id"])


@pytest.mark.parametrize(
    ("args", "data", "content"),
    [
        pytest.param(["one", "two"], "", "one two", id="arguments"),
        pytest.param(["argument"], "not read", "argument", id="argument-wins"),
        pytest.param([], "from stdin\n", "from stdin", id="stdin"),
        pytest.param(["-"], "from stdin\n", "from stdin", id="dash"),
        pytest.param([], "one\n\n", "one\n", id="one-newline-goes"),
        pytest.param([], "a\r\nb\r\n", "a\r\nb", id="crlf"),
        pytest.param([], "喜欢 🍵 café", "喜欢 🍵 café", id="unicode"),
        pytest.param(["--", "-x", "y"], "", "-x y", id="double-dash"),
        pytest.param(["two\nlines"], "", "two\nlines", id="lines"),
    ],
)
def test_content_comes_from_arguments_or_stdin(
    ghost_cli: "GhostCli", args: list[str], data: str, content: str
) -> None:
    """Content is the arguments joined by spaces, or standard input without its last newline."""
    assert ghost_cli.row("put", *KEY, *args, input=data)["content"] == content


@pytest.mark.parametrize("content", ["- buy milk", "-1 is negative", "--- a rule"])
def test_content_that_begins_with_a_hyphen_is_stored_or_explained(
    ghost_cli: "GhostCli", content: str
) -> None:
    """A markdown list item as the argument is content, or the error says how to pass it."""

    result = ghost_cli("put", *KEY, content, input="piped")
    assert result.code == 0 or "`--`" in result.err or "standard input" in result.err, result.err


@pytest.mark.parametrize(
    ("args", "field", "value"),
    [
        (["-t", "a,b", "-t", "c, a"], "tags", ["a", "b", "c"]),
        (["--tier", "identity"], "tier", "ltm"),
        (["--tier", "identity"], "pinned", True),
        (["--tier", "identity", "--no-pinned"], "pinned", False),
        (["--meta", '{"a": {"b": [1, null, "ü"]}}'], "meta", {"a": {"b": [1, None, "ü"]}}),
        (
            ["--files", "b.py,a.py"],
            "files",
            [{"path": "a.py", "rel": "modified"}, {"path": "b.py", "rel": "modified"}],
        ),
        (
            ["--files", "a.py", "--file-rel", "created"],
            "files",
            [{"path": "a.py", "rel": "created"}],
        ),
        (["--created-at", "2026-01-02"], "created_at", "2026-01-02T00:00:00.000000Z"),
        (["--valid-from", "2026-01-02 03:04"], "valid_from", "2026-01-02T03:04:00.000000Z"),
        (["--valid-to", "2026-01-02T03:04:05.678Z"], "valid_to", "2026-01-02T03:04:05.678000Z"),
        (
            ["--created-at", "2026-01-02T03:04:05+02:00"],
            "created_at",
            "2026-01-02T01:04:05.000000Z",
        ),
    ],
)
def test_every_field_has_a_flag_and_is_stored(
    ghost_cli: "GhostCli", args: list[str], field: str, value: Any
) -> None:
    """What a flag names is what get shows."""
    ghost_cli.ok("put", *KEY, *args, "green tea")
    assert ghost_cli.row("get", *KEY)[field] == value


def test_empty_values_clear_tags_meta_and_files(ghost_cli: "GhostCli") -> None:
    """Naming an empty list or object takes the inherited one away."""
    ghost_cli.ok("put", *KEY, "-t", "a", "--meta", '{"m": 1}', "--files", "f.py", "one")
    second = ghost_cli.row("put", *KEY, "-t", "", "--meta", "{}", "--files", "", "one")
    assert second["version"] == 2
    assert not {"tags", "meta", "files"} & second.keys()


def test_base_version_is_compare_and_swap(ghost_cli: "GhostCli") -> None:
    """--base-version 0 wants a new key, n wants version n."""
    ghost_cli.ok("put", *KEY, "--base-version", "0", "one")
    ghost_cli.ok("put", *KEY, "--base-version", "1", "two")
    error, hint = ghost_cli.fails(4, "put", *KEY, "--base-version", "1", "three")
    assert "agent:me/tea is at version 2, not at version 1" in error
    assert hint
    assert ghost_cli.ok("get", *KEY) == "two\n"


def test_locked_needs_unlock(ghost_cli: "GhostCli") -> None:
    """A memory tagged `locked` changes only with --unlock."""
    ghost_cli.ok("put", *KEY, "-t", "locked", "one")
    error, hint = ghost_cli.fails(4, "put", *KEY, "two")
    assert ("agent:me/tea" in error, "--unlock" in hint) == (True, True)
    assert ghost_cli.row("put", *KEY, "--unlock", "two")["tags"] == ["locked"]


def test_dedup_reinforces_the_twin(ghost_cli: "GhostCli") -> None:
    """With --dedup the same content under another key is not stored twice; without it is."""
    ghost_cli.ok("put", *KEY, "green tea")
    text = ghost_cli.ok("put", "-n", "agent:me", "-k", "drink", "--dedup", "green tea")
    assert text == "not stored again: agent:me/tea says the same, reinforced\n"
    found = ghost_cli.row("put", "-n", "agent:me", "-k", "drink", "--dedup", "green tea")
    assert (found["key"], found["requested_key"], found["outcome"]) == (
        "tea",
        "drink",
        "reinforced",
    )
    ghost_cli.ok("put", "-n", "agent:me", "-k", "drink", "green tea")
    assert ghost_cli.names() == ["agent:me/drink", "agent:me/tea"]


def test_file_relation_without_files_is_an_error(ghost_cli: "GhostCli") -> None:
    """--file-rel is checked even when no file is named."""

    error, _ = ghost_cli.fails(2, "put", *KEY, "--file-rel", "bogus", "x")
    assert "bogus" in error


def test_content_survives_byte_for_byte(ghost_cli: "GhostCli") -> None:
    """Tabs, control characters, odd spaces, quotes and every line end come back as they went in."""
    content = " lead\ttab\u00a0nbsp\u2028sep \x07\x1b[31mred\x1b[0m 'q' \"d\" \\ \r\n\n end "
    ghost_cli.ok("put", *KEY, input=content)
    assert ghost_cli.row("get", *KEY)["content"] == content


def test_json_keeps_other_scripts_readable(ghost_cli: "GhostCli") -> None:
    """JSON output is UTF-8, not a row of escapes, and stays on one line."""
    out = ghost_cli.ok("put", *KEY, "--json", "喜欢\n茶")
    assert "喜欢\\n茶" in out
    assert json.loads(out)["content"] == "喜欢\n茶"


def test_what_the_command_stores_the_library_reads(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Command line and library are two faces of one store, both ways."""
    store = tmp_path / "both.db"
    ghost_cli.ok("--db", str(store), "put", *KEY, "from the command line")
    with Ghost.open(store) as ghost:
        assert ghost.get("agent:me", KEY[-1]).content == "from the command line"
        ghost.put("agent:me", "other", "from the library")
    assert (
        ghost_cli.ok("--db", str(store), "get", "-n", "agent:me", "other") == "from the library\n"
    )
