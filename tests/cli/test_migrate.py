"""ghost migrate"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem.settings import read_config
from ghostmem.store.tables import LEFT_OUT

if TYPE_CHECKING:
    from conftest import GhostCli

pytestmark = pytest.mark.usefixtures("some")


def test_the_store_in_use_moves_to_postgresql(ghost_cli: "GhostCli", pg_url: str) -> None:
    """Without --from it is the store in use; the report has checksums, and a line says how to use the new one."""
    result = ghost_cli("migrate", "--to", pg_url)
    assert result.code == 0, result
    assert result.out.startswith("moved ")
    assert "verified: every checksum is the same in both" in result.out
    assert "ghost config set db" in result.err
    assert ghost_cli.ok("--db", pg_url, "export") == ghost_cli.ok("export")


def test_switch_names_the_new_store(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """With --switch the configuration names the target, in full, and the next command uses it."""
    target = tmp_path / "moved.db"
    before = ghost_cli.ok("export")
    out = ghost_cli.ok("migrate", "--to", target, "--switch")
    config = tmp_path / "home" / ".ghost" / "config.toml"
    assert f"{config} now points to the new store" in out
    assert read_config(str(config))["db"] == str(target)
    ghost_cli.ok("put", "-n", "a", "-k", "z", "four")
    assert ghost_cli.ok("export", "--db", tmp_path / "home" / ".ghost" / "memory.db") == before


def test_json_has_everything(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The report as JSON has every namespace and table with its rows and checksum."""
    (done,) = ghost_cli.rows("migrate", "--to", tmp_path / "moved.db", "--json")
    assert done["rows"] == sum(one["rows"] for one in done["namespaces"])
    assert {one["ns"] for one in done["namespaces"]} == {"", "a", "b"}
    tables = {
        part["table"]: part
        for one in done["namespaces"]
        for part in one["tables"]
        if one["ns"] == "a"
    }
    assert tables["memories"]["rows"] == 2
    assert len(tables["memories"]["checksum"]) == 64
    assert done["left_out"] == [*LEFT_OUT]


def test_dry_run_makes_nothing(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A dry run counts, and leaves no file."""
    target = tmp_path / "moved.db"
    out = ghost_cli.ok("migrate", "--to", target, "--dry-run")
    assert out.startswith("would move ")
    assert not target.exists()


def test_passwords_are_never_printed(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Whatever goes wrong, a password in a URL stays out of sight."""
    ghost_cli.monkeypatch.setenv("GHOST_BUSY_TIMEOUT", "0.5")  # how long a server is waited for
    url = "postgresql://ghost:hunter2@127.0.0.1:1/nowhere?connect_timeout=1"
    for args in (
        ["--to", url],
        ["--to", url, "--dry-run"],
        ["--from", url, "--to", tmp_path / "x.db"],
        ["--from", url, "--to", url],
    ):
        result = ghost_cli("migrate", *args)
        assert result.code in (2, 5), result
        assert "hunter2" not in result.out + result.err
        assert "***" in result.err
    assert (
        json.loads(ghost_cli("migrate", "--to", url, "--json").err)["message"].count("hunter2") == 0
    )


def test_what_is_wrong_has_its_exit_code(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Usage is 2, a missing source 3, a target that is not empty 4."""
    assert ghost_cli("migrate").code == 2
    assert ghost_cli("migrate", "--to", ":memory:").code == 2
    assert ghost_cli("migrate", "--from", tmp_path / "none.db", "--to", tmp_path / "x.db").code == 3
    ghost_cli.ok("--db", tmp_path / "filled.db", "put", "-n", "a", "-k", "x", "text")
    assert ghost_cli("migrate", "--to", tmp_path / "filled.db").code == 4
