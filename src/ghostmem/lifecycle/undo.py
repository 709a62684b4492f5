"""undo: take back everything a run of the lifecycle did."""

from dataclasses import dataclass

from ghostmem.errors import ConflictError, NotFoundError
from ghostmem.lifecycle.apply import apply
from ghostmem.lifecycle.reflect import LEFT, changes_of
from ghostmem.memory.embedding import catch_up
from ghostmem.model import Change, Record, Run, optional
from ghostmem.store import validate
from ghostmem.store.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class Undone(Record):
    """A run that was taken back, and what could not be, because it has changed since."""

    run: str
    dry_run: bool
    undone: int
    left: tuple[Change, ...] = optional(())


def runs(store: Store, *, limit: int = 20) -> list[Run]:
    """Return the runs of the lifecycle, newest first."""
    with store.engine.read() as tx:
        return tx.runs.all(validate.positive(limit, "limit"))


def undo(store: Store, run: str, *, dry_run: bool = False) -> Undone:
    """Take back every change of a run, last first, in one transaction.

    What has changed since is left as it is and named.

    Runs are named by their id, or by the beginning of it; `last` is the newest that was not taken
    back yet."""
    with store.engine.write(dry_run=dry_run) as tx:
        found = _find(tx.runs.all(10_000), validate.text(run, "run"))
        if found.undone_at is not None:
            raise ConflictError(f"run {found.id} was undone already", "`ghost undo` lists the runs")
        now = store.clock()
        entries = tx.runs.entries(found.id, newest_first=True)
        made = [entry for entry in entries if entry.done == 1]
        back = {entry.seq for entry in made if apply(store, tx, entry, now, back=True)}
        left = changes_of(tx, [entry for entry in made if entry.seq not in back])
        for entry in entries:
            if entry.done == 0:
                tx.runs.done(found.id, entry.seq, LEFT)
        tx.runs.finish(found.id, found.finished_at or now)
        tx.runs.undone(found.id, now)
    if not dry_run:
        catch_up(store, link=False)  # taking back makes nothing new
    return Undone(found.id, dry_run, len(back), tuple(left))


def _find(known: list[Run], name: str) -> Run:
    if name == "last":
        matching = [run for run in known if run.undone_at is None][:1]
    else:
        matching = [run for run in known if name and run.id.startswith(name.upper())]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise NotFoundError(
            f"{name!r} is the beginning of {len(matching)} runs",
            "give more of the id; `ghost undo` lists them",
        )
    raise NotFoundError(f"there is no run {name!r}", "`ghost undo` lists the runs")
