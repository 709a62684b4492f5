"""ghost search"""

import re
from typing import Any

import click

from ghostmem.cli.commands.list_ import AS_OF, FILTERS
from ghostmem.cli.face import LIMIT, NS_FILTER, Face, declare, read_text, words
from ghostmem.cli.output import bold, described, dim, named, plural
from ghostmem.model import Hit, Hits
from ghostmem.text.excerpt import snippet, visible
from ghostmem.text.stem import stem
from ghostmem.text.terms import query_terms

UNFINISHED = "nothing found so far; part of the store has not been searched by meaning yet"

EXAMPLES = """\
  ghost search -n agent:me "what does the user drink in the morning?"
  ghost search -n 'agent:*' OPS-10482 --explain
  ghost search --in notes "what did I plant in spring?"
  ghost search "deploy" --kind procedural --after 2026-01-01 --json
"""


SNIPPET = 300  # characters of a chunk that are shown


@declare("search", "Find memories by words and by meaning.", EXAMPLES)
@click.argument("query", nargs=-1)
@NS_FILTER
@FILTERS
@click.option("--file", help="About this file.")
@click.option("--in", "within", help="Only in notes, or only in memories.")
@AS_OF
@LIMIT
@click.option("--include-all", is_flag=True, help="Dormant and sensory memories too.")
@click.option(
    "--min-score",
    type=float,
    help="Leave out hits that score less (0 to 1); replaces the built-in cut-off.",
)
@click.option("--weak", is_flag=True, help="List the weaker hits too.")
@click.option(
    "--explain", is_flag=True, help="Show why each hit is there, and what narrowly missed."
)
def command(
    face: Face,
    query: tuple[str, ...],
    ns: str | None,
    tags: tuple[str, ...],
    tier: str | None,
    **filters: Any,
) -> None:
    text = read_text(query, "a question")
    found = face.ghost.search(
        text,
        face.ns_filter(ns),
        tags=words(tags),
        tiers=None if tier is None else [tier],
        **filters,
    )
    face.many(
        found, lambda hit: shown(hit, text), "nothing relevant" if found.complete else UNFINISHED
    )
    for hit in () if face.as_json else found.superseded:
        face.note(dim(f"superseded: {hit.ns}/{visible(hit.key)}  {visible(hit.note)}"))
    if face.as_json:
        _print_summary(face, found, filters["explain"])
        return
    if found.weaker:
        face.note(dim(f"{plural(len(found.weaker), 'weaker hit')} not shown; --weak lists them"))
    if filters["explain"]:
        for miss in found.misses:
            face.note(dim(f"missed: {miss.ns}/{miss.key} {miss.score:.2f} {_reasons(miss)}"))
        face.note(dim(f"legs: {', '.join(found.legs)}"))
    for note in found.notes:
        face.note(dim(f"note: {note}"))


def _print_summary(face: Face, found: Hits, explain: bool) -> None:
    """Print, after the hits, one more object with what belongs to the whole search, if there is
    anything to say.
    """
    summary: dict[str, Any] = {"weaker": len(found.weaker)} if found.weaker else {}
    if explain:
        summary |= {
            "legs": found.legs,
            "misses": found.misses,
            "notes": found.notes,
            "superseded": found.superseded,
        }
    else:
        for note in found.notes:
            face.note(dim(f"note: {note}"))
    if summary:
        face.json(summary)


def shown(hit: Hit, query: str) -> str:
    """Return a hit as text: name, score, the matching piece with the question's words standing out,
    and why.
    """
    score = f"{hit.score:.2f}{' weak' if hit.weak else ''}"
    head = (
        f"{named(hit.memory)}  {score}  "
        f"{dim(f'{hit.memory.created_at:%Y-%m-%d}  {described(hit.memory)}')}"
    )
    text = snippet(hit.match_chunk, hit.match_start, hit.match_end, SNIPPET)
    lines = (
        f"line {hit.start_line}"
        if hit.start_line == hit.end_line
        else f"lines {hit.start_line}-{hit.end_line}"
    )
    body = f"    {marked(text, query)}"
    why = f"\n    {dim(f'{lines}; {_reasons(hit)}')}" if hit.why else ""
    place = f"{hit.root}/{hit.path}:{hit.line}"
    where = f"\n    {dim(visible(place))}" if hit.path else ""
    note = f"\n    {visible(hit.note)}" if hit.note else ""
    return f"{head}\n{body}{where}{note}{why}"


def marked(text: str, query: str) -> str:
    """Return a text with the words of a question standing out."""
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
    ranks = ", ".join(f"{leg} #{rank}" for leg, rank in hit.why.legs.items())
    return f"{parts}{f' ({ranks})' if ranks else ''}"
