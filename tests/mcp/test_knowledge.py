"""The toolset knowledge through the official client: eight tools over files, their texts, their errors, and who may call them"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from ghostmem.mcp.tools import chosen_tools

if TYPE_CHECKING:
    from conftest import Agent, Place

PROGRAM = str(Path(sys.executable).with_name("ghost"))
ERAS = [pytest.param("legacy", marks=pytest.mark.wide), "2026-07-28"]
# the source's fields; a star marks those it requires
TAKES = {
    "recall_general_memory": "",
    "recall_memory": "topic*:string",
    "search_memories": "tags*:array",
    "list_memories": "",
    "memorize_new_topic": "topic*:string tags*:array summary*:string content*:string",
    "refine_memory": "topic*:string tagsToAdd:array tagsToRemove:array newSummary:string newContent:string",
    "memorize_general_info": "content*:string",
    "forget_memory": "topic*:string",
}
READERS = {"recall_general_memory", "recall_memory", "search_memories", "list_memories"}
TOPIC = {
    "topic": "auth",
    "tags": ["security", "identity"],
    "summary": "How users sign in.",
    "content": "# Auth\n\nText.",
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a project in which nothing is ever written."""
    return tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def idle(shared_place: "Place", empty: Path) -> "Iterator[Agent]":
    """Start a server for the tests that only look, or must be refused."""
    with shared_place.agent("2026-07-28", "--tools", "knowledge", "--root", str(empty)) as found:
        yield found
    assert list(empty.iterdir()) == []


@pytest.fixture
def root(place: "Place") -> Path:
    """Return the folder of a project that is not the working folder."""
    folder = place.root / "project"
    folder.mkdir()
    return folder


@pytest.fixture(params=ERAS)
def agent(request: pytest.FixtureRequest, place: "Place", root: Path) -> "Iterator[Agent]":
    """Start a server with both toolsets over stdio and connect the official client, once in each protocol."""
    with place.agent(request.param, "--tools", "memory,knowledge", "--root", str(root)) as found:
        yield found
    assert "Traceback" not in place.errors()


@pytest.fixture
def plain(place: "Place", root: Path) -> "Iterator[Agent]":
    """Start a server with the toolset knowledge alone."""
    with place.agent("2026-07-28", "--tools", "knowledge", "--root", str(root)) as found:
        yield found
    assert "Traceback" not in place.errors()


def tools(agent: "Agent") -> dict[str, Any]:
    """Return the tools that a client sees, by name."""
    return {tool.name: tool for tool in agent.ask("list_tools").tools}


# --- the table


def test_the_toolset_is_absent_by_default(place: "Place") -> None:
    """Without asking for it there are the tools of memory, their prompts, and not a word of knowledge."""
    with place.agent() as agent:
        found = tools(agent)
        assert len(found) == 11
        assert not set(found) & set(TAKES)
        assert "memorize-project" not in {
            prompt.name for prompt in agent.ask("list_prompts").prompts
        }
        assert "there is no tool" in agent.fails("list_memories")[0]
        with pytest.raises(MCPError, match="there is no prompt"):
            agent.ask("get_prompt", "memorize-project")
    assert not (place.work / ".ai-knowledge").exists()


def test_the_eight_tools_in_their_order(plain: "Agent", agent: "Agent") -> None:
    """The toolset is the source's eight tools; beside memory they come after its tools."""
    assert list(tools(plain)) == list(TAKES)
    assert list(tools(agent))[11:] == list(TAKES)


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ("memory", ["ghost_put"]),
        ("knowledge", ["recall_memory"]),
        ("knowledge,memory", ["recall_memory", "ghost_put"]),
    ],
)
def test_the_instructions_are_those_of_the_toolsets(
    place: "Place", chosen: str, told: list[str]
) -> None:
    """A model is told about the tools that it has, and about no others."""
    with place.pipes("--tools", chosen) as server:
        text = server.initialize()["instructions"]
    assert [name for name in ("recall_memory", "ghost_put") if name in text] == told


