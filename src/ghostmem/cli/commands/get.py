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
@click.option("--as-of", metavar="TIME", help="The version that was believed at this time.")
@click.option("--history", is_flag=True, help="Every version, newest first.")
def command(
    face: Face,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    version: int | None,
    as_of: str | None,
    history: bool,
) -> None:
    name = one_key(key, key_argument)
    if version is not None and version < 1:
        raise InvalidInputError(
            f"--version must be at least 1 (got {version})", "versions are counted from 1"
        )
    if history and (version is not None or as_of is not None):
        raise InvalidInputError(
            "--history shows every version", "leave --version and --as-of out, or --history"
        )
    if version is not None and as_of is not None:
        raise InvalidInputError("--version and --as-of both name a version", "give one of them")
    if history:
        from ghostmem.cli.commands.history import version_text

        face.many(reversed(face.ghost.history(face.ns(ns), name)), version_text)
        return
    memory = face.ghost.get(face.ns(ns), name, version, as_of=as_of)
    face.json(memory) if face.as_json else face.raw(memory.content)
