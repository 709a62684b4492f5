"""Responses for errors: a status and an error without internals of the server."""

import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from ghostmem.errors import (
    ConflictError,
    EmbeddingError,
    EngineError,
    ForbiddenError,
    GhostError,
    InvalidInputError,
    LostConnectionError,
    ModelError,
    NewerStoreError,
    NotFoundError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreFullError,
    with_fields,
)

# Errors by class, the first that fits: their status, and whether their own words may be told.
# Those of the engine and of providers name files and addresses of the server, so their class speaks
# for them.
STATUSES: tuple[tuple[type[GhostError], int, bool], ...] = (
    (InvalidInputError, 400, True),
    (ForbiddenError, 403, True),
    (NotFoundError, 404, True),
    (ConflictError, 409, True),
    (NewerStoreError, 403, False),
    (ReadOnlyStoreError, 403, False),
    (EmbeddingError, 502, False),
    (ModelError, 502, False),
    (StoreBusyError, 503, False),
    (LostConnectionError, 503, False),
    (StoreFullError, 507, False),
    (EngineError, 500, False),
)
_LOST = {"message": "the database does not answer just now, and nothing of this was stored"}
_UNKNOWN = {
    "message": "the connection to the database broke during the commit: the change may or "
    "may not be stored",
    "hint": "read it back before you try again; the same put twice is one memory",
}
# The call that does what the command of a hint does; its arguments are those of the command.
_CALLS = {
    "list": "GET /api/v1/memories",
    "ns list": "GET /api/v1/namespaces",
    "edge list": "GET /api/v1/edges",
    "rule list": "GET /api/v1/rules",
    "quarantine list": "GET /api/v1/quarantine",
    "history": "GET /api/v1/memories/{ns}/{key}/history",
    "restore": "POST /api/v1/memories/{ns}/{key}/restore",
    "curate": "POST /api/v1/memories/{ns}/{key}/curate",
    "rm": "DELETE /api/v1/memories/{ns}/{key}",
    "conflicts": "GET /api/v1/conflicts",
    "resolve": "POST /api/v1/resolve",
    "clusters": "GET /api/v1/clusters",
    "undo": "GET /api/v1/runs",
}
_COMMAND = re.compile(rf"`ghost ({'|'.join(_CALLS)})\b[^`]*`")
RETRY = 1  # seconds to wait for a store that is busy
UNEXPECTED = {
    "error": "InternalError",
    "message": "something unexpected happened",
    "hint": "the server's log says more: look for this request's X-Request-Id",
}


class Refused(Exception):  # noqa: N818 (it is an answer, not an error of ours)
    """A request that goes no further."""

    def __init__(self, status: int, error: str, message: str, hint: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": error, "message": message, "hint": hint}
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def wrong_method(allowed: str) -> Refused:
    """Return the refusal of a method that a path does not have."""
    return Refused(
        405,
        "MethodNotAllowed",
        "this path has no such method",
        f"it has {allowed}",
        Allow=allowed,
    )


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a value as JSON."""
    return Response(
        json.dumps(value, ensure_ascii=False).encode(errors="replace"),
        status,
        headers,
        "application/json",
    )


def rest_hint(hint: str) -> str:
    """Return a hint for a program: calls instead of commands, fields instead of options."""
    return (
        "`GET /api/v1/openapi.json` describes the fields"
        if hint == InvalidInputError.default_hint
        else with_fields(_COMMAND.sub(lambda match: f"`{_CALLS[match[1]]}`", hint))
    )


def refusal(error: GhostError | Refused, on_page: bool = False) -> Response:
    """Return the response for an error; people on the viewer's page can run commands."""
    if isinstance(error, Refused):
        return json_response(error.body, error.status, error.headers)
    for kind, status, told in STATUSES:
        if isinstance(error, kind):
            body: dict[str, Any] = {
                "error": type(error).__name__,
                "message": error.message,
                "hint": error.hint if on_page else rest_hint(error.hint),
            }
            if not told:
                about = (type(error).__doc__ or "").strip().rstrip(".")
                body |= {
                    "message": about[:1].lower() + about[1:],
                    "hint": "the operator of this server must fix it",
                }
            if isinstance(error, NotFoundError) and error.similar:
                body["similar"] = list(error.similar)
            if status == 503:
                body["hint"] = "try again in a moment"
            if isinstance(error, LostConnectionError):
                body |= _LOST if error.stored is False else _UNKNOWN
            return json_response(
                body, status, {"Retry-After": str(RETRY)} if status == 503 else None
            )
    return json_response(UNEXPECTED, 500)
