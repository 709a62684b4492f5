"""ghost get"""

import click

from ghostmem.cli.face import KEYED, Face, declare, one_key
from ghostmem.errors import InvalidInputError

EXAMPLES = """\
  ghost get -n agent:me tea
  ghost get -n agent:me -k tea --version 1
  ghost get -n agent:me tea --json
"""


@declare("get", "Read a memory by its key.", EXAMPLES)
@KEYED
@click.option("-v", "--version", type=int, help="A numbered version instead of the current one.")
@click.option("--history", is_flag=True, help="Every version, newest first.")
def command(face: Face, ns: str | None, key: str | None, key_argument: str | None, version: int | None, history: bool) -> None:
    name = one_key(key, key_argument)
    if version is not None and version < 1:
        raise InvalidInputError(f"--version must be at least 1 (got {version})", "versions are counted from 1")
    if history and version is not None:
        raise InvalidInputError("--history shows every version", "leave --version out, or --history")
    if history:
        from ghostmem.cli.commands.history import version_text

        face.many(reversed(face.ghost.history(face.ns(ns), name)), version_text)
        return
    memory = face.ghost.get(face.ns(ns), name, version)
    face.json(memory) if face.as_json else face.raw(memory.content)
