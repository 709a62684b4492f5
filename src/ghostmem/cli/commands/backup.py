"""ghost backup"""

import click

from ghostmem.cli.face import Face, declare
from ghostmem.cli.output import size

EXAMPLES = """\
  ghost backup ~/backups/
  ghost backup memory-copy.db --force
"""


@declare("backup", "Copy the store while it is in use.", EXAMPLES)
@click.argument("target")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(face: Face, target: str, force: bool) -> None:
    done = face.ghost.backup(target, force=force)
    face.one(done, f"wrote {done.path} ({size(done.size_bytes)})")
    if done.pending and not face.as_json:
        face.note(f"note: {done.pending}")
