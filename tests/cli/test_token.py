"""ghost token create, list and revoke"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import GhostCli


def test_create_prints_the_secret_alone(ghost_cli: "GhostCli") -> None:
    """The secret is all that goes to standard output, so that a script can keep it; the note goes beside it."""
    result = ghost_cli("token", "create", "laptop", "--grant", "agent:me:write", "--expires", "90d")
    assert result.code == 0
    assert result.out.startswith("ghost_")
    assert len(result.out.splitlines()) == 1
    assert "only this once" in result.err
    assert result.out.strip() not in ghost_cli.ok("token", "list") + ghost_cli.ok(
        "token", "list", "--json"
    )


def test_revoke_by_name_and_by_id(ghost_cli: "GhostCli") -> None:
    """Either names the token."""
    ghost_cli.ok("token", "create", "one", "--grant", "a:read")
    made = ghost_cli.row("token", "create", "two", "--grant", "a:read")
    assert ghost_cli.ok("token", "revoke", "one") == "revoked one\n"
    assert "revoked_at" in ghost_cli.row("token", "revoke", made["id"])
