"""ghost memory"""

import sys

import click

from ghostmem.cli.face import Decorator, Face, FaceCommand, group, read_text
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost memory search "pnpm build"
  ghost memory search permission --role shared --limit 5
  ghost memory list --role edit
  ghost memory write "Build Config" "use pnpm for all builds" --role build
  ghost memory context --role build
"""
SHARED = "shared"

command = group("memory", "Search, list and write role files of markdown sections.", EXAMPLES)

DIR = click.option(
    "--dir", "folder", metavar="DIR", help="The folder of the role files  [BUS_MEMORY_DIR]"
)


def role_option(about: str, default: str) -> Decorator:
    """Return the option that names a role."""
    return click.option(
        "--role", metavar="ROLE", default=default, show_default=bool(default), help=about
    )


@command.command("search", cls=FaceCommand)
@click.argument("query", nargs=-1, required=True)
@role_option("Only entries of this role.", "")
@click.option("--limit", type=int, default=0, show_default=True, help="At most so many; 0: all.")
@click.option(
    "--mode",
    type=click.Choice(["keyword", "bm25", "hybrid"]),
    default="keyword",
    show_default=True,
    help="Count words, weigh them by rarity, or search by meaning too.",
)
@DIR
def search(
    face: Face, query: tuple[str, ...], role: str, limit: int, mode: str, folder: str | None
) -> None:
    """Find entries, best first."""
    from ghostmem.notes.roles import all_memory_entries, format_search_results, search_memory

    text, home = " ".join(query), _home(face, folder)
    if mode == "hybrid":
        from ghostmem.search.note_entries import search_entries

        found, notes = search_entries(text, all_memory_entries(home, role), face.settings, limit)
    else:
        found, notes = search_memory(text, role, limit, home, mode), ()
    face.many(found, str) if face.as_json else _show(format_search_results(found))
    for note in notes:
        face.note(f"note: {note}")


@command.command("list", cls=FaceCommand)
@role_option("Only entries of this role.", "")
@DIR
def list_(face: Face, role: str, folder: str | None) -> None:
    """List entries: role, section, time."""
    from ghostmem.notes.roles import all_memory_entries, format_memory_list

    found = all_memory_entries(_home(face, folder), role)
    face.many(found, str) if face.as_json else _show(format_memory_list(found))


@command.command("read", cls=FaceCommand)
@click.argument("role", default=SHARED)
@DIR
def read(face: Face, role: str, folder: str | None) -> None:
    """Print a role's file as it is."""
    from ghostmem.notes.roles import memory_bytes, read_memory

    home = _home(face, folder)
    if face.as_json:
        face.json({"role": role, "text": read_memory(role, home)})
    else:
        _show(memory_bytes(role, home))


@command.command("write", cls=FaceCommand)
@click.argument("section")
@click.argument("text", nargs=-1)
@role_option("Whose file.", SHARED)
@DIR
def write(face: Face, section: str, text: tuple[str, ...], role: str, folder: str | None) -> None:
    """Add a section to a role's file."""
    _write(face, section, text, role, folder)


@command.command("write-shared", cls=FaceCommand)
@click.argument("section")
@click.argument("text", nargs=-1)
@DIR
def write_shared(face: Face, section: str, text: tuple[str, ...], folder: str | None) -> None:
    """Add a section to the file that all roles share."""
    _write(face, section, text, SHARED, folder)


@command.command("context", cls=FaceCommand)
@role_option("Whose memory, after what is shared.", SHARED)
@click.option(
    "--days",
    type=click.IntRange(min=0),
    default=7,
    show_default=True,
    help="Archives of so many days back.",
)
@DIR
def context(face: Face, role: str, days: int, folder: str | None) -> None:
    """Print what a role should know: shared memory, then its own."""
    from ghostmem.notes.roles import memory_context

    text = memory_context(role, days, _home(face, folder))
    face.json({"role": role, "days": days, "text": text}) if face.as_json else _show(text)


def _write(face: Face, section: str, text: tuple[str, ...], role: str, folder: str | None) -> None:
    from ghostmem.notes.roles import append_memory

    days = face.settings.memory_retention_days
    done = append_memory(
        section, read_text(text, "a text"), role, _home(face, folder), retention=days
    )
    face.one(done, f"wrote [{done.role}] {visible(done.section)}")
    for path in done.purged:
        face.note(f"note: removed {visible(path)}, which is older than {days} days")


def _home(face: Face, folder: str | None) -> str:
    return face.settings.memory_dir if folder is None else folder


def _show(text: str | bytes) -> None:
    """Print to the byte into a pipe or file, and what is harmless on a terminal."""
    if sys.stdout.isatty():
        click.echo(
            visible(text.decode(errors="replace") if isinstance(text, bytes) else text), nl=False
        )
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
