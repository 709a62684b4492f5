"""Many processes writing one file: nothing fails, nothing is lost, version chains have no gaps."""

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench.child import READY, Child, hear, say
from bench.proof import NS, content, key, missing, open_store, unclean
from bench.scenario import Findings, Plan
from ghostmem import GhostError, Memory

SHARED_KEYS = 20
CHORUS = 98  # the writer whose content everybody repeats, so that some puts only reinforce


def write_own(path: str, writer: int, puts: int) -> None:
    """Store memories under keys that no other process uses, in a child process."""
    with open_store(path) as ghost:
        say(READY)
        hear()
        slowest = 0.0
        for number in range(puts):
            began = time.perf_counter()
            try:
                ghost.put(NS, key(writer, number), content(writer, number))
            except GhostError as error:
                say(f"error {error}")
                continue
            slowest = max(slowest, time.perf_counter() - began)
            say(f"put {number}")
    say(f"slowest {slowest * 1000:.0f}")


def write_shared(path: str, writer: int, puts: int) -> None:
    """Store versions of keys that everybody writes, in a child process."""
    choose = random.Random(writer)
    with open_store(path) as ghost:
        say(READY)
        hear()
        for number in range(puts):
            name = f"shared-{choose.randrange(SHARED_KEYS):02d}"
            by, nth = (CHORUS, 0) if choose.random() < 0.2 else (writer, number)
            try:
                memory = ghost.put(NS, name, content(by, nth))
            except GhostError as error:
                say(f"error {error}")
                continue
            say(f"{memory.outcome} {name} {memory.version} {by} {nth}")


def own_keys(plan: Plan) -> Findings:
    """Have every process write its own keys and count the stored memories."""
    path = plan.new_folder("writers-own") / "memory.db"
    said, found = _run(plan, path, write_own)
    lines = [(writer, line.split()) for writer, written in enumerate(said) for line in written]
    acknowledged = [(writer, int(words[1])) for writer, words in lines if words[0] == "put"]
    found.facts["slowest_put_ms"] = max(
        (int(words[1]) for _, words in lines if words[0] == "slowest"), default=0
    )
    with open_store(path) as ghost:
        stored = len(ghost.list(NS, limit=1_000_000))
        found.problems += missing(ghost, acknowledged) + unclean(ghost)
    found.facts |= {
        "puts": plan.processes * plan.puts,
        "acknowledged": len(acknowledged),
        "stored": stored,
    }
    found.expect(
        stored == plan.processes * plan.puts, f"{stored} stored, not {plan.processes * plan.puts}"
    )
    return found


def shared_keys(plan: Plan) -> Findings:
    """Have every process write the same keys and check each chain of versions."""
    path = plan.new_folder("writers-shared") / "memory.db"
    said, found = _run(plan, path, write_shared)
    lines = [
        line.split()
        for written in said
        for line in written
        if line.split()[0] in ("created", "updated", "reinforced")
    ]
    outcomes = Counter(words[0] for words in lines)
    versions = 0
    with open_store(path) as ghost:
        for name in sorted({words[1] for words in lines}):
            chain = ghost.history(NS, name)
            versions += len(chain)
            found.problems += _chain_faults(name, chain)
            found.problems += _unkept(name, chain, [words for words in lines if words[1] == name])
        found.problems += unclean(ghost)
    total = plan.processes * plan.puts
    found.facts |= {"puts": total, "versions": versions, "reinforced": outcomes["reinforced"]}
    found.expect(
        versions + outcomes["reinforced"] == total,
        f"{versions} versions + {outcomes['reinforced']} is not {total}",
    )
    return found


def _run(plan: Plan, path: Path, work: Callable[..., None]) -> tuple[list[list[str]], Findings]:
    """Start all writers together and return the lines of each after it was ready."""
    findings = Findings({"processes": plan.processes, "errors": 0})
    children = [
        Child(work, path=str(path), writer=n, puts=plan.puts) for n in range(plan.processes)
    ]
    said = []
    try:
        for child in children:
            findings.expect(child.await_lines(1), f"a writer did not start: {child.error}")
        for child in children:
            child.tell("go")
        for child in children:
            findings.expect(
                child.finish() and child.code == 0,
                f"a writer ended with {child.code}: {child.error}",
            )
            said.append(child.lines()[1:])
    finally:
        for child in children:
            child.kill()
    errors = [line for lines in said for line in lines if line.startswith("error")]
    findings.facts["errors"] = len(errors)
    findings.problems += errors[:5]
    return said, findings


def _chain_faults(name: str, chain: list[Memory]) -> list[str]:
    """Return the faults of a chain: a gap, a second live version, a broken link, damage."""
    wrong = []
    if [memory.version for memory in chain] != list(range(1, len(chain) + 1)):
        wrong.append(f"{name} has versions {[memory.version for memory in chain]}")
    if [memory.version for memory in chain if memory.deleted_at is None] != [len(chain)]:
        wrong.append(f"{name} has not exactly one live version, the last")
    if [memory.supersedes for memory in chain] != [None, *(memory.id for memory in chain[:-1])]:
        wrong.append(f"{name} has a version that does not supersede the one before")
    return wrong


def _unkept(name: str, chain: list[Memory], lines: list[list[str]]) -> list[str]:
    """Return acknowledged versions whose content differs from the put."""
    texts = {memory.version: memory.content for memory in chain}
    return [
        f"{name} version {version} is not what its writer put"
        for _, _, version, writer, number in lines
        if texts.get(int(version)) != content(int(writer), int(number))
    ]
