"""Bad input of every sort: one clear error that names the value, a hint, the right exit code, and nothing changed"""

import errno
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

USAGE, ENGINE = 2, 5
PUT = ("put", "-n", "a", "-k", "k")


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a text file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exists.txt").write_text("precious\n")


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((*PUT, "a\ud800b"), "U+D800"),
        ((*PUT, "--meta", '{"a": "\\ud800"}', "x"), "U+D800"),
        (("put", "-n", "a\ud800", "-k", "k", "x"), "U+D800"),
        (("put", "-n", "x" * 129, "-k", "k", "x"), "'xxxx"),
        (("put", "-n", "a", "-k", "x" * 513, "x"), "xxx"),
        ((*PUT, "-t", "y" * 257, "x"), "yyy"),
    ],
    ids=ascii,
)
def test_half_a_character_or_too_long_a_name(
    ghost_cli: "GhostCli", args: tuple[str, ...], named: str
) -> None:
    """The errors for other bad input are in sessions/errors.txt."""
    error, hint = ghost_cli.fails(USAGE, *args)
    assert named in error
    assert hint
    assert len(error) < 300
    assert ghost_cli.ok("export").count("\n") == 1


@pytest.mark.parametrize("size", [10_000_001, pytest.param(50_000_000, marks=pytest.mark.slow)])
def test_content_of_fifty_megabytes_is_refused(ghost_cli: "GhostCli", size: int) -> None:
    """Too large a text exits 2 with its size and the limit, and nothing is stored."""
    before = ghost_cli.ok("export")
    error, hint = ghost_cli.fails(USAGE, *PUT, input=b"x" * size)
    assert f"{size:,} bytes" in error
    assert "GHOST_MAX_CONTENT_BYTES" in hint
    assert ghost_cli.ok("export") == before


# files that are no store: their text, or the statements that make another program's database
BAD_STORES = {
    "text": "dear diary\n",
    "one-byte": "x",
    "other": ["CREATE TABLE users (id, name)", "INSERT INTO users VALUES (1, 'ann')"],
    "other-wal": ["PRAGMA journal_mode=WAL", "CREATE TABLE users (id, name)"],
    # web frameworks have a table `migrations` too, and some a column `name` like ours
    "framework": [
        "CREATE TABLE users (id)",
        "CREATE TABLE migrations (id INTEGER, migration TEXT, batch INTEGER)",
    ],
    "framework-named": [
        "CREATE TABLE users (id)",
        "CREATE TABLE migrations (name TEXT)",
        "INSERT INTO migrations VALUES ('1')",
    ],
    "memories": ["CREATE TABLE memories (id, words)"],
}


@pytest.mark.parametrize(
    "command",
    [["list"], ["put", "-n", "a", "-k", "k", "x"], ["get", "-n", "a", "k"]],
    ids=lambda c: c[0],
)
@pytest.mark.parametrize("name", ["folder", *BAD_STORES])
def test_what_is_no_store_is_refused_untouched(
    ghost_cli: "GhostCli", tmp_path: Path, sql: Callable[..., Any], name: str, command: list[str]
) -> None:
    """A folder, a text or another program's database as --db exits 5, is named, and keeps every byte."""
    path, content = tmp_path / "some.db", BAD_STORES.get(name)
    if content is None:
        path.mkdir()
    elif isinstance(content, str):
        path.write_text(content)
    else:
        for statement in content:
            sql(path, statement)

    def state() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}

    before = state()
    error, hint = ghost_cli.fails(ENGINE, "--db", str(path), *command)
    assert str(path) in error
    assert "--db" in hint
    assert state() == before


def test_the_originals_database_is_refused_with_the_way_over(
    ghost_cli: "GhostCli", original: Callable[[str], Path], tmp_path: Path
) -> None:
    """The original's own file is never written; the hint is a command that works as it stands."""
    path = original("head.db")
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    error, hint = ghost_cli.fails(ENGINE, "--db", str(path), "put", "-n", "a", "-k", "k", "x")
    assert str(path) in error
    command = hint.split("`")[1].split()
    assert command[:1] == ["ghost"]
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    ghost_cli.ok(*command[1:])
    assert path.read_bytes() == before["head.db"]


@pytest.mark.parametrize("below", ["exists.txt/memory.db", "exists.txt/deep/memory.db"])
def test_a_folder_that_cannot_be_made_is_an_engine_error(
    ghost_cli: "GhostCli", tmp_path: Path, below: str
) -> None:
    """A store below a regular file exits 5 with the path; nothing is created."""
    before = sorted(tmp_path.iterdir())
    error, hint = ghost_cli.fails(ENGINE, "--db", below, "put", "-n", "a", "-k", "k", "x")
    assert "exists.txt" in error
    assert "--db" in hint
    assert sorted(tmp_path.iterdir()) == before


def test_a_server_address_makes_no_folder(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The address of a server that does not answer is not taken for a path."""
    ghost_cli.monkeypatch.setenv("GHOST_BUSY_TIMEOUT", "0.5")
    before = sorted(tmp_path.iterdir())
    result = ghost_cli("--db", "postgresql://host/db", "list")
    assert result.code in {USAGE, ENGINE}
    assert sorted(tmp_path.iterdir()) == before


def test_a_store_that_cannot_be_created(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The error names the folder and the reason; a name that is too long fails for root too."""
    error, hint = ghost_cli.fails(ENGINE, "--db", str(tmp_path / ("x" * 300)), *PUT, "one")
    assert error.startswith(f"cannot create the store in {tmp_path}: ")
    assert "--db" in hint


@pytest.mark.may_skip
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind root"
)
def test_a_folder_without_write_permission(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A new store needs a folder that can be written."""
    folder = tmp_path / "ro"
    folder.mkdir(mode=0o500)
    error, _ = ghost_cli.fails(ENGINE, "--db", str(folder / "new.db"), *PUT, "one")
    assert error == f"cannot create the store in {folder}: {os.strerror(errno.EACCES)}"


def test_a_suggested_command_can_be_pasted(ghost_cli: "GhostCli") -> None:
    """Keys with spaces and quotes are written so that a shell reads them as one word."""
    key = "it's (conflict 2026-11-15 09.11)"
    ghost_cli.ok("put", "-n", "a", "-k", key, "one")
    ghost_cli.ok("rm", "-n", "a", key)
    for command in ("get", "rm"):
        _, hint = ghost_cli.fails(3, command, "-n", "a", key)
        assert f"`ghost restore -n a -k {shlex.quote(key)}`" in hint
    _, hint = ghost_cli.fails(3, "restore", "-n", "a", key, "--version", "9")
    assert shlex.split(hint.strip("`").removeprefix("run `")) == [
        "ghost", "history", "-n", "a", "-k", key,
    ]  # fmt: skip


def test_a_suggested_resolution_can_be_pasted(ghost_cli: "GhostCli") -> None:
    """The keys of the first contradiction are quoted."""
    for key in ("old office", "new office"):
        ghost_cli.ok("put", "-n", "a", "-k", key, f"The {key} is in Porto.")
    ghost_cli.ok("edge", "add", "-n", "a", "new office", "old office", "contradicts")
    done = ghost_cli("conflicts")
    assert "`ghost resolve -n a 'new office' 'old office'`" in done.err
