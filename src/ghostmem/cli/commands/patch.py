"""ghost patch"""

import click

from ghostmem.cli.commands.put import said as put_said
from ghostmem.cli.face import (
    ALLOW_SECRETS,
    DRY_RUN,
    KEYED,
    UNLOCK,
    Face,
    declare,
    one_key,
    read_text,
)
from ghostmem.cli.output import named
from ghostmem.model import Outcome

EXAMPLES = """\
  ghost patch -n agent:me notes < change.diff
  diff -u old.md new.md | ghost patch -n agent:me notes --dry-run
"""


@declare("patch", "Change a memory by a unified diff, read from standard input.", EXAMPLES)
@KEYED
@click.option("--base-version", type=int, help="Only if this is the current version.")
@UNLOCK
@ALLOW_SECRETS
@DRY_RUN
def command(
    face: Face,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    base_version: int | None,
    unlock: bool,
    allow_secrets: bool,
    dry_run: bool,
) -> None:
    diff = read_text((), "a diff")
    space, name = face.ns(ns), one_key(key, key_argument)
    memory = face.ghost.patch(
        space,
        name,
        diff + "\n",
        base_version=base_version,
        dry_run=dry_run,
        unlock=unlock,
        allow_secrets=allow_secrets,
    )
    for note in () if face.as_json else memory.notes:
        face.note(f"note: {note}")
    if dry_run and not face.as_json:
        face.raw(memory.content)
    else:
        is_held = memory.outcome is Outcome.QUARANTINED
        face.one(
            memory,
            put_said(memory) if is_held else f"patched {named(memory)}, now v{memory.version}",
        )
