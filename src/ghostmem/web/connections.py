"""Connections that wait for a request: limited in time and in number."""

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from ghostmem.web.rate import neighbourhood

HEADER_SECONDS = 10.0  # that the headers of a request have to arrive
MAX_WAITING = 512  # connections without a request; half of those the server takes
MAX_WAITING_PER_ADDRESS = 256


class WaitingConnections:
    """The connections that wait for a request, oldest first.

    When there are too many, of one address or in all, the oldest is closed, so that a client that
    sends its request at once is always served.
    """

    def __init__(
        self,
        most: int = MAX_WAITING,
        per_address: int = MAX_WAITING_PER_ADDRESS,
        seconds: float = HEADER_SECONDS,
    ) -> None:
        self._most, self._per_address, self.seconds = most, per_address, seconds
        self._waiting: dict[Protocol, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, connection: "Protocol") -> None:
        """Count a connection that waits from now on."""
        self.discard(connection)
        address = neighbourhood(connection.client[0]) if connection.client else ""
        self._waiting[connection] = address
        self._counts[address] += 1
        if self._counts[address] > self._per_address:
            self._close(next(oldest for oldest, other in self._waiting.items() if other == address))
        elif len(self._waiting) > self._most:
            self._close(next(iter(self._waiting)))

    def discard(self, connection: "Protocol") -> None:
        """Forget a connection that has a request, or is closed."""
        if (address := self._waiting.pop(connection, None)) is not None:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]

    def _close(self, connection: "Protocol") -> None:
        self.discard(connection)
        connection.transport.close()

    def __len__(self) -> int:
        return len(self._waiting)


class Protocol(H11Protocol):
    """HTTP/1.1 with limits on the time for headers and on the number of waiting connections."""

    def __init__(self, *args: Any, waiting: WaitingConnections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waiting = waiting
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._start_timer()
        self._waiting.add(self)

    def data_received(self, data: bytes) -> None:
        """Read data; the time limit of a later request starts at its first byte."""
        super().data_received(data)
        if self._is_idle():
            if self._timer is None:
                self._start_timer()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next request of a connection that is kept."""
        super().on_response_complete()
        if self._is_idle() and not self.transport.is_closing():
            self._waiting.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self._waiting.seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waiting.discard(self)
