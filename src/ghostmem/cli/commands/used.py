"""ghost used"""

import click

from ghostmem.cli.face import NS, Face, declare
from ghostmem.cli.output import bold, dim, plural
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost used -n agent:me tea deploy-days
"""


@declare("used", "Say which memories really helped, so that they stay.", EXAMPLES)
@click.argument("keys", nargs=-1, required=True)
@NS
def command(face: Face, keys: tuple[str, ...], ns: str | None) -> None:
    found = face.ghost.used(face.ns(ns), keys)
    face.many(
        found,
        lambda use: (
            f"{dim(use.ns + '/')}{bold(visible(use.key))}  helped "
            f"{plural(use.utility_count, 'time')}"
        ),
    )
