"""ghost memory: role files of markdown sections."""

import sys

import click

from ghostmem.cli.console import Console, ConsoleGroup
from ghostmem.cli.options import Decorator, read_text
from ghostmem.notes.roles import (
    all_memory_entries,
    append_memory,
    format_memory_list,
    format_search_results,
    memory_bytes,
    memory_context,
    read_memory,
    search_memory,
)
from ghostmem.text.excerpt import visible

SHARED = "shared"


memory = ConsoleGroup(
    "memory",
    """\
  ghost memory search "pnpm build"
  ghost memory search permission --role shared --limit 5
  ghost memory list --role edit
  ghost memory write "Build Config" "use pnpm for all builds" --role build
  ghost memory context --role build
""",
)


FOLDER_OPTION = click.option(
    "--dir",
    "folder",
    metavar="DIR",
    help="The folder of the role files  [BUS_MEMORY_DIR]",
)


def role_option(about: str, default: str) -> Decorator:
    """Return the option that names a role."""
    return click.option(
        "--role", metavar="ROLE", default=default, show_default=bool(default), help=about
    )


@memory.command("search")
@click.argument("query", nargs=-1, required=True)
@role_option("Only entries of this role.", "")
@click.option(
    "--limit", type=int, default=0, show_default=True, help="Maximum number of results; 0: all."
)
@click.option(
    "--mode",
    type=click.Choice(["keyword", "bm25", "hybrid"]),
    default="keyword",
    show_default=True,
    help="Score by word counts, by rarity of words, or also by meaning.",
)
@FOLDER_OPTION
def memory_search(
    console: Console, query: tuple[str, ...], role: str, limit: int, mode: str, folder: str | None
) -> None:
    """Find entries, best first."""
    text, home = " ".join(query), _folder(console, folder)
    if mode == "hybrid":
        from ghostmem.search.note_entries import search_entries

        found, notes = search_entries(text, all_memory_entries(home, role), console.settings, limit)
    else:
        found, notes = search_memory(text, role, limit, home, mode), ()
    console.show_all(found, str) if console.as_json else _print_raw(format_search_results(found))
    for note in notes:
        console.note(f"note: {note}")


@memory.command("list")
@role_option("Only entries of this role.", "")
@FOLDER_OPTION
def memory_list(console: Console, role: str, folder: str | None) -> None:
    """List entries: role, section, time."""
    found = all_memory_entries(_folder(console, folder), role)
    console.show_all(found, str) if console.as_json else _print_raw(format_memory_list(found))


@memory.command("read")
@click.argument("role", default=SHARED)
@FOLDER_OPTION
def memory_read(console: Console, role: str, folder: str | None) -> None:
    """Print the file of a role."""
    home = _folder(console, folder)
    if console.as_json:
        console.json({"role": role, "text": read_memory(role, home)})
    else:
        _print_raw(memory_bytes(role, home))


@memory.command("write")
@click.argument("section")
@click.argument("text", nargs=-1)
@role_option("Role whose file is written.", SHARED)
@FOLDER_OPTION
def memory_write(
    console: Console, section: str, text: tuple[str, ...], role: str, folder: str | None
) -> None:
    """Add a section to a role's file."""
    _append(console, section, text, role, folder)


@memory.command("write-shared")
@click.argument("section")
@click.argument("text", nargs=-1)
@FOLDER_OPTION
def memory_write_shared(
    console: Console, section: str, text: tuple[str, ...], folder: str | None
) -> None:
    """Add a section to the file that all roles share."""
    _append(console, section, text, SHARED, folder)


@memory.command("context")
@role_option("Role whose memory is printed after the shared memory.", SHARED)
@click.option(
    "--days",
    type=click.IntRange(min=0),
    default=7,
    show_default=True,
    help="Number of days of archives to include.",
)
@FOLDER_OPTION
def memory_context_command(console: Console, role: str, days: int, folder: str | None) -> None:
    """Print the memory of a role: the shared part, then its own."""
    text = memory_context(role, days, _folder(console, folder))
    console.json({"role": role, "days": days, "text": text}) if console.as_json else _print_raw(
        text
    )


def _append(
    console: Console, section: str, text: tuple[str, ...], role: str, folder: str | None
) -> None:
    days = console.settings.memory_retention_days
    done = append_memory(
        section, read_text(text, "a text"), role, _folder(console, folder), retention=days
    )
    console.show(done, f"wrote [{done.role}] {visible(done.section)}")
    for path in done.purged:
        console.note(f"note: removed {visible(path)}, which is older than {days} days")


def _folder(console: Console, folder: str | None) -> str:
    return console.settings.memory_dir if folder is None else folder


def _print_raw(text: str | bytes) -> None:
    if sys.stdout.isatty():
        click.echo(
            visible(text.decode(errors="replace") if isinstance(text, bytes) else text), nl=False
        )
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
