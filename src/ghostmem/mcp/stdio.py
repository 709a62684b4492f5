"""The server on standard input and output: one client, a line for each message, and nothing loaded that it does not need.

The handshake of the older protocol is settled for good, so the few messages that a server needs are read and written here. A
client that speaks the newer protocol, which has no handshake, is served by the official SDK, whose import takes most of a
second: whatever it said first is said again to that.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, Any

from ghostmem._version import __version__
from ghostmem.mcp.face import Face, defer_model
from ghostmem.mcp.protocol import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, NAME, TITLE, ProtocolError
from ghostmem.mcp.requests import CALL, REQUESTS, Client, answer
from ghostmem.mcp.texts import instructions

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from ghostmem.ghost import Ghost

    Message = Mapping[str, Any]

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # of the protocol with a handshake
ENVELOPE = "io.modelcontextprotocol/protocolVersion"  # what every request of the newer protocol tells
DISCOVER = "server/discover"
WATCH = 5.0  # seconds between looks whether the parent is still there
WORKERS = 8  # requests that are answered at once
_CAPABILITIES = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}


def run_stdio(ghost: Ghost, toolsets: Iterable[str] = ("memory",), root: Path | None = None) -> None:
    """Serve one client over standard input and output until it goes away."""
    face = Face(ghost, toolsets, root=root)
    defer_model(ghost)
    _leave_at_a_signal()
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    source, sink = _pipes()
    session = Session(face, sink)
    newer = session.serve(source)
    if newer is not None:
        from ghostmem.mcp.server import serve_stdio

        serve_stdio(face, BufferedReader(_Replayed(newer, source)), sink)
    sys.stderr.flush()


class Session:
    """A conversation with one client of the older protocol; requests are answered by a few threads."""

    def __init__(self, face: Face, sink: BinaryIO) -> None:
        self._face, self._sink, self._lock = face, sink, threading.Lock()
        self._client: Client | None = None
        self._waiting: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._workers: list[threading.Thread] = []
        self._asked: set[str | int] = set()  # ids of requests that are not answered yet, and still wanted

    def serve(self, source: Iterable[bytes]) -> bytes | None:
        """Read until the client goes away, or return the line by which it turns out to speak the newer protocol."""
        newer = None
        for line in source:
            message = _read(line)
            if message is None:
                continue
            if self._client is None and _is_newer(message):
                newer = line
                break
            self._take(message)
        for _ in self._workers:  # what was asked is answered first, also before somebody else takes over
            self._waiting.put(None)
        for worker in self._workers:
            worker.join()
        return newer

    def _take(self, message: Message) -> None:
        method = message["method"]
        if "id" not in message:
            given = message.get("params")
            if method == "notifications/cancelled" and isinstance(given, dict) and isinstance(given.get("requestId"), str | int):
                self._asked.discard(given["requestId"])
            return
        self._asked.add(message["id"])
        if method == "initialize":
            self._reply(message, self._greet)
        elif method == "ping":
            self._reply(message, lambda _: {})
        else:
            if len(self._workers) < min(WORKERS, len(self._asked)):
                self._workers.append(threading.Thread(target=self._work))
                self._workers[-1].start()
            self._waiting.put(message)

    def _work(self) -> None:
        while (message := self._waiting.get()) is not None:
            method = message["method"]
            self._reply(message, partial(self._answer, method))
            if method == CALL:
                self._face.ghost.store.vectoriser.warm()  # after the first answer, so that it does not wait for a model

    def _greet(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Shake hands: agree on a version, and say who we are and what there is."""
        info, wanted = given.get("clientInfo"), given.get("protocolVersion")
        capabilities = given.get("capabilities")
        if not isinstance(info, dict) or not isinstance(info.get("name"), str) or not isinstance(capabilities, dict):
            raise ProtocolError(INVALID_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo with a name")
        self._client = Client(info["name"], capabilities)
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
            "capabilities": _CAPABILITIES,
            "serverInfo": {"name": NAME, "title": TITLE, "version": __version__},
            "instructions": instructions(self._face.toolsets),
        }

    def _answer(self, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
        if self._client is None:
            raise ProtocolError(INVALID_REQUEST, "the handshake comes first: send initialize")
        if method not in REQUESTS:
            raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method[:60]}")
        return answer(self._face, method, given, self._client)

    def _reply(self, message: Message, work: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        """Do some work and send what comes of it, unless the client has taken its request back."""
        given = message.get("params")
        try:
            if given is not None and not isinstance(given, dict):
                raise ProtocolError(INVALID_PARAMS, "Invalid request parameters: they must be an object")
            told: dict[str, Any] = {"result": work(given or {})}
        except ProtocolError as error:
            told = {"error": {"code": error.code, "message": error.message}}
        if message["id"] in self._asked:
            self._asked.discard(message["id"])
            self._send({"jsonrpc": "2.0", "id": message["id"], **told})

    def _send(self, message: Message) -> None:
        try:
            line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:  # half a character, say in an id
            line = json.dumps(message, separators=(",", ":")).encode()
        try:
            with self._lock:
                self._sink.write(line + b"\n")
                self._sink.flush()
        except OSError:  # nobody reads any more; all that was acknowledged is on disk
            os._exit(0)


def _read(line: bytes) -> Message | None:
    """Return a request or a notification; anything else is nothing that could be answered."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return None
    id_ = message.get("id", "")
    return message if isinstance(id_, str | int) and not isinstance(id_, bool) else None


def _is_newer(message: Message) -> bool:
    """Say whether a message is of the protocol without a handshake."""
    given = message.get("params")
    meta = given.get("_meta") if isinstance(given, dict) else None
    return message["method"] == DISCOVER or (isinstance(meta, dict) and ENVELOPE in meta)


def _pipes() -> tuple[BufferedReader, BinaryIO]:
    """Take standard input and output for ourselves; what others print goes to standard error, and they read nothing."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return open(source, "rb"), open(sink, "wb")


class _Replayed(RawIOBase):
    """A line that was read already, and then the rest."""

    def __init__(self, first: bytes, rest: BufferedReader) -> None:
        self._first, self._rest = first, rest

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, into: Any) -> int:
        """Read what was read before, then what comes."""
        part = self._first[: len(into)] if self._first else self._rest.read1(len(into))
        self._first = self._first[len(part) :]
        into[: len(part)] = part
        return len(part)


def _leave_with_parent() -> None:
    """End when whoever started this process is gone, even if somebody else keeps the pipe open."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(0)  # a thread waits for input that may never come; all that was acknowledged is on disk


def _leave_at_a_signal() -> None:
    """End when told to, whatever the client does."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: os._exit(0))
