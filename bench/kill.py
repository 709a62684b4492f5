"""Ends without warning in the middle of work: what was acknowledged is there afterwards, whole, and the store goes on.

Three sorts of round take turns, their moments spread evenly over the work: SIGKILL from outside after a part of the time the
work takes; SIGKILL inside a chosen write, sync, truncation or deletion of a file, the write being done half; and a power cut
there, which also takes back half of what no sync had put on disk.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.child import PATIENCE, READY, Child
from bench.scenario import Findings, Plan
from ghostmem import GhostError

FILE = "memory.db"
SORTS = ("write", "time", "power")


@dataclass(frozen=True)
class Operation:
    """Work to be killed: how its store is made, what the child does, and what must hold afterwards."""

    name: str
    prepare: Callable[[Path], None]
    work: Callable[..., None]
    verify: Callable[[Path, list[str]], list[str]]
    volatile: str = "nothing"  # acknowledgements that need not survive a power cut


def kill(plan: Plan, operation: Operation) -> Findings:
    """Kill an operation at many moments and verify the store after each."""
    found = Findings({"rounds": 0, "killed": 0, "acknowledged": 0})
    model = plan.room(f"{operation.name}-model")
    operation.prepare(model)
    seconds, writes = _measure(plan, operation, model)
    found.facts |= {"work_ms": round(seconds * 1000), "work_writes": writes}
    for number, moment in enumerate(plan.moments(operation.name, plan.rounds)):
        if plan.is_late():
            found.problems.append(f"the time was up after {number} of {plan.rounds} rounds")
            break
        sort = SORTS[number % len(SORTS)]
        room = _copy(plan, operation, model, f"{number}")
        where = f"round {number} ({sort} {moment:.3f})"
        if sort == "time":
            child = Child(operation.work, folder=str(room))
            ended = _kill_after(child, moment * seconds)
        else:
            child = Child(operation.work, folder=str(room), die_at=max(1, round(moment * writes)), power=sort == "power")
            ended = child.listen()
        child.kill()
        found.expect(ended, f"{where}: the child hung")
        _judge(found, where, room, operation, child, _acknowledged(child, operation, sort))
        shutil.rmtree(room)
    return found


def _acknowledged(child: Child, operation: Operation, sort: str) -> list[str]:
    """Return what a child had acknowledged, as far as it must have survived."""
    lost = (READY, operation.volatile) if sort == "power" else (READY,)
    return [line for line in child.lines() if line.split(maxsplit=1)[0] not in lost]


def _judge(found: Findings, where: str, room: Path, operation: Operation, child: Child, said: list[str]) -> None:
    """Look at what a child left behind."""
    found.count("rounds")
    found.count("killed", int(child.code == -9))
    found.count("acknowledged", len(said))
    if child.code not in (0, -9):
        found.problems.append(f"{where}: the child ended with {child.code}: {child.error}")
    try:
        wrong = operation.verify(room, said)
    except GhostError as error:
        wrong = [f"{type(error).__name__}: {error}"]
    found.problems += [f"{where}: {problem}" for problem in wrong[:3]]


def _kill_after(child: Child, seconds: float) -> bool:
    """Kill a child so long after it said that it is ready."""
    ready = child.await_lines(1)
    child.listen(seconds)
    return ready


def _measure(plan: Plan, operation: Operation, model: Path) -> tuple[float, int]:
    """Let the work run undisturbed and return its seconds and its writes."""
    with Child(operation.work, folder=str(_copy(plan, operation, model, "timed"))) as child:
        child.await_lines(1)
        began = time.perf_counter()
        child.listen()
        seconds = time.perf_counter() - began
    with Child(operation.work, folder=str(_copy(plan, operation, model, "counted")), die_at=0) as child:
        child.listen()
    count = [line for line in child.lines() if line.startswith("writes ")]
    if not count:
        raise RuntimeError(f"{operation.name} does not work undisturbed ({child.code}): {child.error}")
    return min(seconds, PATIENCE), int(count[0].split()[1])


def _copy(plan: Plan, operation: Operation, model: Path, name: str) -> Path:
    room = plan.folder / f"{operation.name}-{name}"
    shutil.copytree(model, room)
    return room
