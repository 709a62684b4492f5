"""python -m bench.load: a server of `ghost serve` under 64 clients that read and write for minutes.

A real server process on a fresh store in a file or in PostgreSQL, and one client process with a
connection for each client, which pauses between requests so that the server can
keep up. Measured are latencies per operation and per minute, errors by status, lost writes (every
acknowledged put and patch is read back after the server has stopped), and the server's resident
memory. Exits with 1 when a limit is missed."""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from bench.child import ROOT, plain_env
from bench.corpus import sentences
from bench.load_client import OPERATIONS, Client, Sample, Shared
from bench.proof import SETTINGS
from bench.report import machine, show, table
from ghostmem import Ghost

ENGINES = ("sqlite", "postgres")
PROVIDERS = ("none", "static")
NS = "agent:load"
SEEDED = 1_000  # memories in the store before the load
KEYS = 20  # keys of each client, which only it writes
WARMING = 10.0  # seconds of load before anything counts
MINUTE = 60.0
MAX_GROWTH = 1.5  # p99 of the last minute over that of the first
MAX_RSS_GROWTH = 1.1  # resident memory at the end over that after one minute


@dataclass(frozen=True)
class Plan:
    """The settings of a run."""

    engine: str
    provider: str
    clients: int
    rate: float  # requests a second of all clients together
    seconds: float
    seed: int


@dataclass
class Server:
    """A running `ghost serve`."""

    process: "subprocess.Popen[bytes]"
    host: str
    port: int
    log: Path
    rss: list[tuple[float, float]] = field(
        default_factory=list
    )  # seconds since the start of the load, and MB

    def memory(self) -> float:
        """Return the resident memory in MB."""
        said = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(said.partition("VmRSS:")[2].split()[0]) / 1024

    def cpu(self) -> float:
        """Return the seconds of processor time that were used so far."""
        parts = (
            Path(f"/proc/{self.process.pid}/stat")
            .read_text(encoding="ascii")
            .rpartition(")")[2]
            .split()
        )
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> int:
        """Stop in order and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def store(engine: str, folder: Path) -> Iterator[str]:
    """Give the address of a fresh store."""
    if engine == "sqlite":
        yield str(folder / "memory.db")
        return
    from bench.postgres import NAME, own_server

    with own_server(autovacuum="on") as server:
        yield server.url(NAME)


def fill(target: str, plan: Plan) -> tuple[str, list[str]]:
    """Fill a store with sentences and make a token; return the token and the sentences."""
    texts = sentences(SEEDED + 2_000)
    with Ghost.open(target, settings=replace(SETTINGS, embed_provider=plan.provider)) as ghost:
        ghost.import_(
            [
                json.dumps(
                    [
                        {"ns": NS, "key": f"seed-{n}", "content": text, "version": 1}
                        for n, text in enumerate(texts[:SEEDED])
                    ]
                )
            ]
        )
        secret, _ = ghost.admin.create_token("load", [f"{NS}:write"])
    return secret, texts


@contextmanager
def serving(target: str, plan: Plan, folder: Path) -> Iterator[Server]:
    """Run `ghost serve` on a free port; its limit is twice the rate that is offered."""
    log = folder / "serve.log"
    command = [
        sys.executable,
        "-m",
        "ghostmem",
        "--db",
        target,
        "--json",
        "serve",
        "--port",
        "0",
        "--rate",
        str(plan.rate * 2),
    ]
    env = {**plain_env(), "GHOST_EMBED_PROVIDER": plan.provider}
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=stream
        )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        if not said:
            raise RuntimeError(
                f"ghost serve did not start: {log.read_text(encoding='utf-8')[-500:]}"
            )
        host, _, port = json.loads(said)["url"].removeprefix("http://").rpartition(":")
        yield Server(process, host, int(port), log)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def load(plan: Plan) -> dict[str, Any]:
    """Run the whole test and return its findings."""
    with (
        tempfile.TemporaryDirectory(prefix="ghost-load-") as name,
        store(plan.engine, Path(name)) as target,
    ):
        secret, texts = fill(target, plan)
        shared = Shared(NS, secret, texts, plan.clients / plan.rate, KEYS)
        with serving(target, plan, Path(name)) as server:
            cpu = asyncio.run(_drive(plan, server, shared))
            code = server.stop()
            log = server.log.read_text(encoding="utf-8", errors="replace").splitlines()
        lost, problems = read_back(target, shared)
    found = (
        findings(plan, shared, server)
        | cpu
        | {"lost": len(lost), "exit_code": code, "check": problems}
    )
    found["lost_keys"] = lost[:10]
    found["server_errors"] = [line for line in log if '"error"' in line][:5]
    found["bars"] = bars(found)
    found["ok"] = all(bar["met"] for bar in found["bars"])
    return found


async def _drive(plan: Plan, server: Server, shared: Shared) -> dict[str, float]:
    """Run all clients until the time is up, sampling the server's memory every second."""
    clients = [
        Client(number, server.host, server.port, shared, plan.seed)
        for number in range(plan.clients)
    ]
    shared.began = time.monotonic() + WARMING
    shared.until = shared.began + plan.seconds
    sampler = asyncio.create_task(_sample(server, shared))
    before = 0.0
    tasks = [asyncio.create_task(client.work()) for client in clients]
    await asyncio.sleep(WARMING)
    before, own = server.cpu(), time.process_time()
    await asyncio.gather(*tasks)
    sampler.cancel()
    with suppress(asyncio.CancelledError):
        await sampler
    used = (server.cpu() - before) / plan.seconds
    return {
        "server_cores": round(used, 2),
        "client_cores": round((time.process_time() - own) / plan.seconds, 2),
    }


