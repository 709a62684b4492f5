"""The ASGI application: its paths, and the layers that every request passes."""

import time
from collections.abc import Callable, Collection

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ghostmem.caller import require
from ghostmem.errors import GhostError
from ghostmem.frozen import frozen
from ghostmem.ghost import Ghost
from ghostmem.web import api
from ghostmem.web.auth import IF_ANY, authenticated
from ghostmem.web.events import Events
from ghostmem.web.guard import bounded, guarded, only_get
from ghostmem.web.logs import CONTENT_TYPE, Log, Metrics, to_stderr, traced
from ghostmem.web.openapi import document
from ghostmem.web.pages import StaticFiles, sign_in_app
from ghostmem.web.rate import Rate
from ghostmem.web.refusals import Refused, json_response
from ghostmem.web.session import WebSessions

OPENAPI = f"{api.PREFIX}/openapi.json"
EVENTS = f"{api.PREFIX}/events"
MCP = "/mcp"
FILES = "/static/"
READY_SECONDS = 2.0  # seconds that a store has to say that it is there
_PROBES: RunVar[anyio.CapacityLimiter] = RunVar("ghost.probes")
MAX_PROBES = 4  # that are answered at a time
FORM_BYTES = 4096  # of a form that somebody signs in with


@frozen
class RequestLimits:
    """Limits of each caller."""

    body_bytes: int = 16_000_000
    body_seconds: float = 30.0
    per_second: float = 100.0
    burst: int = 500
    clock: Callable[[], float] = time.monotonic


class App:
    """Ghost as an ASGI application; close it before its server, to end the event streams."""

    def __init__(self, app: ASGIApp, live: ASGIApp, events: Events) -> None:
        self._app, self._live, self.events = app, live, events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            scope.setdefault("raw_path", scope["path"].encode())
            await self._app(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def close(self) -> None:
        """End the event streams."""
        self.events.close()


def make_app(
    ghost: Ghost,
    *,
    require_tokens: str = IF_ANY,
    allowed_hosts: Collection[str] = (),
    mcp_app: ASGIApp | None = None,
    limits: RequestLimits | None = None,
    log: Log = to_stderr,
    sessions: WebSessions | None = None,
) -> App:
    """Return Ghost as an ASGI application: /api/v1, /healthz, /readyz, /metrics and /mcp.

    Args:
        ghost: The store.
        require_tokens: "always", "if-any" (once the store has had a token) or "never".
        allowed_hosts: Names of this server in addition to those of loopback.
        mcp_app: Application for the path /mcp; it also gets the lifespan.
        limits: Limits of each caller.
        log: Function that takes the log line of a request.
        sessions: Sessions of the viewer, which is then at / and signs people in by cookie.
    """
    limits = limits or RequestLimits()
    metrics, events, files = Metrics(), Events(ghost), None if sessions is None else StaticFiles()
    app = _dispatcher(ghost, metrics, mcp_app, events, files)
    app = bounded(app, limits.body_bytes, limits.body_seconds)
    sign_in = (
        None
        if sessions is None or files is None
        else bounded(sign_in_app(ghost, sessions, files), FORM_BYTES, limits.body_seconds)
    )
    app = authenticated(
        app,
        ghost,
        require_tokens,
        Rate(limits.per_second, limits.burst, limits.clock),
        sessions,
        sign_in,
    )
    app = guarded(app, allowed_hosts, strict=sessions is not None and sessions.strict)
    return App(traced(app, metrics, log, ghost.store.clock), mcp_app or _live, events)


async def _live(_: Scope, receive: Receive, send: Send) -> None:
    while (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})


def _dispatcher(
    ghost: Ghost,
    metrics: Metrics,
    mcp_app: ASGIApp | None,
    events: Events,
    files: StaticFiles | None,
) -> ASGIApp:
    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        path: bytes = scope["raw_path"]
        if path == EVENTS.encode():
            scope["ghost.trace"].route = EVENTS
            only_get(scope)
            response = await events.answer(scope["ghost.known"])
        elif path.startswith(api.PREFIX.encode() + b"/") and path != OPENAPI.encode():
            response = await api.call(ghost, Request(scope, receive))
        elif mcp_app is not None and (path == MCP.encode() or path.startswith(MCP.encode() + b"/")):
            scope["ghost.trace"].route = MCP
            await mcp_app(scope, receive, send)
            return
        elif files is not None and path.startswith(FILES.encode()):
            scope["ghost.trace"].route = FILES
            response = files.answer(scope, path[len(FILES) :].decode("latin-1"))
        else:
            response = await _standalone(ghost, metrics, scope, path.decode("latin-1"))
        await response(scope, receive, send)

    return run


async def _standalone(ghost: Ghost, metrics: Metrics, scope: Scope, path: str) -> Response:
    """Answer at a path that belongs neither to the API nor to the viewer."""
    if path not in ("/healthz", "/readyz", "/metrics", OPENAPI):
        raise Refused(
            404, "NotFoundError", "there is no such path", f"{OPENAPI} lists those of the API"
        )
    scope["ghost.trace"].route = path
    only_get(scope)
    if path == "/healthz":
        return json_response({"status": "ok"})
    if path == "/readyz":
        # threads of their own: the answer does not wait behind requests that wait for the store
        ready = await anyio.to_thread.run_sync(
            _ready, ghost, limiter=api.limiter(_PROBES, MAX_PROBES)
        )
        return json_response({"status": "ready" if ready else "not ready"}, 200 if ready else 503)
    if path == "/metrics":
        require("", "read")
        return Response(
            metrics.render(await anyio.to_thread.run_sync(_gauges, ghost)), media_type=CONTENT_TYPE
        )
    return json_response(document(api.PREFIX))


def _ready(ghost: Ghost) -> bool:
    """Tell whether the store can be read, without waiting long for it."""
    answers: Callable[[float], bool] | None = getattr(ghost.store.engine, "answers", None)
    if answers is not None:
        return answers(READY_SECONDS)
    try:
        ghost.list(limit=1)
    except GhostError:
        return False
    return True


def _gauges(ghost: Ghost) -> dict[str, tuple[str, int]]:
    found = ghost.admin.stats()
    return {
        "ghost_memories": ("Live memories.", found.active_memories),
        "ghost_memory_versions": ("Memories with all their versions.", found.total_memories),
        "ghost_chunks": ("Chunks that are searched.", found.total_chunks),
        "ghost_edges": ("Links between memories.", found.total_edges),
        "ghost_store_bytes": ("Size of the store.", found.db_size_bytes),
    }
