"""Arguments that name a memory: plain keys, and `ns/key` as results print it."""

from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.adapters import schemas
from ghostmem.caller import CALLER, Caller
from ghostmem.mcp.tool_server import ToolServer

OWN, OTHER = "project:shop", "agent:x"


@pytest.fixture
def server(ghost: Ghost) -> ToolServer:
    """Return the tools over a store with two namespaces."""
    ghost.put(OWN, "day", "We deploy on Tuesdays.")
    ghost.put(OWN, "freeze", "Nothing is deployed in December.")
    ghost.put(OTHER, "tea", "The user drinks green tea.")
    return ToolServer(ghost, ("memory", "edit", "truth"), folder="/")


def call(server: ToolServer, name: str, **given: Any) -> dict[str, Any]:
    """Call a tool in our namespace and return its result."""
    return server.call(name, {"ns": OWN, **given})


def names(ghost: Ghost) -> set[str]:
    """Return the names of all memories."""
    return {f"{memory.ns}/{memory.key}" for memory in ghost.list(limit=100)}


def test_an_exact_key_wins(server: ToolServer, ghost: Ghost) -> None:
    """A key that looks like a name stays that key where it exists; other slashes mean nothing."""
    ghost.put(OWN, f"{OWN}/day", "A key with a colon and a slash.")
    found = call(server, "ghost_get", key=f"{OWN}/day")
    assert found["structuredContent"]["content"] == "A key with a colon and a slash."
    call(server, "ghost_put", key="docs/guide", content="The guide is short.")
    call(server, "ghost_put", key="feature:login/notes", content="The login is slow.")
    assert names(ghost) >= {f"{OWN}/docs/guide", f"{OWN}/feature:login/notes"}


def test_a_read_follows_a_name_into_another_namespace(server: ToolServer) -> None:
    """A full name is enough to read, where the caller may."""
    found = call(server, "ghost_get", key=f"{OTHER}/tea")
    assert found["structuredContent"]["ns"] == OTHER
    assert not call(server, "ghost_history", key=f"{OTHER}/tea")["isError"]
    before = CALLER.set(Caller("bob", ((OWN, "write"),)))
    try:
        text = call(server, "ghost_get", key=f"{OTHER}/tea")["content"][0]["text"]
    finally:
        CALLER.reset(before)
    assert text.startswith(f"error: memory not found: {OWN}/{OTHER}/tea")


def test_calls_without_mcp_take_names_too(server: ToolServer, ghost: Ghost) -> None:
    """Function calling resolves names in the same way."""
    assert schemas.call(ghost, "ghost_get", {"key": f"{OTHER}/tea"}, ns=OWN)["ns"] == OTHER
