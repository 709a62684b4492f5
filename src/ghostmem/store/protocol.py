"""The contract of every engine and of the tables that it implements itself; types only.

Callers open `engine.read()` or `engine.write()` and use the tables of the transaction. Several
processes may write at once: a write transaction sees everything that was committed before it began,
and transactions do not nest. A write that names its namespaces with `within` may run in parallel
with writes to others, on engines that can do that."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from ghostmem.model import Memory, Stat
from ghostmem.store.administration import Administration
from ghostmem.store.rows import IndexRow
from ghostmem.store.transaction import SharedTransaction, Transaction

__all__ = ["Engine", "Reindex", "SharedEngine", "SharedTransaction", "Transaction"]


class OutlineCache(Protocol):
    """A cache of the facts of source files, by the hash of their content."""

    def files(self, root: str, language: str) -> dict[str, tuple[Stat, int, str]]: ...
    def put_files(
        self,
        root: str,
        language: str,
        files: Mapping[str, tuple[Stat, int, str]],
        gone: Iterable[str],
    ) -> None: ...
    def facts(self, hashes: Iterable[str], maker: str) -> Iterator[tuple[str, bytes]]: ...
    def put_facts(self, facts: Iterable[tuple[str, bytes]], maker: str) -> None: ...
    def graph(self, root: str, language: str, maker: str) -> bytes | None: ...
    def put_graph(self, root: str, language: str, maker: str, packed: bytes) -> None: ...
    def prune(self) -> int: ...


class WorkQueue(Protocol):
    """The queue through which several workers share one job."""

    def offer(self, kind: str, rows: Iterable[tuple[str, str]]) -> int: ...
    def claim(
        self, kind: str, holder: str, until: datetime, limit: int, now: datetime
    ) -> list[tuple[str, str]]: ...
    def done(self, kind: str, ns: str, item: str) -> bool: ...
    def free_the_dead(self, kind: str) -> int: ...
    def is_present(self, holder: str) -> bool: ...
    def left(self, kind: str) -> int: ...


class Engine(Protocol):
    """One store: opens transactions and maintains its files."""

    name: str
    location: str  # as it may be shown
    read_only: bool
    moving: bool
    shared: bool  # workers on several machines may share a job; see `SharedEngine`

    @property
    def file(self) -> str | None: ...

    def read(self) -> AbstractContextManager[Transaction]: ...
    def snapshot(self) -> AbstractContextManager[Transaction]: ...
    def write(
        self,
        durable: bool = True,
        dry_run: bool = False,
        patience: float | None = None,
        within: Iterable[str] | None = None,
    ) -> AbstractContextManager[Transaction]: ...
    def size(self) -> int: ...
    def versions(self) -> Mapping[str, str]: ...
    def check(self) -> list[str]: ...
    def repair(self, reindex: "Reindex") -> Mapping[str, int]: ...
    def backup(self, target: str, begin: Callable[[], None]) -> int: ...
    def scrub(self, force: bool = False) -> str: ...
    def copies_holding(
        self, paths: Iterable[str], ids: Sequence[str], texts: Sequence[str] = ()
    ) -> list[str]: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


class Reindex(Protocol):
    """Turn a memory into the rows of the index, for a repair."""

    def __call__(self, memory: Memory) -> Sequence[IndexRow]: ...


class SharedEngine(Engine, Protocol):
    """A store that workers on several machines share."""

    def read(self) -> AbstractContextManager[SharedTransaction]: ...
    def write(
        self,
        durable: bool = True,
        dry_run: bool = False,
        patience: float | None = None,
        within: Iterable[str] | None = None,
    ) -> AbstractContextManager[SharedTransaction]: ...
    def present(self) -> AbstractContextManager[str]: ...
    def administration(self) -> Administration: ...
