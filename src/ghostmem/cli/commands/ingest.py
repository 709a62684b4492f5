"""ghost ingest"""

import click

from ghostmem.cli.face import DRY_RUN, NS, TAGS, CreatingCommand, Face, declare, json_object, words
from ghostmem.cli.output import plural, row

EXAMPLES = """\
  ghost ingest notes/ -n agent:me -t notes
  ghost ingest MEMORY.md -n agent:me --dry-run
"""


@declare("ingest", "Turn markdown files into memories, one per section.", EXAMPLES, CreatingCommand)
@click.argument("path")
@NS
@click.option("--kind", default="semantic", show_default=True, help="semantic, episodic or procedural.")
@TAGS
@click.option("-p", "--priority", help="low, normal, high or critical.")
@click.option("--meta", metavar="JSON", help="An object of your own.")
@click.option("--date-ns", is_flag=True, help="For YYYY-MM-DD.md, put the date behind the namespace.")
@DRY_RUN
def command(
    face: Face,
    path: str,
    ns: str | None,
    kind: str,
    tags: tuple[str, ...],
    priority: str | None,
    meta: str | None,
    date_ns: bool,
    dry_run: bool,
) -> None:
    done = face.ghost.ingest(
        path,
        face.ns(ns),
        kind=kind,
        tags=words(tags),
        priority=priority,
        meta=json_object(meta, "meta"),
        date_ns=date_ns,
        dry_run=dry_run,
    )
    if dry_run:
        face.many(done.memories, row)
        return
    counts = f"{done.created} new, {done.updated} updated, {done.unchanged} unchanged"
    face.one(done, f"ingested {plural(done.ingested, 'section')} of {plural(done.files, 'file')}: {counts}")
    face.vector_note()
