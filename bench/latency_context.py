"""Measure context assembly against its search, and clusters over a namespace."""

import random
from collections.abc import Sequence

from bench.latency_search import NS, STATIC, Ready, drawn, load
from bench.timing import Cost, Plan, Section, cost, cpu_ms, cpu_p95_ms, interleaved
from ghostmem import Edge, Ghost, Rel
from ghostmem.clock import now
from ghostmem.embed.static import StaticEmbedder
from ghostmem.model import NsFilter

MEMORIES, EDGES = 10_000, 30_000
RELATIONS = (
    *[Rel.RELATES_TO] * 14,
    Rel.DEPENDS_ON,
    Rel.REFINES,
    Rel.CAUSED_BY,
    Rel.CONTRADICTS,
    Rel.IMPLIES,
    Rel.PREVENTS,
)


def connect(ghost: Ghost, count: int) -> None:
    """Give a namespace random edges, most of them likenesses."""
    chance = random.Random(5)
    with ghost.store.engine.write() as tx:
        ids = [memory.id for memory in tx.listing.rows(NsFilter(NS))]
        made = 0
        while made < count:
            one, other = chance.sample(ids, 2)
            made += tx.graph.add_edge(
                Edge(
                    one, other, chance.choice(RELATIONS), round(chance.uniform(0.3, 1.0), 3), now()
                )
            )


def contexts(plan: Plan) -> Section:
    """Assemble contexts of 4,000 tokens over edges, and compare each with the same search."""
    stored, _, asked = drawn(MEMORIES)
    path = plan.folder / "context.db"
    load(path, stored)
    with Ghost.open(path, settings=STATIC) as ghost:
        connect(ghost, EDGES)
        ghost.store.vectoriser.get()
        ghost.store.vectoriser._embedders[""] = Ready(StaticEmbedder(), asked)
        found = _ask(ghost, asked)
        groups = cost(lambda: ghost.clusters(NS))
    search, context = cpu_ms(found["search"]), cpu_ms(found["context"])
    data = {
        "memories": MEMORIES,
        "edges": EDGES,
        "search_ms": round(search, 2),
        "context_ms": round(context, 2),
        "context_p95_ms": round(cpu_p95_ms(found["context"]), 2),
        "ratio": round(context / search, 2),
        "clusters_cpu_s": round(groups.cpu, 3),
    }
    rows = [
        (f"search for 50, {MEMORIES:,} memories", f"{search:.1f} ms", "1.00", ""),
        (f"context over {EDGES:,} edges", f"{context:.1f} ms", f"{context / search:.2f}", "≤ 2"),
        (f"clusters of {MEMORIES:,} memories", f"{groups.cpu:.2f} s", "", ""),
    ]
    return Section(data, rows)


def _ask(ghost: Ghost, asked: Sequence[str]) -> dict[str, list[Cost]]:
    for text in asked[:20]:
        ghost.context(text, NS)
    found: dict[str, list[Cost]] = {"search": [], "context": []}
    for text in asked:
        works = {
            "search": lambda text=text: cost(lambda: ghost.search(text, NS, limit=50)),
            "context": lambda text=text: cost(lambda: ghost.context(text, NS)),
        }
        for name, costs in interleaved(works, 3).items():
            found[name].append(sorted(costs, key=lambda each: each.cpu)[1])
    return found
