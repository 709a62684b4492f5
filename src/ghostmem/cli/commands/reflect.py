"""ghost reflect"""

import time

import click

from ghostmem.cli.face import DRY_RUN, NS_FILTER, Face, declare
from ghostmem.cli.output import bold, dim, plural
from ghostmem.clock import parse_ttl
from ghostmem.model import Change, Report
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost reflect -n agent:me --dry-run
  ghost reflect
  ghost reflect --every 6h
  ghost undo last
"""
COUNTS = {
    "promoted": "promoted",
    "demoted": "demoted",
    "decayed": "faded",
    "archived": "archived",
    "deleted": "removed",
    "deduplicated": "put to sleep as doubles",
    "merged": "merged",
    "pinned": "pinned",
    "expiring": "given an expiry",
    "linked": "links",
    "relinked": "links by names, topics or meaning",
    "edges_decayed": "edges fainter",
    "edges_pruned": "edges dropped",
}


@declare("reflect", "Run the rules of the lifecycle, namespace by namespace.", EXAMPLES)
@NS_FILTER
@DRY_RUN
@click.option("--relink", is_flag=True, help="Also link what shares names, topics or meaning.")
@click.option(
    "--every",
    metavar="TIME",
    help="Run again and again, with a pause such as 6h or 30m, until interrupted.",
)
@click.option("--changes", is_flag=True, help="List every change; a dry run does so anyway.")
def command(
    face: Face, ns: str | None, dry_run: bool, relink: bool, every: str | None, changes: bool
) -> None:
    pause = None if every is None else parse_ttl(every, "every").total_seconds()
    while True:
        report = face.ghost.reflect(
            face.ns_filter(ns), dry_run=dry_run, relink=relink, progress=face.progress("looked at")
        )
        face.one(report, _shown(report, changes or dry_run))
        if pause is None:
            return
        time.sleep(pause)


def _shown(report: Report, changes: bool) -> str:
    lines = [_line(change) for change in report.changes] if changes else []
    done = [
        f"{getattr(report, name)} {word}" for name, word in COUNTS.items() if getattr(report, name)
    ]
    head = f"{'would have: ' if report.dry_run else ''}{', '.join(done) or 'nothing to do'}"
    lines.append(f"{plural(report.memories_evaluated, 'memory')} looked at; {head}")
    lines += [f"linked: {visible(', '.join(group))}" for group in report.linked_clusters[:10]]
    if report.resumed:
        lines.append("this finished a run that had been interrupted")
    if report.run and report.changes:
        lines.append(dim(f"run {report.run}; `ghost undo {report.run}` takes it back"))
    return "\n".join(lines)


def _line(change: Change) -> str:
    """Return a change as a line of text."""
    what = bold(visible(change.key)) + (
        f" —{change.rel}→ {bold(visible(change.to_key))}" if change.to_key else ""
    )
    told = ", ".join(
        f"{name} {_value(change.before.get(name))} → {_value(change.after.get(name))}"
        for name in {**change.before, **change.after}
    )
    return f"{dim(change.ns + '/')}{what}  {change.op.lower()}  {told}  {dim(change.rule)}".rstrip()


def _value(value: object) -> str:
    if value is None:
        return "–"
    return (
        f"{value:.3g}"
        if isinstance(value, float)
        else visible(", ".join(value) if isinstance(value, list) else str(value))
    )
