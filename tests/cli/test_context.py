"""ghost context: a pack for people, for programs and for prompts; flags, values that are wrong, and nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import FillOnce, GhostCli

ME = ("context", "-n", "agent:me")


@pytest.fixture
def filled(ghost_cli: GhostCli, fill_once: FillOnce) -> GhostCli:
    """Return the command line over a few linked memories without vectors, which are not given whole."""
    ghost_cli.monkeypatch.setenv("GHOST_CONTEXT_WHOLE", "0")
    put = ghost_cli.ok

    def add(key: str, content: str, *args: str, ns: str = "agent:me") -> None:
        put("put", "-n", ns, "-k", key, content, "--tier", "ltm", "--kind", "semantic", *args)

    def build() -> None:
        add("rule", "Answer in British English.", "--pinned")
        add("ferry", "The harbour ferry departs from pier nine.", "-t", "trip")
        add("lemons", "Lemons cost nine crowns.")
        add("zebras", "Zebras moved to stable two.")
        add("cart", "Totals are rounded half to even.", "--files", "src/cart.py")
        add("asleep", "The harbour ferry once departed from pier one.", "--tier", "dormant")
        add("ferry", "The other harbour ferry departs from pier four.", ns="agent:you")
        put("edge", "add", "-n", "agent:me", "ferry", "lemons", "--rel", "depends_on")
        put("edge", "add", "-n", "agent:me", "zebras", "ferry", "--rel", "contradicts")

    fill_once(build)
    return ghost_cli


def keys(pack: dict[str, Any]) -> list[str]:
    """Return the keys of a pack in order."""
    return [memory["key"] for memory in pack["memories"]]


def test_no_question_on_a_terminal(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, without a question the command says what it needs; files alone do not wait for one to be typed."""
    import io

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("io.TextIOWrapper", Terminal)
    error, hint = filled.fails(2, *ME)
    assert "required" in error
    assert "standard input" in hint
    assert keys(filled.row(*ME, "--exclude-pinned", "--files", "src/cart.py")) == ["cart"]
