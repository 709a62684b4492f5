"""ghost serve, as the installed program"""

import http.client
import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from ghostmem import Ghost
from ghostmem.errors import InvalidInputError
from ghostmem.settings import Settings
from ghostmem.web.serve import address_of, is_loopback, listen
from waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import GhostCli, Program

PATIENCE = 60.0


@pytest.fixture
def running(program: "Program") -> "Iterator[tuple[subprocess.Popen[bytes], int]]":
    """Start a server on a free port and return it with the port, which it printed."""
    process = program.start("serve", "--port", "0", "--json")
    assert process.stdout is not None
    try:
        told = json.loads(process.stdout.readline())
        yield process, urlsplit(told["url"]).port or 0
    finally:
        process.kill()
        process.communicate(timeout=60)


def call(
    port: int, method: str, path: str, body: Any = None, token: str | None = None
) -> tuple[int, Any]:
    """Send one request and return the status and the JSON that came back."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        link.request(method, path, None if body is None else json.dumps(body), headers)
        found = link.getresponse()
        return found.status, json.loads(found.read())
    finally:
        link.close()


def test_what_comes_over_rest_alone_has_vectors(program: "Program", store: "Path") -> None:
    """The model is loaded in the background without anybody calling a tool, also for what an earlier server left."""
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a", "before", "The cat sleeps on the oven.")
    process = program.start("serve", "--port", "0", "--json", GHOST_EMBED_PROVIDER="static")
    try:
        assert process.stdout is not None
        port = urlsplit(json.loads(process.stdout.readline())["url"]).port or 0
        assert (
            call(
                port, "PUT", "/api/v1/memories/a/first", {"content": "The user drinks green tea."}
            )[0]
            == 201
        )
        asked = {"ns": "a", "query": "what does the user drink?"}
        until(lambda: "vector" in call(port, "POST", "/api/v1/search", asked)[1]["legs"])
        with Ghost.open(store, settings=Settings(embed_provider="static")) as ghost:
            until(lambda: ghost.admin.embed_status().pending == 0)
    finally:
        process.kill()
        process.communicate(timeout=60)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_stop_finishes_what_is_running(
    running: "tuple[subprocess.Popen[bytes], int]", store: "Path", name: str
) -> None:
    """A put whose body is half sent when the signal comes is stored and answered; then the program ends with 0."""
    process, port = running
    body = json.dumps({"content": "saved at the last moment"}).encode()
    head = f"PUT /api/v1/memories/a/k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        link.sendall(head.encode() + b"Expect: 100-continue\r\n\r\n")
        assert link.recv(1000).startswith(
            b"HTTP/1.1 100"
        )  # the request runs, and waits for its body
        link.sendall(body[:10])
        process.send_signal(getattr(signal, name))
        link.sendall(body[10:])
        answer = b""
        while part := link.recv(10_000):
            answer += part
    assert answer.startswith(b"HTTP/1.1 201")
    assert process.wait(60) == 0
    with Ghost.open(store) as ghost:
        assert ghost.get("a", "k").content == "saved at the last moment"


@pytest.mark.smoke
def test_rest_and_mcp_are_one_memory(
    running: "tuple[subprocess.Popen[bytes], int]", program: "Program"
) -> None:
    """What one way stores, the other finds; a token made meanwhile shuts the door at once."""
    process, port = running
    assert (
        call(port, "PUT", "/api/v1/memories/a/tea", {"content": "The user drinks green tea."})[0]
        == 201
    )
    params = {"name": "ghost_search", "arguments": {"query": "tea", "ns": "a"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    status, answer = call(port, "POST", "/mcp", request)
    assert status == 200
    assert [hit["key"] for hit in answer["result"]["structuredContent"]["results"]] == ["tea"]
    secret = program("token", "create", "agent", "--grant", "b:write").out.strip()
    assert call(port, "GET", "/api/v1/memories")[0] == 401
    assert call(port, "POST", "/mcp", request)[0] == 401
    assert "may not read" in json.dumps(call(port, "POST", "/mcp", request, secret)[1])
    assert call(port, "GET", "/api/v1/memories", None, secret) == (200, {"memories": []})
    process.terminate()
    _, err = process.communicate(timeout=60)
    lines = [json.loads(line) for line in err.decode().splitlines()]
    assert [line["status"] for line in lines] == [201, 200, 401, 401, 200, 200]
    assert "green tea" not in err.decode()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_beyond_this_machine_a_token_is_needed(ghost_cli: "GhostCli", host: str) -> None:
    """Without a live token the server does not start where others could reach it; the next step is named."""
    error, hint = ghost_cli.fails(2, "serve", "--host", host, "--port", "0")
    assert "other machines" in error
    assert "ghost token create" in hint
    assert "--no-auth" in hint
    ghost_cli.ok("token", "create", "old", "--grant", "*:read")
    ghost_cli.ok("token", "revoke", "old")
    ghost_cli.fails(2, "serve", "--host", host, "--port", "0")


@pytest.mark.parametrize(("args", "status"), [(["--no-auth"], 200), ([], 401)])
def test_beyond_this_machine_with_leave(program: "Program", args: list[str], status: int) -> None:
    """With a token, or with the flag, it starts; without the flag a token is always needed."""
    if not args:
        program("token", "create", "one", "--grant", "*:read")
    process = program.start("serve", "--host", "0.0.0.0", "--port", "0", "--json", *args)
    assert process.stdout is not None
    try:
        port = urlsplit(json.loads(process.stdout.readline())["url"]).port or 0
        assert call(port, "GET", "/api/v1/stats")[0] == status
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_taken_port(ghost_cli: "GhostCli") -> None:
    """A port that somebody else has is one error with a hint."""
    with listen("127.0.0.1", 0) as taken:
        error, hint = ghost_cli.fails(2, "serve", "--port", taken.getsockname()[1])
    assert "cannot listen" in error
    assert "--port" in hint


@pytest.mark.parametrize(
    "args",
    [
        ["--port", "70000"],
        ["--host", "no.such.host.invalid"],
        ["--tools", "nonsense"],
        ["--rate", "-1"],
    ],
)
def test_what_is_refused(ghost_cli: "GhostCli", args: list[str]) -> None:
    """A wrong value ends with 2 before anything listens."""
    ghost_cli.fails(2, "serve", "--port", "0", *args)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::1", True),
        ("::", False),
    ],
)
def test_what_is_this_machine_only(host: str, local: bool) -> None:
    """Loopback is what only this machine can reach."""
    assert is_loopback(host) is local


def test_the_address_that_is_printed() -> None:
    """Port 0 becomes the port that was found."""
    with listen("127.0.0.1", 0) as found:
        assert address_of(found) == f"http://127.0.0.1:{found.getsockname()[1]}"
    with pytest.raises(InvalidInputError, match="cannot listen"):
        listen("203.0.113.1", 1)


def test_a_body_does_not_wait_for_the_acknowledgement_of_its_headers() -> None:
    """Accepted connections send small packets at once."""
    with listen("127.0.0.1", 0) as listening:
        client = socket.create_connection(listening.getsockname())
        server, _ = listening.accept()
        with client, server:
            assert server.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
