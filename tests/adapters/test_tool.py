"""The tool class, and memory_search as such a tool: its contract word for word, and no call that raises"""

import asyncio
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.adapters.tool import MemorySearchTool, Tool
from ghostmem.errors import InvalidInputError

# the specification's own words
NAME = "memory_search"
DESCRIPTION = "Search across all memory files (MEMORY.md and daily notes)"
PARAMETERS = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Search term or phrase"},
        "max_results": {"type": "integer", "default": 10},
    },
    "required": ["query"],
}


class Everything(Tool):
    """A tool whose parameters use everything that is checked."""

    name = "everything"
    description = "Try it all"
    parameters = {  # noqa: RUF012 (as agents' authors write it)
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 2, "maxLength": 5},
            "count": {"type": "integer", "minimum": 1, "maximum": 10},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
            "mode": {"type": "string", "enum": ["fast", "full"]},
            "on": {"type": "boolean"},
            "maybe": {"type": ["string", "null"], "maxLength": 3},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
            "meta": {
                "type": "object",
                "properties": {
                    "tag": {"type": "string"},
                    "flags": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["tag"],
                "additionalProperties": False,
            },
            "odd": {"type": "unheard-of"},
            "any": {},
        },
        "required": ["query", "count"],
    }

    async def execute(self, **kwargs: Any) -> str:
        """Return nothing in particular."""
        return "ok"


class Listing(Everything):
    """A tool whose parameters are no object."""

    parameters = {"type": "array"}  # noqa: RUF012


