"""A store behind an MCP server: a driver module names the command and the tools to call."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.peer_kinds.mcp import Server
from bench.peer_kinds.serve import Item

KEY = re.compile(r"\b[mx]\d{6}\b")


class Served:
    """Implement the driver interface with a server's tools."""

    def __init__(self, driver: ModuleType, folder: Path, options: dict[str, Any]) -> None:
        command, env = driver.command(folder, options)
        self._driver = driver
        self.server = Server(
            command, {**os.environ, **env}, folder, float(options.get("seconds", 120))
        )
        if begin := getattr(driver, "begin", None):
            begin(self.server)

    def add(self, items: list[Item]) -> None:
        """Store many with the tool that takes most at a time."""
        many: Callable[[Server, list[Item]], None] | None = getattr(self._driver, "add", None)
        if many:
            many(self.server, items)
        else:
            for item in items:
                self._driver.put(self.server, item)

    def put(self, item: Item) -> None:
        """Store one."""
        self._driver.put(self.server, item)

    def search(self, item: Item, limit: int) -> list[str]:
        """Return the keys that the answer names, in its order."""
        found: list[str] = self._driver.search(self.server, item, limit)
        return found

    def missing(self, items: list[Item]) -> list[str]:
        """Return the keys of those that are not there."""
        found: list[str] = self._driver.missing(self.server, items)
        return found

    def tools(self) -> dict[str, Any]:
        """Return the size of the list of tools as a client receives it."""
        tools = self.server.tools()
        text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
        return {
            "tools": len(tools),
            "bytes": len(text.encode()),
            "names": [tool["name"] for tool in tools],
        }

    def close(self) -> None:
        """End the server."""
        self.server.close()


def keys_in(text: str, limit: int) -> list[str]:
    """Return the keys that a text names, each once, in order."""
    return list(dict.fromkeys(KEY.findall(text)))[:limit]


def telling(question: str) -> str:
    """Return the word to try when a question finds nothing: most digits, else the longest."""
    words = [word.strip("?,.") for word in question.split()]
    return max(words, key=lambda word: (len(re.findall(r"\d", word)), len(word)))


def holds(said: str, text: str) -> bool:
    """Say whether an answer holds a text, as it is or as JSON writes it."""
    return any(
        form in said
        for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    )
