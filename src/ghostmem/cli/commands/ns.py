"""ghost ns"""

import click

from ghostmem.cli.commands.rm import tell_what_is_left
from ghostmem.cli.face import DRY_RUN, UNLOCK, YES, Face, FaceCommand, group
from ghostmem.cli.output import bold, plural

EXAMPLES = """\
  ghost ns list
  ghost ns tree
  ghost ns rm agent:old --dry-run
"""

command = group("ns", "List or remove namespaces.", EXAMPLES)


@command.command("list", cls=FaceCommand)
@click.argument("ns", required=False)
def list_(face: Face, ns: str | None) -> None:
    """List namespaces with what they hold."""
    face.many(
        face.ghost.namespaces(ns),
        lambda info: f"{bold(info.ns)}  {plural(info.count, 'memory')}, {plural(info.keys, 'key')}",
        "no namespaces yet",
    )


@command.command("tree", cls=FaceCommand)
@click.argument("ns", required=False)
def tree(face: Face, ns: str | None) -> None:
    """Show namespaces as a tree of their segments."""
    found = {info.ns: info for info in face.ghost.namespaces(ns)}
    paths = sorted(
        {
            ":".join(name.split(":")[:depth])
            for name in found
            for depth in range(1, name.count(":") + 2)
        }
    )
    for path in paths:
        info = found.get(path)
        depth = path.count(":")
        counts = {"count": info.count if info else 0, "keys": info.keys if info else 0}
        held = (
            f"  ({plural(counts['count'], 'memory')}, {plural(counts['keys'], 'key')})"
            if info
            else ""
        )
        face.one(
            {"ns": path, "depth": depth, **counts},
            "  " * depth + bold(path.rsplit(":", 1)[-1]) + held,
        )


@command.command("rm", cls=FaceCommand)
@click.argument("ns")
@click.option("--hard", is_flag=True, help="Delete every version for good.")
@UNLOCK
@DRY_RUN
@YES
def rm(face: Face, ns: str, hard: bool, unlock: bool, dry_run: bool, yes: bool) -> None:
    """Remove all memories of a namespace, or of all that match a prefix such as agent:*."""
    if not dry_run:
        face.confirm(f"{'Delete for good' if hard else 'Remove'} everything in {ns}?", yes)
    done = face.ghost.rm_namespace(ns, hard=hard, unlock=unlock, dry_run=dry_run)
    action = "permanently deleted" if hard else "soft-deleted"
    what = f"{plural(done.deleted, 'version' if hard else 'memory')} in {ns}"
    face.one(
        {**done.to_dict(), "action": action},
        f"would remove {what}" if dry_run else f"{action} {what}",
    )
    tell_what_is_left(face, done, done.files)
