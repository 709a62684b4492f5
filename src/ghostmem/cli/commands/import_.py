"""ghost import"""

import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from ghostmem.cli.face import DRY_RUN, NS, TRUST, CreatingCommand, Face, declare
from ghostmem.cli.output import plural
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.text.excerpt import visible
from ghostmem.transfer.formats.choose import READERS
from ghostmem.transfer.import_ import POLICIES, ImportReport

EXAMPLES = """\
  ghost import memories.jsonl
  ghost export | ghost --db copy.db import
  ghost import --from-ghost ~/.ghost/memory.db
  ghost import --from mem0 export.json -n agent:me
  ghost import --from basic-memory ~/basic-memory -n notes --dry-run
"""


@declare("import", "Bring in an export, or another tool's memories.", EXAMPLES, CreatingCommand)
@click.argument("file", metavar="[PATH]", required=False)
@click.option(
    "--from",
    "tool",
    type=click.Choice(list(READERS)),
    help="The tool that wrote PATH; its files are only read.",
)
@NS
@click.option(
    "--from-ghost",
    metavar="FILE",
    help="A database written by the original Ghost; it is only read.",
)
@click.option(
    "--on-conflict",
    type=click.Choice(POLICIES),
    default="update",
    show_default=True,
    help="When a key has another history.",
)
@TRUST
@DRY_RUN
def command(
    face: Face,
    file: str | None,
    tool: str | None,
    ns: str | None,
    from_ghost: str | None,
    on_conflict: str,
    trust: bool,
    dry_run: bool,
) -> None:
    if from_ghost and (file or tool):
        raise InvalidInputError("two sources were given", "give a file, or --from-ghost")
    if tool and not file:
        raise InvalidInputError("nothing to import", f"name the file or folder that {tool} wrote")
    if ns and not tool:
        raise InvalidInputError(
            "a namespace was given", "it goes with --from; exports name their own namespaces"
        )
    how: dict[str, Any] = {
        "on_conflict": on_conflict,
        "dry_run": dry_run,
        "trust": trust,
        "progress": face.progress("imported"),
    }
    if tool and file:
        done = face.ghost.import_foreign(file, face.ns(ns), tool, **how)
    elif from_ghost:
        done = face.ghost.import_ghost(from_ghost, **how)
    else:
        done = face.ghost.import_(_lines(file), **how)
    face.one(done, text(done))
    face.vector_note()
    if not face.as_json:
        for note in done.notes:
            face.note(visible(note))


def _lines(file: str | None) -> Iterator[str]:
    """Yield the lines of a file or of standard input."""
    if file in (None, "-") and sys.stdin.isatty():
        raise InvalidInputError("nothing to import", "name a file, or pipe an export in")
    name = "standard input" if file in (None, "-") else str(file)
    if os.path.isdir(name):
        raise NotFoundError(
            f"{name} is a folder, not a file", "name a file that `ghost export` wrote"
        )
    if name != "standard input" and not os.path.exists(name):
        raise NotFoundError(f"there is no file {name}", "name a file that `ghost export` wrote")
    try:
        with sys.stdin.buffer if file in (None, "-") else open(name, "rb") as stream:
            for line in stream:
                yield line.decode()
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8 (byte {error.start})", "nothing was imported"
        ) from None
    except OSError as error:
        raise InvalidInputError(
            f"cannot read {name}: {error.strerror}", "name a file that `ghost export` wrote"
        ) from None


def text(done: ImportReport) -> str:
    """Return what an import did as a sentence."""
    parts = [
        f"{done.imported} new",
        f"{done.updated} updated",
        f"{done.unchanged} unchanged",
        f"{done.skipped} skipped",
    ]
    others = [
        f"{plural(count, noun)}"
        for count, noun in ((done.edges, "edge"), (done.links, "link"), (done.rules, "rule"))
        if count
    ]
    others += [f"{done.held} held in quarantine"] if done.held else []
    verb = "would import" if done.dry_run else "imported"
    return f"{verb} versions: {', '.join(parts)}{'; ' if others else ''}{', '.join(others)}"
