"""Arguments as models send them: what is understood, and what an error says to send instead"""

from datetime import UTC, datetime
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.mcp.coerce import coerce
from ghostmem.mcp.memory_tools import MEMORY
from ghostmem.mcp.tool_server import ToolServer

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
TOOLS = {tool.name: tool for tool in MEMORY}


def coerced(tool: str, name: str, value: Any) -> Any:
    """Return one argument after coercion."""
    return coerce({name: value}, TOOLS[tool].accepted, NOW)[name]


@pytest.mark.parametrize(
    ("tool", "name", "value", "meant"),
    [
        ("ghost_search", "limit", "5", 5),
        ("ghost_search", "limit", " 5 ", 5),
        ("ghost_put", "importance", "0.5", 0.5),
        ("ghost_put", "importance", "high", 0.8),
        ("ghost_put", "importance", "Low", 0.3),
        ("ghost_put", "tags", "a,b", ["a", "b"]),
        ("ghost_put", "tags", "a, b ,", ["a", "b"]),
        ("ghost_put", "tags", "ops", ["ops"]),
        ("ghost_put", "tags", '["a", "b"]', ["a", "b"]),
        ("ghost_consolidate", "source_keys", "a,b", ["a", "b"]),
        ("ghost_edge_candidates", "seed", "a", ["a"]),
        ("ghost_put", "meta", '{"a": 1}', {"a": 1}),
        ("ghost_put", "pinned", "true", True),
        ("ghost_put", "pinned", "No", False),
        ("ghost_put", "pinned", 1, True),
        ("ghost_put", "dedup", 0, False),
        ("ghost_reflect", "dry_run", "yes", True),
        ("ghost_put", "kind", "Semantic", "semantic"),
        ("ghost_put", "kind", "fact", "semantic"),
        ("ghost_put", "tier", "long-term", "ltm"),
        ("ghost_put", "priority", "HIGH", "high"),
        ("ghost_put", "priority", "medium", "normal"),
        ("ghost_edge", "rel", "depends on", "depends_on"),
        ("ghost_curate", "op", "PIN", "pin"),
        ("ghost_put", "ttl", "1 week", "7d"),
        ("ghost_put", "ttl", "2 hours", "2h"),
        ("ghost_put", "ttl", "a month", "30d"),
        ("ghost_put", "ttl", "90 minutes", "90m"),
        ("ghost_put", "ttl", "7d", "7d"),
        ("ghost_put", "ttl", "forever", "never"),
        ("ghost_search", "after", "yesterday", "2026-03-13"),
        ("ghost_search", "after", "Today", "2026-03-14"),
        ("ghost_search", "after", "last week", "2026-03-07"),
        ("ghost_search", "after", "3 days ago", "2026-03-11T09:30:00.000000Z"),
        ("ghost_search", "after", "last 2 hours", "2026-03-14T07:30:00.000000Z"),
        ("ghost_search", "before", "now", "2026-03-14T09:30:00.000000Z"),
        ("ghost_search", "after", "2026-02", "2026-02-01"),
        ("ghost_search", "after", "2026/2/3", "2026-02-03"),
        ("ghost_search", "after", "2026-02-03", "2026-02-03"),
        ("ghost_search", "after", "2 weeks", "2026-02-28T09:30:00.000000Z"),
        ("ghost_put", "valid_from", "yesterday", "2026-03-13"),
        ("ghost_curate", "op", "remove", "delete"),
        ("ghost_curate", "op", "delete", "delete"),
        ("ghost_edge", "op", "delete", "remove"),
        ("ghost_edge", "op", "add", "create"),
        ("ghost_put", "valid_to", "3 days ago", "2026-03-11T09:30:00.000000Z"),
    ],
)
def test_clear_values_are_understood(tool: str, name: str, value: Any, meant: Any) -> None:
    """The meaning is clear, so the form does not matter."""
    found = coerced(tool, name, value)
    assert found == meant
    assert type(found) is type(meant)


