"""Forks of a writing program, and one file under two names: writes succeed or are refused."""

import os
import threading
import time
from pathlib import Path

from bench.child import PATIENCE, Child, say
from bench.kill import FILE
from bench.proof import NS, content, key, missing, open_store, unclean, unwritable
from bench.scenario import Findings, Plan
from ghostmem import Ghost, GhostError

THREADS = 4
AFTER_FORK = (
    20.0  # seconds within which a fork has written or was refused; the store waits 30 for a lock
)


def write_and_fork(path: str, forks: int) -> None:
    """Write in threads and fork all the while, in a child process.

    Each fork puts one memory, and leaves.
    """
    with open_store(path) as ghost:
        # a fork while a thread imports a module would hang in its own import of that module
        ghost.put(NS, key(THREADS, 0), content(THREADS, 0))
        stop = threading.Event()
        threads = [
            threading.Thread(target=_write, args=(ghost, writer, stop)) for writer in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for number in range(forks):
            time.sleep(0.01 * (number % 7))
            pid = os.fork()
            if not pid:
                _put_in_fork(ghost, path, number)
            say(f"fork {number} {_wait(pid)}")
        stop.set()
        for thread in threads:
            thread.join()


def _write(ghost: Ghost, writer: int, stop: threading.Event) -> None:
    number = 0
    while not stop.is_set():
        ghost.put(NS, key(writer, number), content(writer, number))
        say(f"put {writer} {number}")
        number += 1


def _put_in_fork(ghost: Ghost, path: str, number: int) -> None:
    """Put through the inherited store, or else through a newly opened one, and exit."""
    for is_new in (False, True):
        try:
            (open_store(path) if is_new else ghost).put(NS, key(90, number), content(90, number))
            say(f"put 90 {number}")
            os._exit(0)
        except GhostError as error:
            say(f"refused {number} {type(error).__name__}: {error}")
        except BaseException as error:  # noqa: BLE001 (a fork must end here, whatever happens)
            say(f"broke {number} {type(error).__name__}: {error}")
            os._exit(2)
    os._exit(1)


def _wait(pid: int) -> str:
    """Wait for a fork; one that takes too long is ended and called hung."""
    deadline = time.monotonic() + AFTER_FORK
    while time.monotonic() < deadline:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return str(os.waitstatus_to_exitcode(status))
        time.sleep(0.005)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return "hung"


def fork(plan: Plan) -> Findings:
    """Fork while threads write: the fork writes, or is refused at once by a clear error."""
    forks = min(plan.rounds, 20)
    findings = Findings({"forks": 0, "wrote": 0, "refused": 0, "acknowledged": 0})
    path = plan.new_folder("fork") / FILE
    with Child(write_and_fork, path=str(path), forks=forks) as child:
        findings.expect(
            child.listen(PATIENCE * 4) and child.code == 0,
            f"the program ended with {child.code}: {child.error}",
        )
    words = [line.split(maxsplit=2) for line in child.lines()]
    acknowledged = [(int(line[1]), int(line[2])) for line in words if line[0] == "put"]
    for line in words:
        if line[0] == "fork":
            findings.count("forks")
            findings.count("wrote", int(line[2] == "0"))
            findings.expect(line[2] in ("0", "1"), f"fork {line[1]}: {line[2]}")
        elif line[0] == "refused":
            findings.count("refused")
        elif line[0] == "broke":
            findings.problems.append(f"fork {line[1]}: {line[2]}")
    findings.facts["acknowledged"] = len(acknowledged)
    with open_store(path) as ghost:
        findings.problems += missing(ghost, acknowledged) + unclean(ghost) + unwritable(ghost)
    return findings


def hard_link(plan: Plan) -> Findings:
    """Give a store a second name: writing is refused with a reason until the name is removed."""
    findings = Findings({"refused": 0, "acknowledged": 0})
    folder = plan.new_folder("links")
    first, second = folder / FILE, folder / "second.db"
    with open_store(first) as ghost:
        for number in range(10):
            ghost.put(NS, key(0, number), content(0, number))
    os.link(first, second)
    acknowledged = [(0, number) for number in range(10)]
    for writer, path in enumerate((first, second), 1):
        told = _refused(path, writer)
        if told is None:
            acknowledged.append((writer, 0))
            findings.problems.append(f"{path.name} was written although it has two names")
        else:
            findings.count("refused")
            findings.expect(
                "link" in told, f"{path.name}: the error does not name the link: {told}"
            )
    second.unlink()
    with open_store(first) as ghost:
        findings.problems += missing(ghost, acknowledged) + unclean(ghost) + unwritable(ghost)
    findings.facts["acknowledged"] = len(acknowledged)
    return findings


def _refused(path: Path, writer: int) -> str | None:
    """Try to write and return the error message, or None on success."""
    try:
        with open_store(path) as ghost:
            ghost.put(NS, key(writer, 0), content(writer, 0))
    except GhostError as error:
        return f"{error} {error.hint}"
    return None
