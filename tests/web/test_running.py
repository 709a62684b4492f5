"""The server at work: many at once, and a stop in the middle"""

import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.caller import CALLER
from ghostmem.clock import now
from ghostmem.web.serve import listen, serve

if TYPE_CHECKING:
    from conftest import Served


class AnnouncedError(Exception):
    """The server is about to run."""


def test_four_clients_lose_nothing(served: "Served") -> None:
    """Puts of four clients at once are all there: each of its own keys, and every version of a key they share."""

    def work(client: int) -> None:
        for number in range(10):
            served.ok(
                "PUT", f"/memories/a/{client}-{number}", {"content": f"text {client} {number}"}
            )
            served.ok("PUT", "/memories/a/shared", {"content": f"shared {client} {number}"})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(served.ghost.list("a", limit=100)) == 41
    versions = served.ghost.history("a", "shared")
    assert [memory.version for memory in versions] == list(range(1, 41))
    assert {memory.content for memory in versions} == {
        f"shared {client} {number}" for client in range(4) for number in range(10)
    }


def test_garbage_is_collected_while_serving() -> None:
    """A server collects garbage as Python does by default, although short commands put it off."""
    seen = []

    def announce() -> None:
        seen.append(gc.get_threshold())
        raise AnnouncedError

    before = gc.get_threshold()
    try:
        gc.set_threshold(100_000, 50, 50)  # as every command does at its start
        with pytest.raises(AnnouncedError):
            serve(lambda *_: None, listen("127.0.0.1", 0), announce, now)  # type: ignore[arg-type]
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
    assert seen == [(700, 10, 10)]


def test_compare_and_swap_lets_one_through(served: "Served") -> None:
    """Of four clients that build on the same version, one wins and three are told."""
    served.ok("PUT", "/memories/a/k", {"content": "first"})
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(
                lambda n: (
                    served.api(
                        "PUT", "/memories/a/k", {"content": f"by {n}", "base_version": 1}
                    ).status
                ),
                range(4),
            )
        )
    assert sorted(found) == [200, 409, 409, 409]


def test_callers_are_not_mixed_up(served: "Served") -> None:
    """Requests of several tokens at once each have their own caller, also in the worker threads."""
    tokens = {name: served.ghost.admin.create_token(name, [f"{name}:write"])[0] for name in "abcd"}

    def work(name: str) -> set[int]:
        others = [other for other in tokens if other != name]
        found = {
            served.api("PUT", f"/memories/{name}/k{n}", {"content": "x"}, tokens[name]).status
            for n in range(8)
        }
        return found | {
            served.api("GET", f"/memories/{other}/k0", None, tokens[name]).status + 1000
            for other in others
        }

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, tokens)) == [{201, 1403}] * 4
    assert CALLER.get().name == "owner"


def test_a_stop_waits_for_what_is_running(
    served: "Served", monkeypatch: "pytest.MonkeyPatch"
) -> None:
    """A request that runs when the server is told to stop is finished and answered; then the server ends."""
    entered, stopping, release = threading.Event(), threading.Event(), threading.Event()
    put, shutdown = served.ghost.put, served.server.shutdown

    def slow(*args: Any, **fields: Any) -> Any:
        entered.set()
        assert release.wait(60)
        return put(*args, **fields)

    async def noted(*args: Any, **named: Any) -> None:
        stopping.set()
        await shutdown(*args, **named)

    monkeypatch.setattr(served.ghost, "put", slow)
    monkeypatch.setattr(served.server, "shutdown", noted)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(served.api, "PUT", "/memories/a/k", {"content": "saved"})
        assert entered.wait(60)
        served.server.should_exit = True
        assert stopping.wait(60)
        assert not answer.done()
        release.set()
        assert answer.result(60).status == 201
    served.thread.join(60)
    assert not served.thread.is_alive()
    assert served.ghost.get("a", "k").content == "saved"


def test_an_export_is_sent_as_it_is_made(
    serve: Callable[..., "Served"], monkeypatch: "pytest.MonkeyPatch"
) -> None:
    """An export of many lines comes whole, and the store can be written meanwhile."""
    served = serve()
    closed = threading.Event()

    def lines(**_: object) -> Iterator[str]:
        try:
            for number in range(5000):
                if number == 2500:
                    served.ghost.put("a", "meanwhile", "text")
                yield f'{{"number": {number}}}'
        finally:
            closed.set()

    monkeypatch.setattr(served.ghost, "export", lines)
    answer = served.api("GET", "/export")
    assert [line["number"] for line in answer.lines] == list(range(5000))
    assert closed.wait(60)


def test_mcp_is_behind_the_same_door(serve: Callable[..., "Served"]) -> None:
    """What is mounted at /mcp sees its path, the caller and the body, and only after the checks; its lifespan runs too."""
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (message := await receive())["type"] == "lifespan.startup":
                seen.append(message["type"])
                await send({"type": "lifespan.startup.complete"})
            seen.append(message["type"])
            await send({"type": "lifespan.shutdown.complete"})
            return
        seen.append((scope["path"], CALLER.get().name, (await receive())["body"]))
        await send({"type": "http.response.start", "status": 202, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    served = serve(mcp_app=app)
    secret, _ = served.ghost.admin.create_token("agent", ["a:write"])
    assert served.call("POST", "/mcp", {"x": 1}).status == 401
    assert served.call("POST", "/mcp", {"x": 1}, secret, Host="evil.example").status == 421
    assert served.call("POST", "/mcp", {"x": 1}, secret).status == 202
    assert served.call("POST", "/mcpx", {"x": 1}, secret).status == 404
    served.stop()
    assert seen == ["lifespan.startup", ("/mcp", "agent", b'{"x": 1}'), "lifespan.shutdown"]
    assert [line["route"] for line in served.logs if line["status"] == 202] == ["/mcp"]
