"""python -m bench.migrate: migrate to PostgreSQL and back during writes and repeated kills.

Afterwards both exports must be equal, every acknowledged put stored, and the audit log intact;
otherwise it exits with 1."""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from bench.moving import both, fill, plain
from bench.postgres import own_server
from bench.report import machine, show, table


def _database(base: str, name: str) -> str:
    """Create an empty database on the same server and return its URL."""
    with psycopg.connect(base, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return base.replace("/postgres?", f"/{name}?")


def main() -> None:
    """Run both directions and print the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.migrate", description=__doc__)
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument(
        "--kills", type=int, default=3, help="how often the move is killed each way"
    )
    parser.add_argument(
        "--provider",
        default="static",
        choices=("static", "none"),
        help="embedding provider",
    )
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: dict[str, Any] = {"machine": machine(), "memories": arguments.memories}
    with tempfile.TemporaryDirectory(prefix="ghost-migrate-") as folder, own_server() as server:
        file, back = str(Path(folder, "a.db")), str(Path(folder, "b.db"))
        began = time.monotonic()
        fill(file, arguments.memories, arguments.provider)
        found["filled_seconds"] = round(time.monotonic() - began, 1)
        found["file to postgresql, untouched"] = plain(file, _database(server.url(), "plain"))
        url = _database(server.url(), "moved")
        found["file to postgresql, killed"] = both(file, url, arguments.kills)
        found["postgresql to file, untouched"] = plain(url, str(Path(folder, "c.db")))
        found["postgresql to file, killed"] = both(url, back, arguments.kills, seed=2)
    ways = [name for name in found if " to " in name]
    rows = [
        [
            name,
            *(
                str(found[name].get(part, ""))
                for part in ("seconds", "rows", "rows_per_second", "held_seconds")
            ),
        ]
        for name in ways
    ]
    problems = [
        f"{name}: {problem}" for name in ways for problem in found[name].get("problems", ())
    ]
    text = table(["way", "seconds", "rows", "rows/s", "writers waited, s"], rows)
    show(
        found,
        "\n".join(
            [
                text,
                *(problems or ["export byte-identical, every acknowledged put there, log whole"]),
            ]
        ),
        arguments.json,
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
