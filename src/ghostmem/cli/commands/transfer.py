"""ghost export, import, backup, migrate: move memories."""

import os
import sys
from collections.abc import Iterator
from shlex import quote
from typing import Any

import click

from ghostmem.atomic import replacing
from ghostmem.cli.console import Console, command
from ghostmem.cli.main import is_full
from ghostmem.cli.options import DRY_RUN, NS, TRUST, either, refuse
from ghostmem.cli.output import bold, dim, plural, size
from ghostmem.errors import ConflictError, EngineError, InvalidInputError, NotFoundError
from ghostmem.notes.project import project_namespace
from ghostmem.settings import resolve
from ghostmem.store import validate
from ghostmem.text.excerpt import visible
from ghostmem.transfer import POLICIES, TOOLS
from ghostmem.transfer.backup import is_database, refuse_store
from ghostmem.transfer.formats.choose import DATABASE, recognise
from ghostmem.transfer.import_ import ImportReport
from ghostmem.transfer.migrate import Migration, NamespaceSum

ORIGINAL_NS = "agent:claude-code"  # the namespace of the original Ghost's hooks
MAX_NAMED_NAMESPACES = 10  # that came with an import


@command(
    "export",
    """\
  ghost export > memories.jsonl
  ghost export -n 'agent:*' agents.jsonl
  ghost export --as original -o memories.json
""",
)
@click.argument("file", required=False)
@click.option("-n", "--ns", metavar="NS", help="Only this namespace, or a prefix such as agent:*.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to a file, replaced only when complete, or to a device or a pipe.",
)
@click.option(
    "--mark",
    is_flag=True,
    help="Mark it as this store's own, so that importing it later skips the quarantine.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["lines", "original"]),
    default="lines",
    show_default=True,
    help="JSON lines with everything, or the array of memories that the original Ghost imports.",
)
def export(
    console: Console, file: str | None, ns: str | None, output: str | None, mark: bool, form: str
) -> None:
    """Write all memories as JSON lines; the same store gives the same bytes."""
    output = either(output, file, "files", "-o")
    refuse(
        mark and form == "original",
        "--mark cannot be combined with --as original",
        "leave one of them out",
    )
    ghost = console.ghost
    if ns is not None and not console.as_json and not ghost.admin.namespaces(ns):
        console.note(f"no current memories in {ns}; `ghost ns list` shows all namespaces")
    lines = (
        ghost.transfer.export_original(ns) if form == "original" else ghost.export(ns, mark=mark)
    )
    if output is None or output == "-":
        for line in lines:
            sys.stdout.write(line + "\n")
        return
    refuse_store(validate.path(output, "output"), console.settings.path)
    if is_database(output):
        raise ConflictError(f"{output} is a database, and an export is text", "choose another file")
    try:
        with replacing(output) as stream:
            stream.writelines(f"{line}\n".encode() for line in lines)
    except OSError as error:
        if is_full(error):
            raise EngineError(
                f"cannot write {output}: {error.strerror}",
                "free some space, or choose another file",
            ) from None
        raise InvalidInputError(
            f"cannot write {output}: {error.strerror}", "give a file in an existing folder"
        ) from None
    console.note(f"wrote {output}")


