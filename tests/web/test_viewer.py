"""The viewer's files, its news, and the command `ghost web`"""

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.web import pages
from ghostmem.web.auth import ALWAYS
from ghostmem.web.events import Events
from ghostmem.web.pages import STATIC, StaticFiles
from ghostmem.web.session import WebSessions
from waiting import until

if TYPE_CHECKING:
    from conftest import Served

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
TIMEOUT = 60


@pytest.fixture
def page(serve: Callable[..., "Served"], monkeypatch: pytest.MonkeyPatch) -> "Served":
    """Serve the viewer to its owner, with events that are polled often."""
    made = Events.__init__
    monkeypatch.setattr(Events, "__init__", lambda self, ghost: made(self, ghost, pause=0.05))
    return serve(sessions=WebSessions())


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("name", StaticFiles().names())
def test_every_file_is_served_with_its_policy(page: "Served", name: str) -> None:
    """Each file has its type and the policy, and is not sent again to a browser that has it."""
    first = page.call("GET", f"/static/{name}")
    assert first.status == 200
    assert first.body == (STATIC / name).read_bytes()
    assert first.headers["content-type"] == pages.TYPES[Path(name).suffix]
    assert first.headers["content-security-policy"] == POLICY
    assert first.headers["x-content-type-options"] == "nosniff"
    assert first.headers["referrer-policy"] == "no-referrer"
    assert first.headers["cache-control"] == "no-cache"
    again = page.call("GET", f"/static/{name}", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.wide(keep=5)
@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../pages.py",
        "%2e%2e/pages.py",
        "js",
        "js/",
        "/etc/passwd",
        "js/../index.html",
        "index.html%00",
        "x.js",
    ],
)
def test_no_other_file_is_served(page: "Served", name: str) -> None:
    """Only exact names of files that are there."""
    assert page.call("GET", f"/static/{name}").status == 404
    assert page.call("POST", "/static/index.html", {}).status == 405


def test_the_page_is_small_and_holds_nothing_inline() -> None:
    """All files together stay below 500 KB; no script, style or handler stands in markup, and no other host is named."""
    files = StaticFiles()
    assert sum(len(files.read(name)[0]) for name in files.names()) < 500_000
    for name in files.names():
        text = files.read(name)[0].decode()
        if name.endswith(".html"):
            assert not re.search(r"<script(?![^>]* src=)|\sstyle=|\son\w+=|javascript:", text), name
        if name.endswith(".js") and "/vendor/" not in f"/{name}":
            assert not re.search(
                r"innerHTML\s*=|outerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function",
                text,
            ), name
        if not name.startswith("vendor/"):
            assert not re.search(
                r"https?://(?!www\.w3\.org)[a-z]", re.sub(r"https\?\?:|https\?:", "", text)
            ), name


def test_the_page_stands_at_the_root(page: "Served") -> None:
    """/ is the page with the policy; POST is the form of the sign-in page, others are refused."""
    answer = page.call("GET", "/")
    assert answer.body == (STATIC / "index.html").read_bytes()
    assert answer.headers["content-security-policy"] == POLICY
    assert page.call("POST", "/", b"token=wrong").status == 401
    assert page.call("PUT", "/", {}).status == 405


def test_a_server_without_a_viewer_has_none(served: "Served") -> None:
    """Without sessions there is neither page nor file nor door."""
    assert [
        served.call("GET", path).status for path in ("/", "/static/index.html", "/sign-in")
    ] == [404] * 3


class Stream:
    """A listener to the news."""

    def __init__(self, port: int, **headers: str) -> None:
        self._link = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        self._link.request("GET", "/api/v1/events", headers=headers)
        self.answer = self._link.getresponse()

    def next(self) -> dict[str, Any]:
        """Wait for the next event and return what it says."""
        while not (line := self.answer.readline().decode()).startswith("data: "):
            assert line, "the stream has ended"
        return json.loads(line.removeprefix("data: "))  # type: ignore[no-any-return]

    def close(self) -> None:
        """Hang up."""
        self.answer.close()
        self._link.close()


@pytest.fixture
def listen_to(request: pytest.FixtureRequest) -> Callable[..., Stream]:
    """Return a function that listens; all hang up at the end."""

    def run(served: "Served", **headers: str) -> Stream:
        stream = Stream(served.port, **headers)
        request.addfinalizer(stream.close)
        return stream

    return run


def test_news_of_a_write_by_this_server(page: "Served", listen_to: Callable[..., Stream]) -> None:
    """The first event says where the store stands, the next what changed."""
    page.ghost.put("a", "k", "x")
    stream = listen_to(page)
    assert stream.answer.getheader("content-type") == "text/event-stream; charset=utf-8"
    assert stream.next() == {"sequence": 1, "quarantine": 0, "namespaces": {"a": 1}}
    page.ok("PUT", "/memories/b/k", {"content": "x"})
    assert stream.next() == {"sequence": 2, "quarantine": 0, "namespaces": {"b": 1}}


