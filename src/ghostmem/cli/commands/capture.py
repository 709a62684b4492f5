"""ghost capture, ingest, mine-procedures: memories from texts, files and recordings."""

import json
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from ghostmem import parameters
from ghostmem.capture.candidates import Captured
from ghostmem.capture.capture import CaptureReport
from ghostmem.capture.mine_procedures import Mined
from ghostmem.capture.transcripts.choose import AUTO, FORMATS
from ghostmem.cli.console import Console, command
from ghostmem.cli.options import NS, json_object, option, options, read_text, words
from ghostmem.cli.output import bold, dim, plural, row
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Outcome
from ghostmem.schema import too_deep
from ghostmem.text.excerpt import visible

FORMAT = click.option(
    "--from",
    "recorder",
    type=click.Choice([AUTO, *FORMATS]),
    default=AUTO,
    show_default=True,
    help="The program that recorded the transcript.",
)


@command(
    "capture",
    """\
  ghost capture -n agent:me "I prefer tabs. Never push to main."
  pbpaste | ghost capture -n agent:me --dry-run
  ghost capture -n agent:me --transcript ~/.claude/projects/-home-me-shop --store
  my-model < chat.txt | ghost capture -n agent:me --candidates -
""",
    creates=True,
)
@click.argument("text", nargs=-1)
@options(
    "capture",
    "ns",
    click.option(
        "--file", metavar="FILE", help="Read the text, or a JSON list of candidates, from a file."
    ),
    click.option(
        "--transcript",
        metavar="PATH",
        help="Read the user's turns of a recorded conversation, or of a folder of them.",
    ),
    FORMAT,
    click.option(
        "--candidates",
        metavar="FILE",
        help="A JSON list of candidates from a model; - for standard input.",
    ),
    click.option(
        "--store/--dry-run",
        default=None,
        help="Store, or only show; on a terminal the default is to show.",
    ),
    click.option(
        "--min",
        "--min-salience",
        "least",
        type=float,
        default=0.35,
        show_default=True,
        help="Minimum score of a candidate.",
    ),
    click.option(
        "--max",
        "most",
        type=int,
        default=12,
        show_default=True,
        help="Maximum number of candidates, of which the strongest are kept; -1: no limit.",
    ),
    "kind tags speaker source_user source_kind source_scope source_client",
    click.option(
        "--dedup/--no-dedup",
        default=True,
        help="Reinforce a memory that says the same instead of storing a candidate (the default).",
    ),
    click.option("--source", "source_tag", hidden=True, help="A further tag, such as session:1."),
    "allow_secrets",
)
def capture(
    console: Console,
    text: tuple[str, ...],
    ns: str | None,
    file: str | None,
    transcript: str | None,
    recorder: str,
    candidates: str | None,
    store: bool | None,
    tags: tuple[str, ...],
    source_tag: str | None,
    **named: Any,
) -> None:
    """Find facts worth remembering in a conversation or a text, and store them."""
    space = console.ns(ns)
    dry_run = sys.stdin.isatty() and sys.stdout.isatty() if store is None else not store
    given: list[Any] | None = None
    said: str | None = None
    if sum(map(bool, (text, file, transcript, candidates))) > 1:
        raise InvalidInputError(
            "several sources were given", "give a text, --file, --transcript or --candidates"
        )
    _refuse_ignored({"--from": recorder != AUTO and transcript is None})
    if candidates is not None:
        given = _candidates(
            read_text(("-",), "candidates") if candidates == "-" else _read_file(candidates),
            candidates,
        )
    elif transcript is None:
        said = _read_file(file) if file else read_text(text, "text")
        given = _recognised(said) if file or not text or text == ("-",) else None
    console.progress("reading")
    done = console.ghost.capture(
        None if given is not None else said,
        space,
        candidates=given,
        transcript=transcript,
        format=recorder,
        tags=words((*tags, source_tag) if source_tag else tags),
        dry_run=dry_run,
        **named,
    )
    if given and not done.candidates and done.refused:
        raise InvalidInputError(
            f"no candidate can be stored: {done.refused[0]}",
            f"{plural(len(done.refused), 'candidate')} refused",
        )
    console.show(done, _capture_text(done))
    if console.as_json:
        return
    held = [
        f"{candidate.key}: {note}"
        for candidate in done.candidates
        if candidate.outcome is Outcome.QUARANTINED
        for note in candidate.notes
    ]
    console.notes((*done.refused, *done.notes, *held))
    if dry_run and done.candidates:
        again = _store_command(space, text, file, transcript, candidates)
        console.note(f"nothing was stored; to store: {again}")
    elif not dry_run:
        console.vector_note()


