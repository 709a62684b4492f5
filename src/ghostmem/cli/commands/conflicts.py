"""ghost conflicts, resolve: contradictions."""

from shlex import quote

import click

from ghostmem.cli.console import Console, command
from ghostmem.cli.options import NS_FILTER, options, refuse
from ghostmem.cli.output import bold, dim, named
from ghostmem.text.excerpt import first_line, visible
from ghostmem.truth.conflicts import Conflict


@command(
    "conflicts",
    """\
  ghost conflicts -n agent:me
  ghost conflicts --json
""",
)
@NS_FILTER
def conflicts(console: Console, ns: str | None) -> None:
    found = console.ghost.conflicts(console.ns_filter(ns))
    if console.as_json:
        console.json(found)
        return
    console.show_all(found.conflicts, _conflict_text, "no contradictions")
    for doubt in found.maybe_stale:
        console.text(f"{named(doubt)}  {visible(doubt.why)}")
    if found.conflicts:
        first = found.conflicts[0]
        console.note(
            f"decide with `ghost resolve -n {first.ns} {quote(visible(first.key))} "
            f"{quote(visible(first.other))}`, or --both"
        )


def _conflict_text(conflict: Conflict) -> str:
    how = dim("inferred" if conflict.automatic else "said")
    new = f"{conflict.created_at:%Y-%m-%d}  {first_line(conflict.content, 110)}"
    old = f"{conflict.other_created_at:%Y-%m-%d}  {first_line(conflict.other_content, 110)}"
    pair = f"{named(conflict)} contradicts {bold(visible(conflict.other))}"
    return f"{pair}  {how}\n    {new}\n    {dim(old)}"


@command(
    "resolve",
    """\
  ghost resolve -n agent:me new-editor old-editor
  ghost resolve -n agent:me new-editor --both
  ghost resolve -n agent:me old-editor --reopen
""",
)
@options(
    "resolve",
    "ns",
    click.argument("keep"),
    click.argument("other", required=False),
    "both",
    click.option("--reopen", is_flag=True, help="Make a retired memory valid again."),
    "unlock",
)
def resolve(
    console: Console,
    ns: str | None,
    keep: str,
    other: str | None,
    both: bool,
    reopen: bool,
    unlock: bool,
) -> None:
    refuse(
        reopen and (both or other),
        "--reopen takes one key",
        "give only the key of the memory to make valid again",
    )
    space, (keep, *others) = console.memory_names(ns, [keep, *([other] if other else [])])
    done = (
        console.ghost.reopen(space, keep, unlock=unlock)
        if reopen
        else console.ghost.resolve(space, keep, *others, both=both, unlock=unlock)
    )
    if done.reopened:
        text = "is valid again"
    elif done.both:
        text = "and the memories it contradicted are all kept"
    else:
        text = f"is kept; retired {visible(', '.join(done.closed))} on {done.valid_to:%Y-%m-%d}"
    console.show(done, f"{dim(space + '/')}{bold(visible(keep))} {text}")
    console.notes(done.maybe_stale, "maybe stale: ")
