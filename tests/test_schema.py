"""The checking of plain data: what passes, what does not, and what the sentence says to do"""

import math
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.errors import InvalidInputError
from ghostmem.mcp.memory_tools import MEMORY
from ghostmem.schema import check

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "what to call them", "maxLength": 10},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "kind": {"type": "string", "enum": ["friend", "colleague"]},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "pinned": {"type": "boolean"},
        "home": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
        "anything": {},
    },
    "required": ["name"],
    "additionalProperties": False,
}


def wrong(value: Any, schema: Any = PERSON) -> tuple[str, str]:
    """Return the error and the hint for a value that must not pass."""
    with pytest.raises(InvalidInputError) as caught:
        check(value, schema)
    assert caught.value.message
    assert caught.value.hint
    return caught.value.message, caught.value.hint


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"age": 0},
        {"age": 150},
        {"age": 30.0},
        {"share": 0},
        {"share": 1},
        {"share": 0.5},
        {"kind": "friend"},
        {"tags": ["a", "b", "c"]},
        {"pinned": False},
        {"home": {"city": "Turin"}},
        {"anything": [None, {"a": math.nan}]},
    ],
)
def test_what_fits_passes(more: dict[str, Any]) -> None:
    """A value that fits its schema is let through without a word."""
    check({"name": "Ada", **more}, PERSON)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, "name is required"),
        ({"name": 7}, "name must be a string, not 7"),
        ({"name": True}, "name must be a string, not True"),
        ({"name": None}, "name must be a string, not None"),
        ({"name": "Ada", "age": True}, "age must be a whole number, not True"),
        ({"name": "Ada", "age": 1.5}, "age must be a whole number, not 1.5"),
        ({"name": "Ada", "age": "30"}, "age must be a whole number, not '30'"),
        ({"name": "Ada", "age": math.inf}, "age must be a whole number, not inf"),
        ({"name": "Ada", "age": math.nan}, "age must be a whole number, not nan"),
        ({"name": "Ada", "share": False}, "share must be a number, not False"),
        ({"name": "Ada", "share": math.nan}, "share must be a number, not nan"),
        ({"name": "Ada", "share": -math.inf}, "share must be a number, not -inf"),
        ({"name": "Ada", "pinned": 1}, "pinned must be a boolean, not 1"),
        ({"name": "Ada", "pinned": "true"}, "pinned must be a boolean, not 'true'"),
        ({"name": "Ada", "tags": "a,b"}, "tags must be a list, not 'a,b'"),
        ({"name": "Ada", "tags": ["a", 7]}, "tags[1] must be a string, not 7"),
        ({"name": "Ada", "home": []}, "home must be an object, not []"),
        ({"name": "Ada", "home": {"city": 7}}, "home.city must be a string, not 7"),
        ({"name": "Ada", "home": {}}, "home.city is required"),
    ],
)
def test_the_error_names_the_place_what_it_must_be_and_what_it_is(
    given: dict[str, Any], error: str
) -> None:
    """A sentence says where the first wrong value is, what would fit and what was found."""
    assert wrong(given)[0] == error


@pytest.mark.parametrize(
    ("given", "error", "hint"),
    [
        ({"name": "Ada", "age": -1}, "age -1 is too small", "give at least 0"),
        ({"name": "Ada", "age": 151}, "age 151 is too large", "give at most 150"),
        ({"name": "Ada", "share": 1.01}, "share 1.01 is too large", "give at most 1"),
        (
            {"name": "Ada Lovelace"},
            "name 'Ada Lovelace' is too large",
            "give at most 10 characters",
        ),
        ({"name": "Ada", "tags": []}, "tags [] is too small", "give at least 1 items"),
        ({"name": "Ada", "kind": "foe"}, "invalid kind 'foe'", "must be one of: friend, colleague"),
        ({"name": "Ada", "kind": ""}, "invalid kind ''", "must be one of: friend, colleague"),
    ],
)
def test_the_hint_says_what_would_do(given: dict[str, Any], error: str, hint: str) -> None:
    """Bounds and closed sets are told with the bound or the set."""
    assert wrong(given) == (error, hint)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"name": "Ada", "age": "36"}, "send age as 36"),
        ({"name": "Ada", "age": "200"}, "send age as 150"),
        ({"name": "Ada", "age": "many"}, "send age as 5"),
        ({"name": "Ada", "share": "0.25"}, "send share as 0.25"),
        ({"name": "Ada", "share": "nan"}, "send share as 0.5"),
        ({"name": "Ada", "tags": "tea"}, 'send tags as ["tea"]'),
        ({"name": "Ada", "tags": 7}, 'send tags as ["a","b"]'),
    ],
)
def test_the_hint_shows_the_value_in_its_right_type(given: dict[str, Any], hint: str) -> None:
    """A number or a list that was sent as a text is shown as it must be sent."""
    assert wrong(given)[1].split(";")[0] == hint


