"""ghost quarantine"""

from typing import TYPE_CHECKING

import click

from ghostmem.cli.face import DRY_RUN, NS_FILTER, YES, Face, FaceCommand, group
from ghostmem.cli.output import bold, dim, named, plural
from ghostmem.errors import InvalidInputError
from ghostmem.text.excerpt import first_line, visible

if TYPE_CHECKING:
    from ghostmem.model import Held

EXAMPLES = """\
  ghost quarantine list -n agent:me
  ghost quarantine release 01JX4T8Q
  ghost quarantine drop --all -n agent:me --dry-run
"""
EVERY = click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Everything that is held, or with -n what is held there.",
)
IDS = click.argument("ids", nargs=-1, metavar="[ID]...")

command = group("quarantine", "List, release or drop what was put and is not trusted.", EXAMPLES)


@command.command("list", cls=FaceCommand)
@NS_FILTER
def list_(face: Face, ns: str | None) -> None:
    """List what is held, and why; nothing else reads it."""
    face.many(face.ghost.quarantined(face.ns_filter(ns)), _row, "nothing is held in quarantine")


@command.command("release", cls=FaceCommand)
@IDS
@NS_FILTER
@EVERY
@DRY_RUN
@YES
def release(
    face: Face, ids: tuple[str, ...], ns: str | None, everything: bool, dry_run: bool, yes: bool
) -> None:
    """Store what is held as if it had been trusted."""
    chosen = _chosen(face, ids, ns, everything)
    if dry_run:
        face.many(
            chosen, lambda held: f"would release {_row(held)}", "nothing is held in quarantine"
        )
        return
    if chosen:
        face.confirm(f"Release {plural(len(chosen), 'held memory')}?", yes)
    for held in chosen:
        memory = face.ghost.release(held.id)
        face.one(memory, f"released {named(memory)}")
    if not chosen and not face.as_json:
        face.note("nothing is held in quarantine")
    face.vector_note()


@command.command("drop", cls=FaceCommand)
@IDS
@NS_FILTER
@EVERY
@DRY_RUN
@YES
def drop(
    face: Face, ids: tuple[str, ...], ns: str | None, everything: bool, dry_run: bool, yes: bool
) -> None:
    """Delete what is held for good."""
    chosen = _chosen(face, ids, ns, everything)
    if chosen and not dry_run:
        face.confirm(f"Delete {plural(len(chosen), 'held memory')} for good?", yes)
    done = face.ghost.drop_held([held.id for held in chosen], dry_run=dry_run)
    face.one(
        done, f"{'would drop' if dry_run else 'dropped'} {plural(len(done.dropped), 'held memory')}"
    )
    for path in () if face.as_json else done.backups:
        face.note(f"note: the backup {visible(path)} still holds some of it")
    if done.pending and not face.as_json:
        face.note(f"note: {done.pending}")


def _chosen(face: Face, ids: tuple[str, ...], ns: str | None, everything: bool) -> "list[Held]":
    if bool(ids) == everything:
        raise InvalidInputError(
            "name what is held, or say --all",
            "`ghost quarantine list` shows the ids; their start or end will do",
        )
    where = face.ns_filter(ns)
    return (
        face.ghost.quarantined(where)
        if everything
        else [face.ghost.held(one, ns=where) for one in ids]
    )


def _row(held: "Held") -> str:
    about = f"{held.id}  {held.at:%Y-%m-%d %H:%M}  {'; '.join(map(visible, held.reasons))}"
    return (
        f"{dim(held.ns + '/')}{bold(visible(held.key))}  {dim(about)}\n    "
        f"{first_line(held.content, 110)}"
    )
