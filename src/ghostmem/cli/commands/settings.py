"""ghost config, doctor, completion, version: settings and installation."""

import platform
from collections.abc import Iterator
from typing import Any

import click

from ghostmem import settings as ghost_settings
from ghostmem._version import __version__
from ghostmem.admin.doctor import DoctorFinding
from ghostmem.admin.doctor import doctor as examine
from ghostmem.admin.where import where as find
from ghostmem.cli.console import Console, ConsoleGroup, command
from ghostmem.cli.main import cli
from ghostmem.cli.output import bold, dim
from ghostmem.hooks.log import last_log_line, log_path
from ghostmem.notes.lock import locked_elsewhere
from ghostmem.setup.check import check_clients
from ghostmem.text.excerpt import visible


def _masked_value(name: str, value: Any) -> Any:
    if name.endswith("_key"):
        return "(set)" if value else value
    return ghost_settings.masked(value) if isinstance(value, str) else value


@command("where", "  ghost where\n  ghost where --json\n", tolerant=True)
def where(console: Console) -> None:
    place = find(use_file=console.config_error is None, **console.overrides)
    _note_config_error(console)
    rows = (("namespace", place.ns, place.ns_reason), ("store", place.db, place.db_reason))
    lines = [
        f"{name:<9}  {bold(visible(it))}  {dim(f'({visible(why)})')}" for name, it, why in rows
    ]
    console.show(place, "\n".join(lines))


def _note_config_error(console: Console) -> None:
    if console.config_error is not None:
        console.note(f"{console.config_error.message}: not used")


config = ConsoleGroup(
    "config",
    """\
  ghost config
  ghost config show
  ghost config set ns agent:me
""",
)


def _show_settings(console: Console) -> None:
    """Show every setting, its value and where it comes from."""
    _note_config_error(console)
    for name, (value, source) in ghost_settings.resolve(
        use_file=console.config_error is None, **console.overrides
    ).items():
        declared = ghost_settings.SETTINGS[name].metadata
        about = declared["about"]
        if not declared["is_listed"]:
            if source == "default" or source.startswith("profile "):
                continue
            about = f"a part of GHOST_PROFILE=specified: {about}"
        value = _masked_value(name, value)
        console.show(
            {"name": name, "value": value, "source": source, "about": about},
            f"{bold(name)} = {value}  {dim(f'{about}  [{source}]')}",
        )


config.tolerant = True
config.listing(_show_settings, name="show", tolerant=True)
config.listing(
    _show_settings,
    tolerant=True,
    hidden=True,
    help="Show every setting; the same as `ghost config show`.",
)


@config.command("set", tolerant=True)
@click.argument(
    "name",
    shell_complete=lambda _, __, typed: [
        part.name for part in ghost_settings.listed_settings() if part.name.startswith(typed)
    ],
)
@click.argument("value")
def config_set(console: Console, name: str, value: str) -> None:
    """Write a setting into the configuration file."""
    from pathlib import Path

    path = ghost_settings.config_path()
    with locked_elsewhere(Path(path)):
        written = ghost_settings.write_config(path, name, value)
    parsed = _masked_value(name, written)
    console.show({"name": name, "value": parsed, "path": str(path)}, f"{name} = {parsed} in {path}")


@config.command("path", tolerant=True)
def config_path(console: Console) -> None:
    """Print the path of the configuration file."""
    path = str(ghost_settings.config_path())
    console.show({"path": path}, path, verbatim=True)


MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


@command("doctor", "  ghost doctor --fix\n", tolerant=True)
@click.option("--fix", is_flag=True, help="Repair what can be repaired.")
def doctor(console: Console, fix: bool) -> int:
    """Examine the installation and suggest repairs; exit 5 if there is a problem."""
    console.progress("examining")
    found = examine(
        console.settings,
        lambda: console.ghost.store,
        fix=fix,
        config_error=console.config_error,
        further=lambda: _client_findings(console.settings),
    )
    if console.as_json:
        console.json(found)
    else:
        for finding in found.findings:
            mark, colour = MARKS[finding.state]
            console.line(
                f"{click.style(mark, fg=colour)} {finding.name}: {visible(finding.detail)}"
            )
            if finding.fix:
                console.line(f"    → {visible(finding.fix)}")
    return 0 if found.ok else 5


def _client_findings(settings: ghost_settings.Settings) -> "Iterator[DoctorFinding]":
    yield from check_clients(settings)
    path = log_path(settings)
    failure = last_log_line(path)
    if failure:
        yield DoctorFinding(
            "hooks",
            "warning",
            f"the last failure: {failure}",
            f"see {path}; delete it when the problem is solved",
        )


@command(
    "completion",
    """\
  ghost completion bash >> ~/.bashrc
  ghost completion fish > ~/.config/fish/completions/ghost.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(console: Console, shell: str) -> None:
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    variables = made(cli, {}, "ghost", "_GHOST_COMPLETE")
    source = variables.source_template % variables.source_vars()
    console.show({"shell": shell, "script": source}, source, verbatim=True)


@command("version", "  ghost version\n", tolerant=True)
def version(console: Console) -> None:
    console.show(
        {"version": __version__, "python": platform.python_version()}, f"ghost {__version__}"
    )
