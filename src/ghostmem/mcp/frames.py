"""Frames of JSON-RPC: a line or a body is read as messages, or answered with an error.

Every request is answered; notifications and responses never are, as JSON-RPC demands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ghostmem.mcp.protocol import BATCH_VERSION, INVALID_REQUEST, PARSE_ERROR, ProtocolError
from ghostmem.schema import MAX_MESSAGE_DEPTH, is_deeper

Message = Mapping[str, Any]
MAX_BATCH = 100  # messages in one list


class FrameError(ProtocolError):
    """A frame that is no message; `id` is that of the request, or None where it cannot be read."""

    def __init__(self, code: int, message: str, id_: str | int | None = None) -> None:
        super().__init__(code, message)
        self.id = id_


def parse(frame: bytes) -> Any:
    """Return the JSON value of a frame.

    Raises:
        FrameError: The frame is not UTF-8, or not JSON.
    """
    try:
        return json.loads(frame.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FrameError(PARSE_ERROR, f"Parse error: byte {error.start} is not UTF-8") from None
    except RecursionError:
        raise FrameError(
            PARSE_ERROR, f"Parse error: nested deeper than {MAX_MESSAGE_DEPTH} levels"
        ) from None
    except ValueError as error:
        raise FrameError(PARSE_ERROR, f"Parse error: {str(error)[:200]}") from None


def read_message(value: Any) -> Message | None:
    """Return a request or a notification, or None when there is nothing to answer.

    Raises:
        FrameError: The value is not a message of JSON-RPC 2.0.
    """
    if isinstance(value, list):
        raise FrameError(
            INVALID_REQUEST,
            f"Invalid request: only version {BATCH_VERSION} of the protocol has batches",
        )
    if not isinstance(value, dict):
        raise FrameError(INVALID_REQUEST, "Invalid request: a message is a JSON object")
    given = value.get("id")
    id_ = given if isinstance(given, str | int) and not isinstance(given, bool) else None
    if value.get("jsonrpc") != "2.0":
        raise FrameError(INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"', id_)
    if "method" not in value and value.keys() & {"result", "error"}:
        return None  # a response; this server asks its clients nothing
    if not isinstance(value.get("method"), str):
        raise FrameError(INVALID_REQUEST, "Invalid request: method must be a string", id_)
    if "id" in value and id_ is None:
        raise FrameError(INVALID_REQUEST, "Invalid request: id must be a string or a whole number")
    if is_deeper(value, MAX_MESSAGE_DEPTH):
        if id_ is None:
            return None
        raise FrameError(
            INVALID_REQUEST, f"Invalid request: nested deeper than {MAX_MESSAGE_DEPTH} levels", id_
        )
    return value


def read_batch(values: Sequence[Any], version: str | None) -> tuple[list[Message], list[Message]]:
    """Return the messages of a batch, and the replies to those of its items that cannot be read.

    Raises:
        FrameError: The negotiated version has no batches, or the batch is empty or too long.
    """
    if version != BATCH_VERSION:
        read_message(values)
    if not 0 < len(values) <= MAX_BATCH:
        raise FrameError(
            INVALID_REQUEST,
            f"Invalid request: a batch has 1 to {MAX_BATCH} messages, not {len(values)}",
        )
    messages: list[Message] = []
    errors: list[Message] = []
    for value in values:
        try:
            message = read_message(value)
            if message is not None and message["method"] == "initialize":
                raise FrameError(
                    INVALID_REQUEST,
                    "Invalid request: initialize cannot be part of a batch",
                    message.get("id"),
                )
        except FrameError as error:
            errors.append(error_reply(error))
        else:
            messages += [message] if message is not None else []
    return messages, errors


def error_reply(error: ProtocolError, id_: str | int | None = None) -> Message:
    """Return the response for an error."""
    id_ = error.id if isinstance(error, FrameError) else id_
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": error.code, "message": error.message}}


def encode(reply: Message | Sequence[Message]) -> bytes:
    """Return a reply as JSON on one line."""
    try:
        return json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a character, say in an id
        return json.dumps(reply, separators=(",", ":")).encode()
