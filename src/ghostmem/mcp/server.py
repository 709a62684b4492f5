"""The protocol through its official SDK: over HTTP, and over stdio for the newer protocol."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping
from io import TextIOWrapper
from pathlib import Path
from threading import Condition
from typing import Any, BinaryIO, TextIO, cast

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError
from starlette.types import ASGIApp

from ghostmem._version import __version__
from ghostmem.ghost import Ghost
from ghostmem.mcp.app import EXTENSION
from ghostmem.mcp.bodies import CheckedBodies
from ghostmem.mcp.protocol import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    NAME,
    TITLE,
    Message,
    ProtocolError,
    encode,
    error_reply,
    parse,
    read_message,
)
from ghostmem.mcp.requests import CALL, ClientInfo, answer
from ghostmem.mcp.texts import instructions
from ghostmem.mcp.tool_server import ToolServer, defer_model

Context = ServerRequestContext[Any]
_BODY = 4_000_000  # bytes of one request over HTTP
_FINISH_SECONDS = 30  # that running requests have when the input ends
_HANDLERS: Mapping[
    str, tuple[str, type[BaseModel]]
] = {  # by method: the argument of the server, and what it returns
    "tools/list": ("on_list_tools", types.ListToolsResult),
    CALL: ("on_call_tool", types.CallToolResult),
    "resources/list": ("on_list_resources", types.ListResourcesResult),
    "resources/templates/list": ("on_list_resource_templates", types.ListResourceTemplatesResult),
    "resources/read": ("on_read_resource", types.ReadResourceResult),
    "prompts/list": ("on_list_prompts", types.ListPromptsResult),
    "prompts/get": ("on_get_prompt", types.GetPromptResult),
    "completion/complete": ("on_completion", types.CompleteResult),
}


def make_server(tools: ToolServer) -> Server[Any]:
    """Return a server whose handlers answer requests from a store, each in a worker thread."""
    handlers: dict[str, Any] = {
        name: _handler(tools, method, result) for method, (name, result) in _HANDLERS.items()
    }
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=instructions(tools.toolsets, tools.default_ns()),
        **handlers,
    )
    server.extensions[EXTENSION] = {}
    return server


def _handler(tools: ToolServer, method: str, result: type[BaseModel]) -> Any:
    async def handle(context: Context, params: BaseModel | None) -> Any:
        given = (
            params.model_dump(by_alias=True, exclude_none=True, mode="json")
            if params is not None
            else {}
        )
        try:
            found = await anyio.to_thread.run_sync(answer, tools, method, given, _client(context))
        except ProtocolError as error:
            raise MCPError(error.code, error.message) from None
        if method == CALL:
            # after the first answer, so that it does not wait for a model
            tools.warm()
        return result.model_validate(found)

    return handle


def _client(context: Context) -> ClientInfo:
    known, capabilities = context.session.client_params, context.session.client_capabilities
    extensions = (capabilities.extensions or {}) if capabilities else {}
    return ClientInfo(
        known.client_info.name if known else ClientInfo().name, {"extensions": extensions}
    )


def serve_stdio(tools: ToolServer, source: Iterable[bytes], sink: BinaryIO) -> None:
    """Serve one client, whose lines come from a source, until it goes away."""
    from mcp.server.stdio import stdio_server

    server = make_server(tools)
    lines = _Lines(source, sink)
    reader, writer = cast("TextIO", lines), _Replies(sink, lines.answered)

    async def serve() -> None:
        async with stdio_server(anyio.wrap_file(reader), anyio.wrap_file(writer)) as (
            read_stream,
            write_stream,
        ):
            await server.run(read_stream, write_stream, server.create_initialization_options())

    anyio.run(serve)
    writer.detach()  # the pipe is not ours to close


class _Lines:
    """Lines that the SDK can read.

    The SDK ignores all other lines silently, so they are answered here.
    """

    def __init__(self, source: Iterable[bytes], sink: BinaryIO) -> None:
        self._source, self._sink = iter(source), sink
        self._unanswered = 0
        self._changed = Condition()

    def readline(self) -> str:
        """Return the next line, or an empty text at the end, when all requests are answered."""
        for line in self._source:
            try:
                message = _checked(line) if line.strip() else None
                if message is not None:
                    self._count(message)
                    return line.decode("utf-8-sig")
            except ProtocolError as error:
                self._sink.write(
                    encode(error_reply(error, error.id)) + b"\n"
                )  # in one call, because the SDK writes here too
                self._sink.flush()
        with self._changed:
            # the SDK drops requests that are still running when the input ends
            self._changed.wait_for(lambda: not self._unanswered, _FINISH_SECONDS)
        return ""

    def _count(self, message: Message) -> None:
        """Count a request, and one that the client cancelled as answered."""
        with self._changed:
            self._unanswered += "id" in message
        if message["method"] == "notifications/cancelled":
            self.answered()

    def answered(self) -> None:
        """Count a request as answered."""
        with self._changed:
            self._unanswered = max(0, self._unanswered - 1)
            self._changed.notify_all()


class _Replies(TextIOWrapper):
    """The standard output for the SDK, which writes each reply in one call."""

    def __init__(self, sink: BinaryIO, written: Callable[[], None]) -> None:
        super().__init__(sink, encoding="utf-8")
        self._written = written

    def write(self, text: str) -> int:
        """Write a reply, and report it."""
        try:
            return super().write(text)
        finally:
            self._written()


def _checked(line: bytes) -> Message | None:
    """Return the message of a line if it is for the SDK, or raise the error that answers it."""
    message = read_message(parse(line))
    if message is None:
        return None
    try:
        types.jsonrpc_message_adapter.validate_json(line.removeprefix(BOM_UTF8), by_name=False)
    except ValidationError:
        if "id" not in message:
            return None
        if not isinstance(message.get("params"), dict | None):
            raise ProtocolError(
                INVALID_PARAMS, "Invalid request parameters: they must be an object", message["id"]
            ) from None
        raise ProtocolError(
            INVALID_REQUEST, "Invalid request: a text or a number cannot be read", message["id"]
        ) from None
    return message


def http_app(
    ghost: Ghost, toolsets: Iterable[str] = ("memory",), root: Path | None = None
) -> ASGIApp:
    """Return an application that serves the protocol over HTTP at /mcp, with its lifespan."""
    from mcp.server.transport_security import TransportSecuritySettings

    defer_model(ghost)
    guard = TransportSecuritySettings(
        enable_dns_rebinding_protection=False
    )  # the application around it checks Host and Origin
    tools = ToolServer(ghost, toolsets, root=root, is_shared=True)
    app = make_server(tools).streamable_http_app(
        json_response=True,
        stateless_http=True,
        transport_security=guard,
        max_request_body_size=_BODY,
    )
    return CheckedBodies(app, tools, _BODY)
