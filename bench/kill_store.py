"""Killed work inside a store: a lifecycle run, restoring memories, and hard deletes."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.child import say
from bench.kill import FILE, Operation
from bench.operations import (
    LIVE,
    REMOVED,
    ROWS,
    counted,
    numbers,
    populate,
    put_numbered,
    verify_live,
)
from bench.proof import NS, SETTINGS, content, key, missing, open_store, unclean, unwritable
from ghostmem import Ghost, NotFoundError

NOW = datetime(2026, 6, 1, tzinfo=UTC)  # when the killed run of the lifecycle takes place
SENSORY, LONG_TERM = (
    5,
    6,
)  # writers whose memories the lifecycle removes and puts to rest; those of LIVE fade
EXPECTED = "expected.json"
DELETED = 4  # memories that are deleted for good, one at a time


def _open_at(path: Path, at: datetime) -> Ghost:
    return Ghost.open(path, settings=replace(SETTINGS, synchronous="full"), clock=lambda: at)


def fill_aged(folder: Path) -> None:
    """Make a store that is due for the lifecycle, and record the result of one and two runs."""
    with _open_at(folder / FILE, NOW - timedelta(days=20)) as ghost:
        for number in range(ROWS):
            ghost.put(NS, key(LIVE, number), content(LIVE, number), importance=0.8)
            ghost.put(NS, key(LONG_TERM, number), content(LONG_TERM, number), tier="ltm")
            ghost.put(NS, key(SENSORY, number), content(SENSORY, number), tier="sensory")
    copy = folder / "copy.db"
    shutil.copy(folder / FILE, copy)
    states = []
    with _open_at(copy, NOW) as ghost:
        for _ in range(2):
            ghost.reflect()
            states.append(_state(ghost))
    copy.unlink()
    (folder / EXPECTED).write_text(json.dumps(states), encoding="utf-8")


def _state(ghost: Ghost) -> dict[str, list[Any]]:
    """Return the fields of each prepared memory that the lifecycle changes."""
    with ghost.store.engine.read() as tx:
        found = [
            tx.memories.last(NS, key(writer, number))
            for writer in (LIVE, LONG_TERM, SENSORY)
            for number in range(ROWS)
        ]
    rows = [memory for memory in found if memory is not None]
    return {
        memory.key: [str(memory.tier), round(memory.importance, 6), memory.deleted_at is not None]
        for memory in rows
    }


def reflect(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Put, run the lifecycle, put in a child process."""
    with counted(die_at, power), _open_at(Path(folder, FILE), NOW) as ghost:
        put_numbered(ghost, 0)
        ghost.reflect()
        say("reflected 1")
        put_numbered(ghost, 1)


def verify_reflect(folder: Path, lines: list[str]) -> list[str]:
    """Check every memory against the state of an undisturbed run, if needed after another run."""
    once, twice = json.loads((folder / EXPECTED).read_text(encoding="utf-8"))
    with _open_at(folder / FILE, NOW) as ghost:
        wrong = unclean(ghost)
        wrong += missing(ghost, [(4, number) for number in numbers(lines, "put")])
        if numbers(lines, "reflected") and _state(ghost) != once:
            wrong.append("an acknowledged run left another state than an undisturbed one")
        ghost.reflect()
        if _state(ghost) not in (once, twice):
            wrong.append("the run after a killed one ends in another state than undisturbed runs")
        texts = {memory.key: memory.content for memory in ghost.list(NS, limit=1_000)}
        kept = [(writer, number) for writer in (LIVE, LONG_TERM) for number in range(ROWS)]
        lost = [pair for pair in kept if texts.get(key(*pair)) != content(*pair)]
        wrong += [f"{key(*pair)} is lost" for pair in lost]
        return wrong + unclean(ghost) + unwritable(ghost)


def restore(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Bring back removed memories and earlier versions, in a child process, acknowledging each."""
    with counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        for number in range(ROWS // 2):
            ghost.restore(NS, key(REMOVED, number))
            say(f"restored {number}")
            ghost.restore(NS, key(LIVE, number), version=1)
            say(f"version {number}")


def verify_restore(folder: Path, lines: list[str]) -> list[str]:
    """Check every acknowledged restore and the other memories, and finish with a second run."""
    with open_store(folder / FILE) as ghost:
        wrong = missing(
            ghost, [(REMOVED, number) for number in numbers(lines, "restored")]
        ) + unclean(ghost)
        current = {memory.key for memory in ghost.list(NS, limit=1_000)}
        for number in range(ROWS // 2):
            chain = [memory.content for memory in ghost.history(NS, key(LIVE, number))]
            whole = [content(4, number), content(LIVE, number)]
            if chain not in (whole, [*whole, whole[0]]) or (
                chain == whole and number in numbers(lines, "version")
            ):
                wrong.append(
                    f"{key(LIVE, number)} has {len(chain)} versions after restoring the first"
                )
            if len(chain) == len(whole):
                ghost.restore(NS, key(LIVE, number), version=1)
            if key(REMOVED, number) not in current:
                ghost.restore(NS, key(REMOVED, number))
        wrong += missing(ghost, [(REMOVED, number) for number in range(ROWS // 2)])
        return wrong + unclean(ghost) + unwritable(ghost)


def hard_delete(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Delete memories for good in a child process, between two puts, acknowledging each."""
    with counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        put_numbered(ghost, 0)
        for number in range(DELETED):
            removal = ghost.rm(NS, key(REMOVED, number), hard=True, all_versions=True)
            say(f"deleted {number} {removal.pending}")
        put_numbered(ghost, 1)


def verify_hard_delete(folder: Path, lines: list[str]) -> list[str]:
    """Find each memory whole or gone.

    After the documented `ghost gc`, no byte of a deleted memory is left.
    """
    wrong = []
    with open_store(folder / FILE) as ghost:
        wrong += verify_live(ghost, lines)
        gone = [number for number in range(DELETED) if not _is_whole(ghost, number, wrong)]
        wrong += [
            f"{number} was deleted and is there"
            for number in numbers(lines, "deleted")
            if number not in gone
        ]
        ghost.lifecycle.gc()
    wrong += _traces(folder, gone)
    with open_store(folder / FILE) as ghost:
        for number in range(DELETED):
            if number not in gone:
                ghost.rm(NS, key(REMOVED, number), hard=True, all_versions=True)
        wrong += verify_live(ghost, lines) + unwritable(ghost)
    return wrong + _traces(folder, list(range(DELETED)))


def _is_whole(ghost: Ghost, number: int, wrong: list[str]) -> bool:
    """Say whether a removed memory is still in the history; note when it is there in part."""
    try:
        chain = ghost.history(NS, key(REMOVED, number))
    except NotFoundError:
        return False
    if [memory.content for memory in chain] != [content(REMOVED, number)]:
        wrong.append(f"{key(REMOVED, number)} is half deleted")
    return True


def _traces(folder: Path, gone: list[int]) -> list[str]:
    """Search every file of the store for the checksums of deleted texts."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    words = {number: content(REMOVED, number).rpartition(" ")[2].encode() for number in gone}
    return [
        f"text {number} is still in {name}"
        for number, word in words.items()
        for name, data in files.items()
        if word in data
    ]


OPERATIONS = (
    Operation("reflect", fill_aged, reflect, verify_reflect),
    Operation("restore", populate, restore, verify_restore),
    Operation("hard delete", populate, hard_delete, verify_hard_delete),
)
