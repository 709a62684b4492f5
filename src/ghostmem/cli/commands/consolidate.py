"""ghost consolidate"""

import click

from ghostmem.cli.face import ALLOW_SECRETS, NS, TAGS, Face, declare, read_text, words
from ghostmem.cli.output import named, plural
from ghostmem.errors import InvalidInputError

EXAMPLES = """\
  ghost consolidate -n agent:me --summary-key tea-habits --keys tea,tea-time \\
    --content "Sam drinks green tea at four."
  ghost clusters -n agent:me     # shows what belongs together
"""


@declare(
    "consolidate", "Store a summary that stands for several memories, which all stay.", EXAMPLES
)
@click.argument("text", nargs=-1)
@NS
@click.option("--summary-key", required=True, metavar="KEY", help="The key of the summary.")
@click.option(
    "--keys",
    multiple=True,
    required=True,
    metavar="KEYS",
    help="What it stands for: keys, separated by commas.",
)
@click.option("--content", help="The summary; may also stand alone, or come on standard input.")
@click.option("--kind", help="semantic, episodic or procedural.  [default: semantic]")
@click.option("--importance", type=float, help="From 0 to 1.  [default: 0.7]")
@TAGS
@ALLOW_SECRETS
def command(
    face: Face,
    text: tuple[str, ...],
    ns: str | None,
    summary_key: str,
    keys: tuple[str, ...],
    content: str | None,
    kind: str | None,
    importance: float | None,
    tags: tuple[str, ...],
    allow_secrets: bool,
) -> None:
    if content is not None and text:
        raise InvalidInputError(
            "the summary was given twice", "give it with --content, or as an argument"
        )
    summary = content if content is not None else read_text(text, "the summary")
    done = face.ghost.consolidate(
        face.ns(ns),
        summary_key,
        summary,
        words(keys) or [],
        kind=kind,
        importance=importance,
        tags=words(tags),
        allow_secrets=allow_secrets,
    )
    for note in () if face.as_json else done.summary.notes:
        face.note(f"note: {note}")
    face.one(
        done,
        f"{named(done.summary)} v{done.summary.version} stands for "
        f"{plural(len(done.edges), 'memory')}",
    )
    face.vector_note()
