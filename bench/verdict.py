"""Measure the verdicts of puts: `python -m bench.verdict [--data FILE] [--cost N] [--json]`.

Every pair of the written set is put into an empty namespace, with the judge (provider `local`) and
with the plain rules (`none`). Tentative verdicts count as new. The set was written for the rules of
0.1.0, so it is one more set beside those of `bench.judge`. `--cost` also measures the cost of
judging a put in a store of N memories."""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.corpus import many_sentences
from bench.report import machine, show, table
from bench.timing import Cost, cost, cpu_ms
from ghostmem import Ghost
from ghostmem.memory.verdict import find_verdict
from ghostmem.settings import Settings

DATA = Path(__file__).parent.parent / "tests" / "data" / "verdicts.jsonl"
PROVIDERS = ("local", "none")
KINDS = ("restatement", "update", "conflict")
Pair = dict[str, str]


def read_pairs(path: Path = DATA) -> list[Pair]:
    """Read the written pairs; none at all is a mistake."""
    found: list[Pair] = [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    if not found:
        raise SystemExit(f"{path} holds no pairs")
    return found


def tally(pairs: Iterable[Pair], provider: str) -> Counter[tuple[str, str]]:
    """Count the verdicts of each kind of pair."""
    counts: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        with Ghost.open(":memory:", settings=Settings(embed_provider=provider)) as ghost:
            ghost.put("bench", "old", pair["old"])
            verdict = ghost.put("bench", "new", pair["new"]).verdict
        is_sure = verdict is not None and not verdict.is_tentative
        counts[pair["kind"], verdict.kind.value if verdict and is_sure else "new"] += 1
    return counts


def figures(counts: Counter[tuple[str, str]]) -> dict[str, Any]:
    """Return precision and recall of each kind, and verdicts of templates and unrelated texts."""
    found: dict[str, Any] = {}
    for kind in KINDS:
        hits = counts[kind, kind]
        told = sum(count for (_, judged), count in counts.items() if judged == kind)
        real = sum(count for (written, _), count in counts.items() if written == kind)
        found[kind] = {
            "precision": round(hits / told, 3) if told else None,
            "recall": round(hits / real, 3) if real else None,
            "told": told,
            "pairs": real,
        }
    for other in ("twin", "unrelated"):
        found[other] = {kind: counts[other, kind] for kind in (*KINDS, "new")}
    return found


def measure(pairs: Sequence[Pair]) -> dict[str, dict[str, Any]]:
    """Judge every part of the set with every provider."""
    found: dict[str, dict[str, Any]] = {}
    for half in sorted({pair["half"] for pair in pairs}):
        part = [pair for pair in pairs if pair["half"] == half]
        found[half] = {provider: figures(tally(part, provider)) for provider in PROVIDERS}
    return found


def added(count: int, runs: int = 200) -> dict[str, dict[str, float]]:
    """Return the cost that judging adds to a put, in CPU milliseconds and as a share of the put."""
    texts = many_sentences(count + runs)
    found: dict[str, dict[str, float]] = {}
    for provider in PROVIDERS:
        settings = Settings(embed_provider=provider, freshness="off", dedup=False)
        with (
            tempfile.TemporaryDirectory() as folder,
            Ghost.open(f"{folder}/memory.db", settings=settings) as ghost,
        ):
            for number, text in enumerate(texts[:count]):
                ghost.put("bench", f"k{number}", text)
            puts, judged = zip(
                *(_pair(ghost, number, text) for number, text in enumerate(texts[count:])),
                strict=True,
            )
        found[provider] = {
            "put_ms": cpu_ms(puts),
            "judge_ms": cpu_ms(judged),
            "ratio": cpu_ms(judged) / cpu_ms(puts),
        }
    return found


def _pair(ghost: Ghost, number: int, text: str) -> tuple[Cost, Cost]:
    """Return the cost of a verdict, without making vectors and finding near chunks, and of a put.

    A put makes and finds them anyway.
    """
    from ghostmem.memory.draft import Draft, prepare, with_nearest

    store, key = ghost.store, f"n{number}"
    draft = Draft("bench", key, text, {})
    with store.engine.read() as tx:
        ready = with_nearest(store, tx, draft, prepare(store, [(draft, None)])[0])

    def judging() -> None:
        with store.engine.read() as tx:
            find_verdict(store.settings, tx, draft, None, store.clock(), near=ready.near)

    judged = cost(judging)
    return cost(lambda: ghost.put("bench", key, text)), judged


def _rows(found: dict[str, dict[str, Any]]) -> list[list[str]]:
    rows = []
    for half, providers in found.items():
        for provider, kinds in providers.items():
            row = [half, provider]
            for kind in KINDS:
                told = kinds[kind]
                row += [
                    "-" if told[name] is None else f"{told[name]:.2f}"
                    for name in ("precision", "recall")
                ]
            twin = kinds["twin"]
            rows.append([*row, str(twin["restatement"]), str(twin["update"] + twin["conflict"])])
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument(
        "--cost",
        type=int,
        default=0,
        metavar="N",
        help="also measure the cost of judging a put among N memories",
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    pairs = read_pairs(asked.data)
    found = measure(pairs)
    head = [
        "half",
        "model",
        "restatement P",
        "R",
        "update P",
        "R",
        "conflict P",
        "R",
        "twins restated",
        "twins otherwise",
    ]
    text = f"{len(pairs)} pairs\n" + table(head, _rows(found))
    spent = added(asked.cost) if asked.cost else {}
    if spent:
        rows = [
            [name, f"{each['put_ms']:.2f}", f"{each['judge_ms']:.2f}", f"{each['ratio']:.2f}"]
            for name, each in spent.items()
        ]
        text += f"\n\namong {asked.cost} memories, CPU ms\n" + table(
            ["model", "put", "judging", "ratio"], rows
        )
    show(
        {"pairs": len(pairs), "halves": found, "cost": spent, "machine": machine()},
        text,
        asked.json,
    )


if __name__ == "__main__":
    main()