@pytest.mark.requirement(
    "004-003",
    "004-005",
    "004-007",
    "004-010",
    "004-011",
    "004-015",
    "004-016",
    "004-017",
    "004-023",
    "004-026",
)
@pytest.mark.parametrize("name", TAKES)
def test_a_tool_takes_the_fields_of_the_source(idle: "Agent", name: str) -> None:
    """Names, types and what is required are the source's, nothing else is accepted, and there is no namespace."""
    tool = tools(idle)[name]
    jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    wanted = dict(word.split(":") for word in TAKES[name].split())
    taken = {field: schema["type"] for field, schema in tool.input_schema["properties"].items()}
    assert taken == {field.rstrip("*"): kind for field, kind in wanted.items()}
    assert set(tool.input_schema.get("required", ())) == {
        field.rstrip("*") for field in wanted if field.endswith("*")
    }
    assert all(
        s.get("items", {"type": "string"}) == {"type": "string"}
        for s in tool.input_schema["properties"].values()
    )
    assert tool.input_schema["additionalProperties"] is False
    assert tool.output_schema == {"type": "object", "properties": {"text": {"type": "string"}}}
    assert tool.title
    assert tool.description
    assert tool.annotations.read_only_hint is (name in READERS)
    assert tool.annotations.open_world_hint is False


@pytest.mark.requirement("004-005", "004-007", "004-011", "004-015", "004-023", "004-026")
@pytest.mark.parametrize("name", [name for name, fields in TAKES.items() if "*" in fields])
def test_a_required_field_is_required(idle: "Agent", name: str) -> None:
    """Each required field that is left out, null or of another type is named."""
    whole = {"topic": "t", "tags": ["x"], "summary": "s", "content": "c"}
    needs = [word.split("*")[0] for word in TAKES[name].split() if "*" in word]
    for missing in needs:
        given = {field: whole[field] for field in needs if field != missing}
        assert idle.fails(name, **given)[0] == f"{missing} is required"
        assert idle.fails(name, **given, **{missing: None})[0] == f"{missing} is required"
        assert idle.fails(name, **given, **{missing: 7})[0].startswith(f"{missing} must be a ")
    assert (
        "there is no argument 'ns'"
        in idle.fails(name, **{field: whole[field] for field in needs}, ns="a")[0]
    )


@pytest.mark.requirement("004-001")
def test_the_root_is_the_working_folder_unless_named(place: "Place") -> None:
    """Without --root the tools work on the folder that the server was started in."""
    with place.agent("2026-07-28", "--tools", "knowledge") as agent:
        agent.ok("memorize_new_topic", **TOPIC)
    assert (place.work / ".ai-knowledge" / "auth.mdk").exists()


def test_a_root_that_is_not_there_is_refused(place: "Place") -> None:
    """The server does not start on a folder that does not exist."""
    with place.pipes("--tools", "knowledge", "--root", str(place.root / "nope")) as server:
        assert server.end() == 2
        assert b"--root" in server.said
        assert server.lines == []


def test_toolsets_are_tuples_or_made_for_a_root(tmp_path: Path) -> None:
    """Tools that work on files are the only ones without a namespace."""
    found = chosen_tools(["memory", "knowledge"], tmp_path)
    assert {name for name, tool in found.items() if not tool.uses_namespace} == set(TAKES)
    assert all(("ns" in tool.parameters) is tool.uses_namespace for tool in found.values())
    assert {
        name for name, tool in found.items() if not tool.uses_namespace and tool.scope == "read"
    } == READERS


# --- what each does


