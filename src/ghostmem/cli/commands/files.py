"""ghost files"""

import click

from ghostmem.cli.face import LIMIT, NS_FILTER, Face, declare
from ghostmem.cli.output import row


@declare("files", "List memories about a file.", "  ghost files src/app.py --rel modified\n")
@click.argument("path")
@click.option("--rel", help="modified, created, deleted or read.")
@NS_FILTER
@LIMIT
def command(face: Face, path: str, rel: str | None, ns: str | None, limit: int) -> None:
    face.many(
        face.ghost.files(path, rel=rel, ns=face.ns_filter(ns), limit=limit),
        row,
        f"no memory is about {path}",
    )
