"""One table of a TOML file, changed in place"""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.errors import InvalidInputError
from ghostmem.setup.formats import FORMATS
from ghostmem.setup.install import install
from setup_golden import HOW, target

TOML = FORMATS["toml"]
PATH = ("mcp_servers", "ghost")
ENTRY = {"command": 'C:\\ghost "x".exe', "args": ["mcp"], "env": {"GHOST_NS": "a:b"}}

names = st.sampled_from(["a", "b-1", '"q.x"', "'l#t'", '"mcp_servers"', "c_2"])
plain = st.sampled_from(
    [
        "1",
        "-2.5",
        "true",
        "1979-05-27T07:32:00Z",
        '"x # y"',
        "'[z]'",
        '"\\"]"',
        '"""\n[mcp_servers.ghost]\n\\""""',
        "'''\n# ''x'''",
    ]
)
inner = st.recursive(
    plain,
    lambda below: (
        st.lists(below, max_size=3).map(lambda parts: "[\n " + ", # ]\n ".join(parts) + "\n]")
        | st.lists(below, max_size=2).map(
            lambda parts: "{" + ", ".join(f"k{i} = {part}" for i, part in enumerate(parts)) + "}"
        )
    ),
    max_leaves=4,
)
lines = st.one_of(
    st.tuples(names, inner, st.sampled_from(["", " # note", "\t"])).map(
        lambda row: f"{row[0]} = {row[1]}{row[2]}"
    ),
    st.sampled_from(["", "# comment", "  # [mcp_servers.ghost]"]),
    st.tuples(names, names).map(lambda pair: f"[{pair[0]}.{pair[1]}]"),
    names.map(lambda name: f"[mcp_servers.{name}]"),
    names.map(lambda name: f"[[list.{name}]] # more"),
)


def valid(text: str) -> bool:
    """Say whether the standard library takes it."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@st.composite
def files(draw: st.DrawFn) -> str:
    """Write a valid file: a line that would break it is left out."""
    text = ""
    for line in draw(st.lists(lines, max_size=9)):
        text = f"{text}{line}\n" if valid(f"{text}{line}\n") else text
    return text if draw(st.booleans()) else text.replace("\n", "\r\n")


@given(text=files(), ended=st.booleans())
def test_a_table_goes_in_and_out_of_any_file(text: str, ended: bool) -> None:
    """No other line changes; a file that does not end in a line end gets one."""
    text = text if ended else text.removesuffix("\n").removesuffix("\r")
    old = tomllib.loads(text)
    servers = old.get("mcp_servers", {})
    if not isinstance(servers, dict):
        with pytest.raises(InvalidInputError):
            TOML.merge(text, PATH, ENTRY)
        return
    try:
        made = TOML.merge(text, PATH, ENTRY)
    except InvalidInputError as error:
        assert "mcp_servers is" in error.message  # noqa: PT017
        assert "mcp_servers" in old
        return
    new = tomllib.loads(made)
    assert new["mcp_servers"].pop("ghost") == ENTRY
    assert {**new, "mcp_servers": new["mcp_servers"]} == {**old, "mcp_servers": servers}
    assert TOML.merge(made, PATH, ENTRY) == made
    again = TOML.remove(made, PATH)  # the number of blank lines may differ
    assert [line for line in again.splitlines() if line] == [
        line for line in text.splitlines() if line
    ]


@settings(max_examples=40)
@given(text=files(), ended=st.booleans())
def test_any_file_comes_back(
    text: str, ended: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Put in and taken out, it is the file it was, to the byte, and nothing else is left."""
    path = tmp_path_factory.mktemp("any") / "config.toml"
    path.write_bytes((text if ended else text.rstrip("\r\n")).encode())
    raw, file = path.read_bytes(), target("codex", path)
    try:
        install([file], HOW)
    except InvalidInputError as error:
        assert "mcp_servers is" in error.message  # noqa: PT017
    else:
        assert install([file], HOW)[0].action == "unchanged"
        install([file], None)
    assert path.read_bytes() == raw
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[mcp_servers.ghost]\ncommand = "old" # mine\nextra = 1\n\n[z]\n',
            '[mcp_servers.ghost]\ncommand = "new" # mine\nextra = 1\n\n[z]\n',
        ),
        (
            '[mcp_servers]\nghost = { command = "old", x = 1 }\n',
            '[mcp_servers]\nghost = { command = "new", x = 1 }\n',
        ),
        ('mcp_servers.ghost.command = "old"\n', 'mcp_servers.ghost.command = "new"\n'),
        (
            "[ mcp_servers . 'ghost' ]\ncommand = '''old'''",
            "[ mcp_servers . 'ghost' ]\ncommand = \"new\"\n",
        ),
        ("[mcp_servers.ghost]\n# none\n", '[mcp_servers.ghost]\n# none\ncommand = "new"\n'),
    ],
)
def test_only_the_value_that_differs_is_touched(text: str, expected: str) -> None:
    """However the table is written."""
    assert TOML.merge(text, PATH, {"command": "new"}) == expected


def test_the_environment_may_be_a_table_of_its_own() -> None:
    """As Codex writes it; what else is in it stays, and goes with the entry."""
    text = '[mcp_servers.ghost]\ncommand = "x"\nargs = ["mcp"]\n\n[mcp_servers.ghost.env]\nA = "b"\n\n[z]\na = 1\n'
    made = TOML.merge(text, PATH, {"command": "x", "args": ["mcp"], "env": {"GHOST_NS": "n"}})
    assert tomllib.loads(made)["mcp_servers"]["ghost"]["env"] == {"A": "b", "GHOST_NS": "n"}
    assert tomllib.loads(TOML.remove(made, PATH)) == {"z": {"a": 1}}


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", 'mcp_servers = { a = { command = "x" } }\n', "mcp_servers = 1\n"]
)
def test_what_cannot_be_added_to_is_refused(text: str) -> None:
    """An inline table is closed for good."""
    with pytest.raises(InvalidInputError, match="mcp_servers is (not|written in)") as error:
        TOML.merge(text, PATH, ENTRY)
    assert "--print" in error.value.hint


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = = 1\n", "line 1, column 5"),
        ("a = 1\nb\n", "line 2, column 2"),
        ('a = "x', "end of document"),
    ],
)
def test_a_broken_file_is_named_by_line_and_column(text: str, place: str) -> None:
    """As the standard library says it."""
    with pytest.raises(InvalidInputError) as error:
        TOML.merge(text, PATH, ENTRY)
    assert error.value.message.startswith(f"{place}: not valid TOML: ")
