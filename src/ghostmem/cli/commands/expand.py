"""ghost expand"""

import click

from ghostmem.cli.face import KEYED, Face, declare, one_key
from ghostmem.cli.output import bold, dim, plural
from ghostmem.graph.expand import Node
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost expand -n agent:me
  ghost expand -n agent:me tea-habits --depth 2
"""


@declare("expand", "List summaries, or show what one stands for.", EXAMPLES)
@KEYED
@click.option(
    "--depth", type=int, default=1, show_default=True, help="How many levels of summaries to open."
)
def command(
    face: Face, ns: str | None, key: str | None, key_argument: str | None, depth: int
) -> None:
    name = one_key(key, key_argument) if key or key_argument else None
    found = face.ghost.expand(face.ns(ns), name, depth=depth)
    if face.as_json:
        face.json(found)
        return
    if found.parent is not None:
        face.line(_shown(found.parent, 0))
        face.many(
            found.children,
            lambda node: _tree(node, 1),
            "it stands for nothing else: it is no summary",
        )
        return
    face.many(
        found.nodes, lambda node: _shown(node, 0), "no summaries yet; `ghost consolidate` makes one"
    )
    for cluster in found.clusters:
        face.note(
            dim(f"{cluster.count} alike without a summary: {visible(', '.join(cluster.keys))}")
        )


def _tree(node: Node, level: int) -> str:
    return "\n".join([_shown(node, level), *(_tree(below, level + 1) for below in node.nodes)])


def _shown(node: Node, level: int) -> str:
    below = f"  {plural(node.children, 'child')}" if node.children else ""
    about = dim(f"{node.kind} {node.tier}  {node.est_tokens} tokens{below}")
    text = "\n".join(f"    {line}" for line in visible(node.content or node.summary).splitlines())
    indent = "    " * level
    return "\n".join(
        indent + line for line in f"{bold(visible(node.key))}  {about}\n{text}".splitlines()
    )
