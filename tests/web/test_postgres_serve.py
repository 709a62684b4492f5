"""Several `ghost serve` on one PostgreSQL: what one writes the other finds, and the database may go and come back."""

import http.client
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from waiting import until

if TYPE_CHECKING:
    from servers import Server

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix"),
]
PATIENCE = 120.0


class Face:
    """One `ghost serve` in a process of its own."""

    def __init__(self, url: str, home: Path, **env: str) -> None:
        given = {name: value for name, value in os.environ.items() if not name.startswith("GHOST_")}
        given |= {"GHOST_DB": url, "GHOST_EMBED_PROVIDER": "none", "HOME": str(home), **env}
        command = [
            sys.executable,
            *"-m ghostmem serve --port 0 --rate 0 --json".split(),
        ]
        self.process = subprocess.Popen(
            command, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read() if self.process.stderr else ""
        self.port = int(json.loads(line)["url"].rpartition(":")[2])

    def call(
        self, method: str, path: str, body: Any = None, token: str | None = None
    ) -> tuple[int, dict[str, str], Any]:
        """Send one request and return status, headers and what came back."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            link.request(method, path, None if body is None else json.dumps(body), headers)
            found = link.getresponse()
            return (
                found.status,
                {name.lower(): value for name, value in found.getheaders()},
                json.loads(found.read() or b"null"),
            )
        finally:
            link.close()

    def put(self, key: str, content: str, token: str | None = None) -> int:
        """Put one memory and return the status."""
        return self.call("PUT", f"/api/v1/memories/a/{key}", {"content": content}, token)[0]

    def stop(self, how: int = signal.SIGTERM) -> int:
        """End it and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code


@pytest.fixture
def own_server() -> "Iterator[Server]":
    """Run a PostgreSQL that the test may kill."""
    from servers import server

    with server() as made:
        yield made


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Face]]:
    """Return a function that starts a server; all are ended at the end."""
    running: list[Face] = []

    def run(url: str, **env: str) -> Face:
        running.append(Face(url, tmp_path / "home", **env))
        return running[-1]

    yield run
    for face in running:
        face.stop()


def test_what_one_writes_the_other_finds(pg_url: str, start: Callable[..., Face]) -> None:
    """Behind a round-robin nobody can tell which server he writes to: everything is found at once, and versions have no gaps."""
    faces = [start(pg_url), start(pg_url)]
    turn = itertools.cycle(faces)
    for number in range(10):
        assert next(turn).put(f"k{number}", f"The {number}th heron waits at weir {number}.") == 201
        asked = {"query": f"heron weir {number}", "ns": "a", "limit": 20}
        status, _, found = next(turn).call("POST", "/api/v1/search", asked)
        assert status == 200
        assert f"k{number}" in [hit["key"] for hit in found["results"]]
        next(turn)  # so that each one is written to and asked in turn
    for number in range(6):
        assert next(turn).put("shared", f"version {number}") in (200, 201)
    with Ghost.open(pg_url, settings=Settings(embed_provider="none")) as ghost:
        assert [memory.version for memory in ghost.history("a", "shared")] == [1, 2, 3, 4, 5, 6]
        assert ghost.admin.check().problems == ()


def test_a_token_revoked_at_one_is_refused_by_the_other(
    pg_url: str, start: Callable[..., Face]
) -> None:
    """Tokens live in the database, so that no server goes on believing one that is gone."""
    with Ghost.open(pg_url, settings=Settings(embed_provider="none")) as ghost:
        secret, token = ghost.admin.create_token("agent", ["a:write"])
        faces = [start(pg_url), start(pg_url)]
        assert [face.put("k", "text", secret) for face in faces] == [201, 200]
        ghost.admin.revoke_token(token.id)
    assert [face.put("k", "text", secret) for face in faces] == [401, 401]


def test_one_may_die_while_the_other_answers(pg_url: str, start: Callable[..., Face]) -> None:
    """A server that is killed takes nothing with it that was acknowledged."""
    one, other = start(pg_url), start(pg_url)
    assert one.put("k", "kept") == 201
    assert one.stop(signal.SIGKILL) == -signal.SIGKILL
    status, _, found = other.call("GET", "/api/v1/memories/a/k")
    assert (status, found["content"]) == (200, "kept")
    assert other.put("k", "and written again") == 200
    assert other.stop() == 0


def test_the_database_may_restart_under_a_server(
    own_server: "Server", start: Callable[..., Face]
) -> None:
    """While the database is down /readyz says so and requests get 503 with a Retry-After; when it is back all goes on."""
    url = own_server.url()
    face = start(url, GHOST_BUSY_TIMEOUT="0.5")
    assert face.put("before", "kept before") == 201
    assert face.call("GET", "/readyz")[0] == 200
    own_server.kill()
    assert face.call("GET", "/readyz")[0] == 503
    assert face.call("GET", "/healthz")[0] == 200
    for method, path, body in (
        ("PUT", "/api/v1/memories/a/during", {"content": "x"}),
        ("POST", "/api/v1/search", {"query": "kept", "ns": "a"}),
        ("GET", "/api/v1/memories/a/before", None),
        ("GET", "/metrics", None),
    ):
        status, headers, answer = face.call(method, path, body)
        assert (status, headers["retry-after"]) == (503, "1"), (path, status)
        assert (
            answer["message"]
            == "the database does not answer just now, and nothing of this was stored"
        )
        assert "postgresql" not in json.dumps(answer)
    own_server.start()
    until(lambda: face.call("GET", "/readyz")[0] == 200)
    until(lambda: face.put("after", "kept after") in (200, 201))
    with Ghost.open(url, settings=Settings(embed_provider="none")) as ghost:
        assert sorted(memory.key for memory in ghost.list("a")) == ["after", "before"]
        assert ghost.admin.check().problems == ()
        assert ghost.admin.verify_log().ok


def test_a_restart_is_waited_for(own_server: "Server", start: Callable[..., Face]) -> None:
    """With the usual patience nobody notices a restart, also when every connection was cut by it."""
    face = start(own_server.url())
    assert face.put("k", "first") == 201
    own_server.kill()
    own_server.start()
    assert face.put("k", "second") == 200
    assert face.call("POST", "/api/v1/search", {"query": "second", "ns": "a"})[0] == 200
    assert face.call("GET", "/api/v1/memories/a/k")[2]["version"] == 2
