"""ghost list"""

from typing import Any

import click

from ghostmem.cli.face import LIMIT, NS_FILTER, TAGS, Face, declare, options, words
from ghostmem.cli.output import named, row

FILTERS = options(
    click.option("--kind", help="semantic, episodic or procedural."),
    click.option("--tier", help="sensory, stm, ltm or dormant."),
    TAGS,
    click.option("-p", "--priority", help="low, normal, high or critical."),
    click.option("--pinned/--no-pinned", default=None, help="Only pinned ones, or only others."),
    click.option("--source-user", help="Said by."),
    click.option("--source-kind", help="stated, observed, self, peer or import."),
    click.option("--source-scope", help="Said where."),
    click.option("--source-client", help="Through which program."),
    click.option("--after", metavar="TIME", help="Created at or after."),
    click.option("--before", metavar="TIME", help="Created at or before."),
    click.option("--valid-at", metavar="TIME", help="True at this time."),
)

AS_OF = click.option("--as-of", metavar="TIME", help="What was believed at this time.")

EXAMPLES = """\
  ghost list -n agent:me
  ghost list -n 'agent:*' -t project:shop --kind procedural
  ghost list --keys-only --limit 100 --offset 100
"""


@declare("list", "List memories, newest first.", EXAMPLES)
@NS_FILTER
@FILTERS
@click.option("--file", help="About this file.")
@click.option("--key-prefix", help="Whose key starts so.")
@click.option(
    "--deleted", is_flag=True, help="Removed and superseded versions instead of live ones."
)
@LIMIT
@click.option(
    "--offset", type=int, default=0, show_default=True, help="Leave out the first so many."
)
@click.option("--keys-only", is_flag=True, help="Only namespaces and keys.")
def command(
    face: Face, ns: str | None, tags: tuple[str, ...], keys_only: bool, **filters: Any
) -> None:
    found = face.ghost.list(face.ns_filter(ns), tags=words(tags), **filters)
    if keys_only and face.as_json:
        face.many([{"ns": m.ns, "key": m.key} for m in found], str)
    else:
        face.many(found, named if keys_only else row, "nothing here")
