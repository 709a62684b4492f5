"""Messages of the protocol: a line or a body is read as messages, or answered with an error.

Every request is answered; notifications and responses never are, as JSON-RPC demands.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ghostmem.schema import MAX_MESSAGE_DEPTH, is_deeper

NAME, TITLE = "ghost", "Ghost memory"
VERSIONS = (
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
)  # of the protocol with a handshake
BATCH_VERSION = "2025-03-26"  # the only version whose clients may send several messages in one list
PARSE_ERROR = -32700
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32600, -32601, -32602, -32603
Message = Mapping[str, Any]
MAX_BATCH = 100  # messages in one list


class ProtocolError(Exception):
    """A request that is answered with an error: its code, a sentence, and its id if it is known."""

    def __init__(self, code: int, message: str, id_: str | int | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.id = code, message, id_


def parse(frame: bytes) -> Any:
    """Return the JSON value of a frame.

    Raises:
        ProtocolError: The frame is not UTF-8, or not JSON.
    """
    try:
        return json.loads(frame.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ProtocolError(PARSE_ERROR, f"Parse error: byte {error.start} is not UTF-8") from None
    except RecursionError:
        raise ProtocolError(
            PARSE_ERROR, f"Parse error: nested deeper than {MAX_MESSAGE_DEPTH} levels"
        ) from None
    except ValueError as error:
        raise ProtocolError(PARSE_ERROR, f"Parse error: {str(error)[:200]}") from None


def read_message(value: Any) -> Message | None:
    """Return a request or a notification, or None when there is nothing to answer.

    Raises:
        ProtocolError: The value is not a message of JSON-RPC 2.0.
    """
    if isinstance(value, list):
        raise ProtocolError(
            INVALID_REQUEST,
            f"Invalid request: only version {BATCH_VERSION} of the protocol has batches",
        )
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: a message is a JSON object")
    given = value.get("id")
    id_ = given if isinstance(given, str | int) and not isinstance(given, bool) else None
    if value.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"', id_)
    if "method" not in value and value.keys() & {"result", "error"}:
        return None  # a response; this server asks its clients nothing
    if not isinstance(value.get("method"), str):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: method must be a string", id_)
    if "id" in value and id_ is None:
        raise ProtocolError(
            INVALID_REQUEST, "Invalid request: id must be a string or a whole number"
        )
    if is_deeper(value, MAX_MESSAGE_DEPTH):
        if id_ is None:
            return None
        raise ProtocolError(
            INVALID_REQUEST, f"Invalid request: nested deeper than {MAX_MESSAGE_DEPTH} levels", id_
        )
    return value


def read_batch(values: Sequence[Any], version: str | None) -> tuple[list[Message], list[Message]]:
    """Return the messages of a batch, and the replies to those of its items that cannot be read.

    Raises:
        ProtocolError: The negotiated version has no batches, or the batch is empty or too long.
    """
    if version != BATCH_VERSION:
        read_message(values)
    if not 0 < len(values) <= MAX_BATCH:
        raise ProtocolError(
            INVALID_REQUEST,
            f"Invalid request: a batch has 1 to {MAX_BATCH} messages, not {len(values)}",
        )
    messages: list[Message] = []
    errors: list[Message] = []
    for value in values:
        try:
            message = read_message(value)
            if message is not None and message["method"] == "initialize":
                raise ProtocolError(
                    INVALID_REQUEST,
                    "Invalid request: initialize cannot be part of a batch",
                    message.get("id"),
                )
        except ProtocolError as error:
            errors.append(error_reply(error, error.id))
        else:
            messages += [message] if message is not None else []
    return messages, errors


def error_reply(error: ProtocolError, id_: str | int | None) -> Message:
    """Return the response for an error."""
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": error.code, "message": error.message}}


def encode(reply: Message | Sequence[Message]) -> bytes:
    """Return a reply as JSON on one line."""
    try:
        return json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a character, say in an id
        return json.dumps(reply, separators=(",", ":")).encode()