@pytest.mark.requirement("004-008", "004-013", "004-018", "004-019")
@pytest.mark.smoke
def test_a_whole_life_of_a_topic(agent: "Agent", root: Path) -> None:
    """Memorize, refuse it twice, search, list, refine with the source's names, forget."""
    agent.ok("memorize_new_topic", **TOPIC)
    error, hint = agent.fails("memorize_new_topic", **TOPIC)
    assert error == "the topic 'auth' exists already"
    assert hint == "refine_memory changes it"
    agent.ok("memorize_new_topic", **{**TOPIC, "topic": "db", "tags": []})
    assert agent.ok("list_memories") == {"text": "auth, db"}
    assert agent.ok("search_memories", tags=["IDENTITY", "nope"]) == {"text": "auth"}
    changed = {
        "tagsToAdd": ["new"],
        "tagsToRemove": ["Security"],
        "newSummary": "Signing in.",
        "newContent": "Better.",
    }
    assert agent.text("refine_memory", topic="auth", **changed) == "Refined the topic auth."
    assert "**Tags:** identity, new\n" in agent.text("recall_memory", topic="auth")
    assert agent.text("recall_memory", topic="auth").endswith("\n\nBetter.\n")
    assert "### auth\n\nSigning in.\n" in agent.text("recall_general_memory")
    assert (
        agent.text("refine_memory", topic="auth", tagsToAdd=None, newSummary=None)
        == "Refined the topic auth."
    )
    assert agent.text("forget_memory", topic="auth") == "Forgot the topic auth."
    assert agent.text("list_memories") == "db"
    assert not (root / ".ai-knowledge" / "auth.mdk").exists()
    assert "### auth" not in agent.text("recall_general_memory")


@pytest.mark.requirement("004-001")
def test_every_tool_works_below_the_root(agent: "Agent", place: "Place", root: Path) -> None:
    """All eight tools leave the working folder alone, and have the root's folder in common."""
    agent.ok("memorize_general_info", content="x")
    agent.ok("memorize_new_topic", **TOPIC)
    agent.ok("refine_memory", topic="auth", newSummary="y")
    for name, given in (
        ("recall_general_memory", {}),
        ("recall_memory", {"topic": "auth"}),
        ("search_memories", {"tags": ["security"]}),
        ("list_memories", {}),
    ):
        assert "auth" in agent.text(name, **given)
    agent.ok("forget_memory", topic="auth")
    assert list(place.work.iterdir()) == []
    assert [path.name for path in root.iterdir()] == [".ai-knowledge"]


@pytest.mark.requirement("004-002")
@pytest.mark.parametrize(
    "topic", ["a/b", "a\\b", ".", "..", "../x", "index", "", "a:b", "nul", "a\x00"]
)
def test_a_bad_topic_is_refused_by_every_tool(idle: "Agent", empty: Path, topic: str) -> None:
    """Every tool that takes a topic says what is wrong with it, and nothing is written."""
    for name, given in (
        ("recall_memory", {}),
        ("memorize_new_topic", {"tags": [], "summary": "s", "content": "c"}),
        ("refine_memory", {"newContent": "c"}),
        ("forget_memory", {}),
    ):
        error, hint = idle.fails(name, topic=topic, **given)
        assert error.startswith(f"the topic {topic!r} ")
        assert hint == "use a few plain words as its name, such as auth-tokens"
    assert list(empty.iterdir()) == []


def test_the_command_line_reads_what_a_tool_wrote(
    agent: "Agent", place: "Place", root: Path
) -> None:
    """The files are the one truth: what an agent memorizes, the command line recalls."""
    agent.ok("memorize_new_topic", **{**TOPIC, "content": "Tee 喜欢 🍵"})
    words = [PROGRAM, "knowledge", "recall_memory", "auth", "--root", str(root)]
    done = subprocess.run(words, capture_output=True, env=place.env(), check=True, timeout=60)
    assert done.stdout.decode() == agent.text("recall_memory", topic="auth")


# --- the prompt