@command(
    "import",
    """\
  ghost import memories.jsonl
  ghost export | ghost --db copy.db import
  ghost import --from-ghost ~/.ghost/memory.db
  ghost import --from mem0 export.json -n agent:me
  ghost import export.json -n agent:me
  ghost import --from basic-memory ~/basic-memory -n notes --dry-run
""",
    creates=True,
)
@click.argument("file", metavar="[PATH]", required=False)
@click.option(
    "--from",
    "tool",
    type=click.Choice(TOOLS),
    help="The tool that wrote PATH; its files are only read.",
)
@NS
@click.option(
    "--from-ghost",
    metavar="FILE",
    help="A database written by the original Ghost; it is only read.",
)
@click.option(
    "--on-conflict",
    type=click.Choice(POLICIES),
    default="update",
    show_default=True,
    help="What to do if a key exists with another history.",
)
@TRUST
@DRY_RUN
def import_(
    console: Console,
    file: str | None,
    tool: str | None,
    ns: str | None,
    from_ghost: str | None,
    on_conflict: str,
    trust: bool,
    dry_run: bool,
) -> None:
    refuse(from_ghost and (file or tool), "two sources were given", "give a file, or --from-ghost")
    refuse(tool and not file, "nothing to import", f"give the file or folder that {tool} wrote")
    if ns and not tool:
        tool = _recognised_tool(file)
        console.notes([f"read as {tool}; --from selects another tool"])
    how: dict[str, Any] = {
        "on_conflict": on_conflict,
        "dry_run": dry_run,
        "trust": trust,
        "progress": console.progress("imported"),
    }
    if tool and file:
        done = console.ghost.transfer.import_foreign(file, console.required_ns(ns), tool, **how)
    elif from_ghost:
        done = console.ghost.transfer.import_ghost(from_ghost, **how)
        done.notes += _visibility_notes(console, done.namespaces or {})
    else:
        done = console.ghost.import_(_input_lines(file), **how)
    console.show(done, _import_text(done))
    console.vector_note()
    console.notes(done.notes, "")


def _visibility_notes(console: Console, namespaces: dict[str, int]) -> list[str]:
    """Return the imported namespaces, and how hooks and tools get to see them."""
    largest = sorted(namespaces, key=lambda ns: (-namespaces[ns], ns))
    if not largest:
        return []
    named = [f"{ns} ({plural(namespaces[ns], 'memory')})" for ns in largest[:MAX_NAMED_NAMESPACES]]
    more = len(largest) - len(named)
    notes = [f"namespaces: {', '.join(named)}{f' and {more} more' if more else ''}"]
    own = console.settings.ns or project_namespace()
    if own not in namespaces:
        chosen = ORIGINAL_NS if ORIGINAL_NS in namespaces else largest[0]
        notes.append(
            f"hooks and MCP tools use {own} {'' if console.settings.ns else 'in this folder '}and "
            f"do not see them; to use {chosen} in every folder: ghost config set ns {chosen}"
        )
    return notes


def _recognised_tool(file: str | None) -> str:
    try:
        tool = "" if file in (None, "-") else recognise(file or "")
    except InvalidInputError:
        tool = ""
    refuse(
        tool == DATABASE,
        f"{file} is a database",
        f"`ghost import --from-ghost {quote(str(file))}` reads it",
    )
    refuse(
        not tool, "a namespace was given", "use it with --from; exports contain their namespaces"
    )
    return tool


def _input_lines(file: str | None) -> Iterator[str]:
    refuse(
        file in (None, "-") and sys.stdin.isatty(),
        "nothing to import",
        "give a file, or pipe in an export",
    )
    name = "standard input" if file in (None, "-") else str(file)
    if os.path.isdir(name):
        raise NotFoundError(
            f"{name} is a folder, not a file", "give a file that `ghost export` wrote"
        )
    if name != "standard input" and not os.path.exists(name):
        raise NotFoundError(f"there is no file {name}", "give a file that `ghost export` wrote")
    refuse(
        is_database(name),
        f"{name} is a database, not an export",
        f"`ghost --db {quote(name)} export | ghost import` imports it",
    )
    try:
        with sys.stdin.buffer if file in (None, "-") else open(name, "rb") as stream:
            for line in stream:
                yield line.decode()
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8 (byte {error.start})", "nothing was imported"
        ) from None
    except OSError as error:
        raise InvalidInputError(
            f"cannot read {name}: {error.strerror}", "give a file that `ghost export` wrote"
        ) from None


def _import_text(done: ImportReport) -> str:
    versions = (
        f"{done.imported} new, {done.updated} updated, {done.unchanged} unchanged, "
        f"{done.skipped} skipped"
    )
    nouns = {"edges": "edge", "links": "link", "rules": "rule", "source_aliases": "source alias"}
    others = [
        plural(getattr(done, name), noun) for name, noun in nouns.items() if getattr(done, name)
    ]
    others += [f"{done.held} held in quarantine"] if done.held else []
    verb = "would import" if done.dry_run else "imported"
    return f"{verb} versions: {versions}{'; ' if others else ''}{', '.join(others)}"


