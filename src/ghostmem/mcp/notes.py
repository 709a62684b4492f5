"""The tools of the toolset notes: search what is remembered and noted, and save a note."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ghostmem.adapters.memory_tools import (
    MAX_RESULTS,
    SAVE,
    SAVE_PARAMETERS,
    SEARCH,
    MemorySave,
    MemorySearch,
    formatted,
)
from ghostmem.mcp.tools import READ, TEXT, WRITE, Arguments, Result, Tool, described

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

SEMANTIC, AS_WRITTEN = "semantic", "text"
_MOST = 200


def note_tools(root: Path) -> tuple[Tool, ...]:
    """Return memory_search and memory_save.

    Text is looked for in the folders that were added, else below the root.
    """

    def search(ghost: Ghost, given: Arguments) -> Result:
        if given.get("mode") == AS_WRITTEN:
            return {"text": _grep(ghost, root, given)}
        return {
            "text": formatted(
                MemorySearch(ghost).search(given["query"], given.get("max_results", MAX_RESULTS))
            )
        }

    def save(ghost: Ghost, given: Arguments) -> Result:
        return {"text": MemorySave(ghost).save(given["content"], given.get("target", "daily"))}

    takes = {
        "query": described(TEXT, "the search query"),
        "max_results": {
            "type": "integer",
            "minimum": 1,
            "maximum": _MOST,
            "description": "maximum results to return (default 5; 10 with mode text)",
        },
        "mode": {
            "type": "string",
            "enum": [SEMANTIC, AS_WRITTEN],
            "description": "semantic (default), or text: the words as written, with the "
            "lines around them, newest note first",
        },
    }
    return (
        Tool(
            "memory_search",
            "Search memory",
            SEARCH,
            takes,
            ("query",),
            {"text": TEXT},
            search,
            "read",
            READ,
            walled=False,
        ),
        Tool(
            "memory_save",
            "Save a note",
            SAVE,
            SAVE_PARAMETERS["properties"],
            ("content",),
            {"text": TEXT},
            save,
            "write",
            WRITE,
            walled=False,
        ),
    )


def _grep(ghost: Ghost, root: Path, given: Arguments) -> str:
    from ghostmem.notes.grep import MAX_RESULTS as BLOCKS
    from ghostmem.notes.grep import format_blocks, grep_notes

    found = grep_notes(
        ghost.note_folders() or [root], given["query"], given.get("max_results", BLOCKS)
    )
    return format_blocks(found, given["query"]).removesuffix("\n")
