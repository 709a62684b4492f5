"""The viewer as an app: listed for hosts that show one, one document that needs nothing, and a tool that opens it"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp.client.extension import advertise
from mcp.client.stdio import stdio_client
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID

from ghostmem import Ghost
from ghostmem.caller import CALLER, Caller
from ghostmem.errors import ForbiddenError
from ghostmem.mcp.app import EXTENSION, MIME_TYPE, URI, html
from ghostmem.mcp.bundle import script
from ghostmem.mcp.tool_server import ToolServer

if TYPE_CHECKING:
    from conftest import Agent, Place

ERAS = [pytest.param("legacy", marks=pytest.mark.wide), "2026-07-28"]
SETTINGS = {"mimeTypes": ["text/html;profile=mcp-app"]}


@pytest.fixture
def host(talk: Any, place: "Place") -> Any:
    """Return a function that connects the official client as a host that says what it shows."""

    @contextmanager
    def connect(mode: str, settings: dict[str, Any]) -> Iterator["Agent"]:
        with open(place.log, "a", encoding="utf-8") as errlog:
            transport = stdio_client(place.parameters(), errlog)
            with talk(transport, mode, extensions=[advertise(EXTENSION, settings)]) as found:
                yield found

    return connect


def test_our_words_are_those_of_the_extension() -> None:
    """The names are the ones that the protocol's own implementation uses."""
    assert (EXTENSION, MIME_TYPE) == (EXTENSION_ID, APP_MIME_TYPE)
    assert URI.startswith("ui://")


@pytest.mark.smoke
@pytest.mark.parametrize("mode", ERAS)
def test_a_host_that_shows_apps_sees_the_viewer(host: Any, mode: str) -> None:
    """The tool names the resource, the resource is listed and read with its type, and nothing needs the network."""
    with host(mode, SETTINGS) as agent:
        tools = {tool.name: tool for tool in agent.ask("list_tools").tools}
        assert tools["ghost_show"].meta == {"ui": {"resourceUri": URI}, "ui/resourceUri": URI}
        assert tools["ghost_show"].annotations.read_only_hint is True
        assert [name for name, tool in tools.items() if tool.meta] == ["ghost_show"]
        listed = {resource.uri: resource for resource in agent.ask("list_resources").resources}
        assert listed[URI].mime_type == MIME_TYPE
        [found] = agent.ask("read_resource", URI).contents
        assert (found.uri, found.mime_type, found.meta) == (
            URI,
            MIME_TYPE,
            {"ui": {"csp": {}, "prefersBorder": True}},
        )
        assert found.text == html()
        dumped = json.dumps(
            [
                tool.model_dump(mode="json", exclude_none=True, by_alias=True)
                for tool in tools.values()
            ]
        )
        assert len(dumped) // 4 <= 2500


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"mimeTypes": []},
        {"mimeTypes": ["text/html"]},
        {"mimeTypes": "text/html;profile=mcp-app"},
    ],
)
def test_others_pay_nothing(host: Any, mode: str, settings: dict[str, Any]) -> None:
    """A client that does not show our kind of app sees eleven tools and no app."""
    with host(mode, settings) as agent:
        found = agent.ask("list_tools").tools
        assert len(found) == 11
        assert all(tool.meta is None for tool in found)
        assert agent.ask("list_resources").resources == []


def test_the_server_says_that_it_has_apps(place: "Place") -> None:
    """The extension is among the server's capabilities."""
    with place.pipes() as server:
        told = server.modern().request("server/discover")["result"]
        assert told["capabilities"]["extensions"] == {EXTENSION: {}}