def test_the_prompt_is_there_with_its_toolset(agent: "Agent", plain: "Agent") -> None:
    """memorize-project is listed beside those of memory, alone without memory, and takes nothing."""
    assert [
        prompt.name for prompt in agent.ask("list_prompts").prompts
    ] == "recall remember review memorize-project".split()
    (prompt,) = plain.ask("list_prompts").prompts
    assert (prompt.name, prompt.arguments or []) == ("memorize-project", [])
    assert prompt.title
    assert prompt.description


def test_the_prompt_names_the_tools_in_order(plain: "Agent") -> None:
    """One message of the user: see what is there, general knowledge first, then topics, refine, list at the end."""
    found = plain.ask("get_prompt", "memorize-project")
    assert [message.role for message in found.messages] == ["user"]
    text = found.messages[0].content.text
    order = "recall_general_memory memorize_general_info memorize_new_topic refine_memory".split()
    assert [text.index(name) for name in order] == sorted(text.index(name) for name in order)
    assert text.rindex("list_memories") > text.index("refine_memory")
    assert "{" not in text


# --- over HTTP


@pytest.fixture
def visit(place: "Place", root: Path, talk: Any) -> "Iterator[Any]":
    """Run `ghost serve` with the toolset and tokens, and return a function that connects the official client with one of them."""
    grants = {
        "all": ["*:write"],
        "reader": ["*:read"],
        "one": ["project:work:admin"],
        "prefix": ["project:*:admin", "agent:*:write"],
    }
    with place.ghost() as ghost:
        secrets = {name: ghost.admin.create_token(name, given)[0] for name, given in grants.items()}
    words = [
        PROGRAM,
        *"serve --port 0 --json --tools memory,knowledge --root".split(),
        str(root),
    ]
    with ExitStack() as stack, open(place.log, "ab") as log:
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=log, env=place.env(), cwd=place.work
        )
        stack.callback(process.communicate, timeout=60)
        stack.callback(process.terminate)
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["mcp"]

        def connect(token: str, mode: str) -> "Agent":
            client = create_mcp_http_client({"authorization": f"Bearer {secrets[token]}"})
            found: Agent = stack.enter_context(
                talk(streamable_http_client(address, http_client=client), mode)
            )
            stack.callback(found._portal.call, client.aclose)
            return found

        yield connect
    assert "Traceback" not in place.errors()


@pytest.mark.parametrize("mode", ERAS)
def test_only_a_token_for_everything_may_touch_files(visit: Any, root: Path, mode: str) -> None:
    """Whoever is kept to some namespaces is refused by all eight tools; a reader of everything reads only."""
    owner, reader = visit("all", mode), visit("reader", mode)
    assert owner.text("memorize_new_topic", **TOPIC) == "Memorized the topic auth."
    calls = {
        "recall_general_memory": {},
        "recall_memory": {"topic": "auth"},
        "search_memories": {"tags": ["security"]},
        "list_memories": {},
        "memorize_new_topic": {**TOPIC, "topic": "other"},
        "refine_memory": {"topic": "auth", "newContent": "x"},
        "memorize_general_info": {"content": "x"},
        "forget_memory": {"topic": "auth"},
    }
    before = {path.name: path.read_bytes() for path in (root / ".ai-knowledge").iterdir()}
    for token in ("one", "prefix"):
        kept = visit(token, mode)
        for name, given in calls.items():
            error, hint = kept.fails(name, **given)
            assert (
                error
                == f"this token may not {'read' if name in READERS else 'write'} files with {name}"
            )
            assert "all namespaces" in hint
        assert kept.ok("ghost_put", ns="project:work", key="k", content="still here")
    for name, given in calls.items():
        if name in READERS:
            assert "auth" in reader.text(name, **given)
        else:
            assert "may not write" in reader.fails(name, **given)[0]
    assert {path.name: path.read_bytes() for path in (root / ".ai-knowledge").iterdir()} == before
    assert owner.text("forget_memory", topic="auth") == "Forgot the topic auth."
