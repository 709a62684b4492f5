"""Ways to drive the real server: the official client, old and new protocol, and bare frames over pipes."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Self

import anyio.from_thread
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from ghostmem import Ghost
from ghostmem.settings import Settings
from waiting import until

OLD, NEW = "legacy", "2026-07-28"
PATIENCE = 60.0  # seconds after which something that should have happened counts as not happening
PROGRAM = str(Path(sys.executable).with_name("ghost"))
VERSION = "io.modelcontextprotocol/protocolVersion"
ENVELOPE = {
    VERSION: NEW,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_FRESH = count(1)


class Agent:
    """The official client with a connection of its own, called from plain functions."""

    def __init__(self, portal: Any, client: Client) -> None:
        self._portal, self.client = portal, client

    def ask(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of the client and wait for what it returns."""
        return self._portal.call(partial(getattr(self.client, method), *args, **kwargs))

    def raw(self, name: str, arguments: dict[str, Any] | None) -> Any:
        """Call a tool with exactly these arguments."""
        return self.ask("call_tool", name, arguments)

    def call(self, name: str, **arguments: Any) -> Any:
        """Call a tool."""
        return self.raw(name, arguments)

    def ok(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed, and return its structured content."""
        found = self.call(name, **arguments)
        assert not found.is_error, found.content[0].text
        assert isinstance(found.structured_content, dict)
        return dict(found.structured_content)

    def text(self, name: str, **arguments: Any) -> str:
        """Call a tool that must succeed, and return what a model reads."""
        found = self.call(name, **arguments)
        assert not found.is_error, found.content[0].text
        assert [part.type for part in found.content] == ["text"]
        return str(found.content[0].text)

    def fails(self, name: str, **arguments: Any) -> tuple[str, str]:
        """Call a tool that must say what is wrong, and return the error and the hint."""
        return refused(self.raw(name, arguments))


def refused(result: Any) -> tuple[str, str]:
    """Return the error and the hint of a result that must be an error for a model to read."""
    assert result.is_error, result.structured_content
    assert result.structured_content is None
    assert [part.type for part in result.content] == ["text"]
    error, hint = result.content[0].text.split("\nhint: ")
    assert error.startswith("error: ")
    assert hint.strip()
    return error.removeprefix("error: "), hint


@contextmanager
def connected(target: Any, mode: str = NEW, **more: Any) -> Iterator[Agent]:
    """Connect the official client to a server or a transport, and drive it from a thread of its own."""
    with ExitStack() as stack:
        portal = stack.enter_context(anyio.from_thread.start_blocking_portal())
        client = Client(target, mode=mode, read_timeout_seconds=PATIENCE, cache=None, **more)
        stack.enter_context(portal.wrap_async_context_manager(client))
        yield Agent(portal, client)


class Place:
    """A home with a store and a folder to work in, where servers are started."""

    def __init__(self, root: Path) -> None:
        self.root, self.home, self.work = root, root / "home", root / "work"
        for folder in (self.home, self.work):
            folder.mkdir(parents=True, exist_ok=True)
        self.db = root / "memory.db"
        self.log = root / "stderr.log"

    def env(self, **more: str) -> dict[str, str]:
        """Return the environment of a server: nothing of ours but what is named."""
        kept = {
            name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ
        }
        return {
            **kept,
            "HOME": str(self.home),
            "GHOST_DB": str(self.db),
            "GHOST_EMBED_PROVIDER": "none",
            **more,
        }

    def parameters(
        self, *args: str, cwd: Path | None = None, command: Sequence[str] | None = None, **env: str
    ) -> Any:
        """Return what the official client starts a server with."""
        words = [*(command or (PROGRAM, "mcp")), *args]
        return StdioServerParameters(
            command=words[0], args=words[1:], env=self.env(**env), cwd=cwd or self.work
        )

    @contextmanager
    def agent(self, mode: str = NEW, *args: str, **kwargs: Any) -> Iterator[Agent]:
        """Start a server and connect the official client to it over stdio."""
        with (
            open(self.log, "a", encoding="utf-8") as errlog,
            connected(stdio_client(self.parameters(*args, **kwargs), errlog), mode) as found,
        ):
            yield found

    def pipes(
        self, *args: str, command: Sequence[str] | None = None, cwd: Path | None = None, **env: str
    ) -> "Pipes":
        """Start a server and hold its pipes."""
        return Pipes([*(command or (PROGRAM, "mcp")), *args], self.env(**env), cwd or self.work)

    def ghost(self, **settings: Any) -> Ghost:
        """Open the store as a library."""
        return Ghost.open(self.db, settings=Settings(**{"embed_provider": "none", **settings}))

    def errors(self) -> str:
        """Return what servers wrote to standard error."""
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""


class Pipes:
    """A server process whose frames are written and read here, byte by byte."""

    def __init__(self, command: Sequence[str], env: dict[str, str], cwd: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd
        )
        self.heard, self.said = b"", b""
        self.answers: dict[Any, dict[str, Any]] = {}
        self.replies: list[
            dict[str, Any]
        ] = []  # every response, in the order of arrival, those of batches one by one
        self.lines: list[bytes] = []
        self.envelope: dict[str, Any] = {}
        self.asked = 0  # requests that were sent with `start`
        self._ids = count(1_000_000)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return self.process.pid

    def send(self, frame: bytes | str | dict[str, Any] | list[Any]) -> None:
        """Write one frame; text and bytes go as they are, with a line end."""
        data = frame if isinstance(frame, bytes | str) else json.dumps(frame)
        data = data.encode() if isinstance(data, str) else data
        assert self.process.stdin is not None
        stream = self.process.stdin.fileno()
        os.set_blocking(stream, False)
        rest = memoryview(data + b"\n")
        deadline = time.monotonic() + PATIENCE
        while rest:
            assert time.monotonic() < deadline, "the server does not read"
            ready = select.select([], [stream], [], 1.0)[1]
            rest = rest[os.write(stream, rest) :] if ready else rest
            self.listen(0)

    def listen(self, seconds: float) -> bool:
        """Take in what the server has written; False when it will write no more."""
        names = {self.process.stdout: "heard", self.process.stderr: "said"}
        open_ = [stream for stream in names if stream is not None and not stream.closed]
        for stream in select.select(open_, [], [], seconds)[0]:
            data = os.read(stream.fileno(), 1 << 20)
            setattr(self, names[stream], getattr(self, names[stream]) + data)
            if not data:
                stream.close()
        *lines, self.heard = self.heard.split(b"\n")
        self.lines += lines
        for line in lines:
            frame = json.loads(line)
            found = [
                message
                for message in (frame if isinstance(frame, list) else [frame])
                if "method" not in message
            ]
            self.replies += found
            self.answers |= {
                message["id"]: message for message in found if message["id"] is not None
            }
        return any(stream is not None and not stream.closed for stream in names)

    def start_puts(self, count: int) -> list[Any]:
        """Send a number of puts and return their ids at once."""
        return [
            self.start(
                "tools/call",
                {
                    "name": "ghost_put",
                    "arguments": {"ns": "a", "key": f"k{n}", "content": f"memory {n}"},
                },
            )
            for n in range(count)
        ]

    def start(self, method: str, params: dict[str, Any] | None = None, id_: Any = None) -> Any:
        """Send a request and return its id at once."""
        id_ = next(self._ids) if id_ is None else id_
        self.asked += 1
        params = dict(params or {})
        if self.envelope:
            params["_meta"] = {**self.envelope, **params.get("_meta", {})}
        self.send(
            {
                "jsonrpc": "2.0",
                "id": id_,
                "method": method,
                **({"params": params} if params else {}),
            }
        )
        return id_

    def answer(self, id_: Any, seconds: float = PATIENCE) -> dict[str, Any]:
        """Wait for the answer to a request."""
        deadline = time.monotonic() + seconds
        while id_ not in self.answers:
            assert time.monotonic() < deadline, f"no answer to {id_!r}; it said {self.said!r}"
            assert self.listen(1.0) or id_ in self.answers, f"the server is gone: {self.said!r}"
        return self.answers.pop(id_)

    def wait_for_replies(self, number: int) -> list[dict[str, Any]]:
        """Wait until there were so many responses in all, and return them."""
        deadline = time.monotonic() + PATIENCE
        while len(self.replies) < number:
            assert time.monotonic() < deadline, (
                f"{len(self.replies)} responses of {number}; it said {self.said!r}"
            )
            assert self.listen(1.0) or len(self.replies) >= number, (
                f"the server is gone: {self.said!r}"
            )
        return self.replies

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        return self.answer(self.start(method, params))

    def call(self, name: str, arguments: Any = None) -> dict[str, Any]:
        """Call a tool and return its result; an error of the protocol fails the test."""
        found = self.request("tools/call", {"name": name, "arguments": arguments or {}})
        assert "result" in found, found
        return dict(found["result"])

    def ok(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed, and return its structured content."""
        found = self.call(name, arguments)
        assert not found.get("isError"), found
        return dict(found["structuredContent"])

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        """Shake hands as older clients do."""
        client = {"name": "test", "version": "1"}
        found = self.request(
            "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return dict(found["result"])

    def modern(self) -> Self:
        """Speak the protocol of 2026-07-28 from now on: every request carries its envelope."""
        self.envelope = ENVELOPE
        return self

    def close_input(self) -> None:
        """Close the server's standard input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def leave(self) -> int:
        """Close the server's input, hear it out, and return how it ended."""
        self.close_input()
        return self.end()

    def end(self) -> int:
        """Hear the server out and return how it ended; fail when it does not end."""
        deadline = time.monotonic() + PATIENCE
        while self.listen(1.0):
            assert time.monotonic() < deadline, "the server does not end"
        return self.process.wait(PATIENCE)

    def signal(self, number: signal.Signals) -> None:
        """Send the process a signal."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """End the process without warning, unless it has ended, and close the pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a place of the test's own."""
    return Place(tmp_path / "place")


@pytest.fixture
def talk() -> Any:
    """Return the function that connects the official client to anything."""
    return connected


@pytest.fixture
def eventually() -> Any:
    """Return the function that asks until the answer is true."""
    return until


@pytest.fixture(scope="session")
def shared_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Return a place that many tests share, each with a namespace of its own; in the end the store must be whole."""
    found = Place(tmp_path_factory.mktemp("mcp"))
    yield found
    if found.db.exists():
        with found.ghost() as ghost:
            assert ghost.admin.check().problems == ()
        assert "Traceback" not in found.errors()


@pytest.fixture(scope="session")
def old_agent(shared_place: Place) -> Iterator[Agent]:
    """Return the official client after the older handshake with a real server over stdio."""
    with shared_place.agent(OLD) as found:
        yield found


@pytest.fixture(scope="session")
def new_agent(shared_place: Place) -> Iterator[Agent]:
    """Return the official client in protocol 2026-07-28 with a real server over stdio."""
    with shared_place.agent(NEW) as found:
        yield found


@pytest.fixture(params=[pytest.param(OLD, marks=pytest.mark.wide), NEW])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Return the official client, once in each protocol."""
    found: Agent = request.getfixturevalue("old_agent" if request.param == OLD else "new_agent")
    return found


@pytest.fixture(scope="session")
def full_agent(shared_place: Place) -> Iterator[Agent]:
    """Return the official client with a server whose structured results have every field."""
    with shared_place.agent(NEW, GHOST_MCP_RESULTS="full") as found:
        yield found


@pytest.fixture
def ns() -> str:
    """Return a namespace that no other test has."""
    return f"test:{os.getpid()}-{next(_FRESH)}"
