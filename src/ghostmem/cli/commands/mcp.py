"""ghost mcp"""

from pathlib import Path

import click

from ghostmem.cli.face import CreatingCommand, Face, declare

EXAMPLES = """\
  ghost mcp
  ghost mcp --tools memory,knowledge --root ~/project
  ghost mcp --experimental
  claude mcp add --scope user --transport stdio ghost -- ghost mcp
"""


@declare("mcp", "Serve an agent over MCP, on standard input and output.", EXAMPLES, CreatingCommand)
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
    help="The folder whose files tools work on; default: the working folder.",
)
@click.option("--experimental", is_flag=True, help="Offer the toolset outline too.")
def command(face: Face, tools: str, root: Path | None, experimental: bool) -> None:
    from ghostmem.mcp.stdio import run_stdio

    run_stdio(face.ghost, toolsets(tools, experimental), root)
    face.ghost.store.vectoriser.finish()


def toolsets(named: str, experimental: bool) -> list[str]:
    """Return the toolsets that were asked for."""
    found = [name.strip() for name in named.split(",") if name.strip()]
    return [*found, "outline"] if experimental and "outline" not in found else found
