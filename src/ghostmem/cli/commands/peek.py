"""ghost peek: an overview of a namespace; with --watch again and again, with the changes since."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime

import click

from ghostmem.cli.console import Console, command
from ghostmem.cli.options import ALL, NS_FILTER, either
from ghostmem.cli.output import bar, bold, dim, plural
from ghostmem.cli.terminal import (
    Column,
    fit,
    leaving,
    screen,
    table,
    terminal_size,
    wait_for_size,
)
from ghostmem.errors import EngineError
from ghostmem.store.lookup import sequences
from ghostmem.text.excerpt import visible
from ghostmem.web.overview import Happening, Look, MemoryLine, Share, happened_since, look

MAX_WIDTH = 120
MAX_SHARES = 10  # rows of a table of counts
MAX_HAPPENINGS = 8
BAR = 20
# seconds after which the overview is read again without a write: a memory may have expired
STALE = 60.0
TIERS = {"stm": "short-term", "ltm": "long-term"}
_AGES = {
    31_536_000: "y",
    2_592_000: "mo",
    604_800: "w",
    86_400: "d",
    3_600: "h",
    60: "min",
}
_WORDS = {
    "put": "said",
    "remove": "deleted",
    "delete": "deleted",
    "restore": "restored",
    "decay": "decayed",
    "promote": "promoted",
    "demote": "demoted",
    "archive": "archived",
    "boost": "raised",
    "diminish": "lowered",
    "pin": "pinned",
    "unpin": "unpinned",
    "lock": "locked",
    "unlock": "unlocked",
    "link": "linked",
    "unlink": "unlinked",
    "tag": "tagged",
    "merge": "merged",
}


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
    ns = either(ns, ns_argument, "namespaces", "-n")
    space = console.read_ns(ns, everything)
    if watch:
        _watch(console, space, interval)
    elif console.as_json:
        console.json(console.ghost.admin.peek(space))
    else:
        overview = look(console.ghost.store, space)
        _print_overview(console, overview)
        if not overview.total:
            console.note_nothing(
                "no memories",
                ns,
                everything,
                lambda: Counter({info.ns: info.count for info in console.ghost.admin.namespaces()}),
            )


def _print_overview(console: Console, overview: Look) -> None:
    now, columns = console.ghost.store.clock(), _width()
    console.line(
        "\n".join(
            [
                *_headline(overview, columns),
                *_sections(overview, now, columns),
                *_lately(overview, now, columns, ()),
            ]
        )
    )


def _width() -> int:
    """Return the width for tables: that of the terminal, at most MAX_WIDTH."""
    return max(40, min(MAX_WIDTH, terminal_size()[0]))


def _headline(overview: Look, columns: int) -> list[str]:
    tokens = f", {overview.est_tokens:,} tokens" if overview.total else ""
    name = bold(visible(overview.ns or "all namespaces"))
    topics = f"  {dim('topics')}  {fit(', '.join(overview.topics), columns - 10)}"
    head = f"{name}: {plural(overview.total, 'memory')}{tokens}"
    return [head, topics] if overview.topics else [head]


def _sections(overview: Look, now: datetime, columns: int) -> list[str]:
    several, total = _has_several(overview), overview.total
    tiers = [replace(tier, name=TIERS.get(tier.name, tier.name)) for tier in overview.tiers]
    namespaces = overview.namespaces if several else ()
    return [
        *_section("Namespaces", _shares(namespaces, total, now, columns)),
        *_section("Tiers", _shares(tiers, total, now, columns)),
        *_section("Sources", _shares(overview.sources, total, now, columns)),
        *_section("Pinned", _memories(overview.pinned, now, columns, several)),
        *_section("Newest", _memories(overview.newest, now, columns, several)),
    ]


def _lately(overview: Look, now: datetime, columns: int, fresh: Sequence[Happening]) -> list[str]:
    """Return the recent changes; those since the last overview are marked and counted."""
    since = f", {plural(len(fresh), 'change')} since the last update" if fresh else ""
    return _section(
        f"Recently changed{since}",
        _happenings(overview.happened, now, columns, _has_several(overview), fresh),
    )


def _section(title: str, lines: Sequence[str]) -> list[str]:
    """Return lines under a title, after an empty line; without lines an empty list."""
    return ["", bold(title), *lines] if lines else []


def _has_several(overview: Look) -> bool:
    return len(overview.namespaces) > 1


def _shares(shares: Sequence[Share], total: int, now: datetime, columns: int) -> list[str]:
    heads = [
        Column("name", style=bold, yields=True, most=60),
        Column("memories", right=True),
        Column("tokens", right=True),
        Column("pinned", right=True),
        Column("newest", right=True, style=dim),
        Column("", style=lambda text: click.style(text, fg="magenta"), most=BAR),
    ]
    rows = [
        [
            share.name,
            f"{share.count:,}",
            f"{share.est_tokens:,}",
            f"{share.pinned:,}" if share.pinned else "",
            _age(share.newest, now),
            bar(share.count / max(1, total), BAR),
        ]
        for share in shares[:MAX_SHARES]
    ]
    shown = len(heads) if columns >= 70 else 5 if columns >= 50 else 3
    lines = table(heads[:shown], [row[:shown] for row in rows], columns)
    more = len(shares) - MAX_SHARES
    return [*lines, dim(f"  and {more:,} more")] if more > 0 else lines


def _age(at: datetime, now: datetime) -> str:
    seconds = (now - at).total_seconds()
    if seconds < 0:
        return "ahead"
    ages = (f"{int(seconds // size)} {unit}" for size, unit in _AGES.items() if seconds >= size)
    return next(ages, "now")


def _name(entry: MemoryLine | Happening, several: bool) -> str:
    return f"{entry.ns}/{entry.key}" if several else entry.key


def _memories(
    memories: Sequence[MemoryLine], now: datetime, columns: int, several: bool
) -> list[str]:
    heads = [
        Column(right=True, style=dim),
        Column(style=bold, yields=True, most=max(16, columns // 3)),
        Column(right=True, style=dim),
        Column(yields=True),
    ]
    rows = [
        [_age(memory.at, now), _name(memory, several), f"{memory.importance:.2f}", memory.summary]
        for memory in memories
    ]
    return table(heads, rows, columns)


def _happenings(
    changes: Sequence[Happening],
    now: datetime,
    columns: int,
    several: bool,
    fresh: Sequence[Happening] = (),
) -> list[str]:
    """Return changes as lines of text, new ones marked; equal neighbours share a line."""
    heads = [
        Column(style=lambda text: click.style(text, fg="green", bold=True)),
        Column(right=True, style=dim),
        Column(),
        Column(style=bold, yields=True, most=max(16, columns // 3)),
        Column(style=dim, yields=True),
    ]
    new = {(change.ns, change.sequence) for change in fresh}
    rows = [
        [
            "*" if any((change.ns, change.sequence) in new for change in group) else " ",
            _age(group[0].at, now),
            _word(group[0]),
            *_subject(group, several),
        ]
        for group in _groups(changes)
    ]
    return table(heads, rows[:MAX_HAPPENINGS], columns, indent=0)


def _groups(changes: Sequence[Happening]) -> list[list[Happening]]:
    """Join neighbours with the same operation in the same namespace, except for puts."""
    groups: list[list[Happening]] = []
    for change in changes:
        last = groups[-1][0] if groups else None
        if last is not None and change.op != "put" and (last.ns, last.op) == (change.ns, change.op):
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _subject(group: Sequence[Happening], several: bool) -> tuple[str, str]:
    """Return the name and the text of one memory, or the number and the keys of several."""
    first = group[0]
    if len(group) == 1:
        return _name(first, several), first.summary
    count = plural(len(group), "memory")
    return f"{count} of {first.ns}" if several else count, ", ".join(
        change.key for change in group if change.key
    )


def _word(change: Happening) -> str:
    if change.op == "put" and change.version > 1:
        return f"changed to v{change.version}"
    return _WORDS.get(change.op.lower(), change.op.lower().replace("_", " "))


@dataclass
class Seen:
    """The last overview, and the changes since the one before."""

    overview: Look | None = None
    at: datetime | None = None
    ends: Mapping[str, int] | None = None
    fresh: tuple[Happening, ...] = ()
    trouble: str = ""


def _watch(console: Console, ns: str, interval: float) -> None:
    """Show an overview until interrupted: redrawn on a terminal, as text blocks elsewhere."""
    seen = Seen()
    is_drawn = sys.stdout.isatty() and not console.as_json
    with leaving() as stop, screen() if is_drawn else nullcontext() as draw:
        while not stop.is_set():
            has_news = _look_again(console, ns, seen)
            if draw is not None:
                draw(_frame(console, ns, seen, interval))
                wait_for_size(stop, interval)
                continue
            if has_news:
                _print_news(console, ns, seen)
            stop.wait(interval)


def _look_again(console: Console, ns: str, seen: Seen) -> bool:
    """Update the overview after a change or a minute; tell whether there is news."""
    if console.is_store_missing and not console.overrides.get("db"):
        is_first, seen.ends = seen.ends is None, {}
        return is_first
    try:
        store = console.ghost.store
        now, ends = store.clock(), sequences(store)
        is_first = seen.overview is None
        is_same = ends == seen.ends and not is_first
        fresh = () if seen.ends is None or is_same else happened_since(store, seen.ends, ns)
        if not is_same or seen.at is None or (now - seen.at).total_seconds() > STALE:
            seen.overview, seen.at, seen.ends = look(store, ns), now, ends
        seen.fresh, seen.trouble = fresh or seen.fresh, ""
        return is_first or bool(fresh)
    except EngineError as error:  # busy, or gone for a moment: what was seen stays on the screen
        is_new, seen.trouble = seen.trouble != error.message, error.message
        return is_new


def _frame(console: Console, ns: str, seen: Seen, interval: float) -> list[str]:
    """Return the lines of the screen: changes first, because the end may be cut off."""
    columns, rows = terminal_size()
    if seen.overview is None:
        lines = [
            f"{visible(ns or 'all namespaces')}: no store yet at {visible(console.settings.shown)}"
        ]
    else:
        now, columns = console.ghost.store.clock(), min(columns, MAX_WIDTH)
        lines = [
            *_headline(seen.overview, columns),
            *_lately(seen.overview, now, columns, seen.fresh),
            *_sections(seen.overview, now, columns),
        ]
    lines = [
        *lines[: rows - 2],
        "",
        f"{visible(seen.trouble)}; trying again"
        if seen.trouble
        else dim(f"every {interval:g} s; press Ctrl-C to stop"),
    ]
    return lines if console.settings.color != "never" else [click.unstyle(line) for line in lines]


def _print_news(console: Console, ns: str, seen: Seen) -> None:
    """Print everything the first time, then only changes."""
    if seen.trouble:
        console.note(f"note: {seen.trouble}; trying again")
    elif seen.overview is None:
        console.note(f"note: there is no store yet at {console.settings.shown}")
    elif console.as_json:
        happened = {"happened": [change.to_dict() for change in seen.fresh]} if seen.fresh else {}
        console.json(console.ghost.admin.peek(ns).to_dict() | happened)
    elif not seen.fresh:
        _print_overview(console, seen.overview)
    else:
        now = console.ghost.store.clock()
        head = f"{now:%Y-%m-%d %H:%M:%S}  {visible(ns or 'all namespaces')}"
        console.line(f"\n{head}: {plural(seen.overview.total, 'memory')}")
        console.line("\n".join(_happenings(seen.fresh, now, _width(), _has_several(seen.overview))))
    sys.stdout.flush()
