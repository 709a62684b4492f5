"""ghost tools"""

from typing import Any

import click

from ghostmem.cli.commands.mcp import toolsets
from ghostmem.cli.face import Face, FaceCommand, declare

EXAMPLES = """\
  ghost tools --format openai > tools.json
  ghost tools --format anthropic --tools memory,truth
"""
STYLES = ("openai", "openai-responses", "anthropic")
_OUTPUT = ("text", "json")


class ToolsCommand(FaceCommand):
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
        if ctx.params["style"] in _OUTPUT:
            ctx.params["format"] = ctx.params.get("format") or ctx.params["style"]
            ctx.params["style"] = STYLES[0]
        return super().invoke(ctx)


@declare("tools", "Print the tools as schemas for plain function calling.", EXAMPLES, ToolsCommand)
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice([*STYLES, *_OUTPUT]),
    default=STYLES[0],
    show_default=True,
    help="The API that the schemas are for; text and json as everywhere, with openai.",
)
@click.option(
    "--tools",
    default="memory",
    show_default=True,
    metavar="SETS",
    help="Toolsets, separated by commas.",
)
@click.option("--experimental", is_flag=True, help="The toolset outline too.")
def command(face: Face, style: str, tools: str, experimental: bool) -> None:
    import json

    from ghostmem.adapters.schemas import schemas

    found = schemas(style, toolsets(tools, experimental))
    if face.as_json:
        face.many(found, str)
    else:
        face.line(json.dumps(found, indent=2, ensure_ascii=False))
