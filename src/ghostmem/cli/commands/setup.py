"""ghost setup: install Ghost into agent clients."""

from typing import TYPE_CHECKING, Any

import click

from ghostmem.cli.console import (
    Console,
    ConsoleCommand,
    ConsoleGroup,
    command,
)
from ghostmem.cli.options import (
    DRY_RUN,
)
from ghostmem.errors import InvalidInputError
from ghostmem.setup.clients import CLIENTS, OTHER, SCOPES, SetupClient, client_named
from ghostmem.text.excerpt import visible

if TYPE_CHECKING:
    from ghostmem.setup.entry import Launch
    from ghostmem.setup.listing import Installed
    from ghostmem.setup.marked import FileChange
    from ghostmem.setup.parts import SetupFile


_AS = click.Choice(["json", "toml", "yaml"])


class SetupGroup(ConsoleGroup):
    """A group of clients that can also list them, and print the entry for an unknown client."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a client."""
        if ctx.params.get("listed"):
            raise InvalidInputError(
                "--list shows every client, so it stands alone", "leave out the client"
            )
        if ctx.params.get("show") or ctx.params.get("form"):
            raise InvalidInputError(
                "--print and --as stand behind a client's name",
                "put them there, or leave out the client",
            )
        if args[0] not in self.commands and not args[0].startswith("-"):
            if "--print" in args:
                return args[0], other, args[1:]
            client_named(args[0])
        return super().resolve_command(ctx, args)

    def run_alone(self, **given: Any) -> Any:
        """List the clients, print the entry to paste, or print the help."""
        ctx = click.get_current_context()
        if ctx.invoked_subcommand is None and not given["listed"] and not given["show"]:
            click.echo(ctx.get_help())
            return None
        return super().run_alone()


setup = SetupGroup(
    "setup",
    """\
  ghost setup claude-code --hooks
  ghost setup cursor --scope project --dry-run
  ghost setup codex --remove
  ghost setup --list
  ghost setup --print
  ghost setup agents-md
""",
)


setup.no_args_is_help = False


@click.option("--list", "listed", is_flag=True, help="List the clients and what is installed.")
@click.option("--print", "show", is_flag=True, help="Print what to paste for any other client.")
@click.option("--as", "form", type=_AS, help="Format to print: json (the default), toml or yaml.")
def alone(console: Console, listed: bool, show: bool, form: str | None) -> None:  # noqa: ARG001
    """List the clients, or print the entry to paste."""
    from ghostmem.setup.listing import listing

    if listed:
        console.show_all(listing(), _installed_text)
    else:
        _print_other(console, form or "json", None)


setup.set_alone(alone)


def _installed_text(installed: "Installed") -> str:
    state = {
        "none": "not installed",
        "current": "installed",
        "old": "installed, not up to date",
        "broken": "broken",
    }[installed.server]
    hooks = {"current": ", with hooks", "old": ", with hooks that are not up to date"}.get(
        installed.hooks, ""
    )
    about = (
        f"  {visible(installed.problem or installed.command)}"
        if installed.problem or installed.command
        else ""
    )
    return (
        f"{installed.client} ({installed.scope}): {state}{hooks}  {visible(installed.path)}{about}"
    )


def _option(*names: str, **about: Any) -> click.Option:
    return click.Option(list(names), **about)


_SCOPE = _option(
    "--scope",
    type=click.Choice(SCOPES),
    default="user",
    show_default=True,
    help="Whose file: yours, or this project's.",
)


_HOOKS = _option("--hooks", is_flag=True, help="Hooks too; with --remove only the hooks.")


def _client_command(client: SetupClient) -> click.Command:
    """Declare the command of one client."""

    def run(console: Console, **given: Any) -> None:
        _set_up(console, client, **{"hooks": False, "scope": "user", **given})

    unasked = ", and with --hooks what makes it remember unasked" if client.hooks else ""
    made = ConsoleCommand(
        client.name, callback=run, help=f"Wire Ghost into {client.title}: its MCP server{unasked}."
    )
    made.params[:0] = [
        *([_SCOPE] if client.project else []),
        *([_HOOKS] if client.hooks else []),
        _option(
            "-n",
            "--ns",
            metavar="NS",
            help="The namespace the server works in; default: the project's.",
        ),
        _option(
            "--remove", is_flag=True, help="Take Ghost out again; everything else stays as it is."
        ),
        _option("--print", "show", is_flag=True, help="Print what to paste, and touch no file."),
        _option("--dry-run", is_flag=True, help="Show what would happen, and change nothing."),
    ]
    return made


def _set_up(
    console: Console,
    client: SetupClient,
    scope: str,
    hooks: bool,
    ns: str | None,
    remove: bool,
    show: bool,
    dry_run: bool,
) -> None:
    if show and (remove or dry_run):
        raise InvalidInputError(
            "--print touches no file, so it stands alone", "leave out --remove and --dry-run"
        )
    from ghostmem.setup.install import install, uninstall
    from ghostmem.setup.parts import targets

    how = _launch(console, scope, ns, remove)
    if show:
        for file in targets(client, scope, True, hooks):
            _print_target(console, client, file, how)
        return
    if remove:
        files = targets(client, scope, not hooks, True)
        changes = uninstall(files, dry_run)
    else:
        files = targets(client, scope, True, hooks)
        changes = install(files, how, dry_run)
    for file, change in zip(files, changes, strict=True):
        _print_result(console, client, file, change, remove, dry_run)


