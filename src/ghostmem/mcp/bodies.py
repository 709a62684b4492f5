"""Bodies of HTTP requests of the older protocol: batches, and errors for unreadable bodies.

The SDK has no batches, and distinguishes invalid messages from invalid parameters only in the newer
protocol.
"""

from functools import partial
from typing import Any

import anyio
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ghostmem.mcp.protocol import (
    BATCH_VERSION,
    VERSIONS,
    ProtocolError,
    encode,
    error_reply,
    parse,
    read_batch,
    read_message,
)
from ghostmem.mcp.requests import ClientInfo, reply_to, run_method
from ghostmem.mcp.tool_server import ToolServer

_JSON = "application/json"
_VERSION_HEADER = "mcp-protocol-version"


class CheckedBodies:
    """An application whose requests of the older protocol are read here first.

    Single messages go on to it.
    """

    def __init__(self, app: ASGIApp, tools: ToolServer, limit: int) -> None:
        self._app, self._tools, self._limit = app, tools, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a batch or an unreadable body, and hand everything else on."""
        is_post = scope["type"] == "http" and scope["method"] == "POST"
        # a request that names no version is of the one before the header was invented
        headers = Headers(scope=scope) if is_post else {}
        version = headers.get(_VERSION_HEADER, BATCH_VERSION).strip()
        length = headers.get("content-length", "")
        if (
            not is_post
            or version not in VERSIONS
            or (length.isdigit() and int(length) > self._limit)
        ):
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        response = await self._checked(body, version) if len(body) <= self._limit else None
        if response is None:
            await self._app(scope, _replay(body, receive), send)
        else:
            await response(scope, receive, send)

    async def _checked(self, body: bytes, version: str | None) -> Response | None:
        """Return the answer to a batch or an unreadable body; None for a single message."""
        try:
            value = parse(body)
            if isinstance(value, list):
                return await self._batch(value, version)
            read_message(value)
        except ProtocolError as error:
            return Response(encode(error_reply(error, error.id)), 400, media_type=_JSON)
        return None

    async def _batch(self, values: list[Any], version: str | None) -> Response:
        messages, replies = read_batch(values, version)
        for message in messages:
            if "id" in message:
                replies.append(
                    await anyio.to_thread.run_sync(
                        reply_to,
                        message,
                        partial(run_method, self._tools, message["method"], ClientInfo()),
                    )
                )
        if not replies:
            return Response(status_code=202)
        return Response(encode(replies), media_type=_JSON)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a channel that first repeats a body that was already read."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
