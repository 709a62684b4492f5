"""REST: find the route, check fields and permission, and call Ghost in a worker thread."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from typing import Any, NoReturn
from urllib.parse import parse_qsl, unquote_to_bytes

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import compile_path

from ghostmem.caller import CALLER, SCOPES, grant_hint, require
from ghostmem.errors import ForbiddenError, InvalidInputError, ReadOnlyStoreError
from ghostmem.ghost import Ghost
from ghostmem.model import plain
from ghostmem.schema import (
    MAX_MESSAGE_DEPTH,
    check,
    is_deeper,
    too_deep,
    with_whole_numbers,
    without_nulls,
)
from ghostmem.web.refusals import Refused, json_response, wrong_method
from ghostmem.web.route import ALL, ONE, SEVERAL, ApiRoute, Given
from ghostmem.web.routes import ROUTES
from ghostmem.web.session import refuse_writes

PREFIX = "/api/v1"
MAX_FIELDS = 1000  # in a query
LINES = "application/x-ndjson"
EXPORT_BATCH = 200  # lines of an export that are sent together
LARGE_BODY_BYTES = 64_000  # bytes
MAX_LARGE_REQUESTS = 2  # requests with large bodies that are worked on at a time
_LARGE: RunVar[anyio.CapacityLimiter] = RunVar("ghost.large")
# matched with encoded paths, in which a slash of a key is %2F
_PATTERNS = [(route, compile_path(route.path)[0]) for route in ROUTES]
_STRAY = re.compile(rb"%(?![0-9A-Fa-f]{2})")


async def call(ghost: Ghost, request: Request) -> Response:
    """Answer one request below the prefix."""
    route, named = find(
        request.method, request.scope["raw_path"].decode("latin-1").removeprefix(PREFIX)
    )
    refuse_conditions(request)
    request.scope["ghost.trace"].route = PREFIX + route.path
    query = read_query(route, request.scope["query_string"])
    sent = await request.body()
    # which would be called invalid JSON otherwise
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Refused(
            415, "UnsupportedMediaType", "the body is compressed", "send it without compression"
        )
    body = read_body(request.headers.get("content-type", ""), sent)
    if body and not route.has_body:
        raise InvalidInputError("this path takes no body", "send the fields in the query string")
    if double := sorted(named.keys() & (query.keys() | body.keys())):
        raise InvalidInputError(f"{double[0]} is already in the path", "leave it out elsewhere")
    given = {**query, **without_nulls(body, route.schema), **named}
    check(given, route.schema)
    given = with_whole_numbers(given, route.schema)
    authorise(route, given)
    if route.streams:
        return (
            Response(media_type=LINES)
            if request.method == "HEAD"
            else await _stream(route.call(ghost, given))
        )
    try:
        result = await _work(request, len(sent), lambda: plain(route.call(ghost, given)))
    except ReadOnlyStoreError:
        refuse_writes(
            "write"
        )  # a dry run that is a write taken back needs a store that can be written
        raise
    created = isinstance(result, dict) and result.get("outcome") == "created"
    return json_response(result, 201 if created and route.method in ("PUT", "POST") else 200)


def refuse_conditions(request: Request) -> None:
    """Refuse a change with a condition in its headers, which would be ignored otherwise."""
    for name in ("If-Match", "If-None-Match", "If-Unmodified-Since"):
        if name in request.headers and request.method not in ("GET", "HEAD"):
            raise InvalidInputError(
                f"the header {name} is not supported",
                "send base_version: the version that must be current, or 0 for a new key",
            )


async def _work(request: Request, size: int, work: Callable[[], Any]) -> Any:
    """Run the work of a request in a thread.

    Large requests run one after another, and one whose client has left is not started.
    """
    if size <= LARGE_BODY_BYTES:
        return await anyio.to_thread.run_sync(work)
    await (
        request.is_disconnected()
    )  # lets the server read on, so that it hears of it when the client leaves meanwhile
    async with limiter(_LARGE, MAX_LARGE_REQUESTS):  # keeps threads free for small requests
        if await request.is_disconnected():
            raise Refused(400, "ClientLeft", "the client has disconnected", "send it again")
        return await anyio.to_thread.run_sync(work)


def limiter(variable: RunVar[anyio.CapacityLimiter], most: int) -> anyio.CapacityLimiter:
    """Return a limiter of the running event loop."""
    try:
        return variable.get()
    except LookupError:
        variable.set(anyio.CapacityLimiter(most))
        return variable.get()


def find(method: str, path: str) -> tuple[ApiRoute, Given]:
    """Return the route of an encoded path and the values in the path; a key is one segment.

    HEAD has the route of GET.
    """
    matches = {
        route.method: (route, match)
        for route, pattern in _PATTERNS
        if (match := pattern.fullmatch(path))
    }
    if not matches:
        raise Refused(
            404, "NotFoundError", "there is no such path", f"{PREFIX}/openapi.json lists them"
        )
    wanted = "GET" if method == "HEAD" else method
    if wanted not in matches:
        raise wrong_method(", ".join(sorted({*matches, *(["HEAD"] if "GET" in matches else [])})))
    route, match = matches[wanted]
    return route, {
        name: _decoded(value.encode("latin-1")) for name, value in match.groupdict().items()
    }


def _decoded(part: bytes) -> str:
    if _STRAY.search(part):
        raise InvalidInputError(
            "the path has a % that is not followed by two hexadecimal digits",
            "write a percent sign as %25",
        )
    try:
        return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        raise InvalidInputError(
            "the path is not UTF-8", "percent-encode the bytes of UTF-8"
        ) from None


def read_query(route: ApiRoute, raw: bytes) -> Given:
    """Read the fields of a query; a list field may be repeated."""
    if _STRAY.search(raw):
        raise InvalidInputError(
            "the query has a % that is not followed by two hexadecimal digits", "write it as %25"
        )
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError:  # also what is not ASCII or not UTF-8
        raise InvalidInputError(
            "the query cannot be read", f"send at most {MAX_FIELDS} fields, percent-encoded UTF-8"
        ) from None
    if pairs and route.has_body:
        raise InvalidInputError("this path takes no query", "send the fields as JSON in the body")
    given: Given = {}
    for name, value in pairs:
        kind = route.takes.get(name, {}).get("type")
        if kind == "array":
            given.setdefault(name, []).append(value)
        elif name in given:
            raise InvalidInputError(f"{name[:60]!r} is given twice", "give it once")
        else:
            given[name] = _typed(value, kind)
    return given


def _typed(value: str, kind: str | None) -> Any:
    """Return a value of a query as its type, or unchanged when the schema has to refuse it."""
    if kind == "boolean":
        return {"true": True, "false": False}.get(value, value)
    if kind == "integer" and re.fullmatch(r"-?[0-9]{1,1000}", value):
        return int(value)
    if kind == "number" and re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", value):
        return float(value)
    return value


def read_body(kind: str, body: bytes) -> Given:
    """Read a JSON body; an empty body is an empty object."""
    if not body:
        return {}
    media, _, rest = kind.partition(";")
    if media.strip().lower() != "application/json" or (
        "charset" in rest.lower() and "utf-8" not in rest.lower()
    ):
        raise Refused(
            415,
            "UnsupportedMediaType",
            "the body is not JSON",
            "send it as Content-Type: application/json, in UTF-8",
        )
    try:
        found = json.loads(body.decode(), parse_constant=_no_number)
    except RecursionError:
        raise too_deep("the body", MAX_MESSAGE_DEPTH) from None
    except ValueError:  # also what is not UTF-8, and numbers of thousands of digits
        raise InvalidInputError("the body is not valid JSON", "send one object, in UTF-8") from None
    if not isinstance(found, dict):
        raise InvalidInputError("the body is not an object", 'write it as {"name": "value"}')
    if is_deeper(found, MAX_MESSAGE_DEPTH):
        raise too_deep("the body", MAX_MESSAGE_DEPTH)
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def authorise(route: ApiRoute, given: Given) -> None:
    """Check that the caller may use a route in a namespace.

    A caller with a single namespace who names none gets that one.
    """
    need = "read" if given.get("dry_run") is True else route.scope
    refuse_writes(need)
    if route.where == ALL:
        require("", need)
    elif route.where == ONE:
        require(given["ns"], need)
    elif route.where == SEVERAL:
        if not given.get("ns") and not CALLER.get().may("", need):
            scopes = SCOPES[SCOPES.index(need) :]
            names = {ns for ns, scope in CALLER.get().grants if scope in scopes}
            if len(names) != 1:
                raise ForbiddenError(
                    f"this token may not {need} in all namespaces",
                    grant_hint(need, "; send the namespace as ns"),
                )
            given["ns"] = names.pop()
        require(given.get("ns", ""), need)


async def _stream(lines: Iterator[str]) -> Response:
    """Send lines as they are made; an error before the first line still gets a status."""

    def batch() -> bytes:
        return "".join(f"{line}\n" for line in islice(lines, EXPORT_BATCH)).encode(errors="replace")

    first = await anyio.to_thread.run_sync(batch)

    async def body() -> AsyncIterator[bytes]:
        part = first
        try:
            while part:
                yield part
                part = await anyio.to_thread.run_sync(batch)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(lines.close)  # type: ignore[attr-defined]

    return StreamingResponse(body(), media_type=LINES)
