"""ghost setup: install Ghost into agent clients."""

import os
from typing import Any

import click

from ghostmem.cli.console import Console, ConsoleCommand, ConsoleGroup, command
from ghostmem.cli.options import (
    DRY_RUN,
    refuse,
)
from ghostmem.errors import InvalidInputError
from ghostmem.mcp.tools import TOOLSETS, chosen_tools
from ghostmem.model import is_namespace
from ghostmem.settings import has_password, masked
from ghostmem.setup import agents_md as guidance
from ghostmem.setup.clients import (
    CLIENTS,
    OTHER,
    SCOPES,
    SetupClient,
    client_named,
    known_clients,
)
from ghostmem.setup.entry import Launch, command_in, launch, server
from ghostmem.setup.formats import FORMATS
from ghostmem.setup.install import install
from ghostmem.setup.listing import Installed, allowed, installed_toolsets, listing, look
from ghostmem.setup.marked import FileChange
from ghostmem.setup.parts import SetupFile, hooks_in, parts_in, targets, with_parts
from ghostmem.text.excerpt import visible

_AS = click.Choice(["json", "toml", "yaml"])


class SetupGroup(ConsoleGroup):
    """A group of clients that lists them, or prints the entry for an unknown client."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a client."""
        refuse(
            ctx.params.get("listed"),
            "--list cannot be combined with a client",
            "leave out the client",
        )
        refuse(
            ctx.params.get("show") or ctx.params.get("form"),
            "--print and --as go after the name of a client",
            "put them there, or leave out the client",
        )
        if args[0] not in self.commands and not args[0].startswith("-"):
            if "--print" in args:
                return args[0], other, args[1:]
            client_named(args[0])
        return super().resolve_command(ctx, args)


setup = SetupGroup(
    "setup",
    """\
  ghost setup
  ghost setup claude-code --hooks --allow
  ghost setup cursor --scope project --dry-run
  ghost setup codex --remove
  ghost setup zed --print
  ghost setup --print
  ghost setup agents-md
""",
)


setup.no_args_is_help = False


@setup.set_alone
@click.option(
    "--list", "listed", is_flag=True, help="List the clients and what is installed (the default)."
)
@click.option("--print", "show", is_flag=True, help="Print the form that most other clients read.")
@click.option("--as", "form", type=_AS, help="Format to print: json (the default), toml or yaml.")
def alone(console: Console, listed: bool, show: bool, form: str | None) -> None:  # noqa: ARG001
    """List the clients, or print the entry to paste."""
    if not show and not form:
        _print_list(console)
        return
    console.notes(
        [
            f"`ghost setup CLIENT --print` prints a client's own form; {known_clients()}",
            "most others read this one; see their documentation for the file:",
        ],
        "",
    )
    _print_other(console, form or "json", None)


def _print_list(console: Console) -> None:
    rows = listing()
    if console.as_json:
        console.show_all(rows, _installed_text)
        return
    present = [row for row in rows if row.is_present]
    names = {row.client for row in present}
    others = [
        f"  {row.client:<15} {CLIENTS[row.client].title:<16} {visible(row.path)}"
        for row in rows
        if row.scope == "user" and row.client not in names
    ]
    console.show_all(present, _installed_text)
    if others:
        console.line("\n".join([*([""] if present else []), "not installed:", *others]))
    console.note("`ghost setup CLIENT` installs one; `ghost setup --help` lists the options")


def _installed_text(installed: Installed) -> str:
    state = {
        "none": "not installed",
        "current": "installed",
        "old": "installed, not up to date",
        "broken": "broken",
    }[installed.server]
    hooks = {"current": ", with hooks", "old": ", with hooks that are not up to date"}.get(
        installed.hooks, ""
    )
    allowed = ", allowed" if installed.allowed else ""
    about = (
        f"  {visible(installed.problem or installed.command)}"
        if installed.problem or installed.command
        else ""
    )
    where = visible(installed.path)
    return f"{installed.client} ({installed.scope}): {state}{hooks}{allowed}  {where}{about}"


def _option(*names: str, **about: Any) -> click.Option:
    return click.Option(list(names), **about)


