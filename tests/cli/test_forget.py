"""ghost forget"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

MALLORY = ("--source-user", "mallory")


@pytest.fixture(autouse=True)
def poisoned(ghost_cli: "GhostCli") -> None:
    """Store facts, a lie over one of them, and a summary that believed it."""
    ghost_cli.ok("put", "-n", "a", "-k", "gate", "the gate is green")
    ghost_cli.ok("put", "-n", "a", "-k", "fence", "the fence is white")
    ghost_cli.ok("put", "-n", "a", "-k", "gate", *MALLORY, "the gate is xylopurpurea")
    ghost_cli.ok("put", "-n", "a", "-k", "roof", *MALLORY, "the roof is gold")
    ghost_cli.ok(
        *"consolidate -n a --summary-key all --keys gate,fence".split(),
        "xylopurpurea gate, white fence",
    )


def test_a_source_goes_with_what_is_derived_from_it(ghost_cli: "GhostCli") -> None:
    """Each thing is listed with its reason; what was replaced is back."""
    out = ghost_cli.ok("forget", "--source", "mallory")
    assert out.splitlines() == [
        "a/all  derived from gate",
        "a/gate  source",
        "a/gate  restored (version 1)",
        "a/roof  source",
        "3 items deleted, 1 brought back",
    ]
    assert sorted(ghost_cli.names()) == ["a/fence", "a/gate"]
    assert ghost_cli.ok("get", "-n", "a", "gate") == "the gate is green\n"
    assert ghost_cli.ok("forget", "--source", "mallory") == "nothing from that source was found\n"


def test_json_lists_everything_and_a_dry_run_is_exact(ghost_cli: "GhostCli") -> None:
    """The dry run says what the real run does, and changes nothing."""
    planned = ghost_cli.row("forget", "--source", "mallory", "--dry-run")
    assert "would be deleted" in ghost_cli.ok("forget", "--source", "mallory", "--dry-run")
    assert len(ghost_cli.names()) == 4
    done = ghost_cli.row("forget", "--source", "mallory", "--yes")
    assert done == {**planned, "dry_run": False}
    assert [item["why"] for item in done["items"]] == [
        "derived from gate",
        "source",
        "restored",
        "source",
    ]


def test_hard_leaves_no_byte_and_names_the_backup(
    ghost_cli: "GhostCli", store: Path, tmp_path: Path
) -> None:
    """The words are in no file of the store; the copies that have or may have them are named."""
    ghost_cli.ok("backup", tmp_path / "copy.db")
    ghost_cli.ok("backup", tmp_path / "broken.db")
    (tmp_path / "broken.db").write_text("no database")
    result = ghost_cli("forget", "--source", "mallory", "--hard")
    assert (result.code, result.err) == (
        0,
        f"still in {tmp_path / 'copy.db'}; delete it or make a new backup\n"
        f"maybe still in {tmp_path / 'broken.db'}, which cannot be read; delete it or make a new "
        "backup\n",
    )
    assert result.out.endswith("deleted for good, 1 brought back\n")
    assert all(
        b"xylopurp" not in path.read_bytes() for path in store.parent.iterdir() if path.is_file()
    )
    assert ghost_cli.ok("check") == "clean\n"


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ([], 2, "no source to forget was given"),
        (["--source-kind", "oracle"], 2, "oracle"),
        (["--source", "x", "--since", "tuesday"], 2, "tuesday"),
        (["--since", "2020-01-01"], 4, "a/safe"),
    ],
)
def test_what_cannot_be_done_is_said(
    ghost_cli: "GhostCli", args: list[str], code: int, said: str
) -> None:
    """Nobody named, an unknown kind or time, a locked memory: one error, one hint, nothing changed."""
    ghost_cli.ok("put", "-n", "a", "-k", "safe", "-t", "locked", "do not touch")
    error, _ = ghost_cli.fails(code, "forget", *args)
    assert said in error
    assert len(ghost_cli.names()) == 5


def test_terminal_codes_in_keys_are_shown_not_sent(ghost_cli: "GhostCli") -> None:
    """A key of an older store that would turn the line around is printed harmlessly."""
    old = {"ns": "b", "key": "x\u202edlog", "content": "red", "source_user": "mallory"}
    ghost_cli.ok("import", "--trust", input=json.dumps([{**old, "version": 1}]))
    assert "\u202e" not in ghost_cli.ok("forget", "--source", "mallory", "-n", "b")


def test_a_text_gets_the_command_that_deletes_the_memory(ghost_cli: "GhostCli") -> None:
    """forget deletes sources; for a text it names `ghost rm` with the key, and deletes nothing."""
    ghost_cli.ok("put", "-n", "agent:me", "-k", "staging", "The staging database is db-7.")
    _, hint = ghost_cli.fails(2, "forget", "-n", "agent:me", "the staging database")
    assert hint == "`ghost rm agent:me/staging` deletes: The staging database is db-7."
    _, hint = ghost_cli.fails(2, "forget", "-n", "agent:me", "zeppelins")
    assert hint == "`ghost rm KEY` deletes a memory; `ghost search` finds its key"
    assert len(ghost_cli.rows("list", "-n", "agent:me")) == 1