def test_news_of_a_write_by_another_process(
    page: "Served", tmp_path: Path, listen_to: Callable[..., Stream]
) -> None:
    """What another process puts is told too."""
    stream = listen_to(page)
    assert stream.next()["namespaces"] == {}
    line = [
        sys.executable,
        "-m",
        "ghostmem",
        "--db",
        str(tmp_path / "memory.db"),
        *"put -n a -k k text".split(),
    ]
    subprocess.run(line, check=True, capture_output=True, timeout=TIMEOUT)
    assert stream.next() == {"sequence": 1, "quarantine": 0, "namespaces": {"a": 1}}


def test_a_write_after_the_stream_has_opened_is_news(
    page: "Served", listen_to: Callable[..., Stream]
) -> None:
    """The first event has the state before the answer began, so that no change is missed."""
    for number in range(1, 6):
        stream = listen_to(page)
        page.ghost.put("a", f"k{number}", "x")
        assert stream.next()["sequence"] == number - 1
        assert stream.next() == {"sequence": number, "quarantine": 0, "namespaces": {"a": number}}
        stream.close()


def test_a_new_stream_begins_with_the_present_state(
    serve: Callable[..., "Served"],
    monkeypatch: pytest.MonkeyPatch,
    listen_to: Callable[..., Stream],
) -> None:
    """Between two polls too; the streams that are open hear of the change at the same time."""
    made = Events.__init__
    monkeypatch.setattr(Events, "__init__", lambda self, ghost: made(self, ghost, pause=3600))
    served = serve(sessions=WebSessions())
    first = listen_to(served)
    assert first.next() == {"sequence": 0, "quarantine": 0, "namespaces": {}}
    served.ghost.put("a", "k", "x")
    assert listen_to(served).next() == {"sequence": 1, "quarantine": 0, "namespaces": {"a": 1}}
    assert first.next() == {"sequence": 1, "quarantine": 0, "namespaces": {"a": 1}}


def test_the_quarantine_is_news(page: "Served", listen_to: Callable[..., Stream]) -> None:
    """An item that is held, and one that is dropped, although neither is in the audit log."""
    stream = listen_to(page)
    assert stream.next() == {"sequence": 0, "quarantine": 0, "namespaces": {}}
    held = page.ghost.put("a", "k", "Do as I say.", tier="quarantine")
    assert stream.next() == {"sequence": 0, "quarantine": 1, "namespaces": {"a": 0}}
    assert page.ok("GET", "/session")["quarantine"] == 1
    page.ghost.quarantine.drop([held.id])
    assert stream.next() == {"sequence": 0, "quarantine": 0, "namespaces": {"a": 0}}


def test_news_only_of_what_one_may_read(page: "Served", listen_to: Callable[..., Stream]) -> None:
    """A token of one namespace hears nothing of another, not even that something happened."""
    page.ghost.put("b", "k", "x")
    secret, _ = page.ghost.admin.create_token("mine", ["a:read"])
    stream = listen_to(page, Authorization=f"Bearer {secret}")
    assert stream.next() == {"sequence": 0, "quarantine": 0, "namespaces": {}}
    page.ghost.put("b", "k", "y")
    page.ghost.put("a", "k", "x")
    assert stream.next() == {"sequence": 1, "quarantine": 0, "namespaces": {"a": 1}}


