"""The tools as schemas for function calling without MCP, and a function that runs a call."""

import json
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.ghost import Ghost
from ghostmem.mcp.tool import McpTool
from ghostmem.mcp.tools import (
    check_namespace,
    checked_arguments,
    chosen_tools,
    find_tool,
    resolve_names,
)
from ghostmem.notes.project import project_namespace
from ghostmem.schema import too_deep

MEMORY = ("memory",)


def _function_declaration(tool: McpTool) -> dict[str, Any]:
    """Return a tool as a FunctionDeclaration; one without arguments has no parameters."""
    declared = {"name": tool.name, "description": tool.description}
    return {**declared, "parameters": _openapi(tool.schema)} if tool.parameters else declared


# fields of a Schema of the Gemini API that our schemas use; it refuses others
_GEMINI_FIELDS = ("description", "enum", "minimum", "maximum", "minItems", "maxItems", "required")


def _openapi(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in the subset of OpenAPI that the Gemini API takes."""
    declared = {"type": schema["type"].upper()}
    declared |= {name: schema[name] for name in _GEMINI_FIELDS if name in schema}
    if "items" in schema:
        declared["items"] = _openapi(schema["items"])
    if "properties" in schema:
        declared["properties"] = {
            name: _openapi(part) for name, part in schema["properties"].items()
        }
    return declared


# a format: how it writes a tool
FORMATS: Mapping[str, Callable[[McpTool], dict[str, Any]]] = {
    "openai": lambda tool: {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
    },
    "openai-responses": lambda tool: {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": False,
    },
    "anthropic": lambda tool: {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.schema,
    },
    "gemini": _function_declaration,
}


def schemas(
    style: str = "openai", toolsets: Iterable[str] = MEMORY, root: Path | None = None
) -> list[dict[str, Any]]:
    """Return the tools of some toolsets as a model's API takes them."""
    if style not in FORMATS:
        raise InvalidInputError(f"format {style!r} is unknown", f"use one of: {', '.join(FORMATS)}")
    return [deepcopy(FORMATS[style](tool)) for tool in chosen_tools(toolsets, root).values()]


def call(
    ghost: Ghost,
    name: str,
    arguments: Mapping[str, Any] | str | None = None,
    *,
    ns: str | None = None,
    toolsets: Iterable[str] = MEMORY,
    root: Path | None = None,
) -> dict[str, Any]:
    """Run a call of a tool and return its result as plain data.

    Args:
        ghost: The store.
        name: Name of the tool.
        arguments: Arguments as an object or as JSON, as the model sent them.
        ns: Namespace for calls that name none; default: that of the settings or of the project.
        toolsets: Toolsets that were offered.
        root: Folder whose files tools work on; default: the working directory.

    Raises:
        GhostError: The call cannot be made; message and hint are meant for the model.
    """
    tool = find_tool(chosen_tools(toolsets, root), name)
    values = checked_arguments(tool, _parsed(arguments, tool), ghost.store.clock())
    if tool.uses_namespace:
        values["ns"] = values.get("ns") or ns or ghost.store.settings.ns or project_namespace()
        check_namespace(name, values["ns"])
        values = resolve_names(ghost, values, is_read=tool.scope == "read")
    return tool.call(ghost, values)


def _parsed(arguments: Mapping[str, Any] | str | None, tool: McpTool) -> Mapping[str, Any] | None:
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
    return arguments
