"""ghost export"""

import sys

import click

from ghostmem.atomic import replacing
from ghostmem.cli.face import Face, declare
from ghostmem.errors import InvalidInputError
from ghostmem.transfer.backup import refuse_store

EXAMPLES = """\
  ghost export > memories.jsonl
  ghost export -n 'agent:*' -o agents.jsonl
"""


@declare(
    "export", "Write everything as lines of JSON, the same bytes for the same store.", EXAMPLES
)
@click.option("-n", "--ns", metavar="NS", help="Only a namespace, or a prefix such as agent:*.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to a file, replaced only when complete, or to a device or a pipe.",
)
@click.option(
    "--mark",
    is_flag=True,
    help="Mark it as this store's own, which imports it later without the quarantine.",
)
def command(face: Face, ns: str | None, output: str | None, mark: bool) -> None:
    lines = face.ghost.export(ns, mark=mark)
    if output is None or output == "-":
        for line in lines:
            sys.stdout.write(line + "\n")
        return
    refuse_store(output, face.settings.path)
    try:
        with replacing(output) as stream:
            stream.writelines(f"{line}\n".encode() for line in lines)
    except OSError as error:
        raise InvalidInputError(
            f"cannot write {output}: {error.strerror}", "name a file in a folder that is there"
        ) from None
    face.note(f"wrote {output}")
