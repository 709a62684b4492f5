"""Killed work that writes store files: a backup, restoring a backup, and a migration."""

from pathlib import Path

import apsw

from bench.child import say
from bench.kill import FILE, Operation
from bench.operations import LIVE, NEW, ROWS, counted, numbers, populate, put_numbered, verify_live
from bench.proof import NS, SETTINGS, content, key, missing, open_store, unclean, unwritable
from ghostmem import migrate

COPY = "copy.db"
MOVED = "moved.db"
LATER = 7  # the writer of what a store holds and its older backup does not


def with_old_backup(folder: Path) -> None:
    """Make a store, a backup of it, and memories that came later."""
    populate(folder)
    with open_store(folder / FILE) as ghost:
        ghost.transfer.backup(folder / COPY)
        for number in range(ROWS):
            ghost.put(NS, key(LATER, number), content(LATER, number))


def back_up(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Put, write a backup over an older one, put in a child process."""
    with counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        put_numbered(ghost, 0)
        ghost.transfer.backup(Path(folder, COPY), force=True)
        say("copied 1")
        put_numbered(ghost, 1)


def verify_backup(folder: Path, lines: list[str]) -> list[str]:
    """Check that store and backup are intact, and that a second backup removes leftovers."""
    wrong = [
        f"backup: {problem}"
        for problem in _whole_copy(
            folder / COPY, bool(numbers(lines, "copied")), numbers(lines, "put")
        )
    ]
    with open_store(folder / FILE) as ghost:
        wrong += verify_live(ghost, lines) + missing(
            ghost, [(LATER, number) for number in range(ROWS)]
        )
        ghost.transfer.backup(folder / COPY, force=True)
        wrong += [
            f"second backup: {problem}"
            for problem in _whole_copy(folder / COPY, True, numbers(lines, "put"))
        ]
        wrong += unwritable(ghost)
    return wrong + left_over(folder)


def _whole_copy(path: Path, must_be_new: bool, put: list[int]) -> list[str]:
    """Open a backup as the store it is: everything of its moment, and nothing else."""
    with open_store(path) as ghost:
        wrong = missing(ghost, [(LIVE, number) for number in range(ROWS)]) + unclean(ghost)
        stored = {memory.key for memory in ghost.list(NS, limit=1_000)}
    later = {key(LATER, number) for number in range(ROWS)}
    is_old = not stored & later
    if not is_old and not later | {key(NEW, number) for number in put if number == 0} <= stored:
        wrong.append("it is neither the older state nor the newer one")
    if is_old and must_be_new:
        wrong.append("it is the older one, after the new one was acknowledged")
    return wrong


def left_over(folder: Path) -> list[str]:
    """Return temporary files that nothing will remove."""
    return [f"{path.name} was left behind" for path in folder.iterdir() if ".tmp" in path.name]


def go_back(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Restore a backup over the store (`ghost --db copy.db backup memory.db --force`), then put."""
    with counted(die_at, power):
        with open_store(f"{folder}/{COPY}") as ghost:
            ghost.transfer.backup(Path(folder, FILE), force=True)
        say("returned 1")
        with open_store(f"{folder}/{FILE}") as ghost:
            put_numbered(ghost, 0)


def verify_return(folder: Path, lines: list[str]) -> list[str]:
    """Find the store as it was or as in the backup, whole.

    A second run gives the backup's state.
    """
    wrong = []
    later = [(LATER, number) for number in range(ROWS)]
    with open_store(folder / FILE) as ghost:
        wrong += verify_live(ghost, lines)
        there = len(later) - len(missing(ghost, later))
        if there not in (0, ROWS) or (there and numbers(lines, "returned")):
            wrong.append(f"{there} of {ROWS} memories that the backup does not have are there")
    with open_store(folder / COPY) as ghost:
        wrong += verify_live(ghost, [])
        ghost.transfer.backup(folder / FILE, force=True)
    with open_store(folder / FILE) as ghost:
        wrong += verify_live(ghost, []) + unwritable(ghost)
        if len(missing(ghost, later)) != ROWS:
            wrong.append("the second run did not bring the backup's state")
    return wrong + left_over(folder)


def move(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Put, move the store to another file, put there in a child process."""
    source, target = f"{folder}/{FILE}", f"{folder}/{MOVED}"
    with counted(die_at, power):
        with open_store(source) as ghost:
            put_numbered(ghost, 0)
        migrate(source, target, settings=SETTINGS)
        say("moved 1")
        with open_store(target) as ghost:
            put_numbered(ghost, 1)


def verify_move(folder: Path, lines: list[str]) -> list[str]:
    """Check that the source is intact and the target equal, if needed after a second run."""
    source, target = folder / FILE, folder / MOVED
    put = numbers(lines, "put")
    with open_store(source) as ghost:
        wrong = [
            f"source: {problem}"
            for problem in verify_live(ghost, [f"put {number}" for number in put if number == 0])
        ]
        before = list(ghost.export())
    moved = bool(numbers(lines, "moved"))
    if not moved:
        migrate(str(source), str(target), settings=SETTINGS)
    with open_store(target) as ghost:
        wrong += [f"target: {problem}" for problem in verify_live(ghost, lines)]
        if not moved and list(ghost.export()) != before:
            wrong.append("the exports of source and target differ")
        if not ghost.admin.verify_log().ok:
            wrong.append("the log of the target is broken")
        wrong += unwritable(ghost)
    db = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    if (said := db.execute("PRAGMA integrity_check").get) != "ok":
        wrong.append(f"integrity_check of the source: {said}")
    db.close()
    return wrong + left_over(folder)


OPERATIONS = (
    Operation("backup", with_old_backup, back_up, verify_backup),
    Operation("going back to a backup", with_old_backup, go_back, verify_return),
    Operation("migrate", populate, move, verify_move),
)
