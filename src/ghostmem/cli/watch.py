"""`ghost peek --watch`: the overview again and again, with the changes since the last one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime

import click

from ghostmem.cli.console import Console
from ghostmem.cli.output import plural
from ghostmem.cli.overview import MAX_WIDTH, happenings, headline, lines, sections, width
from ghostmem.cli.screen import leaving, screen, size, wait_for_size
from ghostmem.cli.style import dim
from ghostmem.cli.tables import section
from ghostmem.errors import EngineError
from ghostmem.store.sequences import sequences
from ghostmem.text.excerpt import visible
from ghostmem.web.overview import Happening, Look, happened_since, look

# seconds after which the overview is read again without a write: a memory may have expired
STALE = 60.0


@dataclass
class Seen:
    """The last overview, and the changes since the one before."""

    found: Look | None = None
    at: datetime | None = None
    ends: Mapping[str, int] | None = None
    fresh: tuple[Happening, ...] = ()
    trouble: str = ""


def watch_peek(console: Console, ns: str, interval: float) -> None:
    """Show an overview until interrupted: redrawn on a terminal, as text blocks elsewhere."""
    drawn = sys.stdout.isatty() and not console.as_json
    seen = Seen()
    with leaving() as stop, ExitStack() as stack:
        draw = stack.enter_context(screen()) if drawn else None
        while not stop.is_set():
            news = _look_again(console, ns, seen)
            if draw is not None:
                draw(_frame(console, ns, seen, interval))
                wait_for_size(stop, interval)
                continue
            if news:
                _block(console, ns, seen)
            stop.wait(interval)


def _look_again(console: Console, ns: str, seen: Seen) -> bool:
    """Update the overview after a change or a minute; tell whether there is news."""
    if console.is_store_missing and not console.overrides.get("db"):
        first, seen.ends = seen.ends is None, {}
        return first
    try:
        store = console.ghost.store
        now, ends = store.clock(), sequences(store)
        if seen.found is not None and ends == seen.ends:
            seen.trouble = ""
            if seen.at is None or (now - seen.at).total_seconds() > STALE:
                seen.found, seen.at = look(store, ns), now
            return False
        before = seen.ends
        fresh = () if before is None else happened_since(store, before, ns)
        first = seen.found is None
        seen.found, seen.at, seen.ends, seen.fresh, seen.trouble = (
            look(store, ns),
            now,
            ends,
            fresh or seen.fresh,
            "",
        )
        return first or bool(fresh)
    except EngineError as error:  # busy, or gone for a moment: what was seen stays on the screen
        is_new, seen.trouble = seen.trouble != error.message, error.message
        return is_new


def _frame(console: Console, ns: str, seen: Seen, interval: float) -> list[str]:
    """Return the lines of the screen: changes first, because the end may be cut off."""
    foot = dim(f"every {interval:g} s; press Ctrl-C to stop")
    if seen.trouble:
        foot = f"{visible(seen.trouble)}; trying again"
    columns, rows = size()
    if seen.found is None:
        lines = [
            f"{visible(ns or 'all namespaces')}: no store yet at {visible(console.settings.shown)}"
        ]
    else:
        found, now = seen.found, console.ghost.store.clock()
        columns = min(columns, MAX_WIDTH)
        several = len(found.namespaces) > 1
        title = (
            f"Recently changed, {plural(len(seen.fresh), 'change')} since the last update"
            if seen.fresh
            else "Recently changed"
        )
        lately = section(title, happenings(found.happened, now, columns, several, seen.fresh))
        lines = [*headline(found, columns), *lately, *sections(found, now, columns)]
    lines = [*lines[: rows - 2], "", foot]
    return lines if console.settings.color != "never" else [click.unstyle(line) for line in lines]


def _block(console: Console, ns: str, seen: Seen) -> None:
    """Print the news: everything the first time, then only changes."""
    if seen.trouble:
        console.note(f"note: {seen.trouble}; trying again")
    elif seen.found is None:
        console.note(f"note: there is no store yet at {console.settings.shown}")
    elif console.as_json:
        overview = console.ghost.admin.peek(ns).to_dict()
        console.json(
            {**overview, "happened": [change.to_dict() for change in seen.fresh]}
            if seen.fresh
            else overview
        )
    elif not seen.fresh:
        console.line("\n".join(lines(seen.found, console.ghost.store.clock(), width())))
    else:
        now, found = console.ghost.store.clock(), seen.found
        console.line(
            f"\n{now:%Y-%m-%d %H:%M:%S}  {visible(ns or 'all namespaces')}: "
            f"{plural(found.total, 'memory')}"
        )
        console.line("\n".join(happenings(seen.fresh, now, width(), len(found.namespaces) > 1)))
    sys.stdout.flush()
