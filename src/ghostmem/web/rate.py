"""How often somebody may call, and with how much: a bucket each, in a table that cannot grow
without end.
"""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

REQUEST_BYTES = 4096  # of a body that count as much as one more request
MOST = 10_000  # callers that are remembered; who has not called for longest is forgotten first


class Rate:
    """Buckets that hold `burst` requests and are filled again at so many a second.

    A rate of 0 means no limit.
    """

    def __init__(
        self,
        per_second: float,
        burst: int,
        clock: Callable[[], float] = time.monotonic,
        most: int = MOST,
    ) -> None:
        self._rate, self._burst, self._clock, self._most = per_second, burst, clock, most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, who: str) -> float:
        """Count a request and return 0, or how many seconds to wait before the next would
        be taken.
        """
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
        """Count the bytes of a body, also beyond what the bucket holds: later requests wait until
        that is made good.
        """
        if self._rate > 0 and who in self._buckets:
            left, at = self._buckets[who]
            self._buckets[who] = (left - size / REQUEST_BYTES, at)

    def __len__(self) -> int:
        return len(self._buckets)


def neighbourhood(address: str) -> str:
    """Return what an address is counted by: itself, or for IPv6 the network that one customer
    usually has.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if found.version == 4:
        return str(found)
    return str(ipaddress.ip_network((found, 64), strict=False))
