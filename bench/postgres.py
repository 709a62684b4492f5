"""A PostgreSQL server for a benchmark: the server of the tests, with default durability."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Protocol

import psycopg

from bench.child import ROOT

NAME = "faults"


class Server(Protocol):
    """One PostgreSQL that can be killed and started again; tests/servers.py makes it."""

    folder: Path

    @property
    def pid(self) -> int:
        """Return the id of the server's main process."""
        ...

    def url(self, database: str = "postgres") -> str:
        """Return the address of a database."""
        ...

    def kill(self) -> None:
        """Kill it as a power cut would."""
        ...

    def start(self) -> None:
        """Start, and wait until it answers."""
        ...


@contextmanager
def own_server(**settings: str) -> Iterator[Server]:
    """Run a PostgreSQL with an empty database until the block ends."""
    if str(ROOT / "tests") not in sys.path:
        sys.path.append(str(ROOT / "tests"))
    with import_module("servers").server(**settings) as made:
        with psycopg.connect(made.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {NAME}")
        yield made


def cut_one(url: str, choose: float) -> int:
    """End the sessions of one client's connection, chosen among those there are.

    Return how many were ended.
    """
    with psycopg.connect(url, autocommit=True, application_name="cutter") as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'ghost' AND "
            "backend_type = 'client backend' ORDER BY pid"
        ).fetchall()
        if not rows:
            return 0
        connection.execute("SELECT pg_terminate_backend(%s)", rows[int(choose * len(rows))])
        return 1
