"""The contract of every engine; types only.

Callers open `engine.read()` or `engine.write()` and use the tables of the transaction. Several
processes may write at once: a write transaction sees everything that was committed before it began,
and transactions do not nest. A write that names its namespaces with `within` may run in parallel
with writes to others, on engines that can do that. A transaction within one namespace is bound to
it, as by `Transaction.of`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ghostmem.model import Memory
from ghostmem.store.rows import IndexRow, StoreCopies
from ghostmem.store.transaction import Transaction


class Engine(Protocol):
    """One store: opens transactions and maintains its files."""

    name: str
    location: str  # as it may be shown
    read_only: bool
    shared: bool  # workers on several machines may share a job

    @property
    def file(self) -> str | None: ...
    @property
    def is_newer(self) -> bool: ...

    def read(self, within: str = "") -> AbstractContextManager[Transaction]: ...
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
    ) -> StoreCopies: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


class Reindex(Protocol):
    """Turn a memory into the rows of the index, for a repair."""

    def __call__(self, memory: Memory) -> Sequence[IndexRow]: ...
