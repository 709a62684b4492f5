"""JSON that is changed in place"""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.errors import InvalidInputError
from ghostmem.notes.files import BOM
from ghostmem.setup.formats import FORMATS
from ghostmem.setup.install import install
from setup_golden import HOW, target

PATH = ("mcpServers", "ghost")
ENTRY = {"command": "/bin/ghost", "args": ["mcp"], "env": {"A": "b"}}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
)
values = st.recursive(
    scalars,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3)
    ),
    max_leaves=8,
)
documents = st.dictionaries(
    st.text(max_size=8).filter(lambda key: key != "mcpServers"), values, max_size=4
)
servers = st.dictionaries(
    st.text(max_size=6).filter(lambda key: key != "ghost"), values, max_size=3
)


@st.composite
def written(draw: st.DrawFn, comments: bool = False) -> str:
    """Write a document as somebody might: any layout, any space, comments and trailing commas where they may be."""
    value = draw(documents)
    if draw(st.booleans()):
        value["mcpServers"] = draw(servers)
    gaps = st.sampled_from(["", " ", "\n", "\r\n", "\t", "\n    "])
    if comments:
        gaps |= st.sampled_from(["// , } \n", "/* { */", " // x\n", "/*\n*/"])

    def text(one: Any) -> str:
        if not isinstance(one, dict | list):
            return json.dumps(one, ensure_ascii=draw(st.booleans()))
        first, last = "{}" if isinstance(one, dict) else "[]"
        rows = []
        for part in one.items() if isinstance(one, dict) else one:
            if isinstance(one, dict):
                rows.append(
                    f"{json.dumps(part[0])}{draw(gaps)}:{draw(gaps)}{text(part[1])}{draw(gaps)}"
                )
            else:
                rows.append(f"{text(part)}{draw(gaps)}")
        joined = ",".join(draw(gaps) + row for row in rows)
        tail = "," if rows and comments and draw(st.booleans()) else ""
        return f"{first}{joined}{tail}{draw(gaps)}{last}"

    if draw(st.booleans()):
        return json.dumps(value, indent=draw(st.sampled_from([None, 2, 4, "\t"]))) + draw(
            st.sampled_from(["", "\n"])
        )
    return draw(gaps) + text(value) + draw(gaps)


def check(text: str, comments: bool) -> None:
    """Put the entry in and take it out, and compare what the document says each time."""
    form = FORMATS["jsonc" if comments else "json"]
    old = form.load(text)
    made = form.merge(text, PATH, ENTRY)
    new = form.load(made)
    assert new["mcpServers"]["ghost"] == ENTRY
    kept = {key: value for key, value in new["mcpServers"].items() if key != "ghost"}
    assert {**new, "mcpServers": kept} == {**old, "mcpServers": old.get("mcpServers") or {}}
    assert list(new) == [*old, *([] if "mcpServers" in old else ["mcpServers"])]
    assert form.merge(made, PATH, ENTRY) == made
    containers = [] if "mcpServers" in old else [["mcpServers"]]
    again = form.remove(made, PATH, containers)
    assert form.load(again) == old


@given(text=written())
def test_an_entry_goes_in_and_out_of_any_json(text: str) -> None:
    """Everything else says what it said, in the order it said it."""
    assert FORMATS["json"].load(text) == json.loads(text)
    check(text, False)


@given(text=written(comments=True))
def test_an_entry_goes_in_and_out_of_any_json_with_comments(text: str) -> None:
    """Comments are in the way nowhere."""
    check(text, True)


