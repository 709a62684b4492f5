"""Arguments of tools, fields of routes and options of commands reach the operations

What an operation does with them is tested where it is declared.
"""

from collections.abc import Iterable, Mapping
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import click
import pytest

from ghostmem import Ghost
from ghostmem.cli.console import SHARED
from ghostmem.cli.main import cli
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
    "put": "key files file_rel symbols language root",
    "get": "key history",
    "search": "everything tier",
    "context": "everything tier symbols no_edges explain style",
    "list": "everything keys_only compact",
    "files": "everything",
    "reflect": "every changes",
    "gc": "yes",
    "rule set": "name action",
    "capture": "file transcript candidates source_tag recorder",
    "consolidate": "summary_key keys content",
    "resolve": "reopen",
    "rm": "key hard yes",
    "restore": "key",
    "patch": "key patch_file",
    "curate": "key op",
    "edge add": "rel",
    "ns rm": "yes",
    "undo": "limit",
    "token create": "grants",
    "ingest": "transcript recorder source_user",
}
# commands with the words that they need
COMMANDS = {
    "put": "-k k text",
    "get": "k",
    "search": "question",
    "context": "task",
    "list": "",
    "files": "path",
    "reflect": "",
    "gc": "",
    "rule set": "--name n --action PIN",
    "capture": "text",
    "consolidate": "--summary-key s --keys x text",
    "expand": "",
    "timeline": "k",
    "resolve": "k",
    "rm": "k",
    "restore": "k",
    "patch": "k",
    "curate": "k pin",
    "edge add": "k other refines",
    "edge candidates": "",
    "edge relink": "",
    "ns rm": "a",
    "tags rename": "old new",
    "tags rm": "old",
    "undo": "last",
    "token create": "name",
    "ingest": "path",
    "quarantine list": "",
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

    def close(self) -> None:
        """Do nothing, as nothing is open."""


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


def options_of(name: str) -> dict[str, click.Option]:
    """Return the options of a command that not every command has."""
    command: Any = cli
    for word in name.split():
        command = command.get_command(click.Context(cli), word)
    options = [option for option in command.params if isinstance(option, click.Option)]
    return {str(option.name): option for option in options if option.name not in SHARED}


def words_for(option: click.Option) -> tuple[list[str], Any]:
    """Return an option with a value on the command line, and the value that is passed on."""
    if option.is_flag:
        return [option.opts[-1]], True
    if option.name in ("meta", "action_params"):
        return [option.opts[-1], '{"a": 1}'], {"a": 1}
    value: Any = {"integer": 7, "float": 0.25}.get(option.type.name, "text")
    return [option.opts[-1], str(value)], [value] if option.multiple else value


@pytest.mark.parametrize(("name", "option"), cases({name: options_of(name) for name in COMMANDS}))
def test_an_option_of_a_command_reaches_the_operation(
    name: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its value is among those that the method of Ghost is called with."""
    monkeypatch.setenv("GHOST_NS", "a")
    monkeypatch.setenv("GHOST_DB", str(tmp_path / "memory.db"))
    monkeypatch.setattr(Ghost, "open", lambda *_, **__: Recorder())
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"a diff")))
    (tmp_path / "memory.db").touch()
    words, value = words_for(options_of(name)[option])
    with pytest.raises(CalledError) as called:
        cli.main([*name.split(), *words, *COMMANDS[name].split()], standalone_mode=False)
    assert value in called.value.args[0]
