"""ghost outline, stale: code, and memories about it."""

from typing import Any

import click

from ghostmem.cli.console import Console, ConsoleGroup, command
from ghostmem.cli.options import Decorator, joined, option, options, words
from ghostmem.cli.output import dim, named
from ghostmem.outline.languages.table import LANGUAGES
from ghostmem.outline.stale import Stale
from ghostmem.parameters import OPERATIONS
from ghostmem.text.excerpt import visible

outline = ConsoleGroup(
    "outline",
    """\
  ghost outline symbol Session.send --root ~/src/requests
  ghost outline file mux.go --relations calls,calledBy --omit-native
  ghost outline project --language rust --depth 1 --format json
""",
)


OUTLINE_OPTIONS = options(
    "outline_symbol",
    click.option(
        "--language",
        help=f"One of {', '.join(LANGUAGES)}; by default detected from the files.",
    ),
    "root depth relations omit_native max_nodes offset",
    click.option("--no-tests", is_flag=True, help="Leave out test files."),
    option(OPERATIONS["outline_symbol"]["include_memories"], "--memories", "include_memories"),
)


def _row(name: str, about: str, *params: Decorator) -> None:
    @joined(*params, OUTLINE_OPTIONS)
    def run(console: Console, relations: tuple[str, ...], no_tests: bool, **values: Any) -> None:
        made = getattr(console.ghost.outline, name)(
            relations=words(relations) or [], include_tests=not no_tests, **values
        )
        console.json(made.data) if console.as_json else console.raw(made.text.removesuffix("\n"))

    outline.command(name, help=about)(run)


_row(
    "symbol",
    "Show the relations of a symbol, by its full or partial name.",
    click.argument("symbol"),
    click.option("--file", help="Only in this file, by its path from the root."),
)
_row("file", "Show every symbol that a file declares.", click.argument("file"))
_row("project", "Show every symbol of a project.")


@command(
    "stale",
    """\
  ghost stale -n agent:me
  ghost stale --root ~/src/shop --all
""",
)
@options("stale", "ns root")
@click.option(
    "--all", "everything", is_flag=True, help="Also list memories whose code is unchanged."
)
def stale(console: Console, ns: str | None, root: str | None, everything: bool) -> None:
    found = console.ghost.outline.stale(console.ns_filter(ns), root=root, everything=everything)
    console.show_all(
        found,
        _stale_row,
        "no memory is linked to code" if everything else "no linked code has changed",
    )


def _stale_row(stale_symbol: Stale) -> str:
    where = dim(f"{visible(stale_symbol.symbol)}  {visible(stale_symbol.path)}")
    return f"{named(stale_symbol)}  {where}  {visible(stale_symbol.mark) or 'current'}"
