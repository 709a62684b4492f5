"""ghost put"""

import re
from typing import Any

import click

from ghostmem.cli.face import (
    ALLOW_SECRETS,
    NS,
    TAGS,
    UNLOCK,
    CreatingCommand,
    Face,
    declare,
    json_object,
    options,
    read_text,
    words,
)
from ghostmem.cli.output import bold, named, plural
from ghostmem.errors import InvalidInputError
from ghostmem.model import Memory, Outcome
from ghostmem.text.excerpt import visible

FIELDS = options(
    click.option("--kind", help="semantic, episodic or procedural."),
    TAGS,
    click.option("-p", "--priority", help="low, normal, high or critical."),
    click.option("--importance", type=float, help="From 0 to 1."),
    click.option(
        "--tier",
        help="sensory, stm, ltm or dormant; identity: ltm and pinned; quarantine: never read.",
    ),
    click.option("--pinned/--no-pinned", default=None, help="Always at hand, never aged."),
    click.option("--ttl", help="Expire after 7d, 24h, 30m or 60s; never takes an expiry away."),
    click.option("--meta", metavar="JSON", help="An object of your own."),
    click.option(
        "--files",
        multiple=True,
        metavar="PATHS",
        help="Files it is about, separated by commas; repeatable.",
    ),
    click.option("--file-rel", help="What was done to them: modified, created, deleted or read."),
    click.option(
        "--symbols", multiple=True, metavar="NAMES", help="Symbols of code it is about; as --files."
    ),
    click.option("--language", help="The symbols' language, when the files do not tell."),
    click.option("--root", metavar="DIR", help="The symbols' project, if not the working folder."),
    click.option("--source-user", help="Who said it."),
    click.option("--source-kind", help="stated, observed, self, peer or import."),
    click.option("--source-scope", help="Where: a chat, a session, a thread."),
    click.option("--source-client", help="Through which program."),
    click.option("--created-at", metavar="TIME", help="When it was said, if not now."),
    click.option("--valid-from", metavar="TIME", help="Since when it is true."),
    click.option("--valid-to", metavar="TIME", help="Until when it was true."),
    click.option(
        "--base-version",
        type=int,
        help="Only if this is the current version; 0: only if the key is new.",
    ),
    UNLOCK,
    click.option(
        "--dedup/--no-dedup",
        default=None,
        help="If another key says the same, reinforce that one  [GHOST_DEDUP]",
    ),
    click.option("--supersedes", metavar="KEY", help="What this replaces: that one's truth ends."),
    ALLOW_SECRETS,
)

EXAMPLES = """\
  ghost put -n agent:me -k tea "The user drinks green tea."
  echo "Deploys go out on Tuesdays." | ghost put -n agent:me -k deploys \\
    --kind procedural -t ops,project:shop
  ghost put -n agent:me -k cart-total --files src/cart.py \\
    --symbols Cart.total "Totals are in cents."
  ghost put -n agent:me -k draft --base-version 3 "The next text, if nobody was faster."
"""


@declare("put", "Store a memory, or the next version of one.", EXAMPLES, CreatingCommand)
@NS
@click.option("-k", "--key", metavar="KEY", help="The key, short and descriptive.")
@FIELDS
@click.argument("content", nargs=-1)
def command(
    face: Face,
    ns: str | None,
    key: str | None,
    content: tuple[str, ...],
    tags: tuple[str, ...],
    files: tuple[str, ...],
    symbols: tuple[str, ...],
    file_rel: str | None,
    meta: str | None,
    **fields: Any,
) -> None:
    space = face.ns(ns)
    if not key:
        raise InvalidInputError(
            "a key is required",
            "name one with -k; keys are short and descriptive, such as user-timezone",
        )
    paths = words(files)
    if file_rel is not None and paths is None and not symbols:
        raise InvalidInputError(
            f"--file-rel {file_rel} needs a file", "name the files with --files"
        )
    for option in ("language", "root"):
        if fields[option] is not None and not symbols:
            raise InvalidInputError(
                f"--{option} {fields[option]} needs a symbol", "name the symbols with --symbols"
            )
    memory = face.ghost.put(
        space,
        key,
        read_text(content, "content"),
        tags=words(tags),
        files=None if paths is None else [(path, file_rel or "modified") for path in paths],
        symbols=[(name, file_rel or "modified") for name in names(symbols)] if symbols else None,
        meta=json_object(meta, "meta"),
        **fields,
    )
    face.one(memory, said(memory))
    for note in () if face.as_json else memory.notes:
        face.note(f"note: {visible(note)}")
    face.vector_note()


def names(values: tuple[str, ...]) -> list[str]:
    """Split names of symbols at commas, but not inside brackets, as in `add(int, String)`."""
    parts = [
        part.strip() for value in values for part in re.split(r",(?![^()<>\[\]]*[)>\]])", value)
    ]
    return [part for part in parts if part]


def said(memory: Memory) -> str:
    """Say in a sentence what a put did."""
    if memory.outcome is Outcome.QUARANTINED:
        return f"held in quarantine: {named(memory)} ({memory.id})"
    if memory.outcome is Outcome.REINFORCED:
        if memory.requested_key:
            return f"not stored again: {named(memory)} says the same, reinforced"
        return f"{named(memory)} v{memory.version} unchanged, reinforced"
    size = f"{plural(memory.chunks or 0, 'chunk')}, {memory.est_tokens} tokens"
    return f"{memory.outcome} {named(memory)} v{memory.version} ({size}){_verdict(memory)}"


_VERDICTS = {"restatement": "says the same as", "update": "updates", "conflict": "contradicts"}


def _verdict(memory: Memory) -> str:
    """Say what the text is to another memory, on a line of its own."""
    found = memory.verdict
    if found is None or found.key in (None, memory.key):
        return ""
    return f"\n    {_VERDICTS[found.kind]} {bold(visible(found.key or ''))}"
