"""One line of JSON for each request: its route, status and time, never its content."""

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ghostmem.clock import Clock, format_time
from ghostmem.errors import GhostError
from ghostmem.web.metrics import METHODS, Metrics
from ghostmem.web.refusals import UNEXPECTED, Refused, json_response, refusal

Log = Callable[[dict[str, Any]], None]
_UNLESS_SET = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'",
}


@dataclass
class Trace:
    """What is known of a request while it runs."""

    id: str
    route: str = "unmatched"
    caller: str = ""
    status: int = 0
    size: int = 0
    error: str = ""


def to_stderr(line: dict[str, Any]) -> None:
    """Write a line; a closed log stops nothing."""
    try:
        sys.stderr.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


def traced(app: ASGIApp, metrics: Metrics, log: Log, clock: Clock) -> ASGIApp:
    """Return the application with every request logged and counted, and every error answered."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        trace = Trace(os.urandom(8).hex())
        scope["ghost.trace"] = trace
        began = time.monotonic()

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                trace.status = message["status"]
                message.setdefault("headers", [])
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = trace.id
                headers["X-Content-Type-Options"] = "nosniff"
                for name, value in _UNLESS_SET.items():
                    headers.setdefault(name, value)
            elif message["type"] == "http.response.body":
                trace.size += len(message.get("body", b""))
            await send(message)

        try:
            await _answered(app, trace, scope, receive, watched)
        finally:
            seconds = time.monotonic() - began
            metrics.observe(trace.route, scope["method"], trace.status, seconds)
            log(_line(trace, scope["method"], seconds, clock))

    return run


async def _answered(app: ASGIApp, trace: Trace, scope: Scope, receive: Receive, send: Send) -> None:
    try:
        await app(scope, receive, send)
        return
    except (GhostError, Refused) as error:
        response = refusal(error)
        if response.status_code >= 500:
            trace.error = described(error)
    # the outermost handler: whatever it is, the client gets an answer
    except Exception as error:  # noqa: BLE001
        response = json_response(UNEXPECTED, 500)
        trace.error = described(error)
    if not trace.status:
        await response(scope, receive, send)


def described(error: BaseException) -> str:
    """Name an error by its class and place; its message may contain stored text."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = (
        f" at {os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}"
        if place
        else ""
    )
    return f"{type(error).__name__}{where}"


def _line(trace: Trace, method: str, seconds: float, clock: Clock) -> dict[str, Any]:
    line = {
        "time": format_time(clock()),
        "method": method if method in METHODS else "other",
        "route": trace.route,
        "status": trace.status,
        "ms": round(seconds * 1000, 1),
        "bytes": trace.size,
        "token": trace.caller,
        "request_id": trace.id,
    }
    return {**line, "error": trace.error} if trace.error else line


class JsonLines(logging.Handler):
    """Write the log of libraries in the same form.

    Only messages of the server itself are known to contain no stored text.
    """

    def __init__(self, log: Log, clock: Clock) -> None:
        super().__init__(logging.WARNING)
        self._log, self._clock = log, clock

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        line: dict[str, Any] = {
            "time": format_time(self._clock()),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if record.name.startswith("uvicorn"):
            line["message"] = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = described(record.exc_info[1])
        self._log(line)
