"""mcp-memory-service: SQLite with sqlite-vec behind an MCP server; the key is stored as a tag."""

from pathlib import Path
from typing import Any

from bench.peer_kinds.mcp import Server, ServerError, one_line
from bench.peer_kinds.serve import Item
from bench.peer_kinds.served import holds, keys_in


def command(folder: Path, options: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Return the command that starts the server on a file in this folder."""
    env = {
        "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
        "MCP_MEMORY_BASE_DIR": str(folder),
        "MCP_MEMORY_SQLITE_PATH": str(folder / "memory.db"),
        "MCP_MEMORY_USE_ONNX": "1",
        "MCP_MEMORY_ONNX_ALLOW_DOWNLOAD": "0",
    }
    return [str(Path(options["bin"]) / "memory"), "server"], env


def put(server: Server, item: Item) -> None:
    """Store one in its own conversation, because the duplicate check refuses similar facts."""
    said = server.call(
        "memory_store",
        {"content": item.text, "conversation_id": item.key, "metadata": {"tags": [item.key]}},
    )
    if "success" not in said.lower() and "stored" not in said.lower():
        raise ServerError(one_line(said))


def search(server: Server, item: Item, limit: int) -> list[str]:
    """Search by its hybrid of words and meaning."""
    return keys_in(
        server.call("memory_search", {"query": item.text, "mode": "hybrid", "limit": limit}), limit
    )


def missing(server: Server, items: list[Item]) -> list[str]:
    """List those with each tag."""
    return [
        item.key
        for item in items
        if not holds(server.call("memory_list", {"tags": [item.key]}), item.text)
    ]
