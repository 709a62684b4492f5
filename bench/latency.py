"""python -m bench.latency: the cost of Ghost as ratios to minimal programs in the same run.

Figures are CPU time (user and system, medians over interleaved runs), with wall time where waiting
for the disk matters. `--engine postgres` compares a store in PostgreSQL with one in a file instead.
"""

import argparse
import compileall
import json
import sys
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import apsw

import ghostmem
from bench.child import plain_env
from bench.corpus import sentences
from bench.hooks import hooks
from bench.latency_context import contexts
from bench.latency_ingest import ingest
from bench.latency_mcp import serving
from bench.latency_notes import noting
from bench.latency_reflect import reflecting
from bench.latency_search import cold_search, search
from bench.report import machine, show, table
from bench.timing import Cost, Plan, Section, child_cost, cost, cpu_ms, interleaved, wall_ms
from ghostmem import Ghost, Settings

NS = "bench:latency"
GHOST = Path(sys.executable).with_name("ghost")
BULK = 5_000
SETTINGS = Settings(embed_provider="none")


def cold(plan: Plan) -> Section:
    """Start each command in a new process, and compare with importing its dependencies."""
    store = str(plan.folder / "cold.db")
    with Ghost.open(store, settings=SETTINGS) as ghost:
        for number, text in enumerate(sentences(100)):
            ghost.put(NS, f"key-{number}", text)
    env, fresh = plain_env(), count()
    commands: dict[str, Callable[[], list[str]]] = {
        "base": lambda: [sys.executable, "-c", "import click, apsw"],
        "get": lambda: [str(GHOST), "--db", store, "get", "-n", NS, "key-42"],
        "put": lambda: [
            str(GHOST),
            "--db",
            store,
            "put",
            "-n",
            NS,
            "-k",
            f"cold-{next(fresh)}",
            "The user drinks green tea.",
        ],
        "list": lambda: [str(GHOST), "--db", store, "list", "-n", NS],
    }
    works = {name: lambda make=make: child_cost(make(), env) for name, make in commands.items()}
    interleaved(works, 1)  # once for the file cache and compiled files
    found = interleaved(works, plan.runs)
    base = cpu_ms(found.pop("base"))
    data: dict[str, Any] = {"base_ms": round(base, 1)}
    rows = [("cold python -c 'import click, apsw'", f"{base:.1f} ms", "1.00", "")]
    for name, costs in found.items():
        data[name] = {"ms": round(cpu_ms(costs), 1), "ratio": round(cpu_ms(costs) / base, 2)}
        rows.append(
            (f"cold ghost {name}", f"{cpu_ms(costs):.1f} ms", f"{data[name]['ratio']:.2f}", "≤ 1.6")
        )
    return Section(data, rows)


class Bare:
    """A minimal durable store: one table with a primary key, in the same modes as Ghost."""

    def __init__(self, path: Path, names: list[str]) -> None:
        self.db = apsw.Connection(str(path))
        self.db.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL").fetchall()
        self.db.execute(f"CREATE TABLE memories (id PRIMARY KEY, {', '.join(names[1:])})")
        self._insert = f"INSERT INTO memories VALUES ({', '.join('?' * len(names))})"

    def insert(self, row: tuple[Any, ...]) -> None:
        """Insert one row in one transaction."""
        self.db.execute(self._insert, row)

    def insert_all(self, rows: list[tuple[Any, ...]]) -> None:
        """Insert rows in one transaction."""
        with self.db:
            self.db.executemany(self._insert, rows)


