"""The command `ghost`: the table of its commands, loaded when they are called, and its errors."""

import json
import os
import sys
from contextlib import suppress
from errno import EDQUOT, ENOSPC
from typing import Any, TypeGuard

import click

from ghostmem._version import __version__
from ghostmem.caller import CLIENT
from ghostmem.errors import EngineError, GhostError, InvalidInputError, NotFoundError

OTHER_OPTIONS = {"tag": "tags"}  # other names of an option
CONTEXT_SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "token_normalize_func": lambda token: OTHER_OPTIONS.get(token, token),
}
# the commands by group, in the order of `ghost --help`
GROUPS = {
    "Every day": {
        "put": "Store a memory, or the next version of one.",
        "get": "Read a memory by its key.",
        "search": "Find memories by words and by meaning.",
        "context": "Return the memories for a task, within a token budget.",
        "list": "List memories, newest first.",
        "rm": "Delete a memory; it can be restored unless --hard.",
        "where": "Print the namespace and the store in use, and why.",
        "web": "Browse and correct memories in a browser.",
        "setup": "Install Ghost into an agent client, or remove it.",
    },
    "Read and correct": {
        "peek": "Show an overview of a namespace.",
        "history": "Show every version of a memory.",
        "timeline": "Show how a fact changed.",
        "files": "List memories about a file.",
        "patch": "Change a memory with a unified diff.",
        "restore": "Restore a deleted memory or an earlier version.",
        "used": "Record which memories helped.",
        "conflicts": "List unresolved contradictions.",
        "resolve": "Resolve a contradiction between memories.",
        "source": "Declare which names are the same person.",
    },
    "Links and summaries": {
        "edge": "Link memories, and list or remove links.",
        "link": "Link memories with the original Ghost's command.",
        "clusters": "Show groups of similar memories.",
        "consolidate": "Store a summary of several memories.",
        "expand": "List summaries, or show the memories of one.",
        "infer-edges": "Ask a model how similar memories relate.",
    },
    "Organise and clean up": {
        "ns": "List or delete namespaces.",
        "tags": "List, rename or remove tags.",
        "curate": "Promote, demote, pin or archive one memory.",
        "reflect": "Run the lifecycle rules.",
        "undo": "Revert a lifecycle run.",
        "rule": "List, add, change or delete lifecycle rules.",
        "gc": "Delete expired, stale and long-deleted memories.",
        "forget": "Delete a source's statements, and all derived memories.",
        "quarantine": "List, release or delete quarantined memories.",
        "audit": "Score the health of a store, or verify its audit log.",
        "stale": "List memories whose code has changed.",
    },
    "Conversations, notes and code": {
        "capture": "Find facts worth remembering in a conversation.",
        "mine-procedures": "Find sequences of actions that several sessions share.",
        "ingest": "Turn markdown or recorded conversations into memories.",
        "notes": "Search markdown folders in place; keep them in sync.",
        "memory": "Search, list and write role files of markdown sections.",
        "knowledge": "Recall, search and memorize topics in .ai-knowledge.",
        "outline": "Show code as a tree of relations.",
    },
    "Agents and servers": {
        "mcp": "Serve an agent over MCP, on standard input and output.",
        "hook": "Add memories to an agent's session, and capture from it.",
        "tools": "Print the tools as schemas for plain function calling.",
        "serve": "Serve agents and programs over HTTP.",
        "token": "Create, list or revoke tokens for callers over HTTP.",
    },
    "Move and back up": {
        "export": "Write all memories as JSON lines.",
        "import": "Import an export, or another tool's memories.",
        "backup": "Copy the store while it is in use.",
        "migrate": "Move the store to a file or a PostgreSQL database.",
    },
    "Store and installation": {
        "stats": "Show counts and sizes of the store.",
        "embed": "Show, fill in or change the vectors.",
        "check": "Check the store for corruption.",
        "repair": "Rebuild every index from the stored rows.",
        "admin": "Administer a store in PostgreSQL or on Citus.",
        "doctor": "Examine the installation and suggest repairs.",
        "config": "Show or change settings.",
        "completion": "Print a completion script for your shell.",
        "version": "Print the version.",
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}
ALIASES = {"dash": "web", "mcp-serve": "mcp"}  # other names of a command
# the module in ghostmem.cli.commands that declares a command, where it has another name
MODULES = {
    command: module
    for module, commands in {
        "put": "patch",
        "get": "history",
        "list_": "list files tags ns",
        "search": "timeline",
        "context": "used",
        "remove": "rm restore forget gc quarantine",
        "conflicts": "resolve",
        "graph": "edge link clusters consolidate expand infer-edges",
        "lifecycle": "reflect undo rule curate",
        "serve": "mcp tools web token",
        "capture": "ingest mine-procedures",
        "outline": "stale",
        "transfer": "export import backup migrate",
        "store": "embed stats check repair",
        "settings": "where config doctor completion version",
    }.items()
    for command in commands.split()
}

# the next step after arguments that a command does not take, by command
NEXT_STEPS = {
    "patch": 'a diff is read from standard input; `ghost put -k KEY "TEXT"` replaces the text',
    "rm": "`ghost rm KEY` deletes one memory, `ghost ns rm NS` all of a namespace",
}


class SuggestingGroup(click.Group):
    """A group that suggests similar commands instead of one that it does not have."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or suggest similar ones."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from ghostmem.cli.suggestions import unknown_command

            names = [name for name, command in self.commands.items() if not command.hidden]
            raise unknown_command(args[0], names or COMMANDS, ctx.command_path)
        return super().resolve_command(ctx, args)


class LazyGroup(SuggestingGroup):
    """A group that imports a command only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; its object has its name, with `_` where that is a word of Python."""
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        attribute = f"{name}_" if name in ("import", "list") else name.replace("-", "_")
        module = __import__(
            f"ghostmem.cli.commands.{MODULES.get(name, name)}", fromlist=[attribute]
        )
        command: click.Command = getattr(module, attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, without importing them."""
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", about) for name, about in group.items()])


def shared_options() -> list[click.Parameter]:
    """Return the options that every command takes, before or after its name."""
    return [
        click.Option(
            ["-d", "--db"],
            metavar="PATH",
            help="The store: a file, :memory:, or a postgresql:// URL  [GHOST_DB]",
        ),
        click.Option(
            ["-f", "--format", "format"],
            type=click.Choice(["text", "json"]),
            help="Output format  [GHOST_FORMAT]",
        ),
        click.Option(["--json", "format"], flag_value="json", help="The same as --format json."),
        click.Option(
            ["--no-color", "color"], flag_value="never", help="Print without colour  [NO_COLOR]"
        ),
        click.Option(["--debug"], is_flag=True, help="Show the traceback of an error."),
    ]


@click.group(
    cls=LazyGroup,
    params=shared_options(),
    context_settings=CONTEXT_SETTINGS,
    epilog="\b\nExamples:\n"
    '  ghost put "we use tabs, not spaces"\n'
    "  ghost search indentation\n"
    "  ghost list\n"
    "\n"
    "`ghost COMMAND --help` describes a command. Without -n, commands use the namespace of the "
    "project in this folder, which `ghost where` prints.",
)
@click.version_option(__version__, prog_name="ghost", message="%(prog)s %(version)s")
def cli(**_: Any) -> None:
    """Persistent memory for AI agents: store text, find it by words or by meaning."""


def main(argv: list[str] | None = None) -> None:
    """Run the command line and leave with the error's exit code."""
    if argv is None:
        _start_in_utf8()
    _open_closed_streams()
    given = sys.argv[1:] if argv is None else argv
    # whatever the locale says, our texts are UTF-8
    args = [os.fsencode(arg).decode("utf-8", "surrogateescape") for arg in given]
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                encoding="utf-8",
                errors="surrogateescape" if stream is sys.stdin else "backslashreplace",
            )
    code = run(args)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass
    except OSError:  # reported before, unless the command ended early
        code = code or EngineError.exit_code
    # the store is closed by now; taking the interpreter apart object by object would double the
    # exit's cost
    os._exit(code)


