"""ghost peek: an overview of a namespace."""

from collections import Counter

import click

from ghostmem.cli.console import Console, command
from ghostmem.cli.options import ALL, NS_FILTER, either
from ghostmem.cli.overview import lines, width
from ghostmem.web.overview import look


@command("peek", "  ghost peek\n  ghost peek agent:me\n  ghost peek --all --watch\n")
@click.argument("ns_argument", metavar="[NS]", required=False)
@NS_FILTER
@ALL
@click.option("--watch", is_flag=True, help="Show changes until interrupted.")
@click.option(
    "--interval",
    type=click.FloatRange(0.2, 3600),
    default=2.0,
    show_default=True,
    help="Seconds between updates with --watch.",
)
def peek(
    console: Console,
    ns_argument: str | None,
    ns: str | None,
    everything: bool,
    watch: bool,
    interval: float,
) -> None:
    given = either(ns, ns_argument, "namespaces", "-n")
    space = console.read_ns(given, everything)
    if watch:
        from ghostmem.cli.watch import watch_peek

        watch_peek(console, space, interval)
    elif console.as_json:
        console.json(console.ghost.admin.peek(space))
    else:
        found = look(console.ghost.store, space)
        console.line("\n".join(lines(found, console.ghost.store.clock(), width())))
        if not found.total:
            console.note_nothing(
                "no memories",
                given,
                everything,
                lambda: Counter({info.ns: info.count for info in console.ghost.admin.namespaces()}),
            )
