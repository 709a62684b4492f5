"""Writers that compete for one store: they take turns, and none waits longer than the setting says."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ghostmem import Ghost, StoreBusyError

NS = "agent:a"
Open = Callable[..., Ghost]
WRITER = """
import sys, time
from ghostmem import Ghost
path, name = sys.argv[1:]
ghost = Ghost.open(path)
ghost.list("agent:a")
print("ready", flush=True)
sys.stdin.readline()
turns = 0
while True:
    with ghost.store.engine.write() as tx:
        tx.journal.namespace("agent:a")
        time.sleep(0.005)
        done = tx.memories.last("agent:a", "stop")
        turns += 1
    if done:
        break
print(turns, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the queue needs locks of Unix")
def test_no_writer_is_starved_by_others(open_ghost: Open, tmp_path: Path) -> None:
    """Of six processes that write without a pause, one more that puts now and then is never far behind."""
    ghost = open_ghost("m.db")
    ghost.put(NS, "first", "text")
    command = [sys.executable, "-c", WRITER, str(tmp_path / "m.db")]
    writers = [
        subprocess.Popen(
            [*command, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for n in range(6)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for n in range(40):
        ghost.put(NS, f"k{n}", "text")
    ghost.put(NS, "stop", "text")
    turns = [int(writer.communicate(timeout=120)[0]) for writer in writers]
    # a queue gives everybody about 41 turns; without one, some get hundreds while others get none
    assert min(turns) >= 5, turns
    assert max(turns) <= 400, turns


def test_a_writer_gives_up_in_time_also_behind_others_that_wait(open_ghost: Open) -> None:
    """Nobody waits for the sum of what others wait for: each ends with the error that names the setting, and wrote nothing."""
    holder, waiting = open_ghost("m.db"), open_ghost("m.db", busy_timeout=0.3)
    errors: list[BaseException] = []

    def write(number: int) -> None:
        try:
            waiting.put(NS, f"k{number}", "text")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(5)]
    with holder.store.engine.write():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive()
    assert [type(error) for error in errors] == [StoreBusyError] * 5
    assert all(
        "GHOST_BUSY_TIMEOUT" in error.hint for error in errors if isinstance(error, StoreBusyError)
    )
    assert waiting.list(NS) == []
    assert waiting.put(NS, "later", "text").version == 1
