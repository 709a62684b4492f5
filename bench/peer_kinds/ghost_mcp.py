"""Ghost over MCP: `ghost mcp` with its default tools.

There is no tool for many at once: each memory is one ghost_put.
"""

from pathlib import Path
from typing import Any

from bench.peer_kinds.mcp import Server
from bench.peer_kinds.serve import Item
from bench.peer_kinds.served import holds, keys_in

NS = "bench:peers"


def command(folder: Path, options: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Return the command that starts the server on a store in this folder."""
    ghost = str(Path(options["bin"]) / "ghost")
    return [ghost, "--db", str(folder / "memory.db"), "mcp"], {
        "GHOST_EMBED_PROVIDER": options["provider"]
    }


def put(server: Server, item: Item) -> None:
    """Put one."""
    server.call("ghost_put", {"ns": NS, "key": item.key, "content": item.text})


def search(server: Server, item: Item, limit: int) -> list[str]:
    """Search the namespace."""
    return keys_in(
        server.call("ghost_search", {"ns": NS, "query": item.text, "limit": limit}), limit
    )


def missing(server: Server, items: list[Item]) -> list[str]:
    """Get each by its key."""
    gone = []
    for item in items:
        try:
            found = server.call("ghost_get", {"ns": NS, "key": item.key})
        except RuntimeError:
            found = ""
        if not holds(found, item.text):
            gone.append(item.key)
    return gone
