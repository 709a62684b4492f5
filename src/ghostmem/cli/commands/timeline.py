"""ghost timeline"""

from typing import TYPE_CHECKING

import click

from ghostmem.cli.face import NS, Face, declare, read_text
from ghostmem.cli.output import bold, dim
from ghostmem.text.excerpt import first_line, visible

if TYPE_CHECKING:
    from ghostmem.search.timeline import Event

EXAMPLES = """\
  ghost timeline -n agent:me editor
  ghost timeline -n agent:me "which database do we use?"
"""


@declare("timeline", "Show how a fact evolved.", EXAMPLES)
@NS
@click.argument("what", metavar="KEY|QUESTION", nargs=-1)
def command(face: Face, ns: str | None, what: tuple[str, ...]) -> None:
    face.many(face.ghost.timeline(face.ns(ns), read_text(what, "a key or a question")), _text)


def _text(event: "Event") -> str:
    about = f" by {visible(event.by)}" if event.by else ""
    about += f", said by {visible(event.source_user)}" if event.source_user else ""
    about += (
        "  ← holds now" if event.current and event.event in ("said", "changed", "reopened") else ""
    )
    head = (
        f"{event.at:%Y-%m-%d %H:%M}  {bold(visible(event.key))} v{event.version}  "
        f"{event.event}{about}"
    )
    told = event.content and event.event in ("said", "changed", "restated")
    return f"{head}\n    {dim(first_line(event.content, 110))}" if told else head
