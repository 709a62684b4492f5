"""ghost curate"""

import click

from ghostmem.cli.face import KEYED, UNLOCK, Face, declare, one_key
from ghostmem.cli.output import bold, dim
from ghostmem.memory.curate import Curated
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost curate -n agent:me tea --op promote
  ghost curate -n agent:me tea --op pin
"""


@declare("curate", "Promote, demote, pin or archive one memory.", EXAMPLES)
@KEYED
@click.option(
    "--op",
    required=True,
    metavar="OP",
    help="promote, demote, boost, diminish, archive, delete, pin, unpin, lock or unlock.",
)
@UNLOCK
def command(
    face: Face, ns: str | None, key: str | None, key_argument: str | None, op: str, unlock: bool
) -> None:
    done = face.ghost.curate(face.ns(ns), one_key(key, key_argument), op, unlock=unlock)
    face.one(done, f"{dim(done.ns + '/')}{bold(visible(done.key))}  {_told(done)}")


def _told(done: Curated) -> str:
    if done.new_tier is not None:
        return f"{done.old_tier} → {done.new_tier}"
    if done.new_importance is not None:
        return f"importance {done.old_importance:g} → {done.new_importance:g}"
    if done.new_pinned is not None:
        return "pinned" if done.new_pinned else "no longer pinned"
    if done.locked is not None:
        return "locked" if done.locked else "no longer locked"
    return "removed; `ghost restore` brings it back"