def _refuse_ignored(options: Mapping[str, bool], hint: str = "give one with --transcript") -> None:
    """Refuse options that were given, although no recorded conversation is read."""
    for name, is_given in options.items():
        if is_given:
            raise InvalidInputError(f"{name} is for recorded conversations", hint)


def _read_file(name: str) -> str:
    try:
        return Path(name).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8 (byte {error.start})", "convert it, for example with iconv"
        ) from None
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {name}", "check the name") from None
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"cannot read {name}: {getattr(error, 'strerror', error)}", "give a text file"
        ) from None


def _candidates(text: str, name: str) -> list[Any]:
    """Read candidates: a list of objects, or an object that contains one."""
    where = "standard input" if name == "-" else name
    try:
        found = json.loads(text)
    except RecursionError:
        raise too_deep(where) from None
    except ValueError as error:
        raise InvalidInputError(
            f"{where} is not JSON: {str(error)[:120]}", 'write [{"key": "…", "content": "…"}]'
        ) from None
    if isinstance(found, dict):
        found = found["candidates"] if isinstance(found.get("candidates"), list) else [found]
    if not isinstance(found, list):
        raise InvalidInputError(
            f"{where} has no list of candidates", 'write [{"key": "…", "content": "…"}]'
        )
    return found


def _recognised(text: str) -> list[Any] | None:
    """Return the candidates in a text that is a JSON list of objects with a content."""
    if not text.lstrip().startswith("["):
        return None
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = (
        isinstance(items, list)
        and items
        and any(isinstance(item, dict) and "content" in item for item in items)
    )
    # messages have a role: they are a conversation, which is read with --transcript
    return (
        items
        if is_list and not any(isinstance(item, dict) and "role" in item for item in items)
        else None
    )


def _store_command(
    ns: str, text: tuple[str, ...], file: str | None, transcript: str | None, candidates: str | None
) -> str:
    """Return the command that stores the candidates just shown."""
    parts = ["ghost", "capture", "-n", ns, "--store"]
    for flag, value in (
        ("--file", file),
        ("--transcript", transcript),
        ("--candidates", candidates),
    ):
        parts += [flag, value] if value else []
    said = [visible(" ".join(text))] if text and text != ("-",) else []
    return shlex.join([*parts, *(["--", *said] if said else [])])


def _capture_text(done: CaptureReport) -> str:
    if not done.candidates:
        return "nothing worth remembering was found"
    verb = "found" if done.dry_run else "captured"
    lines = [
        f"{verb} {plural(len(done.candidates), 'candidate')}"
        + ("" if done.dry_run else f", {done.stored} stored")
    ]
    return "\n".join([*lines, *(_candidate_row(candidate) for candidate in done.candidates)])


def _candidate_row(candidate: Captured) -> str:
    score = "" if candidate.importance is None else f"{candidate.importance:.2f} "
    outcome = [str(candidate.outcome)] if candidate.outcome else []
    if candidate.verdict is not None and candidate.verdict.kind != "new":
        outcome.append(
            f"{candidate.verdict.kind} of {visible(candidate.verdict.key)}"
            if candidate.verdict.key
            else str(candidate.verdict.kind)
        )
    about = dim(f"{candidate.sort or candidate.kind}  {' '.join(outcome)}".rstrip())
    reasons = (
        dim(f"    because: {visible('; '.join(candidate.reasons))}") if candidate.reasons else ""
    )
    content = "\n".join(f"    {visible(line)}" for line in candidate.content.split("\n"))
    key = bold(visible(candidate.stored_as or candidate.key))
    return "\n".join(part for part in (f"{score}{key}  {about}", content, reasons) if part)


