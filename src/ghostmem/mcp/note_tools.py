"""The tools of the toolset notes: search memories and notes, and save a note."""

from pathlib import Path

from ghostmem.ghost import Ghost
from ghostmem.mcp.tool import TEXT, WRITE, Arguments, McpTool, Result, described
from ghostmem.notes.grep import MAX_RESULTS as BLOCKS
from ghostmem.notes.grep import format_blocks, grep_notes
from ghostmem.notes.memory_tools import (
    MAX_RESULTS,
    SAVE,
    SAVE_PARAMETERS,
    SEARCH,
    MemorySave,
    MemorySearch,
    formatted,
)

SEMANTIC, LITERAL = "semantic", "text"
MAX_HITS = 200


def make_tools(_: str, root: Path) -> tuple[McpTool, ...]:
    """Return memory_search and memory_save; text is searched in added folders, else in `root`."""

    def search(ghost: Ghost, given: Arguments) -> Result:
        if given.get("mode") == LITERAL:
            return {"text": _grep(ghost, root, given)}
        return {
            "text": formatted(
                MemorySearch(ghost).search(given["query"], given.get("max_results", MAX_RESULTS))
            )
        }

    def save(ghost: Ghost, given: Arguments) -> Result:
        return {"text": MemorySave(ghost).save(given["content"], given.get("target", "daily"))}

    parameters = {
        "query": described(TEXT, "the search query"),
        "max_results": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_HITS,
            "description": "maximum results to return (default 5; 10 with mode text)",
        },
        "mode": {
            "type": "string",
            "enum": [SEMANTIC, LITERAL],
            "description": "semantic (default), or text: the words as written, with the "
            "lines around them, newest note first",
        },
    }
    return (
        McpTool(
            "memory_search",
            "Search memory",
            SEARCH,
            parameters,
            ("query",),
            {"text": TEXT},
            search,
            uses_namespace=False,
        ),
        McpTool(
            "memory_save",
            "Save a note",
            SAVE,
            SAVE_PARAMETERS["properties"],
            ("content",),
            {"text": TEXT},
            save,
            hints=WRITE,
            uses_namespace=False,
        ),
    )


def _grep(ghost: Ghost, root: Path, given: Arguments) -> str:
    found = grep_notes(
        ghost.notes.folders() or [root], given["query"], given.get("max_results", BLOCKS)
    )
    return format_blocks(found, given["query"]).removesuffix("\n")
