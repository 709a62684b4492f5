"""The server's own reading of the older protocol says what the official SDK says, and loads none of it"""

import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.mcp.server import serve_stdio
from ghostmem.mcp.stdio import VERSIONS, WORKERS, StdioSession
from ghostmem.mcp.tool_server import PendingStore, ToolServer
from ghostmem.settings import Settings

APPS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
MEMORY = {"ns": "a", "key": "tea"}
ASKED: list[tuple[str, Any]] = [
    ("ping", None),
    ("tools/list", None),
    ("tools/list", {"cursor": "x"}),
    ("tools/call", {"name": "ghost_get", "arguments": MEMORY}),
    ("tools/call", {"name": "ghost_edge", "arguments": {"op": "list", **MEMORY}}),
    ("tools/call", {"name": "ghost_get", "arguments": {"ns": "a", "key": "nothing"}}),
    ("tools/call", {"name": "ghost_get", "arguments": {"ns": "a", "kee": "tea"}}),
    ("tools/call", {"name": "ghost_get", "arguments": None}),
    ("tools/call", {"name": "ghost_show", "arguments": {"ns": "a"}}),
    ("tools/call", {"name": "nope"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "memory://a/tea"}),
    ("resources/read", {"uri": "memory://a/index"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "recall", "arguments": {"question": "tea?"}}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "memory://{ns}/{key}"},
            "argument": {"name": "ns", "value": ""},
        },
    ),
]
WRONG: list[tuple[str, Any]] = [
    ("tools/call", {}),
    ("tools/call", {"name": 7}),
    ("tools/call", {"name": "ghost_get", "arguments": [1]}),
    ("resources/read", {"uri": "memory://a/nothing"}),
    ("resources/read", {}),
    ("prompts/get", {"name": "nope"}),
    ("prompts/get", {"name": "recall", "arguments": {"question": 7}}),
    ("completion/complete", {"argument": {"name": "ns"}}),
    ("tools/destroy", {}),
    ("logging/setLevel", {"level": "info"}),
]


@pytest.fixture(scope="module")
def face(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolServer]:
    """Return a face on a small store."""
    with Ghost.open(
        tmp_path_factory.mktemp("store") / "memory.db", settings=Settings(embed_provider="none")
    ) as ghost:
        ghost.put("a", "tea", "The user drinks green tea. 🍵")
        ghost.put("a", "cup", "The cup is blue.")
        ghost.edge("a", "tea", "cup", "relates_to")
        yield ToolServer(ghost, folder="/")


def lines(version: str, asked: list[tuple[str, Any]], capabilities: dict[str, Any]) -> bytes:
    """Return a handshake and some requests, as a client sends them."""
    hello = {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
    ]
    messages += [
        {"id": number, "method": method, **({} if given is None else {"params": given})}
        for number, (method, given) in enumerate(asked, 1)
    ]
    return b"".join(
        json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages
    )


def uncounted(answer: dict[str, Any]) -> dict[str, Any]:
    """Leave out what a look at a memory changes."""
    found = answer["result"].get("structuredContent", {})
    for memory in (found, *found.get("results", ())):
        for name in ("access_count", "last_accessed_at"):
            memory.pop(name, None)
    return answer


class Kept(io.BytesIO):
    """A pipe whose other end can still be read when it is closed."""

    def close(self) -> None:
        """Stay open."""


def answers(sink: Kept) -> dict[int, Any]:
    """Return what was answered, by id."""
    return {message["id"]: message for message in map(json.loads, sink.getvalue().splitlines())}


def both(face: ToolServer, sent: bytes) -> tuple[dict[int, Any], dict[int, Any]]:
    """Return the answers of our own server and of the SDK's."""
    ours, theirs = Kept(), Kept()
    assert StdioSession(face, ours).serve(io.BytesIO(sent)) is None
    wanted = len(ours.getvalue().splitlines())
    there, here = os.pipe()
    os.write(here, sent)

    def leave() -> None:
        deadline = time.monotonic() + 60
        while len(theirs.getvalue().splitlines()) < wanted and time.monotonic() < deadline:
            time.sleep(0.02)
        os.close(here)

    threading.Thread(target=leave).start()
    # a thread of its own: in this one a browser test may have left Playwright's event loop running
    with open(there, "rb") as source, ThreadPoolExecutor(1) as thread:
        thread.submit(serve_stdio, face, source, theirs).result()
    return answers(ours), answers(theirs)


@pytest.mark.parametrize("capabilities", [{}, APPS], ids=["plain", "apps"])
@pytest.mark.parametrize("version", VERSIONS)
def test_answers_are_those_of_the_sdk(
    face: ToolServer, version: str, capabilities: dict[str, Any]
) -> None:
    """Handshake, lists, results and errors of tools: the same data, whatever the version."""
    ours, theirs = both(face, lines(version, ASKED, capabilities))
    assert sorted(ours) == list(range(len(ASKED) + 1))
    for id_, answer in ours.items():
        assert uncounted(answer) == uncounted(theirs[id_]), ASKED[id_ - 1]


def test_errors_have_the_codes_of_the_sdk(face: ToolServer) -> None:
    """What cannot be answered is refused with the same code, in our own words."""
    ours, theirs = both(face, lines(VERSIONS[-1], WRONG, {}))
    assert sorted(ours) == list(range(len(WRONG) + 1))
    for id_, (method, given) in enumerate(WRONG, 1):
        assert ours[id_]["error"]["code"] == theirs[id_]["error"]["code"], (method, given)
        assert ours[id_]["error"]["message"]


