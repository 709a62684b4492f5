"""ghost restore"""

import click

from ghostmem.cli.face import KEYED, UNLOCK, Face, declare, one_key
from ghostmem.cli.output import named

EXAMPLES = """\
  ghost restore -n agent:me tea
  ghost restore -n agent:me tea --version 1
"""


@declare("restore", "Bring back a removed memory or an earlier version.", EXAMPLES)
@KEYED
@click.option("-v", "--version", type=int, help="Write this version as the newest.")
@UNLOCK
def command(
    face: Face,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    version: int | None,
    unlock: bool,
) -> None:
    memory = face.ghost.restore(face.ns(ns), one_key(key, key_argument), version, unlock=unlock)
    face.one(memory, f"restored {named(memory)} v{memory.version}")
