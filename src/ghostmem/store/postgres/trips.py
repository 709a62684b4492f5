"""Round trips to PostgreSQL: statements that wait for each other travel together.

A transaction is begun by its first round trip. Statements without a result wait until a result is
needed or the transaction ends, so that the writes of a transaction and its COMMIT are one round
trip. Statements of one round trip are sent in pipeline mode; when one fails, the server skips those
after it."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import psycopg

from ghostmem.store.postgres.pipeline import Answer, BoundStatement

if TYPE_CHECKING:
    from ghostmem.store.postgres.connect import Connection

_FIRST_WAIT, _MAX_WAIT = 0.05, 2.0  # seconds between two attempts to reach the database
MAX_WAITING = 500  # statements that wait for the next round trip


class RoundTrips:
    """The round trips of one transaction, over one connection.

    Args:
        begin: The statements that begin the transaction, sent with its first statement.
        lend: Returns a connection before a deadline.
        give_back: Takes a connection back.
        deadline: The time until which a connection that breaks during the first round trip is
            replaced.
        limit: Seconds that later round trips may take."""

    def __init__(
        self,
        begin: Sequence[BoundStatement],
        lend: "Callable[[float], Connection]",
        give_back: "Callable[[Connection], None]",
        deadline: float,
        limit: float | None,
    ) -> None:
        self._waiting = list(begin)
        self._begin = len(begin)
        self._lend, self._give_back = lend, give_back
        self._deadline, self._limit = deadline, limit
        self._connection: Connection | None = None
        self.is_committing = False

    @classmethod
    def over(cls, connection: "Connection") -> "RoundTrips":
        """Return the round trips of a transaction that is open already."""
        trips = cls((), lambda _: connection, lambda _: None, time.monotonic(), None)
        trips._connection = connection
        return trips

    @property
    def connection(self) -> "Connection":
        """Return the connection, with everything sent that was waiting."""
        if self._waiting:
            self.ask([])
        assert self._connection is not None
        return self._connection

    def send(self, statement: BoundStatement) -> None:
        """Run a statement whose result nobody needs with the next round trip."""
        self._waiting.append(statement)
        if len(self._waiting) >= MAX_WAITING:
            self.ask([])

    def replace(self, old: BoundStatement, new: BoundStatement) -> bool:
        """Send another statement instead of one that still waits; False if that was sent."""
        for at in reversed(range(len(self._waiting))):
            if self._waiting[at] is old:
                self._waiting[at] = new
                return True
        return False

    def ask(self, statements: Sequence[BoundStatement]) -> list[Answer]:
        """Run all statements that wait, then these, and return the answers to these."""
        batch = [*self._waiting, *statements]
        if not batch:
            return []
        self._waiting = []
        skipped = len(batch) - len(statements)
        if self._connection is None:
            self._connection, answers = self._first(batch)
        else:
            answers = self._connection.round_trip(batch)
        return answers[skipped:]

    def _first(self, batch: Sequence[BoundStatement]) -> "tuple[Connection, list[Answer]]":
        """Begin the transaction; a connection that broke meanwhile is replaced until the deadline.

        The caller has seen no result yet, so the statements can be sent again, unless they
        commit."""
        wait = 0.0
        while True:
            connection = self._lend(self._deadline)
            connection.limit(self._deadline - time.monotonic())
            try:
                answers = connection.round_trip(batch)
            except BaseException as error:
                is_lost = connection.broken and isinstance(
                    error, psycopg.OperationalError | psycopg.InterfaceError
                )
                self._give_back(connection)
                if not is_lost or self.is_committing or time.monotonic() + wait > self._deadline:
                    raise
                time.sleep(wait)
                wait = min(wait * 2, _MAX_WAIT) or _FIRST_WAIT
            else:
                connection.limit(self._limit)
                return connection, answers

    def end(self, statement: str) -> None:
        """Commit or roll back, with all statements that wait."""
        if self._connection is not None or len(self._waiting) > self._begin:
            self.is_committing = statement == "COMMIT"
            self.ask([BoundStatement(statement)])

    def leave(self) -> None:
        """End a transaction that only read, without waiting for the server."""
        self._waiting = []
        if self._connection is not None:
            self._connection.leave()

    def close(self) -> None:
        """Give the connection back; a transaction that has not ended is rolled back."""
        if self._connection is not None:
            self._give_back(self._connection)
            self._connection = None
