"""Measure the evidence inside a context: `python -m bench.context [--path FILE] [--small PATH]`.

`--path` takes a LoCoMo file: for every question of categories 1 to 4, the share of the evidence
turns inside `context(question, budget=B).memories` for four budgets, next to the share that results
from packing the hits of `search(limit=100)` greedily in order, with the cut-off switched off.

`--small` takes a JSON lines file, or a folder of them, with one small namespace a line: `memories`
(texts), `query`, `relevant` (indices of the memories that answer it) and `kind`; or `questions`, a
list of objects with these three. `--join N` puts each N of them into one larger namespace with
several subjects. It reports, by kind, the recall of the relevant ones among the first max(3, number
of relevant) hits, whether the first hit is relevant, the number of hits shown, the recall inside a
120-token Pack, and for the kind `absent` how often a search returns nothing.

Reads are not counted, so that measuring one question does not change the next one.
"""

import argparse
import json
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.recall import LIMIT, Conversation, judge, mean, read_locomo, remember
from ghostmem import Ghost, Settings
from ghostmem.caller import LOOKING
from ghostmem.settings import load

BUDGETS = (300, 600, 1200, 2400)
SMALL_BUDGET = 120
OVERHEAD = 20  # tokens that Ghost counts for each memory besides its text
COUNTED = range(1, 5)  # LoCoMo's categories of questions that have an answer
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def pack_in_order(texts: Iterable[tuple[str, str]], budget: int) -> set[str]:
    """Return the keys of the texts that fit a budget, taken greedily in order."""
    used, packed = 0, set()
    for key, text in texts:
        tokens = len(text.encode()) // 4 + OVERHEAD
        if used + tokens <= budget:
            used += tokens
            packed.add(key)
    return packed


def share(wanted: set[str], found: set[str]) -> float:
    """Return the share of the wanted keys that were found."""
    return len(wanted & found) / len(wanted)


def measure_conversations(
    conversations: Sequence[Conversation], settings: Settings
) -> dict[str, Any]:
    """Measure the evidence inside the pack, and compare with packed and full search results."""
    clock = [NOW]
    plain = replace(settings, cutoff="off")
    packs: dict[int, list[float]] = defaultdict(list)
    contexts: dict[int, list[float]] = defaultdict(list)
    rows: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/context.db"
        with Ghost.open(path, settings=settings, clock=lambda: clock[0]) as ghost:
            for number, conversation in enumerate(conversations):
                clock[0] = conversation.now
                remember(ghost, f"locomo:{number}", conversation)
        LOOKING.set(True)
        with (
            Ghost.open(path, settings=settings, clock=lambda: clock[0]) as ghost,
            Ghost.open(path, settings=plain, clock=lambda: clock[0]) as searcher,
        ):
            for number, conversation in enumerate(conversations):
                clock[0] = conversation.now
                for question in (q for q in conversation.questions if q["category"] in COUNTED):
                    ns, text, wanted = f"locomo:{number}", question["text"], question["turns"]
                    hits = searcher.search(text, ns, limit=LIMIT)
                    rows.append(judge(question, hits))
                    for budget in BUDGETS:
                        packed = pack_in_order(((hit.key, hit.content) for hit in hits), budget)
                        packs[budget].append(share(wanted, packed))
                        pack = ghost.context(text, ns, budget=budget)
                        contexts[budget].append(share(wanted, set(pack.keys)))
    return {
        "questions": len(rows),
        "search_pack": {
            str(budget): round(statistics.fmean(found), 4) for budget, found in packs.items()
        },
        "context": {
            str(budget): round(statistics.fmean(found), 4) for budget, found in contexts.items()
        },
        "search": mean(rows, "", "r5 r10 r20 mrr"),
    }


def read_small(path: Path) -> Iterator[dict[str, Any]]:
    """Read small namespaces from a file, or from every .jsonl file of a folder."""
    for file in sorted(path.glob("*.jsonl")) if path.is_dir() else [path]:
        for line in file.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            if "memories" in item:
                yield item if "questions" in item else {**item, "questions": [item]}


