"""Each parameter of the command line, MCP and REST reaches the method of Ghost that it belongs to

The methods are tested once, through the library. Here every option, argument and field that is in
the shared table of parameters gets a value, and the call that arrives at Ghost is compared."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from cli.conftest import GhostCli, ghost_cli  # noqa: F401
from cli.test_help import RUNS, command, here, template, words  # noqa: F401
from ghostmem import Ghost
from ghostmem.errors import GhostError
from ghostmem.mcp.tools import chosen_tools
from ghostmem.operation import operation
from ghostmem.parameters import OBJECT, OPERATIONS, Parameter
from ghostmem.settings import Settings
from ghostmem.web.routes import ROUTES

NO_STORE: Any = None
CLASSES = {
    "": Ghost,
    **{f"{n}.": type(g) for n, g in vars(Ghost(NO_STORE)).items() if n != "store"},
}
PARAMETERS = {name: part for parts in OPERATIONS.values() for name, part in parts.items()}
TIME = "2026-03-14"

# options, arguments and fields that an interface changes or uses itself; tests of it cover them
OWN = {
    ("put", "files"),  # pairs with --file-rel
    ("put", "file_rel"),
    ("put", "symbols"),
    ("put", "language"),  # only with symbols
    ("put", "root"),
    ("context", "symbols"),
    ("context", "explain"),
    ("edge", "from_key"),  # with --list, as the original has it
    ("edge", "to_key"),
    ("edge", "weight"),
    ("consolidate", "content"),
    ("undo", "dry_run"),
    ("rule set", "priority"),
    ("quarantine release", "dry_run"),
    ("quarantine drop", "dry_run"),
    ("rm", "hard"),
    ("capture", "file"),
    ("ingest", "source_user"),
    ("import", "ns"),
    ("ghost_get", "offset"),
    ("ghost_list", "limit"),  # one more, to know whether there are others
    ("ghost_edge_candidates", "max_pairs"),
    ("ghost_edge_candidates", "offset"),
    ("ghost_expand", "offset"),
    ("ghost_reflect", "offset"),
    ("ghost_curate", "key"),  # `used` is an operation of this tool
    ("ghost_curate", "op"),
    ("ghost_edge", "op"),
    *((tool, "budget") for tool in ("ghost_search", "ghost_list", "ghost_expand")),
    ("ghost_edge_candidates", "budget"),
    ("PUT /memories/{ns}/{key}", "files"),
    ("POST /memories", "ns"),
    ("GET /runs", "limit"),
    ("GET /rules/{rule_id}", "rule_id"),
    ("DELETE /rules/{rule_id}", "rule_id"),
    ("GET /quarantine", "limit"),
}
ONE_OF_SEVERAL = {("search", "tier"): "tiers", ("context", "tier"): "tiers"}  # a list of one
REQUIRED = {  # arguments without which a tool does not call Ghost, or calls it for something else
    "ghost_put": {"key": "some-key"},
    "ghost_edge": {"op": "create", "to_key": "some-key", "rel": "refines"},
}
# commands and calls that use no method of Ghost, or several
COMMANDS = [
    name
    for name in RUNS
    if name.split()[0]
    not in "memory knowledge setup config tools completion version where doctor migrate audit".split()
    and name not in ("notes search", "notes grep")
]
TOOLS = {
    name: tool
    for name, tool in chosen_tools(["all"]).items()
    if name.startswith(("ghost_", "outline_"))
}
CALLS = {
    f"{route.method} {route.path}": route
    for route in ROUTES
    if route.path not in ("/undo", "/runs/{run}", "/memories/{ns}/{key}/details")
    and route.path.strip("/").partition("/")[0]
    not in "graph spans flow home waiting audit decisions shape facets".split()
}


class Called(GhostError):  # noqa: N818 (not a failure)
    """A method was called with these arguments."""

    def __init__(self, name: str, arguments: Mapping[str, Any]) -> None:
        super().__init__(f"called {name}", "")
        self.name, self.arguments = name, arguments


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Called]:
    """Let every method of Ghost only record its call and raise."""
    made: list[Called] = []

    def recorder(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        def record(*args: Any, **options: Any) -> Any:
            made.append(Called(name, signature.bind(*args, **options).arguments))
            raise made[-1]

        return record

    for prefix, kind in CLASSES.items():
        for name, member in list(vars(kind).items()):
            if isinstance(member, operation):
                monkeypatch.setattr(kind, name, recorder(f"{prefix}{name}", getattr(kind, name)))
    return made


@pytest.fixture
def empty(calls: list[Called]) -> Iterator[Ghost]:
    """Return an empty store whose methods only record."""
    assert calls == []
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        yield ghost


def sample(name: str, schema: Mapping[str, Any]) -> Any:
    """Return a valid value of a schema that is not the default."""
    part = PARAMETERS.get(name)
    if "enum" in schema:
        return schema["enum"][-1]
    if schema["type"] == "string":
        return TIME if part is not None and part.metavar == "TIME" else f"some-{name}"
    if schema["type"] == "array":
        items = schema.get("items", {})
        return [sample(name, items)] if items.get("type") != "object" else [{"path": "a.py"}]
    numbers = {"integer": max(3, schema.get("minimum", 3)), "number": 0.25}
    flag = not (part is not None and part.default)
    return {**numbers, "boolean": flag, "object": {"a": 1}}[schema["type"]]


def spelled(option: click.Option, part: Parameter) -> tuple[list[str], Any]:
    """Return the words of an option on the command line, and the value that Ghost should get."""
    flag = option.opts[-1]
    if option.is_flag:
        return [flag], True
    if part.type == OBJECT:
        return [flag, '{"a": 1}'], {"a": 1}
    if option.multiple:
        return [flag, 'one,"two, three"'], ["one", "two, three"]
    numbers: dict[click.ParamType, Any] = {click.INT: 3, click.FLOAT: 0.25}
    text = part.choices[-1] if part.choices else TIME if part.metavar == "TIME" else "some-text"
    value = numbers.get(option.type, text)
    return [flag, str(value)], value


@pytest.mark.requirement("002-125")
@pytest.mark.parametrize("name", COMMANDS)
def test_options_reach_the_method(
    ghost_cli: GhostCli,  # noqa: F811
    words: Callable[[str], tuple[list[str], list[str]]],  # noqa: F811
    here: Path,  # noqa: F811
    calls: list[Called],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """Each option of a command arrives under its own name, in the type of the parameter."""
    monkeypatch.setenv("GHOST_DB", str(here / "store.db"))
    path, args = words(name)
    found = command(path[0])
    for word in path[1:]:
        assert isinstance(found, click.Group)
        found = found.commands[word]
    for option in found.params:
        part = PARAMETERS.get(option.name or "")
        is_given = option.name == "key" or {*option.opts} & {*args}
        if part is None or is_given or not isinstance(option, click.Option) or option.hidden:
            continue
        if (name, option.name) not in OWN:
            calls.clear()
            given, value = spelled(option, part)
            ghost_cli(*path, *given, *args, input="text")
            several = ONE_OF_SEVERAL.get((name, str(option.name)))
            arrived = calls[0].arguments[several or str(option.name)]
            assert arrived == ([value] if several else value), (option.name, calls[0].name)


@pytest.mark.requirement("002-137", "002-139", "002-140", "002-143", "002-151")
@pytest.mark.parametrize("name", TOOLS)
def test_arguments_of_tools_reach_the_method(empty: Ghost, name: str) -> None:
    """Each argument of a tool arrives under its own name."""
    schema = TOOLS[name].accepted
    parameters = schema["properties"]
    base = {each: sample(each, parameters[each]) for each in schema.get("required", ())}
    base |= REQUIRED.get(name, {})
    base |= {"ns": "agent:a"} if "ns" in parameters else {}
    for each in parameters.keys() & PARAMETERS.keys():
        if (name, each) not in OWN:
            value = base.get(each) or sample(each, parameters[each])
            with pytest.raises(Called) as call:
                TOOLS[name].run(empty, {**base, each: value})
            assert call.value.arguments[each] == value, each


@pytest.mark.parametrize("name", CALLS)
def test_fields_of_calls_reach_the_method(empty: Ghost, name: str) -> None:
    """Each field of a REST call arrives under its own name."""
    route = CALLS[name]
    base = {each: sample(each, route.takes[each]) for each in (*route.in_path, *route.needs)}
    for each in route.takes.keys() & PARAMETERS.keys():
        if (name, each) not in OWN:
            value = sample(each, route.takes[each])
            with pytest.raises(Called) as call:
                route.call(empty, {**base, each: value})
            assert call.value.arguments[each] == value, each
