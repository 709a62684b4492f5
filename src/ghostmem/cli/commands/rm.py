"""ghost rm"""

from typing import TYPE_CHECKING

import click

from ghostmem.cli.face import DRY_RUN, KEYED, UNLOCK, YES, Face, declare, one_key
from ghostmem.cli.output import plural
from ghostmem.text.excerpt import visible

if TYPE_CHECKING:
    from ghostmem.admin.namespaces import NamespaceRemoval
    from ghostmem.lifecycle.gc import Collection
    from ghostmem.memory.forget import Forgetting
    from ghostmem.memory.remove import Removal

EXAMPLES = """\
  ghost rm -n agent:me tea
  ghost rm -n agent:me tea --hard --all-versions --dry-run
"""


@declare("rm", "Remove a memory; it can be restored unless --hard.", EXAMPLES)
@KEYED
@click.option("--hard", is_flag=True, help="Delete the latest version for good, to the last byte.")
@click.option("--all-versions", is_flag=True, help="With --hard: every version.")
@UNLOCK
@DRY_RUN
@YES
def command(
    face: Face,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    hard: bool,
    all_versions: bool,
    unlock: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    space, name = face.ns(ns), one_key(key, key_argument)
    if hard and not dry_run:
        face.confirm(f"Delete {space}/{name} for good?", yes)
    done = face.ghost.rm(
        space, name, hard=hard, all_versions=all_versions, unlock=unlock, dry_run=dry_run
    )
    what = f"{plural(done.versions, 'version')} of {space}/{name}"
    how = "deleted for good" if hard else "removed; `ghost restore` brings it back"
    face.one(done, f"would remove {what}" if dry_run else f"{what} {how}")
    tell_what_is_left(face, done, done.files)


def tell_what_is_left(
    face: Face,
    done: "Removal | NamespaceRemoval | Collection | Forgetting",
    files: tuple[str, ...] = (),
) -> None:
    """Say where what was deleted for good still is, and what to do about it."""
    if face.as_json:
        return
    for path in done.backups:
        face.note(f"still in {visible(path)}; remove it or make a new backup")
    for path in files:
        face.note(f"still in {visible(path)}, which would bring it back; take it out of there")
    if done.pending:
        face.note(done.pending)
