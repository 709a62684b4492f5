"""Numbers for Prometheus, in its text format."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import accumulate

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


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
        place = next(
            (number for number, most in enumerate(BUCKETS) if seconds <= most), len(BUCKETS)
        )
        self._durations[route][place] += 1
        self._seconds[route] += seconds

    def render(self, gauges: Mapping[str, tuple[str, int]]) -> str:
        """Return everything as text, with gauges as name: (help, value)."""
        lines = [
            "# HELP ghost_http_requests_total Requests answered.",
            "# TYPE ghost_http_requests_total counter",
        ]
        for (route, method, status), count in sorted(self._requests.items()):
            lines.append(
                f'ghost_http_requests_total{{route="{route}",method="{method}",status="{status}"}} '
                f"{count}"
            )
        name = "ghost_http_request_duration_seconds"
        lines += [
            f"# HELP {name} Seconds from the first byte of a request to the last of its answer.",
            f"# TYPE {name} histogram",
        ]
        for route, counts in sorted(self._durations.items()):
            for most, count in zip([*map(str, BUCKETS), "+Inf"], accumulate(counts), strict=True):
                lines.append(f'{name}_bucket{{route="{route}",le="{most}"}} {count}')
            lines.append(f'{name}_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'{name}_count{{route="{route}"}} {sum(counts)}')
        for name, (about, value) in gauges.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", f"{name} {value}"]
        return "\n".join(lines) + "\n"
