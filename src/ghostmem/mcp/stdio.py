"""The server on standard input and output: one client, one line per message.

The handshake of the older protocol will not change, so its few messages are read and written here.
A client of the newer protocol, which has no handshake, is handed to the official SDK together with
its first message; importing the SDK takes most of a second.
"""

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from ghostmem._version import __version__
from ghostmem.ghost import Ghost
from ghostmem.mcp.protocol import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    NAME,
    TITLE,
    VERSIONS,
    Message,
    ProtocolError,
    encode,
    error_reply,
    parse,
    read_batch,
    read_message,
)
from ghostmem.mcp.requests import CALL, ClientInfo, reply_to, run_method
from ghostmem.mcp.texts import instructions
from ghostmem.mcp.tool_server import PendingStore, ToolServer, defer_model

ENVELOPE = (
    "io.modelcontextprotocol/protocolVersion"  # what every request of the newer protocol tells
)
DISCOVER = "server/discover"
WATCH = 5.0  # seconds between looks whether the parent is still there
WORKERS = 8  # requests that are answered at once
_CAPABILITIES = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}


def run_stdio(
    store: Ghost | PendingStore, toolsets: Iterable[str] = ("memory",), root: Path | None = None
) -> None:
    """Serve one client over standard input and output until it goes away."""
    tools = ToolServer(store, toolsets, root=root)
    if not isinstance(store, PendingStore):
        defer_model(store)
    _leave_at_a_signal()
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    source, sink = _pipes()
    newer = StdioSession(tools, sink).serve(source)
    if newer is not None:
        from ghostmem.mcp.server import serve_stdio

        serve_stdio(tools, chain([newer], source), sink)
    sys.stderr.flush()


def finish(ghost: Ghost) -> None:
    """Give stored memories their vectors, for a limited time, before the process ends.

    A thread that still makes vectors uses the store, which can then not be closed: the process
    exits at once. All that was acknowledged is on disk, and the next server goes on.
    """
    ghost.store.vectoriser.finish()
    if ghost.store.vectoriser.is_working:
        sys.stderr.flush()
        os._exit(0)


@dataclass(eq=False)
class _Request:
    """A pending request, and the function that takes its reply, or None when it was cancelled."""

    message: Message
    settle: Callable[[Message | None], None]
    cancelled: bool = False


class _ReplyBatch:
    """The replies to one batch, sent as one list when the last is there."""

    def __init__(
        self, replies: list[Message], expected: int, send: Callable[[Sequence[Message]], None]
    ) -> None:
        self._replies, self._expected, self._send, self._lock = (
            replies,
            expected,
            send,
            threading.Lock(),
        )
        if not expected and replies:
            send(replies)

    def settle(self, reply: Message | None) -> None:
        """Take the reply to one request."""
        with self._lock:
            self._expected -= 1
            self._replies += [reply] if reply is not None else []
            complete = not self._expected and self._replies
        if complete:
            self._send(self._replies)


