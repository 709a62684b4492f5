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
from ghostmem.cli.options import NS, json_object, option, options, read_text, refuse, words
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
    proposed: list[Any] | None = None
    statement: str | None = None
    refuse(
        sum(map(bool, (text, file, transcript, candidates))) > 1,
        "several sources were given",
        "give a text, --file, --transcript or --candidates",
    )
    _refuse_ignored({"--from": recorder != AUTO and transcript is None})
    if candidates is not None:
        proposed = _candidates(candidates)
    elif transcript is None:
        statement = _read_file(file) if file else read_text(text, "text")
        proposed = _recognised(statement) if file or not text or text == ("-",) else None
    console.progress("reading")
    done = console.ghost.capture(
        None if proposed is not None else statement,
        space,
        candidates=proposed,
        transcript=transcript,
        format=recorder,
        tags=words((*tags, source_tag) if source_tag else tags),
        dry_run=dry_run,
        **named,
    )
    refuse(
        proposed and not done.candidates and done.refused,
        f"no candidate can be stored: {next(iter(done.refused), '')}",
        f"{plural(len(done.refused), 'candidate')} refused",
    )
    console.show(done, _capture_text(done))
    quarantined = [
        f"{candidate.key}: {note}"
        for candidate in done.candidates
        if candidate.outcome is Outcome.QUARANTINED
        for note in candidate.notes
    ]
    console.notes((*done.refused, *done.notes, *quarantined))
    if dry_run and done.candidates:
        again = _store_command(space, text, file, transcript, candidates)
        console.notes([f"nothing was stored; to store: {again}"], "")
    elif not dry_run and not console.as_json:
        console.vector_note()


def _refuse_ignored(options: Mapping[str, bool], hint: str = "give one with --transcript") -> None:
    """Refuse options that were given, although no recorded conversation is read."""
    for name, is_given in options.items():
        refuse(is_given, f"{name} is for recorded conversations", hint)


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


def _candidates(file: str) -> list[Any]:
    """Read candidates: a list of objects, or an object that contains one."""
    text = read_text(("-",), "candidates") if file == "-" else _read_file(file)
    source = "standard input" if file == "-" else file
    example = 'write [{"key": "…", "content": "…"}]'
    try:
        value = json.loads(text)
    except RecursionError:
        raise too_deep(source) from None
    except ValueError as error:
        raise InvalidInputError(f"{source} is not JSON: {str(error)[:120]}", example) from None
    if isinstance(value, dict):
        value = value["candidates"] if isinstance(value.get("candidates"), list) else [value]
    refuse(not isinstance(value, list), f"{source} has no list of candidates", example)
    return list(value)


def _recognised(text: str) -> list[Any] | None:
    """Return the candidates in a text that is a JSON list of objects with a content."""
    if not text.lstrip().startswith("["):
        return None
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return None
    fields = {name for item in items if isinstance(item, dict) for name in item}
    # messages have a role: they are a conversation, which is read with --transcript
    return items if "content" in fields and "role" not in fields else None


def _store_command(
    ns: str, text: tuple[str, ...], file: str | None, transcript: str | None, candidates: str | None
) -> str:
    sources = {"--file": file, "--transcript": transcript, "--candidates": candidates}
    flags = [part for flag, value in sources.items() if value for part in (flag, value)]
    statement = ["--", visible(" ".join(text))] if text and text != ("-",) else []
    return shlex.join(["ghost", "capture", "-n", ns, "--store", *flags, *statement])


def _capture_text(done: CaptureReport) -> str:
    if not done.candidates:
        return "nothing worth remembering was found"
    count = plural(len(done.candidates), "candidate")
    head = f"found {count}" if done.dry_run else f"captured {count}, {done.stored} stored"
    return "\n".join([head, *map(_candidate_row, done.candidates)])


def _candidate_row(candidate: Captured) -> str:
    score = "" if candidate.importance is None else f"{candidate.importance:.2f} "
    outcome = [str(candidate.outcome)] if candidate.outcome else []
    verdict = candidate.verdict
    if verdict is not None and verdict.kind != "new":
        of_key = f" of {visible(verdict.key)}" if verdict.key else ""
        outcome.append(f"{verdict.kind}{of_key}")
    about = dim(f"{candidate.sort or candidate.kind}  {' '.join(outcome)}".rstrip())
    because = dim(f"    because: {visible('; '.join(candidate.reasons))}")
    return "\n".join(
        [
            f"{score}{bold(visible(candidate.stored_as or candidate.key))}  {about}",
            *(f"    {visible(line)}" for line in candidate.content.split("\n")),
            *([because] if candidate.reasons else []),
        ]
    )


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
    tags: tuple[str, ...],
    transcript: str | None,
    recorder: str,
    source_user: str | None,
    allow_secrets: bool,
    dry_run: bool,
    **for_notes: Any,
) -> None:
    refuse(
        (path is None) == (transcript is None),
        "one source is required",
        "give a markdown file or folder, or a conversation with --transcript",
    )
    shared: dict[str, Any] = {
        "tags": words(tags),
        "allow_secrets": allow_secrets,
        "dry_run": dry_run,
    }
    if transcript is not None:
        for name, value in for_notes.items():
            refuse(
                value,
                f"--{name.replace('_', '-')} cannot be combined with --transcript",
                "leave it out: a turn is episodic, and its source is its speaker",
            )
        shared |= {"format": recorder, "source_user": source_user}
        _ingest_transcript(console, transcript, ns, **shared)
        return
    _refuse_ignored({"--from": recorder != AUTO, "--source-user": source_user is not None})
    for_notes["kind"] = for_notes["kind"] or "semantic"
    for_notes["meta"] = json_object(for_notes["meta"], "meta")
    done = console.ghost.ingest(
        path or "", console.ns(ns), **shared, **for_notes, progress=console.progress("files")
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
    console: Console, path: str, ns: str | None, dry_run: bool, **fields: Any
) -> None:
    done = console.ghost.transfer.ingest_transcript(
        path, console.ns(ns), dry_run=dry_run, **fields, progress=console.progress("turns")
    )
    turns = f"{'would ingest' if dry_run else 'ingested'} {plural(done.turns, 'turn')}"
    source = f"{plural(done.sessions, 'session')} in {plural(done.files, 'file')}"
    counts = f"{done.created} new, {done.updated} updated, {done.unchanged} unchanged"
    counts += f", {done.quarantined:,} quarantined" if done.quarantined else ""
    counts += f", {done.broken:,} unreadable" if done.broken else ""
    console.show(done, f"{turns} of {source}: {counts}")
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
    if done.procedures and not store:
        console.notes(["nothing was stored; --store stores them"], "")
    elif store and not console.as_json:
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
    refuse(
        sessions and sessions[0][0].startswith(("{", "[")),
        "standard input looks like a recorded conversation",
        "give its file name; on standard input, each line lists the actions of one session",
    )
    refuse(
        not sessions and paths,
        "there are no sessions on standard input",
        "write one session on each line, its actions separated by spaces",
    )
    return sessions or None


def _procedure_row(procedure: Mined) -> str:
    outcome = f"  {procedure.outcome}" if procedure.outcome else ""
    about = dim(f"{procedure.importance:.2f}  in {plural(procedure.support, 'session')}{outcome}")
    head = f"{bold(visible(procedure.stored_as or procedure.key))}  {about}"
    steps = [f"{number}. {visible(step)}" for number, step in enumerate(procedure.steps, 1)]
    return "\n    ".join([head, *steps])
