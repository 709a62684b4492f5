"""python -m bench.load_table: write the results of `bench.load --json` into docs/benchmarks.md.

    python -m bench.load --engine sqlite --json > load-sqlite.json
    python -m bench.load --engine postgres --json > load-postgres.json
    python -m bench.load_table load-sqlite.json load-postgres.json --write

Without `--write` the table is printed. Missed limits are included.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bench.fault_table import PAGE, placed
from bench.load_client import OPERATIONS

BENCHMARKS = PAGE.with_name("benchmarks.md")
NAME = "load"


def as_markdown(found: list[dict[str, Any]]) -> str:
    """Return a table with a column for each run."""
    heads = [f"{one['engine']}, {one['provider']}" for one in found]
    rows = [(name, [_cell(name, one) for one in found]) for name in LINES]
    machine = found[-1]["machine"]
    facts = ", ".join(f"{name} {value}" for name, value in machine.items() if name != "system")
    return "\n".join(
        [
            f"| what | {' | '.join(heads)} | bar |",
            f"|---|{'---|' * len(found)}---|",
            *(f"| {name} | {' | '.join(cells)} | {BARS.get(name, '')} |" for name, cells in rows),
            "",
            f"Measured on {machine['system']}: {facts}. The client ran on the same machine.",
        ]
    )


BARS = {
    "responses 5xx": "0",
    "lost writes": "0",
    "p99, last minute over first": "≤ 1.5",
    "memory, end over first minute": "≤ 1.1",
}
LINES = (
    "clients, seconds",
    "requests a second, offered and answered",
    "requests, acknowledged writes",
    *(f"{name}, p50 / p99" for name in OPERATIONS),
    "all, p50 / p99",
    "p99 of each minute",
    "responses 5xx",
    "responses 429",
    "lost writes",
    "p99, last minute over first",
    "memory after one minute, at the end",
    "memory, end over first minute",
    "cores used by the server",
)


def _cell(name: str, one: dict[str, Any]) -> str:
    """Return one figure of a run."""
    operation = name.partition(",")[0]
    if name.endswith("p50 / p99"):
        figures = one["all"] if operation == "all" else one["operations"][operation]
        return f"{figures['p50_ms']:.0f} / {figures['p99_ms']:.0f} ms"
    cells = {
        "clients, seconds": f"{one['clients']}, {one['seconds']:.0f}",
        "requests a second, offered and answered": f"{one['offered_per_second']:.0f}, "
        f"{one['answered_per_second']:.1f}",
        "requests, acknowledged writes": f"{one['requests']:,}, {one['acknowledged']:,}",
        "p99 of each minute": ", ".join(f"{minute['p99_ms']:.0f}" for minute in one["minutes"])
        + " ms",
        "responses 5xx": str(one["server_error_responses"]),
        "responses 429": str(one["too_many_requests"]),
        "lost writes": str(one["lost"]),
        "p99, last minute over first": f"{one['p99_growth']:.2f}",
        "memory after one minute, at the end": f"{one['rss_after_minute_mb']:.0f}, "
        f"{one['rss_end_mb']:.0f} MB",
        "memory, end over first minute": f"{one['rss_growth']:.2f}",
        "cores used by the server": f"{one['server_cores']:.2f}",
    }
    return cells[name]


def main() -> int:
    """Print or write the table; exit with 1 when a limit was missed."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.load_table", description=__doc__.partition("\n")[0] if __doc__ else ""
    )
    parser.add_argument(
        "results", type=Path, nargs="+", metavar="RESULTS.json", help="results of bench.load"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"put the table into {BENCHMARKS.name}"
    )
    arguments = parser.parse_args()
    found = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.results]
    text = as_markdown(found)
    if arguments.write:
        page = placed(BENCHMARKS.read_text(encoding="utf-8"), NAME, text)
        BENCHMARKS.write_text(page, encoding="utf-8", newline="\n")
    else:
        print(text)
    return 0 if all(one["ok"] for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
