"""Work to be killed: puts, bulk import, gc, migration and vacuum, each with a check afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from bench.child import READY, say
from bench.kill import FILE, Operation
from bench.proof import NS, SETTINGS, content, key, missing, open_store, unclean, unwritable
from bench.shim import Meter, PowerMeter, install
from ghostmem import Ghost, NewerStoreError
from ghostmem.store.sqlite.schema import MIGRATIONS
from ghostmem.transfer.import_ import BATCH

PUTS = 20
IMPORTED = BATCH + BATCH // 10
ROWS = 40  # of each sort in the stores that gc, migration and vacuum work on
LIVE, EXPIRED, REMOVED, NEW = 1, 2, 3, 4  # writers, by what becomes of their memories
EXTRA = {
    "9999_bench": "ALTER TABLE memories ADD COLUMN bench TEXT; UPDATE memories SET bench = "
    "content || content;"
}


@contextmanager
def counted(die_at: int | None, power: bool) -> Iterator[None]:
    """Announce the start of work and, with a meter, die at the chosen write or print the count."""
    meter = None if die_at is None else PowerMeter(die_at) if power else Meter(die_at)
    system = None if meter is None else install(meter)
    say(READY)
    yield
    if meter is not None and system is not None:
        say(f"writes {meter.count}")


def numbers(lines: list[str], verb: str) -> list[int]:
    """Return the numbers acknowledged with a word."""
    return [int(line.split()[1]) for line in lines if line.startswith(f"{verb} ")]


def nothing(folder: Path) -> None:
    """Prepare no store: the work creates it."""


def populate(folder: Path) -> None:
    """Make a store with live, expired and removed memories and older versions."""
    past = datetime.now(UTC) - timedelta(days=2)
    with Ghost.open(
        folder / FILE, settings=replace(SETTINGS, synchronous="normal"), clock=lambda: past
    ) as ghost:
        for number in range(ROWS):
            ghost.put(NS, key(LIVE, number), content(NEW, number))
            ghost.put(NS, key(LIVE, number), content(LIVE, number))
            ghost.put(NS, key(EXPIRED, number), content(EXPIRED, number), ttl="1h")
            ghost.put(NS, key(REMOVED, number), content(REMOVED, number))
            ghost.rm(NS, key(REMOVED, number))


def put_many(
    folder: str, die_at: int | None = None, power: bool = False, synchronous: str = "full"
) -> None:
    """Put new keys, and versions of one key, in a child process."""
    with counted(die_at, power), open_store(f"{folder}/{FILE}", synchronous) as ghost:
        for number in range(PUTS):
            ghost.put(NS, key(NEW, number), content(NEW, number))
            say(f"put {number}")
            ghost.put(NS, "latest", content(LIVE, number))
            say(f"latest {number}")


def verify_puts(folder: Path, lines: list[str]) -> list[str]:
    """Find every acknowledged put, and the versions of the one key without a gap."""
    latest = max(numbers(lines, "latest"), default=-1)
    with open_store(folder / FILE) as ghost:
        wrong = missing(ghost, [(NEW, number) for number in numbers(lines, "put")])
        if latest >= 0:
            chain = ghost.history(NS, "latest")
            texts = [memory.content for memory in chain]
            if texts != [content(LIVE, n) for n in range(len(chain))] or len(chain) <= latest:
                wrong.append(
                    f"latest has {len(chain)} versions after {latest + 1} were acknowledged"
                )
        return wrong + unclean(ghost) + unwritable(ghost)


def write_export(folder: Path) -> None:
    """Prepare an export to import."""
    with Ghost.open(":memory:", settings=SETTINGS) as ghost:
        for number in range(IMPORTED):
            ghost.put(NS, key(NEW, number), content(NEW, number))
        (folder / "export.jsonl").write_text("\n".join(ghost.export()), encoding="utf-8")


def import_all(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Import the export in a child process, acknowledging each batch."""
    lines = Path(folder, "export.jsonl").read_text(encoding="utf-8").splitlines()
    with counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        ghost.import_(lines, progress=lambda done: say(f"imported {done}"))
        say(f"complete {IMPORTED}")


def verify_import(folder: Path, lines: list[str]) -> list[str]:
    """Find whole batches, at least those acknowledged, and the rest after importing again."""
    done = max(numbers(lines, "imported") + numbers(lines, "complete"), default=0)
    with open_store(folder / FILE) as ghost:
        stored = len(ghost.list(NS, limit=1_000_000))
        wrong = missing(ghost, [(NEW, number) for number in range(done)]) + unclean(ghost)
        if (stored % BATCH and stored != IMPORTED) or stored < done:
            wrong.append(
                f"{stored} memories are there after {done} were acknowledged in batches of {BATCH}"
            )
        again = ghost.import_((folder / "export.jsonl").read_text(encoding="utf-8").splitlines())
        if (again.unchanged, again.imported) != (stored, IMPORTED - stored):
            wrong.append(
                f"importing again found {again.unchanged} unchanged and {again.imported} "
                f"new after {stored}"
            )
        return (
            wrong
            + missing(ghost, [(NEW, number) for number in range(IMPORTED)])
            + unclean(ghost)
            + unwritable(ghost)
        )


