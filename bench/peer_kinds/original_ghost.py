"""The original Ghost, whose binary is given: `ghost mcp-serve` without embeddings.

Many at once by its own `ghost import`.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from bench.peer_kinds.ghost_mcp import NS, missing, put, search
from bench.peer_kinds.mcp import Server, ServerError, one_line
from bench.peer_kinds.serve import Item

__all__ = ["add", "command", "missing", "put", "search"]

ENV = {"GHOST_EMBED_PROVIDER": "none"}
_BASE: list[str] = []  # the binary and its store, as the server was started


def command(folder: Path, options: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Return the command that starts the server on a store in this folder."""
    _BASE[:] = [options["binary"], "--db", str(folder / "memory.db")]
    return [*_BASE, "mcp-serve"], ENV


def add(_: Server, items: list[Item]) -> None:
    """Import a batch while the server runs."""
    rows = [{"ns": NS, "key": item.key, "content": item.text, "kind": "semantic"} for item in items]
    done = subprocess.run(
        [*_BASE, "import"],
        input=json.dumps(rows).encode(),
        capture_output=True,
        env={**os.environ, **ENV},
        check=False,
    )
    if done.returncode:
        raise ServerError(one_line(done.stderr.decode(errors="replace")))
