"""Which settings win: arguments over GHOST_* over config.toml over defaults; and the modes of what is created"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem import Ghost

if TYPE_CHECKING:
    from conftest import GhostCli

# every way to name the store, the strongest first
WAYS = ["--db", "GHOST_DB", "AGENT_MEMORY_DB", "config.toml", "default"]


@pytest.mark.parametrize("number", range(len(WAYS)), ids=WAYS)
def test_the_strongest_way_to_name_the_store_wins(
    ghost_cli: "GhostCli", tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """--db > GHOST_DB > AGENT_MEMORY_DB > config.toml > ~/.ghost/memory.db, whatever the weaker ones say."""
    ways = WAYS[number:]
    files = {way: tmp_path / f"{way.strip('-')}.db" for way in WAYS} | {
        "default": home / ".ghost" / "memory.db"
    }
    args = ["--db", files["--db"]] if "--db" in ways else []
    for variable in ("GHOST_DB", "AGENT_MEMORY_DB"):
        if variable in ways:
            monkeypatch.setenv(variable, str(files[variable]))
    if "config.toml" in ways:
        ghost_cli.ok("config", "set", "db", files["config.toml"])
    ghost_cli.ok(*args, "put", "-n", "a", "-k", "x", "one")
    assert [way for way in WAYS if files[way].exists()] == [WAYS[number]]
    assert ghost_cli.ok("get", *args, "-n", "a", "x") == "one\n"


@pytest.mark.parametrize("variable", ["GHOST_DB", "AGENT_MEMORY_DB", "GHOST_NS", "GHOST_FORMAT"])
def test_an_empty_variable_does_not_count(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch, store: Path, variable: str
) -> None:
    """`GHOST_DB= ghost ...` is as if it were not set."""
    monkeypatch.setenv(variable, "")
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    assert store.exists()


def test_the_option_behind_the_command_wins(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The shared options stand before or after the name; the nearer one counts."""
    ghost_cli.ok(
        "--db",
        tmp_path / "far.db",
        *"put -n a -k x one --db".split(),
        tmp_path / "near.db",
    )
    assert [path.name for path in tmp_path.glob("*.db")] == ["near.db"]
    assert (
        ghost_cli.ok("--json", "get", "-n", "a", "x", "-f", "text", "-d", tmp_path / "near.db")
        == "one\n"
    )


