"""Compare a store in PostgreSQL with one in a file: searches, puts per second, statements.

Wall time is given, because most of the time is spent in another process, with the CPU time of the
client."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psycopg

from bench.child import READY, Child, hear, say
from bench.corpus import sentences
from bench.latency_search import ASKED, NS, STATIC, Ready, drawn, load
from bench.postgres import NAME, Server, own_server
from bench.timing import Cost, Plan, Section, cost, cpu_ms, interleaved
from ghostmem import Ghost, Settings
from ghostmem.embed.static import StaticEmbedder

CLIENTS = (1, 4, 8)
PUTS = 100  # of every client
FAST = {"shared_buffers": "512MB", "max_wal_size": "4GB", "autovacuum": "on"}


def search(plan: Plan) -> Section:
    """Search the same memories in a file and in PostgreSQL, with questions embedded before."""
    stored, _, asked = drawn(max(plan.sizes))
    ready = Ready(StaticEmbedder(), asked)
    data: dict[str, Any] = {"queries": ASKED}
    rows = []
    with own_server(**FAST) as server:
        for size in plan.sizes:
            path = plan.folder / f"search-{size}.db"
            took = load(path, stored[:size])
            found, moved, agree = _ask_both(server, path, size, ready, asked)
            data[str(size)] = {
                "import_s": round(took.wall, 1),
                "migrate_s": round(moved, 1),
                "same_hits": agree,
            }
            for engine, costs in found.items():
                walls = [each.wall * 1000 for each in costs]
                p50, p95 = median(walls), quantiles(walls, n=20)[-1]
                told = {
                    "p50_ms": round(p50, 2),
                    "p95_ms": round(p95, 2),
                    "client_cpu_ms": round(cpu_ms(costs), 2),
                }
                data[str(size)][engine] = told
                rows.append(
                    (
                        f"search in {size:,}, {engine}, p50 / p95",
                        f"{p50:.1f} / {p95:.1f} ms",
                        "",
                        "",
                    )
                )
            ratio = data[str(size)]["postgres"]["p50_ms"] / data[str(size)]["sqlite"]["p50_ms"]
            data[str(size)]["ratio"] = round(ratio, 2)
            rows.append((f"search in {size:,}, PostgreSQL over a file", "", f"{ratio:.2f}", ""))
            rows.append((f"the same hits in the same order, {size:,}", "", f"{agree:.3f}", "1"))
    return Section(data, rows)


def _ask_both(
    server: Server, path: Path, size: int, ready: Ready, asked: Sequence[str]
) -> tuple[dict[str, list[Cost]], float, float]:
    """Copy a file's memories to PostgreSQL, ask both every question, return costs and agreement."""
    from ghostmem.transfer.migrate import migrate

    url = _database(server, f"search_{size}")
    began = time.perf_counter()
    migrate(str(path), url, settings=STATIC)
    moved = time.perf_counter() - began
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    found: dict[str, list[Cost]] = {"sqlite": [], "postgres": []}
    same = 0
    with ExitStack() as open_:
        stores = zip(found, (str(path), url), strict=True)
        ghosts = {
            name: open_.enter_context(Ghost.open(where, settings=STATIC)) for name, where in stores
        }
        for ghost in ghosts.values():
            ghost.store.vectoriser.get()
            ghost.store.vectoriser._embedders[""] = ready
        for text in asked[:20]:
            for ghost in ghosts.values():
                ghost.search(text, NS)
        for text in asked:
            works = {
                name: lambda ghost=ghost: cost(lambda: ghost.search(text, NS))  # noqa: B023
                for name, ghost in ghosts.items()
            }
            for name, costs in interleaved(works, 3).items():
                found[name].append(sorted(costs, key=lambda each: each.wall)[1])
            keys = [[hit.key for hit in ghost.search(text, NS)] for ghost in ghosts.values()]
            same += keys[0] == keys[1]
    return found, moved, same / len(asked)


def _database(server: Server, name: str) -> str:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.url(name)


