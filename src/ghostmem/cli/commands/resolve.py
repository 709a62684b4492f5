"""ghost resolve"""

import click

from ghostmem.cli.face import NS, UNLOCK, Face, declare
from ghostmem.cli.output import bold, dim
from ghostmem.errors import InvalidInputError
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost resolve -n agent:me new-editor old-editor
  ghost resolve -n agent:me new-editor --both
  ghost resolve -n agent:me old-editor --reopen
"""


@declare("resolve", "Decide what holds when memories contradict each other.", EXAMPLES)
@NS
@click.argument("keep")
@click.argument("other", required=False)
@click.option("--both", is_flag=True, help="Both hold: they do not contradict each other.")
@click.option("--reopen", is_flag=True, help="Let a memory that was closed hold again.")
@UNLOCK
def command(
    face: Face, ns: str | None, keep: str, other: str | None, both: bool, reopen: bool, unlock: bool
) -> None:
    space = face.ns(ns)
    if reopen and (both or other):
        raise InvalidInputError(
            "--reopen takes one key", "name the memory that shall hold again, and nothing else"
        )
    found = (
        face.ghost.reopen(space, keep)
        if reopen
        else face.ghost.resolve(space, keep, other, both=both, unlock=unlock)
    )
    name = f"{dim(space + '/')}{bold(visible(keep))}"
    if found.reopened:
        text = f"{name} holds again"
    elif found.both:
        text = f"{name} and what it contradicted both hold"
    else:
        text = f"{name} holds; {visible(', '.join(found.closed))} ended {found.valid_to:%Y-%m-%d}"
    face.one(found, text)
    for doubt in () if face.as_json else found.maybe_stale:
        face.note(f"maybe stale: {visible(doubt)}")
