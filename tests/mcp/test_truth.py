"""The toolset truth through the official client, and what the other tools say about truth and sources"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Agent, Place

NS = "agent:me"
TOOLS = {"ghost_conflicts", "ghost_resolve", "ghost_timeline"}


@pytest.fixture
def agent(place: "Place") -> "Iterator[Agent]":
    """Start a server with the toolset and connect the official client."""
    with place.agent("2026-07-28", "--tools", "memory,truth", GHOST_MCP_RESULTS="full") as found:
        yield found
    assert "Traceback" not in place.errors()


def test_only_when_asked_for(place: "Place", agent: "Agent") -> None:
    """The toolset is not among the default tools, whose list stays short."""
    assert {tool.name for tool in agent.ask("list_tools").tools} >= TOOLS
    with place.agent() as plain:
        assert not TOOLS & {tool.name for tool in plain.ask("list_tools").tools}


def test_the_client_is_on_every_version(agent: "Agent") -> None:
    """Who wrote it is known without anybody saying so."""
    assert agent.ok("ghost_put", ns=NS, key="k", content="text")["source_client"]