def joined(items: Sequence[dict[str, Any]], count: int) -> Iterator[dict[str, Any]]:
    """Put the memories and questions of each `count` namespaces into one."""
    for start in range(0, len(items), count):
        memories: list[str] = []
        questions: list[dict[str, Any]] = []
        for item in items[start : start + count]:
            for question in item["questions"]:
                places = [len(memories) + place for place in question["relevant"]]
                questions.append({**question, "relevant": places})
            memories += item["memories"]
        yield {"memories": memories, "questions": questions}


def measure_small(items: Sequence[dict[str, Any]], settings: Settings) -> dict[str, Any]:
    """Measure search and a small Pack over small namespaces, by kind."""
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    LOOKING.set(True)
    with Ghost.open(":memory:", settings=settings, clock=lambda: NOW) as ghost:
        for number, item in enumerate(items):
            ns = f"small:{number}"
            for place, memory in enumerate(item["memories"]):
                ghost.put(ns, f"m{place}", memory)
            for question in item["questions"]:
                rows[question["kind"]].append(_judge_small(ghost, ns, question))
    kinds = {
        kind: mean(found, "", " ".join(found[0])) | {"n": len(found)}
        for kind, found in sorted(rows.items())
    }
    answerable = [row for kind, found in rows.items() if kind != "absent" for row in found]
    return {
        "kinds": kinds,
        "all": mean(answerable, "", "recall first hits weak pack") | {"n": len(answerable)},
    }


def _judge_small(ghost: Ghost, ns: str, item: dict[str, Any]) -> dict[str, float]:
    hits = ghost.search(item["query"], ns)
    keys = [hit.key for hit in hits]
    counts = {"hits": float(len(keys)), "weak": float(len(hits.weaker))}
    wanted = {f"m{place}" for place in item["relevant"]}
    if not wanted:
        return {"refused": float(not keys), **counts}
    first = [*keys, *(hit.key for hit in hits.weaker)]
    pack = ghost.context(item["query"], ns, budget=SMALL_BUDGET)
    return {
        "recall": share(wanted, set(first[: max(3, len(wanted))])),
        "strong": share(wanted, set(keys)),
        "answered": float(bool(keys)),
        "first": float(first[:1] != [] and first[0] in wanted),
        "pack": share(wanted, set(pack.keys)),
        **counts,
    }


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--path", type=Path, help="a LoCoMo file")
    parser.add_argument(
        "--small", type=Path, help="small namespaces: a JSON lines file, or a folder of them"
    )
    parser.add_argument(
        "--join", type=int, default=1, metavar="N", help="put each N small namespaces into one"
    )
    parser.add_argument("--limit-conversations", type=int)
    parser.add_argument("--embed", choices=["local", "static", "none"])
    parser.add_argument("--score", choices=["relevance", "specified"], help="order of a context")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.path is None and arguments.small is None:
        parser.error("name --path, --small, or both")
    settings = load(use_file=False, embed_provider=arguments.embed, context_score=arguments.score)
    figures: dict[str, Any] = {"embed": settings.embed_provider, "score": settings.context_score}
    if arguments.path is not None:
        figures |= measure_conversations(
            list(read_locomo(arguments.path))[: arguments.limit_conversations], settings
        )
    if arguments.small is not None:
        items = joined(list(read_small(arguments.small)), arguments.join)
        figures["small"] = measure_small(list(items), settings)
    if arguments.json:
        print(json.dumps(figures))
    else:
        show(figures)


def show(figures: dict[str, Any]) -> None:
    """Print the figures as tables."""
    print(f"embed {figures['embed']}, score {figures['score']}")
    if "context" in figures:
        print(f"evidence in the Pack, {figures['questions']} questions")
        print("  budget       " + "".join(f"{budget:>8}" for budget in BUDGETS))
        for name in ("search_pack", "context"):
            print(
                f"  {name:13}" + "".join(f"{figures[name][str(budget)]:8.1%}" for budget in BUDGETS)
            )
        print(
            "  search       ",
            "  ".join(f"{name} {value}" for name, value in figures["search"].items()),
        )
    for kind, row in {
        **figures.get("small", {}).get("kinds", {}),
        "all": figures.get("small", {}).get("all", {}),
    }.items():
        if row:
            print(f"  {kind:12}", "  ".join(f"{name} {value}" for name, value in row.items()))


if __name__ == "__main__":
    main()
