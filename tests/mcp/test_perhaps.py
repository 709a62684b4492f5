"""A context without a relevant memory: weak matches are named as such, and noise is not."""

from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.settings import Settings

FACTS = {
    "tabs": "We use tabs, not spaces, in Go files.",
    "returns": "The user prefers early returns over nested ifs.",
    "safari": "We support Safari 16 and newer.",
    "emails": "Customer emails must never be logged.",
    "design": "The design system is owned by Paula.",
    "staging": "The staging database is at db.staging.local port 5433.",
    "cents": "Amounts are integer cents everywhere.",
    "marta": "Marta approves changes to the billing service.",
}


@pytest.fixture(scope="module")
def server() -> ToolServer:
    """Return a server over a few facts, which are not given whole."""
    settings = Settings(embed_provider="local", context_whole=False, ns="project:shop")
    ghost = Ghost.open(":memory:", settings=settings)
    for key, text in FACTS.items():
        ghost.put("project:shop", key, text, kind="semantic")
    return ToolServer(ghost)


def context(server: ToolServer, query: str, **given: Any) -> tuple[str, dict[str, Any]]:
    """Return the text and the data of a context."""
    result = server.call("ghost_context", {"query": query, **given})
    return result["content"][0]["text"], result["structuredContent"]


def test_a_weak_match_is_named_as_one(server: ToolServer) -> None:
    """A task whose only match is weak gets it with the word perhaps, not as a relevant memory."""
    text, found = context(server, "please review my patch")
    assert text.startswith("perhaps: [project:shop/marta v1 ")
    assert text.endswith(FACTS["marta"])
    assert found["memories"] == []
    assert [hit["key"] for hit in found["perhaps"]] == ["marta"]


@pytest.mark.parametrize("query", ["what is the capital of France", "tell me a joke about goats"])
def test_without_any_match_nothing_is_named(server: ToolServer, query: str) -> None:
    """Nothing relevant is said when nothing comes near."""
    text, found = context(server, query)
    assert text == "nothing relevant is known"
    assert "perhaps" not in found


def test_a_minimum_score_is_kept(server: ToolServer) -> None:
    """A caller who asks for a score gets nothing below it."""
    assert "perhaps" not in context(server, "please review my patch", min_score=0.9)[1]
