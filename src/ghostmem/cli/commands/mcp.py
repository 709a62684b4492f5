"""ghost mcp"""

import click

from ghostmem.cli.face import CreatingCommand, Face, declare

EXAMPLES = """\
  ghost mcp
  claude mcp add --scope user --transport stdio ghost -- ghost mcp
"""


@declare("mcp", "Serve an agent over MCP, on standard input and output.", EXAMPLES, CreatingCommand)
@click.option("--tools", default="memory", show_default=True, metavar="SETS", help="Toolsets, separated by commas.")
def command(face: Face, tools: str) -> None:
    from ghostmem.mcp.server import run_stdio

    run_stdio(face.ghost, [name.strip() for name in tools.split(",") if name.strip()])