@pytest.mark.parametrize(
    ("tool", "name", "value"),
    [
        ("ghost_search", "limit", "many"),
        ("ghost_search", "limit", "[5]"),
        ("ghost_search", "limit", True),
        ("ghost_put", "importance", "very"),
        ("ghost_put", "importance", True),
        ("ghost_put", "tags", "[a, b"),
        ("ghost_put", "tags", 5),
        ("ghost_put", "pinned", "perhaps"),
        ("ghost_put", "pinned", 2),
        ("ghost_put", "kind", "opinion"),
        ("ghost_put", "ttl", "soon"),
        ("ghost_put", "ttl", "3 days ago"),
        ("ghost_put", "ttl", "9" * 5000),
        ("ghost_put", "content", "5"),
        ("ghost_put", "content", '["a"]'),
        ("ghost_put", "key", "true"),
        ("ghost_put", "meta", "[1]"),
        ("ghost_search", "query", "yesterday"),
        ("ghost_search", "after", "someday"),
        ("ghost_search", "after", "week"),
        ("ghost_search", "after", "x" * 5000),
        ("ghost_context", "min_score", "high"),
        ("ghost_put", "valid_to", "2 weeks"),
        ("ghost_put", "valid_to", "today"),
        ("ghost_put", "valid_to", "2026-04"),
        ("ghost_put", "valid_from", "2 weeks"),
        ("ghost_curate", "op", "add"),
    ],
)
def test_everything_else_stays_as_it_is(tool: str, name: str, value: Any) -> None:
    """Nothing is guessed, and texts stay texts."""
    assert coerced(tool, name, value) == value


@pytest.fixture
def server(ghost: Ghost) -> ToolServer:
    """Return the tools over an empty store."""
    return ToolServer(ghost, folder="/")


@pytest.mark.parametrize(
    ("tool", "given", "hint"),
    [
        ("ghost_put", {"tags": {"a": 1}}, 'send tags as ["a","b"]'),
        ("ghost_put", {"importance": "very"}, "send importance as 0.5"),
        ("ghost_put", {"pinned": "perhaps"}, "send pinned as true"),
        ("ghost_search", {"limit": "many"}, "send limit as 5"),
        ("ghost_consolidate", {"source_keys": 5}, 'send source_keys as ["a","b"]'),
        ("ghost_search", {"after": "someday"}, "2026-03-14"),
        ("ghost_put", {"ttl": "soon"}, "7d"),
        ("ghost_put", {"kind": "opinion"}, "semantic, episodic, procedural"),
        ("ghost_search", {"query": ""}, 'send query as a text, e.g. "when do we deploy?"'),
        ("ghost_context", {"query": "  "}, 'send query as a text, e.g. "when do we deploy?"'),
        ("ghost_put", {"content": ""}, 'send content as a text, e.g. "We deploy on Tuesdays."'),
        ("ghost_get", {"key": " "}, 'send key as a text, e.g. "user-timezone"'),
    ],
)
def test_an_error_says_what_to_send(
    server: ToolServer, tool: str, given: dict[str, Any], hint: str
) -> None:
    """The hint has a value of the right form, and nothing was changed."""
    needed = {"key": "k", "content": "c", "query": "q", "summary_key": "s", "source_keys": ["a"]}
    required = {name: needed[name] for name in TOOLS[tool].required}
    result = server.call(tool, {"ns": "a", **required, **given})
    assert result["isError"]
    assert hint in result["content"][0]["text"]
    assert server.ghost.list("a") == []


def test_a_call_with_coerced_arguments_is_made(server: ToolServer) -> None:
    """What was understood is what is stored and found."""
    given = {"ns": "a", "key": "k", "content": "We deploy on Tuesdays.", "tags": "ops,release"}
    made = server.call(
        "ghost_put", {**given, "importance": "high", "ttl": "1 week", "pinned": "no"}
    )
    assert not made["isError"], made
    memory = server.ghost.get("a", "k")
    assert (memory.tags, memory.importance, memory.pinned) == (("ops", "release"), 0.8, False)
    assert memory.expires_at is not None
    found = server.call(
        "ghost_search", {"ns": "a", "query": "deploy", "limit": "5", "after": "yesterday"}
    )
    assert [hit["key"] for hit in found["structuredContent"]["results"]] == ["k"]
