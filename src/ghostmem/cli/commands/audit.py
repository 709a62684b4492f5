"""ghost audit"""

import click

from ghostmem.cli.face import NS_FILTER, Face, declare
from ghostmem.cli.output import bold, dim, plural
from ghostmem.errors import InvalidInputError
from ghostmem.text.excerpt import visible
from ghostmem.verbs.audit import AuditReport, Finding, audit

EXAMPLES = """\
  ghost audit
  ghost audit -n agent:me --json
  ghost audit ~/notes
"""
COLOURS = ((85, "green"), (60, "yellow"), (0, "red"))  # from which score on


@declare("audit", "Score how tidy a store is, and say what to run next; nothing is written.", EXAMPLES)
@NS_FILTER
@click.argument("path", required=False)
def command(face: Face, ns: str | None, path: str | None) -> None:
    if path and ns:
        raise InvalidInputError("a namespace and a path were given", "another tool's store is scored as a whole: leave -n out")
    if path:
        from ghostmem.verbs.audit_foreign import audit_foreign

        found = audit_foreign(path, face.settings, progress=face.progress("embedded"))
    else:
        found = audit(face.ghost.store, face.ns_filter(ns))
    face.one(found, text(found))
    if not face.as_json:
        for line in (*(f"not judged: {reason}" for reason in found.unjudged), *found.notes):
            face.note(visible(line))


def text(found: AuditReport) -> str:
    """Return a report as a person reads it: the score, then each finding with where and what next."""
    colour = next(colour for least, colour in COLOURS if found.score >= least)
    about = (
        f"{plural(found.memories, 'memory')} in {plural(found.namespaces, 'namespace')}, {plural(found.edges, 'edge')}"
        f"  {dim(visible(found.source))}"
    )
    lines = [f"{bold(click.style(f'{found.score} of 100', fg=colour))}  {about}"]
    having = sorted((one for one in found.findings if one.count), key=lambda one: -one.cost)
    lines += [_line(one) for one in having]
    clean = [one.name for one in found.findings if not one.count]
    if clean:
        lines.append(dim(f"nothing found: {', '.join(name.replace('_', ' ') for name in clean)}"))
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    more = ", …" if finding.count > len(finding.examples) else ""
    examples = visible(", ".join(finding.examples)) + more
    name = bold(finding.name.replace("_", " "))
    about = f"{name}: {finding.count:,} ({finding.share:.1%}), costs {finding.cost:g}  {dim(examples)}"
    return f"{about}\n    → {visible(finding.advice)}"