def _launch(console: Console, scope: str, ns: str | None, remove: bool = False) -> "Launch":
    import os

    from ghostmem.model import is_namespace
    from ghostmem.settings import has_password, masked
    from ghostmem.setup.entry import launch

    if ns and not is_namespace(ns):
        raise InvalidInputError(
            f"{ns!r} is not a namespace",
            "use letters, digits, '-' and '_' in segments joined by ':'",
        )
    db = console.settings.path if console.overrides.get("db") else ""
    if has_password(db) and not remove:
        raise InvalidInputError(
            f"{masked(db)} has a password, which would stand in a file that others may "
            "read; nothing was written",
            "leave the password out and keep it in ~/.pgpass or PGPASSWORD; or run `ghost "
            "config set db URL`, whose file only you"
            " can read, and leave out --db here",
        )
    return launch(
        scope, ns or "", db if db == ":memory:" or "://" in db or not db else os.path.abspath(db)
    )


def _print_target(console: Console, client: SetupClient, file: "SetupFile", how: "Launch") -> None:
    from ghostmem.setup.parts import shown

    text = shown(file, how)
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
    file: "SetupFile",
    change: "FileChange",
    remove: bool,
    dry_run: bool,
) -> None:
    parts = " and ".join(
        [*(["the server"] if file.server else []), *(["the hooks"] if file.hooks else [])]
    )
    where = visible(str(change.path))
    then = (client.hooks.then if client.hooks and not file.server else "") or client.then
    sentence = {
        (False, "created"): f"wrote {parts} into {where}, which is new; {then}",
        (False, "updated"): f"wrote {parts} into {where}; {then}",
        (False, "unchanged"): f"{parts} in {where}: as it should be",
        (True, "updated"): f"took {parts} out of {where}",
        (True, "deleted"): f"deleted {where}, which was made for {parts}",
        (True, "unchanged"): f"nothing of Ghost is in {where}",
    }[remove, change.action]
    result = {
        "client": client.name,
        "scope": file.scope,
        "path": str(change.path),
        "action": change.action,
        "dry_run": dry_run,
    }
    _print_change(console, result, sentence, change.diff if dry_run else None)


def _print_change(
    console: Console, result: dict[str, Any], sentence: str, diff: str | None
) -> None:
    """Print a change of a file, or the diff of a dry run."""
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
    "--print", "show", is_flag=True, required=True, help="Print what to paste, and touch no file."
)
@click.option(
    "--as", "form", type=_AS, default="json", show_default=True, help="The format of the file."
)
@click.option(
    "-n", "--ns", metavar="NS", help="The namespace the server works in; default: the project's."
)
def other(console: Console, show: bool, form: str, ns: str | None) -> None:  # noqa: ARG001
    """Print the entry to paste into the file of an unknown client."""
    _print_other(console, form, ns)


def _print_other(console: Console, form: str, ns: str | None) -> None:
    from ghostmem.setup.entry import server
    from ghostmem.setup.formats import FORMATS

    paths = {"json": OTHER.path, "toml": ("mcp_servers", "ghost"), "yaml": ("mcp_servers", "ghost")}
    text = FORMATS[form].shown(paths[form], server(OTHER, _launch(console, "user", ns)))
    console.show({"format": form, "text": text}, text.removesuffix("\n"))


_WRITTEN = {
    "created": "created {}",
    "updated": "wrote the guidance into {}",
    "unchanged": "the guidance in {} is as it should be",
}


_REMOVED = {
    "updated": "took the guidance out of {}",
    "deleted": "deleted {}, which held nothing else",
    "unchanged": "there is no guidance in {}",
}


@setup.command("agents-md")
@click.argument("path", required=False)
@click.option(
    "--remove", is_flag=True, help="Take the guidance out again; everything else stays as it is."
)
@click.option("--print", "show", is_flag=True, help="Print the guidance, and touch no file.")
@DRY_RUN
def setup_agents_md(
    console: Console, path: str | None, remove: bool, show: bool, dry_run: bool
) -> None:
    """Write guidance for agents into AGENTS.md: what to store where, when to search and save."""
    from ghostmem.setup import agents_md as guidance

    if show and (remove or dry_run):
        raise InvalidInputError(
            "--print touches no file, so it stands alone", "leave out --remove and --dry-run"
        )
    if show:
        console.show({"text": guidance.block()}, guidance.block())
        return
    file = guidance.agents_file(path)
    done = guidance.remove(file, dry_run) if remove else guidance.write(file, dry_run)
    sentence = (_REMOVED if remove else _WRITTEN)[done.action].format(visible(str(file)))
    result = {"path": str(file), "action": done.action, "dry_run": dry_run}
    _print_change(console, result, sentence, done.diff if dry_run else None)