class StdioSession:
    """A conversation with a client of the older protocol, answered by a few threads."""

    def __init__(self, tools: ToolServer, sink: BinaryIO) -> None:
        self._tools, self._sink, self._lock = tools, sink, threading.Lock()
        self._client: ClientInfo | None = None
        self._version: str | None = None
        self._waiting: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._workers: list[threading.Thread] = []
        self._pending: set[_Request] = set()

    def serve(self, source: Iterable[bytes]) -> bytes | None:
        """Read until the client leaves, or return the first line of the newer protocol."""
        newer = next((line for line in source if line.strip() and self._receive(line)), None)
        # what was asked is answered first, also before somebody else takes over
        for _ in self._workers:
            self._waiting.put(None)
        for worker in self._workers:
            worker.join()
        return newer

    def _receive(self, line: bytes) -> bool:
        """Handle the messages of a line; True when the client speaks the newer protocol."""
        try:
            value = parse(line)
            if isinstance(value, list):
                messages, errors = read_batch(value, self._version)
                batch = _ReplyBatch(
                    errors, sum("id" in message for message in messages), self._send
                )
                for message in messages:
                    self._take(message, batch.settle)
                return False
            single = read_message(value)
        except ProtocolError as error:
            self._send(error_reply(error, error.id))
            return False
        is_newer = single is not None and self._client is None and _is_newer(single)
        if single is not None and not is_newer:
            self._take(single, self._settle)
        return is_newer

    def _take(self, message: Message, settle: Callable[[Message | None], None]) -> None:
        method = message["method"]
        if "id" not in message:
            if method == "notifications/cancelled":
                self._cancel(message.get("params"))
            return
        request = _Request(message, settle)
        self._pending.add(request)
        if method == "initialize":
            self._reply(request, self._greet)
        elif method == "ping":
            self._reply(request, lambda _: {})
        else:
            if len(self._workers) < min(WORKERS, len(self._pending)):
                self._workers.append(threading.Thread(target=self._work))
                self._workers[-1].start()
            self._waiting.put(request)

    def _cancel(self, given: Any) -> None:
        id_ = given.get("requestId") if isinstance(given, dict) else None
        for request in list(self._pending):
            request.cancelled |= id_ is not None and request.message["id"] == id_

    def _work(self) -> None:
        while (request := self._waiting.get()) is not None:
            method = request.message["method"]
            self._reply(request, partial(self._answer, method))
            if method == CALL:
                # after the first answer, so that it does not wait for a model
                self._tools.warm()

    def _greet(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Answer the handshake: agree on a version, and describe this server."""
        info, wanted = given.get("clientInfo"), given.get("protocolVersion")
        capabilities = given.get("capabilities")
        name = info.get("name") if isinstance(info, dict) else None
        if not isinstance(name, str) or not isinstance(capabilities, dict):
            raise ProtocolError(
                INVALID_PARAMS,
                "initialize needs protocolVersion, capabilities and clientInfo with a name",
            )
        self._client = ClientInfo(name, capabilities)
        self._version = wanted if wanted in VERSIONS else VERSIONS[-1]
        return {
            "protocolVersion": self._version,
            "capabilities": _CAPABILITIES,
            "serverInfo": {"name": NAME, "title": TITLE, "version": __version__},
            "instructions": instructions(self._tools.toolsets, self._tools.default_ns()),
        }

    def _answer(self, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
        if self._client is None:
            raise ProtocolError(INVALID_REQUEST, "the handshake comes first: send initialize")
        return run_method(self._tools, method, self._client, given)

    def _reply(
        self, request: _Request, work: Callable[[Mapping[str, Any]], dict[str, Any]]
    ) -> None:
        """Do the work of a request and pass on the reply, unless the client cancelled it.

        A request that was cancelled before its turn changes nothing.
        """
        reply = None if request.cancelled else reply_to(request.message, work)
        self._pending.discard(request)
        request.settle(None if request.cancelled else reply)

    def _settle(self, reply: Message | None) -> None:
        if reply is not None:
            self._send(reply)

    def _send(self, reply: Message | Sequence[Message]) -> None:
        line = encode(reply) + b"\n"
        try:
            with self._lock:
                self._sink.write(line)
                self._sink.flush()
        except OSError:  # nobody reads any more; all that was acknowledged is on disk
            os._exit(0)


def _is_newer(message: Message) -> bool:
    """Tell whether a message belongs to the protocol without a handshake."""
    given = message.get("params")
    meta = given.get("_meta") if isinstance(given, dict) else None
    return message["method"] == DISCOVER or (isinstance(meta, dict) and ENVELOPE in meta)


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return copies of standard input and output for this server alone.

    Other code prints to standard error instead, and reads nothing.
    """
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return open(source, "rb"), open(sink, "wb")


def _leave_with_parent() -> None:
    """Exit when the parent process is gone, even if the pipe stays open."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(
        0
    )  # a thread waits for input that may never come; all that was acknowledged is on disk


def _leave_at_a_signal() -> None:
    """Exit at a signal, whatever the client does."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: os._exit(0))