def _client_command(client: SetupClient) -> click.Command:
    """Declare the command of one client; options that it cannot have are not in its help."""

    def run(console: Console, **given: Any) -> None:
        _set_up(console, client, **given)

    hooks = "; --hooks also installs hooks that add and capture memories" if client.hooks else ""
    made = ConsoleCommand(
        client.name, callback=run, help=f"Install Ghost's MCP server in {client.title}{hooks}."
    )
    made.params[:0] = [
        _option(
            "--scope",
            type=click.Choice(SCOPES),
            default="user",
            show_default=True,
            hidden=not client.project,
            help="Configuration file to change: yours, or this project's.",
        ),
        _option(
            "--hooks",
            is_flag=True,
            hidden=client.hooks is None,
            help="Install hooks too; with --remove, remove only the hooks.",
        ),
        _option(
            "--allow",
            is_flag=True,
            hidden=client.permission is None,
            help="Let Ghost's tools run without asking; with --remove, remove only "
            "this permission.",
        ),
        _option(
            "-n",
            "--ns",
            metavar="NS",
            help=f"Namespace of the server{' and the hooks' if client.hooks else ''}; "
            "default: the project's.",
        ),
        _option("--remove", is_flag=True, help="Remove Ghost; everything else in the files stays."),
        _option(
            "--print", "show", is_flag=True, help="Print the entry to paste and change no file."
        ),
        _option("--dry-run", is_flag=True, help="Show what would happen, and change nothing."),
    ]
    return made


def _set_up(
    console: Console,
    client: SetupClient,
    scope: str,
    hooks: bool,
    allow: bool,
    ns: str | None,
    remove: bool,
    show: bool,
    dry_run: bool,
) -> None:
    refuse(
        show and (remove or dry_run),
        "--print cannot be combined with --remove or --dry-run",
        "it changes no file",
    )
    refuse(
        hooks and client.hooks is None,
        f"Ghost has no hooks for {client.title}; nothing was changed",
        "leave out --hooks; `ghost setup agents-md` tells the agent when to use its memory",
    )
    how = _launch(console, scope, ns, remove, allow)
    if show:
        for file in targets(client, scope, True, hooks, allow):
            _print_target(console, client, file, how)
        return
    everything = remove and not hooks and not allow
    files = targets(
        client, scope, everything or not remove, everything or hooks, everything or allow
    )
    changes = install(files, None if remove else how, dry_run)
    for file, change in zip(files, changes, strict=True):
        _print_result(console, client, file, change, remove, dry_run)
    if not remove or (allow and client.permission is None):
        _note_permission(console, client, scope, allow, dry_run)
    if (how.ns or how.db) and not (remove or hooks):
        _note_hooks(console, client, scope)


def _note_hooks(console: Console, client: SetupClient, scope: str) -> None:
    """Say that installed hooks keep their namespace and store when only the server gets others."""
    if look(client, scope).hooks in ("current", "old"):
        console.notes(
            ["the hooks keep their own namespace and store; add --hooks to change them too"]
        )


def _note_permission(
    console: Console, client: SetupClient, scope: str, allow: bool, dry_run: bool
) -> None:
    """Say in one line how the client comes to run Ghost's tools without asking."""
    if client.permission is None:
        console.notes([f"permission: {client.title} manages this itself: {client.asks}"], "")
    elif not allow and not dry_run and not allowed(client, scope):
        words = f"ghost setup {client.name} --allow" + (
            " --scope project" if scope == "project" else ""
        )
        console.notes(
            [
                f"permission: {client.title} may ask before each tool, and a run without a "
                f"terminal may refuse them; `{words}` lets Ghost's tools run"
            ],
            "",
        )


def _launch(
    console: Console, scope: str, ns: str | None, remove: bool = False, allow: bool = False
) -> Launch:
    refuse(
        ns and not is_namespace(ns),
        f"{ns!r} is not a namespace",
        "use letters, digits, '-' and '_' in segments joined by ':'",
    )
    db = console.settings.path if console.overrides.get("db") else ""
    refuse(
        has_password(db) and not remove,
        f"{masked(db)} has a password, which would be written to a file that others "
        "may read; nothing was written",
        "leave the password out and keep it in ~/.pgpass or PGPASSWORD; or run `ghost "
        "config set db URL`, whose file only you"
        " can read, and leave out --db here",
    )
    return launch(
        scope,
        ns or "",
        db if db == ":memory:" or "://" in db or not db else os.path.abspath(db),
        tuple(chosen_tools(["memory"])) if allow else (),  # those of `ghost mcp` by default
    )


def _print_target(console: Console, client: SetupClient, file: SetupFile, how: Launch) -> None:
    text = with_parts("", file, how)
    if console.as_json:
        console.json(
            {"client": client.name, "path": str(file.path), "format": file.format, "text": text}
        )
        return
    console.note(f"paste into {visible(str(file.path))}:")
    console.raw(text.removesuffix("\n"))


def _print_result(
    console: Console,
    client: SetupClient,
    file: SetupFile,
    change: FileChange,
    remove: bool,
    dry_run: bool,
) -> None:
    parts = _parts_text(file, change.before if remove else None)
    where = visible(str(change.path))
    then = client.hooks.then if client.hooks and file.hooks and not file.server else ""
    then = then or client.then
    left = _left_commands(file, change.after) if remove else []
    sentence = {
        (False, "created"): f"wrote {parts} to the new file {where}; {then}",
        (False, "updated"): f"wrote {parts} to {where}; {then}",
        (False, "unchanged"): f"{parts} in {where}: up to date",
        (True, "updated"): f"removed {parts} from {where}",
        (True, "deleted"): f"deleted {where}, which was created for {parts}",
        (True, "unchanged"): f"{where}: unchanged" if left else f"Ghost is not in {where}",
    }[remove, change.action]
    result = {
        "client": client.name,
        "scope": file.scope,
        "path": str(change.path),
        "action": change.action,
        "dry_run": dry_run,
        **({"left": left} if left else {}),
    }
    _print_change(console, result, sentence, change.diff if dry_run else None)
    console.notes(
        f"left in {where}: `{visible(line)}` runs other commands too; remove the part with ghost "
        "by hand"
        for line in left
    )


