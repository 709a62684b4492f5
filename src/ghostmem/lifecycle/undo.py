"""Reverse the changes of a reflect run."""

from ghostmem.errors import ConflictError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.lifecycle.apply import APPLIED, SKIPPED, apply_all
from ghostmem.lifecycle.run_log import changes_of
from ghostmem.memory.embedding import catch_up
from ghostmem.model import Change, Record, Run, optional
from ghostmem.store import Store, Transaction, validate


@frozen
class Undone(Record):
    """A reversed run, and the changes that stay because their subject has changed since."""

    run: str
    dry_run: bool
    undone: int
    left: tuple[Change, ...] = optional(())


def runs(store: Store, *, limit: int = 20) -> list[Run]:
    """Return the lifecycle runs, newest first.

    Args:
        limit: Maximum number of runs.
    """
    with store.engine.read() as tx:
        return tx.runs.all(validate.positive(limit, "limit"))


def undo(store: Store, run: str, *, dry_run: bool = False) -> Undone:
    """Revert all changes of a lifecycle run.

    Memories that changed since are left alone and listed in the result.

    Args:
        run: Id of the run, the start of it, or "last".
        dry_run: Change nothing; report what would happen.

    Raises:
        ConflictError: The run was already undone.
    """
    validate.flags(dry_run=dry_run)
    with store.engine.write(dry_run=dry_run) as tx:
        chosen = _find(tx, validate.text(run, "run"))
        if chosen.undone_at is not None:
            raise ConflictError(
                f"run {chosen.id} was already undone", "`ghost undo` lists the runs"
            )
        now = store.clock()
        entries = tx.runs.entries(chosen.id, newest_first=True)
        applied = [entry for entry in entries if entry.done == APPLIED]
        undone = apply_all(store, tx, applied, now, back=True)
        left = changes_of(tx, [entry for entry in applied if not undone[entry.seq]])
        planned = [entry for entry in entries if entry.done == 0]
        tx.runs.done(chosen.id, (entry._replace(done=SKIPPED) for entry in planned))
        tx.runs.update(chosen.id, finished_at=chosen.finished_at or now, undone_at=now)
    if not dry_run:
        catch_up(store, link=False)  # an undo adds nothing to link
    return Undone(chosen.id, dry_run, sum(undone.values()), tuple(left))


def find_run(store: Store, run_id: str) -> Run | None:
    """Return the run with an id."""
    with store.engine.read() as tx:
        return tx.runs.get(validate.text(run_id, "run").upper())


def _find(tx: Transaction, name: str) -> Run:
    """Return the run that a beginning of its id names, or the newest that was not undone."""
    if name == "last":
        newest = tx.runs.newest_not_undone()
        matching = [newest] if newest else []
    else:
        matching = tx.runs.starting(name.upper()) if name else []
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise NotFoundError(
            f"{name!r} is the beginning of {len(matching)} runs",
            "give more of the id; `ghost undo` lists them",
        )
    problem = f"there is no run {name!r}"
    if name == "last":
        problem = "every run is undone already" if tx.runs.all(1) else "there are no runs to undo"
    raise NotFoundError(problem, "`ghost undo` lists the runs")
