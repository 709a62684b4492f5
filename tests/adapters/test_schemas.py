"""Our tools as plain function schemas, and calls of them"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.adapters.schemas import FORMATS, call, schemas
from ghostmem.cli.commands.serve import STYLES
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.mcp.memory_tools import MEMORY
from ghostmem.mcp.tools import SEVERAL, TOOLSETS, chosen_tools

NS = "agent:me"


@pytest.mark.parametrize("toolset", TOOLSETS)
@pytest.mark.parametrize("style", FORMATS)
def test_every_tool_is_a_function(style: str, toolset: str, tmp_path: Path) -> None:
    """A name, a description, and a schema that is an object, where each API wants them."""
    for one in schemas(style, [toolset], tmp_path):
        found = one["function"] if style == "openai" else one
        schema = found.get("input_schema" if style == "anthropic" else "parameters")
        if schema is None and style == "gemini":
            continue
        assert found["name"]
        assert found["description"]
        assert schema["type"].lower() == "object"
        assert set(schema.get("required", ())) <= set(schema["properties"])
        assert ("type" in one) is style.startswith("openai")


# fields of Schema in the reference of the Gemini API
GEMINI = set(
    "type format title description nullable enum maxItems minItems properties required minProperties "
    "maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum "
    "maximum".split()
)


def test_gemini_gets_function_declarations(tmp_path: Path) -> None:
    """Types by the names of its enum, only fields that it knows, and no parameters where there are none."""

    def check(schema: dict[str, Any]) -> None:
        assert set(schema) <= GEMINI, schema
        assert schema["type"] in {"OBJECT", "STRING", "INTEGER", "NUMBER", "BOOLEAN", "ARRAY"}
        for part in (*schema.get("properties", {}).values(), *[schema.get("items")]):
            if part is not None:
                check(part)

    found = {one["name"]: one for one in schemas("gemini", ["memory", "knowledge"], tmp_path)}
    for one in found.values():
        assert set(one) <= {"name", "description", "parameters"}
        if "parameters" in one:
            check(one["parameters"])
    put = found["ghost_put"]["parameters"]
    assert put["required"] == ["key", "content"]
    assert put["properties"]["tags"]["items"] == {"type": "STRING"}
    assert "parameters" not in found["list_memories"]


def test_the_schemas_are_copies() -> None:
    """Who changes one changes it for nobody else."""
    schemas("anthropic")[0]["input_schema"]["properties"].clear()
    assert schemas("anthropic")[0]["input_schema"]["properties"]


def test_the_names_are_those_of_the_table() -> None:
    """The memory tools by default, in order; more by name."""
    assert [one["function"]["name"] for one in schemas()] == [tool.name for tool in MEMORY]
    assert "ghost_timeline" in chosen_tools(["memory", "truth"])


def test_tools_that_look_into_several_namespaces_exist() -> None:
    """The list names tools that are there and take a namespace."""
    offered = chosen_tools(TOOLSETS)
    assert all("ns" in offered[name].parameters for name in SEVERAL)


def test_the_protocols_sdk_is_not_imported() -> None:
    """Programs that speak plain function calling do not pay for it."""
    code = "import sys; from ghostmem.adapters.schemas import schemas; schemas(); print([m for m in ('mcp', 'pydantic') if m in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_a_call_does_what_the_tool_does(ghost: Ghost) -> None:
    """Arguments as an object or as the JSON that a model sent."""
    stored = call(
        ghost, "ghost_put", {"ns": NS, "key": "tea", "content": "The user drinks green tea."}
    )
    assert (stored["key"], stored["version"]) == ("tea", 1)
    found = call(
        ghost, "ghost_search", json.dumps({"query": "green tea", "ns": "agent:*", "limit": 3.0})
    )
    assert [hit["key"] for hit in found["results"]] == ["tea"]
    assert json.dumps(found)


def test_the_namespace_is_the_callers_when_none_is_named(ghost: Ghost) -> None:
    """Named in the call, given beside it, or the project's."""
    call(ghost, "ghost_put", {"key": "a", "content": "one", "ns": None}, ns=NS)
    call(ghost, "ghost_put", {"key": "a", "content": "two", "ns": "other"}, ns=NS)
    call(ghost, "ghost_put", {"key": "a", "content": "three"})
    spaces = {memory.content: memory.ns for memory in ghost.list()}
    assert (spaces["one"], spaces["two"]) == (NS, "other")
    assert spaces["three"].startswith("project:")


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("ghost_pot", {}, "there is no tool 'ghost_pot'"),
        ("ghost_timeline", {"what": "tea"}, "there is no tool 'ghost_timeline'"),
        ("ghost_put", {"key": "a"}, "content is required"),
        ("ghost_put", {"key": "a", "content": "b", "colour": "red"}, "there is no argument"),
        (
            "ghost_get",
            {"key": "a", "ns": "agent:*"},
            r"ghost_get needs one namespace, not 'agent:\*'",
        ),
        ("ghost_get", "{", "the arguments of ghost_get are not JSON"),
        ("ghost_get", "[1]", "the arguments of ghost_get are not an object"),
        ("ghost_search", {"query": "a", "limit": 0}, "limit"),
    ],
)
def test_a_wrong_call_is_explained(ghost: Ghost, name: str, arguments: Any, said: str) -> None:
    """What is wrong, for the model to mend; only tools that were offered can be called."""
    with pytest.raises(InvalidInputError, match=said) as caught:
        call(ghost, name, arguments, ns=NS)
    assert caught.value.hint


def test_the_errors_of_verbs_come_through(ghost: Ghost) -> None:
    """A missing key is a missing key."""
    with pytest.raises(NotFoundError, match="memory not found"):
        call(ghost, "ghost_get", {"key": "nothing"}, ns=NS)


def test_unknown_formats_and_toolsets_are_named() -> None:
    """With what there is."""
    with pytest.raises(InvalidInputError, match="format 'claude' is unknown"):
        schemas("claude")
    with pytest.raises(InvalidInputError, match="there is no toolset 'mind'"):
        schemas(toolsets=["mind"])


def test_tools_that_work_on_files_do_so_below_a_folder(ghost: Ghost, tmp_path: Path) -> None:
    """As over MCP."""
    given = {"topic": "tea", "tags": ["drinks"], "summary": "About tea.", "content": "Green."}
    call(ghost, "memorize_new_topic", given, toolsets=["knowledge"], root=tmp_path)
    assert list(tmp_path.rglob("tea*"))


def test_the_command_knows_every_format() -> None:
    """Its choices are listed without loading the tools."""
    assert tuple(FORMATS) == STYLES
