"""A client of the load test: one open connection, random operations with pauses between them."""

import asyncio
import difflib
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

PATIENCE = 120.0  # seconds after which a request counts as failed
CHUNK = 65_536


@dataclass(frozen=True)
class Sample:
    """One request: when it began, in seconds since the measured time began, and how it went.

    Status 0 means no answer.
    """

    operation: str
    at: float
    seconds: float
    status: int


@dataclass
class Shared:
    """The state shared by all clients of a run."""

    ns: str
    token: str
    texts: list[str]
    pause: float  # seconds between two requests of a client, on the average
    keys: int  # of each client
    began: float = 0.0
    until: float = 0.0
    samples: list[Sample] = field(default_factory=list)
    acknowledged: dict[str, str] = field(
        default_factory=dict
    )  # the newest acknowledged content of each key
    unknown: dict[str, list[str]] = field(
        default_factory=dict
    )  # contents that were sent later and not acknowledged
    writes: int = 0
    reconnected: int = 0


@dataclass(frozen=True)
class Request:
    """A request to send; `key` and `content` are set for a write."""

    method: str
    path: str
    body: dict[str, object] | None = None
    key: str = ""
    content: str = ""


class Client:
    """One client that writes keys no other client writes."""

    def __init__(self, number: int, host: str, port: int, shared: Shared, seed: int) -> None:
        self._host, self._port, self._shared = host, port, shared
        self._number = number
        self._random = random.Random(f"{seed} {number}")
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def work(self) -> None:
        """Send requests, with pauses, until the time is up."""
        await asyncio.sleep(self._random.random() * self._shared.pause)
        while time.monotonic() < self._shared.until:
            operation = self._random.choices(list(OPERATIONS), list(WEIGHTS.values()))[0]
            request = OPERATIONS[operation](self)
            began = time.monotonic()
            status = await self._send(request)
            taken = time.monotonic() - began
            self._shared.samples.append(
                Sample(operation, began - self._shared.began, taken, status)
            )
            self._note(request, status)
            rest = self._shared.pause * self._random.uniform(0.5, 1.5) - taken
            await asyncio.sleep(max(0.0, rest))
        self._close()

    def _note(self, request: Request, status: int) -> None:
        """Remember a write as acknowledged, or as one that may have arrived."""
        if not request.key:
            return
        if status in (200, 201):
            self._shared.acknowledged[request.key] = request.content
            self._shared.unknown.pop(request.key, None)
            self._shared.writes += 1
        elif status == 0 or status >= 500:
            self._shared.unknown.setdefault(request.key, []).append(request.content)

    async def _send(self, request: Request) -> int:
        """Send a request and return the status.

        A connection that the server has closed is opened again, once.
        """
        for attempt in range(2):
            is_kept = self._writer is not None
            try:
                return await asyncio.wait_for(self._exchange(request), PATIENCE)
            except (OSError, EOFError, asyncio.IncompleteReadError):
                self._close()
                if not is_kept or attempt:
                    return 0
                self._shared.reconnected += 1
            except TimeoutError:
                self._close()
                return 0
        return 0

    async def _exchange(self, request: Request) -> int:
        if self._writer is None or self._reader is None:
            self._reader, self._writer = await asyncio.open_connection(
                self._host, self._port, limit=1 << 20
            )
        body = b"" if request.body is None else json.dumps(request.body).encode()
        head = [
            f"{request.method} {request.path} HTTP/1.1",
            f"Host: {self._host}:{self._port}",
            f"Authorization: Bearer {self._shared.token}",
            f"Content-Length: {len(body)}",
            *(["Content-Type: application/json"] if body else []),
        ]
        self._writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await self._writer.drain()
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in answer[1:] if line)
        await self._reader.readexactly(int(headers["content-length"]))
        if headers.get("connection") == "close":
            self._close()
        return int(answer[0].split()[1])

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    # --- operations

    def _text(self) -> str:
        return self._random.choice(self._shared.texts)

    def _own_key(self) -> str:
        return f"c{self._number:02d}-{self._random.randrange(self._shared.keys):02d}"

    def _memory(self, key: str) -> str:
        return f"/api/v1/memories/{quote(self._shared.ns, safe='')}/{quote(key, safe='')}"

    def search(self) -> Request:
        """Search with the words of a stored text, or of one that is not there."""
        query = " ".join(self._text().split()[:8])
        return Request("POST", "/api/v1/search", {"query": query, "ns": self._shared.ns})

    def context(self) -> Request:
        """Assemble a context."""
        query = " ".join(self._text().split()[:8])
        return Request(
            "POST", "/api/v1/context", {"query": query, "ns": self._shared.ns, "budget": 2_000}
        )

    def get(self) -> Request:
        """Read a memory that is there."""
        known = list(self._shared.acknowledged) or ["seed-0"]
        return Request("GET", self._memory(self._random.choice(known)))

    def put(self) -> Request:
        """Store the next version of one of the client's keys."""
        key = self._own_key()
        content = (
            f"{self._text()}\nNumber {self._random.randrange(10**9)} of client {self._number}."
        )
        return Request("PUT", self._memory(key), {"content": content}, key, content)

    def list(self) -> Request:
        """List the newest memories."""
        return Request("GET", f"/api/v1/memories?ns={quote(self._shared.ns, safe='')}&limit=20")

    def patch(self) -> Request:
        """Change the last line of one of the client's memories by a diff.

        A memory that was never put is put instead.
        """
        key = self._own_key()
        before = self._shared.acknowledged.get(key)
        if before is None or key in self._shared.unknown:
            return self.put()
        head, _, _ = before.rpartition("\n")
        content = f"{head}\nPatched {self._random.randrange(10**9)} by client {self._number}."
        lines = difflib.unified_diff(before.split("\n"), content.split("\n"), "a", "b", lineterm="")
        return Request("PATCH", self._memory(key), {"diff": "\n".join(lines) + "\n"}, key, content)


OPERATIONS: dict[str, Callable[[Client], Request]] = {
    "search": Client.search,
    "context": Client.context,
    "get": Client.get,
    "list": Client.list,
    "put": Client.put,
    "patch": Client.patch,
}
WEIGHTS = {"search": 30, "context": 10, "get": 25, "list": 10, "put": 20, "patch": 5}
