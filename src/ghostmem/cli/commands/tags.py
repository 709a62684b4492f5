"""ghost tags"""

import click

from ghostmem.cli.face import NS_FILTER, UNLOCK, Face, FaceCommand, group
from ghostmem.cli.output import plural

EXAMPLES = """\
  ghost tags list -n agent:me
  ghost tags rename colour color
"""

command = group("tags", "List, rename or remove tags.", EXAMPLES)


@command.command("list", cls=FaceCommand)
@NS_FILTER
def list_(face: Face, ns: str | None) -> None:
    """List tags, most used first."""
    found = face.ghost.tags(face.ns_filter(ns))
    face.many(found, lambda info: f"{info.tag:<30} {plural(info.count, 'memory')}", "(no tags)")


@command.command("rename", cls=FaceCommand)
@click.argument("old")
@click.argument("new")
@NS_FILTER
@UNLOCK
def rename(face: Face, old: str, new: str, ns: str | None, unlock: bool) -> None:
    """Give a tag another name on every live memory."""
    done = face.ghost.rename_tag(old, new, face.ns_filter(ns), unlock=unlock)
    face.one(done, f"renamed {old} to {new} on {plural(done.affected, 'memory')}")


@command.command("rm", cls=FaceCommand)
@click.argument("tag")
@NS_FILTER
@UNLOCK
def rm(face: Face, tag: str, ns: str | None, unlock: bool) -> None:
    """Take a tag off every live memory."""
    done = face.ghost.rm_tag(tag, face.ns_filter(ns), unlock=unlock)
    face.one(done, f"removed {tag} from {plural(done.affected, 'memory')}")
