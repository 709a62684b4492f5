"""ghost hook: answer the events of agent clients.

It must never disturb a client: the exit code is 0, and only an answer is printed.
"""

import sys
from dataclasses import replace
from typing import Any

import click

from ghostmem.cli.console import Console, ConsoleCommand, command
from ghostmem.errors import GhostError, InvalidInputError
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.run import handle
from ghostmem.settings import Settings, load, parse


class HookCommand(ConsoleCommand):
    """A command that never fails while a client waits; errors go to the log."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; exit code 2 for wrong ones would make some clients block the user."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError:
            if sys.stdin.isatty():
                raise
            _log(None, "-", "", "arguments that cannot be read")
            raise click.exceptions.Exit(0) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run, and log any error."""
        db = ctx.params.get("db") or (ctx.parent.params.get("db") if ctx.parent else None)
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except Exception as error:
            if sys.stdin.isatty():
                raise
            # an error here is about settings and options; those of a session are logged by `handle`
            what = error.message if isinstance(error, GhostError) else describe_error(error)
            _log(db, str(ctx.params.get("host")), "", what)
        return 0


def _log(db: str | None, host: str, event: str, what: str) -> None:
    try:
        settings = load(db=db)
    except GhostError:
        settings = Settings() if db is None else Settings(db=db)
    write_log_line(log_path(settings), host, event, what)


@command(
    "hook",
    """\
  ghost hook claude < event.json
  ghost hook codex --llm 'codex exec -'
  ghost hook cursor sessionStart
""",
    HookCommand,
    tolerant=True,
)
@click.argument("host", metavar="HOST")
@click.argument("event", required=False)
@click.option("-n", "--ns", metavar="NS", help="Namespace of the session; default: the project's.")
@click.option(
    "--llm",
    metavar="CMD",
    help="A command that proposes further memories, run in the background.",
)
@click.option("--wait", is_flag=True, help="Capture before returning, not in the background.")
@click.option("--timeout", type=float, help="Seconds after which to give up  [GHOST_HOOK_TIMEOUT]")
def hook(
    console: Console,
    host: str,
    event: str | None,
    ns: str | None,
    llm: str | None,
    wait: bool,
    timeout: float | None,
) -> None:
    """Add memories to an agent's session, and capture from it.

    Agent clients call it at their events and send JSON on standard input. Errors are hidden from
    the client and shown by `ghost doctor`.
    """
    given = {
        name: parse(name, value, option)
        for name, value, option in (("hook_timeout", timeout, "--timeout"), ("ns", ns, "-n"))
        if value is not None
    }
    settings = replace(console.settings, **given)
    if sys.stdin.isatty():
        raise InvalidInputError(
            "a hook reads the host's JSON on standard input",
            "`ghost setup` installs hooks into hosts",
        )
    problem = "the configuration file cannot be read; defaults are used"
    handle(settings, host, event, llm, wait, problem if console.config_error is not None else "")
