"""What a client is sent of a result."""

from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.mcp.budget import MAX_MEMORY, sent_tokens
from ghostmem.mcp.shown import WORDS_ONLY, show_search
from ghostmem.mcp.tool_server import ToolServer


@pytest.mark.parametrize("repeats", [40, 2000])
def test_a_memory_with_long_fields_is_shown_within_the_limit(ghost: Ghost, repeats: int) -> None:
    """Fields that leave no room for the content are left out and named; all parts are reached."""
    content = "Each part of this text is shown. " * repeats
    ghost.put("a", "k", content, meta={"notes": "v" * 17_000})
    server = ToolServer(ghost, folder="/")
    read, offset = "", 0
    while offset < len(content):
        result = server.call("ghost_get", {"ns": "a", "key": "k", "offset": offset})
        shown: dict[str, Any] = result["structuredContent"]
        assert sent_tokens(result["content"][0]["text"], shown) <= MAX_MEMORY
        assert "meta" not in shown
        assert "meta" in shown["notes"][0]
        read += shown["content"]
        offset = len(read)
    assert read == content
    assert "left_out" not in shown


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("2 notes could not be read; `ghost notes status` tells why", "2 notes could not be read"),
        ("a has no vectors of x yet; `ghost embed backfill` adds them", WORDS_ONLY),
        ("the store is read-only", "the store is read-only"),
    ],
)
def test_a_note_for_people_loses_its_command(note: str, shown: str) -> None:
    """Only a note about vectors says that words were searched."""
    found: dict[str, Any] = {"results": [], "legs": [], "notes": [note]}
    assert show_search(found, {"ns": "a", "query": "x"})["notes"] == [shown]
