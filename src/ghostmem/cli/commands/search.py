"""ghost search, timeline: find memories."""

import re
import sys
from collections import Counter
from typing import Any

import click

from ghostmem.caller import LOOKING
from ghostmem.cli.console import Console, command
from ghostmem.cli.options import (
    ALL,
    FILTER_NAMES,
    TIER,
    TIME_NAMES,
    options,
    read_text,
    refuse,
    words,
)
from ghostmem.cli.output import bar, bold, dim, labels, named, plural
from ghostmem.model import Hit, Hits
from ghostmem.search.timeline import Event
from ghostmem.text.excerpt import first_line, quoted_label, snippet, visible
from ghostmem.text.stem import stem
from ghostmem.text.terms import query_terms

UNFINISHED = "nothing found so far; part of the store has not been searched by meaning yet"


SNIPPET = 300  # characters of a chunk that are shown
BAR = 8  # cells of the bar of the best score
LEGEND = "score: how well a hit matches; the bar compares it with the best"


@command(
    "search",
    """\
  ghost search "what does the user drink in the morning?"
  ghost search --all "which editor?"
  ghost search -n 'agent:*' OPS-10482 --explain
  ghost search --in notes "what did I plant in spring?"
  ghost search "deploy" --kind procedural --after 2026-01-01 --json
""",
    sections={
        "Filters": "kind tier tags priority pinned file include_all min_score",
        "Source": "source_user source_kind source_scope source_client",
        "Time": TIME_NAMES + " as_of",
    },
)
@click.argument("query", nargs=-1)
@options(
    "search",
    "ns",
    ALL,
    "kind",
    TIER,
    FILTER_NAMES,
    TIME_NAMES,
    "file",
    click.option("--in", "within", help="Search only notes, or only memories."),
    "as_of limit include_all min_score weak explain",
)
def search(
    console: Console,
    query: tuple[str, ...],
    ns: str | None,
    everything: bool,
    tags: tuple[str, ...],
    tier: str | None,
    **filters: Any,
) -> None:
    print_search(
        console,
        read_text(query, "a question"),
        ns,
        everything,
        tags=words(tags),
        tiers=None if tier is None else [tier],
        **filters,
    )


def print_search(
    console: Console, text: str, ns: str | None, everything: bool = False, **filters: Any
) -> None:
    """Search and print the hits; filters are those of `Ghost.search`."""
    refuse(
        not text.strip(),
        "a question is required",
        '`ghost search "when do we deploy?"`; `ghost list` shows all memories',
    )
    if ns is None and filters.get("within") == "notes" and not console.settings.ns:
        everything = True  # each folder of notes has a namespace of its own
    found = console.ghost.search(text, console.read_ns(ns, everything), **filters)
    explain = bool(filters.get("explain"))
    best = 0.0 if console.as_json else _best_score(found)
    console.show_all(found, lambda hit: _hit_text(hit, text, best))
    if not found:
        console.note_nothing(
            "nothing relevant" if found.complete else UNFINISHED,
            ns,
            everything,
            lambda: count_hits(console, text, **filters),
        )
    if not console.as_json:
        _print_notes(console, found, explain, has_bars=best > 0)
    elif console.shape is None:  # an object after the array would not be JSON
        _print_summary(console, found, explain)


def _best_score(found: Hits) -> float:
    """Return the highest score, of which bars are a share; without a terminal, 0."""
    # not the score of the first hit: a correction comes before the hit that it corrects
    return max((hit.score for hit in found), default=0.0) if sys.stdout.isatty() else 0.0


def _print_notes(console: Console, found: Hits, explain: bool, has_bars: bool) -> None:
    for hit in found.superseded:
        console.note(dim(f"superseded: {hit.ns}/{visible(hit.key)}  {visible(hit.note)}"))
    if has_bars:
        console.note(dim(LEGEND if explain else f"{LEGEND}; --explain shows its parts"))
    if found.weaker:
        console.note(dim(f"{plural(len(found.weaker), 'weaker hit')} not shown; --weak lists them"))
    if explain:
        for miss in found.misses:
            console.note(dim(f"missed: {miss.ns}/{miss.key} {miss.score:.2f} {_reasons(miss)}"))
        console.note(dim(f"retrievers: {', '.join(found.legs)}"))
    for note in found.notes:
        console.note(dim(f"note: {note}"))


