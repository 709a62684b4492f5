"""ghost setup"""

import click

from ghostmem.cli.face import DRY_RUN, Face, FaceCommand, group
from ghostmem.errors import InvalidInputError
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost setup agents-md
  ghost setup agents-md --dry-run
  ghost setup agents-md --remove
"""

command = group("setup", "Write Ghost's guidance into other programs' files.", EXAMPLES)

_WRITTEN = {
    "created": "created {}",
    "updated": "wrote the guidance into {}",
    "unchanged": "the guidance in {} is as it should be",
}
_REMOVED = {
    "updated": "took the guidance out of {}",
    "deleted": "deleted {}, which held nothing else",
    "unchanged": "there is no guidance in {}",
}


@command.command("agents-md", cls=FaceCommand)
@click.argument("path", required=False)
@click.option("--remove", is_flag=True, help="Take the guidance out again; everything else stays as it is.")
@click.option("--print", "show", is_flag=True, help="Print the guidance, and touch no file.")
@DRY_RUN
def agents_md(face: Face, path: str | None, remove: bool, show: bool, dry_run: bool) -> None:
    """Tell agents in AGENTS.md how to use their memory: what goes where, when to search and save, a review once a week."""
    from ghostmem.setup import agents_md as guidance

    if show and (remove or dry_run):
        raise InvalidInputError("--print touches no file, so it stands alone", "leave out --remove and --dry-run")
    if show:
        face.one({"text": guidance.block()}, guidance.block())
        return
    file = guidance.agents_file(path)
    done = guidance.remove(file, dry_run) if remove else guidance.write(file, dry_run)
    told = (_REMOVED if remove else _WRITTEN)[done.action].format(visible(str(file)))
    shown = {"path": str(file), "action": done.action, "dry_run": dry_run}
    if not dry_run:
        face.one(shown, told)
    elif face.as_json:
        face.json({**shown, "diff": done.diff})
    elif done.diff:
        face.raw(done.diff.removesuffix("\n"))
    else:
        face.note(told)
