"""ghost capture"""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ghostmem.capture.transcripts.choose import AUTO, FORMATS
from ghostmem.cli.face import (
    ALLOW_SECRETS,
    NS,
    TAGS,
    CreatingCommand,
    Face,
    declare,
    options,
    read_text,
    words,
)
from ghostmem.cli.output import bold, dim, plural
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Outcome
from ghostmem.schema import too_deep
from ghostmem.text.excerpt import visible

if TYPE_CHECKING:
    from ghostmem.capture.capture import Captured, CaptureReport

FORMAT = click.option(
    "--from",
    "recorder",
    type=click.Choice([AUTO, *FORMATS]),
    default=AUTO,
    show_default=True,
    help="The program that recorded the transcript.",
)
SOURCES = options(
    click.option("--source-user", help="Who said it."),
    click.option("--source-kind", help="stated, observed, self, peer or import."),
    click.option("--source-scope", help="Where: a chat, a session, a thread."),
    click.option("--source-client", help="Through which program."),
)

EXAMPLES = """\
  ghost capture -n agent:me "I prefer tabs. Never push to main."
  pbpaste | ghost capture -n agent:me --dry-run
  ghost capture -n agent:me --transcript ~/.claude/projects/-home-me-shop --store
  my-model < chat.txt | ghost capture -n agent:me --candidates -
"""


@declare(
    "capture",
    "Find what is worth remembering in a conversation or a text, and store it.",
    EXAMPLES,
    CreatingCommand,
)
@click.argument("text", nargs=-1)
@NS
@click.option(
    "--file", metavar="FILE", help="Read the text, or a JSON list of candidates, from a file."
)
@click.option(
    "--transcript",
    metavar="PATH",
    help="Read the user's turns of a recorded conversation, or of a folder of them.",
)
@FORMAT
@click.option(
    "--candidates",
    metavar="FILE",
    help="A JSON list of candidates from a model; - for standard input.",
)
@click.option(
    "--store/--dry-run",
    default=None,
    help="Store, or only show; on a terminal the default is to show.",
)
@click.option(
    "--min",
    "least",
    type=float,
    default=0.35,
    show_default=True,
    help="Leave out what scores less.",
)
@click.option(
    "--max", "most", type=int, default=12, show_default=True, help="At most so many, the strongest."
)
@TAGS
@SOURCES
@ALLOW_SECRETS
def command(
    face: Face,
    text: tuple[str, ...],
    ns: str | None,
    file: str | None,
    transcript: str | None,
    recorder: str,
    candidates: str | None,
    store: bool | None,
    tags: tuple[str, ...],
    **named: Any,
) -> None:
    space = face.ns(ns)
    dry_run = sys.stdin.isatty() and sys.stdout.isatty() if store is None else not store
    given: list[Any] | None = None
    said: str | None = None
    if sum(map(bool, (text, file, transcript, candidates))) > 1:
        raise InvalidInputError(
            "several sources were given", "give a text, --file, --transcript or --candidates"
        )
    if candidates is not None:
        given = _listed(
            read_text(("-",), "candidates") if candidates == "-" else _read(candidates), candidates
        )
    elif transcript is None:
        said = _read(file) if file else read_text(text, "text")
        given = _recognised(said) if file or not text or text == ("-",) else None
    done = face.ghost.capture(
        None if given is not None else said,
        space,
        candidates=given,
        transcript=transcript,
        format=recorder,
        tags=words(tags),
        dry_run=dry_run,
        **named,
    )
    if given and not done.candidates and done.refused:
        raise InvalidInputError(
            f"no candidate can be taken: {done.refused[0]}",
            f"{plural(len(done.refused), 'candidate')} refused",
        )
    face.one(done, _text(done))
    if face.as_json:
        return
    held = [
        f"{one.key}: {note}"
        for one in done.candidates
        if one.outcome is Outcome.QUARANTINED
        for note in one.notes
    ]
    for problem in (*done.refused, *done.notes, *held):
        face.note(f"note: {visible(problem)}")
    if dry_run and done.candidates:
        face.note(
            f"nothing was stored; to store: {_again(space, text, file, transcript, candidates)}"
        )
    elif not dry_run:
        face.vector_note()


def _read(name: str) -> str:
    try:
        return Path(name).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8 (byte {error.start})", "convert it, for instance with iconv"
        ) from None
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {name}", "check the name") from None
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"cannot read {name}: {getattr(error, 'strerror', error)}", "name a file of text"
        ) from None


def _listed(text: str, name: str) -> list[Any]:
    """Read candidates: a list of objects, or an object that holds one."""
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
            f"{where} holds no list of candidates", 'write [{"key": "…", "content": "…"}]'
        )
    return found


def _recognised(text: str) -> list[Any] | None:
    """Return the candidates that a text is, when it is a JSON list of objects with a content."""
    if not text.lstrip().startswith("["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = (
        isinstance(found, list)
        and found
        and any(isinstance(one, dict) and "content" in one for one in found)
    )
    # messages have a role: they are a conversation, which is read with --transcript
    return (
        found
        if is_list and not any(isinstance(one, dict) and "role" in one for one in found)
        else None
    )


def _again(
    ns: str, text: tuple[str, ...], file: str | None, transcript: str | None, candidates: str | None
) -> str:
    """Return the command that stores what was shown."""
    parts = ["ghost", "capture", "-n", ns, "--store"]
    for option, value in (
        ("--file", file),
        ("--transcript", transcript),
        ("--candidates", candidates),
    ):
        parts += [option, value] if value else []
    said = [visible(" ".join(text))] if text and text != ("-",) else []
    return shlex.join([*parts, *(["--", *said] if said else [])])


def _text(done: "CaptureReport") -> str:
    if not done.candidates:
        return "nothing worth remembering was found"
    verb = "found" if done.dry_run else "captured"
    lines = [
        f"{verb} {plural(len(done.candidates), 'candidate')}"
        + ("" if done.dry_run else f", {done.stored} stored")
    ]
    return "\n".join([*lines, *(_row(one) for one in done.candidates)])


def _row(one: "Captured") -> str:
    score = "" if one.importance is None else f"{one.importance:.2f} "
    told = [str(one.outcome)] if one.outcome else []
    if one.verdict is not None and one.verdict.kind != "new":
        told.append(
            f"{one.verdict.kind} of {visible(one.verdict.key)}"
            if one.verdict.key
            else str(one.verdict.kind)
        )
    about = dim(f"{one.sort or one.kind}  {' '.join(told)}".rstrip())
    reasons = dim(f"    because: {visible('; '.join(one.reasons))}") if one.reasons else ""
    content = "\n".join(f"    {visible(line)}" for line in one.content.split("\n"))
    key = bold(visible(one.stored_as or one.key))
    return "\n".join(part for part in (f"{score}{key}  {about}", content, reasons) if part)
