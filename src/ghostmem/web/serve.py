"""Listening: one process that finishes running requests when it is stopped."""

import gc
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import anyio.to_thread
import uvicorn
from starlette.types import ASGIApp

from ghostmem.clock import Clock
from ghostmem.errors import GhostError, InvalidInputError
from ghostmem.web.app import App
from ghostmem.web.connections import Protocol, WaitingConnections
from ghostmem.web.logs import JsonLines, to_stderr

GRACE = 30  # seconds that what is running has to finish
CONNECTIONS = 1000
# Each thread has a connection with caches of its own, and calls hold the interpreter most of the
# time: more threads than this cost memory and answer nothing sooner.
WORKERS = 16
GARBAGE = (700, 10, 10)  # Python's default; a command that ends at once has set it far higher


def is_loopback(host: str) -> bool:
    """Tell whether a host can be reached only from this machine."""
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        raise InvalidInputError(
            f"there is no host {host!r}", "give --host an address of this machine"
        ) from None
    return all(
        ipaddress.ip_address(str(address[4][0]).partition("%")[0]).is_loopback for address in found
    )


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 means any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(
            f"cannot listen on {host}:{port}: {reason}", "choose another --port or --host"
        ) from None
    # The headers and the body of an answer are written separately. Without this the body waits for
    # the client's ACK, about 40 ms; asyncio sets it only for sockets with a protocol number.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address to call."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """A server that closes the application before it waits for running requests."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, with as many threads as are of use."""
        anyio.to_thread.current_default_thread_limiter().total_tokens = WORKERS
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        if isinstance(self.config.app, App):
            self.config.app.close()
        await super().shutdown(sockets)


def make_server(app: ASGIApp, waiting: WaitingConnections | None = None) -> uvicorn.Server:
    """Return a server without its own log, without proxy headers, and with time limits."""
    return Server(
        uvicorn.Config(
            app,
            http=cast(
                "Any",
                partial(Protocol, waiting=WaitingConnections() if waiting is None else waiting),
            ),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=GRACE,
        )
    )


def serve(
    app: ASGIApp, listening: socket.socket, announce: Callable[[], None], clock: Clock
) -> None:
    """Serve until SIGINT or SIGTERM, then finish the running requests and return."""
    handler = JsonLines(to_stderr, clock)
    logging.getLogger().addHandler(handler)
    server = make_server(app)
    gc.set_threshold(*GARBAGE)
    gc.freeze()  # what is loaded by now stays: collections need not look at it

    def stop(*_: object) -> None:
        server.should_exit = True

    # the server takes the signals over while it runs, and raises them once more at its end: that
    # must not kill us
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        announce()
        server.run(sockets=[listening])
    finally:
        for number, old in before.items():
            signal.signal(number, old)
        logging.getLogger().removeHandler(handler)
        listening.close()
    if not server.started:
        raise GhostError("the server could not start", "its log has a line that says where")
