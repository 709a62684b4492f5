"""python -m bench.pairs --path FILE [--embed local] [--json].

Measure how many pairs of texts that are both true are called a correction.

FILE is JSON Lines {old, new, old_at, new_at, sort}: repeated events, routine notes, additions and
compatible statements. Each pair is two puts into an empty namespace, with their `created_at`. A
tentative verdict changes nothing and does not count."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.judge import CORRECTIONS, Row, read_rows
from bench.report import machine, show, table
from ghostmem import Ghost
from ghostmem.settings import Settings


def is_correction(settings: Settings, pair: Row) -> bool:
    """Say whether the second put of a pair acts on an update or a conflict."""
    with Ghost.open(":memory:", settings=settings) as ghost:
        ghost.put("bench", "old", pair["old"], created_at=pair["old_at"])
        verdict = ghost.put("bench", "new", pair["new"], created_at=pair["new_at"]).verdict
    if verdict is None:
        raise SystemExit(f"a put of {pair['new']!r} had no verdict")
    return verdict.kind in CORRECTIONS and not verdict.evidence.get("tentative", False)


def measure(settings: Settings, pairs: Sequence[Row]) -> Row:
    """Return how many pairs of each sort are called a correction, and which."""
    called = [pair for pair in pairs if is_correction(settings, pair)]
    counts, totals = (Counter(pair["sort"] for pair in some) for some in (called, pairs))
    return {
        "sorts": {sort: {"corrections": counts[sort], "n": totals[sort]} for sort in totals},
        "corrections": len(called),
        "n": len(pairs),
        "called": [{name: pair[name] for name in ("sort", "old", "new")} for pair in called],
    }


def main() -> int:
    """Measure a file and print the figures."""
    parser = argparse.ArgumentParser(description="Count false corrections among true pairs.")
    parser.add_argument("--path", type=Path, required=True, metavar="FILE")
    parser.add_argument("--embed", default="local", choices=("local", "static", "none"))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    pairs = read_rows(arguments.path)
    if not pairs:
        raise SystemExit(f"{arguments.path} has no pairs; see --help")
    figures = measure(Settings(embed_provider=arguments.embed), pairs)
    rows = [[sort, str(f["corrections"]), str(f["n"])] for sort, f in figures["sorts"].items()]
    rows.append(["all", str(figures["corrections"]), str(figures["n"])])
    show({**machine(), **figures}, table(("sort", "corrections", "pairs"), rows), arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
