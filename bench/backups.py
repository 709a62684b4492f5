"""Test backups over files in use or left over: complete, or refused with the old one intact."""

import shutil
from pathlib import Path

from bench.child import Child, hear, say
from bench.kill import FILE
from bench.kill_files import COPY, LATER, back_up, with_old_backup
from bench.operations import LIVE, ROWS, verify_live
from bench.proof import NS, content, key, missing, open_store, unclean
from bench.scenario import Findings, Plan
from ghostmem import GhostError

HELD = 30  # memories that whoever holds the old backup puts into it; they stay in its log


def hold(path: str, puts: int) -> None:
    """Open a store in a child process, put memories, and keep it open until a line arrives.

    Then print whether it is intact.
    """
    with open_store(path) as ghost:
        for number in range(puts):
            ghost.put(NS, key(8, number), content(8, number))
        ghost.list(NS, limit=5)
        say("held")
        hear()
        try:
            say(f"problems {len(ghost.admin.check().problems)}")
        except GhostError as error:
            say(f"refused {type(error).__name__}: {error}")


def open_elsewhere(plan: Plan) -> Findings:
    """Write a backup over one that another process has open, reading or writing."""
    findings = Findings({"rounds": 0, "replaced": 0, "refused": 0})
    for puts in (0, HELD):
        folder = _prepared(plan, f"open-{puts}")
        with Child(hold, path=str(folder / COPY), puts=puts) as holder:
            findings.expect(holder.await_lines(1), f"the holder did not start: {holder.error}")
            replaced = _back_up(findings, folder, force=True)
            holder.finish()
            last = holder.lines()[-1]
            findings.expect(
                last in ("held", "problems 0") or not last.endswith("damaged"),
                f"the holder says: {last}",
            )
        _judge(findings, folder, replaced, puts)
    return findings


def holder_killed(plan: Plan) -> Findings:
    """Write a backup over one whose holder was killed: its log and index are still there."""
    findings = Findings({"rounds": 0, "replaced": 0, "refused": 0})
    for puts in (0, HELD):
        folder = _prepared(plan, f"killed-{puts}")
        with Child(hold, path=str(folder / COPY), puts=puts) as holder:
            findings.expect(holder.await_lines(1), f"the holder did not start: {holder.error}")
        _judge(findings, folder, _back_up(findings, folder, force=True), puts)
    return findings


def log_stayed(plan: Plan) -> Findings:
    """Write a backup where one was removed by hand and its log was not."""
    findings = Findings({"rounds": 0, "replaced": 0, "refused": 0})
    for puts in (0, HELD):
        folder = _prepared(plan, f"log-{puts}")
        with Child(hold, path=str(folder / COPY), puts=puts) as holder:
            findings.expect(holder.await_lines(1), f"the holder did not start: {holder.error}")
        (folder / COPY).unlink()
        if _back_up(findings, folder, force=False):
            _judge(findings, folder, True, puts)
    return findings


def swept(plan: Plan) -> Findings:
    """Kill backups, then delete a memory: leftovers are reported or removed by the next backup."""
    findings = Findings({"rounds": 0, "left": 0})
    model = _prepared(plan, "swept-model")
    for number, moment in enumerate(plan.moments("swept", min(plan.rounds, 10))):
        folder = plan.folder / f"swept-{number}"
        shutil.copytree(model, folder)
        with Child(back_up, folder=str(folder), die_at=round(100 + moment * 150)) as child:
            child.listen()
        left = _temporary(folder)
        findings.count("rounds")
        findings.count("left", len(left))
        with open_store(folder / FILE) as ghost:
            named = ghost.rm(NS, key(LIVE, 0), hard=True, all_versions=True).backups
            text = content(LIVE, 0).rpartition(" ")[2].encode()
            for path in _temporary(folder):
                holds = text in path.read_bytes()
                findings.expect(
                    not holds or str(path.resolve()) in named,
                    f"round {number}: {path.name} holds it and is not named",
                )
            ghost.transfer.backup(folder / COPY, force=True)
        findings.problems += [f"round {number}: {path.name} stayed" for path in _temporary(folder)]
    findings.expect(
        int(findings.facts["left"]) > 0,
        "no killed backup left anything: the kills came at the wrong moments",
    )
    return findings


def _temporary(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if ".tmp" in path.name]


def _prepared(plan: Plan, name: str) -> Path:
    """Make a folder with a store and an older backup of it."""
    model = plan.folder / "backups-model"
    if not model.exists():
        with_old_backup(plan.new_folder("backups-model"))
    folder = plan.folder / name
    shutil.copytree(model, folder)
    return folder


def _back_up(findings: Findings, folder: Path, force: bool) -> bool:
    """Try to write the backup; True when it was written, False when it was refused."""
    findings.count("rounds")
    with open_store(folder / FILE) as ghost:
        try:
            ghost.transfer.backup(folder / COPY, force=force)
        except GhostError as error:
            findings.count("refused")
            findings.facts["said"] = str(error).replace(str(folder), "FOLDER")
            return False
    findings.count("replaced")
    return True


def _judge(findings: Findings, folder: Path, replaced: bool, puts: int) -> None:
    """Open the resulting files, also as a copy on another machine would be opened."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(folder / COPY, elsewhere / COPY)
    places: tuple[tuple[str, Path], ...] = (
        ("in place", folder / COPY),
        *((("copied", elsewhere / COPY),) if replaced else ()),
    )
    for where, path in places:
        try:
            with open_store(path) as ghost:
                wrong = missing(ghost, [(LIVE, number) for number in range(ROWS)]) + unclean(ghost)
                later = (
                    [(LATER, number) for number in range(ROWS)]
                    if replaced
                    else [(8, number) for number in range(puts)]
                )
                wrong += missing(ghost, later)
                if replaced and any(
                    memory.key.startswith("w08") for memory in ghost.list(NS, limit=1_000)
                ):
                    wrong.append("memories of the replaced file are in the new one")
        except GhostError as error:
            wrong = [f"{type(error).__name__}: {error}"]
        findings.problems += [
            f"{where}, {puts} puts by the holder: {problem}" for problem in wrong[:3]
        ]
    with open_store(folder / FILE) as ghost:
        findings.problems += verify_live(ghost, [])
