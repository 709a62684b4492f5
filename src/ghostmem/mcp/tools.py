"""The toolsets: which tools a server offers, and how a call of one is checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError
from ghostmem.schema import check

if TYPE_CHECKING:
    from ghostmem.mcp.tool import Arguments, McpTool

# tools that may read all namespaces with a prefix
SEVERAL = ("ghost_search", "ghost_context", "ghost_reflect", "ghost_conflicts", "ghost_show")
# modules whose function make_tools(folder) returns the tools of a toolset, imported when served
TOOLSETS: Mapping[str, str] = {
    "memory": "memory_tools",
    "truth": "truth_tools",
    "notes": "note_tools",
    "knowledge": "knowledge_tools",
    "outline": "outline_tools",
    "viewer": "app",
}


def chosen_tools(toolsets: Iterable[str], root: Path | None = None) -> dict[str, McpTool]:
    """Return the tools of some toolsets by name; those on files work below `root`."""
    tools: dict[str, McpTool] = {}
    toolsets = list(toolsets)
    if not toolsets:
        raise InvalidInputError("no toolset was named", f"there are: {', '.join(TOOLSETS)}")
    for name in toolsets:
        if name not in TOOLSETS:
            raise InvalidInputError(
                f"there is no toolset {name!r}", f"there are: {', '.join(TOOLSETS)}"
            )
        module = import_module(f"ghostmem.mcp.{TOOLSETS[name]}")
        tools |= {tool.name: tool for tool in module.make_tools(root or Path.cwd())}
    return tools


def find_tool(tools: Mapping[str, McpTool], name: str) -> McpTool:
    """Return a tool by its name.

    Raises:
        InvalidInputError: No tool has that name.
    """
    if name not in tools:
        raise InvalidInputError(f"there is no tool {name[:60]!r}", f"there are: {', '.join(tools)}")
    return tools[name]


def checked_arguments(tool: McpTool, given: Mapping[str, Any] | None) -> Arguments:
    """Return the arguments of a call that are not null, after a check against the tool's schema."""
    arguments = {name: value for name, value in (given or {}).items() if value is not None}
    check(arguments, tool.schema)
    # JSON writes whole numbers also as 5.0
    return {
        name: int(value) if tool.parameters[name].get("type") == "integer" else value
        for name, value in arguments.items()
    }


def check_namespace(tool: str, ns: str) -> None:
    """Refuse a prefix of namespaces for a tool that works in one namespace."""
    if tool not in SEVERAL and ns.endswith("*"):
        raise InvalidInputError(
            f"{tool} needs one namespace, not {ns!r}", "name one; ghost_search finds in several"
        )
