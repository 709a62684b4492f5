"""The overview of a namespace as text: counts, shares and recent changes in tables."""

import shutil
from collections.abc import Sequence
from datetime import datetime

import click

from ghostmem.cli.output import bold, dim, plural
from ghostmem.cli.tables import Column, age, bar, fit, section, table
from ghostmem.text.excerpt import visible
from ghostmem.web.overview import Happening, Line, Look, Share

MAX_WIDTH = 120


BAR = 20


TIERS = {"sensory": "sensory", "stm": "short-term", "ltm": "long-term", "dormant": "dormant"}


HAPPENINGS = 8


_WORDS = {
    "put": "said",
    "remove": "removed",
    "delete": "deleted",
    "restore": "restored",
    "decay": "faded",
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
    """Return how wide tables may be: the terminal, but no wider than can be read; 100 where there
    is none.
    """
    return max(40, min(MAX_WIDTH, shutil.get_terminal_size((100, 40)).columns))


def lines(found: Look, now: datetime, columns: int) -> list[str]:
    """Return a look as lines of text."""
    several = len(found.namespaces) > 1
    lately = section("Changed lately", happenings(found.happened, now, columns, several))
    return [*headline(found, columns), *sections(found, now, columns), *lately]


def headline(found: Look, columns: int) -> list[str]:
    """Return how much there is, and what it is about."""
    tokens = f", {found.est_tokens:,} tokens" if found.total else ""
    told = [
        f"{bold(visible(found.ns or 'all namespaces'))}: {plural(found.total, 'memory')}{tokens}"
    ]
    return (
        [*told, f"  {dim('topics')}  {fit(', '.join(found.topics), columns - 10)}"]
        if found.topics
        else told
    )


def sections(found: Look, now: datetime, columns: int) -> list[str]:
    """Return where it is, how old and whose it is, and which memories come first."""
    several = len(found.namespaces) > 1
    tiers = [
        Share(TIERS.get(one.name, one.name), one.count, one.est_tokens, one.pinned, one.newest)
        for one in found.tiers
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
            one.name,
            f"{one.count:,}",
            f"{one.est_tokens:,}",
            f"{one.pinned:,}" if one.pinned else "",
            age(one.newest, now),
            _bar(one, total),
        ]
        for one in shares[:10]
    ]
    kept = len(heads) if columns >= 70 else 5 if columns >= 50 else 3
    heads, rows = heads[:kept], [row[:kept] for row in rows]
    more = [dim(f"  and {len(shares) - 10:,} more")] if len(shares) > 10 else []
    return table(heads, rows, columns) + more


def _bar(share: Share, total: int) -> str:
    return bar(share.count / max(1, total), BAR)


def _name(one: Line | Happening, several: bool) -> str:
    return f"{one.ns}/{one.key}" if several else one.key


def _memories(found: Sequence[Line], now: datetime, columns: int, several: bool) -> list[str]:
    heads = [
        Column(right=True, style=dim),
        Column(style=bold, yields=True, most=max(16, columns // 3)),
        Column(right=True, style=dim),
        Column(yields=True),
    ]
    rows = [
        [age(one.at, now), _name(one, several), f"{one.importance:.2f}", one.summary]
        for one in found
    ]
    return table(heads, rows, columns)


def happenings(
    found: Sequence[Happening],
    now: datetime,
    columns: int,
    several: bool,
    fresh: Sequence[Happening] = (),
) -> list[str]:
    """Return what happened as lines of text, with a mark beside what is fresh.

    What happened to many at once is one line.
    """
    new = {(one.ns, one.sequence) for one in fresh}
    heads = [
        Column(style=lambda text: click.style(text, fg="green", bold=True)),
        Column(right=True, style=dim),
        Column(),
        Column(style=bold, yields=True, most=max(16, columns // 3)),
        Column(style=dim, yields=True),
    ]
    rows = []
    for group in _groups(found):
        one = group[0]
        mark = "*" if any((each.ns, each.sequence) in new for each in group) else " "
        if len(group) == 1:
            rows.append([mark, age(one.at, now), _word(one), _name(one, several), one.summary])
        else:
            rows.append(
                [
                    mark,
                    age(one.at, now),
                    _word(one),
                    _many(group, several),
                    ", ".join(each.key for each in group if each.key),
                ]
            )
    return table(heads, rows[:HAPPENINGS], columns, indent=0)


def _groups(found: Sequence[Happening]) -> list[list[Happening]]:
    """Join neighbours to which the same was done in the same namespace.

    What was said stays one by one.
    """
    groups: list[list[Happening]] = []
    for one in found:
        last = groups[-1][0] if groups else None
        if last is not None and one.op != "put" and (last.ns, last.op) == (one.ns, one.op):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _many(group: Sequence[Happening], several: bool) -> str:
    many = plural(len(group), "memory")
    return f"{many} of {group[0].ns}" if several else many


def _word(one: Happening) -> str:
    if one.op == "put" and one.version > 1:
        return f"changed to v{one.version}"
    return _WORDS.get(one.op.lower(), one.op.lower().replace("_", " "))
