"""ghost context"""

import sys
from typing import Any

import click

from ghostmem.cli.commands.list_ import AS_OF, FILTERS
from ghostmem.cli.face import NS_FILTER, Face, declare, read_text, words
from ghostmem.cli.output import bold, dim, plural
from ghostmem.context.composite import FACTORS
from ghostmem.model import LeftOut, Pack, Packed
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost context -n agent:me "plan the release" -b 800
  ghost context -n agent:me "why did the deploy fail?" --explain
  ghost context -n agent:me "fix the cart" --files src/cart.py --render block
  ghost context -n agent:me "change how totals are made" --symbol Cart.total --explain
"""


@declare("context", "Assemble what to read now, within a budget of tokens.", EXAMPLES)
@click.argument("query", nargs=-1)
@NS_FILTER
@click.option(
    "-b", "--budget", type=int, default=4000, show_default=True, help="At most so many tokens."
)
@FILTERS
@AS_OF
@click.option("--for-user", metavar="NAME", help="Whose words count more.")
@click.option("--for-scope", metavar="SCOPE", help="What was said there counts more.")
@click.option(
    "--files",
    multiple=True,
    metavar="PATHS",
    help="Files at hand, separated by commas: memories about them join.",
)
@click.option(
    "--file",
    "near",
    multiple=True,
    metavar="PATH",
    help="A file at hand: also memories about what calls its code.",
)
@click.option(
    "--symbol",
    "symbols",
    multiple=True,
    metavar="NAME",
    help="Code at hand: memories about it and what calls it.",
)
@click.option("--root", metavar="DIR", help="The code's project, if not the working folder.")
@click.option("--language", help="The code's language, if not told by a file.")
@click.option("--include-all", is_flag=True, help="Dormant and sensory memories too.")
@click.option("--exclude-pinned", is_flag=True, help="Without pinned memories.")
@click.option("--min-score", type=float, help="Leave out what scores less.")
@click.option(
    "--min-spread", type=float, help="Only the best, when the scores lie closer together than this."
)
@click.option(
    "--max-memory-tokens", type=int, help="At most so many tokens of one memory; -1: all it has."
)
@click.option("--no-edges", is_flag=True, help="Do not follow edges.")
@click.option(
    "--explain", is_flag=True, help="Show why each memory is there, and what was left out."
)
@click.option(
    "--render",
    "style",
    type=click.Choice(["md", "block"]),
    help="Text that is safe to paste into a prompt.",
)
def command(
    face: Face,
    query: tuple[str, ...],
    ns: str | None,
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
    alone = bool(paths or symbols) and not query and sys.stdin.isatty()
    text = "" if alone else read_text(query, "a description of the task")
    pack = face.ghost.context(
        text,
        face.ns_filter(ns),
        tags=words(tags),
        tiers=None if tier is None else [tier],
        files=paths,
        symbols=symbols,
        root="." if near and root is None else root,
        expand=False if no_edges else None,
        **given,
    )
    if style is not None:
        from ghostmem.text.render import render

        sys.stdout.write(render(pack, style))
    elif face.as_json:
        face.json(pack)
        return
    else:
        _print(face, pack, explain)
    for note in pack.notes:
        face.note(dim(f"note: {visible(note)}"))


def _print(face: Face, pack: Pack, explain: bool) -> None:
    for packed in pack.memories:
        face.line(_shown(packed, explain))
    if not pack.relevant:
        face.note("nothing relevant" if not pack.memories else "none of these matched the question")
    if explain:
        face.note(dim(f"{pack.used} of {pack.budget} tokens, {plural(len(pack), 'memory')}"))
        stages = [
            f"{name} {stage.packed} of {stage.candidates} ({stage.tokens})"
            for name, stage in pack.stages.items()
        ]
        face.note(dim(f"stages: {', '.join(stages) or 'none'}"))
        for left in pack.left_out:
            face.note(
                dim(f"left out: {left.ns}/{visible(left.key)}  {left.score:.2f}  {_reason(left)}")
            )
    if pack.compaction_suggested:
        face.note(f"hint: {visible(pack.compaction_reason)}")


def _reason(left: LeftOut) -> str:
    return f"{left.reason}{f' ({visible(left.by)})' if left.by else ''}"


def _shown(packed: Packed, explain: bool) -> str:
    about = (
        f"{packed.created_at:%Y-%m-%d}  {packed.kind} "
        f"{packed.tier}{' pinned' if packed.pinned else ''}  {packed.tokens} tokens"
    )
    head = f"{dim(packed.ns + '/')}{bold(visible(packed.key))}  {packed.score:.2f}  {dim(about)}"
    body = "\n".join(f"    {line}" for line in visible(packed.content).splitlines())
    return f"{head}\n{body}" + (f"\n    {dim(reasons(packed))}" if explain else "")


def reasons(packed: Packed) -> str:
    """Say in one line why a memory is in a pack."""
    why = packed.why
    parts = [
        f"{name} {'×' if name in FACTORS else '+'}{value:.2f}"
        for name, value in why.parts.items()
        if value
    ]
    told = [why.stage]
    if why.path:
        told.append(
            " · ".join(
                f"{visible(hop.from_key)} —{hop.rel} {hop.weight:.2f}→ {visible(hop.to_key)}"
                for hop in why.path
            )
        )
    if why.legs:
        told.append(" ".join(f"{leg} #{rank}" for leg, rank in why.legs.items()))
    if parts:
        told.append(", ".join(parts))
    if packed.excerpt:
        told.append("excerpt")
    if packed.count > 1:
        told.append(
            f"{packed.count} memories say the same, also {visible(', '.join(packed.same_as))}"
        )
    if packed.summary_of:
        told.append(f"stands for {visible(', '.join(packed.summary_of))}")
    if why.note:
        told.append(visible(why.note))
    return "; ".join(told)
