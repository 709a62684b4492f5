"""ghost migrate"""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from ghostmem.cli.face import DRY_RUN, Face, declare
from ghostmem.cli.output import bold, dim, plural, size
from ghostmem.text.excerpt import visible

if TYPE_CHECKING:
    from ghostmem.transfer.checksums import NamespaceSum
    from ghostmem.transfer.migrate import Migration

EXAMPLES = """\
  ghost migrate --to postgresql://ghost@db.example/ghost --dry-run
  ghost migrate --from ~/.ghost/memory.db --to postgresql://ghost@db.example/ghost --switch
  ghost migrate --from postgresql://ghost@db.example/ghost --to copy.db
"""
_WIDTH = 24  # characters of the bar
_OFTEN = 0.1  # seconds between two looks of it
_LISTED = 20  # namespaces whose tables are listed one by one


@declare("migrate", "Move the store to a file or a PostgreSQL database.", EXAMPLES)
@click.option(
    "--from",
    "source",
    metavar="STORE",
    help="The store to move: a file or a postgresql:// URL; else the one in use.",
)
@click.option(
    "--to",
    "target",
    metavar="STORE",
    required=True,
    help="Where to: a file that is not there yet, or an empty database.",
)
@click.option(
    "--switch", is_flag=True, help="Let the configuration name the new store when all is there."
)
@DRY_RUN
def command(face: Face, source: str | None, target: str, switch: bool, dry_run: bool) -> None:
    from ghostmem.transfer.migrate import migrate

    show, clear = _bar()
    try:
        done = migrate(
            source or face.settings.path,
            target,
            switch=switch,
            dry_run=dry_run,
            settings=face.settings,
            progress=show,
        )
    finally:
        clear()
    face.one(done, _text(done))
    if not face.as_json and not dry_run:
        _advise(face, done)


def _advise(face: Face, done: "Migration") -> None:
    """Say what there is to do next."""
    from ghostmem.settings import resolve

    if not done.switched:
        face.note(
            f"to use it from now on: ghost config set db {visible(done.target)}"
            + _secret(done.target)
        )
        return
    face.note(
        f"programs that have {visible(done.source)} open write there until they are "
        "started again; what they put after"
    )
    face.note("this moment comes over with `ghost --db OLD export | ghost --db NEW import`")
    if (where := resolve()["db"][1]).isupper():
        face.note(
            f"{where} is set and wins over the configuration: let it name the new store, "
            "or unset it"
        )


def _secret(target: str) -> str:
    return "  (with the password in the place of ***)" if "***" in target else ""


def _text(done: "Migration") -> str:
    """Return what was moved, with the checksum of each namespace."""
    many = len(done.namespaces) > _LISTED
    lines = [line for one in done.namespaces for line in _lines(one, many)]
    if done.dry_run:
        verb = "would go on moving" if done.resumed else "would move"
        head = (
            f"{verb} {plural(done.rows, 'row')} ({size(done.source_bytes)}) from "
            f"{done.source} to {done.target}"
        )
    else:
        head = (
            f"moved {plural(done.rows, 'row')} from {done.source} to {done.target} in "
            f"{done.seconds:.1f} s"
        )
        lines.append(
            "verified: every checksum is the same in both; "
            f"{plural(done.caught_up, 'change')} came in meanwhile,"
            f" writers waited {done.held_seconds:.2f} s"
        )
    if done.switched:
        lines.append(f"{done.switched} names the new store")
    lines.append(dim(f"left out, because it is made again: {', '.join(done.left_out)}"))
    return "\n".join([visible(head), *lines])


def _lines(one: "NamespaceSum", many: bool) -> list[str]:
    found = [
        f"{bold(visible(one.ns) or '(the whole store)')}  {plural(one.rows, 'row')}  "
        f"{dim(one.checksum[:16])}".rstrip()
    ]
    return (
        found
        if many
        else found
        + [
            f"  {part.table:<16}{part.rows:>9,}  {dim(part.checksum[:16])}".rstrip()
            for part in one.tables
        ]
    )


def _bar() -> tuple[Callable[[str, int, int], None], Callable[[], None]]:
    """Return a function that draws a bar on a terminal, and one that takes it away."""
    drawn: list[float] = [0.0, 0.0]  # when, and how wide

    def show(what: str, done: int, total: int) -> None:
        at = time.monotonic()
        if not sys.stderr.isatty() or (at - drawn[0] < _OFTEN and done < total):
            return
        filled = _WIDTH * done // total if total else _WIDTH
        text = f"{what} [{'#' * filled}{' ' * (_WIDTH - filled)}] {done:,} of {total:,}"
        click.echo(f"\r{text:<{int(drawn[1])}}", nl=False, err=True)
        drawn[:] = [at, max(drawn[1], len(text))]

    def clear() -> None:
        if drawn[1]:
            click.echo(f"\r{' ' * int(drawn[1])}\r", nl=False, err=True)

    return show, clear
