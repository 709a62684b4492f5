"""A tool: its texts, its parameters and its function; parameters come from the shared table."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Self

from ghostmem.frozen import frozen
from ghostmem.ghost import Ghost
from ghostmem.parameters import OPERATIONS

Arguments = dict[str, Any]
Result = dict[str, Any]

TEXT: Mapping[str, Any] = {"type": "string"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": TEXT}
LIST: Mapping[str, Any] = {"type": "array"}
INTEGER: Mapping[str, Any] = {"type": "integer"}
READ: Mapping[str, bool] = {"readOnlyHint": True}
WRITE: Mapping[str, bool] = {"readOnlyHint": False, "destructiveHint": False}
CHANGE: Mapping[str, bool] = {"readOnlyHint": False, "destructiveHint": True}


@frozen
class McpTool:
    """A tool that a model can call."""

    name: str
    title: str
    description: str
    parameters: Mapping[str, Any]
    required: tuple[str, ...]
    returns: Mapping[str, Any]
    run: Callable[[Ghost, Arguments], Result]
    # returns what a client is sent of a result of `run`; default: all of it
    show: Callable[[Result, Arguments], Result] | None = None
    hints: Mapping[str, bool] = field(default_factory=lambda: READ)
    # arguments that only `show` takes
    of_show: tuple[str, ...] = ()
    # works in a namespace; others work on files, for callers with access to all namespaces
    uses_namespace: bool = True
    meta: Mapping[str, Any] = field(default_factory=dict)  # for extensions of the protocol
    # parameters that are accepted, and listed only with the toolset `all`
    unlisted: Mapping[str, Any] = field(default_factory=dict)
    # required arguments without which a call is still carried out
    dispensable: tuple[str, ...] = ()

    def call(self, ghost: Ghost, given: Arguments) -> Result:
        """Return the whole result of a call."""
        return self.run(ghost, {name: given[name] for name in given if name not in self.of_show})

    @property
    def scope(self) -> str:
        """Return the scope that a caller needs."""
        return "read" if self.hints["readOnlyHint"] else "write"

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its listed arguments."""
        return self._schema(self.parameters, self.required)

    @property
    def accepted(self) -> dict[str, Any]:
        """Return the JSON Schema of all arguments that a call may have."""
        return self._schema(
            {**self.parameters, **self.unlisted},
            tuple(name for name in self.required if name not in self.dispensable),
        )

    def with_all_listed(self) -> Self:
        """Return the tool with every parameter listed."""
        return replace(self, parameters={**self.parameters, **self.unlisted}, unlisted={})

    def _schema(self, parameters: Mapping[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
        schema = {
            "type": "object",
            "properties": dict(parameters),
            "additionalProperties": False,
        }
        return {**schema, "required": list(required)} if required else schema


def nonempty(**fields: Any) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def described(schema: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a schema with a description."""
    return {**schema, "description": text}


def arguments(operation: str, names: str, **changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas of parameters of an operation, some of them changed for this tool."""
    table = OPERATIONS[operation]
    return {
        name: {
            **table[name].schema,
            **nonempty(description=table[name].brief),
            **changes.get(name, {}),
        }
        for name in names.split()
    }