def _left_commands(file: SetupFile, after: bytes | None) -> list[str]:
    if after is None or not file.hooks:
        return []
    return [
        command_in(handled).line
        for listed in hooks_in(after.decode("utf-8-sig", "replace"), file).values()
        for handled in listed
    ]


def _parts_text(file: SetupFile, before: bytes | None) -> str:
    """Return the names of the parts of a file, or of those that it had before a removal."""
    names = {"server": "the server", "hooks": "the hooks", "allow": "the permission"}
    present = parts_in((before or b"").decode("utf-8-sig", "replace"), file) if before else names
    parts = [name for part, name in names.items() if getattr(file, part) and part in present]
    *first, last = parts or ["Ghost"]
    return f"{', '.join(first)} and {last}" if first else last


def _print_change(
    console: Console, result: dict[str, Any], sentence: str, diff: str | None
) -> None:
    if diff is None:
        console.show(result, sentence)
    elif console.as_json:
        console.json({**result, "diff": diff})
    elif diff:
        console.raw(diff.removesuffix("\n"))
    else:
        console.note(sentence)


for _row_of in CLIENTS.values():
    setup.add_command(_client_command(_row_of))


@command("other")
@click.option(
    "--print",
    "show",
    is_flag=True,
    required=True,
    help="Print the entry to paste and change no file.",
)
@click.option(
    "--as", "form", type=_AS, default="json", show_default=True, help="The format of the file."
)
@click.option("-n", "--ns", metavar="NS", help="Namespace of the server; default: the project's.")
def other(console: Console, show: bool, form: str, ns: str | None) -> None:  # noqa: ARG001
    """Print the entry to paste into the file of an unknown client."""
    name = click.get_current_context().info_name or ""
    console.notes([f"{name} is not known; {known_clients(name)}"], "")
    _print_other(console, form, ns)


def _print_other(console: Console, form: str, ns: str | None) -> None:
    paths = {"json": OTHER.path, "toml": ("mcp_servers", "ghost"), "yaml": ("mcp_servers", "ghost")}
    text = FORMATS[form].merge("", paths[form], server(OTHER, _launch(console, "user", ns)))
    console.show({"format": form, "text": text}, text.removesuffix("\n"), verbatim=True)


_WRITTEN = {
    "created": "created {}",
    "updated": "wrote the guidance to {}",
    "unchanged": "the guidance in {} is up to date",
}


_REMOVED = {
    "updated": "removed the guidance from {}",
    "deleted": "deleted {}, which contained nothing else",
    "unchanged": "there is no guidance in {}",
}


@setup.command("agents-md")
@click.argument("path", required=False)
@click.option(
    "--remove", is_flag=True, help="Remove the guidance; everything else in the file stays."
)
@click.option("--print", "show", is_flag=True, help="Print the guidance and change no file.")
@click.option(
    "--tools",
    metavar="SETS",
    help="Toolsets whose tools to list, separated by commas; default: those that are installed.",
)
@DRY_RUN
def setup_agents_md(
    console: Console, path: str | None, remove: bool, show: bool, tools: str | None, dry_run: bool
) -> None:
    """Write guidance for agents into AGENTS.md: what to store where, when to search and save."""
    refuse(
        show and (remove or dry_run),
        "--print cannot be combined with --remove or --dry-run",
        "it changes no file",
    )
    sets = _guided_toolsets(tools)
    if show:
        console.show({"text": guidance.block(sets)}, guidance.block(sets), verbatim=True)
        return
    file = guidance.agents_file(path)
    done = guidance.remove(file, dry_run) if remove else guidance.write(file, dry_run, sets)
    sentence = (_REMOVED if remove else _WRITTEN)[done.action].format(visible(str(file)))
    _print_change(
        console,
        {"path": str(file), "action": done.action, "dry_run": dry_run},
        sentence,
        done.diff if dry_run else None,
    )


def _guided_toolsets(named: str | None) -> set[str]:
    sets = {name.strip() for name in (named or "").split(",")} - {""}
    for name in sorted(sets - {*TOOLSETS}):
        raise InvalidInputError(
            f"there is no toolset {name!r}", f"there are: {', '.join(TOOLSETS)}"
        )
    return sets or installed_toolsets()
