"""ghost rm, restore, forget, gc, quarantine: remove, restore and quarantine memories."""

from __future__ import annotations

from shlex import quote

import click

from ghostmem.cli.console import Console, ConsoleGroup, command
from ghostmem.cli.options import DRY_RUN, KEYED, NS_FILTER, YES, one_key, options, refuse
from ghostmem.cli.output import dim, named, plural, size
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.memory.forget import Forgetting, Forgotten
from ghostmem.model import Held
from ghostmem.text.excerpt import first_line, visible


@command(
    "rm",
    """\
  ghost rm -n agent:me tea
  ghost rm -n agent:me tea --hard --all-versions --dry-run
""",
)
@KEYED
@options("rm", "hard all_versions unlock dry_run")
@YES
def rm(
    console: Console,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    hard: bool,
    all_versions: bool,
    unlock: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    space, name = console.memory_name(ns, one_key(key, key_argument))
    if hard and not dry_run:
        console.confirm(_deletion_question(console, space, name, all_versions), yes)
    done = console.ghost.rm(
        space, name, hard=hard, all_versions=all_versions, unlock=unlock, dry_run=dry_run
    )
    versions = f"{plural(done.versions, 'version')} of {space}/{name}"
    how = "deleted for good" if hard else "deleted; `ghost restore` brings it back"
    older = f"; {_older_text(done.remaining)}" if done.remaining else ""
    console.show(done, (f"would delete {versions}" if dry_run else f"{versions} {how}") + older)
    console.note_remains(done, done.files)


def _deletion_question(console: Console, ns: str, key: str, all_versions: bool) -> str:
    try:
        versions = console.ghost.history(ns, key)
    except NotFoundError:  # the removal reports it
        return f"Delete {ns}/{key} for good?"
    if all_versions or len(versions) == 1:
        return f"Delete {ns}/{key} ({plural(len(versions), 'version')}) for good?"
    latest = f"version {versions[-1].version} of {ns}/{key}"
    return f"Delete {latest} for good? {_older_text(len(versions) - 1)}."


def _older_text(count: int) -> str:
    """Return how many older versions a hard delete keeps, and the option that deletes them."""
    verb = "stays" if count == 1 else "stay"
    return f"{plural(count, 'older version')} {verb}; --all-versions deletes all"


@command(
    "restore",
    """\
  ghost restore -n agent:me tea
  ghost restore -n agent:me tea --version 1
""",
)
@KEYED
@options("restore", "version unlock")
def restore(
    console: Console,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    version: int | None,
    unlock: bool,
) -> None:
    memory = console.ghost.restore(
        *console.memory_name(ns, one_key(key, key_argument)), version=version, unlock=unlock
    )
    console.show(memory, f"restored {named(memory)} v{memory.version}")


RESTORED = ("restored", "reopened")


@command(
    "forget",
    """\
  ghost forget --source mallory --dry-run
  ghost forget --source-client web-clipper --since 2026-03-01 -n agent:me
  ghost forget --source-kind peer --hard --yes
""",
)
@click.argument("text", nargs=-1, metavar="")
@options(
    "forget", "source source_kind source_client source_scope since until ns hard unlock dry_run"
)
@YES
def forget(
    console: Console,
    text: tuple[str, ...],
    since: str | None,
    until: str | None,
    ns: str | None,
    hard: bool,
    unlock: bool,
    dry_run: bool,
    yes: bool,
    **sources: str | None,
) -> None:
    if text:
        raise InvalidInputError(
            "`ghost forget` deletes the statements of a source, not a text",
            _removal_hint(console, ns, " ".join(text)),
        )
    spaces = console.ns_filter(ns)
    values = [f"{name.replace('_', ' ')} {value}" for name, value in sources.items() if value]
    whose = ", ".join(values) or f"everything since {since}"
    console.confirm(
        f"{'Delete for good' if hard else 'Delete'} {whose} and what is derived from it in "
        f"{spaces or 'all'}?",
        yes or dry_run,
    )
    done = console.ghost.forget(
        **sources, since=since, until=until, ns=spaces, hard=hard, unlock=unlock, dry_run=dry_run
    )
    console.show(done, _forgotten_text(done))
    console.note_remains(done)


def _removal_hint(console: Console, ns: str | None, text: str) -> str:
    hits = console.ghost.search(text, console.read_ns(ns, everything=False), limit=1)
    if not hits:
        return "`ghost rm KEY` deletes a memory; `ghost search` finds its key"
    name = f"{hits[0].ns}/{hits[0].key}"
    return f"`ghost rm {quote(name)}` deletes: {first_line(hits[0].content, 80)}"


def _forgotten_text(done: Forgetting) -> str:
    if not done.items:
        return "nothing from that source was found"
    gone = sum(item.why not in RESTORED for item in done.items)
    would = "would be " if done.dry_run else ""
    deleted = f"{plural(gone, 'item')} {would}deleted{' for good' if done.hard else ''}"
    restored = f"{len(done.items) - gone} {would}brought back"
    return "\n".join([*map(_forgotten_row, done.items), f"{deleted}, {restored}"])


def _forgotten_row(item: Forgotten) -> str:
    versions = ""
    if item.why == "restored":
        versions = f" (version {item.versions})"
    elif item.versions > 1 and item.why not in RESTORED:
        versions = f" ({plural(item.versions, 'version')})"
    return f"{named(item)}  {visible(item.why)}{versions}"


@command(
    "gc",
    """\
  ghost gc --dry-run
  ghost gc --stale 90d
  ghost gc --purge-deleted 30d --vacuum
""",
)
@options("gc", "stale purge_deleted vacuum dry_run")
@YES
def gc(
    console: Console,
    stale: str | None,
    purge_deleted: str | None,
    vacuum: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    console.confirm(
        "Permanently delete memories that were deleted before?",
        yes or dry_run or not purge_deleted,
    )
    console.progress("collecting")
    done = console.ghost.lifecycle.gc(
        stale=stale, purge_deleted=purge_deleted, vacuum=vacuum, dry_run=dry_run
    )
    protected = f"; {plural(done.protected, 'memory')} protected" if done.protected else ""
    console.show(
        done,
        f"{'would delete' if dry_run else 'deleted'} {done.expired} expired, {done.stale} stale, "
        f"{done.purged} purged{protected}; {plural(done.remaining, 'memory')} "
        f"remain{'s' if done.remaining == 1 else ''} ({size(done.db_size_bytes)})",
    )
    console.note_remains(done)


ALL_ITEMS = click.option(
    "--all",
    "everything",
    is_flag=True,
    help="All quarantined memories; with -n, those of a namespace.",
)


ITEM_IDS = click.argument("ids", nargs=-1, metavar="[ID]...")


quarantine = ConsoleGroup(
    "quarantine",
    """\
  ghost quarantine
  ghost quarantine list -n agent:me
  ghost quarantine release 01JX4T8Q
  ghost quarantine drop --all -n agent:me --dry-run
""",
)


def _quarantine_row(held: Held) -> str:
    about = f"{held.id}  {held.at:%Y-%m-%d %H:%M}  {'; '.join(map(visible, held.reasons))}"
    return f"{named(held)}  {dim(about)}\n    {first_line(held.content, 110)}"


quarantine.row(
    "list",
    "List the quarantined memories with the reasons.",
    NS_FILTER,
    call=lambda console, ns: console.ghost.quarantine.list(console.ns_filter(ns)),
    text=_quarantine_row,
    nothing="the quarantine is empty",
    alone=True,
)


@quarantine.command("release")
@ITEM_IDS
@NS_FILTER
@ALL_ITEMS
@DRY_RUN
@YES
def quarantine_release(
    console: Console,
    ids: tuple[str, ...],
    ns: str | None,
    everything: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Store quarantined memories as if they had been trusted."""
    chosen = _chosen_items(console, ids, ns, everything)
    if dry_run or not chosen:
        console.show_all(
            chosen,
            lambda item: f"would release {_quarantine_row(item)}",
            "the quarantine is empty",
        )
        return
    console.confirm(f"Release {plural(len(chosen), 'quarantined memory')}?", yes)
    for item in chosen:
        memory = console.ghost.quarantine.release(item.id)
        console.show(memory, f"released {named(memory)}")
    console.vector_note()


@quarantine.command("drop")
@ITEM_IDS
@NS_FILTER
@ALL_ITEMS
@DRY_RUN
@YES
def quarantine_drop(
    console: Console,
    ids: tuple[str, ...],
    ns: str | None,
    everything: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Delete quarantined memories permanently."""
    chosen = _chosen_items(console, ids, ns, everything)
    console.confirm(
        f"Delete {plural(len(chosen), 'quarantined memory')} for good?",
        yes or dry_run or not chosen,
    )
    done = console.ghost.quarantine.drop([item.id for item in chosen], dry_run=dry_run)
    count = plural(len(done.dropped), "quarantined memory")
    console.show(done, f"{'would drop' if dry_run else 'dropped'} {count}")
    console.notes(f"the backup {path} still contains some of it" for path in done.backups)
    console.note_unchecked(done.unchecked_backups)
    console.notes([done.pending] if done.pending else [])


def _chosen_items(
    console: Console, ids: tuple[str, ...], ns: str | None, everything: bool
) -> list[Held]:
    refuse(
        bool(ids) == everything,
        "give the ids, or pass --all",
        "`ghost quarantine list` shows the ids; their start or end is enough",
    )
    spaces = console.ns_filter(ns)
    if everything:
        return console.ghost.quarantine.list(spaces)
    chosen = [console.ghost.quarantine.get(item_id, ns=spaces) for item_id in ids]
    return list({item.id: item for item in chosen}.values())  # an id may be given twice