FOR_NOTES = ("kind", "priority", "meta", "date_ns", "trust")


@command(
    "ingest",
    """\
  ghost ingest notes/ -n agent:me -t notes
  ghost ingest MEMORY.md -n agent:me --dry-run
  ghost ingest --transcript ~/.claude/projects/-home-me-shop -n chats:shop
  ghost ingest --transcript chat.jsonl --from jsonl -n chats:shop --source-user ana
""",
    creates=True,
)
@click.argument("path", required=False)
@options(
    "ingest",
    "ns kind tags priority meta date_ns",
    click.option(
        "--transcript",
        metavar="PATH",
        help="A recorded conversation, or a folder of them: one memory per turn.",
    ),
    FORMAT,
    click.option("--source-user", help="The user's name for transcripts without names."),
    "allow_secrets trust dry_run",
)
def ingest(
    console: Console,
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
            "give a markdown file or folder, or a conversation with --transcript",
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
                f"{option} cannot be combined with --transcript",
                "leave it out: a turn is episodic, and its source is its speaker",
            )
        _ingest_transcript(
            console, transcript, ns, recorder, words(tags), source_user, allow_secrets, dry_run
        )
        return
    _refuse_ignored({"--from": recorder != AUTO, "--source-user": source_user is not None})
    done = console.ghost.ingest(
        path or "",
        console.ns(ns),
        kind=kind or "semantic",
        tags=words(tags),
        priority=priority,
        meta=json_object(meta, "meta"),
        date_ns=date_ns,
        dry_run=dry_run,
        allow_secrets=allow_secrets,
        trust=trust,
        progress=console.progress("files"),
    )
    if dry_run:
        _print_notes(console, done.notes)
        console.show_all(done.memories, row)
        return
    console.notes(done.notes)
    counts = f"{done.created} new, {done.updated} updated, {done.unchanged} unchanged"
    counts += f", {done.quarantined} held in quarantine" if done.quarantined else ""
    console.show(
        done,
        f"ingested {plural(done.ingested, 'section')} of {plural(done.files, 'file')}: {counts}",
    )
    console.vector_note()


def _ingest_transcript(
    console: Console,
    path: str,
    ns: str | None,
    recorder: str,
    tags: list[str] | None,
    source_user: str | None,
    allow_secrets: bool,
    dry_run: bool,
) -> None:
    done = console.ghost.transfer.ingest_transcript(
        path,
        console.ns(ns),
        format=recorder,
        tags=tags,
        source_user=source_user,
        allow_secrets=allow_secrets,
        dry_run=dry_run,
        progress=console.progress("turns"),
    )
    verb = "would ingest" if dry_run else "ingested"
    counts = f"{done.created} new, {done.updated} updated, {done.unchanged} unchanged"
    others = [
        f"{count:,} {what}"
        for count, what in ((done.quarantined, "quarantined"), (done.broken, "unreadable"))
        if count
    ]
    where = f"{plural(done.sessions, 'session')} in {plural(done.files, 'file')}"
    console.show(
        done, f"{verb} {plural(done.turns, 'turn')} of {where}: {', '.join([counts, *others])}"
    )
    console.notes(done.notes)
    if not dry_run:
        console.vector_note()