async def _sample(server: Server, shared: Shared) -> None:
    while True:
        await asyncio.sleep(1.0)
        server.rss.append((time.monotonic() - shared.began, server.memory()))


def read_back(target: str, shared: Shared) -> tuple[list[str], list[str]]:
    """Open the store after the server stopped; return lost writes and the result of a check."""
    with Ghost.open(target, settings=SETTINGS) as ghost:
        stored = {memory.key: memory.content for memory in ghost.list(NS, limit=1_000_000)}
        lost = [
            key
            for key, content in shared.acknowledged.items()
            if stored.get(key) not in (content, *shared.unknown.get(key, ()))
        ]
        return lost, [str(problem) for problem in ghost.admin.check().problems]


def findings(plan: Plan, shared: Shared, server: Server) -> dict[str, Any]:
    """Return the figures of a run."""
    samples = [sample for sample in shared.samples if sample.at >= 0]
    window = min(MINUTE, plan.seconds / 2)
    first = [sample for sample in samples if sample.at < window]
    last = [sample for sample in samples if sample.at >= plan.seconds - window]
    statuses = Counter(sample.status for sample in samples)
    rss_at = min(MINUTE, plan.seconds / 2)
    after = [mb for at, mb in server.rss if abs(at - rss_at) <= 5]
    end = [mb for at, mb in server.rss if at >= plan.seconds - 10]
    return {
        "engine": plan.engine,
        "provider": plan.provider,
        "clients": plan.clients,
        "seconds": plan.seconds,
        "offered_per_second": plan.rate,
        "answered_per_second": round(len(samples) / plan.seconds, 1),
        "requests": len(samples),
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        "server_error_responses": sum(count for status, count in statuses.items() if status >= 500),
        "too_many_requests": statuses[429],
        "failed_connections": statuses[0],
        "reconnected": shared.reconnected,
        "acknowledged": shared.writes,
        "operations": {
            name: figures([one for one in samples if one.operation == name]) for name in OPERATIONS
        },
        "all": figures(samples),
        "minutes": [figures(part) for part in _minutes(samples, plan.seconds)],
        "window_seconds": window,
        "p99_first_ms": figures(first)["p99_ms"],
        "p99_last_ms": figures(last)["p99_ms"],
        "p99_growth": round(figures(last)["p99_ms"] / max(figures(first)["p99_ms"], 0.001), 2),
        "rss_after_minute_mb": round(median(after or [0.0]), 1),
        "rss_end_mb": round(median(end or [0.0]), 1),
        "rss_mb": [round(mb, 1) for at, mb in server.rss if at >= 0][::10],  # every ten seconds
        "rss_growth": round(median(end or [0.0]) / max(median(after or [0.0]), 0.001), 3),
        "machine": machine(),
    }


