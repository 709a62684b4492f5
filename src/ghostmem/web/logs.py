"""A line of JSON for each request (route, status and time, never its content), and metrics."""

import json
import logging
import os
import sys
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ghostmem.clock import Clock, format_time
from ghostmem.errors import GhostError, place_of
from ghostmem.web.refusals import UNEXPECTED, Refused, json_response, refusal

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Log = Callable[[dict[str, Any]], None]
_UNLESS_SET = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'",
}


class Metrics:
    """Counts of requests by route, method and status, and how long they took.

    Routes are templates, so there are few.
    """

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._durations: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests[route, method if method in METHODS else "other", status] += 1
        self._durations[route][bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] += seconds

    def render(self, gauges: Mapping[str, tuple[str, int]]) -> str:
        """Return everything as text, with gauges as name: (help, value)."""
        lines = [
            "# HELP ghost_http_requests_total Requests answered.",
            "# TYPE ghost_http_requests_total counter",
        ]
        lines += [
            f'ghost_http_requests_total{{route="{route}",method="{method}",status="{status}"}} '
            f"{count}"
            for (route, method, status), count in sorted(self._requests.items())
        ]
        name = "ghost_http_request_duration_seconds"
        lines += [
            f"# HELP {name} Seconds from the first byte of a request to the last of its answer.",
            f"# TYPE {name} histogram",
        ]
        for route, counts in sorted(self._durations.items()):
            limits = zip([*map(str, BUCKETS), "+Inf"], accumulate(counts), strict=True)
            lines += [
                *(
                    f'{name}_bucket{{route="{route}",le="{most}"}} {count}'
                    for most, count in limits
                ),
                f'{name}_sum{{route="{route}"}} {self._seconds[route]:.6f}',
                f'{name}_count{{route="{route}"}} {sum(counts)}',
            ]
        for name, (about, value) in gauges.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", f"{name} {value}"]
        return "\n".join(lines) + "\n"


@dataclass
class Trace:
    """The record of a request while it runs."""

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
        response = refusal(error, on_page=scope.get("ghost.session") is not None)
        if response.status_code >= 500:
            trace.error = described(error)
    # the outermost handler: whatever it is, the client gets an answer
    except Exception as error:  # noqa: BLE001
        response = json_response(
            {
                **UNEXPECTED,
                "hint": f"the server's log has the reason, with the request_id {trace.id}",
            },
            500,
        )
        trace.error = described(error)
    if not trace.status:
        await response(scope, receive, send)


def described(error: BaseException) -> str:
    """Name an error by its class and place; its message may contain stored text."""
    return f"{type(error).__name__}{place_of(error)}"


def _line(trace: Trace, method: str, seconds: float, clock: Clock) -> dict[str, Any]:
    return {
        "time": format_time(clock()),
        "method": method if method in METHODS else "other",
        "route": trace.route,
        "status": trace.status,
        "ms": round(seconds * 1000, 1),
        "bytes": trace.size,
        "token": trace.caller,
        "request_id": trace.id,
        **({"error": trace.error} if trace.error else {}),
    }


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
