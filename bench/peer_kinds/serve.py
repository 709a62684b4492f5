"""The child's side of a measurement: open a peer's store and answer requests in lines of JSON.

Started in the peer's own environment as `python -c LAUNCH MODULE`; nothing here or in a driver may
need more than the standard library and the peer. Times are taken here, around the peer's own calls,
so that the pipe is not in them."""

import json
import os
import resource
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

LAUNCH = "import sys; sys.path.append(sys.argv[1]); from bench.peer_kinds.serve import main; main()"


class Item(NamedTuple):
    """A memory or a question: its key, its text, and the vector made for it, if one is given."""

    key: str
    text: str
    vector: "array[float]"


class Store(Protocol):
    """The interface of a driver. A put returns when the peer reports it as stored."""

    def add(self, items: list[Item]) -> None:
        """Store many, the fastest way the peer documents."""

    def put(self, item: Item) -> None:
        """Store one, as durably as the peer does by default."""

    def search(self, item: Item, limit: int) -> list[str]:
        """Return the keys found for a question, best first."""

    def missing(self, items: list[Item]) -> list[str]:
        """Return the keys of those that are not there."""

    def close(self) -> None:
        """Leave the store as a well-behaved program does."""


def read_items(path: Path, start: int, stop: int) -> Iterator[Item]:
    """Read items and their vectors from the files of a set."""
    wide = int(path.with_suffix(".dim").read_text()) if path.with_suffix(".dim").exists() else 0
    with path.with_suffix(".jsonl").open(encoding="utf-8") as lines:
        vectors = path.with_suffix(".f32").open("rb") if wide else None
        if vectors:
            vectors.seek(start * wide * 4)
        for line in islice(lines, start, stop):
            key, text = json.loads(line)
            vector = array("f")
            if vectors:
                vector.fromfile(vectors, wide)
            yield Item(key, text, vector)
        if vectors:
            vectors.close()


def family() -> list[int]:
    """Return the descendants of this process, where the system lists them."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(
                entry.read_text(errors="replace").rpartition(")")[2].split()[1]
            )
        except (OSError, IndexError, ValueError):
            continue
    found, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        grown = bool(more)
        found |= more
    return sorted(found - {os.getpid()})


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and its descendants."""
    reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + reaped.ru_utime + reaped.ru_stime
    for pid in family():
        try:
            fields = (
                Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            )
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / os.sysconf(
            "SC_CLK_TCK"
        )  # its own and its ended children's
    return total


def peak_mb(pids: list[int]) -> float:
    """Return the peak memory of processes in MB; 0 where the system does not report it."""
    total = 0
    for pid in pids:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        total += next(
            (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0
        )
    return round(total / 1024, 1)


class Session:
    """One open store and the requests that may be made of it."""

    def __init__(self, driver: str) -> None:
        self._driver = import_module(f"bench.peer_kinds.{driver}")
        self._store: Store | None = None
        self._is_server = not hasattr(self._driver, "Store")
        self._has_batches = (
            hasattr(self._driver, "add")
            if self._is_server
            else getattr(self._driver, "BATCHES", True)
        )

    @property
    def store(self) -> Store:
        """Return the open store."""
        assert self._store is not None
        return self._store

    def open(self, folder: str, options: dict[str, Any]) -> dict[str, Any]:
        """Open a store in a folder, importing the peer or starting its server."""
        began = time.perf_counter()
        if self._is_server:
            from bench.peer_kinds.served import Served

            self._store = Served(self._driver, Path(folder), options)
        else:
            self._store = self._driver.Store(Path(folder), options)
        return {"wall": time.perf_counter() - began, "cpu": cpu_seconds()}

    def add(self, items: str, start: int, stop: int, batch: int, seconds: float) -> dict[str, Any]:
        """Store a range in batches until the time is up."""
        wall = cpu = 0.0
        done = 0
        if not self._has_batches:  # so that the time is looked at
            batch = 20
        waiting = read_items(Path(items), start, stop)
        while wall < seconds and (part := list(islice(waiting, batch))):
            used, began = cpu_seconds(), time.perf_counter()
            self.store.add(part)
            wall += time.perf_counter() - began
            cpu += cpu_seconds() - used
            done += len(part)
        peak = peak_mb(family() if self._is_server else [os.getpid(), *family()])
        return {"n": done, "wall": wall, "cpu": cpu, "peak_mb": peak}

    def put(
        self, items: str, start: int, stop: int, seconds: float, aloud: bool = False
    ) -> dict[str, Any]:
        """Store a range one by one; with `aloud`, acknowledge each with a line."""
        walls: list[float] = []
        stored: list[str] = []
        failed: list[str] = []
        used, deadline = cpu_seconds(), time.monotonic() + seconds
        for item in read_items(Path(items), start, stop):
            began = time.perf_counter()
            try:
                self.store.put(item)
            except Exception as error:  # noqa: BLE001 - whatever a stranger's library raises is a finding
                failed.append(_sentence(error))
            else:
                walls.append(time.perf_counter() - began)
                stored.append(item.key)
                if aloud:
                    say({"put": item.key})
            if time.monotonic() > deadline:
                break
        return {"stored": stored, "failed": failed, "walls": walls, "cpu": cpu_seconds() - used}

    def search(
        self, items: str, start: int, stop: int, limit: int, seconds: float
    ) -> dict[str, Any]:
        """Ask a range of questions and return the keys found and the time each took."""
        found: list[list[str]] = []
        walls: list[float] = []
        used, deadline = cpu_seconds(), time.monotonic() + seconds
        for item in read_items(Path(items), start, stop):
            began = time.perf_counter()
            found.append(self.store.search(item, limit))
            walls.append(time.perf_counter() - began)
            if time.monotonic() > deadline:
                break
        return {"found": found, "walls": walls, "cpu": cpu_seconds() - used}

    def missing(self, items: str, keys: list[str]) -> dict[str, Any]:
        """Say which of these keys are not in the store."""
        wanted = set(keys)
        return {
            "missing": self.store.missing(
                [item for item in read_items(Path(items), 0, sys.maxsize) if item.key in wanted]
            )
        }

    def tools(self) -> dict[str, Any]:
        """Return how long the list of tools is, and when the server was started."""
        return self.store.tools()  # type: ignore[attr-defined, no-any-return]

    def cost(self) -> dict[str, Any]:
        """Return the processor seconds so far; of a server, its own alone."""
        return {"cpu": cpu_seconds() - (time.process_time() if self._is_server else 0.0)}

    def close(self) -> dict[str, Any]:
        """Leave the store."""
        self.store.close()
        return {}


def say(found: dict[str, Any]) -> None:
    """Tell the harness something."""
    os.write(_OUT, json.dumps(found).encode() + b"\n")


def _sentence(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


_OUT = 1


def main() -> None:
    """Serve requests until the input ends. Output of a peer goes to standard error."""
    global _OUT  # noqa: PLW0603 - one process, one voice
    _OUT = os.dup(1)
    os.dup2(2, 1)
    session: Session | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            session = session or Session(sys.argv[2])
            do: Callable[..., dict[str, Any]] = getattr(session, asked.pop("do"))
            say(do(**asked))
        except Exception as error:  # noqa: BLE001 - the outermost handler
            say({"error": _sentence(error)})
    os._exit(0)  # some peers keep threads that never end
