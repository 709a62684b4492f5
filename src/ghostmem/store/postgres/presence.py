"""The presence of workers: each holds a lock of the database as long as it runs."""

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg

from ghostmem.store.postgres.connect import WRITERS, translated
from ghostmem.store.postgres.database import Db

PRESENT = WRITERS + 1  # the class of advisory locks of present workers
_WATCHED = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)


@contextmanager
def present(url: str, location: str) -> Iterator[str]:
    """Be present under a unique name until the block ends.

    The lock belongs to a session on its own connection: it need not be renewed, clocks need not
    agree, and it ends when the process or machine dies."""
    with translated(location):
        connection = psycopg.connect(
            url, autocommit=True, application_name="ghost worker", connect_timeout=10
        )
    try:
        with translated(location):
            connection.execute(_WATCHED)
            while True:
                name = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"
                row = connection.execute(
                    "SELECT pg_try_advisory_lock(%s, hashtext(%s))", (PRESENT, name)
                ).fetchone()
                if row and row[0]:
                    break  # else another name has the same number
        yield name
    finally:
        with suppress(psycopg.Error):  # the server notices a closed connection only a moment later
            connection.execute("SELECT pg_advisory_unlock_all()")
        connection.close()


def is_present(db: Db, name: str) -> bool:
    """Say whether a worker is present."""
    sql = (
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = %s "
        "AND objsubid = 2"
        " AND objid = (hashtext(%s)::bigint & 4294967295)::oid"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    return db.get(sql, (PRESENT, name)) is not None
