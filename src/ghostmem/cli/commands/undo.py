"""ghost undo"""

import click

from ghostmem.cli.face import DRY_RUN, LIMIT, Face, declare
from ghostmem.cli.output import bold, dim, plural
from ghostmem.model import Run
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost undo                    # lists the runs
  ghost undo last
  ghost undo 01JAYZ4 --dry-run
"""


@declare("undo", "Take back a run of the lifecycle; without a run, list them.", EXAMPLES)
@click.argument("run", required=False)
@DRY_RUN
@LIMIT
def command(face: Face, run: str | None, dry_run: bool, limit: int) -> None:
    if run is None:
        face.many(face.ghost.runs(limit=limit), _shown, "no runs yet; `ghost reflect` makes one")
        return
    done = face.ghost.undo(run, dry_run=dry_run)
    face.one(
        done,
        f"{'would take back' if dry_run else 'took back'} {plural(done.undone, 'change')} "
        f"of run {done.run}",
    )
    for change in done.left:
        face.note(
            "left as it is, because it has changed since: "
            f"{change.ns}/{visible(change.key)} {change.op.lower()}"
        )


def _shown(run: Run) -> str:
    state = (
        "undone"
        if run.undone_at
        else "done"
        if run.finished_at
        else "interrupted; the next reflect finishes it"
    )
    about = (
        f"{run.at:%Y-%m-%d %H:%M}  {run.verb} {run.scope or 'everything'}  "
        f"{plural(run.changes, 'change')}"
    )
    return f"{bold(run.id)}  {about}  {dim(state)}"
