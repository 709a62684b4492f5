"""ghost embed, stats, check, repair: vectors, counts and health of a store."""

import click

from ghostmem.cli.console import Console, ConsoleGroup, command
from ghostmem.cli.output import bold, plural, size

embed = ConsoleGroup(
    "embed",
    """\
  ghost embed status
  ghost embed backfill
  GHOST_EMBED_PROVIDER=static ghost embed switch
""",
)


@embed.command("status")
def embed_status(console: Console) -> None:
    """Show how much of the store has vectors of its model."""
    found = console.ghost.admin.embed_status()
    model = f", model {found.model}" if found.model else ""
    switch = f"`ghost embed switch` changes the model to {found.next_model}"
    lines = [
        f"provider {found.provider}{model}: {found.embedded:,} of "
        f"{plural(found.chunks, 'chunk')} have vectors, {found.pending:,} pending",
        *(
            f"{name}: {plural(count, 'vector')} of another model"
            for name, count in found.other_models.items()
        ),
        *([switch] if found.next_model else []),
        *([f"problem: {found.problem}"] if found.problem else []),
    ]
    console.show(found, "\n  ".join(lines))


def _embed(console: Console, everything: bool) -> dict[str, int]:
    embed = console.ghost.admin.embed_switch if everything else console.ghost.admin.embed_backfill
    return {"embedded": embed(progress=console.progress("embedded"))}


embed.row(
    "backfill",
    "Create the missing vectors; can be stopped and run again.",
    click.option(
        "--all",
        "everything",
        is_flag=True,
        help="Change all vectors to the chosen model, like `ghost embed switch`.",
    ),
    call=_embed,
    text=lambda done: f"embedded {plural(done['embedded'], 'chunk')}",
)
embed.row(
    "switch",
    """Embed everything with the chosen model, then delete the vectors of others.

    Until then, searches use the vectors of the previous model. The provider local changes to the
    model in GHOST_EMBED_MODEL, or to the one of new stores.
    """,
    call=lambda console: _embed(console, everything=True),
    text=lambda done: (
        f"embedded {plural(done['embedded'], 'chunk')}; the vectors of other models were deleted"
    ),
)


@command("stats", "  ghost stats --json\n")
def stats(console: Console) -> None:
    found = console.ghost.admin.stats()
    lines = [
        f"{bold(found.db_path)}  {size(found.db_size_bytes)}",
        f"{plural(found.active_memories, 'memory')} live, "
        f"{plural(found.total_memories, 'version')} in total,"
        f" {plural(found.total_chunks, 'chunk')}, {plural(found.total_edges, 'edge')}, "
        f"{plural(found.total_files, 'file')}",
        *(f"  {info.ns}: {plural(info.count, 'memory')}" for info in found.namespaces),
    ]
    console.show(found, "\n".join(lines))


@command("check", "  ghost check\n")
def check(console: Console) -> int:
    """Check the store for corruption; exit 5 if there is any.

    Reads every page, reference and index, and compares every content with its checksum. This cannot
    find a changed byte in a field that has no checksum and still holds a valid value (tags, meta,
    times, counters, vectors, other wordings, quarantined texts), nor a content that was changed
    together with its checksum.
    """
    console.progress("checking")
    found = console.ghost.admin.check()
    console.show(found, "clean" if found.ok else "\n".join(found.problems))
    if not found.ok:
        console.note("run `ghost repair` to rebuild the indexes from the rows")
    return 0 if found.ok else 5


@command("repair", "  ghost repair\n")
def repair(console: Console) -> int:
    """Rebuild every index from the stored rows; the texts of memories are not changed.

    A field of a row that cannot be read any more, such as a damaged date, gets its default, so
    that the rest of the row can be used again.
    """
    done = console.ghost.admin.repair(progress=console.progress("repaired"))
    counts = done.done
    indexed = f"{plural(counts['memories'], 'memory')} ({plural(counts['chunks'], 'chunk')})"
    text = f"indexed {indexed}, removed {plural(counts['orphans'], 'orphan')}"
    if lost := counts.get("fields"):
        text += f", gave {plural(lost, 'unreadable field')} a default"
    console.show(done, text if done.ok else "\n".join([text, *done.problems]))
    return 0 if done.ok else 5
