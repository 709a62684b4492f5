"""ghost completion"""

import click

from ghostmem.cli.face import Face, declare

EXAMPLES = """\
  ghost completion bash >> ~/.bashrc
  ghost completion fish > ~/.config/fish/completions/ghost.fish
"""


@declare("completion", "Print a completion script for your shell.", EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(face: Face, shell: str) -> None:
    from click.shell_completion import get_completion_class

    from ghostmem.cli.main import cli

    made = get_completion_class(shell)
    assert made is not None
    variables = made(cli, {}, "ghost", "_GHOST_COMPLETE")
    source = variables.source_template % variables.source_vars()
    face.one({"shell": shell, "script": source}, source)
