"""The tools memory_search and memory_save for function calling: JSON arguments to text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import (
    GhostError,
    InvalidInputError,
    InvalidTargetError,
    MemorySaveArgsError,
    MemorySaveFailError,
    MemorySearchArgsError,
    MemorySearchFailError,
)
from ghostmem.frozen import frozen
from ghostmem.memory.redact import redact_content
from ghostmem.model import Folder, Hit, Record, optional
from ghostmem.notes.files import append, inside, read_file
from ghostmem.notes.folders import add_notes, note_folders
from ghostmem.notes.layouts import layout_named
from ghostmem.notes.lock import locked
from ghostmem.notes.sync import sync_folder
from ghostmem.notes.topic_files import open_fence
from ghostmem.store import Store, validate

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

DAILY, LONG_TERM = "daily", "long_term"
TARGETS = (DAILY, LONG_TERM)
LAYOUTS = ("daily", "openclaw")  # the layouts that have both

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


@frozen
class Saved(Record):
    """The file that a text was appended to."""

    root: str
    path: str
    target: str
    notes: tuple[str, ...] = optional(())


def save_note(
    store: Store, content: str, target: str = DAILY, *, folder: str | Path | None = None
) -> Saved:
    """Append a text to the note of today or to MEMORY.md, and index it.

    Secrets are redacted first. Without `folder`, it is GHOST_NOTES_DIR, or else the only folder of
    daily notes that was added, or else `notes` next to the store. A missing folder is created."""
    if target not in TARGETS:
        raise InvalidTargetError(f"invalid target {validate.shown(target)}")
    clean, notes = redact_content(
        store.settings, validate.content(content, store.settings.max_content_bytes)
    )
    text = _with_closed_fence(clean.replace("\r\n", "\n").strip("\n"))
    root = _root(store, folder)
    folders = [added for added in note_folders(store) if added.root == str(root)]
    day = store.clock().astimezone().strftime("%Y-%m-%d")
    with locked(root):
        is_inside = not (root / "MEMORY.md").is_file() and (root / "memory/MEMORY.md").is_file()
        long_term = "memory/MEMORY.md" if is_inside else "MEMORY.md"
        path = _daily(root, day, folders) if target == DAILY else long_term
        file = inside(root, path)
        before = read_file(file).text
        missing = 2 - min(2, len(before) - len(before.rstrip("\n")))
        gap = "\n" * missing if before else ""
        title = day if target == DAILY else "Memory"
        append(file, f"{gap}{text}\n", opening=f"# {title}\n\n")
    fit = [added for added in folders if layout_named(added.layout).wants(path)]
    sync_folder(store, fit[0] if fit else add_notes(store, root, layout="daily").folder, link=False)
    return Saved(str(root), path, target, notes)


def _with_closed_fence(text: str) -> str:
    """Close a code fence that is left open, so that later texts are not part of the code."""
    fence = open_fence(text)
    mark = fence[: len(fence) - len(fence.lstrip(fence[:1]))]
    return f"{text}\n{mark}" if mark else text


def _root(store: Store, folder: str | Path | None) -> Path:
    chosen = folder or store.settings.notes_dir
    if chosen:
        return Path(chosen).expanduser().resolve()
    roots = dict.fromkeys(added.root for added in note_folders(store) if added.layout in LAYOUTS)
    if len(roots) > 1:
        raise InvalidInputError(
            f"there are {len(roots)} folders of daily notes: {', '.join(roots)}",
            "set one with GHOST_NOTES_DIR",
        )
    if roots:
        return Path(next(iter(roots)))
    if store.engine.file is None:
        what = "in memory" if store.engine.location == ":memory:" else "in a database"
        raise InvalidInputError(
            f"a store {what} has no folder of notes next to it", "set one with GHOST_NOTES_DIR"
        )
    return Path(store.engine.file).resolve().parent / "notes"


def _daily(root: Path, day: str, folders: Sequence[Folder]) -> str:
    """Return the path of today's note, in the folder that the workspace uses for daily notes."""
    path = f"daily/{day}.md"
    is_unwanted = folders and not any(layout_named(added.layout).wants(path) for added in folders)
    has_memory = (root / "memory").is_dir() and not (root / "daily").is_dir()
    return f"memory/{day}.md" if is_unwanted or has_memory else path


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
        saved = f"Saved to {place} ({done.path.rpartition('/')[2]})"
        return "; ".join((saved, *done.notes))


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
