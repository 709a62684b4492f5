"""ghost mcp, tools, serve, web, token: serve agents, programs and people."""

import json
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from ghostmem.adapters.schemas import schemas
from ghostmem.cli.console import Console, ConsoleCommand, ConsoleGroup, command
from ghostmem.cli.output import bold, dim
from ghostmem.errors import InvalidInputError
from ghostmem.ghost import Ghost
from ghostmem.mcp.stdio import finish, run_stdio
from ghostmem.mcp.tool_server import PendingStore, defer_model
from ghostmem.memory.embedding import catch_up
from ghostmem.model import Token
from ghostmem.text.excerpt import visible


@command(
    "mcp",
    """\
  ghost mcp
  ghost mcp --tools memory,knowledge --root ~/project
  ghost mcp --experimental
  claude mcp add --scope user --transport stdio ghost -- ghost mcp
""",
    creates=True,
)
@click.option(
    "--tools",
    default="memory",
    show_default=True,
    metavar="SETS",
    help="Toolsets, separated by commas.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose files the tools use; default: the working folder.",
)
@click.option("--experimental", is_flag=True, help="Also offer the toolset outline.")
def mcp(console: Console, tools: str, root: Path | None, experimental: bool) -> None:
    def open_store() -> Ghost:
        defer_model(console.ghost)
        return console.ghost

    named = toolsets(tools, experimental)
    if "://" not in console.settings.db:
        run_stdio(console.ghost, named, root)
        finish(console.ghost)
        return
    pending = PendingStore(console.settings, open_store)
    run_stdio(pending, named, root)
    if pending.opened is not None:
        finish(pending.opened)


def toolsets(named: str, experimental: bool) -> list[str]:
    """Return the toolsets of an option."""
    found = [name.strip() for name in named.split(",") if name.strip()]
    return [*found, "outline"] if experimental and "outline" not in found else found


STYLES = ("openai", "openai-responses", "anthropic", "gemini")


OUTPUT_FORMATS = ("text", "json")


class ToolsCommand(ConsoleCommand):
    """A command whose --format also names the API that the schemas are for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        mine = {opt for param in self.params if param.name == "style" for opt in param.opts}
        self.params = [
            param
            for param in self.params
            if param.name == "style" or not mine.intersection(param.opts)
        ]

    def invoke(self, ctx: click.Context) -> Any:
        """Run with text and json as what every command means by them."""
        if ctx.params["style"] in OUTPUT_FORMATS:
            ctx.params["format"] = ctx.params.get("format") or ctx.params["style"]
            ctx.params["style"] = STYLES[0]
        return super().invoke(ctx)


@command(
    "tools",
    """\
  ghost tools --format openai > tools.json
  ghost tools --format anthropic --tools memory,truth
""",
    ToolsCommand,
)
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice([*STYLES, *OUTPUT_FORMATS]),
    default=STYLES[0],
    show_default=True,
    help="The API that the schemas are for; text and json print those of openai.",
)
@click.option(
    "--tools",
    default="memory",
    show_default=True,
    metavar="SETS",
    help="Toolsets, separated by commas.",
)
@click.option("--experimental", is_flag=True, help="Include the toolset outline.")
def tools(console: Console, style: str, tools: str, experimental: bool) -> None:
    found = schemas(style, toolsets(tools, experimental))
    if console.as_json:
        console.show_all(found, str)
    else:
        console.line(json.dumps(found, indent=2, ensure_ascii=False))


@command(
    "serve",
    """\
  ghost serve
  ghost serve --port 9000 --tools memory
  ghost serve --host 0.0.0.0 --allow-host memory.example.com
""",
    creates=True,
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8642,
    show_default=True,
    help="The port; 0: any free port.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Another host name of this server; repeatable.",
)
@click.option(
    "--no-auth",
    is_flag=True,
    help="Accept every request without a token, even from other machines.",
)
@click.option(
    "--tools",
    multiple=True,
    metavar="TOOLSETS",
    help="MCP toolsets to offer, separated by commas; repeatable.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose files the tools use; default: the working folder.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=100,
    show_default=True,
    help="Requests a second for each token; 0: no limit.",
)
@click.option("--experimental", is_flag=True, help="Also offer the toolset outline.")
def serve(
    console: Console,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    no_auth: bool,
    tools: tuple[str, ...],
    root: Path | None,
    rate: float,
    experimental: bool,
) -> None:
    """Serve agents and programs over HTTP: MCP at /mcp, REST at /api/v1."""
    from ghostmem.mcp.server import http_app
    from ghostmem.web.app import RequestLimits, make_app
    from ghostmem.web.auth import ALWAYS, IF_ANY, NEVER
    from ghostmem.web.serve import address_of, is_loopback, listen, serve
    from ghostmem.web.session import WebSessions

    # an empty name means every address, and is treated so
    ghost, host = console.ghost, host or "0.0.0.0"  # noqa: S104
    local = is_loopback(host)
    if not (local or no_auth or has_token(ghost)):
        raise InvalidInputError(
            f"{host} can be reached from other machines, and there is no token yet",
            "create one with `ghost token create NAME --grant '*:write'`, or pass --no-auth",
        )
    app = make_app(
        ghost,
        require_tokens=NEVER if no_auth else IF_ANY if local else ALWAYS,
        allowed_hosts=[host, *allow_host],
        mcp_app=http_app(ghost, toolsets(",".join(tools) or "memory", experimental), root),
        limits=RequestLimits(per_second=rate, burst=max(1, int(rate * 5))),
        sessions=WebSessions(),
    )
    listening = listen(host, port)
    url = address_of(listening)

    def announce() -> None:
        console.show(
            {"url": url, "mcp": f"{url}/mcp", "api": f"{url}/api/v1"},
            f"serving {console.settings.shown} at {url}",
        )

    ghost.store.vectoriser.warm()  # also for those who never call a tool
    serve(app, listening, announce, ghost.store.clock)


def has_token(ghost: Ghost) -> bool:
    """Tell whether the store has a valid token."""
    now = ghost.store.clock()
    return any(token.is_live(now) for token in ghost.admin.tokens())


@command(
    "web",
    """\
  ghost web
  ghost web --read-only --no-open
  ghost web --db other.db --port 8700
