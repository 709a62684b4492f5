"""ghost notes: markdown folders."""

import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from ghostmem.capture.distil_notes import Distilled, consolidate_notes
from ghostmem.cli.commands.search import print_search
from ghostmem.cli.console import Console, ConsoleGroup
from ghostmem.cli.options import (
    DRY_RUN,
    NS,
    NS_FILTER,
    YES,
    options,
    read_text,
)
from ghostmem.cli.output import bold, dim, plural
from ghostmem.cli.terminal import leaving
from ghostmem.clock import now
from ghostmem.errors import ConflictError, StoreBusyError
from ghostmem.model import Folder
from ghostmem.notes.folders import FolderStatus, watch_notes
from ghostmem.notes.grep import format_blocks, grep_notes
from ghostmem.notes.mirror import MirrorReport, mirrors
from ghostmem.notes.sync import SyncReport
from ghostmem.text.excerpt import first_line, visible

MAX_NOTES = 20  # problems of a folder that are printed
MAX_EXAMPLES = 3  # files named as left out

notes = ConsoleGroup(
    "notes",
    """\
  ghost notes add ~/vault
  ghost notes add . --layout daily -n agent:me
  ghost notes status
  ghost notes search "what did I plant in spring?"
  ghost notes grep "ErsatzTV"
  ghost search --in notes "what did I plant in spring?"
""",
)


FOLDER = click.argument("folder", required=False)


@notes.command("add", creates=True)
@click.argument("folder")
@NS
@click.option("--layout", help="Layout of the folder; default: detected.")
@click.option(
    "--source-kind",
    help="Source of the notes: stated (the default), observed, self, peer or import.",
)
def notes_add(
    console: Console, folder: str, ns: str | None, layout: str | None, source_kind: str | None
) -> None:
    """Search a folder from now on; its files are only read."""
    done = console.ghost.notes.add(
        folder, ns, layout=layout, source_kind=source_kind, progress=console.progress("notes")
    )
    report = done.report
    how = f"{done.folder.layout}{' (detected; --layout selects another)' if done.detected else ''}"
    console.show(
        done,
        f"{visible(done.folder.root)}: {plural(report.notes, 'note')} in "
        f"{bold(done.folder.ns)}, layout {how}",
    )
    if done.others and done.detected:
        also = f"it also looks like {', '.join(done.others)}"
        console.notes([f"{also}; add it again with --layout to read it that way too"])
    console.notes(_left_out_notes(done.left_out, done.folder))
    _note_problems(console, report)
    console.vector_note()


def _left_out_notes(paths: Sequence[str], folder: "Folder | FolderStatus") -> Iterator[str]:
    """Yield a note about markdown files that are not notes of the layout of their folder."""
    if paths:
        shown = ", ".join(paths[:MAX_EXAMPLES]) + (", …" if len(paths) > MAX_EXAMPLES else "")
        are = "is not a note" if len(paths) == 1 else "are not notes"
        root = shlex.quote(folder.root)
        yield (
            f"{plural(len(paths), 'markdown file')} {are} of the layout {folder.layout} and left "
            f"out ({shown}); to read all: `ghost notes rm {root}`, then `ghost notes add {root} "
            "--layout markdown`"
        )


@notes.command("list")
@NS_FILTER
def notes_list(console: Console, ns: str | None) -> None:
    """List the folders that are searched; notes name the mirrors."""
    mirrored = mirrors(console.ghost.store, ns)
    nothing = "no folders are searched" if mirrored else "no folders yet"
    console.show_all(
        console.ghost.notes.folders(ns), _folder_text, f"{nothing}; add one with `ghost notes add`"
    )
    console.notes(
        f"{mirror.root} is a mirror of {mirror.ns}, layout {mirror.layout}" for mirror in mirrored
    )


def _folder_text(folder: Folder) -> str:
    source = "" if folder.source_kind == "stated" else f", {folder.source_kind}"
    return f"{bold(visible(folder.root))}  {dim(f'{folder.layout}, in {folder.ns}{source}')}"


@notes.command("status")
@FOLDER
def notes_status(console: Console, folder: str | None) -> None:
    """Compare folders on disk with the index."""
    found = console.ghost.notes.status(folder)
    console.show_all(found, _status_text, "no folders yet; add one with `ghost notes add`")
    for status in found:
        console.notes(_left_out_notes(status.left_out, status))


@notes.command("search")
@click.argument("query", nargs=-1)
@options("search", "ns")
@click.option(
    "-l", "--limit", type=int, default=20, show_default=True, help="Maximum number of results."
)
def notes_search(console: Console, query: tuple[str, ...], ns: str | None, limit: int) -> None:
    """Search the notes by words and by meaning; the same as `ghost search --in notes`."""
    print_search(console, read_text(query, "a question"), ns, limit=limit, within="notes")


