"""ghost config"""

from typing import Any

import click

from ghostmem.cli.face import Face, FaceCommand, TolerantCommand, group
from ghostmem.cli.output import bold, dim
from ghostmem.settings import config_path, masked, resolve, table, write_config

EXAMPLES = """\
  ghost config show
  ghost config set ns agent:me
"""


def _shown(name: str, value: Any) -> Any:
    """Return a value as it may stand on a screen: no keys, no password of a URL."""
    if name.endswith("_key"):
        return "(set)" if value else value
    return masked(value) if isinstance(value, str) else value


command = group("config", "Show or change settings.", EXAMPLES)


@command.command("show", cls=TolerantCommand)
def show(face: Face) -> None:
    """Show every setting, its value and where it comes from."""
    about = {name: text for name, _, _, text, _ in table()}
    if face.config_error is not None:
        face.note(f"{face.config_error.message}: not used")
    for name, (value, source) in resolve(use_file=face.config_error is None, **face.given).items():
        value = _shown(name, value)
        row = {"name": name, "value": value, "source": source, "about": about[name]}
        face.one(row, f"{bold(name)} = {value}  {dim(f'{about[name]}  [{source}]')}")


@command.command("set", cls=FaceCommand)
@click.argument("name")
@click.argument("value")
def set_(face: Face, name: str, value: str) -> None:
    """Write a setting into the configuration file."""
    path = config_path()
    parsed = write_config(path, name, value)
    parsed = _shown(name, parsed)
    face.one({"name": name, "value": parsed, "path": str(path)}, f"{name} = {parsed} in {path}")


@command.command("path", cls=TolerantCommand)
def path_(face: Face) -> None:
    """Print where the configuration file is."""
    face.one({"path": str(config_path())}, str(config_path()))
