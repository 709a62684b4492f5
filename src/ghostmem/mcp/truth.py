"""The tools of the toolset truth: what contradicts each other, what was decided, and how a fact
evolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ghostmem.mcp.tools import READ, TEXT, Arguments, Result, Tool, described
from ghostmem.model import plain

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

_NS = described(TEXT, "namespace; default: this project's")
_LIST = {"type": "array"}


def _conflicts(ghost: Ghost, given: Arguments) -> Result:
    found: Result = plain(ghost.conflicts(given["ns"]))
    return found


def _resolve(ghost: Ghost, given: Arguments) -> Result:
    found: Result = plain(
        ghost.resolve(given["ns"], given["keep"], given.get("other"), both=given.get("both", False))
    )
    return found


def _timeline(ghost: Ghost, given: Arguments) -> Result:
    return {"events": plain(ghost.timeline(given["ns"], given["what"]))}


TRUTH: tuple[Tool, ...] = (
    Tool(
        "ghost_conflicts",
        "Open contradictions",
        "Pairs of memories that contradict each other and are not decided, and what may be stale.",
        {"ns": _NS},
        (),
        {"conflicts": _LIST, "maybe_stale": _LIST},
        _conflicts,
        hints=READ,
    ),
    Tool(
        "ghost_resolve",
        "Decide a contradiction",
        "Keep one memory and end what it contradicts; ask the user first when it is about "
        "what they said. Nothing is deleted.",
        {
            "ns": _NS,
            "keep": described(TEXT, "the key that holds"),
            "other": described(TEXT, "the key that ends; default: all it contradicts"),
            "both": described({"type": "boolean"}, "both hold"),
        },
        ("keep",),
        {"keeps": TEXT, "closed": _LIST},
        _resolve,
        "write",
        {"readOnlyHint": False, "destructiveHint": False},
    ),
    Tool(
        "ghost_timeline",
        "How a fact evolved",
        "Every version, correction and ending of a key, or of what a question finds, oldest first.",
        {"ns": _NS, "what": described(TEXT, "a key or a question")},
        ("what",),
        {"events": _LIST},
        _timeline,
        hints=READ,
    ),
)