def count_hits(console: Console, text: str, **filters: Any) -> Counter[str]:
    """Count the hits in each of all namespaces; no memory is counted as shown.

    Notes are left out, because a search for notes indexes changed files first."""
    token = LOOKING.set(True)
    filters["within"] = "memories"
    try:
        return Counter(hit.ns for hit in console.ghost.search(text, "", **filters))
    finally:
        LOOKING.reset(token)


def _print_summary(console: Console, found: Hits, explain: bool) -> None:
    """Print, after the hits, an object about the whole search, if there is anything to report."""
    summary: dict[str, Any] = {"weaker": len(found.weaker)} if found.weaker else {}
    if explain:
        summary |= {
            name: getattr(found, name) for name in ("legs", "misses", "notes", "superseded")
        }
    for note in () if explain else found.notes:
        console.note(dim(f"note: {note}"))
    if summary:
        console.json(summary)


def _hit_text(hit: Hit, query: str, best: float) -> str:
    """Return a hit as text: name, score, matching text with highlighted words, and reasons.

    With a best score, which only a terminal has, the score is also drawn as a bar.
    """
    score_bar = f" {bar(min(1.0, hit.score / best), BAR):░<{BAR}}" if best > 0 else ""
    score = f"{hit.score:.2f}{score_bar}{' weak' if hit.weak else ''}"
    about = "  ".join((f"{hit.memory.created_at:%Y-%m-%d}", " ".join(labels(hit.memory))))
    text = snippet(hit.match_chunk, hit.match_start, hit.match_end, SNIPPET)
    lines = (
        f"line {hit.start_line}"
        if hit.start_line == hit.end_line
        else f"lines {hit.start_line}-{hit.end_line}"
    )
    parts = (
        f"{named(hit.memory)}  {score}  {dim(about.rstrip())}",
        _highlighted(text, query),
        dim(visible(f"{hit.root}/{hit.path}:{hit.line}")) if hit.path else "",
        visible(hit.note),
        dim(f"{lines}; {_reasons(hit)}") if hit.why else "",
    )
    return "\n    ".join(part for number, part in enumerate(parts) if part or number == 1)


def _highlighted(text: str, query: str) -> str:
    wanted = set(query_terms(query))
    return re.sub(
        r"[^\W_]+", lambda word: bold(word[0]) if stem(word[0].lower()) in wanted else word[0], text
    )


def _reasons(hit: Hit) -> str:
    if hit.why is None:
        return ""
    parts = ", ".join(
        f"{name} {value:+.2f}"
        for name, value in sorted(hit.why.parts.items(), key=lambda part: -abs(part[1]))
    )
    sources = [f"{leg} #{rank}" for leg, rank in hit.why.legs.items()]
    if hit.why.relevance is not None:
        sources.append(f"judge {hit.why.relevance:.0%}")
    return f"{parts} ({', '.join(sources)})" if sources else parts


@command(
    "timeline",
    """\
  ghost timeline -n agent:me editor
  ghost timeline -n agent:me "which database do we use?"
""",
)
@options("timeline", "ns")
@click.argument("what", metavar="KEY|QUESTION", nargs=-1)
def timeline(console: Console, ns: str | None, what: tuple[str, ...]) -> None:
    console.show_all(
        console.ghost.timeline(*console.memory_name(ns, read_text(what, "a key or a question"))),
        _event_text,
    )


def _event_text(event: Event) -> str:
    about = f"{event.event} by {visible(event.by)}" if event.by else event.event
    about += f", said by {quoted_label(event.source_user)}" if event.source_user else ""
    is_current = event.current and event.event in ("said", "changed", "reopened")
    about += "  ← current" if is_current else ""
    head = f"{event.at:%Y-%m-%d %H:%M}  {bold(visible(event.key))} v{event.version}  {about}"
    has_text = event.content and event.event in ("said", "changed", "restated")
    return f"{head}\n    {dim(first_line(event.content, 110))}" if has_text else head
