"""ghost forget"""

import click

from ghostmem.cli.commands.rm import tell_what_is_left
from ghostmem.cli.face import DRY_RUN, NS_FILTER, YES, Face, declare
from ghostmem.cli.output import bold, dim, plural
from ghostmem.memory.forget import Forgetting, Forgotten
from ghostmem.model import SourceKind
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost forget --source mallory --dry-run
  ghost forget --source-client web-clipper --since 2026-03-01 -n agent:me
  ghost forget --source-kind peer --hard --yes
"""
BACK = ("restored", "reopened")


@declare("forget", "Remove what a source said, with everything derived from it.", EXAMPLES)
@click.option("--source", metavar="USER", help="Whose words: the source user.")
@click.option("--source-kind", metavar="KIND", help=f"Words of this kind: {', '.join(SourceKind)}.")
@click.option("--source-client", metavar="CLIENT", help="What came through this client.")
@click.option(
    "--source-scope", metavar="SCOPE", help="What came from this scope, such as a session."
)
@click.option("--since", metavar="TIME", help="Only what was written at or after.")
@click.option("--until", metavar="TIME", help="Only what was written before.")
@NS_FILTER
@click.option(
    "--hard",
    is_flag=True,
    help="Delete for good, to the last byte; else `ghost restore` brings memories back.",
)
@click.option("--unlock", is_flag=True, help="Also memories that are locked or pinned.")
@DRY_RUN
@YES
def command(
    face: Face,
    source: str | None,
    source_kind: str | None,
    source_client: str | None,
    source_scope: str | None,
    since: str | None,
    until: str | None,
    ns: str | None,
    hard: bool,
    unlock: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    given = {
        "source": source,
        "source_kind": source_kind,
        "source_client": source_client,
        "source_scope": source_scope,
    }
    where = face.ns_filter(ns)
    if not dry_run:
        whose = (
            ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in given.items() if value)
            or f"everything since {since}"
        )
        face.confirm(
            f"{'Delete for good' if hard else 'Remove'} {whose} and what is derived from "
            f"it in {where or 'all'}?",
            yes,
        )
    done = face.ghost.forget(
        **given, since=since, until=until, ns=where, hard=hard, unlock=unlock, dry_run=dry_run
    )
    face.one(done, _text(done))
    tell_what_is_left(face, done)


def _text(done: Forgetting) -> str:
    gone = sum(item.why not in BACK for item in done.items)
    would = "would be " if done.dry_run else ""
    how = "deleted for good" if done.hard else "removed"
    total = f"{plural(gone, 'thing')} {would}{how}, {len(done.items) - gone} {would}brought back"
    return "\n".join(
        [*map(_row, done.items), total if done.items else "nothing of that source was found"]
    )


def _row(item: Forgotten) -> str:
    many = (
        f" ({plural(item.versions, 'version')})"
        if item.versions > 1 and item.why not in BACK
        else ""
    )
    which = f" (version {item.versions})" if item.why == "restored" else ""
    return f"{dim(item.ns + '/')}{bold(visible(item.key))}  {visible(item.why)}{many}{which}"
