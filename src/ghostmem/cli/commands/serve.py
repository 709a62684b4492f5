"""ghost serve"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ghostmem.cli.commands.mcp import toolsets
from ghostmem.cli.face import CreatingCommand, Face, declare
from ghostmem.errors import InvalidInputError

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

EXAMPLES = """\
  ghost serve
  ghost serve --port 9000 --tools memory
  ghost serve --host 0.0.0.0 --allow-host memory.example.com
"""


@declare(
    "serve",
    "Serve agents and programs over HTTP: MCP at /mcp, REST at /api/v1.",
    EXAMPLES,
    CreatingCommand,
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8642,
    show_default=True,
    help="The port; 0: any that is free.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="A name that clients call this server by. Repeatable.",
)
@click.option(
    "--no-auth", is_flag=True, help="Let everybody do everything, also from other machines."
)
@click.option(
    "--tools",
    multiple=True,
    metavar="TOOLSETS",
    help="Which MCP tools to offer, separated by commas; repeatable.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder whose files tools work on; default: the working folder.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=100,
    show_default=True,
    help="Requests a second for each token; 0: no limit.",
)
@click.option("--experimental", is_flag=True, help="Offer the toolset outline too.")
def command(
    face: Face,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    no_auth: bool,
    tools: tuple[str, ...],
    root: Path | None,
    rate: float,
    experimental: bool,
) -> None:
    from ghostmem.mcp.server import http_app
    from ghostmem.web.app import Limits, make_app
    from ghostmem.web.auth import ALWAYS, IF_ANY, NEVER
    from ghostmem.web.serve import address_of, is_loopback, listen, serve
    from ghostmem.web.session import Sessions

    ghost, host = face.ghost, host or "0.0.0.0"  # noqa: S104 (an empty name means every address, and is treated so)
    local = is_loopback(host)
    if not (local or no_auth or has_token(ghost)):
        raise InvalidInputError(
            f"{host} can be reached from other machines, and there is no token yet",
            "make one with `ghost token create NAME --grant '*:write'`, or pass --no-auth "
            "if you mean it",
        )
    app = make_app(
        ghost,
        require_tokens=NEVER if no_auth else IF_ANY if local else ALWAYS,
        allowed_hosts=[host, *allow_host],
        mcp_app=http_app(ghost, toolsets(",".join(tools) or "memory", experimental), root),
        limits=Limits(per_second=rate, burst=max(1, int(rate * 5))),
        sessions=Sessions(),
    )
    listening = listen(host, port)
    url = address_of(listening)

    def announce() -> None:
        face.one(
            {"url": url, "mcp": f"{url}/mcp", "api": f"{url}/api/v1"},
            f"serving {face.settings.shown} at {url}",
        )

    ghost.store.vectoriser.warm()  # also for those who never call a tool
    serve(app, listening, announce, ghost.store.clock)


def has_token(ghost: "Ghost") -> bool:
    """Say whether somebody could get in with a token."""
    now = ghost.store.clock()
    return any(token.is_live(now) for token in ghost.tokens())
