"""Readers on a read-only mount while another process writes the store: what they see is current and whole."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ghostmem import Ghost, ReadOnlyStoreError

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform != "linux", reason="the mounts are those of Linux"),
]

NS = "agent:a"
WRITER = """
import os, sys
from ghostmem import Ghost
path, first, last, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
ghost = Ghost.open(path)
for n in range(first, last):
    ghost.put("agent:a", f"k{n}", f"heron number {n} " + "stands in the water " * 20)
if end == "wait":
    print("ready", flush=True)
    sys.stdin.readline()
if end == "kill":
    os._exit(0)
ghost.close()
"""


class Media(NamedTuple):
    """A folder, and the same folder where it cannot be written."""

    folder: Path
    read_only: Path

    def write(self, first: int, last: int, end: str = "close") -> None:
        """Put memories in another process, which closes the store or ends without doing so."""
        subprocess.run(
            [sys.executable, "-c", WRITER, *self._arguments(first, last, end)],
            check=True,
            timeout=120,
        )

    def start_writing(self, first: int, last: int) -> "subprocess.Popen[str]":
        """Put memories in another process, which then keeps the store open until it gets a line."""
        arguments = [sys.executable, "-c", WRITER, *self._arguments(first, last, "wait")]
        process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def _arguments(self, first: int, last: int, end: str) -> tuple[str, ...]:
        return (str(self.folder / "memory.db"), str(first), str(last), end)


@pytest.fixture
def media(tmp_path: Path) -> Iterator[Media]:
    """Mount a folder a second time, read-only."""
    found = Media(tmp_path / "disk", tmp_path / "read-only")
    found.folder.mkdir()
    found.read_only.mkdir()
    for options in (("--bind", str(found.folder)), ("-o", "remount,bind,ro")):
        done = subprocess.run(
            ["mount", *options, str(found.read_only)], capture_output=True, check=False
        )
        if done.returncode:
            pytest.skip("only root can mount a folder")
    try:
        yield found
    finally:
        subprocess.run(["umount", "--lazy", str(found.read_only)], check=True)


@pytest.fixture
def reader(media: Media) -> Iterator[Callable[[], Ghost]]:
    """Return a function that opens the store where it cannot be written."""
    opened: list[Ghost] = []

    def open_() -> Ghost:
        opened.append(Ghost.open(str(media.read_only / "memory.db")))
        return opened[-1]

    yield open_
    for ghost in opened:
        ghost.close()


def assert_holds(ghost: Ghost, count: int) -> None:
    """Every way of reading shows all memories."""
    assert len(ghost.list(NS, limit=10_000)) == count
    assert ghost.get(NS, f"k{count - 1}").content.startswith(f"heron number {count - 1} ")
    assert [hit.key for hit in ghost.search(f"heron number {count - 1}", NS, limit=1)] == [
        f"k{count - 1}"
    ]
    assert ghost.admin.check().problems == ()


@pytest.mark.process
def test_a_reader_sees_what_was_written_since(media: Media, reader: Callable[[], Ghost]) -> None:
    """Opened while nobody wrote, the reader follows a writer that comes, goes and comes again."""
    media.write(0, 20)
    ghost = reader()
    assert_holds(ghost, 20)
    media.write(20, 200)
    assert_holds(ghost, 200)
    process = media.start_writing(200, 260)
    assert_holds(ghost, 260)
    process.communicate("end\n", timeout=120)
    assert_holds(ghost, 260)
    media.write(260, 300)
    assert_holds(ghost, 300)
    with pytest.raises(ReadOnlyStoreError, match="cannot be written"):
        ghost.put(NS, "k", "text")


@pytest.mark.process
@pytest.mark.parametrize("has_index", [True, False])
def test_a_reader_sees_the_log_of_a_killed_writer(
    media: Media, reader: Callable[[], Ghost], has_index: bool
) -> None:
    """The log is read also where its index is missing, and left when the next writer has folded it in."""
    media.write(0, 10)
    ghost = reader()
    assert_holds(ghost, 10)
    media.write(10, 20, end="kill")
    if not has_index:
        os.remove(media.folder / "memory.db-shm")
    assert_holds(ghost, 20)
    media.write(20, 200)
    assert_holds(ghost, 200)


@pytest.mark.process
def test_a_file_that_changes_during_a_read_is_read_as_it_was(
    media: Media, reader: Callable[[], Ghost]
) -> None:
    """A read shows one state; the next one sees what was written meanwhile."""
    media.write(0, 200)
    ghost = reader()
    lines = ghost.export()
    next(lines), next(lines)  # the header, and a memory
    media.write(200, 400)
    assert len([line for line in lines if '"heron number' in line]) == 199
    assert_holds(ghost, 400)
    assert list(media.folder.iterdir()) == [media.folder / "memory.db"]