@pytest.mark.parametrize(
    ("params", "wrong"),
    [
        ({}, ["missing required query", "missing required count"]),
        ({"query": "hi"}, ["missing required count"]),
        ({"query": "hi", "count": "2"}, ["count should be integer"]),
        ({"query": "hi", "count": True}, ["count should be integer"]),
        ({"query": "hi", "count": 2.5}, ["count should be integer"]),
        ({"query": "hi", "count": None}, ["count should be integer"]),
        ({"query": 7, "count": 2}, ["query should be string"]),
        ({"query": "hi", "count": 0}, ["count must be >= 1"]),
        ({"query": "hi", "count": 11}, ["count must be <= 10"]),
        ({"query": "hi", "count": 2, "share": 1.5}, ["share must be <= 1"]),
        ({"query": "hi", "count": 2, "share": float("nan")}, ["share should be number"]),
        ({"query": "h", "count": 2}, ["query must be at least 2 chars"]),
        ({"query": "too long", "count": 2}, ["query must be at most 5 chars"]),
        ({"query": "hi", "count": 2, "mode": "slow"}, ["mode must be one of ['fast', 'full']"]),
        ({"query": "hi", "count": 2, "on": 1}, ["on should be boolean"]),
        ({"query": "hi", "count": 2, "maybe": 1}, ["maybe should be string or null"]),
        ({"query": "hi", "count": 2, "maybe": "long"}, ["maybe must be at most 3 chars"]),
        ({"query": "hi", "count": 2, "tags": "a"}, ["tags should be array"]),
        ({"query": "hi", "count": 2, "tags": []}, ["tags must have at least 1 items"]),
        ({"query": "hi", "count": 2, "tags": ["a", 2, 3]}, ["tags must have at most 2 items", "tags[1] should be string", "tags[2] should be string"]),
        ({"query": "hi", "count": 2, "meta": {}}, ["missing required meta.tag"]),
        ({"query": "hi", "count": 2, "meta": {"tag": 1, "flags": [1, "x"]}}, ["meta.tag should be string", "meta.flags[1] should be integer"]),
        ({"query": "hi", "count": 2, "meta": {"tag": "a", "more": 1}}, ["unexpected meta.more"]),
        ([], ["parameter should be object"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(params: Any, wrong: list[str]) -> None:
    """Every mistake has a sentence, nested ones with their place."""
    assert Everything().validate_params(params) == wrong


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"count": 2.0},
        {"share": 0},
        {"share": 0.5},
        {"mode": "full", "on": False},
        {"maybe": None},
        {"maybe": "abc"},
        {"tags": ["a", "b"]},
        {"meta": {"tag": "x", "flags": []}},
        {"odd": object(), "any": {1: 2}, "unknown": 1},
    ],
)
def test_what_fits_passes(more: dict[str, Any]) -> None:
    """A call that can be made has nothing wrong with it; more than is known is left alone."""
    assert Everything().validate_params({"query": "hi", "count": 2, **more}) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["tag", "flags", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    params=st.dictionaries(
        st.sampled_from([*Everything.parameters["properties"], "unknown"]), VALUES
    )
)
@settings(max_examples=300)
def test_it_agrees_with_json_schema(params: dict[str, Any]) -> None:
    """Whatever is called with, there is something wrong exactly when a validator of JSON Schema says so."""
    params.pop("odd", None)
    known = {**Everything.parameters["properties"], "odd": {}}
    if any(
        isinstance(params.get(name), float) and not (abs(params[name]) < float("inf"))
        for name in ("share", "count")
    ):
        return  # JSON has no such numbers
    valid = jsonschema.Draft202012Validator(
        {**Everything.parameters, "properties": known}
    ).is_valid(params)
    assert (Everything().validate_params(params) == []) == valid


def test_parameters_that_are_no_object_are_the_authors_mistake() -> None:
    """A tool takes named arguments."""
    with pytest.raises(InvalidInputError, match="type 'array'"):
        Listing().validate_params({})


def test_a_tool_without_execute_cannot_be_made() -> None:
    """The class is a contract."""
    with pytest.raises(TypeError, match="abstract"):
        Tool()  # type: ignore[abstract]


def test_to_schema_is_a_function_of_its_own() -> None:
    """The form that OpenAI's API takes; changing it does not change the tool."""
    shown = Everything().to_schema()
    assert shown == {
        "type": "function",
        "function": {
            "name": "everything",
            "description": "Try it all",
            "parameters": Everything.parameters,
        },
    }
    shown["function"]["parameters"]["properties"].clear()
    assert Everything.parameters["properties"]


# ---------------------------------------------------------------- memory_search


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace with twelve daily notes and a MEMORY.md, all about tea."""
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    for day in range(1, 13):
        (root / "memory" / f"2026-02-{day:02}.md").write_text(
            f"Day {day}.\nDrank green tea.\n", encoding="utf-8"
        )
    (root / "memory" / "MEMORY.md").write_text("The user drinks TEA.\n", encoding="utf-8")
    os.utime(root / "memory" / "MEMORY.md", (0, 0))
    return root


def call(root: Path, **params: Any) -> str:
    """Run the tool once."""
    return asyncio.run(MemorySearchTool(root).execute(**params))


@pytest.mark.requirement("001-005", "001-006", "001-007")
def test_name_description_and_parameters_are_the_specifications(workspace: Path) -> None:
    """Word for word, on the class and on the tool."""
    for tool in (MemorySearchTool, MemorySearchTool(workspace)):
        assert (tool.name, tool.description, tool.parameters) == (NAME, DESCRIPTION, PARAMETERS)
    assert MemorySearchTool(workspace).to_schema() == {
        "type": "function",
        "function": {"name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS},
    }


@pytest.mark.requirement("001-004")
def test_every_memory_file_is_searched(workspace: Path) -> None:
    """MEMORY.md and all daily notes, newest first."""
    found = call(workspace, query="tea", max_results=100)
    heads = [line for line in found.splitlines() if line.startswith("--- ")]
    assert heads == [
        *(f"--- memory/2026-02-{day:02}.md (line 2) ---" for day in range(12, 0, -1)),
        "--- memory/MEMORY.md (line 1) ---",
    ]


@pytest.mark.requirement("001-007", "001-013")
def test_ten_blocks_unless_told_otherwise(workspace: Path) -> None:
    """max_results is 10 by default and counts blocks."""
    assert call(workspace, query="tea").count("(line ") == 10
    assert call(workspace, query="tea", max_results=3).count("(line ") == 3
    assert call(workspace, query="tea", max_results=3.0).count("(line ") == 3


def test_the_answer_is_the_text_of_the_blocks(workspace: Path) -> None:
    """As the specification shows it; without a match, a sentence."""
    assert (
        call(workspace, query="day 7.")
        == "--- memory/2026-02-07.md (line 1) ---\nDay 7.\nDrank green tea.\n---\n"
    )
    assert call(workspace, query="coffee") == 'No matches found for "coffee".'


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({}, "missing required query"),
        ({"query": 1}, "query should be string"),
        ({"query": ["tea"]}, "query should be string"),
        ({"query": "tea", "max_results": "5"}, "max_results should be integer"),
        ({"query": "tea", "max_results": True}, "max_results should be integer"),
        ({"query": "tea", "max_results": None}, "max_results should be integer"),
        ({"query": "tea", "max_results": 0}, "max_results 0 is too small"),
        ({"query": " "}, "the query is empty"),
    ],
)
def test_bad_input_is_told_and_not_raised(
    workspace: Path, params: dict[str, Any], told: str
) -> None:
    """An agent reads a sentence that begins with Error."""
    answer = call(workspace, **params)
    assert answer.startswith("Error: ")
    assert told in answer


def test_a_workspace_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A wrong path is not an empty memory."""
    assert call(tmp_path / "nowhere", query="tea").startswith("Error: there is no folder ")


def test_the_search_does_not_hold_up_the_loop(workspace: Path) -> None:
    """Files are read in a worker thread while others' work goes on in the loop's own."""
    (workspace / "memory" / "2026-02-12.md").write_text("tea\n" * 200_000, encoding="utf-8")
    ticks = 0

    async def both() -> str:
        nonlocal ticks
        search = asyncio.ensure_future(MemorySearchTool(workspace).execute(query="tea"))
        while not search.done():
            ticks += 1
            await asyncio.sleep(0)
        return await search

    assert asyncio.run(both()).startswith("--- memory/2026-02-12.md (line 1) ---\n")
    assert ticks > 2
