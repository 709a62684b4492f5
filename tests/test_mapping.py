"""Each argument of a tool and each field of a route reaches the operation, whose tests say what it does there"""

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ghostmem import Ghost
from ghostmem.mcp.edit_tools import EDIT
from ghostmem.mcp.memory_tools import MEMORY
from ghostmem.mcp.truth_tools import TRUTH
from ghostmem.web.routes import ROUTES
from ghostmem.web.viewer_routes import VIEWER_ROUTES

TOOLS = {tool.name: tool for tool in (*MEMORY, *EDIT, *TRUTH)}
# the viewer's other routes are not methods of Ghost
CALLS = {f"{route.method} {route.path}": route for route in ROUTES if route not in VIEWER_ROUTES}
VALUES: dict[str, Any] = {
    "string": "a text",
    "array": ["a text"],
    "integer": 7,
    "number": 0.25,
    "boolean": True,
    "object": {"a": 1},
}
# arguments that the interface itself understands; they have tests of their own
OWN = {
    "ghost_list": "limit",
    "ghost_edge": "op",
    "ghost_edge_candidates": "max_pairs offset",
    "PUT /memories/{ns}/{key}": "files",
    "POST /memories": "ns memories judge",
    "POST /context": "render texts",
    "GET /runs": "limit",
    "POST /undo": "run dry_run",
    "GET /rules/{rule_id}": "rule_id",
    "DELETE /rules/{rule_id}": "rule_id",
}
NEEDED = {"ghost_edge": ("to_key", "rel")}  # arguments that another argument needs


class CalledError(Exception):
    """The values that a method was called with."""


class Recorder:
    """A store whose methods raise what they are called with."""

    store = SimpleNamespace(vectoriser=SimpleNamespace(may_wait=False))

    def __getattr__(self, name: str) -> Any:
        if name in ("admin", "graph", "lifecycle", "quarantine", "transfer"):
            return self

        def method(*args: Any, **kwargs: Any) -> None:
            raise CalledError([*args, *kwargs.values()])

        return method


def values(schemas: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return values that the schemas of these arguments allow."""
    return {
        name: schemas[name]["enum"][0] if "enum" in schemas[name] else VALUES[schemas[name]["type"]]
        for name in names
    }


def cases(fields: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """Return each tool or route with each of its arguments that it passes on."""
    return [
        (name, argument)
        for name, arguments in fields.items()
        for argument in arguments
        if argument not in OWN.get(name, "").split()
    ]


@pytest.mark.parametrize(
    ("name", "argument"),
    cases(
        {
            tool.name: [name for name in tool.accepted["properties"] if name not in tool.of_show]
            for tool in TOOLS.values()
        }
    ),
)
def test_an_argument_of_a_tool_reaches_the_operation(name: str, argument: str) -> None:
    """Its value is among those that the method of Ghost is called with."""
    tool = TOOLS[name]
    names = dict.fromkeys(("ns", *tool.required, *NEEDED.get(name, ()), argument))
    given = values(tool.accepted["properties"], names)
    with pytest.raises(CalledError) as called:
        tool.call(cast("Ghost", Recorder()), given)
    assert given[argument] in called.value.args[0]


@pytest.mark.parametrize(
    ("name", "field"), cases({name: route.takes for name, route in CALLS.items()})
)
def test_a_field_of_a_route_reaches_the_operation(name: str, field: str) -> None:
    """Its value is among those that the method of Ghost is called with."""
    route = CALLS[name]
    given = values(route.takes, dict.fromkeys((*route.in_path, *route.needs, field)))
    with pytest.raises(CalledError) as called:
        route.call(cast("Ghost", Recorder()), dict(given))
    assert given[field] in called.value.args[0]
