"""Request rates: a token bucket for each caller, in a table of limited size."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

REQUEST_BYTES = 4096  # of a body that count as much as one more request
MAX_CALLERS = 10_000  # that are remembered; the one that has been idle longest is forgotten first


class Rate:
    """Buckets of `burst` requests that refill at a rate per second; 0 means no limit."""

    def __init__(
        self,
        per_second: float,
        burst: int,
        clock: Callable[[], float] = time.monotonic,
        most: int = MAX_CALLERS,
    ) -> None:
        self._rate, self._burst, self._clock, self._most = per_second, burst, clock, most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, who: str) -> float:
        """Count a request and return 0, or the seconds to wait before the next one is accepted."""
        if self._rate <= 0:
            return 0.0
        now = self._clock()
        left, at = self._buckets.pop(who, (float(self._burst), now))
        left = min(float(self._burst), left + (now - at) * self._rate)
        taken = left >= 1
        self._buckets[who] = (left - 1 if taken else left, now)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - left) / self._rate

    def charge(self, who: str, size: int) -> None:
        """Count the bytes of a body; later requests wait until the bucket has refilled."""
        if self._rate > 0 and who in self._buckets:
            left, at = self._buckets[who]
            self._buckets[who] = (left - size / REQUEST_BYTES, at)

    def __len__(self) -> int:
        return len(self._buckets)


def neighbourhood(address: str) -> str:
    """Return the address to count by: itself, or the usual customer network for IPv6."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    return (
        str(found) if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))
    )
