"""ghost get, history: read a memory."""

import click

from ghostmem.cli.console import Console, command
from ghostmem.cli.options import (
    KEYED,
    one_key,
    options,
    refuse,
)
from ghostmem.cli.output import bold, dim, labels, named, plural
from ghostmem.model import Memory
from ghostmem.text.excerpt import first_line


@command(
    "get",
    """\
  ghost get tea
  ghost get agent:me/tea
  ghost get -n agent:me -k tea --version 1
  ghost get tea --json
""",
)
@KEYED
@options("get", "version as_of")
@click.option("--history", is_flag=True, help="Every version, newest first.")
def get(
    console: Console,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    version: int | None,
    as_of: str | None,
    history: bool,
) -> None:
    name = one_key(key, key_argument)
    refuse(
        version is not None and version < 1,
        f"--version must be at least 1 (got {version})",
        "versions are counted from 1",
    )
    refuse(
        history and (version is not None or as_of is not None),
        "--history shows every version",
        "use --history alone, or leave it out",
    )
    refuse(
        version is not None and as_of is not None,
        "--version and --as-of cannot be combined",
        "give one of them",
    )
    space, name = console.memory_name(ns, name)
    with console.naming_others(ns, space, name):
        if history:
            console.show_all(reversed(console.ghost.history(space, name)), version_text)
            return
        memory = console.ghost.get(space, name, version=version, as_of=as_of)
    console.json(memory) if console.as_json else console.raw(memory.content)


def version_text(memory: Memory) -> str:
    """Return one version as text: number, time, state, fields, start of the content."""
    state = f"until {memory.deleted_at:%Y-%m-%d %H:%M:%S}" if memory.deleted_at else "current"
    state += f", true until {memory.valid_to:%Y-%m-%d %H:%M:%S}" if memory.valid_to else ""
    # a later version keeps the date of the statement, also one that only retires it
    at = memory.created_at if memory.version == 1 else memory.written_at
    head = f"{bold(f'v{memory.version}')}  {at:%Y-%m-%d %H:%M:%S}  [{state}]"
    fields = dim(" ".join((memory.kind, memory.tier, *labels(memory))))
    return f"{head}  {fields}\n    {first_line(memory.content, 200)}"


@command("history", "  ghost history tea\n  ghost history -n agent:me tea\n")
@KEYED
def history(console: Console, ns: str | None, key: str | None, key_argument: str | None) -> None:
    space, name = console.memory_name(ns, one_key(key, key_argument))
    with console.naming_others(ns, space, name):
        found = console.ghost.history(space, name)
    if not console.as_json:
        console.line(f"{named(found[0])}  ({plural(len(found), 'version')})")
    console.show_all(found, version_text)
