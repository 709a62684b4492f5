"""Test a full disk: a clear error, nothing acknowledged lost, reading still works."""

import json
import subprocess
import sys
from pathlib import Path

from bench.child import Child, hear, plain_env, say
from bench.mounts import tmpfs
from bench.proof import NS, content, key, missing, open_store, unclean
from bench.scenario import Findings, Plan
from bench.shim import Space, install
from ghostmem import Ghost, GhostError

WRITER = 1
ENOUGH = 2_000  # puts after which a disk should have been full
PLENTY = 1 << 30
LARGEST = 6 << 20  # enough for the log to be brought into the file once
GHOST = Path(sys.executable).with_name("ghost")


def fill(path: str, space: int | None = None) -> None:
    """Put until the disk is full, read, wait for space and put again, in a child process."""
    rule = Space(PLENTY if space is None else space)
    system = None if space is None else install(rule)
    ghost: Ghost | None = None
    number = 0
    try:
        ghost = open_store(path)
        while number < ENOUGH:
            ghost.put(NS, key(WRITER, number), content(WRITER, number))
            say(f"put {number}")
            number += 1
    except GhostError as error:
        say(f"full {json.dumps(error.to_dict())}")
    if ghost is not None and number:
        _read(ghost, number)
    say("waiting")
    hear()
    rule.left = PLENTY
    with ghost or open_store(path) as ghost:
        for later in (number, number + 1):
            ghost.put(NS, key(WRITER, later), content(WRITER, later))
            say(f"put {later}")
    del system


def _read(ghost: Ghost, count: int) -> None:
    """Read everything back while the disk is full."""
    for problem in missing(ghost, [(WRITER, number) for number in range(count)]):
        say(f"wrong {problem}")
    try:
        ghost.get(NS, key(WRITER, 0))
    except GhostError as error:
        say(f"wrong get while the disk is full: {type(error).__name__}: {error}")


def shim(plan: Plan) -> Findings:
    """Run out of space at many points: during creation, puts and checkpoints."""
    findings = Findings({"rounds": 0, "acknowledged": 0})
    workdir = plan.new_folder("full-shim")
    for number, moment in enumerate(plan.moments("full", min(plan.rounds, 20))):
        if plan.is_late():
            findings.problems.append(f"the time was up after {number} rounds")
            break
        # the square puts more rounds where a store is created and still small
        space = round(moment * moment * LARGEST)
        path = workdir / f"{number}.db"
        with Child(fill, path=str(path), space=space) as child:
            child.listen(until=lambda lines: "waiting" in lines)
            child.tell("go")
            child.finish()
        _judge(findings, f"{space} bytes", path, child)
    return findings


def small_disk(plan: Plan) -> Findings:
    """Fill a real file system of a few megabytes, by the library and by the command line."""
    findings = Findings({"rounds": 0, "acknowledged": 0})
    workdir = plan.new_folder("full-tmpfs")
    with tmpfs(workdir, 3 << 20) as refused:
        if refused:
            return Findings(skipped=refused)
        ballast = workdir / "ballast"
        ballast.write_bytes(bytes(2 << 20))
        path = workdir / "memory.db"
        with Child(fill, path=str(path)) as child:
            child.listen(until=lambda lines: "waiting" in lines)
            _top_up(workdir / "rest")
            _command_line(findings, path, workdir / "new.db")
            ballast.unlink()
            child.tell("go")
            child.finish()
        _judge(findings, "tmpfs", path, child)
    return findings


def _top_up(path: Path) -> None:
    """Fill the remaining space."""
    with path.open("wb", buffering=0) as stream:
        try:
            while True:
                stream.write(bytes(512))
        except OSError:
            return


def _command_line(findings: Findings, path: Path, new: Path) -> None:
    """Check that the command line fails with exit code 5 and a reason, and can still read."""
    attempts = (
        ("put", path, ["put", "-n", NS, "-k", "one-more", content(WRITER, 9)], 5),
        ("put into a new store", new, ["put", "-n", NS, "-k", "first", content(WRITER, 9)], 5),
        ("get", path, ["get", "-n", NS, key(WRITER, 0)], 0),
    )
    for name, store, words, code in attempts:
        done = _ghost(store, words)
        clear = done.returncode == code and (code == 0 or "no space left" in done.stderr)
        findings.expect(
            clear,
            f"`ghost {name}` on a full disk leaves with {done.returncode}: {done.stderr.strip()}",
        )


def _ghost(path: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [GHOST, "--db", path, *words],
        env=plain_env(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def _judge(findings: Findings, where: str, path: Path, child: Child) -> None:
    """Check the store after the disk was full."""
    lines = child.lines()
    puts = [(WRITER, int(line.split()[1])) for line in lines if line.startswith("put ")]
    errors = [json.loads(line[5:]) for line in lines if line.startswith("full ")]
    findings.count("rounds")
    findings.count("acknowledged", len(puts))
    if child.code != 0 or len(errors) != 1:
        findings.problems.append(
            f"{where}: the child ended with {child.code} after {len(errors)} errors: {child.error}"
        )
        return
    error = errors[0]
    clear = (
        error["error"] == "StoreFullError"
        and error["exit_code"] == 5
        and str(path) in error["message"]
    )
    findings.expect(clear, f"{where}: {error['error']}: {error['message']}")
    wrong = [line[6:] for line in lines if line.startswith("wrong ")]
    with open_store(path) as ghost:
        wrong += missing(ghost, puts) + unclean(ghost)
    findings.problems += [f"{where}: {problem}" for problem in wrong[:3]]
