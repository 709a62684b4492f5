"""Requests of the protocol, each a function from plain data to plain data."""

import traceback
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ghostmem.caller import CLIENT
from ghostmem.errors import GhostError, InvalidInputError
from ghostmem.mcp.app import URI, app_contents, app_resource, is_shown_by
from ghostmem.mcp.prompts import offered, prompt_result
from ghostmem.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Message,
    ProtocolError,
    error_reply,
)
from ghostmem.mcp.resources import complete, read, resources, templates
from ghostmem.mcp.texts import error_text, readable
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.schema import Schema, check
from ghostmem.store.validate import MAX_KEY

CALL = "tools/call"
MAX_COMPLETIONS = 100


class ClientInfo(NamedTuple):
    """A client: the name it gave itself, and its capabilities."""

    name: str = "mcp"
    capabilities: Mapping[str, Any] = {}


Given = Mapping[str, Any]
Found = dict[str, Any]


def reply_to(message: Message, work: Callable[[Given], Found]) -> Message:
    """Return the response to a request: the result of `work`, or an error."""
    given = message.get("params")
    try:
        if given is not None and not isinstance(given, dict):
            raise ProtocolError(
                INVALID_PARAMS, "Invalid request parameters: they must be an object"
            )
        return {"jsonrpc": "2.0", "id": message["id"], "result": work(given or {})}
    except ProtocolError as error:
        return error_reply(error, message["id"])


def run_method(tools: ToolServer, method: str, client: ClientInfo, given: Given) -> Found:
    """Answer any request that comes after the handshake."""
    if method == "ping":
        return {}
    if method not in REQUESTS:
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method[:60]}")
    return answer(tools, method, given, client)


def answer(tools: ToolServer, method: str, given: Given, client: ClientInfo) -> Found:
    """Answer a request that is one of REQUESTS."""
    run, schema = REQUESTS[method]
    given = {name: value for name, value in given.items() if value is not None}
    try:
        check(given, schema)
    except InvalidInputError as error:
        raise ProtocolError(
            INVALID_PARAMS, f"Invalid request parameters: {error.message}"
        ) from None
    try:
        return run(tools, given, client)
    except GhostError as error:
        raise ProtocolError(INTERNAL_ERROR, readable(error_text(error))) from None
    except ProtocolError:
        raise
    except Exception as error:
        traceback.print_exc()
        raise ProtocolError(INTERNAL_ERROR, f"{type(error).__name__} in {method}") from None


def _call_tool(tools: ToolServer, given: Given, client: ClientInfo) -> Found:
    CLIENT.set(client.name[:MAX_KEY])
    return tools.call(given["name"], given.get("arguments"))


def _list_resources(tools: ToolServer, _: Given, client: ClientInfo) -> Found:
    return {
        "resources": [
            *([app_resource()] if is_shown_by(client.capabilities) else []),
            *resources(tools),
        ]
    }


def _read(tools: ToolServer, given: Given, _: ClientInfo) -> Found:
    return {"contents": [app_contents() if given["uri"] == URI else read(tools, given["uri"])]}


def _get_prompt(tools: ToolServer, given: Given, _: ClientInfo) -> Found:
    return prompt_result(given["name"], _texts(given.get("arguments")), tools.toolsets)


def _complete(tools: ToolServer, given: Given, _: ClientInfo) -> Found:
    found = complete(
        tools,
        given["argument"]["name"],
        given["argument"]["value"],
        _texts(given.get("context", {}).get("arguments")),
    )
    return {
        "completion": {
            "values": found[:MAX_COMPLETIONS],
            "total": len(found),
            "hasMore": len(found) > MAX_COMPLETIONS,
        }
    }


def _texts(given: Mapping[str, Any] | None) -> Mapping[str, str]:
    for name, value in (given or {}).items():
        if not isinstance(value, str):
            raise ProtocolError(
                INVALID_PARAMS, f"Invalid request parameters: {name[:60]} must be a text"
            )
    return given or {}


_TEXT = {"type": "string"}
_ANY: Schema = {"type": "object"}


def _with(required: Mapping[str, Schema], **more: Schema) -> Schema:
    return {"type": "object", "properties": {**required, **more}, "required": list(required)}


REQUESTS: Mapping[str, tuple[Callable[[ToolServer, Given, ClientInfo], Found], Schema]] = {
    "tools/list": (
        lambda tools, _, client: {"tools": tools.listed(is_shown_by(client.capabilities))},
        _ANY,
    ),
    CALL: (_call_tool, _with({"name": _TEXT}, arguments=_ANY)),
    "resources/list": (_list_resources, _ANY),
    "resources/templates/list": (lambda *_: {"resourceTemplates": templates()}, _ANY),
    "resources/read": (_read, _with({"uri": _TEXT})),
    "prompts/list": (
        lambda tools, *_: {"prompts": list(offered(tools.toolsets).values())},
        _ANY,
    ),
    "prompts/get": (_get_prompt, _with({"name": _TEXT}, arguments=_ANY)),
    "completion/complete": (
        _complete,
        _with(
            {"ref": _ANY, "argument": _with({"name": _TEXT, "value": _TEXT})},
            context=_with({}, arguments=_ANY),
        ),
    ),
}
