"""The overview of a namespace as text: counts, shares and recent changes in tables."""

from collections.abc import Sequence
from datetime import datetime

import click

from ghostmem.cli.output import plural
from ghostmem.cli.screen import size
from ghostmem.cli.style import bold, dim
from ghostmem.cli.tables import Column, age, bar, fit, section, table
from ghostmem.text.excerpt import visible
from ghostmem.web.overview import Happening, Look, MemoryLine, Share

MAX_WIDTH = 120


BAR = 20


TIERS = {"sensory": "sensory", "stm": "short-term", "ltm": "long-term", "dormant": "dormant"}


HAPPENINGS = 8


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


def width() -> int:
    """Return the width for tables: that of the terminal, at most MAX_WIDTH."""
    return max(40, min(MAX_WIDTH, size()[0]))


def lines(found: Look, now: datetime, columns: int) -> list[str]:
    """Return an overview as lines of text."""
    several = len(found.namespaces) > 1
    lately = section("Recently changed", happenings(found.happened, now, columns, several))
    return [*headline(found, columns), *sections(found, now, columns), *lately]


def headline(found: Look, columns: int) -> list[str]:
    """Return the number of memories and their topics."""
    tokens = f", {found.est_tokens:,} tokens" if found.total else ""
    lines = [
        f"{bold(visible(found.ns or 'all namespaces'))}: {plural(found.total, 'memory')}{tokens}"
    ]
    return (
        [*lines, f"  {dim('topics')}  {fit(', '.join(found.topics), columns - 10)}"]
        if found.topics
        else lines
    )


def sections(found: Look, now: datetime, columns: int) -> list[str]:
    """Return namespaces, tiers, sources, and the pinned and newest memories."""
    several = len(found.namespaces) > 1
    tiers = [
        Share(
            TIERS.get(share.name, share.name),
            share.count,
            share.est_tokens,
            share.pinned,
            share.newest,
        )
        for share in found.tiers
    ]
    return [
        *section(
            "Namespaces", _shares(found.namespaces, found.total, now, columns) if several else []
        ),
        *section("Tiers", _shares(tiers, found.total, now, columns)),
        *section("Sources", _shares(found.sources, found.total, now, columns)),
        *section("Pinned", _memories(found.pinned, now, columns, several)),
        *section("Newest", _memories(found.newest, now, columns, several)),
    ]


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
            age(share.newest, now),
            bar(share.count / max(1, total), BAR),
        ]
        for share in shares[:10]
    ]
    kept = len(heads) if columns >= 70 else 5 if columns >= 50 else 3
    heads, rows = heads[:kept], [row[:kept] for row in rows]
    more = [dim(f"  and {len(shares) - 10:,} more")] if len(shares) > 10 else []
    return table(heads, rows, columns) + more


def _name(entry: MemoryLine | Happening, several: bool) -> str:
    return f"{entry.ns}/{entry.key}" if several else entry.key


def _memories(found: Sequence[MemoryLine], now: datetime, columns: int, several: bool) -> list[str]:
    heads = [
        Column(right=True, style=dim),
        Column(style=bold, yields=True, most=max(16, columns // 3)),
        Column(right=True, style=dim),
        Column(yields=True),
    ]
    rows = [
        [age(memory.at, now), _name(memory, several), f"{memory.importance:.2f}", memory.summary]
        for memory in found
    ]
    return table(heads, rows, columns)


def happenings(
    found: Sequence[Happening],
    now: datetime,
    columns: int,
    several: bool,
    fresh: Sequence[Happening] = (),
) -> list[str]:
    """Return changes as lines of text, new ones marked; equal neighbours share a line."""
    new = {(first.ns, first.sequence) for first in fresh}
    heads = [
        Column(style=lambda text: click.style(text, fg="green", bold=True)),
        Column(right=True, style=dim),
        Column(),
        Column(style=bold, yields=True, most=max(16, columns // 3)),
        Column(style=dim, yields=True),
    ]
    rows = []
    for group in _groups(found):
        first = group[0]
        mark = "*" if any((each.ns, each.sequence) in new for each in group) else " "
        if len(group) == 1:
            rows.append(
                [mark, age(first.at, now), _word(first), _name(first, several), first.summary]
            )
        else:
            rows.append(
                [
                    mark,
                    age(first.at, now),
                    _word(first),
                    _many(group, several),
                    ", ".join(each.key for each in group if each.key),
                ]
            )
    return table(heads, rows[:HAPPENINGS], columns, indent=0)


def _groups(found: Sequence[Happening]) -> list[list[Happening]]:
    """Join neighbours with the same operation in the same namespace, except for puts."""
    groups: list[list[Happening]] = []
    for change in found:
        last = groups[-1][0] if groups else None
        if last is not None and change.op != "put" and (last.ns, last.op) == (change.ns, change.op):
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _many(group: Sequence[Happening], several: bool) -> str:
    many = plural(len(group), "memory")
    return f"{many} of {group[0].ns}" if several else many


def _word(change: Happening) -> str:
    if change.op == "put" and change.version > 1:
        return f"changed to v{change.version}"
    return _WORDS.get(change.op.lower(), change.op.lower().replace("_", " "))
