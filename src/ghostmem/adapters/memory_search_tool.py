"""memory_search as an agent's tool: text search over the memory files of a workspace, with no index
and no store.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ghostmem.adapters.tool import Tool
from ghostmem.errors import GhostError
from ghostmem.notes.grep import format_blocks, grep


class MemorySearchTool(Tool):
    """Search MEMORY.md and daily notes for a term or phrase."""

    name = "memory_search"
    description = "Search across all memory files (MEMORY.md and daily notes)"
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Search term or phrase"},
            "max_results": {"type": "integer", "default": 10},
        },
        "required": ["query"],
    }

    def __init__(self, workspace: Path | str) -> None:
        self.workspace = Path(workspace)

    async def execute(self, **kwargs: Any) -> str:
        """Return the blocks that match, newest first, or a sentence that says what is wrong."""
        if wrong := self.validate_params(kwargs):
            return f"Error: Invalid parameters for tool '{self.name}': {'; '.join(wrong)}"
        query = kwargs["query"]
        most = int(
            kwargs.get("max_results", self.parameters["properties"]["max_results"]["default"])
        )
        try:
            blocks = await asyncio.to_thread(grep, self.workspace, query, most)
        except GhostError as error:
            return f"Error: {error.message}; {error.hint}"
        return format_blocks(blocks, query)
