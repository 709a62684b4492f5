"""Bodies of HTTP requests of the older protocol: batches, and errors for unreadable bodies.

The SDK has no batches, and distinguishes invalid messages from invalid parameters only in the newer
protocol.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from starlette.responses import Response

from ghostmem.mcp.frames import FrameError, encode, error_reply, parse, read_batch, read_message
from ghostmem.mcp.protocol import BATCH_VERSION, VERSIONS
from ghostmem.mcp.requests import ClientInfo, reply_to, run_method

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ghostmem.mcp.tool_server import ToolServer

_VERSION_HEADER = b"mcp-protocol-version"


class CheckedBodies:
    """An application whose requests of the older protocol are read here first.

    Single messages go on to it.
    """

    def __init__(self, app: ASGIApp, tools: ToolServer, limit: int) -> None:
        self._app, self._tools, self._limit = app, tools, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a batch or an unreadable body, and hand everything else on."""
        version = _version(scope) if scope["type"] == "http" and scope["method"] == "POST" else None
        if version not in VERSIONS or _length(scope) > self._limit:
            await self._app(scope, receive, send)
            return
        first = await _read(receive, self._limit)
        if first["type"] == "http.request" and not first["more_body"]:
            try:
                value = parse(first["body"])
                if isinstance(value, list):
                    await (await self._batch(value, version))(scope, receive, send)
                    return
                read_message(value)
            except FrameError as error:
                await _response(encode(error_reply(error)), 400)(scope, receive, send)
                return
        await self._app(scope, _replay(first, receive), send)

    async def _batch(self, values: list[Any], version: str | None) -> Response:
        messages, replies = read_batch(values, version)
        for message in messages:
            if "id" in message:
                work = partial(run_method, self._tools, message["method"], ClientInfo())
                replies.append(await anyio.to_thread.run_sync(reply_to, message, work))
        return _response(encode(replies), 200) if replies else Response(status_code=202)


def _version(scope: Scope) -> str:
    """Return the version that a request names.

    One that names none is of the version before the header was invented.
    """
    found = [value for name, value in scope["headers"] if name == _VERSION_HEADER]
    return found[0].decode("latin-1").strip() if found else BATCH_VERSION


def _length(scope: Scope) -> int:
    """Return the declared length of a body."""
    found = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(found[0]) if found and found[0].isdigit() else 0


async def _read(receive: Receive, limit: int) -> Message:
    """Return a body as one event; `more_body` is set when it exceeds the limit."""
    parts, size = [], 0
    while True:
        event = await receive()
        if event["type"] != "http.request":
            return event
        parts.append(event.get("body", b""))
        size += len(parts[-1])
        more = event.get("more_body", False)
        if not more or size > limit:
            return {
                "type": "http.request",
                "body": b"".join(parts),
                "more_body": more or size > limit,
            }


def _replay(first: Message, receive: Receive) -> Receive:
    """Return a channel that first repeats an event that was already read."""
    waiting = [first]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def _response(body: bytes, status: int) -> Response:
    return Response(body, status, media_type="application/json")
