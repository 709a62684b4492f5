"""A real server on a free port of this machine, in a thread, and a client that sends exactly what it is told."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.web.app import RequestLimits, make_app
from ghostmem.web.serve import listen, make_server

TIMEOUT = 60
UNLIMITED = RequestLimits(per_second=0)


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Read the body as JSON."""
        assert self.headers["content-type"] == "application/json", self
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        """Read the body as lines of JSON."""
        return [json.loads(line) for line in self.body.decode().split("\n") if line]


@dataclass
class Served:
    """A store behind a running server."""

    ghost: Ghost
    server: uvicorn.Server
    thread: threading.Thread
    port: int
    logs: list[dict[str, Any]] = field(default_factory=list)
    written: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.port}"

    def call(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> Answer:
        """Send one request; a body that is no bytes goes as JSON."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        try:
            link.request(method, path, body, sent)
            found = link.getresponse()
            return Answer(
                found.status,
                {name.lower(): value for name, value in found.getheaders()},
                found.read(),
            )
        finally:
            link.close()

    def api(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> Answer:
        """Send one request below /api/v1."""
        return self.call(method, f"/api/v1{path}", body, token, **headers)

    def ok(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """Send one request below /api/v1 that must succeed, and return what came back."""
        answer = self.api(method, path, body, token)
        assert answer.status in (200, 201), answer
        return answer.json

    def logged(self, answer: Answer) -> dict[str, Any]:
        """Return the line of a request, which is written once its answer is sent."""
        with self.written:
            assert self.written.wait_for(
                lambda: any(self._is(line, answer) for line in self.logs), TIMEOUT
            )
            return next(line for line in self.logs if self._is(line, answer))

    def _is(self, line: dict[str, Any], answer: Answer) -> bool:
        return bool(line["request_id"] == answer.headers["x-request-id"])

    def stop(self) -> None:
        """Shut the server down and wait for its end."""
        self.server.should_exit = True
        self.thread.join(TIMEOUT)
        assert not self.thread.is_alive()


def start(ghost: Ghost, **options: Any) -> Served:
    """Serve a store in a thread; the socket listens before this returns."""
    logs: list[dict[str, Any]] = []
    written = threading.Condition()

    def log(line: dict[str, Any]) -> None:
        with written:
            logs.append(line)
            written.notify_all()

    waiting = options.pop("waiting", None)
    app = make_app(ghost, log=log, **{"limits": UNLIMITED, **options})
    listening = listen("127.0.0.1", 0)
    server = make_server(app, waiting)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    return Served(ghost, server, thread, listening.getsockname()[1], logs, written)


@pytest.fixture
def serve(tmp_path: Path, clock: Any) -> Iterator[Callable[..., Served]]:
    """Return a function that serves a store by its name; what it held is checked at the end."""
    running: list[Served] = []

    def run(
        name: str = "memory.db", settings: dict[str, Any] | None = None, **options: Any
    ) -> Served:
        chosen = Settings(**{"embed_provider": "none", **(settings or {})})
        ghost = Ghost.open(str(tmp_path / name), settings=chosen, clock=clock)
        running.append(start(ghost, **options))
        return running[-1]

    yield run
    for served in running:
        served.stop()
        assert served.ghost.admin.check().problems == ()
        served.ghost.close()


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    """Serve an empty store."""
    return serve()


@pytest.fixture(scope="session")
def start_server() -> Callable[..., Served]:
    """Return the function that serves an open store, for servers that outlive a test."""
    return start
