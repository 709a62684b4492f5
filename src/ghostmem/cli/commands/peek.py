"""ghost peek"""

from ghostmem.cli.face import NS_FILTER, Face, declare
from ghostmem.cli.output import bold, dim, plural
from ghostmem.verbs.peek import Peek


@declare("peek", "Show what a namespace knows, at a glance.", "  ghost peek -n agent:me\n")
@NS_FILTER
def command(face: Face, ns: str | None) -> None:
    found = face.ghost.peek(face.ns_filter(ns))
    face.one(found, text(found))


def text(found: Peek) -> str:
    """Return the glance as text."""
    tiers = ", ".join(
        f"{count} {tier} ({found.total_est_tokens[tier]:,} tokens)" for tier, count in sorted(found.memory_counts.items())
    )
    lines = [f"{bold(found.ns or 'all namespaces')}: {plural(found.total, 'memory')}{': ' if tiers else ''}{tiers}"]
    if found.pinned_summary:
        lines.append(f"pinned: {found.pinned_summary}")
    if found.recent_topics:
        lines.append(f"topics: {', '.join(found.recent_topics)}")
    lines += [f"  {stub.importance:.2f} {bold(stub.key)} {dim(stub.summary)}" for stub in found.high_importance]
    return "\n".join(lines)
