"""The tools of the toolset edit: versions of a memory, restoring, and changes by a diff."""

from __future__ import annotations

from pathlib import Path

from ghostmem.ghost import Ghost
from ghostmem.mcp.shown import show_history, show_patch, show_put
from ghostmem.mcp.tool import (
    INTEGER,
    LIST,
    TEXT,
    WRITE,
    Arguments,
    McpTool,
    Result,
    arguments,
    described,
)
from ghostmem.model import plain

_STORED = {"key": TEXT, "version": INTEGER, "outcome": TEXT}


def _history(ghost: Ghost, given: Arguments) -> Result:
    versions = plain(ghost.history(given["ns"], given["key"]))
    newest_first = sorted(versions, key=lambda version: -version["version"])
    return {"ns": given["ns"], "key": given["key"], "versions": newest_first}


EDIT: tuple[McpTool, ...] = (
    McpTool(
        "ghost_history",
        "Versions of a memory",
        "List all versions of a memory, newest first, even of a deleted one.",
        arguments("get", "ns key"),
        ("key",),
        {"versions": LIST},
        _history,
        show_history,
    ),
    McpTool(
        "ghost_restore",
        "Restore a memory",
        "Bring back a deleted memory, or make an earlier version the newest.",
        arguments(
            "restore",
            "ns key version",
            version={"description": "the version to go back to; default: the deleted one"},
        ),
        ("key",),
        _STORED,
        lambda ghost, given: {**plain(ghost.restore(**given)), "outcome": "restored"},
        show_put,
        WRITE,
    ),
    McpTool(
        "ghost_patch",
        "Edit a memory",
        "Change some lines of a memory by a unified diff; all other lines stay as they are. "
        "Read it with ghost_get first: the context must match.",
        {
            **arguments("patch", "ns key"),
            "patch": described(TEXT, "unified diff with @@ hunks against the current content"),
            **arguments("patch", "base_version dry_run"),
        },
        ("key", "patch"),
        _STORED,
        lambda ghost, given: plain(ghost.patch(diff=given.pop("patch"), **given)),
        show_patch,
        WRITE,
    ),
)


def make_tools(_: Path) -> tuple[McpTool, ...]:
    """Return the tools of the toolset."""
    return EDIT
