"""Our tools as plain function schemas, for programs that speak function calling themselves, and one
function that runs a call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError
from ghostmem.mcp.tools import SEVERAL, Tool, chosen_tools
from ghostmem.schema import check, too_deep

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

MEMORY = ("memory",)
# a format: how it writes a tool
FORMATS: Mapping[str, Callable[[Tool], dict[str, Any]]] = {
    "openai": lambda tool: {
        "type": "function",
        "function": {"name": tool.name, "description": tool.about, "parameters": tool.schema},
    },
    "openai-responses": lambda tool: {
        "type": "function",
        "name": tool.name,
        "description": tool.about,
        "parameters": tool.schema,
        "strict": False,
    },
    "anthropic": lambda tool: {
        "name": tool.name,
        "description": tool.about,
        "input_schema": tool.schema,
    },
}


def schemas(
    style: str = "openai", toolsets: Iterable[str] = MEMORY, root: Path | None = None
) -> list[dict[str, Any]]:
    """Return the tools of some toolsets as a model's API takes them."""
    if style not in FORMATS:
        raise InvalidInputError(f"format {style!r} is unknown", f"use one of: {', '.join(FORMATS)}")
    found: list[dict[str, Any]] = json.loads(
        json.dumps([FORMATS[style](tool) for tool in chosen_tools(toolsets, root).values()])
    )
    return found


def call(
    ghost: Ghost,
    name: str,
    arguments: Mapping[str, Any] | str | None = None,
    *,
    ns: str | None = None,
    toolsets: Iterable[str] = MEMORY,
    root: Path | None = None,
) -> dict[str, Any]:
    """Run a call of one of the tools that were offered, and return its result as plain data.

    `arguments` are an object or its JSON, as the model sent them; `ns` is meant where they name
    none, and defaults to the settings' or the project's. What is wrong raises an error with a
    sentence and a hint for the model."""
    offered = chosen_tools(toolsets, root)
    tool = offered.get(name)
    if tool is None:
        raise InvalidInputError(
            f"there is no tool {name[:60]!r}", f"there are: {', '.join(offered)}"
        )
    given = _read(arguments, tool)
    if tool.walled:
        given["ns"] = _namespace(ghost, tool, given.get("ns") or ns)
    return tool.run(ghost, given)


def _read(arguments: Mapping[str, Any] | str | None, tool: Tool) -> dict[str, Any]:
    """Return checked arguments, without those that are null."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except RecursionError:
            raise too_deep(f"the list of arguments of {tool.name}") from None
        except ValueError as error:
            raise InvalidInputError(
                f"the arguments of {tool.name} are not JSON: {error}", "send one JSON object"
            ) from None
    if not isinstance(arguments, Mapping | None):
        raise InvalidInputError(
            f"the arguments of {tool.name} are not an object", "send one JSON object"
        )
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    check(given, tool.schema)
    return {
        name: int(value) if tool.takes[name].get("type") == "integer" else value
        for name, value in given.items()
    }


def _namespace(ghost: Ghost, tool: Tool, given: str | None) -> str:
    from ghostmem.notes.project import project_namespace

    found = given or ghost.store.settings.ns or project_namespace()
    if tool.name not in SEVERAL and found.endswith("*"):
        raise InvalidInputError(
            f"{tool.name} needs one namespace, not {found!r}",
            "name one; ghost_search finds in several",
        )
    return found
