"""A PostgreSQL of its own for a benchmark: the one that tests start, with the durability it has by default."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from bench.child import ROOT

if TYPE_CHECKING:
    from servers import Server

NAME = "faults"


@contextmanager
def own_server(**settings: str) -> "Iterator[Server]":
    """Run a PostgreSQL with an empty database until the block ends."""
    if str(ROOT / "tests") not in sys.path:
        sys.path.append(str(ROOT / "tests"))
    from servers import server

    with server(**settings) as made:
        with psycopg.connect(made.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {NAME}")
        yield made


def cut_one(url: str, choose: float) -> int:
    """End the sessions of one client's connection, chosen among those there are; return how many were ended."""
    with psycopg.connect(url, autocommit=True, application_name="cutter") as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'ghost' AND backend_type = 'client backend' ORDER BY pid"
        ).fetchall()
        if not rows:
            return 0
        connection.execute("SELECT pg_terminate_backend(%s)", rows[int(choose * len(rows))])
        return 1
