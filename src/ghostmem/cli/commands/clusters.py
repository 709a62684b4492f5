"""ghost clusters"""

from ghostmem.cli.face import NS, Face, declare
from ghostmem.cli.output import bold, dim
from ghostmem.graph.clusters import Cluster
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost clusters -n agent:me
  ghost clusters -n agent:me --json
"""


@declare("clusters", "Show groups of memories that are alike, largest first.", EXAMPLES)
@NS
def command(face: Face, ns: str | None) -> None:
    face.many(face.ghost.clusters(face.ns(ns)), _shown, "no memories are linked as alike")


def _shown(cluster: Cluster) -> str:
    told = f", {cluster.summarised} summarised" if cluster.summarised else ""
    head = f"{bold(str(cluster.count))} memories  {dim(f'{cluster.est_tokens} tokens{told}')}"
    return f"{head}\n    {visible(', '.join(cluster.keys))}"
