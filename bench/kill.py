"""Kill a process during work and check that everything acknowledged is stored and intact.

Three kinds of round alternate, spread evenly over the work: SIGKILL from outside after a part of
the time; SIGKILL inside a chosen write, sync, truncation or deletion of a file, with the write half
done; and a power cut there, which also loses half of the data that was not synced."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from bench.child import PATIENCE, READY, Child
from bench.scenario import Findings, Plan
from ghostmem import GhostError

FILE = "memory.db"
SORTS = ("write", "time", "power")
MAX_PROBLEMS = 20  # after which a scenario ends: more would say nothing new
EARLIER = (
    1.0,
    0.6,
    0.3,
    0.1,
)  # parts of a moment, tried in turn until the work is killed before its end


@dataclass(frozen=True)
class Operation:
    """Work to be killed: how to make its store, the child's function, and the check afterwards."""

    name: str
    prepare: Callable[[Path], None]
    work: Callable[..., None]
    verify: Callable[[Path, list[str]], list[str]]
    volatile: str = "nothing"  # acknowledgements that need not survive a power cut


def kill(plan: Plan, operation: Operation) -> Findings:
    """Kill an operation at many moments and verify the store after each.

    A plan with earlier findings continues after them.
    """
    found = plan.earlier or Findings({"rounds": 0, "killed": 0, "acknowledged": 0})
    workdir, model = plan.new_folder(operation.name), plan.folder / f"{operation.name}-model"
    operation.prepare(workdir)
    workdir.rename(model)
    seconds, writes = _measure(plan, operation, model)
    found.facts |= {"work_ms": round(seconds * 1000), "work_writes": writes}
    for number, moment in enumerate(plan.moments(operation.name, plan.rounds)):
        if number < found.done:
            continue  # an earlier run did this one
        if plan.is_late():
            found.problems.append(f"the time was up after {number} of {plan.rounds} rounds")
            break
        sort = SORTS[number % len(SORTS)]
        for part in EARLIER:  # work that ended before it could be killed is killed sooner
            if _round(
                plan, operation, model, found, _Moment(number, sort, moment * part, seconds, writes)
            ):
                break
        found.done += 1
        if plan.report is not None:
            plan.report(found)
        if len(found.problems) > MAX_PROBLEMS:
            break
    return found


@dataclass(frozen=True)
class _Moment:
    """When to kill: a part of the measured work, in seconds or in writes."""

    number: int
    sort: str
    part: float
    seconds: float
    writes: int

    def __str__(self) -> str:
        return f"round {self.number} ({self.sort} {self.part:.3f})"


def _round(plan: Plan, operation: Operation, model: Path, findings: Findings, at: _Moment) -> bool:
    """Do the work on a copy of the prepared store, kill it, and verify.

    False when the work ended before.
    """
    workdir = _copy(operation, model)
    if at.sort == "time":
        child = plan.child(operation.work, folder=str(workdir))
        ended = _kill_after(child, at.part * at.seconds)
    else:
        child = plan.child(
            operation.work,
            folder=str(workdir),
            die_at=max(1, round(at.part * at.writes)),
            power=at.sort == "power",
        )
        ended = child.listen()
    child.kill()
    findings.expect(ended, f"{at}: the child hung")
    _judge(findings, str(at), workdir, operation, child, _acknowledged(child, operation, at.sort))
    shutil.rmtree(workdir)
    return child.code == -9


def _acknowledged(child: Child, operation: Operation, sort: str) -> list[str]:
    """Return the acknowledged steps of a child that must have survived."""
    lost = (READY, "writes", *((operation.volatile,) if sort == "power" else ()))
    return [line for line in child.lines() if line.split(maxsplit=1)[0] not in lost]


def _judge(
    findings: Findings,
    where: str,
    workdir: Path,
    operation: Operation,
    child: Child,
    said: list[str],
) -> None:
    """Check the store that a killed child left."""
    findings.count("rounds")
    findings.count("killed", int(child.code == -9))
    findings.count("acknowledged", len(said))
    if child.code not in (0, -9):
        findings.problems.append(f"{where}: the child ended with {child.code}: {child.error}")
    try:
        wrong = operation.verify(workdir, said)
    except (GhostError, OSError, ValueError, apsw.Error) as error:
        wrong = [f"{type(error).__name__}: {error}"]
    findings.problems += [f"{where}: {problem}" for problem in wrong[:3]]


def _kill_after(child: Child, seconds: float) -> bool:
    """Kill a child this long after it was ready."""
    ready = child.await_lines(1)
    child.listen(seconds)
    return ready


def _measure(plan: Plan, operation: Operation, model: Path) -> tuple[float, int]:
    """Run the work undisturbed and return its seconds and its number of writes."""
    workdir = _copy(operation, model)
    with plan.child(operation.work, folder=str(workdir), die_at=0) as child:
        child.listen()
    count = [line for line in child.lines() if line.startswith("writes ")]
    if not count:
        raise RuntimeError(
            f"{operation.name} does not work undisturbed ({child.code}): {child.error}"
        )
    if wrong := operation.verify(
        workdir, _acknowledged(child, operation, "time")
    ):  # also imports what forks need
        raise RuntimeError(
            f"{operation.name} is not right when undisturbed: {'; '.join(wrong[:3])}"
        )
    shutil.rmtree(workdir)
    with plan.child(operation.work, folder=str(_copy(operation, model))) as child:
        child.await_lines(1)
        began = time.perf_counter()
        child.listen()
        seconds = time.perf_counter() - began
    shutil.rmtree(workdir)
    return min(seconds, PATIENCE), int(count[0].split()[1])


def _copy(operation: Operation, model: Path) -> Path:
    """Copy the prepared store to the path where it was prepared, because stores contain paths."""
    workdir = model.with_name(operation.name)
    shutil.copytree(model, workdir)
    return workdir