@command(
    "mine-procedures",
    """\
  ghost mine-procedures ~/.claude/projects/-home-me-shop
  ghost mine-procedures ~/.codex/sessions -n agent:me --store
  ghost mine-procedures -n agent:me
  printf 'edit build test\\nbuild test push\\n' | ghost mine-procedures -n agent:me
""",
    creates=True,
)
@click.argument("paths", nargs=-1)
@NS
@FORMAT
@click.option(
    "--min-sessions",
    "--min-support",
    "min_sessions",
    type=int,
    default=2,
    show_default=True,
    help="Minimum number of sessions that share a sequence.",
)
@click.option(
    "--min-len", type=int, default=2, show_default=True, help="Minimum length of a sequence."
)
@click.option(
    "--max-len", type=int, default=5, show_default=True, help="Maximum length of a sequence."
)
@click.option(
    "--max",
    "--top",
    "most",
    type=int,
    default=20,
    show_default=True,
    help="Maximum number of procedures.",
)
@option(parameters.TAGS, help="Further tags, separated by commas; repeatable.")
@click.option(
    "--store/--dry-run",
    default=None,
    help="Store them as procedural memories, or only show them. Default: store those "
    "from standard input, only show others.",
)
def mine_procedures(
    console: Console,
    paths: tuple[str, ...],
    ns: str | None,
    recorder: str,
    min_sessions: int,
    min_len: int,
    max_len: int,
    most: int,
    tags: tuple[str, ...],
    store: bool | None,
) -> None:
    """Find sequences of actions that several sessions share.

    Sessions come from recorded conversations; from standard input, one session on each line with
    its actions separated by spaces; or else from the procedural memories of the namespace.
    """
    sessions = _listed_sessions(paths)
    if sessions is not None or not paths:
        _refuse_ignored({"--from": recorder != AUTO}, "give their files")
    store = sessions is not None if store is None else store
    needs_ns = store or (sessions is None and not paths)
    console.progress("reading")
    done = console.ghost.transfer.mine_procedures(
        () if sessions is not None else paths,
        console.ns(ns) if needs_ns else ns,
        sessions=sessions,
        format=recorder,
        fewest=min_sessions,
        shortest=min_len,
        longest=max_len,
        most=most,
        tags=words(tags),
        dry_run=not store,
    )
    if console.as_json and console.shape is not None:
        console.json(done)
        return
    console.show_all(
        done.procedures,
        _procedure_row,
        f"no sequence was repeated in {plural(done.sessions, 'session')}",
    )
    _print_notes(console, done.notes)
    if console.as_json:
        return
    if done.procedures and not store:
        console.note("nothing was stored; --store stores them")
    elif store:
        console.vector_note()


def _print_notes(console: Console, notes: Iterable[str]) -> None:
    """Print notes also if the output is JSON: its lines are items, which do not have the notes."""
    for note in notes:
        console.note(f"note: {visible(note)}")


def _listed_sessions(paths: tuple[str, ...]) -> list[list[str]] | None:
    """Return the actions of each session on standard input; None if it is empty or not asked for.

    Standard input is read for `-`, and without paths when it is no terminal."""
    if (paths and paths != ("-",)) or (not paths and sys.stdin.isatty()):
        return None
    sessions = [line.split() for line in read_text(("-",), "sessions").split("\n") if line.strip()]
    if sessions and sessions[0][0].startswith(("{", "[")):
        raise InvalidInputError(
            "standard input looks like a recorded conversation",
            "give its file name; on standard input, each line lists the actions of one session",
        )
    if not sessions and paths:
        raise InvalidInputError(
            "there are no sessions on standard input",
            "write one session on each line, its actions separated by spaces",
        )
    return sessions or None


def _procedure_row(procedure: Mined) -> str:
    outcome = f"  {procedure.outcome}" if procedure.outcome else ""
    about = dim(f"{procedure.importance:.2f}  in {plural(procedure.support, 'session')}{outcome}")
    steps = "\n".join(
        f"    {number}. {visible(step)}" for number, step in enumerate(procedure.steps, 1)
    )
    return f"{bold(visible(procedure.stored_as or procedure.key))}  {about}\n{steps}"
