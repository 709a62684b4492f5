"""ghost embed: how much has vectors, filling in the rest, and changing the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture
def filled(ghost_cli: GhostCli) -> GhostCli:
    """Return the command line over three memories without vectors."""
    for key, text in {
        "a": "The cat sleeps.",
        "b": "Interest rates rose.",
        "c": "Tea is served.",
    }.items():
        ghost_cli.ok("put", "-n", "x", "-k", key, text)
    return ghost_cli


def test_status_without_a_provider(filled: GhostCli) -> None:
    """With provider none nothing waits."""
    assert filled.ok("embed", "status") == "provider none: 0 of 3 chunks have vectors, 0 pending\n"
    row = filled.row("embed", "status")
    assert (row["provider"], row["chunks"], row["embedded"], row["pending"]) == ("none", 3, 0, 0)


def test_backfill_fills_in_what_waits(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Backfill embeds what has no vector, once, and status counts it."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    assert filled.row("embed", "status")["pending"] == 3
    assert filled.ok("embed", "backfill") == "embedded 3 chunks\n"
    assert filled.row("embed", "backfill") == {"embedded": 0}
    expected = (
        "provider static, model minilm-static-256-int8: 3 of 3 chunks have vectors, 0 pending\n"
    )
    assert filled.ok("embed", "status") == expected
    assert filled.rows("search", "-n", "x", "a kitten naps")[0]["key"] == "a"


def test_switch_changes_the_model(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch makes the vectors of the chosen model and drops the others; until then status names both."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    filled.ok("embed", "backfill")
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "local")
    status = filled.ok("embed", "status").splitlines()
    assert (
        status[0]
        == "provider local, model ghost-minilm-1-int8: 0 of 3 chunks have vectors, 3 pending"
    )
    assert status[1].startswith("  minilm-static-256-int8")
    assert status[1].endswith(": 3 vectors of another model")
    assert list(filled.row("embed", "status")["other_models"].values()) == [3]
    assert (
        filled.ok("embed", "switch")
        == "embedded 3 chunks; the vectors of other models were deleted\n"
    )
    row = filled.row("embed", "status")
    assert (row["embedded"], row["pending"], row.get("other_models", {})) == (3, 0, {})
    assert filled.row("embed", "switch") == {"embedded": 0}


def test_a_store_names_its_model_and_the_next(
    filled: GhostCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of the specified model keeps it; status and doctor name it, and how to change it."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "local")
    monkeypatch.setenv("GHOST_EMBED_MODEL", "all-MiniLM-L6-v2")
    filled.ok("embed", "backfill")
    monkeypatch.delenv("GHOST_EMBED_MODEL")
    note = "`ghost embed switch` changes the model to ghost-minilm-1-int8"
    assert filled.ok("embed", "status").splitlines() == [
        "provider local, model all-MiniLM-L6-v2-int8: 3 of 3 chunks have vectors, 0 pending",
        f"  {note}",
    ]
    findings = {row["name"]: row for row in filled.row("doctor")["findings"]}
    about = "provider local, model all-MiniLM-L6-v2-int8, 3 of 3 chunks have vectors"
    assert findings["embeddings"]["detail"] == f"{about}; {note}"
    assert findings["embeddings"]["state"] == "ok"
    filled.ok("embed", "switch")
    status = "provider local, model ghost-minilm-1-int8: 3 of 3 chunks have vectors, 0 pending\n"
    assert filled.ok("embed", "status") == status


def test_an_unknown_local_model(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names that there are, in status and in the failure."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "local")
    monkeypatch.setenv("GHOST_EMBED_MODEL", "bge-m3")
    names = "no model bge-m3: its models are all-MiniLM-L6-v2 and ghost-minilm-1"
    assert names in filled.ok("embed", "status")
    error, hint = filled.fails(6, "embed", "backfill")
    assert names in error
    assert "GHOST_EMBED_MODEL" in hint


def test_backfill_of_all_changes_the_model(
    filled: GhostCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The original's name of a switch: vectors of another model do not stay."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "local")
    filled.ok("embed", "backfill")
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    assert filled.row("embed", "backfill", "--all") == {"embedded": 3}
    row = filled.row("embed", "status")
    assert (row["embedded"], row.get("other_models", {})) == (3, {})


@pytest.mark.parametrize("verb", ["backfill", "switch"])
def test_without_a_provider_there_is_nothing_to_embed_with(filled: GhostCli, verb: str) -> None:
    """Exit code 6, what is wrong, and which setting to choose."""
    error, hint = filled.fails(6, "embed", verb)
    assert error == "there are no vectors: the provider is none"
    assert "GHOST_EMBED_PROVIDER" in hint


def test_openai_without_a_key(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The missing key is named, in status and in the failure."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "openai")
    assert "problem: provider openai needs a key" in filled.ok("embed", "status")
    error, hint = filled.fails(6, "embed", "backfill")
    assert "needs a key" in error
    assert "OPENAI_API_KEY" in hint


def test_a_put_with_a_dead_server_succeeds(
    filled: GhostCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory is stored and found by words; the search says what does not answer."""
    monkeypatch.setattr("ghostmem.embed.http.post.__defaults__", ("", 0.2, 0.001))
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "ollama")
    monkeypatch.setenv("GHOST_EMBED_URL", "http://127.0.0.1:1")
    assert filled("put", "-n", "x", "-k", "d", "The deployment runs.").code == 0
    result = filled("search", "-n", "x", "deployment")
    assert result.out.startswith("x/d")
    assert "did not answer" in result.err or "no vectors" in result.err
    error, _ = filled.fails(6, "embed", "backfill")
    assert "http://127.0.0.1:1/api/embed did not answer" in error


@pytest.mark.parametrize("args", [["embed"], ["embed", "--help"], ["embed", "status", "--help"]])
def test_help_names_the_verbs(ghost_cli: GhostCli, args: list[str]) -> None:
    """The group and its commands explain themselves."""
    result = ghost_cli(*args)
    assert "Usage:" in result.out + result.err


def test_chunks_wait_while_the_provider_fails(
    filled: GhostCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider that cannot be used leaves every chunk waiting, and the status says so."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "openai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    text = filled.ok("embed", "status")
    assert text.startswith("provider openai: 0 of 3 chunks have vectors, 3 pending\n  problem: ")
