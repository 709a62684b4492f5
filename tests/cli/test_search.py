"""ghost search: hits for people and for programs, filters, receipts and silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli, Program


def test_a_long_chunk_is_cut_around_the_match(ghost_cli: GhostCli) -> None:
    """What is shown of a long hit has the words of the query, not only the start of the chunk."""
    code = (
        "```python\n"
        + "value = compute(value, step)\n" * 30
        + "    raise Overflow\n"
        + "value = compute(value)\n" * 30
        + "```"
    )
    ghost_cli.ok("put", "-n", "a", "-k", "code", code)
    ghost_cli.ok(
        *"put -n a -k chinese".split(),
        "我们今天在港口看船" * 60 + "鸬鹚潜入水中" + "然后我们回家了" * 60,
    )
    for query, word in [("where is overflow raised?", "raise Overflow"), ("鸬鹚", "鸬鹚潜入水中")]:
        shown = ghost_cli.ok("search", "-n", "a", query).splitlines()[1]
        assert word in shown
        assert shown.endswith("...")
        assert len(shown) <= 4 + 300


@pytest.mark.smoke
def test_another_process_finds_what_this_one_put(program: Program) -> None:
    """The installed program puts and finds, by meaning too."""
    env: dict[str, Any] = {"GHOST_EMBED_PROVIDER": "static"}
    assert program("put", "-n", "a", "-k", "cat", "My feline sleeps on the couch.", **env).code == 0
    found = program("--json", "search", "-n", "a", "where does the cat nap?", **env)
    assert [row["key"] for row in found.rows] == ["cat"]


MILL_STREET = {
    "dentist": "The dentist has moved to Mill Street 14.",
    "garage": "The garage on Mill Street repairs bicycles too.",
    "vet": "The vet on Lake Road vaccinates cats, and the street is steep.",
    "parade": "A street parade takes place once a year.",
    "tea": "Grandmother drinks green tea without sugar.",
}


@pytest.fixture
def street(ghost_cli: GhostCli) -> GhostCli:
    """Return the command line over memories of which some are strong and some weaker hits of one question."""
    for key, text in MILL_STREET.items():
        ghost_cli.ok("put", "-n", "town", "-k", key, text)
    return ghost_cli
