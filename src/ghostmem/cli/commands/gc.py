"""ghost gc"""

import click

from ghostmem.cli.commands.rm import tell_what_is_left
from ghostmem.cli.face import DRY_RUN, YES, Face, declare
from ghostmem.cli.output import plural, size

EXAMPLES = """\
  ghost gc --dry-run
  ghost gc --stale 90d
  ghost gc --purge-deleted 30d --vacuum
"""


@declare("gc", "Remove what has expired, is stale, or was removed long ago.", EXAMPLES)
@click.option(
    "--stale", metavar="AGE", help="Also remove, softly, what nobody asked for this long (30d)."
)
@click.option(
    "--purge-deleted",
    metavar="AGE",
    help="Also delete for good what was removed this long ago (30d, or all).",
)
@click.option(
    "--vacuum", is_flag=True, help="Rewrite the file without what was deleted, and shrink it."
)
@DRY_RUN
@YES
def command(
    face: Face, stale: str | None, purge_deleted: str | None, vacuum: bool, dry_run: bool, yes: bool
) -> None:
    if purge_deleted and not dry_run:
        face.confirm("Delete removed memories for good?", yes)
    done = face.ghost.gc(stale=stale, purge_deleted=purge_deleted, vacuum=vacuum, dry_run=dry_run)
    verb = "would remove" if dry_run else "removed"
    what = f"{done.expired} expired, {done.stale} stale, {done.purged} purged"
    kept = f"; {plural(done.protected, 'memory')} protected" if done.protected else ""
    face.one(
        done,
        f"{verb} {what}{kept}; {plural(done.remaining, 'memory')} remain "
        f"({size(done.db_size_bytes)})",
    )
    tell_what_is_left(face, done)
