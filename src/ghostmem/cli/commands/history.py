"""ghost history"""

from ghostmem.cli.face import KEYED, Face, declare, one_key
from ghostmem.cli.output import bold, described, dim, named, plural
from ghostmem.model import Memory
from ghostmem.text.excerpt import first_line


def version_text(memory: Memory) -> str:
    """Return one version as text: number, time, state, particulars, start of the content."""
    state = f"until {memory.deleted_at:%Y-%m-%d %H:%M:%S}" if memory.deleted_at else "current"
    head = (
        f"{bold(f'v{memory.version}')}  {memory.created_at:%Y-%m-%d %H:%M:%S}  "
        f"[{state}]  {dim(described(memory))}"
    )
    return f"{head}\n    {first_line(memory.content, 200)}"


@declare("history", "Show every version of a memory.", "  ghost history -n agent:me tea\n")
@KEYED
def command(face: Face, ns: str | None, key: str | None, key_argument: str | None) -> None:
    found = face.ghost.history(face.ns(ns), one_key(key, key_argument))
    if not face.as_json:
        face.line(f"{named(found[0])}  ({plural(len(found), 'version')})")
    face.many(found, version_text)