@command(
    "backup",
    """\
  ghost backup ~/backups/
  ghost backup memory-copy.db --force
""",
)
@click.argument("target")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def backup(console: Console, target: str, force: bool) -> None:
    console.progress("copying")
    done = console.ghost.transfer.backup(target, force=force)
    console.show(done, f"wrote {done.path} ({size(done.size_bytes)})")
    console.notes([done.pending] if done.pending else [])


MAX_LISTED_NAMESPACES = 20  # namespaces whose tables are listed one by one


@command(
    "migrate",
    """\
  ghost migrate --to postgresql://ghost@db.example/ghost --dry-run
  ghost migrate --from ~/.ghost/memory.db --to postgresql://ghost@db.example/ghost --switch
  ghost migrate --from postgresql://ghost@db.example/ghost --to copy.db
""",
)
@click.option(
    "--from",
    "source",
    metavar="STORE",
    help="The store to move: a file or a postgresql:// URL; default: the one in use.",
)
@click.option(
    "--to",
    "target",
    metavar="STORE",
    required=True,
    help="The target: a new file, or an empty database.",
)
@click.option(
    "--switch", is_flag=True, help="Use the new store from now on: write it to the configuration."
)
@DRY_RUN
def migrate(console: Console, source: str | None, target: str, switch: bool, dry_run: bool) -> None:
    from ghostmem.transfer.migrate import migrate

    copying = console.progress("copying")
    done = migrate(
        source or console.settings.path,
        target,
        switch=switch,
        dry_run=dry_run,
        settings=console.settings,
        progress=lambda _, done, total: copying(done, total),
    )
    console.show(done, _migration_text(done))
    if not console.as_json and not dry_run:
        _next_steps(console, done)


def _next_steps(console: Console, done: Migration) -> None:
    if not done.switched:
        console.note(
            f"to use it from now on: ghost config set db {quote(visible(done.target))}"
            + ("  (with the password instead of ***)" if "***" in done.target else "")
        )
        return
    console.note(
        f"programs that have {visible(done.source)} open write there until they are "
        "restarted; what they put after"
    )
    console.note("this moment can be copied with `ghost --db OLD export | ghost --db NEW import`")
    if (where := resolve()["db"][1]).isupper():
        console.note(
            f"{where} is set and overrides the configuration: set it to the new store, or unset it"
        )


def _migration_text(done: Migration) -> str:
    many = len(done.namespaces) > MAX_LISTED_NAMESPACES
    lines = [line for namespace in done.namespaces for line in _namespace_lines(namespace, many)]
    if done.dry_run:
        verb = "would verify" if done.resumed else "would move"
        head = (
            f"{verb} {plural(done.rows, 'row')} ({size(done.source_bytes)}) from "
            f"{done.source} to {done.target}"
        )
    else:
        head = (
            f"moved {plural(done.rows, 'row')} from {done.source} to {done.target} in "
            f"{done.seconds:.1f} s"
        )
        lines.append(
            "verified: every checksum is the same in both; "
            f"writers waited {done.held_seconds:.2f} s"
        )
    if done.switched:
        lines.append(f"{done.switched} now points to the new store")
    lines.append(dim(f"not moved, because it can be rebuilt: {', '.join(done.left_out)}"))
    return "\n".join([visible(head), *lines])


def _namespace_lines(namespace: NamespaceSum, many: bool) -> list[str]:
    head = f"{bold(visible(namespace.ns) or '(the whole store)')}  {plural(namespace.rows, 'row')}"
    tables = [
        f"  {part.table:<16}{part.rows:>9,}  {dim(part.checksum[:16])}".rstrip()
        for part in namespace.tables
    ]
    return [f"{head}  {dim(namespace.checksum[:16])}".rstrip(), *([] if many else tables)]
