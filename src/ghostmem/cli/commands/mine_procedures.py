"""ghost mine-procedures"""

from typing import TYPE_CHECKING

import click

from ghostmem.cli.commands.capture import FORMAT
from ghostmem.cli.face import NS, CreatingCommand, Face, declare
from ghostmem.cli.output import bold, dim, plural
from ghostmem.text.excerpt import visible

if TYPE_CHECKING:
    from ghostmem.capture.mine_procedures import Mined

EXAMPLES = """\
  ghost mine-procedures ~/.claude/projects/-home-me-shop
  ghost mine-procedures ~/.codex/sessions -n agent:me --store
  ghost mine-procedures -n agent:me
"""


@declare(
    "mine-procedures",
    "Find what was done again and again, in the same order.",
    EXAMPLES,
    CreatingCommand,
)
@click.argument("paths", nargs=-1)
@NS
@FORMAT
@click.option(
    "--min-sessions",
    type=int,
    default=2,
    show_default=True,
    help="Only what so many sessions share.",
)
@click.option("--max", "most", type=int, default=20, show_default=True, help="At most so many.")
@click.option(
    "--store/--dry-run",
    default=False,
    help="Store them as procedural memories; the default is to show.",
)
def command(
    face: Face,
    paths: tuple[str, ...],
    ns: str | None,
    recorder: str,
    min_sessions: int,
    most: int,
    store: bool,
) -> None:
    space = face.ns(ns) if store or not paths else ns
    done = face.ghost.mine_procedures(
        paths, space, format=recorder, fewest=min_sessions, most=most, dry_run=not store
    )
    face.many(done.procedures, _row, f"nothing was repeated in {plural(done.sessions, 'session')}")
    if face.as_json:
        return
    for note in done.notes:
        face.note(f"note: {visible(note)}")
    if done.procedures and not store:
        face.note("nothing was stored; --store does that")
    elif store:
        face.vector_note()


def _row(one: "Mined") -> str:
    told = f"  {one.outcome}" if one.outcome else ""
    about = dim(f"{one.importance:.2f}  in {plural(one.support, 'session')}{told}")
    steps = "\n".join(f"    {number}. {visible(step)}" for number, step in enumerate(one.steps, 1))
    return f"{bold(visible(one.stored_as or one.key))}  {about}\n{steps}"
