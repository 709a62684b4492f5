"""ghost admin: a store in PostgreSQL or on Citus."""

import click

from ghostmem.admin import cluster
from ghostmem.cli.console import Console, ConsoleGroup
from ghostmem.cli.output import bold, dim, plural, size
from ghostmem.store.administration import Grant, VectorIndex
from ghostmem.text.excerpt import visible

admin = ConsoleGroup(
    "admin",
    """\
  ghost admin grant reporting 'agent:*'
  ghost admin grant loader agent:me:write
  ghost admin distribute --shards 64
  ghost admin isolate agent:busy --to 10.0.0.7:5432
  ghost admin index
""",
)


@admin.command("grant")
@click.argument("role")
@click.argument("grants", nargs=-1, required=True, metavar="NS[:write]...")
def admin_grant(console: Console, role: str, grants: tuple[str, ...]) -> None:
    """Allow a database role to read or write namespaces with SQL."""
    for text in grants:
        ns = text.removesuffix(":write") if text.endswith(":write") else text.removesuffix(":read")
        grant = cluster.grant(console.ghost.store, role, ns, write=text.endswith(":write"))
        console.show(grant, _grant_text(grant))


@admin.command("revoke")
@click.argument("role")
@click.argument("namespaces", nargs=-1, metavar="[NS]...")
def admin_revoke(console: Console, role: str, namespaces: tuple[str, ...]) -> None:
    """Revoke a role's grants for some namespaces, or for all."""
    for text in namespaces or (None,):
        ns = text and text.removesuffix(":write").removesuffix(":read")
        console.show_all(
            cluster.revoke(console.ghost.store, role, ns),
            lambda gone: f"revoked: {_grant_text(gone)}",
        )


def _grant_text(grant: Grant) -> str:
    may = "reads and writes" if grant.scope == "write" else "reads"
    return f"{bold(visible(grant.role))}  {may} {visible(grant.ns)}"


admin.row(
    "grants",
    "List the grants of database roles.",
    call=lambda console: cluster.administration(console.ghost.store).grants(),
    text=_grant_text,
    nothing="no grants yet; `ghost admin grant` adds one",
)
admin.row(
    "nodes",
    "List the servers of the cluster.",
    call=lambda console: cluster.administration(console.ghost.store).nodes(),
    text=lambda node: (
        f"{bold(f'{node.host}:{node.port}')}  {node.role}"
        f"{'' if node.active else '  not active'}  "
        + dim(f"{plural(node.shards, 'shard')}, {size(node.bytes)}")
    ),
    nothing="the cluster has no nodes yet",
)


@admin.command("distribute")
@click.option(
    "--shards",
    type=int,
    default=32,
    show_default=True,
    help="Number of shards; it cannot be changed later.",
)
def admin_distribute(console: Console, shards: int) -> None:
    """Distribute the store over a Citus cluster by namespace, and check the routing."""
    done = cluster.distribute(
        console.ghost.store, shards=shards, progress=console.progress("tables")
    )
    spread, copied = plural(len(done.distributed), "table"), plural(len(done.copied), "table")
    text = (
        f"{spread} distributed by namespace, {copied} copied to every node"
        if done.distributed or done.copied
        else "everything was already distributed"
    )
    everyday = plural(done.statements, "everyday statement")
    lines = [
        f"{text}; {plural(done.shards, 'shard')}",
        f"{done.statements - len(done.wide)} of {everyday} use one shard",
        *(f"  {wide.verb}: {wide.shards} shards: {wide.statement}" for wide in done.wide),
    ]
    console.show(done, "\n".join(lines))


@admin.command("isolate")
@click.argument("ns")
@click.option("--to", metavar="HOST:PORT", help="Move it to this node.")
def admin_isolate(console: Console, ns: str, to: str | None) -> None:
    """Move a busy namespace to its own shard, and optionally to another node."""
    done = cluster.isolate(console.ghost.store, ns, to=to)
    shard = f"{'now has' if done.isolated else 'already had'} its own shard ({done.shard})"
    node = f"{'moved to' if done.moved else 'on'} {done.host}:{done.port}"
    console.show(done, f"{bold(visible(done.ns))} {shard}, {node}")


@admin.command("index")
@click.option("--drop", is_flag=True, help="Drop the indexes instead.")
def admin_index(console: Console, drop: bool) -> None:
    """Create an HNSW index for the vectors of each model, for namespaces with millions."""
    done = cluster.administration(console.ghost.store).index(drop, console.progress("indexed"))
    console.show_all(
        done,
        (lambda index: f"dropped the index of {bold(visible(index.model))}")
        if drop
        else _index_text,
        "there was no index" if drop else "there are no vectors to index",
    )
    if done and not drop and not console.ghost.store.settings.pg_hnsw:
        console.notes(["searches use it once GHOST_PG_HNSW=1 is set"])


def _index_text(index: VectorIndex) -> str:
    about = dim(f"{plural(index.vectors, 'vector')} of {index.dimension}, {size(index.bytes)}")
    return f"{bold(visible(index.model))}  {index.state}  {about}"
