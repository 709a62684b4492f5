"""One entry of a YAML mapping, changed in place"""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.errors import InvalidInputError
from ghostmem.setup.formats import FORMATS

YAML = FORMATS["yaml"]
PATH = ("extensions", "ghost")
ENTRY = {
    "type": "stdio",
    "cmd": "/opt/ghost bin/ghost",
    "args": ["mcp"],
    "envs": {},
    "enabled": True,
    "timeout": 300,
}

texts = st.text("abc :#'\"-é{}[]|>&*!%@,\\\n", max_size=12)
scalars = st.none() | st.booleans() | st.integers() | texts
names = st.text("abcGHOST_-", min_size=1, max_size=8).filter(
    lambda key: key not in ("ghost", "extensions")
)
values = st.recursive(
    scalars,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(names, below, max_size=3),
    max_leaves=6,
)
documents = st.dictionaries(names, values, max_size=4)


@given(
    before=documents,
    others=st.none() | st.dictionaries(names, values, max_size=3),
    after=documents,
    wide=st.booleans(),
)
def test_an_entry_goes_in_and_out_of_what_a_yaml_writer_writes(
    before: dict[str, Any], others: dict[str, Any] | None, after: dict[str, Any], wide: bool
) -> None:
    """Or it is refused, with the place; a file that is taken says the same about all else, and comes back to the byte."""
    parts = [
        before,
        {"extensions": others} if others is not None else {},
        {k: v for k, v in after.items() if k not in before},
    ]
    text = "".join(
        yaml.safe_dump(
            part, sort_keys=False, indent=4 if wide else 2, allow_unicode=True, width=1000
        )
        for part in parts
        if part
    )
    old = yaml.safe_load(text) or {}
    try:
        made = YAML.merge(text, PATH, ENTRY)
    except InvalidInputError as error:
        assert error.hint  # noqa: PT017
        return
    new = yaml.safe_load(made)
    assert new["extensions"].pop("ghost") == ENTRY
    assert {**new, "extensions": new["extensions"]} == {
        **old,
        "extensions": old.get("extensions") or {},
    }
    assert YAML.merge(made, PATH, ENTRY) == made
    assert YAML.remove(made, PATH, [] if "extensions" in old else [["extensions"]]) == text


def test_only_the_lines_that_differ_are_touched() -> None:
    """What somebody added to the entry stays, and so does the style of its list."""
    text = "extensions:\n  ghost:\n    cmd: old # mine\n    args: [mcp]\n    extra: 1\n  b:\n    c: d\n"
    made = YAML.merge(text, PATH, {"cmd": "new", "args": ["mcp"], "enabled": True})
    assert made == text.replace("old # mine", "new # mine").replace(
        "extra: 1\n", "extra: 1\n    enabled: true\n"
    )
    text = text.replace(" [mcp]", "\n    - serve\n    - x")
    assert yaml.safe_load(YAML.merge(text, PATH, {"args": ["mcp"]}))["extensions"]["ghost"][
        "args"
    ] == ["mcp"]


@pytest.mark.parametrize("empty", ["extensions: {}", "extensions:", "extensions: {} # none"])
def test_an_empty_mapping_is_filled(empty: str) -> None:
    """However it is said that it is empty."""
    made = yaml.safe_load(YAML.merge(f"a: 1\n{empty}\nb: 2\n", PATH, ENTRY))
    assert made == {"a": 1, "extensions": {"ghost": ENTRY}, "b": 2}


@pytest.mark.parametrize(
    "text",
    [
        "a: [1,\n  2]\n",
        'a: "x\n  y"\n',
        "extensions:\n  b: &b\n    c:\n  d: *b\nf: 1\n",
        "extensions:\n  b:\n    args:\n    -\n# e\n",
        "a: !tag 1\n",
    ],
)
def test_a_value_may_be_written_in_any_way(text: str) -> None:
    """On several lines, as a block text, as an alias, or with a tag."""
    made = YAML.merge(text, PATH, ENTRY)
    assert YAML.load(made)["extensions"]["ghost"] == ENTRY
    assert YAML.remove(made, PATH, [] if "extensions" in text else [["extensions"]]) == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\n\tb: 2\n", "line 2, column 1: not valid YAML: found character '\\t'"),
        ("a:\n    b: 1\n  c: 2\n", "line 3, column 3: not valid YAML: expected <block end>"),
        ("a: [1,\n", "line 2, column 1: not valid YAML: expected"),
        ('a: "x\n', "line 2, column 1: not valid YAML: found unexpected end"),
        ("nonsense\n", "the document is not an object"),
        ("- a\n", "the document is not an object"),
        ("a: 1\n---\nb: 1\n", "line 2, column 1: not valid YAML: but found another document"),
        ("extensions:\n- a\n", "extensions is not an object"),
        ("extensions: null\n", "extensions is written in a way that cannot be added to"),
        (
            "a: &other {b: 1}\nextensions:\n  ghost: *other\n",
            "extensions.ghost is written in a way that cannot be added to",
        ),
    ],
)
def test_what_cannot_be_read_by_lines_is_refused(text: str, place: str) -> None:
    """Broken or only unusual, the file stays as it is, and the place is named."""
    with pytest.raises(InvalidInputError) as error:
        YAML.merge(text, PATH, ENTRY)
    assert error.value.message.startswith(place)
