"""ghost admin"""

from typing import TYPE_CHECKING

import click

from ghostmem.cli.face import Face, FaceCommand, group
from ghostmem.cli.output import bold, dim, plural, size
from ghostmem.text.excerpt import visible

if TYPE_CHECKING:
    from ghostmem.store.administration import ClusterNode, Grant, VectorIndex

EXAMPLES = """\
  ghost admin grant reporting 'agent:*'
  ghost admin grant loader agent:me:write
  ghost admin distribute --shards 64
  ghost admin isolate agent:busy --to 10.0.0.7:5432
  ghost admin index
"""

command = group("admin", "Look after a store in PostgreSQL or on Citus.", EXAMPLES)


@command.command("grant", cls=FaceCommand)
@click.argument("role")
@click.argument("grants", nargs=-1, required=True, metavar="NS[:write]...")
def grant(face: Face, role: str, grants: tuple[str, ...]) -> None:
    """Let a role of the database read namespaces in SQL, or write in them."""
    from ghostmem.admin import cluster as admin

    for one in grants:
        ns, write = (
            (one.removesuffix(":write"), True)
            if one.endswith(":write")
            else (one.removesuffix(":read"), False)
        )
        made = admin.grant(face.ghost.store, role, ns, write=write)
        face.one(made, f"{_grant(made)}")


@command.command("revoke", cls=FaceCommand)
@click.argument("role")
@click.argument("namespaces", nargs=-1, metavar="[NS]...")
def revoke(face: Face, role: str, namespaces: tuple[str, ...]) -> None:
    """Take grants of a role back: those of some namespaces, or all."""
    from ghostmem.admin import cluster as admin

    for ns in namespaces or (None,):
        named = None if ns is None else ns.removesuffix(":write").removesuffix(":read")
        face.many(
            admin.revoke(face.ghost.store, role, named), lambda gone: f"no longer: {_grant(gone)}"
        )


@command.command("grants", cls=FaceCommand)
def list_grants(face: Face) -> None:
    """List what roles of the database were granted."""
    from ghostmem.admin import cluster as admin

    face.many(
        admin.list_grants(face.ghost.store),
        _grant,
        "no role was granted anything; `ghost admin grant` does that",
    )


def _grant(one: "Grant") -> str:
    may = "reads and writes" if one.scope == "write" else "reads"
    return f"{bold(visible(one.role))}  {may} {visible(one.ns)}"


@command.command("nodes", cls=FaceCommand)
def nodes(face: Face) -> None:
    """List the servers of the cluster."""
    from ghostmem.admin import cluster as admin

    face.many(admin.nodes(face.ghost.store), _node, "the cluster has no nodes yet")


def _node(one: "ClusterNode") -> str:
    state = "" if one.active else "  not active"
    holds = dim(f"{plural(one.shards, 'shard')}, {size(one.bytes)}")
    return f"{bold(f'{one.host}:{one.port}')}  {one.role}{state}  {holds}"


@command.command("distribute", cls=FaceCommand)
@click.option(
    "--shards",
    type=int,
    default=32,
    show_default=True,
    help="Into how many parts; it cannot be changed in place.",
)
def distribute(face: Face, shards: int) -> None:
    """Spread the store over a Citus cluster by namespace, and look how statements route."""
    from ghostmem.admin import cluster as admin

    done = admin.distribute(face.ghost.store, shards=shards, progress=face.progress("tables"))
    spread, copied = plural(len(done.distributed), "table"), plural(len(done.copied), "table")
    moved = f"{spread} spread by namespace, {copied} copied to every node"
    text = moved if done.distributed or done.copied else "everything was spread already"
    good = done.statements - len(done.wide)
    text += (
        f"; {plural(done.shards, 'shard')}\n{good} of "
        f"{plural(done.statements, 'everyday statement')} ask one shard"
    )
    text += "".join(f"\n  {one.verb}: {one.shards} shards: {one.statement}" for one in done.wide)
    face.one(done, text)


@command.command("isolate", cls=FaceCommand)
@click.argument("ns")
@click.option("--to", metavar="HOST:PORT", help="Bring it to this node.")
def isolate(face: Face, ns: str, to: str | None) -> None:
    """Give a busy namespace a shard of its own, and a node if you like."""
    from ghostmem.admin import cluster as admin

    done = admin.isolate(face.ghost.store, ns, to=to)
    what = "has a shard of its own now" if done.isolated else "had a shard of its own already"
    where = f"{'moved to' if done.moved else 'on'} {done.host}:{done.port}"
    face.one(done, f"{bold(visible(done.ns))} {what} ({done.shard}), {where}")


@command.command("index", cls=FaceCommand)
@click.option("--drop", is_flag=True, help="Drop the indexes instead.")
def index(face: Face, drop: bool) -> None:
    """Make an HNSW index for the vectors of each model, for namespaces of millions."""
    from ghostmem.admin import cluster as admin

    done = admin.index(face.ghost.store, drop=drop, progress=face.progress("indexed"))
    face.many(
        done,
        _dropped if drop else _index,
        "there was no index" if drop else "there are no vectors to index",
    )
    if done and not drop and not face.as_json and not face.ghost.store.settings.pg_hnsw:
        face.note("note: searches use it once GHOST_PG_HNSW=1 is set")


def _index(one: "VectorIndex") -> str:
    about = dim(f"{plural(one.vectors, 'vector')} of {one.dimension}, {size(one.bytes)}")
    return f"{bold(visible(one.model))}  {one.state}  {about}"


def _dropped(one: "VectorIndex") -> str:
    return f"dropped the index of {bold(visible(one.model))}"
