"""ghost ingest"""

import click

from ghostmem.cli.commands.capture import FORMAT
from ghostmem.cli.face import (
    ALLOW_SECRETS,
    DRY_RUN,
    NS,
    TAGS,
    TRUST,
    CreatingCommand,
    Face,
    declare,
    json_object,
    words,
)
from ghostmem.cli.output import plural, row
from ghostmem.errors import InvalidInputError
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost ingest notes/ -n agent:me -t notes
  ghost ingest MEMORY.md -n agent:me --dry-run
  ghost ingest --transcript ~/.claude/projects/-home-me-shop -n chats:shop
  ghost ingest --transcript chat.jsonl --from jsonl -n chats:shop --source-user ana
"""
FOR_NOTES = ("kind", "priority", "meta", "date_ns", "trust")


@declare(
    "ingest", "Turn markdown or recorded conversations into memories.", EXAMPLES, CreatingCommand
)
@click.argument("path", required=False)
@NS
@click.option("--kind", help="semantic, episodic or procedural; semantic unless named.")
@TAGS
@click.option("-p", "--priority", help="low, normal, high or critical.")
@click.option("--meta", metavar="JSON", help="An object of your own.")
@click.option(
    "--date-ns", is_flag=True, help="For YYYY-MM-DD.md, put the date behind the namespace."
)
@click.option(
    "--transcript",
    metavar="PATH",
    help="A recorded conversation, or a folder of them: one memory per turn.",
)
@FORMAT
@click.option("--source-user", help="The user's name in transcripts that name nobody.")
@ALLOW_SECRETS
@TRUST
@DRY_RUN
def command(
    face: Face,
    path: str | None,
    ns: str | None,
    kind: str | None,
    tags: tuple[str, ...],
    priority: str | None,
    meta: str | None,
    date_ns: bool,
    transcript: str | None,
    recorder: str,
    source_user: str | None,
    allow_secrets: bool,
    trust: bool,
    dry_run: bool,
) -> None:
    if (path is None) == (transcript is None):
        raise InvalidInputError(
            "one source is required",
            "name a markdown file or folder, or a conversation with --transcript",
        )
    if transcript is not None:
        given = {
            "kind": kind,
            "priority": priority,
            "meta": meta,
            "date_ns": date_ns,
            "trust": trust,
        }
        if wrong := [name for name in FOR_NOTES if given[name]]:
            option = f"--{wrong[0].replace('_', '-')}"
            raise InvalidInputError(
                f"{option} does not go with --transcript",
                "leave it out: a turn is episodic, and belongs to whoever said it",
            )
        _transcript(
            face, transcript, ns, recorder, words(tags), source_user, allow_secrets, dry_run
        )
        return
    done = face.ghost.ingest(
        path or "",
        face.ns(ns),
        kind=kind or "semantic",
        tags=words(tags),
        priority=priority,
        meta=json_object(meta, "meta"),
        date_ns=date_ns,
        dry_run=dry_run,
        allow_secrets=allow_secrets,
        trust=trust,
    )
    for note in () if face.as_json else done.notes:
        face.note(f"note: {visible(note)}")
    if dry_run:
        face.many(done.memories, row)
        return
    counts = f"{done.created} new, {done.updated} updated, {done.unchanged} unchanged"
    counts += f", {done.quarantined} held in quarantine" if done.quarantined else ""
    face.one(
        done,
        f"ingested {plural(done.ingested, 'section')} of {plural(done.files, 'file')}: {counts}",
    )
    face.vector_note()


def _transcript(
    face: Face,
    path: str,
    ns: str | None,
    recorder: str,
    tags: list[str] | None,
    source_user: str | None,
    allow_secrets: bool,
    dry_run: bool,
) -> None:
    done = face.ghost.ingest_transcript(
        path,
        face.ns(ns),
        format=recorder,
        tags=tags,
        source_user=source_user,
        allow_secrets=allow_secrets,
        dry_run=dry_run,
        progress=face.progress("turns"),
    )
    verb = "would ingest" if dry_run else "ingested"
    counts = f"{done.created} new, {done.updated} updated, {done.unchanged} unchanged"
    others = [
        f"{count:,} {what}"
        for count, what in ((done.quarantined, "quarantined"), (done.broken, "unreadable"))
        if count
    ]
    where = f"{plural(done.sessions, 'session')} in {plural(done.files, 'file')}"
    face.one(
        done, f"{verb} {plural(done.turns, 'turn')} of {where}: {', '.join([counts, *others])}"
    )
    if not face.as_json:
        for note in done.notes:
            face.note(f"note: {visible(note)}")
    if not dry_run:
        face.vector_note()