def test_a_listener_hears_that_nothing_happened(
    serve: Callable[..., "Served"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silence is told too, so that a dead connection is noticed."""
    made = Events.__init__
    monkeypatch.setattr(Events, "__init__", lambda self, ghost: made(self, ghost, beat=0.05))
    stream = Stream(serve(sessions=WebSessions()).port)
    stream.next()
    assert [stream.answer.readline() for _ in range(2)] == [b"\n", b": nothing new\n"]
    stream.close()


def test_listeners_are_bounded(
    serve: Callable[..., "Served"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One too many is told to come back later; when somebody leaves there is room again."""
    made = Events.__init__
    monkeypatch.setattr(
        Events, "__init__", lambda self, ghost: made(self, ghost, pause=0.05, beat=0.05, most=1)
    )
    served = serve(sessions=WebSessions())
    first = Stream(served.port)
    first.next()
    refused = served.api("GET", "/events")
    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    first.close()

    def is_let_in() -> bool:
        second = Stream(served.port)
        second.close()
        return second.answer.status == 200

    until(is_let_in, "room for another listener")


def test_listeners_do_not_keep_the_server_from_stopping(page: "Served") -> None:
    """A stop ends the streams at once instead of waiting for them."""
    stream = Stream(page.port)
    stream.next()
    page.server.should_exit = True
    assert stream.answer.read() in (b"", b"\n")
    stream.close()
    page.thread.join(TIMEOUT)
    assert not page.thread.is_alive()


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Callable[..., tuple["subprocess.Popen[str]", str]]]:
    """Return a function that runs `ghost web` and returns the process and the address it printed."""
    running: list[subprocess.Popen[str]] = []

    def run(*options: str) -> tuple["subprocess.Popen[str]", str]:
        line = [
            sys.executable,
            "-m",
            "ghostmem",
            "--db",
            str(tmp_path / "memory.db"),
            "web",
            "--no-open",
            *options,
        ]
        running.append(
            subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
        assert running[-1].stdout is not None
        return running[-1], running[-1].stdout.readline().strip()

    yield run
    for process in running:
        process.kill()
        process.communicate(timeout=TIMEOUT)


def call(
    port: int, method: str, path: str, body: str | None = None, **headers: str
) -> http.client.HTTPResponse:
    """Send one request."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    link.request(
        method, path, body, {name.replace("_", "-"): value for name, value in headers.items()}
    )
    answer = link.getresponse()
    answer.data = answer.read()  # type: ignore[attr-defined]
    link.close()
    return answer


def test_ghost_web_prints_an_address_that_opens_once(
    command: Callable[..., tuple["subprocess.Popen[str]", str]],
) -> None:
    """The address is of loopback and holds the token; everything else is refused; a signal ends it with 0."""
    process, url = command()
    parts = urlsplit(url)
    assert (parts.hostname, parts.path) == ("127.0.0.1", "/")
    assert parts.port is not None
    assert len(parts.query) >= len("token=") + 40
    assert [
        call(parts.port, "GET", path).status
        for path in ("/", "/api/v1/stats", "/healthz", "/static/js/main.js")
    ] == [401] * 4
    opened = call(parts.port, "GET", f"/?{parts.query}")
    cookie = str(opened.getheader("set-cookie")).partition(";")[0]
    assert call(parts.port, "GET", "/", Cookie=cookie).status == 200
    assert call(parts.port, "GET", f"/?{parts.query}").status == 401
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0
    assert parts.query not in told


@pytest.mark.parametrize(
    ("options", "pending"), [((), 0), (("--read-only",), 1)], ids=["writing", "read-only"]
)
def test_ghost_web_gives_vectors_to_what_has_none(
    command: Callable[..., tuple["subprocess.Popen[str]", str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    pending: int,
) -> None:
    """What was stored before the model is there, here or elsewhere, has vectors once it is; with --read-only nothing is made."""
    path = str(tmp_path / "memory.db")
    for provider in ("static", "none"):
        with Ghost.open(path, settings=Settings(embed_provider=provider)) as ghost:
            ghost.put("a", f"tea-{provider}", f"green tea, {provider}")
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    parts = urlsplit(command(*options)[1])
    port = parts.port or 0
    cookie = str(call(port, "GET", f"/?{parts.query}").getheader("set-cookie")).partition(";")[0]
    csrf = json.loads(call(port, "GET", "/api/v1/session", Cookie=cookie).data)["csrf"]  # type: ignore[attr-defined]
    said = {"Cookie": cookie, "X_Ghost_CSRF": csrf, "Content_Type": "application/json"}
    call(port, "PUT", "/api/v1/memories/a/first", '{"content": "black tea"}', **said)

    def legs() -> list[str]:
        found = call(port, "POST", "/api/v1/search", '{"query": "tea", "ns": "a"}', **said).data  # type: ignore[attr-defined]
        return list(json.loads(found)["legs"])

    until(lambda: "vector" in legs())
    with Ghost.open(path, settings=Settings(embed_provider="static")) as ghost:
        until(lambda: ghost.admin.embed_status().pending == pending)


def test_ghost_web_read_only(
    command: Callable[..., tuple["subprocess.Popen[str]", str]], tmp_path: Path
) -> None:
    """With --read-only and --json: the address as JSON, and a file that is not written to."""
    with Ghost.open(str(tmp_path / "memory.db"), settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a", "tea", "green tea")
    _, line = command("--read-only", "--json")
    told = json.loads(line)
    assert told["read_only"] is True
    parts = urlsplit(told["url"])
    assert parts.port is not None
    opened = call(parts.port, "GET", f"/?{parts.query}")
    cookie = str(opened.getheader("set-cookie")).partition(";")[0]
    csrf = json.loads(call(parts.port, "GET", "/api/v1/session", Cookie=cookie).data)["csrf"]  # type: ignore[attr-defined]
    said = {"Cookie": cookie, "X_Ghost_CSRF": csrf, "Content_Type": "application/json"}
    assert (
        call(parts.port, "PUT", "/api/v1/memories/a/tea", '{"content": "x"}', **said).status == 403
    )
    assert call(parts.port, "POST", "/api/v1/search", '{"query": "tea"}', **said).status == 200
    with Ghost.open(str(tmp_path / "memory.db"), settings=Settings(embed_provider="none")) as ghost:
        assert ghost.history("a", "tea")[-1].version == 1


def test_a_private_server_checks_names_for_health_too(serve: Callable[..., "Served"]) -> None:
    """Where nothing is open, a bent name does not even learn that somebody is there."""
    served = serve(require_tokens=ALWAYS, sessions=WebSessions(strict=True))
    assert served.call("GET", "/healthz", Host="evil.example").status == 421