def test_tilde_is_the_home_folder(
    ghost_cli: "GhostCli", home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quoted ~ is understood in every place."""
    ghost_cli.ok("--db", "~/one.db", "put", "-n", "a", "-k", "x", "one")
    monkeypatch.setenv("GHOST_DB", "~/two.db")
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    assert sorted(path.name for path in home.glob("*.db")) == ["one.db", "two.db"]


def test_memory_stores_leave_no_file(
    ghost_cli: "GhostCli", home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """:memory: lives as long as the command."""
    monkeypatch.chdir(tmp_path)
    ghost_cli.ok("--db", ":memory:", "put", "-n", "a", "-k", "x", "one")
    assert list(tmp_path.iterdir()) == [home]
    assert list(home.iterdir()) == []


def test_the_namespace_named_wins_over_the_default(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """-n > GHOST_NS > config.toml."""
    ghost_cli.ok("config", "set", "ns", "from:config")
    ghost_cli.ok("put", "-k", "x", "one")
    monkeypatch.setenv("GHOST_NS", "from:env")
    ghost_cli.ok("put", "-k", "x", "one")
    ghost_cli.ok("put", "-n", "from:argument", "-k", "x", "one")
    assert ghost_cli.names("-n", "*") == ["from:argument/x", "from:env/x", "from:config/x"]
    assert ghost_cli.names() == ["from:env/x"]


def test_an_empty_namespace_is_refused(ghost_cli: "GhostCli") -> None:
    """A write to a namespace without a name stores nothing."""
    error, hint = ghost_cli.fails(2, "put", "-n", "", "-k", "x", "one")
    assert error == "a namespace is required"
    assert ("-n" in hint, "GHOST_NS" in hint) == (True, True)


def test_the_format_variable_changes_the_default(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """GHOST_FORMAT=json prints JSON; -f text wins over it."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    monkeypatch.setenv("GHOST_FORMAT", "json")
    assert ghost_cli("list", "--all").rows[0]["key"] == "x"
    assert ghost_cli.ok("get", "-n", "a", "x", "-f", "text") == "one\n"
    assert ghost_cli.ok("-f", "text", "get", "-n", "a", "x") == "one\n"


@pytest.mark.parametrize(
    ("env", "args"),
    [
        ("json", []),
        ("", ["-fjson"]),
        ("", ["--format=json"]),
        ("", ["-f", "json"]),
        ("", ["--json"]),
    ],
    ids=["GHOST_FORMAT", "-fjson", "--format=json", "-f json", "--json"],
)
def test_errors_are_json_when_the_output_is(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch, env: str, args: list[str]
) -> None:
    """However JSON was asked for, an error is one JSON object on standard error."""

    monkeypatch.setenv("GHOST_FORMAT", env)
    result = ghost_cli("get", *args, "-n", "a", "nope")
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith('{"error": "NotFoundError", "message": "memory not found: a/nope"')


@pytest.mark.parametrize(
    "args",
    [["get", "-n", "a", "json"], ["get", "-n", "json", "x"], ["get", "-n", "a", "x", "-f", "text"]],
)
def test_errors_are_text_when_the_output_is(ghost_cli: "GhostCli", args: list[str]) -> None:
    """A key that happens to be called `json` does not change how errors are printed."""

    assert ghost_cli(*args).err.startswith("error: memory not found: ")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GHOST_FORMAT", "xml"),
        ("GHOST_COLOR", "blue"),
        ("GHOST_BUSY_TIMEOUT", "soon"),
        ("GHOST_BUSY_TIMEOUT", "-1"),
        ("GHOST_MAX_CONTENT_BYTES", "0"),
        ("GHOST_CHUNK_TARGET", "many"),
        ("GHOST_SYNCHRONOUS", "off"),
        ("GHOST_EMBED_PROVIDER", "magic"),
    ],
)
def test_bad_variables_are_named(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """A value that cannot be accepted is named with the variable it came from."""
    monkeypatch.setenv(variable, value)
    error, _ = ghost_cli.fails(2, "list")
    assert (repr(value) in error, variable in error) == (True, True)


def test_the_content_limit_is_a_setting(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """GHOST_MAX_CONTENT_BYTES counts bytes, not characters."""
    monkeypatch.setenv("GHOST_MAX_CONTENT_BYTES", "5")
    ghost_cli.ok("put", "-n", "a", "-k", "x", "12345")
    error, hint = ghost_cli.fails(2, "put", "-n", "a", "-k", "x", "äöü")
    assert "6 bytes, more than the limit of 5" in error
    assert "GHOST_MAX_CONTENT_BYTES" in hint


def test_colour_is_for_terminals_unless_asked(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Piped output has no escapes; FORCE_COLOR and GHOST_COLOR=always bring them, --no-color and NO_COLOR take them away."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    assert "\x1b[" not in ghost_cli.ok("list", "--all")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in ghost_cli.ok("list", "--all")
    assert "\x1b[" not in ghost_cli.ok("list", "--all", "--no-color")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in ghost_cli.ok("list", "--all")
    monkeypatch.setenv("GHOST_COLOR", "always")
    assert "\x1b[" in ghost_cli.ok("list", "--all")
    assert "\x1b[" not in ghost_cli.ok("--json", "list", "--all")


def test_files_and_folders_are_private(ghost_cli: "GhostCli", store: Path) -> None:
    """The folder is 0700, the database and its companions 0600, also under an open umask."""
    before = os.umask(0)
    try:
        ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
        with Ghost.open(store) as ghost:
            ghost.put("a", "x", "two")
            modes = {path.name: path.stat().st_mode & 0o777 for path in store.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["memory.db", "memory.db-wal", "memory.db-shm"], 0o600)
    assert store.parent.stat().st_mode & 0o777 == 0o700


def test_a_deep_path_is_created(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Folders on the way to the store are made."""
    ghost_cli.ok("--db", tmp_path / "a" / "b" / "c.db", "put", "-n", "a", "-k", "x", "one")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "args", [["--db", "", "put"], ["put", "--db", ""]], ids=["before", "after"]
)
def test_an_empty_db_option_is_refused(ghost_cli: "GhostCli", store: Path, args: list[str]) -> None:
    """`ghost --db "$UNSET" put ...` in a script must neither lose the memory nor write into the user's own store."""

    result = ghost_cli(*args, "-n", "a", "-k", "x", "one")
    assert (result.code, store.exists()) == (2, False)
