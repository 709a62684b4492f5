"""ghost stale"""

from typing import TYPE_CHECKING

import click

from ghostmem.cli.face import NS_FILTER, Face, declare
from ghostmem.cli.output import bold, dim
from ghostmem.text.excerpt import visible

if TYPE_CHECKING:
    from ghostmem.outline.stale import Stale

EXAMPLES = """\
  ghost stale -n agent:me
  ghost stale --root ~/src/shop --all
"""


@declare("stale", "List memories whose code has moved on.", EXAMPLES)
@NS_FILTER
@click.option("--root", metavar="DIR", help="Only what is linked to the code of this project.")
@click.option("--all", "everything", is_flag=True, help="Those whose code is as it was, too.")
def command(face: Face, ns: str | None, root: str | None, everything: bool) -> None:
    found = face.ghost.stale(face.ns_filter(ns), root, everything=everything)
    face.many(
        found,
        _row,
        "no memory is linked to code" if everything else "no memory's code has moved on",
    )


def _row(one: "Stale") -> str:
    where = dim(f"{visible(one.symbol)}  {visible(one.path)}")
    return f"{dim(one.ns + '/')}{bold(visible(one.key))}  {where}  {visible(one.mark) or 'current'}"