@notes.command("sync")
@FOLDER
@click.option("--full", is_flag=True, help="Read every file again.")
@click.option(
    "--accept-deletes", is_flag=True, help="Remove missing notes, even when most are missing."
)
def notes_sync(console: Console, folder: str | None, full: bool, accept_deletes: bool) -> int:
    """Index changed notes, and make their vectors."""
    found = console.ghost.notes.sync(
        folder, full=full, accept_deletes=accept_deletes, progress=console.progress("notes")
    )
    console.show_all(found, _sync_text, "no folders yet; add one with `ghost notes add`")
    for report in found:
        _note_problems(console, report)
    console.vector_note()
    return 1 if any(report.pending or report.unavailable for report in found) else 0


@notes.command("watch")
@click.option("--poll", is_flag=True, help="Poll every two seconds instead of waiting for events.")
def notes_watch(console: Console, poll: bool) -> None:
    """Index changed notes until interrupted."""
    console.note(dim("watching; press Ctrl-C to stop"))
    with leaving() as stop:
        watch_notes(
            console.ghost.store,
            stop=stop,
            poll=poll,
            done=lambda report: console.show(report, _sync_text(report)),
            warn=lambda text: console.note(f"note: {text}"),
        )


@notes.command("rm")
@click.argument("folder")
@DRY_RUN
@YES
def notes_rm(console: Console, folder: str, dry_run: bool, yes: bool) -> None:
    """Stop searching or mirroring a folder; its files stay as they are."""
    if not dry_run:
        console.confirm(f"Stop searching {folder}?", yes)
    done = console.ghost.notes.rm(folder, dry_run=dry_run)
    if done.mirrored:
        what = f"the mirror of {done.ns} in {visible(done.root)}; no file or memory was changed"
    else:
        notes = plural(done.notes, "note")
        what = f"{notes} of {visible(done.root)} from {done.ns}; no file was changed"
    console.show(done, f"{'would remove' if dry_run else 'removed'} {what}")


@notes.command("write")
@click.argument("key")
@click.argument("text", nargs=-1)
@NS
@click.option("--base", metavar="DIGEST", help="Write only if the file still has this SHA-256.")
def notes_write(
    console: Console, key: str, text: tuple[str, ...], ns: str | None, base: str | None
) -> None:
    """Replace the text of a section; the rest of its file stays as it is."""
    done = console.ghost.notes.write(
        console.required_ns(ns), key, read_text(text, "a text"), base=base
    )
    console.show(done, f"wrote {visible(done.path)}, line {done.line}")
    console.notes(done.notes)


@notes.command("grep")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--dir",
    "folder",
    metavar="DIR",
    help="Folder to search; default: all added folders, or the working directory.",
)
@click.option(
    "-l", "--limit", type=int, default=10, show_default=True, help="Maximum number of blocks."
)
def notes_grep(console: Console, query: tuple[str, ...], folder: str | None, limit: int) -> None:
    """Find exact text in memory files, newest file first."""
    text = " ".join(query)
    blocks_found = grep_notes(
        [Path(folder)] if folder else console.ghost.notes.folders() or [Path()], text, limit
    )
    shown = format_blocks(blocks_found, text).removesuffix("\n")
    if console.as_json:
        blocks = [
            {"path": block.path, "line": block.line, "text": block.text} for block in blocks_found
        ]
        console.json(
            {"blocks": blocks, **({"unread": blocks_found.unread} if blocks_found.unread else {})}
        )
    elif blocks_found:
        console.raw(shown)
    else:
        console.note(shown)
    console.notes(blocks_found.unread)


@notes.command("consolidate")
@FOLDER
@click.option(
    "--weekly",
    is_flag=True,
    expose_value=False,
    help="Consider the last full week (the default).",
)
@click.option(
    "--weeks", type=int, default=1, show_default=True, help="Number of full weeks to consider."
)
@click.option("--all", "all_weeks", is_flag=True, help="Consider everything before this week.")
@click.option("--apply", "apply_", is_flag=True, help="Write the proposals into MEMORY.md.")
def notes_consolidate(
    console: Console, folder: str | None, weeks: int, all_weeks: bool, apply_: bool
) -> None:
    """Propose which sections of daily notes to distil into MEMORY.md."""
    from ghostmem.judge import find_judge

    done = consolidate_notes(
        folder or ".",
        weeks=None if all_weeks else weeks,
        now=now(),
        apply=apply_,
        judge=find_judge(console.settings),
    )
    console.show(done, _distilled_text(done))


def _distilled_text(done: Distilled) -> str:
    if not done.proposals:
        return "nothing to distil"
    lines = []
    for proposal in done.proposals:
        parts = [
            f"{bold(visible(proposal.path))}:{proposal.line}",
            visible(proposal.heading),
            dim("; ".join(proposal.reasons)),
        ]
        lines.append("  ".join(part for part in parts if part))
        lines.append(f"    {first_line(proposal.text, 110)}")
    end = (
        f"written to {visible(done.memory)}"
        if done.applied
        else f"run again with --apply to write this into {visible(done.memory)}"
    )
    return "\n".join([*lines, dim(end)])