def put_for(target: str, writer: int, puts: int, apart: bool) -> None:
    """Put memories as one of several clients, in a child process."""
    texts = sentences(puts)
    with Ghost.open(target, settings=Settings(embed_provider="none")) as ghost:
        ns = f"bench:{writer}" if apart else "bench:all"
        ghost.put(ns, f"w{writer}", "The first put makes what the others find made.")
        say(READY)
        hear()
        took = [
            cost(lambda text=text, n=n: ghost.put(ns, f"w{writer}-{n}", text))  # type: ignore[misc]
            for n, text in enumerate(texts)
        ]
        say(f"ms {median(each.wall for each in took) * 1000:.3f}")


def puts(plan: Plan) -> Section:
    """Put durably with one, four and eight processes, in one namespace and in separate ones."""
    data: dict[str, Any] = {"puts_of_each": PUTS}
    rows = []
    with own_server(**FAST) as server:
        for clients in CLIENTS:
            for apart in (False, True) if clients > 1 else (True,):
                where = "own namespaces" if apart else "one namespace"
                for engine in ("sqlite", "postgres"):
                    name = f"puts_{clients}_{int(apart)}"
                    target = (
                        str(plan.folder / f"{name}.db")
                        if engine == "sqlite"
                        else _database(server, name)
                    )
                    rate, each = _rate(target, clients, apart)
                    told = {"per_second": round(rate, 1), "median_ms": round(each, 2)}
                    data.setdefault(str(clients), {}).setdefault(where, {})[engine] = told
                    rows.append(
                        (f"{clients} clients, {where}, {engine}", f"{rate:,.0f} puts/s", "", "")
                    )
    return Section(data, rows)


def _rate(target: str, clients: int, apart: bool) -> tuple[float, float]:
    """Return puts per second of several clients together, and the median time of a put."""
    children = [
        Child(put_for, target=target, writer=n, puts=PUTS, apart=apart) for n in range(clients)
    ]
    try:
        for child in children:
            if not child.await_lines(1):
                raise RuntimeError(f"a client did not start: {child.error}")
        began = time.perf_counter()
        for child in children:
            child.tell("go")
        for child in children:
            if not child.await_lines(2):
                raise RuntimeError(f"a client did not finish: {child.error}")
        took = time.perf_counter() - began
        return clients * PUTS / took, median(
            float(child.lines()[1].split()[1]) for child in children
        )
    finally:
        for child in children:
            child.kill()


def statements(_: Plan) -> Section:
    """Count the statements and transactions that a put and a search send to the database."""
    texts = sentences(400)
    data: dict[str, Any] = {}
    rows = []
    with own_server() as server:
        for provider in ("none", "static"):
            with Ghost.open(
                _database(server, f"{NAME}_{provider}"), settings=Settings(embed_provider=provider)
            ) as ghost:
                for number, text in enumerate(texts[:300]):
                    ghost.put(NS, f"key-{number}", text)
                works: dict[str, Callable[[int], object]] = {
                    "put": lambda at: ghost.put(NS, f"new-{at}", texts[300 + at]),
                    "search": lambda at: ghost.search(texts[at][:60], NS),
                    "get": lambda at: ghost.get(NS, f"key-{at}"),
                }
                for verb, work in works.items():
                    seen: list[Any] = []
                    ghost.store.engine.watch = seen.append  # type: ignore[union-attr]
                    for at in range(50):
                        work(at)
                    ghost.store.engine.watch = None  # type: ignore[union-attr]
                    most = Counter(" ".join(one.sql.split())[:60] for one in seen).most_common(5)
                    data[f"{verb}, {provider}"] = {
                        "each": len(seen) / 50,
                        "most": {sql: n / 50 for sql, n in most},
                    }
                    rows.append(
                        (f"statements of a {verb}, {provider}", f"{len(seen) / 50:.1f}", "", "")
                    )
    return Section(data, rows)


SECTIONS = {"search": search, "puts": puts, "statements": statements}
