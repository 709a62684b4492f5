"""The tools memory_search and memory_save for function calling: JSON arguments to text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import (
    GhostError,
    InvalidTargetError,
    MemorySaveArgsError,
    MemorySaveFailError,
    MemorySearchArgsError,
    MemorySearchFailError,
)
from ghostmem.model import Hit
from ghostmem.notes.write_section import DAILY, LONG_TERM, TARGETS, save_note

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

MAX_RESULTS = 5
NOTHING = "No memory results found."
SEARCH = (
    "search your persistent memory for relevant information from past conversations "
    "and saved knowledge"
)
SAVE = "save information to your persistent memory: to today's log, or to long-term memory"
SEARCH_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "required": ["query"],
    "properties": {
        "query": {"type": "string", "description": "the search query"},
        "max_results": {
            "type": "integer",
            "description": "maximum results to return (default 5)",
            "default": MAX_RESULTS,
        },
    },
}
SAVE_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "required": ["content"],
    "properties": {
        "content": {"type": "string", "description": "what to keep"},
        "target": {
            "type": "string",
            "description": "where to keep it (default daily)",
            "enum": list(TARGETS),
            "default": DAILY,
        },
    },
}


class MemorySearch:
    """The tool memory_search over the memories and notes of an open store."""

    def __init__(self, store: Ghost, ns: str | None = None) -> None:
        self.store, self.ns = store, ns

    def definition(self) -> dict[str, Any]:
        """Return the definition of the tool for a model."""
        return _function("memory_search", SEARCH, SEARCH_PARAMETERS)

    def execute(self, args_json: str) -> str:
        """Search with JSON arguments and return the results as text, best first."""
        args = _arguments(args_json, MemorySearchArgsError)
        query, count = args.get("query"), args.get("max_results")
        if not isinstance(query, str) or not query.strip():
            raise MemorySearchArgsError(
                f"failed to parse arguments: query must be a text, not {query!r}"
            )
        count = MAX_RESULTS if count is None else count
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise MemorySearchArgsError(
                "failed to parse arguments: max_results must be a whole number from 1 up, "
                f"not {count!r}"
            )
        return formatted(self.search(query, count))

    def search(self, query: str, max_results: int) -> list[Hit]:
        """Return the best parts of memories and notes for a question."""
        try:
            return self.store.search(query, self.ns, limit=max_results, pieces=True)
        except Exception as error:
            raise MemorySearchFailError(
                f"search operation failed: {error}", getattr(error, "hint", None)
            ) from error


class MemorySave:
    """The tool memory_save over an open store: writes to daily notes or MEMORY.md."""

    def __init__(self, store: Ghost, folder: str | Path | None = None) -> None:
        self.store, self.folder = store, folder

    def definition(self) -> dict[str, Any]:
        """Return the definition of the tool for a model."""
        return _function("memory_save", SAVE, SAVE_PARAMETERS)

    def execute(self, args_json: str) -> str:
        """Save with JSON arguments and return the name of the file in a sentence."""
        args = _arguments(args_json, MemorySaveArgsError)
        content, target = args.get("content"), args.get("target")
        if not isinstance(content, str) or not content.strip():
            raise MemorySaveArgsError(
                f"failed to parse arguments: content must be a text, not {content!r}"
            )
        target = DAILY if target is None else target
        if not isinstance(target, str):
            raise MemorySaveArgsError(
                f"failed to parse arguments: target must be a text, not {target!r}"
            )
        return self.save(content, target)

    def save(self, content: str, target: str) -> str:
        """Save a text and return the name of the file in a sentence, with notes on redactions."""
        try:
            done = save_note(self.store.store, content, target, folder=self.folder)
        except InvalidTargetError:
            raise
        except Exception as error:
            raise MemorySaveFailError(
                f"save operation failed: {error}", getattr(error, "hint", None)
            ) from error
        place = "long-term memory" if target == LONG_TERM else "daily log"
        return "; ".join((f"Saved to {place} ({done.path.rpartition('/')[2]})", *done.notes))


def formatted(hits: Iterable[Hit]) -> str:
    """Return hits as numbered results with their sources, a blank line between them."""
    blocks = [
        f"Memory Result {number}: [source: {source(hit)}]\n{hit.match_chunk}"
        for number, hit in enumerate(hits, 1)
    ]
    return "\n\n".join(blocks) or NOTHING


def source(hit: Hit) -> str:
    """Return the source of a hit: the path of a note, or the namespace and key of a memory."""
    return hit.path or f"{hit.memory.ns}/{hit.memory.key}"


def _function(name: str, about: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    described = {"name": name, "description": about, "parameters": deepcopy(parameters)}
    return {"type": "function", "function": described}


def _arguments(args_json: str, invalid: type[GhostError]) -> dict[str, Any]:
    try:
        args = json.loads(args_json)
    except (ValueError, TypeError, RecursionError) as error:
        raise invalid(f"failed to parse arguments: {error}") from error
    if not isinstance(args, dict):
        raise invalid(f"failed to parse arguments: an object was expected, not {str(args)[:60]!r}")
    return args
