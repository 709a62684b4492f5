"""ghost doctor"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import __version__

if TYPE_CHECKING:
    from conftest import GhostCli


def findings(result: Any) -> dict[str, dict[str, str]]:
    """Return what the doctor looked at, by name."""
    return {finding["name"]: finding for finding in result.rows[0]["findings"]}


def test_a_healthy_store(ghost_cli: "GhostCli", store: Path) -> None:
    """Versions, settings and the store are named, everything is ok, exit 0."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    result = ghost_cli("--json", "doctor")
    found = findings(result)
    assert (result.code, result.rows[0]["ok"]) == (0, True)
    assert __version__ in found["ghost"]["detail"]
    assert str(store) in found["store"]["detail"]
    assert "sqlite 3." in found["store"]["detail"]
    assert found["integrity"]["state"] == "ok"
    assert {finding["state"] for name, finding in found.items() if name != "command"} == {"ok"}


def test_text_marks_every_finding(ghost_cli: "GhostCli") -> None:
    """One line per finding with a mark, the next step below it."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    lines = ghost_cli.ok("doctor").splitlines()
    assert lines[0].startswith("✓ ghost: ")
    assert lines[-1] == "✓ integrity: rows and indexes agree"


def test_a_store_that_is_not_there_is_no_problem_and_is_not_made(
    ghost_cli: "GhostCli", store: Path
) -> None:
    """Before the first put everything is fine, and looking creates nothing."""
    assert f"{store} (it does not exist yet; the first put creates it)" in ghost_cli.ok("doctor")
    assert not store.exists()
    assert not store.parent.exists()


@pytest.mark.parametrize("size", [50_000, 200])
def test_a_truncated_store_is_a_problem(ghost_cli: "GhostCli", store: Path, size: int) -> None:
    """A damaged file exits 5 with a finding, not with an error."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    data = store.read_bytes()[:size]
    store.write_bytes(data)
    result = ghost_cli("--json", "doctor")
    found = findings(result)
    assert (result.code, found["store"]["state"]) == (5, "problem")
    assert "damaged" in found["store"]["detail"]
    assert found["store"]["fix"]
    assert ghost_cli("doctor").code == 5
    assert store.read_bytes() == data


def test_missing_chunks_are_a_problem_that_fix_repairs(
    ghost_cli: "GhostCli", store: Path, sql: Callable[..., Any]
) -> None:
    """Deleted chunk rows are found; --fix rebuilds them."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    sql(store, "DELETE FROM chunks")
    result = ghost_cli("doctor")
    assert result.code == 5
    assert "✗ integrity: 1 live memories without chunks" in result.out
    assert "    → ghost repair" in result.out
    assert "✓ integrity" in ghost_cli.ok("doctor", "--fix")
    assert ghost_cli.ok("check") == "clean\n"


def test_a_text_file_is_a_problem(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """What is no database at all is a finding too."""
    (tmp_path / "notes.txt").write_text("hello\n")
    result = ghost_cli("doctor", "--db", tmp_path / "notes.txt")
    assert result.code == 5
    assert "✗ store: " in result.out


def test_a_readable_store_is_a_warning(ghost_cli: "GhostCli", store: Path) -> None:
    """A file that others may read is said, with the command that closes it; it is no problem by itself."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    store.chmod(0o644)
    out = ghost_cli.ok("doctor")
    assert f"! privacy: {store} has mode 644" in out
    assert f"chmod 600 {store}" in out


def test_a_broken_configuration_is_a_finding(ghost_cli: "GhostCli", home: Path) -> None:
    """The doctor is who one asks when settings are broken: it must not fall over them itself."""

    (home / ".ghost").mkdir()
    (home / ".ghost" / "config.toml").write_text("nonsense")
    result = ghost_cli("--json", "doctor")
    assert result.rows, result.err
    assert findings(result)["config"]["state"] == "problem"


def test_a_store_of_a_newer_ghost_is_readable_and_said(
    ghost_cli: "GhostCli", store: Path, sql: Callable[..., Any]
) -> None:
    """Reading goes on, writing exits 5 with the way out, and the doctor warns."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    sql(
        store, "INSERT INTO migrations VALUES ('9999_future', '2030-01-01T00:00:00.000000Z', '9.9')"
    )
    assert ghost_cli.ok("get", "-n", "a", "x") == "one\n"
    assert ghost_cli.names() == ["a/x"]
    error, hint = ghost_cli.fails(5, "put", "-n", "a", "-k", "x", "two")
    assert "written by a newer Ghost" in error
    assert "pip install --upgrade ghostmem" in hint
    assert "! writing: " in ghost_cli.ok("doctor")
