"""mempalace: drawers in a palace (Chroma underneath), over its MCP server.

The key is stored as the source file.
"""

from pathlib import Path
from typing import Any

from bench.peer_kinds.mcp import Server, ServerError, one_line
from bench.peer_kinds.serve import Item
from bench.peer_kinds.served import holds, keys_in


def command(folder: Path, options: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Return the command that starts the server on a palace in this folder."""
    palace = folder / "palace"
    palace.mkdir(exist_ok=True)
    env = {"MEMPALACE_PALACE_PATH": str(palace), "MEMPALACE_EMBEDDING_MODEL": "minilm"}
    return [str(Path(options["bin"]) / "mempalace-mcp")], env


def put(server: Server, item: Item) -> None:
    """File one drawer."""
    said = server.call(
        "mempalace_add_drawer",
        {"wing": "bench", "room": "facts", "content": item.text, "source_file": f"{item.key}.md"},
    )
    if '"success": true' not in said and '"success":true' not in said:
        raise ServerError(one_line(said))


def search(server: Server, item: Item, limit: int) -> list[str]:
    """Search the wing."""
    return keys_in(
        server.call("mempalace_search", {"query": item.text, "limit": limit, "wing": "bench"}),
        limit,
    )


def missing(server: Server, items: list[Item]) -> list[str]:
    """Page through the drawers."""
    there, start = "", 0
    while True:
        page = server.call(
            "mempalace_list_drawers", {"wing": "bench", "limit": 100, "offset": start}
        )
        there += page
        start += 100
        if page.count("drawer_id") < 100:
            return [item.key for item in items if not holds(there, item.text)]