@settings(max_examples=40)
@given(text=written(comments=True), mark=st.booleans())
def test_any_file_comes_back(
    text: str, mark: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With the server and the hooks in it and out again, it is the file it was, to the byte, and nothing else is left."""
    path = tmp_path_factory.mktemp("any") / "settings.json"
    raw = (BOM if mark else b"") + text.encode("utf-8", "surrogatepass")
    path.write_bytes(raw)
    file = target("gemini", path)
    try:
        install([file], HOW)
    except InvalidInputError as error:
        assert "is not a" in error.message  # noqa: PT017 - a generated key is one of ours, with another kind of value
    else:
        assert install([file], HOW)[0].action == "unchanged"
        install([file], None)
    assert path.read_bytes() == raw
    assert list(path.parent.iterdir()) == [path]


@given(
    value=documents,
    indent=st.sampled_from([1, 2, 4, "\t"]),
    more=servers.filter(bool),
    end=st.sampled_from(["", "\n"]),
)
def test_pretty_json_comes_back_to_the_byte(
    value: dict[str, Any], indent: int | str, more: dict[str, Any], end: str
) -> None:
    """No state is needed for a file that is written one member to a line."""
    text = json.dumps({**value, "mcpServers": more}, indent=indent) + end
    for path in (PATH, ("other", "ghost")):
        made = FORMATS["json"].merge(text, path, ENTRY)
        assert FORMATS["json"].remove(made, path, [["other"]]) == text


@given(
    text=st.text(max_size=40)
    | st.lists(st.sampled_from([*'{}[],:"\\/*ab1- \n', "null"]), max_size=20).map("".join)
)
def test_what_is_no_json_is_refused(text: str) -> None:
    """The standard library's reader and ours accept the same documents, space alone apart."""
    try:
        known = json.loads(text, parse_constant=int)  # NaN and Infinity are no numbers
    except (ValueError, RecursionError):
        known = InvalidInputError
    try:
        found = FORMATS["json"].load(text)
    except InvalidInputError as error:
        assert error.message.startswith("line ")  # noqa: PT017
        found = InvalidInputError
    if text.strip(" \t\r\n"):
        assert found == known
    else:
        assert found is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "line 1, column 2"),
        ('{"a": 1,\n "b" 2}', "line 2, column 6"),
        ('{"a": 1}\nx', "line 2, column 1"),
        ('{"a": 01}', "line 1, column 8"),
        ('{"a": "\t"}', "line 1, column 8"),
        ('{"a": 1,}', "line 1, column 9"),
        ("{'a': 1}", "line 1, column 2"),
        ("[" * 200, "line 1, column 201"),
        ("[" * 200_000, "line 1, column 1"),
        ("/* a", "line 1, column 1"),
    ],
)
def test_a_broken_file_is_named_by_line_and_column(text: str, place: str) -> None:
    """Where an editor would jump to."""
    with pytest.raises(InvalidInputError) as error:
        FORMATS["json"].merge(text, PATH, ENTRY)
    assert error.value.message.startswith(f"{place}: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"mcpServers": null}', '{"mcpServers": {"ghost": 1}}'),
        ("null", '{\n  "mcpServers": {\n    "ghost": 1\n  }\n}'),
        ("null\n", '{\n  "mcpServers": {\n    "ghost": 1\n  }\n}\n'),
        ("// only\n", '// only\n{\n  "mcpServers": {\n    "ghost": 1\n  }\n}\n'),
        ("// only", '// only\n{\n  "mcpServers": {\n    "ghost": 1\n  }\n}\n'),
        ('{"a":1}', '{"a":1,"mcpServers":{"ghost":1}}'),
        ('{"a": 1}', '{"a": 1, "mcpServers": {"ghost": 1}}'),
        ('{"a":1,}', '{"a":1,"mcpServers":{"ghost":1},}'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"ghost": 1\n\t}\n}'),
        (
            '{"mcpServers": {}, "mcpServers": {"a": 0}}',
            '{"mcpServers": {}, "mcpServers": {"a": 0, "ghost": 1}}',
        ),
        ('{"mcpServers": {"ghost": true}}', '{"mcpServers": {"ghost": 1}}'),
    ],
)
def test_odd_documents(text: str, expected: str) -> None:
    """Null is no object yet; of keys that stand twice the last one counts; a document on one line stays on it."""
    assert FORMATS["jsonc"].merge(text, PATH, 1) == expected


@pytest.mark.parametrize("text", ["[]", '"x"', "1", '{"mcpServers": []}', '{"mcpServers": "x"}'])
def test_what_is_no_object_is_not_replaced(text: str) -> None:
    """What somebody wrote there is not ours to throw away."""
    with pytest.raises(InvalidInputError, match="is not an object"):
        FORMATS["json"].merge(text, PATH, 1)


def test_only_the_keys_that_differ_are_touched() -> None:
    """What somebody added to our entry stays, with its comments."""
    text = '{"mcpServers": {"ghost": {\n  "command": "old", // mine\n  "disabled": true\n}}}'
    made = FORMATS["jsonc"].merge(text, PATH, {"command": "new", "disabled": True})
    assert made == text.replace("old", "new")


def test_what_follows_does_not_slip_into_a_comment() -> None:
    """A member that shares its line with another goes alone."""
    text = '{\n  "a": 1, // one\n  "ghost": 2, "b": 3\n}'
    assert FORMATS["jsonc"].remove(text, ["ghost"]) == '{\n  "a": 1, // one\n  "b": 3\n}'
    text = '{\n  "a": 1, // one\n  "ghost": 2 }'
    assert FORMATS["jsonc"].load(FORMATS["jsonc"].remove(text, ["ghost"]), comments=True) == {
        "a": 1
    }
