"""Concurrent processes: creating or migrating one file, holding the lock, being killed."""

import shutil
import time
from contextlib import nullcontext
from dataclasses import replace

import apsw

from bench.child import READY, Child, hear, say
from bench.kill import FILE
from bench.operations import LIVE, ROWS, newer_ghost, populate
from bench.proof import NS, SETTINGS, content, key, missing, open_store, unclean, unwritable
from bench.scenario import Findings, Plan
from bench.writers import write_own
from ghostmem import Ghost, GhostError, StoreBusyError


def arrive(writer: int, newer: bool = False) -> None:
    """Open each store named by the parent, put one memory and close it, in a child process."""
    with newer_ghost() if newer else nullcontext():
        with open_store(":memory:") as ghost:
            unwritable(ghost)  # imports everything, so that both start alike
        say(READY)
        while path := hear():
            try:
                with open_store(path) as ghost:
                    ghost.put(NS, key(writer, 0), content(writer, 0))
                say(f"put {writer}")
            except GhostError as error:
                say(f"error {type(error).__name__}: {error}")


def creation(plan: Plan) -> Findings:
    """Have two processes create the same file at once."""
    return _meet(plan, "creation", newer=False)


def migration(plan: Plan) -> Findings:
    """Have two processes migrate the same file at once."""
    return _meet(plan, "migration", newer=True)


def _meet(plan: Plan, name: str, newer: bool) -> Findings:
    findings = Findings({"rounds": 0, "opened": 0})
    workdir = plan.new_folder(f"race-{name}")
    if newer:
        populate(workdir)
    with (
        Child(arrive, writer=10, newer=newer) as one,
        Child(arrive, writer=11, newer=newer) as other,
    ):
        for child in (one, other):
            findings.expect(child.await_lines(1), f"a process did not start: {child.error}")
        for number in range(min(plan.rounds, 20)):
            path = workdir / f"{number}.db"
            if newer:
                shutil.copy(workdir / FILE, path)
            for child in (one, other):
                child.tell(str(path))
            for child in (one, other):
                findings.expect(child.await_lines(number + 2), f"round {number}: a process hung")
                said = child.lines()[-1]
                findings.count("opened", int(said.startswith("put ")))
                findings.expect(said.startswith("put "), f"round {number}: {said}")
            findings.count("rounds")
            wanted = [(10, 0), (11, 0)] + ([(LIVE, n) for n in range(ROWS)] if newer else [])
            with newer_ghost() if newer else nullcontext(), open_store(path) as ghost:
                findings.problems += [
                    f"round {number}: {problem}"
                    for problem in missing(ghost, wanted) + unclean(ghost)
                ]
    return findings


def hold(path: str) -> None:
    """Keep a write transaction open until the parent says otherwise, in a child process."""
    db = apsw.Connection(path)
    db.execute("BEGIN IMMEDIATE; UPDATE memories SET content = 'never committed'")
    say("held")
    hear()
    db.execute("ROLLBACK")
    db.close()


def busy(plan: Plan) -> Findings:
    """Wait for a lock that is not given up: an error in time, nothing changed, reading goes on."""
    findings = Findings()
    path = plan.new_folder("busy") / FILE
    with open_store(path) as ghost:
        for number in range(5):
            ghost.put(NS, key(0, number), content(0, number))
    with (
        Child(hold, path=str(path)) as child,
        Ghost.open(path, settings=replace(SETTINGS, busy_timeout=0.3)) as ghost,
    ):
        child.await_lines(1)
        before = list(ghost.export())
        began = time.monotonic()
        try:
            ghost.put(NS, key(0, 0), content(0, 100))
            findings.problems.append("a put went through another process's lock")
        except StoreBusyError as error:
            findings.facts["said"] = str(error).replace(str(path), FILE)
        findings.facts["waited_ms"] = round((time.monotonic() - began) * 1000)
        findings.expect(list(ghost.export()) == before, "a put that was refused changed something")
        try:
            findings.expect(
                ghost.get(NS, key(0, 1)).content == content(0, 1), "get reads another content"
            )
        except GhostError as error:
            findings.problems.append(
                f"get while another process writes: {type(error).__name__}: {error}"
            )
        child.finish()
        findings.problems += (
            missing(ghost, [(0, number) for number in range(5)])
            + unclean(ghost)
            + unwritable(ghost)
        )
    return findings


def neighbour(plan: Plan) -> Findings:
    """Kill writers while another one keeps writing the same file."""
    findings = Findings({"killed": 0, "acknowledged": 0})
    path = plan.new_folder("neighbour") / FILE
    victims: list[tuple[int, Child]] = []
    moments = plan.moments("neighbour", min(plan.rounds, 10))
    with Child(write_own, path=str(path), writer=0, puts=plan.puts) as steady:
        steady.await_lines(1)
        steady.tell("go")
        for writer, moment in enumerate(moments, 10):
            with Child(write_own, path=str(path), writer=writer, puts=10_000) as child:
                child.await_lines(1)
                child.tell("go")
                child.listen(moment * 0.3)
            victims.append((writer, child))
        findings.expect(
            steady.finish() and steady.code == 0,
            f"the neighbour ended with {steady.code}: {steady.error}",
        )
    wanted = []
    for writer, child in [*victims, (0, steady)]:
        findings.problems += [line for line in child.lines() if line.startswith("error")]
        wanted += [
            (writer, int(line.split()[1])) for line in child.lines() if line.startswith("put ")
        ]
    findings.facts |= {
        "killed": sum(child.code == -9 for _, child in victims),
        "acknowledged": len(wanted),
    }
    with open_store(path) as ghost:
        findings.problems += missing(ghost, wanted) + unclean(ghost) + unwritable(ghost)
    return findings
