"""One store, three faces: what the server stores, library and command line read, and the other way round"""

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Agent, Place

COUNTED = ("verdict", "access_count", "last_accessed_at", "outcome", "chunks")


def plain(memory: dict[str, Any]) -> dict[str, Any]:
    """Leave out what counts retrievals."""
    return {name: value for name, value in memory.items() if name not in COUNTED}


def run(place: "Place", *args: str) -> Any:
    """Run the command line with --json and return the objects it printed."""
    program = place.parameters().command
    done = subprocess.run(
        [program, "--json", *args],
        env=place.env(),
        cwd=place.work,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def everything(agent: "Agent") -> None:
    """Use every writing tool once."""
    agent.ok(
        "ghost_put",
        ns="a",
        key="tea",
        content="The user drinks green tea. 喜欢 🍵",
        tags=["taste"],
        importance=0.8,
    )
    agent.ok("ghost_put", ns="a", key="cup", content="The cup is blue.")
    agent.ok("ghost_put", ns="a", key="gone", content="The cup is red.")
    agent.ok("ghost_edge", ns="a", from_key="cup", to_key="tea", rel="depends_on", weight=0.6)
    agent.ok(
        "ghost_consolidate",
        ns="a",
        summary_key="all",
        content="Tea and cup.",
        source_keys=["tea", "cup"],
    )
    agent.ok("ghost_curate", ns="a", key="tea", op="pin")
    agent.ok("ghost_curate", ns="a", key="tea", op="used")
    agent.ok("ghost_curate", ns="a", key="gone", op="delete")


@pytest.mark.requirement("002-004")
def test_the_library_reads_what_the_server_stored(place: "Place") -> None:
    """Memories, edges, summaries and steps made over MCP are there for the library, field by field."""
    with place.agent(GHOST_MCP_RESULTS="full") as agent:
        everything(agent)
        told = agent.ok("ghost_get", ns="a", key="tea")
    with place.ghost() as ghost:
        memory = ghost.get("a", "tea")
        assert plain(memory.to_dict()) == plain(told)
        assert (memory.pinned, memory.utility_count, memory.importance, memory.tags) == (
            True,
            1,
            0.8,
            ("taste",),
        )
        assert [
            (edge.from_key, edge.rel, edge.weight)
            for edge in ghost.edges("a", "cup", rel="depends_on")
        ] == [("cup", "depends_on", 0.6)]
        assert [child.key for child in ghost.expand("a", "all").children] == ["cup", "tea"]
        assert {found.key for found in ghost.list("a")} == {"tea", "cup", "all"}
        assert ghost.search("green tea", "a")[0].key == "tea"


@pytest.mark.requirement("002-004")
def test_the_command_line_reads_what_the_server_stored(place: "Place") -> None:
    """The same over the command line, while the server is still running."""
    with place.agent(GHOST_MCP_RESULTS="full") as agent:
        everything(agent)
        assert plain(run(place, "get", "-n", "a", "tea")[0]) == plain(
            agent.ok("ghost_get", ns="a", key="tea")
        )
        assert {row["key"] for row in run(place, "list", "-n", "a")} == {"tea", "cup", "all"}
        assert run(place, "search", "-n", "a", "green tea")[0]["key"] == "tea"


@pytest.mark.requirement("002-004")
def test_the_server_reads_what_the_library_stores(place: "Place", ns: str) -> None:
    """A server that is already running sees what the library writes beside it, at once."""
    with place.agent(GHOST_MCP_RESULTS="full") as agent, place.ghost() as ghost:
        assert agent.ok("ghost_search", ns=ns, query="tea")["results"] == []
        made = ghost.put(ns, "tea", "The user drinks green tea.", tags=["taste"], kind="semantic")
        ghost.put(ns, "cup", "The cup is blue.")
        ghost.edge(ns, "cup", "tea", "depends_on")
        assert plain(agent.ok("ghost_get", ns=ns, key="tea")) == plain(made.to_dict())
        assert agent.ok("ghost_search", ns=ns, query="green tea")["results"][0]["id"] == made.id
        assert (
            agent.ok("ghost_edge", ns=ns, from_key="tea", op="list")["edges"][0]["from_key"]
            == "cup"
        )
        ghost.rm(ns, "tea")
        assert "not found" in agent.fails("ghost_get", ns=ns, key="tea")[0]


@pytest.mark.requirement("002-004")
def test_the_server_reads_what_the_command_line_stores(place: "Place") -> None:
    """A put on the command line is found over MCP, and MCP's next version by the command line."""
    with place.agent(GHOST_MCP_RESULTS="full") as agent:
        assert (
            run(place, "put", "-n", "a", "-k", "tea", "The user drinks green tea.")[0]["version"]
            == 1
        )
        assert agent.ok("ghost_get", ns="a", key="tea")["content"] == "The user drinks green tea."
        agent.ok("ghost_put", ns="a", key="tea", content="The user drinks black tea.")
        assert [row["version"] for row in run(place, "history", "-n", "a", "tea")] == [1, 2]


@pytest.mark.requirement("002-004")
@pytest.mark.smoke
def test_the_same_question_has_the_same_answer_everywhere(place: "Place") -> None:
    """Search and context over MCP are the library's, score by score and token by token."""
    with place.ghost() as ghost:
        for number in range(12):
            ghost.put(
                "a",
                f"k{number}",
                f"The shop number {number} opens at {number} o'clock and sells tea.",
            )
        with place.agent(GHOST_MCP_RESULTS="full") as agent:
            hits = agent.ok(
                "ghost_search", ns="a", query="which shop opens at 7 o'clock?", explain=True
            )["results"]
            pack = agent.ok(
                "ghost_context", ns="a", query="which shop opens at 7 o'clock?", budget=200
            )
        again = ghost.search("which shop opens at 7 o'clock?", "a", explain=True)
        assert [(hit["key"], hit["why"]["legs"]) for hit in hits] == [
            (hit.key, dict(hit.why.legs)) for hit in again if hit.why
        ]
        assert [hit["score"] for hit in hits] == [hit.score for hit in again]
        other = ghost.context("which shop opens at 7 o'clock?", "a", budget=200)
        assert [memory["key"] for memory in pack["memories"]] == other.keys
        assert pack["used"] == other.used
