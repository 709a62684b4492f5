"""ghost link"""

from ghostmem.cli.commands.edge import ENDS, one_ns, shown
from ghostmem.cli.face import Face, declare
from ghostmem.errors import InvalidInputError

EXAMPLES = """\
  ghost link --from-ns agent:me --from-key a --to-ns agent:me --to-key b -r depends_on
  ghost link -n agent:me --from-key a --to-key b -r depends_on --rm
"""


@declare(
    "link",
    "Link memories in the original Ghost's way; `ghost edge` does the same and more.",
    EXAMPLES,
)
@ENDS
def command(
    face: Face,
    ns: str | None,
    from_ns: str | None,
    from_key: str | None,
    to_ns: str | None,
    to_key: str | None,
    rel: str | None,
    rm: bool,
) -> None:
    space = one_ns(face, ns, from_ns, to_ns)
    if not (from_key and to_key and rel):
        raise InvalidInputError(
            "--from-key, --to-key and --rel are required", "`ghost link --help` shows an example"
        )
    if rm:
        gone = face.ghost.rm_edge(space, from_key, to_key, rel)
        face.one({"status": "deleted", **gone.to_dict()}, f"removed {shown(gone)}")
        return
    face.one(made := face.ghost.link(space, from_key, to_key, rel), f"linked {shown(made)}")
