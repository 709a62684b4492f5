"""ghost peek: an overview of a namespace."""

import click

from ghostmem.cli.console import Console, command
from ghostmem.cli.options import NS_FILTER
from ghostmem.cli.overview import lines, width
from ghostmem.web.overview import look


@command("peek", "  ghost peek -n agent:me\n  ghost peek --watch\n")
@NS_FILTER
@click.option("--watch", is_flag=True, help="Stay, and show what changes, until interrupted.")
@click.option(
    "--interval",
    type=click.FloatRange(0.2, 3600),
    default=2.0,
    show_default=True,
    help="Seconds between looks of --watch.",
)
def peek(console: Console, ns: str | None, watch: bool, interval: float) -> None:
    ns = console.ns_filter(ns)
    if watch:
        from ghostmem.cli.watch import watch_peek

        watch_peek(console, ns, interval)
    elif console.as_json:
        console.json(console.ghost.peek(ns))
    else:
        console.line(
            "\n".join(lines(look(console.ghost.store, ns), console.ghost.store.clock(), width()))
        )
