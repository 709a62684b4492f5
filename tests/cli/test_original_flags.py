"""Commands and flags of the original Ghost: each exists here under its name, or docs/original.md says what replaces it."""

import json
from pathlib import Path

import click
import pytest

from ghostmem.cli.main import cli

ROOT = Path(__file__).parent.parent
ORIGINAL: dict[str, list[str]] = json.loads(
    (ROOT / "data" / "original" / "flags.json").read_text("utf-8")
)
REPLACED = {"eval"}  # commands that do not exist here
MISSING = {"patch": {"--allow-empty"}}  # flags that do not


def found(name: str) -> click.Command | None:
    """Return a command or subcommand by its name."""
    first, *rest = name.split()
    command = cli.get_command(click.Context(cli), first)
    for part in rest:
        assert isinstance(command, click.Group)
        command = command.commands.get(part)
    return command


@pytest.mark.parametrize("name", ORIGINAL)
def test_the_originals_flags_exist(name: str) -> None:
    """Long and short spellings are accepted by the command of the same name."""
    command = found(name)
    assert (command is None) == (name in REPLACED)
    if command is not None:
        known = {flag for param in command.params for flag in (*param.opts, *param.secondary_opts)}
        assert set(ORIGINAL[name]) - known == MISSING.get(name, set())


def test_what_is_missing_is_documented() -> None:
    """The page on the original names each command and flag that has no equal here."""
    page = (ROOT.parent / "docs" / "original.md").read_text("utf-8")
    for name in REPLACED:
        assert f"| `{name}` |" in page
    for name, flags in MISSING.items():
        assert all(f"`{name} {flag}`" in page for flag in flags)