def _minutes(samples: list[Sample], seconds: float) -> list[list[Sample]]:
    count = max(1, round(seconds / MINUTE))
    return [
        [one for one in samples if number * MINUTE <= one.at < (number + 1) * MINUTE]
        for number in range(count)
    ]


def figures(samples: list[Sample]) -> dict[str, Any]:
    """Return count, median and 99th percentile of some requests."""
    times = sorted(sample.seconds * 1000 for sample in samples) or [0.0]
    at = min(len(times) - 1, int(len(times) * 0.99))
    return {
        "requests": len(samples),
        "p50_ms": round(median(times), 1),
        "p99_ms": round(times[at], 1),
    }


def bars(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Compare the figures with their limits."""
    rows = [
        ("responses 5xx", found["server_error_responses"], 0),
        ("failed connections", found["failed_connections"], 0),
        ("lost writes", found["lost"], 0),
        ("problems found by check", len(found["check"]), 0),
        ("p99, last minute over first", found["p99_growth"], MAX_GROWTH),
        ("resident memory, end over first minute", found["rss_growth"], MAX_RSS_GROWTH),
    ]
    return [
        {"bar": name, "figure": figure, "most": most, "met": figure <= most}
        for name, figure, most in rows
    ]


def as_text(found: dict[str, Any]) -> str:
    """Return the findings as tables."""
    rows = [
        [name, f"{one['requests']:,}", f"{one['p50_ms']:.1f}", f"{one['p99_ms']:.1f}"]
        for name, one in _rows(found)
    ]
    judged = [
        [bar["bar"], str(bar["figure"]), f"≤ {bar['most']}", "yes" if bar["met"] else "NO"]
        for bar in found["bars"]
    ]
    head = (
        f"{found['engine']}, {found['clients']} clients, {found['seconds']:.0f} s,"
        f" {found['offered_per_second']:.0f} requests/s offered, "
        f"{found['answered_per_second']} answered;"
        f" statuses {found['statuses']}; acknowledged writes {found['acknowledged']:,};"
        f" server {found['server_cores']} cores, client {found['client_cores']};"
        f" memory {found['rss_after_minute_mb']} MB after {found['window_seconds']:.0f} s, "
        f"{found['rss_end_mb']} MB at the end"
    )
    parts = [
        head,
        table(("what", "requests", "p50 ms", "p99 ms"), rows),
        table(("bar", "figure", "most", "met"), judged),
    ]
    return "\n\n".join([*parts, *found["server_errors"], *found["lost_keys"]])


def _rows(found: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    minutes = [(f"minute {number}", one) for number, one in enumerate(found["minutes"], 1)]
    return [*found["operations"].items(), ("all", found["all"]), *minutes]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default=ENGINES[0],
        help="where the store is (default %(default)s)",
    )
    parser.add_argument(
        "--provider",
        choices=PROVIDERS,
        default=PROVIDERS[0],
        help="embedding provider (default %(default)s)",
    )
    parser.add_argument(
        "--clients", type=int, default=64, help="connections at once (default %(default)s)"
    )
    parser.add_argument(
        "--rate",
        type=float,
        default=40.0,
        help="requests a second of all clients (default %(default)s)",
    )
    parser.add_argument(
        "--seconds", type=float, default=300.0, help="how long to measure (default %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="chooses operations and pauses (default %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    return parser.parse_args()


def main() -> int:
    """Run the load test and print the results."""
    arguments = options()
    found = load(
        Plan(
            arguments.engine,
            arguments.provider,
            arguments.clients,
            arguments.rate,
            arguments.seconds,
            arguments.seed,
        )
    )
    show(found, as_text(found), arguments.json)
    return 0 if found["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
