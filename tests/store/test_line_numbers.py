"""The lines of the audit log are numbered over all namespaces, whoever writes them."""

import threading
from pathlib import Path

import pytest

from ghostmem import Ghost, Settings
from ghostmem.errors import VersionConflictError

SETTINGS = Settings(embed_provider="none")


def _numbers(ghost: Ghost) -> list[int | None]:
    with ghost.store.engine.read() as tx:
        return sorted(line.line or 0 for line in tx.journal.lines())


def _append_and_fail(ghost: Ghost) -> None:
    with ghost.store.engine.write() as tx:
        tx.journal.append("b", "id", "put", "2026-01-01T00:00:00Z")
        raise RuntimeError


def test_two_processes_number_lines_without_gaps(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with (
        Ghost.open(path, settings=SETTINGS) as one,
        Ghost.open(path, settings=SETTINGS) as other,
    ):
        for number in range(6):
            one.put(f"a{number % 2}", f"one-{number}", f"The first writes text {number}.")
            one.put("a0", f"again-{number}", f"The first writes another text {number}.")
            other.put("b", f"other-{number}", f"The second writes something else {number}.")
        assert _numbers(one) == list(range(1, 19))
        assert one.admin.verify_log().ok


def test_a_write_that_fails_or_is_rolled_back_leaves_no_gap(tmp_path: Path) -> None:
    with Ghost.open(tmp_path / "memory.db", settings=SETTINGS) as ghost:
        ghost.put("a", "first", "The first text.")
        with pytest.raises(VersionConflictError):
            ghost.put("a", "first", "Another text.", base_version=7)
        with ghost.store.engine.write(dry_run=True) as tx:
            tx.journal.append("a", "id", "put", "2026-01-01T00:00:00Z")
        with pytest.raises(RuntimeError):
            _append_and_fail(ghost)
        ghost.put("a", "second", "The second text.")
        assert _numbers(ghost) == [1, 2]


def test_threads_number_lines_without_gaps(tmp_path: Path) -> None:
    with Ghost.open(tmp_path / "memory.db", settings=SETTINGS) as ghost:

        def put(name: str) -> None:
            for number in range(5):
                ghost.put(name, f"key-{number}", f"{name} writes text {number}.")

        threads = [threading.Thread(target=put, args=(f"ns{number}",)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert _numbers(ghost) == list(range(1, 16))
