"""ghost export"""

import os
import sys
from pathlib import Path

import click

from ghostmem.cli.face import Face, declare
from ghostmem.errors import InvalidInputError

EXAMPLES = """\
  ghost export > memories.jsonl
  ghost export -n 'agent:*' -o agents.jsonl
"""


@declare("export", "Write everything as lines of JSON, the same bytes for the same store.", EXAMPLES)
@click.option("-n", "--ns", metavar="NS", help="Only a namespace, or a prefix such as agent:*.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file, replacing it only when complete.")
def command(face: Face, ns: str | None, output: str | None) -> None:
    lines = face.ghost.export(ns)
    if output is None or output == "-":
        for line in lines:
            sys.stdout.write(line + "\n")
        return
    path = Path(output)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(fresh, "w", encoding="utf-8", newline="\n", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
            stream.writelines(line + "\n" for line in lines)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError as error:
        raise InvalidInputError(f"cannot write {path}: {error.strerror}", "name a file in a folder that is there") from None
    finally:
        if fresh.exists():
            fresh.unlink()
    face.note(f"wrote {path}")