def test_the_hint_for_a_list_of_objects_shows_an_object() -> None:
    """With the fields that it must have."""
    items = {"type": "object", "required": ["key", "content"]}
    bare = {"type": "object", "properties": {"rows": {"type": "array", "items": items}}}
    assert wrong({"rows": "x"}, bare)[1] == 'send rows as [{"key":"…","content":"…"}]'


def test_a_missing_value_gets_its_description() -> None:
    """What is required is told with what it is; without a description the hint still says to give it."""
    assert wrong({}) == ("name is required", "name: what to call them")
    bare = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    assert "another value" not in wrong({}, bare)[1]


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"name": "Ada", "ages": 3}, "did you mean age?"),
        ({"name": "Ada", "tag": ["a"]}, "did you mean tags?"),
        ({"nam": "Ada"}, "did you mean name?"),
        ({"name": "Ada", "home": {"city": "Turin", "sity": 1}}, "did you mean city?"),
        (
            {"name": "Ada", "zzz": 1},
            "known are: name, age, share, kind, tags, pinned, home, anything",
        ),
    ],
)
def test_an_unknown_name_gets_the_nearest_known(given: dict[str, Any], hint: str) -> None:
    """A name that is not there is told with the one that was probably meant, or with all."""
    assert wrong(given)[1] == hint


def test_unknown_names_pass_where_they_are_not_forbidden() -> None:
    """Only a schema that closes itself refuses what it does not know."""
    check(
        {"name": "Ada", "more": 1}, {"type": "object", "properties": {"name": {"type": "string"}}}
    )


@pytest.mark.parametrize(
    "given",
    [
        {"name": "x" * 100_000},
        {"name": ["x" * 100_000]},
        {"name": "Ada", "kind": "x" * 100_000},
        {"name": "Ada", "x" * 100_000: 1},
        {"name": "Ada", "age": 10**4000},
        {"name": "Ada", "age": 10**6000},
        {"name": "Ada", "age": [10**6000]},
        {"name": "Ada", "tags": ["x"] * 100_000},
        {"name": "\ud800" * 5_000},
    ],
    ids=["text", "list", "choice", "name", "number", "larger", "inside", "items", "surrogates"],
)
def test_a_huge_value_is_told_in_short(given: dict[str, Any]) -> None:
    """An error shows the start of a huge value and can be written down anywhere."""
    error, hint = wrong(given)
    assert len(error) + len(hint) < 500
    error.encode()
    hint.encode()


def test_a_deeply_nested_value_is_told_in_short() -> None:
    """A value nested a hundred thousand deep is refused like any other of the wrong type."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    try:
        assert wrong({"name": deep})[0].startswith("name must be a string")
    finally:
        while deep:
            deep = deep.pop()


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("tool", MEMORY, ids=lambda tool: tool.name)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_it_agrees_with_json_schema(tool: Any, data: st.DataObject) -> None:
    """For every tool, what this check lets through a real validator lets through, and the other way round."""
    names = st.sampled_from([*tool.parameters, "other"])
    likely = {
        name: st.just(value)
        for name, value in {"key": "k", "content": "c", "query": "q", "op": "boost"}.items()
    }
    value: dict[str, Any] = {}
    for name in data.draw(st.lists(names, max_size=6, unique=True)) + [
        name for name in tool.required if data.draw(st.booleans())
    ]:
        value[name] = data.draw(likely.get(name, ANY) | ANY)
    broken = _has_no_json(value)
    valid = not broken and jsonschema.Draft202012Validator(tool.schema).is_valid(value)
    try:
        check(value, tool.schema)
    except InvalidInputError:
        assert not valid, value
    else:
        assert valid or broken, value


def _has_no_json(value: Any) -> bool:
    """Say whether a value holds a number that JSON cannot write."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(map(_has_no_json, value.values()))
    return isinstance(value, list) and any(map(_has_no_json, value))
