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
