"""The toolset outline through the official client: there when asked for, three tools, their texts and errors"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Agent, Place

TOOLS = ["outline_symbol", "outline_file", "outline_project"]
SHAPE = {"depth", "relations", "omit_native", "format"}


@pytest.fixture
def root(place: "Place") -> Path:
    """Return a small project."""
    folder = place.root / "project"
    folder.mkdir()
    (folder / "db.py").write_text("def save(row):\n    return row\n", encoding="utf-8")
    (folder / "orders.py").write_text(
        "import os\nimport db\n\n\ndef order(item):\n    os.getcwd()\n    return db.save(item)\n",
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def agent(place: "Place", root: Path) -> "Iterator[Agent]":
    """Start a server with --experimental and connect the official client."""
    with place.agent("2026-07-28", "--experimental", "--root", str(root)) as found:
        yield found
    assert "Traceback" not in place.errors()


def names(agent: "Agent") -> list[str]:
    """Return the names of the tools that a client sees."""
    return [tool.name for tool in agent.ask("list_tools").tools]


@pytest.mark.requirement("004-029")
def test_only_when_asked_for(place: "Place", agent: "Agent", root: Path) -> None:
    """With --experimental or when named in --tools, and otherwise not."""
    assert set(TOOLS) <= set(names(agent))
    with place.agent() as plain:
        assert not set(TOOLS) & set(names(plain))
    with place.agent("2026-07-28", "--tools", "outline", "--root", str(root)) as named:
        assert names(named) == TOOLS


@pytest.mark.requirement(
    "004-031",
    "004-032",
    "004-033",
    "004-034",
    "004-040",
    "004-041",
    "004-042",
    "004-043",
    "004-044",
    "004-045",
    "004-047",
    "004-048",
    "004-049",
    "004-051",
)
@pytest.mark.parametrize(
    ("tool", "own", "required"),
    [
        ("outline_symbol", {"symbol", "language", "file"}, {"symbol"}),
        ("outline_file", {"file", "language"}, {"file"}),
        ("outline_project", {"language"}, set()),
    ],
)
def test_the_fields_of_the_source(
    agent: "Agent", tool: str, own: set[str], required: set[str]
) -> None:
    """Each tool takes what the source lists."""
    found = next(one for one in agent.ask("list_tools").tools if one.name == tool)
    assert own | SHAPE <= set(found.input_schema["properties"])
    assert set(found.input_schema.get("required", ())) == required
    assert found.input_schema["properties"]["depth"]["type"] == "integer"
    assert found.annotations.read_only_hint


@pytest.mark.requirement("004-030", "004-038")
def test_a_symbol_as_text_and_as_json(agent: "Agent") -> None:
    """The same tree in both forms; text is the default."""
    text = agent.text("outline_symbol", symbol="save", language="python")
    assert text.startswith("db.save  func  db.py:1\n")
    assert "calledBy\n    orders.order  func  orders.py:5" in text
    data: dict[str, Any] = json.loads(
        agent.text("outline_symbol", symbol="save", language="python", format="json")
    )
    assert data["version"] == 1
    assert data["matches"][0]["name"] == "db.save"
    assert [one["node"]["name"] for one in data["matches"][0]["relations"]["calledBy"]] == [
        "orders.order"
    ]


@pytest.mark.requirement("004-035", "004-037", "004-039", "004-046", "004-050")
@pytest.mark.smoke
def test_a_file_and_a_project(agent: "Agent") -> None:
    """Every symbol of a file, and of all files; what is native can be left out."""
    assert "orders.order  func" in agent.text("outline_file", file="orders.py", language="py")
    whole = agent.text("outline_project", language="python", depth=1)
    assert agent.text("outline_project", depth=1) == whole  # the language is detected
    assert "db.save" in whole
    assert "os.getcwd" in whole
    assert "os.getcwd" not in agent.text("outline_project", language="python", omit_native=True)
    assert agent.text("outline_project", depth=1) == whole
    only = agent.text("outline_symbol", symbol="order", language="python", relations=["calledBy"])
    assert "db.save" not in only


@pytest.mark.requirement("004-032", "004-036", "004-040")
@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("outline_symbol", {"symbol": "save", "language": "cobol"}, "unknown language"),
        ("outline_symbol", {"symbol": "", "language": "python"}, "symbol"),
        ("outline_symbol", {"symbol": "svae", "language": "python"}, "no symbol"),
        (
            "outline_symbol",
            {"symbol": "save", "language": "python", "relations": ["callz"]},
            "callz",
        ),
        ("outline_symbol", {"symbol": "save", "language": "python", "depth": 11}, "depth"),
        ("outline_file", {"file": "../memory.db", "language": "python"}, "not below"),
        ("outline_file", {"file": "/etc/passwd", "language": "python"}, "not below"),
        ("outline_file", {"file": "nothing.py", "language": "python"}, "no file"),
        ("outline_file", {"file": "db.py", "language": "go"}, "db.py"),
    ],
)
def test_errors(agent: "Agent", tool: str, given: dict[str, Any], says: str) -> None:
    """What is wrong is said, with what to do; a wrong name brings the nearest."""
    error, hint = agent.fails(tool, **given)
    assert says in error
    assert hint


@pytest.mark.requirement("004-033")
def test_a_symbol_in_one_file(agent: "Agent", root: Path) -> None:
    """Of several that have a name, a file keeps those in it."""
    (root / "other.py").write_text("def save(row):\n    return row\n", encoding="utf-8")
    assert '# 2 symbols match "save"' in agent.text(
        "outline_symbol", symbol="save", language="python"
    )
    one = agent.text("outline_symbol", symbol="save", language="python", file="other.py")
    assert one.startswith("other.save  func  other.py:1\n")
    assert agent.text("outline_symbol", symbol="db.save", language="python").startswith(
        "db.save  func"
    )


@pytest.mark.requirement("004-034", "004-042", "004-048")
def test_two_levels_unless_told_otherwise(agent: "Agent", root: Path) -> None:
    """A chain of calls is followed two steps, or as many as are asked for."""
    chain = "".join(
        f"def step{number}():\n    return step{number + 1}()\n\n\n" for number in range(5)
    )
    (root / "chain.py").write_text(chain + "def step5():\n    return 1\n", encoding="utf-8")
    calls = {"relations": ["calls"], "language": "python"}
    assert "step2" in agent.text("outline_symbol", symbol="step0", **calls)
    assert "step3" not in agent.text("outline_symbol", symbol="step0", **calls)
    assert "step4" in agent.text("outline_symbol", symbol="step0", depth=4, **calls)
    assert "step1" not in agent.text("outline_symbol", symbol="step0", depth=0, **calls)
    for tool, given in (("outline_file", {"file": "chain.py"}), ("outline_project", {})):
        default = json.loads(agent.text(tool, format="json", **given, **calls))
        two = json.loads(agent.text(tool, format="json", depth=2, **given, **calls))
        assert default["matches"] == two["matches"]


@pytest.mark.requirement("004-043", "004-044", "004-045", "004-049", "004-051")
def test_files_and_projects_take_the_same_shape(agent: "Agent") -> None:
    """Relations, natives and the form mean the same in all three tools."""
    for tool, given in (("outline_file", {"file": "orders.py"}), ("outline_project", {})):
        whole = agent.text(tool, language="python", **given)
        assert "os.getcwd" in whole
        assert "os.getcwd" not in agent.text(tool, language="python", omit_native=True, **given)
        assert "  calls\n" not in agent.text(
            tool, language="python", relations=["calledBy"], **given
        )
        assert (
            json.loads(agent.text(tool, language="python", format="json", **given))["language"]
            == "python"
        )


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_page_has_a_size_that_clients_accept(place: "Place", form: str) -> None:
    """Pages stay below a number of characters, and their offsets lead through all symbols."""
    folder = place.root / "large"
    folder.mkdir()
    functions = [
        f"def long_name_{n}():\n"
        + "".join(f"    long_name_{(n + m) % 30}()\n" for m in range(1, 15))
        for n in range(30)
    ]
    (folder / "large.py").write_text("\n\n".join(functions), encoding="utf-8")
    with place.agent("2026-07-28", "--tools", "outline", "--root", str(folder)) as agent:
        shown, offset, pages = set(), 0, 0
        while offset is not None:
            page = agent.ok("outline_project", offset=offset, format=form)["text"]
            pages += 1
            assert len(page) <= 24_000
            shown |= set(re.findall(r"(?:^|\"name\": \")\S*(long_name_\d+)", page, re.MULTILINE))
            following = re.search(r"(?:continue with offset|\"next_offset\":) (\d+)", page)
            offset = int(following[1]) if following else None
    assert len(shown) == 30
    assert pages > 1
