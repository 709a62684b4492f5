"""ghost embed"""

from ghostmem.cli.face import Face, FaceCommand, group
from ghostmem.cli.output import plural

EXAMPLES = """\
  ghost embed status
  ghost embed backfill
  GHOST_EMBED_PROVIDER=static ghost embed switch
"""

command = group("embed", "Show, fill in or change the vectors.", EXAMPLES)


@command.command("status", cls=FaceCommand)
def status(face: Face) -> None:
    """Show how much of the store has vectors of the chosen model."""
    found = face.ghost.embed_status()
    text = f"provider {found.provider}{f', model {found.model}' if found.model else ''}: "
    text += (
        f"{found.embedded:,} of {plural(found.chunks, 'chunk')} have vectors, "
        f"{found.pending:,} wait"
    )
    others = "".join(
        f"\n  {name}: {plural(count, 'vector')} of another model"
        for name, count in found.other_models.items()
    )
    face.one(found, text + others + (f"\n  problem: {found.problem}" if found.problem else ""))


@command.command("backfill", cls=FaceCommand)
def backfill(face: Face) -> None:
    """Give every chunk without one a vector; can be stopped and run again."""
    done = face.ghost.embed_backfill(face.progress("embedded"))
    face.one({"embedded": done}, f"embedded {plural(done, 'chunk')}")


@command.command("switch", cls=FaceCommand)
def switch(face: Face) -> None:
    """Embed everything with the chosen model, then drop the vectors of others."""
    done = face.ghost.embed_switch(face.progress("embedded"))
    face.one(
        {"embedded": done},
        f"embedded {plural(done, 'chunk')}; the vectors of other models are gone",
    )