def _start_in_utf8() -> None:
    """Restart in Python's UTF-8 mode where the locale encodes file names differently.

    SQLite takes every name as UTF-8; with two encodings a store would be written in one place and
    looked for in another. The encoding cannot be changed in a running interpreter.
    """
    # -X utf8 was given, by the user or by this function
    is_utf8 = sys.getfilesystemencoding() == "utf-8" or "utf8" in sys._xoptions
    if os.name != "posix" or is_utf8 or not sys.executable:
        return
    os.environ["PYTHONUTF8"] = "1"  # for programs that this one starts
    with suppress(OSError):  # then with the names it can write
        # ourselves, by the words we were started with
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606


def _open_closed_streams() -> None:
    """Replace standard streams that were closed when the process started, as with `>&-`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def run(args: list[str]) -> int:
    """Run one command and return its exit code."""
    name = "ghostmem" if os.path.basename(sys.argv[0]).startswith("ghostmem") else "ghost"
    if args[:1] == ["help"]:
        args = [*args[1:], "--help"]
    before = CLIENT.set("cli")
    try:
        code = cli.main(args, prog_name=name, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "")
        return 0
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except (BrokenPipeError, SystemExit):
        # whoever read our output has left (click turns that into an exit): say nothing more, not
        # even while closing
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception as error:
        return report(_in_our_words(error, name, args), args)
    finally:
        CLIENT.reset(before)


def _in_our_words(error: Exception, name: str, args: list[str]) -> GhostError:
    if isinstance(error, GhostError):
        return error
    if isinstance(error, click.NoSuchOption) and not error.option_name.lstrip("-")[:1].isalpha():
        return InvalidInputError(
            error.format_message(),
            "put -- before a text that starts with a dash, or send it on standard input",
        )
    if isinstance(error, click.UsageError):
        called = next((f" {arg}" for arg in args if arg in COMMANDS), "")
        path = error.ctx.command_path if error.ctx else name + called
        step = NEXT_STEPS.get(path.partition(" ")[2])
        return InvalidInputError(
            " ".join(error.format_message().split()),
            f"{step}; `{path} --help` shows how" if step else f"`{path} --help` shows how",
        )
    if isinstance(error, click.ClickException):
        return InvalidInputError(error.format_message())
    if is_full(error):
        return EngineError(
            f"cannot write the output: {error.strerror}", "write it to a place with free space"
        )
    if isinstance(error, FileNotFoundError) and not _has_working_directory():
        return NotFoundError("the working directory does not exist any more", "cd to another one")
    return GhostError(f"{type(error).__name__}: {error}")


def _has_working_directory() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def is_full(error: Exception) -> TypeGuard[OSError]:
    """Say whether a write failed because its device is full or over quota.

    The error of a failed write names no file, unlike that of a failed open."""
    return isinstance(error, OSError) and error.filename is None and error.errno in (ENOSPC, EDQUOT)


def report(error: GhostError, args: list[str]) -> int:
    """Print an error and its hint on standard error, and return its exit code."""
    style = _style(args)
    if "--debug" in args:
        import traceback

        traceback.print_exc()
    if style["format"] == "json":
        click.echo(json.dumps(error.to_dict(), ensure_ascii=False), err=True)
        return error.exit_code
    from ghostmem.text.excerpt import visible

    color = {"always": True, "never": False}.get(style["color"])
    click.echo(f"{click.style('error:', fg='red')} {visible(error.message)}", err=True, color=color)
    if error.hint:
        click.echo(
            f"{click.style('hint:', fg='yellow')} {visible(error.hint)}", err=True, color=color
        )
    return error.exit_code


_STYLES = {"--json": {"format": "json"}, "--no-color": {"color": "never"}}


def _style(args: list[str]) -> dict[str, str]:
    """Return format and color for an error, as the command would have used them."""
    from ghostmem.settings import resolve

    try:
        found = resolve()
    except GhostError:
        found = resolve({}, use_file=False)
    style = {name: str(found[name][0]) for name in ("format", "color")}
    options = args[: args.index("--")] if "--" in args else args
    for before, arg in zip(["", *options], options, strict=False):
        is_format = before in ("-f", "--format") or arg.startswith(("--format=", "-f"))
        value = arg.removeprefix("--format=").removeprefix("-f") if is_format else ""
        style |= {"format": value} if value in ("json", "text") else _STYLES.get(arg, {})
    return style
