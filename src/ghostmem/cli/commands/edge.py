"""ghost edge"""

import click

from ghostmem.cli.face import DRY_RUN, NS, Face, FaceCommand, FaceGroup, group, options, words
from ghostmem.cli.output import bold, dim, plural
from ghostmem.errors import InvalidInputError
from ghostmem.graph.edges import Candidate
from ghostmem.model import Edge, Outcome
from ghostmem.text.excerpt import first_line, visible

EXAMPLES = """\
  ghost edge add -n agent:me new-office old-office -r contradicts
  ghost edge list -n agent:me new-office
  ghost edge rm -n agent:me new-office old-office -r contradicts
  ghost edge candidates -n agent:me
  ghost edge relink -n agent:me --dry-run
  ghost edge -n agent:me --from-key a --to-key b -r depends_on -w 0.9
"""
REL = click.option(
    "-r", "--rel", metavar="REL", help="How the first relates to the second, such as depends_on."
)
WEIGHT = click.option(
    "-w", "--weight", type=float, help="How strongly, from 0 to 1; the relation has a default."
)
PAIR = options(
    click.argument("from_key", metavar="FROM"), click.argument("to_key", metavar="TO"), NS, REL
)

command = group("edge", "Link memories, and list or remove links.", EXAMPLES, FaceGroup)
assert isinstance(command, FaceGroup)
ENDS = options(
    NS,
    click.option(
        "--from-ns", metavar="NS", help="The namespace of the first; both must be the same."
    ),
    click.option("--from-key", metavar="KEY", help="The key of the first."),
    click.option(
        "--to-ns", metavar="NS", help="The namespace of the second; both must be the same."
    ),
    click.option("--to-key", metavar="KEY", help="The key of the second."),
    REL,
    click.option("--rm", is_flag=True, help="Remove the link."),
)


def one_ns(face: Face, ns: str | None, from_ns: str | None, to_ns: str | None) -> str:
    """Return the namespace of both ends."""
    given = list(dict.fromkeys(name for name in (ns, from_ns, to_ns) if name))
    if len(given) > 1:
        raise InvalidInputError(
            f"{given[0]} and {given[1]} are two namespaces",
            "a link never crosses from one to another",
        )
    return face.ns(given[0] if given else None)


@ENDS
@WEIGHT
@click.option("--list", "list_", is_flag=True, help="List the links of --from-key.")
def flags(
    face: Face,
    ns: str | None,
    from_ns: str | None,
    from_key: str | None,
    to_ns: str | None,
    to_key: str | None,
    rel: str | None,
    rm: bool,
    weight: float | None,
    list_: bool,
) -> None:
    space = one_ns(face, ns, from_ns, to_ns)
    if list_:
        _list(face, space, from_key or to_key, rel)
    elif rm:
        _rm(face, space, from_key, to_key, rel)
    else:
        _add(face, space, from_key, to_key, rel, weight)


command.alone = flags
command.invoke_without_command = True
command.params = [*reversed(flags.__click_params__), *command.params]  # type: ignore[attr-defined]


@command.command("add", cls=FaceCommand)
@PAIR
@WEIGHT
def add(
    face: Face, from_key: str, to_key: str, ns: str | None, rel: str | None, weight: float | None
) -> None:
    """Link two memories; a link that is there gets the new weight."""
    _add(face, face.ns(ns), from_key, to_key, rel, weight)


@command.command("rm", cls=FaceCommand)
@PAIR
def rm(face: Face, from_key: str, to_key: str, ns: str | None, rel: str | None) -> None:
    """Remove a link."""
    _rm(face, face.ns(ns), from_key, to_key, rel)


@command.command("list", cls=FaceCommand)
@click.argument("key", required=False)
@NS
@click.option("-r", "--rel", metavar="REL", help="Only this relation.")
def list_(face: Face, key: str | None, ns: str | None, rel: str | None) -> None:
    """List the links of a memory in both directions, or of the whole namespace."""
    _list(face, face.ns(ns), key, rel)


@command.command("candidates", cls=FaceCommand)
@NS
@click.option("--max-pairs", type=int, default=50, show_default=True, help="At most so many.")
@click.option("--seed", multiple=True, metavar="KEYS", help="Only pairs with one of these keys.")
def candidates(face: Face, ns: str | None, max_pairs: int, seed: tuple[str, ...]) -> None:
    """Show pairs that are alike, for you to say whether one causes, prevents or implies
    the other.
    """
    found = face.ghost.edge_candidates(face.ns(ns), max_pairs=max_pairs, seed=words(seed))
    if face.as_json:
        face.json(found)
        return
    face.many(found.candidates, _pair, "no pairs to look at")
    if found.skipped_existing:
        face.note(
            dim(
                f"{plural(found.skipped_existing, 'pair')} more, of which it is known how "
                "they relate"
            )
        )


@command.command("relink", cls=FaceCommand)
@NS
@DRY_RUN
def relink(face: Face, ns: str | None, dry_run: bool) -> None:
    """Link what shares names, topics or meaning and is not linked yet."""
    done = face.ghost.relink(face.ns(ns), dry_run=dry_run, progress=face.progress("compared"))
    text = (
        f"{'would add' if dry_run else 'added'} {plural(done.added, 'link')} between "
        f"{plural(done.memories, 'memory')}"
    )
    face.one(done, text)


def _pair(pair: Candidate) -> str:
    lines = (
        f"{bold(visible(pair.from_key))}  "
        f"{dim(f'{pair.relates_weight:.2f}')}  "
        f"{bold(visible(pair.to_key))}",
        f"    {first_line(pair.from_content, 110)}",
        f"    {first_line(pair.to_content, 110)}",
    )
    return "\n".join(lines)


def _named(from_key: str | None, to_key: str | None, rel: str | None) -> tuple[str, str, str]:
    if not (from_key and to_key):
        raise InvalidInputError(
            "two keys are required", "`ghost edge add FROM TO -r REL`, or --from-key and --to-key"
        )
    if not rel:
        raise InvalidInputError(
            "a relation is required",
            "name one with -r, such as relates_to, depends_on or contradicts",
        )
    return from_key, to_key, rel


def _add(
    face: Face,
    ns: str,
    from_key: str | None,
    to_key: str | None,
    rel: str | None,
    weight: float | None,
) -> None:
    made = face.ghost.edge(ns, *_named(from_key, to_key, rel), weight)
    face.one(made, f"{'linked' if made.outcome is Outcome.CREATED else 'updated'} {shown(made)}")


def _rm(face: Face, ns: str, from_key: str | None, to_key: str | None, rel: str | None) -> None:
    gone = face.ghost.rm_edge(ns, *_named(from_key, to_key, rel))
    face.one({"status": "deleted", **gone.to_dict()}, f"removed {shown(gone)}")


def _list(face: Face, ns: str, key: str | None, rel: str | None) -> None:
    face.many(face.ghost.edges(ns, key, rel=rel), shown, "no links")


def shown(edge: Edge) -> str:
    """Return an edge as a line of text."""
    used = f", {plural(edge.access_count, 'time')} together" if edge.access_count else ""
    return (
        f"{bold(visible(edge.from_key or ''))} —{edge.rel}→ "
        f"{bold(visible(edge.to_key or ''))}  {dim(f'{edge.weight:.2f}{used}')}"
    )
