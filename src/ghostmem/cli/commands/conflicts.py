"""ghost conflicts"""

from typing import TYPE_CHECKING

from ghostmem.cli.face import NS_FILTER, Face, declare
from ghostmem.cli.output import bold, dim
from ghostmem.text.excerpt import first_line, visible

if TYPE_CHECKING:
    from ghostmem.truth.conflicts import Conflict

EXAMPLES = """\
  ghost conflicts -n agent:me
  ghost conflicts --json
"""


@declare("conflicts", "List what contradicts each other and is not decided.", EXAMPLES)
@NS_FILTER
def command(face: Face, ns: str | None) -> None:
    found = face.ghost.conflicts(face.ns_filter(ns))
    if face.as_json:
        face.json(found)
        return
    face.many(found.conflicts, _text, "nothing is in dispute")
    for doubt in found.maybe_stale:
        face.line(f"{dim(doubt.ns + '/')}{bold(visible(doubt.key))}  {visible(doubt.why)}")
    if found.conflicts:
        first = found.conflicts[0]
        face.note(
            f"decide with `ghost resolve -n {first.ns} {visible(first.key)} "
            f"{visible(first.other)}`, or --both"
        )


def _text(one: "Conflict") -> str:
    how = "inferred" if one.automatic else "said"
    head = (
        f"{dim(one.ns + '/')}{bold(visible(one.key))} contradicts "
        f"{bold(visible(one.other))}  {dim(how)}"
    )
    new = f"    {one.created_at:%Y-%m-%d}  {first_line(one.content, 110)}"
    old = f"    {dim(f'{one.other_created_at:%Y-%m-%d}  {first_line(one.other_content, 110)}')}"
    return f"{head}\n{new}\n{old}"
