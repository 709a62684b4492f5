"""ghost token create, list and revoke"""

from typing import TYPE_CHECKING, Any

import pytest

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


def test_create_as_json(ghost_cli: "GhostCli") -> None:
    """With --json the record and the secret are one object, and nothing stands beside it."""
    row = ghost_cli.row("token", "create", "ci", "--grant", "agent:*:read", "--grant", "b:admin")
    assert row["secret"].startswith(f"ghost_{row['id']}_")
    assert (row["name"], row["grants"]) == ("ci", ["agent:*:read", "b:admin"])


def test_list_shows_what_and_until_when(ghost_cli: "GhostCli", wind: Any) -> None:
    """A token is shown with its grants, its end, and when it was last used."""
    ghost_cli.ok("token", "create", "one", "--grant", "*:read")
    ghost_cli.ok("token", "create", "two", "--grant", "a:read", "--expires", "1h")
    ghost_cli.ok("token", "create", "three", "--grant", "a:read")
    ghost_cli.ok("token", "revoke", "three")
    wind.forward(hours=2)
    lines = ghost_cli.ok("token", "list").splitlines()
    assert [line.split("  ")[0] for line in lines[::2]] == ["one", "two", "three"]
    assert [
        word in line
        for word, line in zip(
            ("valid until revoked", "expired", "revoked"), lines[1::2], strict=True
        )
    ] == [True] * 3
    assert all("never used" in line for line in lines[1::2])
    assert [row["name"] for row in ghost_cli.rows("token", "list")] == ["one", "two", "three"]


def test_an_empty_list(ghost_cli: "GhostCli", home: Any) -> None:
    """Without tokens the list says how to make one, and makes no store."""
    result = ghost_cli("token", "list")
    assert (result.code, result.out) == (0, "")
    assert "ghost token create" in result.err
    assert not (home / ".ghost" / "memory.db").exists()


def test_revoke_by_name_and_by_id(ghost_cli: "GhostCli") -> None:
    """Either names the token."""
    ghost_cli.ok("token", "create", "one", "--grant", "a:read")
    made = ghost_cli.row("token", "create", "two", "--grant", "a:read")
    assert ghost_cli.ok("token", "revoke", "one") == "revoked one\n"
    assert "revoked_at" in ghost_cli.row("token", "revoke", made["id"])


@pytest.mark.parametrize(
    ("code", "args"),
    [
        (2, ["create", "x"]),
        (2, ["create", "x", "--grant", "a"]),
        (2, ["create", "x", "--grant", "a:everything"]),
        (2, ["create", "x", "--grant", "a:read", "--expires", "tomorrow"]),
        (2, ["create", "", "--grant", "a:read"]),
        (4, ["create", "one", "--grant", "a:read"]),
        (3, ["revoke", "nobody"]),
        (2, ["revoke"]),
    ],
)
def test_what_is_refused(ghost_cli: "GhostCli", code: int, args: list[str]) -> None:
    """A wrong word is one error with the next step, and makes nothing."""
    ghost_cli.ok("token", "create", "one", "--grant", "a:read")
    ghost_cli.fails(code, "token", *args)
    assert len(ghost_cli.rows("token", "list")) == 1


def test_a_name_with_escapes_is_shown_harmless(ghost_cli: "GhostCli") -> None:
    """Control characters cannot be in a name."""
    ghost_cli.fails(2, "token", "create", "\x1b[31mred", "--grant", "a:read")


@pytest.mark.parametrize(
    "args",
    [[], ["x"], ["", "--grant", "a:read"], ["x", "--grant", "a"], ["x", "--grant", "?:read"]],
)
def test_errors_of_create_show_a_whole_example(ghost_cli: "GhostCli", args: list[str]) -> None:
    """The hint is a command that works."""
    _, hint = ghost_cli.fails(2, "token", "create", *args)
    assert "`ghost token create laptop --grant agent:me:write`" in hint
