"""basic-memory: markdown notes indexed in SQLite, over its MCP server.

Full text alone, its model comes from a hub.
"""

import os
import subprocess
from pathlib import Path
from typing import Any

from bench.peer_kinds.mcp import Server, ServerError, one_line
from bench.peer_kinds.serve import Item
from bench.peer_kinds.served import holds, keys_in, telling

_COMMAND: list[str] = []  # as the server was started
_ENV: dict[str, str] = {}


def command(folder: Path, options: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Return the command that starts the server on a project in this folder."""
    _COMMAND[:] = [str(Path(options["bin"]) / "basic-memory")]
    _ENV.update(
        BASIC_MEMORY_HOME=str(folder / "notes"),
        BASIC_MEMORY_CONFIG_DIR=str(folder / "config"),
        BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED="false",
    )
    return [*_COMMAND, "mcp"], _ENV


def add(_: Server, items: list[Item]) -> None:
    """Write the notes as files and index the project; twice as fast as write_note for each."""
    folder = Path(_ENV["BASIC_MEMORY_HOME"]) / "facts"
    folder.mkdir(parents=True, exist_ok=True)
    for item in items:
        head = f"---\ntitle: {item.key}\ntype: note\npermalink: main/facts/{item.key}\n---\n"
        (folder / f"{item.key}.md").write_text(f"{head}\n{item.text}\n", encoding="utf-8")
    done = subprocess.run(
        [*_COMMAND, "reindex", "--search"],
        env={**os.environ, **_ENV},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise ServerError(one_line(done.stderr.decode(errors="replace")))


def put(server: Server, item: Item) -> None:
    """Write one note, titled by its key."""
    said = server.call(
        "write_note", {"title": item.key, "content": item.text, "directory": "facts"}
    )
    if item.key not in said or "error" in said.lower():
        raise ServerError(one_line(said))


def search(server: Server, item: Item, limit: int) -> list[str]:
    """Search for all words of the question, and if that finds nothing, for its rarest word."""
    for asked in (item.text, telling(item.text)):
        said = server.call(
            "search_notes", {"query": asked, "page_size": limit, "output_format": "json"}
        )
        if found := keys_in(said, limit):
            return found
    return []


def missing(server: Server, items: list[Item]) -> list[str]:
    """Read each note."""
    return [
        item.key
        for item in items
        if not holds(server.call("read_note", {"identifier": f"facts/{item.key}"}), item.text)
    ]
