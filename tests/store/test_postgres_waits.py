"""A PostgreSQL that does not answer, or holds a lock for long: one clear error after a bounded wait, and all goes on afterwards."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.errors import GhostError, LostConnectionError, StoreBusyError
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from servers import Server

pytestmark = [
    pytest.mark.process,
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix"),
]
HANGS = 60.0  # seconds after which a call is taken to wait without end; the limits below are far shorter
BUSY = 0.5

CALLS: dict[str, Callable[[Ghost], Any]] = {
    "get": lambda ghost: ghost.get("a", "k"),
    "search": lambda ghost: ghost.search("heron", ns="a"),
    "put": lambda ghost: ghost.put("a", "k", "The heron left."),
    "stats": lambda ghost: ghost.admin.stats(),
    "export": lambda ghost: list(ghost.export()),
}


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Hold the lock that ALTER TABLE and VACUUM FULL take."""
    import psycopg

    with psycopg.connect(url) as connection:
        connection.execute("LOCK TABLE memories, namespaces IN ACCESS EXCLUSIVE MODE")
        yield
        connection.rollback()


@contextmanager
def stopped(server: "Server") -> Iterator[None]:
    """Stop a server and all its processes as a machine that hangs would."""
    head = server.pid
    children = subprocess.run(
        ["pgrep", "-P", str(head)], capture_output=True, text=True, check=False
    ).stdout.split()
    pids = [head, *map(int, children)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def failure(call: Callable[[], Any]) -> GhostError:
    """Return the error that a call ends with."""
    ended: list[BaseException | None] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:
            ended.append(error)
        else:
            ended.append(None)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(HANGS)
    assert ended, "the call waits without end"
    assert isinstance(ended[0], GhostError), ended[0]
    return ended[0]


def recovered(ghost: Ghost) -> str:
    """Return the stored text as soon as the pool has connected again."""
    deadline = time.monotonic() + HANGS
    while True:
        try:
            return ghost.get("a", "k").content
        except StoreBusyError:
            if time.monotonic() > deadline:
                raise


def opened(url: str) -> Ghost:
    """Open a store that waits for half a second."""
    ghost = Ghost.open(url, settings=Settings(embed_provider="none", busy_timeout=BUSY))
    ghost.put("a", "k", "The heron waits at the weir.")
    return ghost


def test_a_lock_that_is_held_elsewhere(pg_url: str) -> None:
    """Reads and writes alike say that the store is busy, with exit code 5, and work again once the lock is gone."""
    with opened(pg_url) as ghost:
        with locked(pg_url):
            for name, call in CALLS.items():
                error = failure(lambda call=call: call(ghost))
                assert (type(error), error.exit_code) == (StoreBusyError, 5), name
                assert "LINE" not in error.message, "the statement is of no use to the caller"
        assert ghost.get("a", "k").content == "The heron waits at the weir."
        assert ghost.put("a", "k", "The heron left.").version == 2


def test_a_store_cannot_be_opened_while_it_is_locked(pg_url: str) -> None:
    """The command line says so in one line, with exit code 5."""
    opened(pg_url).close()
    env = {name: value for name, value in os.environ.items() if not name.startswith("GHOST_")}
    env |= {"GHOST_DB": pg_url, "GHOST_EMBED_PROVIDER": "none", "GHOST_BUSY_TIMEOUT": str(BUSY)}
    with locked(pg_url):
        command = [sys.executable, "-m", "ghostmem", "get", "-n", "a", "-k", "k", "--json"]
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=HANGS, check=False
        )
    assert done.returncode == 5, done.stderr
    assert json.loads(done.stderr)["error"] == "StoreBusyError"


def test_a_server_that_is_stopped() -> None:
    """A server that holds its connections open and says nothing is given up; when it goes on, so does the store."""
    from servers import server

    with server(fsync="off") as own, opened(own.url()) as ghost:
        with stopped(own):
            for name, call in CALLS.items():
                error = failure(lambda call=call: call(ghost))
                assert (type(error), error.exit_code) == (LostConnectionError, 5), name
                assert error.hint
            failure(lambda: opened(own.url()))
        assert recovered(ghost) == "The heron waits at the weir."
        assert ghost.put("a", "k2", "The heron came back.").version == 1
        assert ghost.admin.check().problems == ()


def test_a_server_that_stops_within_a_transaction() -> None:
    """What was begun is given up too, and nothing of it is stored."""
    from servers import server

    with server(fsync="off") as own, opened(own.url()) as ghost:

        def interrupted() -> None:
            with ghost.store.engine.write(within=("a",)) as tx, stopped(own):
                tx.memories.last("a", "k")

        assert isinstance(failure(interrupted), LostConnectionError)
        recovered(ghost)
        assert len(ghost.history("a", "k")) == 1


def test_long_administration_has_no_limit(pg_url: str) -> None:
    """A statement of the whole store, of a snapshot or of VACUUM may take longer than one of a search."""
    with opened(pg_url) as ghost:
        engine = ghost.store.engine
        with engine.read() as tx:
            assert tx.db.row(
                "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')"
            ) == ("5s", "500ms")
        with engine.snapshot() as tx:
            assert tx.db.get("SELECT current_setting('statement_timeout')") == "0"
        with engine.write() as tx:
            assert tx.db.get("SELECT current_setting('statement_timeout')") == "0"
        ghost.lifecycle.gc(vacuum=True)
        with engine.read() as tx:
            assert tx.db.get("SELECT current_setting('statement_timeout')") == "5s"