""",
    creates=True,
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="The port; 0: any free port.",
)
@click.option("--no-open", is_flag=True, help="Print the address instead of opening a browser.")
@click.option("--read-only", is_flag=True, help="Do not allow changes.")
def web(console: Console, port: int, no_open: bool, read_only: bool) -> None:
    """Browse and correct memories in a browser.

    The viewer runs on this machine only; its address works once.
    """
    from ghostmem.web.app import make_app
    from ghostmem.web.auth import ALWAYS
    from ghostmem.web.serve import address_of, listen, serve
    from ghostmem.web.session import WebSessions

    ghost = console.ghost
    if read_only:
        ghost.store.engine.read_only = True
    sessions = WebSessions(strict=True, read_only=read_only)
    app = make_app(ghost, require_tokens=ALWAYS, sessions=sessions, log=_log_errors)
    listening = listen("127.0.0.1", port)
    url = f"{address_of(listening)}/?token={sessions.ticket()}"
    vectoriser = ghost.store.vectoriser
    vectoriser.defer(
        None if ghost.store.engine.read_only else lambda: catch_up(ghost.store, switching=True)
    )
    vectoriser.warm()  # while the page loads: its first answers are by words

    def announce() -> None:
        console.show({"url": url, "read_only": read_only}, url)
        console.note(
            f"showing {console.settings.shown}{' (read-only)' if read_only else ''}; the "
            "address works once; press Ctrl-C to stop"
        )
        if not no_open:
            threading.Thread(target=_open_browser, args=(console, url), daemon=True).start()

    serve(app, listening, announce, ghost.store.clock)


def _open_browser(console: Console, url: str) -> None:
    """Open the page in a browser, but not in one that would take over the terminal."""
    import webbrowser

    try:
        found = webbrowser.get()
        shown = not _is_in_terminal(found) and found.open(url)
    except webbrowser.Error:
        shown = False
    if not shown:
        console.note("no browser could be opened: open the address yourself")


def _is_in_terminal(browser: Any) -> bool:
    import webbrowser

    return isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    )


def _log_errors(line: dict[str, Any]) -> None:
    """Log failed requests only; other requests of the viewer are not news."""
    if "error" in line:
        from ghostmem.web.logs import to_stderr

        to_stderr(line)


token = ConsoleGroup(
    "token",
    """\
  ghost token
  ghost token create laptop --grant 'agent:me:write' --expires 90d
  ghost token create dashboard --grant '*:read'
  ghost token list
  ghost token revoke laptop
""",
)


@token.command("create", creates=True)
@click.argument("name", metavar="NAME", default="")
@click.option(
    "--grant",
    "grants",
    multiple=True,
    metavar="NS:SCOPE",
    help="A namespace, a prefix such as agent:*, or *, and a scope: read, write or "
    "admin, as in agent:me:write. Required, repeatable.",
)
@click.option("--expires", metavar="DURATION", help="Expire after this long, such as 90d.")
def token_create(console: Console, name: str, grants: tuple[str, ...], expires: str | None) -> None:
    """Create a token and print its secret once."""
    secret, token = console.ghost.admin.create_token(name, grants, expires=expires)
    console.show({**token.to_dict(), "secret": secret}, secret)
    valid = _validity(token, token.created_at)
    console.notes([f"the secret of {name} is shown only this once; {valid}"])


@token.listing
def _list_tokens(console: Console) -> None:
    """List all tokens, oldest first."""
    at = console.ghost.store.clock()
    console.show_all(
        console.ghost.admin.tokens(),
        lambda token: _token_text(token, at),
        "no tokens; `ghost token create` creates one",
    )


token.row(
    "revoke",
    "Revoke a token at once, by its name or id.",
    click.argument("token"),
    call=lambda console, token: console.ghost.admin.revoke_token(token),
    text=lambda token: f"revoked {visible(token.name)}",
)


def _token_text(token: Token, at: datetime) -> str:
    used = f"last used {token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never used"
    about = f"{token.id}  {token.created_at:%Y-%m-%d}  {_validity(token, at)}, {used}"
    return f"{bold(visible(token.name))}  {' '.join(token.grants)}\n    {dim(about)}"


def _validity(token: Token, at: datetime) -> str:
    if token.revoked_at is not None:
        return f"revoked {token.revoked_at:%Y-%m-%d %H:%M}"
    if token.expires_at is None:
        return "valid until revoked"
    return (
        f"{'valid until' if token.expires_at > at else 'expired'} {token.expires_at:%Y-%m-%d %H:%M}"
    )