def stored_rows(path: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and rows of a store's memories from its file."""
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [
            name
            for (name,) in db.execute("SELECT name FROM pragma_table_info('memories') ORDER BY cid")
        ]
        return names, db.execute(f"SELECT {', '.join(names)} FROM memories").fetchall()
    finally:
        db.close()


def put(plan: Plan) -> Section:
    """Put one memory durably in a process that is warm, against a bare insert of the same row."""
    store = str(plan.folder / "put.db")
    texts = sentences(plan.runs * 20 + 50)
    with Ghost.open(store, settings=SETTINGS) as ghost:
        for number, text in enumerate(texts):
            ghost.put(f"{NS}:before", f"key-{number}", text)
        names, rows = stored_rows(store)
        bare = Bare(plan.folder / "put-bare.db", names)
        memories, ready = enumerate(texts), iter(rows)
        works: dict[str, Callable[[], Cost]] = {
            "ghost": lambda: _put_one(ghost, *next(memories)),
            "bare": lambda: _insert_one(bare, next(ready)),
        }
        interleaved(works, 50)
        found = interleaved(works, plan.runs * 20)
    data: dict[str, Any] = {"puts": plan.runs * 20}
    out = []
    for name, take in (("wall", wall_ms), ("cpu", cpu_ms)):
        ours, least = take(found["ghost"]), take(found["bare"])
        data[name] = {
            "ms": round(ours, 3),
            "base_ms": round(least, 3),
            "ratio": round(ours / least, 2),
        }
        out.append((f"one durable insert, {name}", f"{least:.3f} ms", "1.00", ""))
        out.append((f"one durable put, {name}", f"{ours:.3f} ms", f"{ours / least:.2f}", "≤ 2"))
    return Section(data, out)


def _put_one(ghost: Ghost, number: int, text: str) -> Cost:
    return cost(lambda: ghost.put(NS, f"key-{number}", text))


def _insert_one(bare: Bare, row: tuple[Any, ...]) -> Cost:
    return cost(lambda: bare.insert(row))


def bulk(plan: Plan) -> Section:
    """Store many memories by import and one by one, and compare with a bare insert of the rows."""
    texts, fresh = sentences(BULK), count()
    model = str(plan.folder / "bulk.db")
    with Ghost.open(model, settings=SETTINGS) as ghost:
        ghost.import_([json.dumps([_plain(number, text) for number, text in enumerate(texts)])])
        lines = list(ghost.export())
    names, rows = stored_rows(model)

    def import_() -> Cost:
        with Ghost.open(plan.folder / f"bulk-{next(fresh)}.db", settings=SETTINGS) as ghost:
            return cost(lambda: ghost.import_(lines))

    def one_by_one() -> Cost:
        with Ghost.open(plan.folder / f"bulk-{next(fresh)}.db", settings=SETTINGS) as ghost:
            return cost(
                lambda: [
                    ghost.put(NS, f"key-{number}", text)
                    for number, text in enumerate(texts[: BULK // 5])
                ]
            )

    def bare() -> Cost:
        least = Bare(plan.folder / f"bulk-{next(fresh)}.db", names)
        return cost(lambda: least.insert_all(rows))

    works = {
        "bare insert": (bare, BULK),
        "import": (import_, BULK),
        "put in a loop": (one_by_one, BULK // 5),
    }
    found = interleaved({name: work for name, (work, _) in works.items()}, max(3, plan.runs // 5))
    least = cpu_ms(found["bare insert"]) / BULK
    data, out = {}, []
    for name, (_, size) in works.items():
        each = cpu_ms(found[name]) / size
        data[name.replace(" ", "_")] = {
            "per_cpu_second": round(1000 / each),
            "per_wall_second": round(1000 * size / wall_ms(found[name])),
            "cpu_us_each": round(each * 1000, 1),
            "ratio": round(each / least, 1),
        }
        out.append((f"bulk, {name}", f"{1000 / each:,.0f} /s", f"{each / least:.2f}", ""))
    return Section({"memories": BULK, **data}, out)


def _plain(number: int, text: str) -> dict[str, Any]:
    return {"ns": NS, "key": f"key-{number}", "content": text, "kind": "semantic", "version": 1}


SECTIONS: dict[str, Callable[[Plan], Section]] = {
    "cold": cold,
    "put": put,
    "bulk": bulk,
    "cold search": cold_search,
    "ingest": ingest,
    "search": search,
    "context": contexts,
    "reflect": reflecting,
    "notes": noting,
    "mcp": serving,
    "hooks": hooks,
}


def sections(engine: str) -> dict[str, Callable[[Plan], Section]]:
    """Return the sections that are measured for an engine."""
    if engine == "sqlite":
        return SECTIONS
    from bench import latency_postgres

    return latency_postgres.SECTIONS


def main() -> int:
    """Run the requested sections and print the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.latency", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument(
        "--runs", type=int, default=15, help="times each command is started (default %(default)s)"
    )
    parser.add_argument(
        "--engine",
        choices=("sqlite", "postgres"),
        default="sqlite",
        help="engine to measure (default %(default)s)",
    )
    parser.add_argument(
        "--only", default="", help="sections, separated by commas (default: all of the engine)"
    )
    parser.add_argument(
        "--sizes",
        default="10000,100000",
        help="memories that `search` looks through (default %(default)s)",
    )
    arguments = parser.parse_args()
    sizes = tuple(int(size) for size in arguments.sizes.split(","))
    known = sections(arguments.engine)
    names = [name.strip() for name in arguments.only.split(",")] if arguments.only else list(known)
    if wrong := [name for name in names if name not in known]:
        parser.error(f"there is no section {wrong[0]!r}; there are {', '.join(known)}")
    # as pip does on installing: a checkout may have no bytecode, or be told to write none
    compileall.compile_dir(Path(ghostmem.__file__).parent, quiet=2)
    found: dict[str, Section] = {}
    for name in names:
        with tempfile.TemporaryDirectory(prefix="ghost-latency-") as folder:
            found[name] = known[name](Plan(arguments.runs, Path(folder), sizes))
    rows = [row for section in found.values() for row in section.rows]
    head = "cpu, unless said" if arguments.engine == "sqlite" else "wall"
    text = table(("what", head, "ratio", "aim"), rows)
    show(
        {**{name: section.data for name, section in found.items()}, "machine": machine()},
        text,
        arguments.json,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
