"""The viewer as an app of the MCP Apps extension, and the tool that opens it.

The tool and the resource are listed only for hosts that can show apps, so that other hosts do not
pay for their description.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ghostmem.errors import NotFoundError
from ghostmem.ghost import Ghost
from ghostmem.mcp.memory_tools import search
from ghostmem.mcp.protocol import TITLE
from ghostmem.mcp.tool import LIST, Arguments, McpTool, Result, arguments
from ghostmem.model import plain

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
URI = "ui://ghost/viewer"
META: dict[str, Any] = {"ui": {"csp": {}, "prefersBorder": True}}
MAX_SHOWN = 20
_HERE = Path(__file__).parent
_STYLES = _HERE.parent / "web" / "static" / "css"


def _show(ghost: Ghost, given: Arguments) -> Result:
    """Return one memory with its details, the hits for a query, or the newest memories.

    Nothing is counted as used.
    """
    ns = given["ns"]
    if key := given.get("key"):
        from ghostmem.memory.details import details

        found = details(ghost.store, ns, key)
        if not found.current:
            raise NotFoundError(f"memory not found: {ns}/{key}", "it was deleted")
        return {"ns": ns, **plain(found)}
    if query := given.get("query"):
        return {
            "ns": ns,
            "query": query,
            **search(ghost, {"query": query, "ns": ns, "limit": MAX_SHOWN, "explain": True}),
        }
    return {"ns": ns, "results": [plain(memory) for memory in ghost.list(ns, limit=MAX_SHOWN)]}


SHOW = McpTool(
    "ghost_show",
    "Show memories",
    "Show the user hits, one memory by its key, or the newest.",
    arguments("search", "query") | arguments("get", "key") | arguments("search", "ns"),
    (),
    {"results": LIST},
    _show,
    meta={"ui": {"resourceUri": URI}, "ui/resourceUri": URI},  # the second is for older hosts
)


def make_tools(_toolset: str, _root: Path) -> tuple[McpTool, ...]:
    """Return the tool of the toolset."""
    return (SHOW,)


def is_shown_by(capabilities: Mapping[str, Any]) -> bool:
    """Tell whether a client shows apps of this kind."""
    try:
        # as a list, because a text would contain a part of itself
        return MIME_TYPE in list(capabilities["extensions"][EXTENSION]["mimeTypes"])
    except (KeyError, TypeError):
        return False


def app_resource() -> dict[str, Any]:
    """Return the app as the protocol lists it."""
    return {
        "uri": URI,
        "name": "viewer",
        "title": TITLE,
        "description": "Search and read memories",
        "mimeType": MIME_TYPE,
        "_meta": META,
    }


def app_contents() -> dict[str, Any]:
    """Return the app: one document with everything in it."""
    return {"uri": URI, "mimeType": MIME_TYPE, "text": html(), "_meta": META}


@cache
def html() -> str:
    """Return the document, made of the viewer's own modules and styles."""
    from ghostmem.mcp.bundle import document

    styles = [_STYLES / name for name in ("base.css", "parts.css", "search.css")]
    viewer = _HERE / "viewer"
    return document(TITLE, [*styles, viewer / "viewer.css"], viewer / "viewer.js")