def collect(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Put, collect, put in a child process."""
    with counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        put_numbered(ghost, 0)
        ghost.lifecycle.gc(purge_deleted="all")
        say("collected 1")
        put_numbered(ghost, 1)


def verify_gc(folder: Path, lines: list[str]) -> list[str]:
    """Check that live memories are unchanged, and the others all present or all gone."""
    with open_store(folder / FILE) as ghost:
        wrong = verify_live(ghost, lines)
        doomed = _versions(ghost, EXPIRED) + _versions(ghost, REMOVED)
        if doomed not in (0, 2 * ROWS) or (doomed and numbers(lines, "collected")):
            wrong.append(
                f"{doomed} of {2 * ROWS} expired and removed memories are there; collected: {lines}"
            )
        ghost.lifecycle.gc(purge_deleted="all")
        if left := _versions(ghost, EXPIRED) + _versions(ghost, REMOVED):
            wrong.append(f"{left} memories are left after collecting again")
        return wrong + verify_live(ghost, lines) + unwritable(ghost)


def shrink(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Put, collect, shrink the file, put in a child process."""
    with counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        put_numbered(ghost, 0)
        ghost.lifecycle.gc(purge_deleted="all", vacuum=True)
        say("shrunk 1")
        put_numbered(ghost, 1)


def verify_vacuum(folder: Path, lines: list[str]) -> list[str]:
    """Find the live ones untouched and the file able to shrink again."""
    with open_store(folder / FILE) as ghost:
        wrong = verify_live(ghost, lines)
        ghost.lifecycle.gc(purge_deleted="all", vacuum=True)
        return wrong + verify_live(ghost, lines) + unwritable(ghost)


@contextmanager
def newer_ghost() -> Iterator[None]:
    """Pretend to be a later Ghost that knows one more migration."""
    MIGRATIONS.update(EXTRA)
    try:
        yield
    finally:
        for name in EXTRA:
            del MIGRATIONS[name]


def upgrade(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Open an older store with a newer Ghost, which migrates it, and put, in a child process."""
    with newer_ghost(), counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        say("migrated 1")
        put_numbered(ghost, 0)


def verify_migration(folder: Path, lines: list[str]) -> list[str]:
    """Check the data after migrating again, the copy, and that older versions only read it."""
    copy = folder / f"{FILE}.before-{next(iter(EXTRA))}.bak"
    wrong = (
        [f"copy before reopening: {problem}" for problem in _verify_copy(copy)]
        if copy.exists()
        else []
    )
    with newer_ghost(), open_store(folder / FILE) as ghost:
        wrong += verify_live(ghost, lines)
        if ghost.store.engine.read_only:
            wrong.append("the migrated store is read-only for the Ghost that migrated it")
        wrong += unwritable(ghost)
    with apsw.Connection(str(folder / FILE)) as db:
        if rest := db.execute(
            "SELECT count(*) FROM memories WHERE key LIKE 'w01%' AND bench IS NULL"
        ).get:
            wrong.append(f"{rest} rows were not migrated")
    wrong += (
        _verify_copy(copy)
        if copy.exists()
        else ["there is no copy of the store before its migration"]
    )
    wrong += [
        f"{path.name} was left behind" for path in folder.iterdir() if path.name.endswith(".tmp")
    ]
    return wrong + _verify_older_reads(folder / FILE)


def _verify_copy(copy: Path) -> list[str]:
    """Open the copy made before the migration as the older Ghost would."""
    with open_store(copy) as ghost:
        return verify_live(ghost, [])


def _verify_older_reads(path: Path) -> list[str]:
    """Open a migrated store with an older Ghost: it reads and refuses to write."""
    with open_store(path) as ghost:
        wrong = missing(ghost, [(LIVE, number) for number in range(ROWS)])
        if ghost.get(NS, key(LIVE, 0)).content != content(LIVE, 0):
            wrong.append("an older Ghost reads another content")
        try:
            ghost.put(NS, "refused", "An older Ghost may not write this.")
            wrong.append("an older Ghost wrote into a newer store")
        except NewerStoreError:
            pass
    return wrong


def put_numbered(ghost: Ghost, number: int) -> None:
    """Put one memory and acknowledge it."""
    ghost.put(NS, key(NEW, number), content(NEW, number))
    say(f"put {number}")


def verify_live(ghost: Ghost, lines: list[str]) -> list[str]:
    """Check every live memory of the prepared store, both versions, and every acknowledged put."""
    wanted = [(LIVE, number) for number in range(ROWS)] + [
        (NEW, number) for number in numbers(lines, "put")
    ]
    wrong = missing(ghost, wanted) + unclean(ghost)
    if (versions := _versions(ghost, LIVE)) != 2 * ROWS:
        wrong.append(f"{versions} versions of live memories are there, not {2 * ROWS}")
    return wrong


def _versions(ghost: Ghost, writer: int) -> int:
    """Count the rows a writer's keys have, hidden ones too."""
    db = apsw.Connection(ghost.store.engine.location, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found: int = db.execute(
            "SELECT count(*) FROM memories WHERE key GLOB ?", (f"w{writer:02d}-*",)
        ).get
        return found
    finally:
        db.close()


OPERATIONS = (
    Operation("puts", nothing, put_many, verify_puts),
    Operation("import", write_export, import_all, verify_import, volatile="imported"),
    Operation("gc", populate, collect, verify_gc),
    Operation("migration", populate, upgrade, verify_migration),
    Operation("vacuum", populate, shrink, verify_vacuum),
)
