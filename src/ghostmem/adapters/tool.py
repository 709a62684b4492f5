"""Tools for Python agents: name, description, JSON schema, `execute`; and MemorySearchTool."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from ghostmem.errors import GhostError, InvalidInputError
from ghostmem.notes.grep import MAX_RESULTS, format_blocks, grep
from ghostmem.schema import check

_KINDS = frozenset({"string", "integer", "number", "boolean", "array", "object"})
# type: names of its lower and upper bound, and their messages
_BOUNDS = {
    "integer": ("minimum", "maximum", "must be >= {}", "must be <= {}"),
    "number": ("minimum", "maximum", "must be >= {}", "must be <= {}"),
    "string": ("minLength", "maxLength", "must be at least {} chars", "must be at most {} chars"),
    "array": ("minItems", "maxItems", "must have at least {} items", "must have at most {} items"),
}


class Tool(ABC):
    """A tool that an agent may call; subclasses set the attributes and implement `execute`."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    @abstractmethod
    async def execute(self, **kwargs: Any) -> str:
        """Run the tool and return text for the agent."""

    def validate_params(self, params: Mapping[str, Any]) -> list[str]:
        """Return the problems with the arguments of a call; an empty list means none."""
        if self.parameters.get("type", "object") != "object":
            raise InvalidInputError(
                f"the parameters of {self.name} are of type {self.parameters['type']!r}",
                "their type must be object",
            )
        return list(_problems(params, {**self.parameters, "type": "object"}, ""))

    def to_schema(self) -> dict[str, Any]:
        """Return the tool as a function definition in the format of OpenAI's API."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": deepcopy(dict(self.parameters)),
            },
        }


def _problems(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    kind, label = schema.get("type"), path or "parameter"
    if not _is(value, kind):
        yield f"{label} should be {' or '.join(kind) if isinstance(kind, list) else kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{label} must be one of {schema['enum']}"
    kind = (
        next((name for name in kind if _is(value, name)), None) if isinstance(kind, list) else kind
    )
    yield from _out_of_bounds(value, kind, schema, label)
    if kind == "object":
        properties = schema.get("properties", {})
        below = {
            name: f"{path}.{name}" if path else str(name)
            for name in [*schema.get("required", ()), *value]
        }
        yield from (
            f"missing required {below[name]}"
            for name in schema.get("required", ())
            if name not in value
        )
        for name, item in value.items():
            if name in properties:
                yield from _problems(item, properties[name], below[name])
            elif schema.get("additionalProperties") is False:
                yield f"unexpected {below[name]}"
    elif kind == "array":
        for number, item in enumerate(value):
            yield from _problems(item, schema.get("items", {}), f"{path}[{number}]")


def _is(value: Any, kind: Any) -> bool:
    """Say whether a value has a type of JSON Schema; an unknown type accepts every value."""
    if isinstance(kind, list):
        return any(_is(value, name) for name in kind)
    if kind not in _KINDS:
        return kind != "null" or value is None
    with suppress(InvalidInputError):
        check(value, {"type": kind})
        return True
    return False


def _out_of_bounds(value: Any, kind: Any, schema: Mapping[str, Any], label: str) -> Iterator[str]:
    if kind not in _BOUNDS:
        return
    low, high, too_little, too_much = _BOUNDS[kind]
    size = value if kind in ("integer", "number") else len(value)
    if low in schema and size < schema[low]:
        yield f"{label} {too_little.format(schema[low])}"
    if high in schema and size > schema[high]:
        yield f"{label} {too_much.format(schema[high])}"


class MemorySearchTool(Tool):
    """Search MEMORY.md and daily notes for a term or phrase."""

    name = "memory_search"
    description = "Search across all memory files (MEMORY.md and daily notes)"
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Search term or phrase"},
            "max_results": {"type": "integer", "default": MAX_RESULTS},
        },
        "required": ["query"],
    }

    def __init__(self, workspace: Path | str) -> None:
        self.workspace = Path(workspace)

    async def execute(self, **kwargs: Any) -> str:
        """Return the matching blocks, newest first, or an error text."""
        if problems := self.validate_params(kwargs):
            return f"Error: Invalid parameters for tool '{self.name}': {'; '.join(problems)}"
        query, limit = kwargs["query"], int(kwargs.get("max_results", MAX_RESULTS))
        try:
            return format_blocks(await asyncio.to_thread(grep, self.workspace, query, limit), query)
        except GhostError as error:
            return f"Error: {error.message}; {error.hint}"
