"""The toolset notes through the official client: memory_search in both modes, memory_save, and who may call them"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.caller import CALLER, Caller
from ghostmem.ghost import Ghost
from ghostmem.mcp.tool_server import ToolServer

if TYPE_CHECKING:
    from conftest import Agent, Place

SEARCH = "search your persistent memory for relevant information from past conversations and saved knowledge"


@pytest.fixture
def root(place: "Place") -> Path:
    """Return a workspace with a year of daily notes, one of them about rhubarb."""
    folder = place.root / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\nPierce prefers green tea.\n", encoding="utf-8")
    for month in range(1, 13):
        text = f"# 2025-{month:02}-15\n\nWatered the orchard in month {month}.\n"
        (folder / "memory" / f"2025-{month:02}-15.md").write_text(text, encoding="utf-8")
    (folder / "memory" / "2025-05-16.md").write_text(
        "# 2025-05-16\n\nPlanted rhubarb along the fence.\n", encoding="utf-8"
    )
    return folder


@pytest.fixture
def agent(place: "Place", root: Path) -> "Iterator[Agent]":
    """Start a server with the toolset notes and connect the official client."""
    with place.agent("2026-07-28", "--tools", "notes", "--root", str(root)) as found:
        yield found
    assert "Traceback" not in place.errors()


def tools(agent: "Agent") -> dict[str, Any]:
    """Return the tools that a client sees, by name."""
    return {tool.name: tool for tool in agent.ask("list_tools").tools}


@pytest.mark.requirement("000-015", "001-020")
def test_the_toolset_is_there_when_asked_for_and_only_then(place: "Place", agent: "Agent") -> None:
    """With --tools notes there are the two tools, with the source's words; without, there is neither."""
    found = tools(agent)
    assert list(found) == ["memory_search", "memory_save"]
    assert found["memory_search"].description == SEARCH
    schema = found["memory_search"].input_schema
    assert schema["required"] == ["query"]
    assert schema["properties"]["max_results"]["type"] == "integer"
    assert "default 5" in schema["properties"]["max_results"]["description"]
    assert found["memory_save"].input_schema["properties"]["target"]["enum"] == [
        "daily",
        "long_term",
    ]
    with place.agent() as other:
        assert not {"memory_search", "memory_save"} & tools(other).keys()


@pytest.mark.requirement("001-004", "001-016")
def test_text_mode_reads_the_files_as_they_are(agent: "Agent") -> None:
    """With mode text nothing needs to be added: the workspace is searched, newest first, ten blocks unless told otherwise."""
    found = agent.text("memory_search", query="RHUBARB", mode="text")
    assert (
        found
        == "--- memory/2025-05-16.md (line 3) ---\n# 2025-05-16\n\nPlanted rhubarb along the fence.\n---"
    )
    many = agent.text("memory_search", query="orchard", mode="text")
    assert [line[4:24] for line in many.splitlines() if line.startswith("--- ")] == [
        f"memory/2025-{month:02}-15.md" for month in range(12, 2, -1)
    ]
    few = agent.text("memory_search", query="orchard", mode="text", max_results=2)
    assert few.count("--- memory") == 2
    assert (
        agent.text("memory_search", query="zebra", mode="text") == 'No matches found for "zebra".'
    )


@pytest.mark.requirement("000-015", "001-016")
def test_the_default_mode_searches_memories_and_notes(
    place: "Place", agent: "Agent", root: Path
) -> None:
    """Without a mode the same tool searches by meaning and words, five results unless told otherwise."""
    with place.ghost() as ghost:
        ghost.notes.add(root, "notes:work")
        ghost.put("agent:me", "orchard", "The orchard has twelve apple trees.")
    found = agent.text("memory_search", query="orchard")
    assert found.count("Memory Result ") == 5
    assert found.startswith("Memory Result 1: [source: ")
    assert (
        agent.text("memory_search", query="orchard", max_results=20).count("Memory Result ") == 13
    )
    one = agent.text("memory_search", query="what does Pierce prefer?", max_results=1)
    assert one == "Memory Result 1: [source: MEMORY.md]\n# Memory\n\nPierce prefers green tea."
    assert "[source: agent:me/orchard]" in agent.text(
        "memory_search", query="apple trees", max_results=1
    )
    assert agent.text("memory_search", query="quantum chromodynamics") == "No memory results found."


@pytest.mark.smoke
def test_what_is_saved_is_found(place: "Place", agent: "Agent") -> None:
    """memory_save writes a file that a person can read, and the next search finds it."""
    assert (
        agent.text("memory_save", content="Sam moved to Oslo.", target="long_term")
        == "Saved to long-term memory (MEMORY.md)"
    )
    said = agent.text("memory_save", content="Fixed the gate.")
    assert said.startswith("Saved to daily log (")
    assert "Sam moved to Oslo." in agent.text("memory_search", query="where does Sam live, Oslo?")
    assert "Fixed the gate." in agent.text("memory_search", query="gate")
    notes = [
        path.read_text(encoding="utf-8")
        for path in place.root.rglob("*.md")
        if "workspace" not in path.parts
    ]
    assert sum("Fixed the gate." in text for text in notes) == 1


def test_bad_calls_are_answered_in_a_sentence(agent: "Agent") -> None:
    """What is missing or wrong is said, with what to do."""
    for tool, given in (
        ("memory_search", {}),
        ("memory_search", {"query": "x", "max_results": 0}),
        ("memory_search", {"query": "x", "mode": "regex"}),
        ("memory_save", {"content": ""}),
        ("memory_save", {"content": "x", "target": "weekly"}),
    ):
        error, hint = agent.fails(tool, **given)
        assert error
        assert hint
        assert "Traceback" not in error


def test_whoever_is_kept_to_some_namespaces_may_not(tmp_path: Path) -> None:
    """Files are for callers whose grant is for everything."""
    with Ghost.open(tmp_path / "store.db") as ghost:
        face = ToolServer(ghost, ["notes"], root=tmp_path)
        caller = CALLER.set(Caller("one", (("agent:me", "admin"),)))
        try:
            for name, given in (
                ("memory_search", {"query": "x"}),
                ("memory_save", {"content": "x"}),
            ):
                result = face.call(name, given)
                assert result["isError"]
                assert "may not" in result["content"][0]["text"]
        finally:
            CALLER.reset(caller)
    assert not (tmp_path / "notes").exists()


def test_a_search_finds_the_notes_of_the_project(
    place: "Place", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes that were added inside the project's folder need no namespace and no tool of their own."""
    (place.work / "tv.md").write_text("The ErsatzTV API listens on port 8409.\n")
    monkeypatch.chdir(place.work)
    with place.ghost() as ghost:
        ghost.notes.add(".")
    with place.agent() as agent:
        assert "8409" in str(agent.ok("ghost_search", query="ErsatzTV")["results"])
