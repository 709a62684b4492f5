"""The tool memory_search over the memory files of a workspace, without an index or a store."""

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
        """Return the matching blocks, newest first, or an error text."""
        if problems := self.validate_params(kwargs):
            return f"Error: Invalid parameters for tool '{self.name}': {'; '.join(problems)}"
        query = kwargs["query"]
        default = self.parameters["properties"]["max_results"]["default"]
        limit = int(kwargs.get("max_results", default))
        try:
            blocks = await asyncio.to_thread(grep, self.workspace, query, limit)
        except GhostError as error:
            return f"Error: {error.message}; {error.hint}"
        return format_blocks(blocks, query)