def test_what_was_asked_before_the_newer_protocol_is_answered_first(face: ToolServer) -> None:
    """Whoever takes over finds no thread at work, and the line that made the change."""
    sink, before = Kept(), threading.active_count()
    discover = b'{"jsonrpc":"2.0","id":2,"method":"server/discover"}\n'
    found = StdioSession(face, sink).serve(
        [b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n', discover, b"never read\n"]
    )
    assert found == discover
    assert "initialize" in json.loads(sink.getvalue())["error"]["message"]
    assert threading.active_count() <= before


def test_half_a_character_in_an_id_comes_back(face: ToolServer) -> None:
    """What JSON can say is echoed, though it is no text."""
    sink = Kept()
    StdioSession(face, sink).serve([b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}\n'])
    assert json.loads(sink.getvalue()) == {"jsonrpc": "2.0", "id": "\ud800", "result": {}}


@pytest.mark.parametrize(
    "given",
    ["[1]", '"x"', "null", '{"requestId":[1]}', '{"requestId":{}}', '{"requestId":null}', "{}"],
)
def test_taking_back_what_cannot_be_taken_back_does_no_harm(face: ToolServer, given: str) -> None:
    """A notification is never answered, and the next request is."""
    sink = Kept()
    cancel = f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{given}}}\n'.encode()
    StdioSession(face, sink).serve([cancel, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'])
    assert json.loads(sink.getvalue()) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_request_that_is_cancelled_before_its_turn_is_not_run(
    face: ToolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A put that waits for a free worker is not stored after the client cancelled it."""
    free, called = threading.Event(), []

    def call(name: str, given: dict[str, Any] | None) -> dict[str, Any]:
        called.append(name)
        free.wait(30)
        return {"content": []}

    def requests() -> Iterator[bytes]:
        yield from lines(
            VERSIONS[-1], [("tools/call", {"name": "busy"})] * WORKERS, {}
        ).splitlines()
        put = {"jsonrpc": "2.0", "id": "put", "method": "tools/call", "params": {"name": "put"}}
        yield json.dumps(put).encode()
        cancel = {"method": "notifications/cancelled", "params": {"requestId": "put"}}
        yield json.dumps({"jsonrpc": "2.0", **cancel}).encode()
        free.set()

    monkeypatch.setattr(face, "call", call)
    sink = Kept()
    StdioSession(face, sink).serve(requests())
    assert called == ["busy"] * WORKERS
    assert "put" not in [json.loads(line)["id"] for line in sink.getvalue().splitlines()]


def test_params_that_are_no_object_are_refused(face: ToolServer) -> None:
    """Whoever waits for an answer gets one."""
    sink = Kept()
    StdioSession(face, sink).serve([b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}\n'])
    assert json.loads(sink.getvalue())["error"]["code"] == -32602


def test_nothing_of_the_sdk_is_loaded_for_a_client_with_a_handshake(tmp_path: Path) -> None:
    """A session with a put and a search imports neither the SDK nor what it brings."""
    asked = [
        (
            "tools/call",
            {
                "name": "ghost_put",
                "arguments": {"ns": "a", "key": "k", "content": "The user drinks tea."},
            },
        ),
        ("tools/call", {"name": "ghost_search", "arguments": {"ns": "a", "query": "tea"}}),
        ("resources/list", {}),
        ("prompts/list", {}),
    ]
    code = (
        "import sys\nfrom ghostmem.cli.main import main\ntry:\n    main(['mcp'])\nexcept SystemExit:\n    pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    env = {
        "HOME": str(tmp_path),
        "GHOST_DB": str(tmp_path / "m.db"),
        "GHOST_EMBED_PROVIDER": "none",
    }
    sent = lines("2025-06-18", asked, {})
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=sent,
        capture_output=True,
        env=env,
        timeout=120,
        check=True,
    )
    assert len(done.stdout.splitlines()) == len(asked) + 1
    loaded = {name.partition(".")[0] for name in done.stderr.decode().split()}
    assert not loaded & {
        "mcp",
        "mcp_types",
        "pydantic",
        "anyio",
        "asyncio",
        "starlette",
        "httpx",
        "uvicorn",
        "numpy",
    }


def test_a_store_that_cannot_be_reached_is_an_error_of_each_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The handshake and lists are answered at once, calls say what is wrong, and work afterwards."""
    settings = Settings(embed_provider="none", ns="a", busy_timeout=0.1)
    targets = ["postgresql://127.0.0.1:1/none"]  # no server listens there
    store = PendingStore(settings, lambda: Ghost.open(targets[0], settings=settings))
    tools = ToolServer(store)
    put = ("tools/call", {"name": "ghost_put", "arguments": {"key": "k", "content": "Tea."}})

    def ask() -> dict[int, Any]:
        sink = Kept()
        asked = [("tools/list", None), put, ("resources/list", None)]
        StdioSession(tools, sink).serve(io.BytesIO(lines(VERSIONS[0], asked, {})))
        return answers(sink)

    for _ in range(2):
        found = ask()
        assert found[0]["result"]["serverInfo"]["name"] == "ghost"
        assert found[1]["result"]["tools"]
        assert found[2]["result"]["isError"]
        text = found[2]["result"]["content"][0]["text"]
        assert text.startswith("error: postgresql://127.0.0.1:1/none cannot be reached")
        assert "cannot be reached" in found[3]["error"]["message"]
    assert "cannot be reached" in capsys.readouterr().err
    assert store.opened is None
    targets[:] = [":memory:"]
    found = ask()
    assert found[2]["result"]["structuredContent"]["outcome"] == "created"
    assert store.opened is not None
    store.opened.close()
