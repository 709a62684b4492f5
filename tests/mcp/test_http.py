"""The server over Streamable HTTP: both protocols, and who is calling really reaches the verb"""

import http.client
import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
import uvicorn
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from ghostmem import Ghost
from ghostmem.caller import CALLER, OWNER, Caller
from ghostmem.mcp.server import http_app
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from conftest import Agent

NEW = "2026-07-28"
ERAS = [pytest.param("legacy", marks=pytest.mark.wide), NEW]
CALLERS = {
    "": OWNER,
    "Bearer reader": Caller("reader", (("agent:me", "read"),)),
    "Bearer writer": Caller("writer", (("agent:me", "write"),)),
    "Bearer prefix": Caller("prefix", (("agent:*", "read"),)),
    "Bearer nobody": Caller("nobody", ()),
    "Bearer other": Caller("other", (("agent:other", "read"),)),
}


class Door:
    """Who is calling, by a header, around an application; what `ghost serve` does, and no more."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Set the caller for the time of one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        header = dict(scope["headers"]).get(b"authorization", b"").decode()
        token = CALLER.set(CALLERS[header])
        try:
            await self.app(scope, receive, send)
        finally:
            CALLER.reset(token)


@contextmanager
def listening(app: Any) -> Iterator[str]:
    """Run an application under uvicorn on a free port of this machine, and yield its address."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()  # who comes before the server is ready waits at the door
        config = uvicorn.Config(
            app, log_level="error", lifespan="on", ws="none", timeout_graceful_shutdown=5
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([door],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join(60)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the store is that the tests of this file share."""
    return tmp_path_factory.mktemp("http") / "memory.db"


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    """Serve a store over HTTP, and check in the end that it is whole."""
    with Ghost.open(store, settings=Settings(embed_provider="none", ns="agent:me")) as ghost:
        with listening(Door(http_app(ghost))) as found:
            yield found
        assert ghost.admin.check().problems == ()


@pytest.fixture
def visit(address: str, talk: Any) -> Iterator[Any]:
    """Return a function that connects the official client as somebody, in one of the protocols."""
    with ExitStack() as stack:

        def connect(mode: str = NEW, token: str = "") -> "Agent":
            headers = {"authorization": f"Bearer {token}"} if token else {}
            client = create_mcp_http_client(headers)
            agent: Agent = stack.enter_context(
                talk(streamable_http_client(address, http_client=client), mode)
            )
            stack.callback(agent._portal.call, client.aclose)
            return agent

        yield connect


def post(
    address: str, body: Any, version: str | None = "2025-11-25", **headers: str
) -> tuple[int, Any]:
    """Send a body as it is and return the status and what came back."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **headers,
    }
    if version:
        sent["mcp-protocol-version"] = version
    request = urllib.request.Request(address, data, sent, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            text, status = answer.read(), answer.status
    except urllib.error.HTTPError as error:
        with error:
            text, status = error.read(), error.code
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text


def modern(address: str, method: str, params: dict[str, Any], token: str = "") -> tuple[int, Any]:
    """Send one request of the new protocol."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {"mcp-method": method}
    if isinstance(name := params.get("name", params.get("uri")), str) and name.isascii():
        headers["mcp-name"] = name
    if token:
        headers["authorization"] = f"Bearer {token}"
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    return post(address, body, NEW, **headers)


# --- both protocols


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_over_http(visit: Any, ns: str, mode: str) -> None:
    """All tools do over HTTP what they do over stdio."""
    agent = visit(mode)
    assert agent.client.session.protocol_version == (NEW if mode == NEW else "2025-11-25")
    assert len(agent.ask("list_tools").tools) == 11
    agent.ok("ghost_put", ns=ns, key="tea", content="The user drinks green tea. 喜欢 🍵")
    agent.ok("ghost_put", ns=ns, key="cup", content="The cup is blue.")
    agent.ok("ghost_edge", ns=ns, from_key="tea", to_key="cup", rel="relates_to")
    agent.ok(
        "ghost_consolidate",
        ns=ns,
        summary_key="all",
        content="Tea and cup.",
        source_keys=["tea", "cup"],
    )
    assert (
        agent.ok("ghost_get", ns=ns, key="tea")["content"] == "The user drinks green tea. 喜欢 🍵"
    )
    assert agent.ok("ghost_search", ns=ns, query="green tea")["results"][0]["key"] == "tea"
    assert agent.ok("ghost_context", ns=ns, query="green tea")["used"] > 0
    assert len(agent.ok("ghost_expand", ns=ns, key="all")["children"]) == 2
    assert agent.ok("ghost_curate", ns=ns, key="tea", op="used")["op"] == "used"
    assert len(agent.ok("ghost_edge_candidates", ns=ns)["candidates"]) == 1
    assert agent.ok("ghost_reflect", ns=ns)["memories_evaluated"] == 3
    assert "not found" in agent.fails("ghost_get", ns=ns, key="nope")[0]
    assert "did you mean" in agent.fails("ghost_get", ns=ns, key="k", keys=1)[1]


@pytest.mark.parametrize("mode", ERAS)
def test_resources_prompts_and_completion_over_http(visit: Any, ns: str, mode: str) -> None:
    """Resources, templates, prompts and completion are there too."""
    agent = visit(mode)
    agent.ok("ghost_put", ns=ns, key="tea", content="The user drinks green tea.")
    assert f"memory://{ns}/index" in {
        resource.uri for resource in agent.ask("list_resources").resources
    }
    assert (
        agent.ask("read_resource", f"memory://{ns}/tea").contents[0].text
        == "The user drinks green tea."
    )
    assert len(agent.ask("list_resource_templates").resource_templates) == 2
    assert len(agent.ask("list_prompts").prompts) == 3
    assert (
        "Which?"
        in agent.ask("get_prompt", "recall", {"question": "Which?"}).messages[0].content.text
    )
    template = types.ResourceTemplateReference(type="ref/resource", uri="memory://{ns}/{key}")
    assert agent.ask(
        "complete", template, {"name": "key", "value": "t"}, {"ns": ns}
    ).completion.values == ["tea"]
    with pytest.raises(MCPError):
        agent.ask("read_resource", f"memory://{ns}/nope")


def test_both_protocols_share_one_store(visit: Any, ns: str) -> None:
    """An old and a new client at the same address read what the other wrote."""
    old, new = visit("legacy"), visit(NEW)
    old.ok("ghost_put", ns=ns, key="k", content="from the old")
    assert new.ok("ghost_get", ns=ns, key="k")["content"] == "from the old"
    new.ok("ghost_put", ns=ns, key="k", content="from the new")
    assert old.ok("ghost_get", ns=ns, key="k")["version"] == 2


# --- who is calling


@pytest.mark.parametrize("mode", ERAS)
def test_the_caller_reaches_the_tool(visit: Any, mode: str) -> None:
    """Grants set around the application hold inside the thread that does the work: own reads pass, all else is refused."""
    owner, reader, writer, nobody = (
        visit(mode, token) for token in ("", "reader", "writer", "nobody")
    )
    for ns in ("agent:me", "agent:other"):
        owner.ok("ghost_put", ns=ns, key="tea", content=f"The tea of {ns}.")
    assert reader.ok("ghost_get", ns="agent:me", key="tea")["ns"] == "agent:me"
    for name, given in (
        ("ghost_get", {"ns": "agent:other", "key": "tea"}),
        ("ghost_search", {"ns": "agent:other", "query": "tea"}),
        ("ghost_search", {"ns": "*", "query": "tea"}),
        ("ghost_context", {"ns": "agent:*", "query": "tea"}),
        ("ghost_put", {"ns": "agent:me", "key": "tea", "content": "no"}),
        ("ghost_curate", {"ns": "agent:me", "key": "tea", "op": "delete"}),
    ):
        assert "may not" in reader.fails(name, **given)[0]
    assert "may not" in nobody.fails("ghost_get", ns="agent:me", key="tea")[0]
    assert writer.ok("ghost_put", ns="agent:me", key="cup", content="The cup.")["key"] == "cup"
    assert "may not" in writer.fails("ghost_put", ns="agent:other", key="cup", content="no")[0]
    assert owner.ok("ghost_get", ns="agent:me", key="tea")["content"] == "The tea of agent:me."


@pytest.mark.parametrize("mode", ERAS)
def test_the_caller_reaches_resources_and_completion(visit: Any, mode: str) -> None:
    """Resources and completion know who is calling as well."""
    owner, reader, nobody = (visit(mode, token) for token in ("", "reader", "nobody"))
    for ns in ("agent:me", "agent:other"):
        owner.ok("ghost_put", ns=ns, key="tea", content="The tea.")
    assert {resource.name for resource in reader.ask("list_resources").resources} == {"agent:me"}
    assert nobody.ask("list_resources").resources == []
    assert reader.ask("read_resource", "memory://agent:me/tea").contents[0].text == "The tea."
    with pytest.raises(MCPError, match="may not"):
        reader.ask("read_resource", "memory://agent:other/tea")
    template = types.ResourceTemplateReference(type="ref/resource", uri="memory://{ns}/{key}")
    assert reader.ask(
        "complete", template, {"name": "ns", "value": "agent:"}
    ).completion.values == ["agent:me"]
    assert (
        reader.ask(
            "complete", template, {"name": "key", "value": "t"}, {"ns": "agent:other"}
        ).completion.values
        == []
    )


@pytest.mark.parametrize("mode", ERAS)
def test_no_text_names_the_namespace_of_a_shared_server(visit: Any, mode: str) -> None:
    """Prompts and instructions are the same for all callers, and say whose namespace is the default."""
    agent = visit(mode, "nobody")
    assert "agent:me" not in agent.ask("get_prompt", "review").messages[0].content.text
    [search] = [tool for tool in agent.ask("list_tools").tools if tool.name == "ghost_get"]
    assert search.input_schema["properties"]["ns"]["description"].endswith("the server's")
    if mode == "legacy":
        instructions = agent.client.session.instructions
        assert "agent:me" not in instructions
        assert "the folder that the server runs in" in instructions


@pytest.mark.parametrize("mode", ERAS)
def test_callers_at_the_same_time_do_not_mix(visit: Any, mode: str) -> None:
    """While the owner and a reader call at once, many times over, each always has exactly their own grants."""
    owner, reader = visit(mode), visit(mode, "reader")
    owner.ok("ghost_put", ns="agent:other", key="tea", content="The tea.")
    wrong: list[str] = []

    def work(agent: "Agent", may: bool) -> None:
        for _ in range(25):
            if agent.raw("ghost_get", {"ns": "agent:other", "key": "tea"}).is_error is may:
                wrong.append("owner refused" if may else "reader let in")

    threads = [
        threading.Thread(target=work, args=given)
        for given in ((owner, True), (reader, False))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert wrong == []


def test_a_prefix_grant_over_http(visit: Any, ns: str) -> None:
    """A grant for a prefix reads all of it at once and nothing beside it."""
    visit().ok("ghost_put", ns=ns, key="tea", content="The tea of somebody else entirely.")
    visit().ok("ghost_put", ns="agent:third", key="tea", content="The tea of the third agent.")
    prefix = visit(NEW, "prefix")
    found = prefix.ok("ghost_search", ns="agent:*", query="tea of the third agent")["results"]
    assert found[0]["ns"] == "agent:third"
    assert all(hit["ns"].startswith("agent:") for hit in found)
    assert "may not" in prefix.fails("ghost_get", ns=ns, key="tea")[0]


# --- what else may come in


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize("version", ["2025-11-25", NEW, None])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"x"',
        b"{}",
        b"[" * 5000,
        b'{"jsonrpc":"1.0"}',
        b"\xff\xfe",
        b'{"jsonrpc":"2.0","id":{}}',
    ],
    ids=lambda body: body[:12].decode("latin-1"),
)
def test_a_malformed_body_is_refused(
    address: str, visit: Any, body: bytes, version: str | None
) -> None:
    """A body that is no request gets a 4xx, never a 5xx, and the next request is answered."""
    status, _ = post(address, body, version)
    assert 400 <= status < 500
    assert "results" in visit().ok("ghost_search", ns="agent:me", query="anything")


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize("version", ["2025-03-26", "2025-11-25", NEW, None])
@pytest.mark.parametrize(
    ("body", "code", "id_"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"7", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_body_that_is_no_message_gets_the_error_of_json_rpc(
    address: str, body: bytes, code: int, id_: int | None, version: str | None
) -> None:
    """A body that is not JSON is a parse error, any other that is no message an invalid request."""
    status, answer = post(address, body, version)
    assert status == 400
    assert (answer["jsonrpc"], answer["error"]["code"]) == ("2.0", code)
    assert answer["id"] in (id_, None)


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize("version", ["2025-03-26", None])
def test_a_batch_over_http(address: str, ns: str, version: str | None) -> None:
    """Clients of the version that has batches get one list, also when they do not name their version."""
    put = {"name": "ghost_put", "arguments": {"ns": ns, "key": "k", "content": "tea"}}
    batch = [
        PING,
        {"jsonrpc": "2.0", "id": "put", "method": "tools/call", "params": put},
        7,
        {**PING, "method": "initialize"},
    ]
    batch += [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    status, answer = post(address, batch, version)
    assert status == 200
    by_id = {reply["id"]: reply for reply in answer if "result" in reply}
    assert by_id[1]["result"] == {}
    assert by_id["put"]["result"]["structuredContent"]["version"] == 1
    assert sorted(str(reply["id"]) for reply in answer if "error" in reply) == ["1", "None"]
    assert post(address, batch[-1:], version)[0] == 202


def test_the_caller_reaches_a_batch(address: str) -> None:
    """A token is no stronger in a batch."""
    call = {"name": "ghost_put", "arguments": {"ns": "agent:other", "key": "k", "content": "tea"}}
    batch = [{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}]
    status, answer = post(address, batch, "2025-03-26", authorization="Bearer reader")
    assert status == 200
    assert "may not" in answer[0]["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("version", "batch"),
    [
        ("2025-06-18", [PING]),
        ("2025-11-25", [PING]),
        (NEW, [PING]),
        ("2025-03-26", []),
        ("2025-03-26", [PING] * 101),
    ],
)
def test_a_batch_that_is_refused_over_http(address: str, version: str, batch: list[Any]) -> None:
    """Other versions have no batches, and a batch has a length."""
    status, answer = post(address, batch, version)
    assert (status, answer["id"], answer["error"]["code"]) == (400, None, -32600)


def test_a_body_beyond_the_limit_is_refused(address: str) -> None:
    """Whoever announces five megabytes is refused before sending them."""
    connection = http.client.HTTPConnection(
        address.removeprefix("http://").removesuffix("/mcp"), timeout=60
    )
    try:
        connection.putrequest("POST", "/mcp")
        for name, value in {
            "content-type": "application/json",
            "accept": "application/json",
            "content-length": "5000000",
        }.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.getresponse().status == 413
    finally:
        connection.close()


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_only_posts_are_served(address: str, method: str) -> None:
    """Without sessions there is nothing to get or to delete."""
    sent = {"accept": "application/json, text/event-stream", "mcp-protocol-version": NEW}
    request = urllib.request.Request(address, headers=sent, method=method)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=60)
    with caught.value as error:
        assert 400 <= error.code < 500


SURROGATE = "\ud800"


@pytest.mark.parametrize("token", ["", "reader"])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "ghost_put", "arguments": {"key": "k", "content": SURROGATE}}),
        ("tools/call", {"name": "ghost_put", "arguments": {"key": SURROGATE, "content": "c"}}),
        ("tools/call", {"name": "ghost_get", "arguments": {"key": SURROGATE}}),
        ("tools/call", {"name": "ghost_get", "arguments": {"key": "k", "ns": SURROGATE}}),
        ("tools/call", {"name": "ghost_get", "arguments": {"key": "k", "ns": f"{SURROGATE}*"}}),
        ("tools/call", {"name": "ghost_search", "arguments": {"query": SURROGATE}}),
        (
            "tools/call",
            {"name": "ghost_search", "arguments": {"query": "q", "ns": f"{SURROGATE}*"}},
        ),
        ("tools/call", {"name": "ghost_get", "arguments": {SURROGATE: 1}}),
        ("prompts/get", {"name": "recall", "arguments": {"question": SURROGATE}}),
        ("prompts/get", {"name": "recall", "arguments": {"question": "q", "ns": SURROGATE}}),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "recall"},
                "argument": {"name": "ns", "value": SURROGATE},
            },
        ),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "recall"},
                "argument": {"name": "key", "value": "k"},
                "context": {"arguments": {"ns": SURROGATE}},
            },
        ),
    ],
)
def test_half_a_character_is_never_a_broken_answer(
    address: str, method: str, params: dict[str, Any], token: str
) -> None:
    """A text that is no Unicode is refused or answered in Unicode; the answer is always one that can be read."""
    status, answer = modern(address, method, params, token)
    assert status < 500, answer
    assert isinstance(answer, dict)
    assert answer.get("error", {}).get("code") != -32603, answer


def test_a_model_is_deferred_over_http_too(tmp_path: Path, talk: Any) -> None:
    """Listing tools over HTTP loads no model, and the first search waits for it."""
    with Ghost.open(tmp_path / "memory.db", settings=Settings(embed_provider="static")) as ghost:
        ghost.put("a", "k", "The user drinks green tea.")
        with listening(http_app(ghost)) as address, talk(address) as agent:
            agent.ask("list_tools")
            assert ghost.store.vectoriser.is_loading
            found = agent.ok("ghost_search", ns="a", query="green tea", explain=True)
            assert found["legs"] == ["substring", "text", "vector"]
