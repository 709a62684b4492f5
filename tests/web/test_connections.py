"""Connections that say nothing: they end, and nobody else is kept out by them."""

import http.client
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from ghostmem.web.connections import MAX_WAITING_PER_ADDRESS, WaitingConnections

if TYPE_CHECKING:
    from conftest import Served

HALF = b"GET /api/v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@contextmanager
def half_open(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Open connections that send half of their headers."""
    with ExitStack() as stack:
        made = []
        for _ in range(count):
            made.append(
                stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            )
            with suppress(ConnectionError):  # it may have been closed already, to make room
                made[-1].sendall(HALF)
        yield made


def ends(link: socket.socket) -> bool:
    """Say whether the server closes a connection without a word; with bytes that it has not read, that is a reset."""
    try:
        return link.recv(1) == b""
    except ConnectionResetError:
        return True


def test_many_half_open_connections_lock_nobody_out(serve: Callable[..., "Served"]) -> None:
    """Those that wait longest make room, so that whoever sends a request at once is answered, with a token as without."""
    served = serve()
    secret, _ = served.ghost.admin.create_token("one", ["*:read"])
    more = 40
    with half_open(served.port, MAX_WAITING_PER_ADDRESS + more) as links:
        assert all(served.api("GET", "/stats", token=secret).status == 200 for _ in range(5))
        assert all(map(ends, links[:more]))
        links[-1].setblocking(False)
        with pytest.raises(BlockingIOError):
            links[-1].recv(1)


def test_headers_have_to_arrive_in_time(serve: Callable[..., "Served"]) -> None:
    """The first request of a connection and every later one have the same time for their headers; drops do not prolong it."""
    served = serve(waiting=WaitingConnections(seconds=0.3))
    with half_open(served.port, 3) as links:
        links[0].sendall(b"a")
        assert all(map(ends, links))
    with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)) as kept:
        for _ in range(2):
            kept.request("GET", "/healthz")
            assert kept.getresponse().read()
        kept.sock.sendall(HALF)
        assert ends(kept.sock)


def test_requests_that_take_long_are_not_cut(serve: Callable[..., "Served"]) -> None:
    """The limit is on headers: a body may come later, and a connection that is kept waits for its next request."""
    served = serve(waiting=WaitingConnections(seconds=0.5, most=4, per_address=2))
    with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)) as link:
        link.putrequest("PUT", "/api/v1/memories/a/k")
        link.putheader("Content-Type", "application/json")
        link.putheader("Content-Length", "20")
        link.putheader("Expect", "100-continue")
        link.endheaders()
        assert link.sock.recv(100).startswith(b"HTTP/1.1 100 ")  # its headers are read
        link.send(b'{"content": ')
        with half_open(served.port, 6) as links:
            assert all(map(ends, links))  # half a second later
        link.send(b'"heron"}')
        assert link.getresponse().status == 201


def test_a_revoked_token_hears_nothing_more(serve: Callable[..., "Served"]) -> None:
    """The stream of a token ends with the next change after it was revoked, before that change is told."""
    served = serve()
    secret, token = served.ghost.admin.create_token("one", ["*:read"])
    link = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    link.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {secret}"})
    stream = link.getresponse()
    assert stream.status == 200
    assert stream.readline() == b"event: change\n"
    assert stream.readline().startswith(b"data: ")
    assert stream.readline() == b"\n"
    served.ghost.put("a", "k", "told")
    assert stream.readline() == b"event: change\n"
    assert b'"a"' in stream.readline()
    assert stream.readline() == b"\n"
    served.ghost.admin.revoke_token(token.id)
    served.ghost.put("secret", "k", "not told")
    assert stream.read() == b""
    link.close()