def _status_text(status: FolderStatus) -> str:
    state = "up to date" if status.is_clean else "; ".join(_state_parts(status))
    about = f"{status.layout}, in {status.ns}, watcher: {status.watcher}"
    lines = [
        f"{bold(visible(status.root))}  {dim(about)}",
        f"    {plural(status.on_disk, 'note')} on disk, {status.indexed:,} indexed: {state}",
    ]
    return "\n".join(
        [
            *lines,
            *(
                f"    {visible(problem.path)}: {visible(problem.reason)}"
                for problem in status.failed
            ),
        ]
    )


def _state_parts(status: FolderStatus) -> list[str]:
    parts = [f"{status.pending:,} to be indexed"] if status.pending else []
    parts += [f"{status.orphans:,} indexed but missing"] if status.orphans else []
    return parts + ([visible(status.unavailable)] if status.unavailable else [])


def _sync_text(report: SyncReport) -> str:
    counts = {
        name: getattr(report, name)
        for name in ("added", "changed", "moved", "removed", "missing", "pending")
    }
    done = (
        ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing new"
    )
    made = f"; {plural(report.embedded, 'vector')} made" if report.embedded else ""
    return f"{bold(visible(report.root))}  {plural(report.notes, 'note')}: {done}{made}"


def _note_problems(console: Console, report: SyncReport) -> None:
    notes = [f"{problem.path}: {problem.reason}" for problem in report.failed]
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES:] = [f"and {len(notes) - MAX_NOTES} more; `ghost notes status` lists them"]
    notes += [f"{report.root}: {report.unavailable}"] if report.unavailable else []
    pending = plural(report.pending_embeddings, "chunk")
    if report.pending_embeddings:
        notes.append(f"{pending} without vectors; `ghost embed backfill` makes them")
    console.notes(notes)


@notes.command("mirror", creates=True)
@click.argument("folder")
@NS
@click.option("--layout", help="Layout of the folder, the first time: topics or daily.")
@click.option(
    "--accept-deletes",
    is_flag=True,
    help="Remove items missing in the folder, even when most are missing.",
)
@DRY_RUN
@click.option(
    "--watch", "watching", is_flag=True, help="Repeat every two seconds until interrupted."
)
def notes_mirror(
    console: Console,
    folder: str,
    ns: str | None,
    layout: str | None,
    accept_deletes: bool,
    dry_run: bool,
    watching: bool,
) -> int:
    """Synchronise a namespace and a markdown folder in both directions."""

    def run() -> MirrorReport:
        return console.ghost.notes.mirror(
            folder,
            console.required_ns(ns),
            layout=layout,
            accept_deletes=accept_deletes,
            dry_run=dry_run,
            progress=console.progress("mirrored"),
        )

    report = run()
    console.show(report, _mirror_text(report, dry_run))
    _note_mirror_problems(console, report)
    if watching and not dry_run:
        console.note(dim("mirroring; press Ctrl-C to stop"))
        with leaving() as stop:
            _mirror_repeatedly(console, run, report, stop)
        return 0
    console.vector_note()
    return 1 if report.pending or report.unavailable else 0


def _mirror_repeatedly(
    console: Console,
    run: Callable[[], MirrorReport],
    last: MirrorReport,
    stop: threading.Event,
) -> None:
    """Mirror every two seconds until interrupted, printing only changes."""
    while not stop.wait(2):
        try:
            report = run()
        except (ConflictError, StoreBusyError) as error:  # somebody else is at it for long
            console.note(f"note: {error.message}")
            continue
        if report.is_changed or (report.pending, report.unavailable) != (
            last.pending,
            last.unavailable,
        ):
            console.show(report, _mirror_text(report, False))
            _note_mirror_problems(console, report)
        last = report


def _mirror_text(report: MirrorReport, dry_run: bool) -> str:
    counts = {
        "to the folder": report.to_folder,
        "to the store": report.to_store,
        "removed from the folder": report.removed_from_folder,
        "removed from the store": report.removed_from_store,
        "in conflict": len(report.conflicts),
        "pending": len(report.pending),
    }
    done = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "up to date"
    would = "would be " if dry_run and done != "up to date" else ""
    if report.unavailable:
        done, would = "nothing done", ""
    how = dim(f"{report.layout}, in {report.ns}")
    return f"{bold(visible(report.root))}  {how}: {would}{done}; {report.unchanged:,} unchanged"


def _note_mirror_problems(console: Console, report: MirrorReport) -> None:
    notes = [
        f"{conflict.key}: two texts; the other one is kept as {conflict.kept_as}"
        for conflict in report.conflicts[:MAX_NOTES]
    ]
    notes += [
        f"{' in '.join(filter(None, (left.key, left.path)))}: {left.reason}"
        for left in report.pending[:MAX_NOTES]
    ]
    notes += [f"{report.root}: {report.unavailable}"] if report.unavailable else []
    console.notes(notes)
