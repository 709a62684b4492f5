"""ghost context, used: memories for a task, and which of them helped."""

import sys
from collections import Counter
from functools import partial
from typing import Any

import click

from ghostmem.cli.commands.search import count_hits
from ghostmem.cli.console import Console, command
from ghostmem.cli.options import (
    ALL,
    FILTER_NAMES,
    TIER,
    TIME_NAMES,
    options,
    read_text,
    words,
)
from ghostmem.cli.output import dim, named, plural
from ghostmem.context.composite import FACTORS
from ghostmem.context.packer import BUDGET
from ghostmem.model import Pack, Packed
from ghostmem.text.excerpt import first_line, visible
from ghostmem.text.render import render

SEARCH_FILTERS = ("kind", "include_all", "as_of", *FILTER_NAMES.split()[1:], *TIME_NAMES.split())


@command(
    "context",
    """\
  ghost context "plan the release" -b 800
  ghost context -n agent:me "why did the deploy fail?" --explain
  ghost context -n agent:me "fix the cart" --files src/cart.py --render block
  ghost context -n agent:me "change how totals are made" --symbol Cart.total --explain
""",
    sections={
        "Filters": "kind tier tags priority pinned include_all exclude_pinned min_score min_spread "
        "max_memory_tokens no_edges",
        "Source": "source_user source_kind source_scope source_client for_user for_scope",
        "Time": TIME_NAMES + " as_of",
        "Code": "files near symbols root language",
    },
)
@click.argument("query", nargs=-1)
@options(
    "context",
    "ns",
    ALL,
    "budget kind",
    TIER,
    FILTER_NAMES,
    TIME_NAMES,
    "as_of for_user for_scope files",
    click.option(
        "--file",
        "near",
        multiple=True,
        metavar="PATH",
        help="An open file: also memories about the callers of its code.",
    ),
    click.option(
        "--symbol",
        "symbols",
        multiple=True,
        metavar="NAME",
        help="A symbol of code in use: memories about it and its callers.",
    ),
    "root language include_all exclude_pinned min_score min_spread max_memory_tokens",
)
@click.option("--no-edges", is_flag=True, help="Do not follow edges.")
@click.option(
    "--explain", is_flag=True, help="Show why each memory is included, and which were left out."
)
@click.option(
    "--render",
    "style",
    type=click.Choice(["md", "block", "plain"]),
    help="Text that is safe to paste into a prompt.",
)
def context(
    console: Console,
    query: tuple[str, ...],
    ns: str | None,
    everything: bool,
    tags: tuple[str, ...],
    files: tuple[str, ...],
    near: tuple[str, ...],
    symbols: tuple[str, ...],
    root: str | None,
    no_edges: bool,
    explain: bool,
    style: str | None,
    tier: str | None,
    **given: Any,
) -> None:
    paths = [*(words(files) or ()), *near]
    text = (
        ""
        if (paths or symbols) and not query and sys.stdin.isatty()
        else read_text(query, "a description of the task")
    )
    filters: dict[str, Any] = {"tags": words(tags), "tiers": None if tier is None else [tier]}
    where = console.read_ns(ns, everything)
    pack = console.ghost.context(
        text,
        where,
        **filters,
        files=paths,
        symbols=symbols,
        root="." if near and root is None else root,
        expand=False if no_edges else None,
        **given,
    )
    if style is not None:
        sys.stdout.write(render(pack, style))
    elif console.as_json:
        console.json(pack)
    else:
        _print_pack(console, pack, explain, is_asked=bool(text.strip()))
        if not pack.memories and not _is_too_large(pack):
            filters |= {name: given[name] for name in SEARCH_FILTERS}
            is_searched = text.strip() and given["min_score"] is None
            search = partial(console.ghost.search, text, where, limit=1, explain=True, **filters)
            weak = search().perhaps if is_searched else []
            for hit in weak:
                console.note(f"perhaps: {named(hit)}  {first_line(hit.content, 110)}")
            if not weak:
                console.note_nothing(
                    "nothing relevant",
                    ns,
                    everything,
                    lambda: count_hits(console, text, **filters) if text.strip() else Counter(),
                )
    console.notes(pack.notes)


def _is_too_large(pack: Pack) -> bool:
    return any(left.reason == BUDGET for left in pack.left_out)


def _print_pack(console: Console, pack: Pack, explain: bool, is_asked: bool) -> None:
    for packed in pack.memories:
        console.text(_packed_text(packed, explain))
    if pack.memories and is_asked and not pack.relevant:
        console.note("none of these matched the question")
    if not pack.memories and _is_too_large(pack):
        console.note(
            f"no relevant memory fits into the budget of {plural(pack.budget, 'token')}; -b sets a "
            "larger one"
        )
    if explain:
        console.note(dim(f"{pack.used} of {pack.budget} tokens, {plural(len(pack), 'memory')}"))
        stages = [
            f"{name} {stage.packed} of {stage.candidates} ({stage.tokens})"
            for name, stage in pack.stages.items()
        ]
        console.note(dim(f"stages: {', '.join(stages) or 'none'}"))
        for entry in pack.left_out:
            reason = f"{entry.reason} ({visible(entry.by)})" if entry.by else entry.reason
            name = f"{entry.ns}/{visible(entry.key)}"
            console.note(dim(f"left out: {name}  {entry.score:.2f}  {reason}"))
    if pack.compaction_suggested:
        console.note(f"hint: {visible(pack.compaction_reason)}")


def _packed_text(packed: Packed, explain: bool) -> str:
    about = (
        f"{packed.created_at:%Y-%m-%d}  {packed.kind} "
        f"{packed.tier}{' pinned' if packed.pinned else ''}  {packed.tokens} tokens"
    )
    head = f"{named(packed)}  {packed.score:.2f}  {dim(about)}"
    body = "\n".join(f"    {line}" for line in visible(packed.content).splitlines())
    if packed.contradicts and not explain:
        head += f"  ({visible(packed.why.note)})"
    return f"{head}\n{body}" + (f"\n    {dim(_reasons(packed))}" if explain else "")


def _reasons(packed: Packed) -> str:
    why = packed.why
    parts = [
        f"{name} {'×' if name in FACTORS else '+'}{value:.2f}"
        for name, value in why.parts.items()
        if value
    ]
    hops = [
        f"{visible(hop.from_key)} —{hop.rel} {hop.weight:.2f}→ {visible(hop.to_key)}"
        for hop in why.path
    ]
    same, sources = visible(", ".join(packed.same_as)), visible(", ".join(packed.summary_of))
    reasons = (
        why.stage,
        " · ".join(hops),
        " ".join(f"{leg} #{rank}" for leg, rank in why.legs.items()),
        ", ".join(parts),
        "excerpt" if packed.excerpt else "",
        f"{packed.count} memories say the same, also {same}" if packed.count > 1 else "",
        f"summary of {sources}" if sources else "",
        visible(why.note),
    )
    return "; ".join(filter(None, reasons))


@command(
    "used",
    """\
  ghost used -n agent:me tea deploy-days
""",
)
@click.argument("keys", nargs=-1, required=True)
@options("used", "ns")
def used(console: Console, keys: tuple[str, ...], ns: str | None) -> None:
    """Record which memories helped, so that they are kept."""
    console.show_all(
        console.ghost.used(*console.memory_names(ns, keys)),
        lambda use: f"{named(use)}  helped {plural(use.utility_count, 'time')}",
    )
