"""The tools of the toolset truth: contradictions, decisions, and how a fact evolved."""

from __future__ import annotations

from pathlib import Path

from ghostmem.mcp.shown import show_conflicts, show_timeline
from ghostmem.mcp.tool import LIST, TEXT, WRITE, McpTool, arguments
from ghostmem.model import plain

TRUTH: tuple[McpTool, ...] = (
    McpTool(
        "ghost_conflicts",
        "Open contradictions",
        "Unresolved contradictions between memories, and memories that may be stale.",
        arguments("timeline", "ns"),
        (),
        {"conflicts": LIST, "maybe_stale": LIST},
        lambda ghost, given: plain(ghost.conflicts(**given)),
        show_conflicts,
    ),
    McpTool(
        "ghost_resolve",
        "Decide a contradiction",
        "Keep one memory and retire those it contradicts; ask the user first if it is about "
        "their statements. Nothing is deleted.",
        arguments("resolve", "ns keep other both"),
        ("keep",),
        {"keeps": TEXT, "closed": LIST},
        lambda ghost, given: plain(ghost.resolve(**given)),
        None,
        WRITE,
    ),
    McpTool(
        "ghost_timeline",
        "How a fact evolved",
        "Every version, correction and ending of a key, or of what a question finds, oldest first.",
        arguments("timeline", "ns what"),
        ("what",),
        {"events": LIST},
        lambda ghost, given: {"events": plain(ghost.timeline(**given))},
        show_timeline,
    ),
)


def make_tools(_: Path) -> tuple[McpTool, ...]:
    """Return the tools of the toolset."""
    return TRUTH
