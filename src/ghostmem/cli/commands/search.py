"""ghost search"""

import re
from typing import Any

import click

from ghostmem.cli.commands.list_ import AS_OF, FILTERS
from ghostmem.cli.face import LIMIT, NS_FILTER, Face, declare, read_text, words
from ghostmem.cli.output import bold, described, dim, named
from ghostmem.hit import Hit
from ghostmem.text.excerpt import visible
from ghostmem.text.stem import stem
from ghostmem.text.terms import query_terms

EXAMPLES = """\
  ghost search -n agent:me "what does the user drink in the morning?"
  ghost search -n 'agent:*' OPS-10482 --explain
  ghost search --in notes "what did I plant in spring?"
  ghost search "deploy" --kind procedural --after 2026-01-01 --json
"""


@declare("search", "Find memories by words and by meaning.", EXAMPLES)
@click.argument("query", nargs=-1)
@NS_FILTER
@FILTERS
@click.option("--file", help="About this file.")
@click.option("--in", "within", help="Only in notes, or only in memories.")
@AS_OF
@LIMIT
@click.option("--include-all", is_flag=True, help="Dormant and sensory memories too.")
@click.option("--min-score", type=float, help="Leave out what scores less; replaces the built-in floor.")
@click.option("--explain", is_flag=True, help="Show why each hit is there, and what narrowly missed.")
def command(face: Face, query: tuple[str, ...], ns: str | None, tags: tuple[str, ...], tier: str | None, **filters: Any) -> None:
    text = read_text(query, "a question")
    found = face.ghost.search(text, face.ns_filter(ns), tags=words(tags), tiers=None if tier is None else [tier], **filters)
    face.many(found, lambda hit: shown(hit, text), "nothing relevant")
    for hit in () if face.as_json else found.superseded:
        face.note(dim(f"superseded: {hit.ns}/{visible(hit.key)}  {visible(hit.note)}"))
    if filters["explain"] and face.as_json:
        face.json({"legs": found.legs, "misses": found.misses, "notes": found.notes, "superseded": found.superseded})
    elif filters["explain"]:
        for miss in found.misses:
            face.note(dim(f"missed: {miss.ns}/{miss.key} {miss.score:.2f} {_reasons(miss)}"))
        face.note(dim(f"legs: {', '.join(found.legs)}"))
    if not (filters["explain"] and face.as_json):
        for note in found.notes:
            face.note(dim(f"note: {note}"))


def shown(hit: Hit, query: str) -> str:
    """Return a hit as text: name, score, the matching piece with the question's words standing out, and why."""
    head = f"{named(hit.memory)}  {hit.score:.2f}  {dim(f'{hit.memory.created_at:%Y-%m-%d}  {described(hit.memory)}')}"
    text = " ".join(visible(hit.match_chunk).split())
    lines = f"line {hit.start_line}" if hit.start_line == hit.end_line else f"lines {hit.start_line}-{hit.end_line}"
    body = f"    {marked(text if len(text) <= 300 else text[:299] + '…', query)}"
    why = f"\n    {dim(f'{lines}; {_reasons(hit)}')}" if hit.why else ""
    place = f"{hit.root}/{hit.path}:{hit.line}"
    where = f"\n    {dim(visible(place))}" if hit.path else ""
    note = f"\n    {visible(hit.note)}" if hit.note else ""
    return f"{head}\n{body}{where}{note}{why}"


def marked(text: str, query: str) -> str:
    """Return a text with the words of a question standing out."""
    wanted = set(query_terms(query))
    return re.sub(r"[^\W_]+", lambda word: bold(word[0]) if stem(word[0].lower()) in wanted else word[0], text)


def _reasons(hit: Hit) -> str:
    if hit.why is None:
        return ""
    parts = ", ".join(f"{name} {value:+.2f}" for name, value in sorted(hit.why.parts.items(), key=lambda part: -abs(part[1])))
    ranks = ", ".join(f"{leg} #{rank}" for leg, rank in hit.why.legs.items())
    return f"{parts}{f' ({ranks})' if ranks else ''}"