@pytest.mark.parametrize("mode", ERAS)
def test_the_tool_shows_results_a_memory_and_the_newest(
    host: Any, place: "Place", mode: str
) -> None:
    """What it returns is what the app draws, with a text for the model, and looking counts as no use."""
    with place.ghost() as ghost:
        ghost.put("a", "tea", "The user drinks green tea.", tags=["taste"])
        ghost.put("a", "cup", "The cup is blue.")
        ghost.edge("a", "cup", "tea", "depends_on")
        ghost.put("b", "far", "Far away there is tea.")
        ghost.put("a", "gone", "Removed.")
        ghost.rm("a", "gone")
    with host(mode, SETTINGS) as agent:
        found = agent.ok("ghost_show", query="green tea", ns="a")
        assert [hit["key"] for hit in found["results"]] == ["tea"]
        assert found["results"][0]["why"]
        assert (found["ns"], found["query"]) == ("a", "green tea")
        one = agent.ok("ghost_show", key="tea", ns="a")
        assert one["memory"]["content"] == "The user drinks green tea."
        assert [(near["key"], near["rel"], near["out"]) for near in one["neighbours"]] == [
            ("cup", "depends_on", False)
        ]
        assert [hit["key"] for hit in agent.ok("ghost_show", ns="a")["results"]] == ["cup", "tea"]
        assert {hit["ns"] for hit in agent.ok("ghost_show", query="tea", ns="*")["results"]} == {
            "a",
            "b",
        }
        assert (
            agent.text("ghost_show", key="tea", ns="a") == "[a/tea v1] The user drinks green tea."
        )
        assert agent.text("ghost_show", query="zeppelin", ns="a") == "nothing relevant is known"
        assert "not found" in agent.fails("ghost_show", key="gone", ns="a")[0]
        assert "not found" in agent.fails("ghost_show", key="nope", ns="a")[0]
        assert agent.fails("ghost_show", quary="tea")[1]
    with place.ghost() as ghost:
        assert ghost.get("a", "cup").access_count == 0


def test_a_toolset_lists_it_for_everybody(place: "Place") -> None:
    """Named in --tools, it is there for hosts that show apps without saying so."""
    with place.agent("legacy", "--tools", "memory,viewer") as agent:
        names = [tool.name for tool in agent.ask("list_tools").tools]
        assert names[-1] == "ghost_show"
        assert len(names) == 12


def test_a_caller_sees_what_is_granted(ghost: Ghost) -> None:
    """The tool checks namespaces as the others do."""
    face = ToolServer(ghost)
    ghost.put("mine", "tea", "Mine.")
    ghost.put("other", "tea", "Theirs.")
    before = CALLER.set(Caller("reader", (("mine", "read"),)))
    try:
        assert face.run("ghost_show", {"ns": "mine"})["results"][0]["content"] == "Mine."
        for given in ({"ns": "other"}, {"ns": "other", "key": "tea"}, {"ns": "*", "query": "tea"}):
            with pytest.raises(ForbiddenError):
                face.run("ghost_show", given)
    finally:
        CALLER.reset(before)


def test_the_document_needs_nothing_and_obeys_nothing_else() -> None:
    """One file below 100 KB without an address to fetch from, whose policy allows its own style and script by their hashes."""
    text = html()
    assert text == html()
    assert len(text.encode()) < 100_000
    assert text.startswith("<!doctype html>")
    assert not re.search(r"<(?:link|img|iframe|object|embed|base)\b|\ssrc=|@import|url\(", text)
    assert not re.search(
        r"\son\w+=\"", text.split("<style>")[0] + text.split("</style>")[1].split("<script")[0]
    )
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy
    for tag, opening in (("script", '<script type="module">'), ("style", "<style>")):
        [inner] = re.findall(f"{re.escape(opening)}(.*?)</{tag}>", text, re.DOTALL)
        hashed = b64encode(sha256(inner.encode()).digest()).decode()
        assert f"{tag}-src &#x27;sha256-{hashed}&#x27;" in policy[1]
    assert "unsafe" not in policy[1]
    for word in (
        *"innerHTML outerHTML insertAdjacentHTML document.write".split(),
        "eval(",
        "new Function",
        "fetch(",
        "localStorage",
    ):
        assert word not in re.sub(r'"[a-zA-Z]+"', "", text), word


def test_modules_are_joined(tmp_path: Path) -> None:
    """Each keeps its names, a shared one runs once, and renamed imports work; what cannot be joined is said."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.js").write_text(
        'import { twice as again } from "./b.js";\nimport { one } from "./sub/c.js";\nconst local = again(one);\n'
    )
    (tmp_path / "b.js").write_text(
        'import { one } from "./sub/c.js";\nexport function twice(x) { return x * 2 + local; }\nconst local = 0;\n'
    )
    (tmp_path / "sub" / "c.js").write_text("const one = 1;\nexport { one };\n")
    joined = script(tmp_path / "a.js")
    assert joined.count("const one = 1;") == 1
    assert "const { twice: again } = m_b;" in joined
    assert joined.index("m_c") < joined.index("m_b") < joined.index("m_a")
    assert not re.search(r"^\s*(import|export)\b", joined, re.MULTILINE)
    (tmp_path / "bad.js").write_text('import thing from "./b.js";\n')
    with pytest.raises(ValueError, match="cannot be joined"):
        script(tmp_path / "bad.js")
    (tmp_path / "round.js").write_text('import { x } from "./round.js";\nexport const x = 1;\n')
    with pytest.raises(ValueError, match="imports itself"):
        script(tmp_path / "round.js")
