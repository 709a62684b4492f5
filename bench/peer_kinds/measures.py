"""The measures of a peer, one function each.

Every figure has its n, with wall and CPU time.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

from bench.peer_kinds.bench import FIRST, Bench, Found
from bench.peer_kinds.driver import Driver, DriverError
from bench.peer_kinds.durability import kill, writers
from bench.peer_kinds.sets import DIMENSION

ENOUGH, SLOW = 500.0, 50.0  # memories a second from which on 100,000 and 10,000 are stored
LIMIT = 10  # results asked for
WARMING = 20  # searches and puts that do not count


def ingest(bench: Bench) -> Found:
    """Store 1,000, then as many more as the rate allows, each in a fresh store.

    Ask the questions of both.
    """
    small = _fill(bench, "first", min(FIRST, bench.limit))
    bench.found["quality"] = {"small": small.pop("quality")}
    bench.found["search"] = small.pop("search")
    rate = small["per_s"]
    wanted = 100_000 if rate > ENOUGH else 10_000 if rate > SLOW else FIRST
    reason = f"{rate:,.0f}/s for the first {small['n']:,}"
    if bench.limit < wanted:
        wanted, reason = bench.limit, f"the run was limited to {bench.limit:,}"
    if small["n"] < min(FIRST, bench.limit):
        reason = f"{bench.seconds:.0f} s were up"
    if wanted <= FIRST:
        return {**small, "why": reason}
    large = _fill(bench, "large", wanted)
    bench.found["quality"]["large"] = large.pop("quality")
    bench.found["search"] = large.pop("search")
    if large["n"] < wanted:
        reason += f"; {bench.seconds:.0f} s were up before {wanted:,}"
    bench.size, bench.store = large["n"], "large"
    return {**large, "first": small, "why": reason}


def _fill(bench: Bench, folder: str, size: int) -> Found:
    with bench.driver(folder) as driver:
        patience = bench.seconds * 2 + 60
        done = driver.ask(
            "add",
            patience,
            items=bench.sets.memories,
            start=0,
            stop=size,
            batch=FIRST,
            seconds=bench.seconds,
        )
        found: Found = {
            "n": done["n"],
            "per_s": round(done["n"] / done["wall"], 1),
            "per_cpu_s": round(done["n"] / max(done["cpu"], 1e-9), 1),
            "peak_mb": done["peak_mb"],
        }
        asked = bench.sets.asked
        ask: Found = {"items": bench.sets.questions, "limit": LIMIT, "seconds": bench.seconds}
        driver.ask("search", patience, **{**ask, "start": 0, "stop": WARMING})
        answers = driver.ask("search", patience, **{**ask, "start": 0, "stop": len(asked)})
        found["search"] = _times(answers["walls"], answers["cpu"]) | {"among": done["n"]}
        found["quality"] = quality(bench, answers["found"], done["n"]) | {"among": done["n"]}
        driver.leave(bench.seconds)
    found["file_mb"] = file_mb(bench.room / folder)
    return found


def quality(bench: Bench, answers: list[list[str]], stored: int) -> Found:
    """Return how often the right answer is first and among the first five."""
    made: Found = {}
    for sort in ("topical", "identifier"):
        asked = [
            (question, keys)
            for question, keys in zip(bench.sets.asked, answers, strict=False)
            if question.sort == sort and int(question.key[1:]) < stored
        ]
        made[sort] = {
            "hit1": round(
                100
                * sum(question.key in keys[:1] for question, keys in asked)
                / max(1, len(asked)),
                1,
            ),
            "hit5": round(
                100
                * sum(question.key in keys[:5] for question, keys in asked)
                / max(1, len(asked)),
                1,
            ),
            "n": len(asked),
        }
    return made


def put(bench: Bench) -> Found:
    """Put one by one into the largest store, in a process that is warm.

    Then count syncs with strace, where it is there.
    """
    with bench.driver(bench.store) as driver:
        ask: Found = {"items": bench.sets.extra, "seconds": min(bench.seconds, 60)}
        driver.ask("put", bench.seconds + 60, **{**ask, "start": 0, "stop": WARMING})
        done = driver.ask(
            "put", bench.seconds + 60, **{**ask, "start": WARMING, "stop": WARMING + 200}
        )
        driver.leave(bench.seconds)
    if not done["walls"]:
        raise DriverError(done["failed"][0] if done["failed"] else "no put was acknowledged")
    found = _times(done["walls"], done["cpu"]) | {
        "among": bench.size,
        "errors": len(done["failed"]),
    }
    return found | {"durable": _durable(bench)}


def _durable(bench: Bench) -> str:
    """Say whether a put waits for the disk: how many syncs strace sees in each of ten puts."""
    strace = shutil.which("strace")
    if strace is None:
        return "not judged: strace is not installed"
    trace = bench.room / "syncs.txt"
    before = (
        strace,
        "-f",
        "-qq",
        "-e",
        "trace=fsync,fdatasync,msync,sync_file_range",
        "-e",
        "signal=none",
        "-o",
        str(trace),
    )
    try:
        with bench.driver("synced", before) as driver:
            ask: Found = {"items": bench.sets.extra, "seconds": bench.seconds}
            driver.ask("put", bench.seconds + 60, **{**ask, "start": 0, "stop": 5})
            then = _lines(trace)
            driver.ask("put", bench.seconds + 60, **{**ask, "start": 5, "stop": 15})
            syncs = (_lines(trace) - then) / 10
    except DriverError as error:
        return f"not judged: {error}"
    return (
        f"waits for the disk: {syncs:.1f} syncs a put"
        if syncs >= 1
        else f"does not wait for the disk: {syncs:.1f} syncs a put"
    )


def _lines(path: Path) -> int:
    return len(path.read_text(errors="replace").splitlines()) if path.exists() else 0


def cold(bench: Bench) -> Found:
    """Start a process, open the peer's largest store and ask one question, several times."""
    walls, cpus = [], []
    for run in range(bench.runs + 1):
        with Driver(bench.work, bench.kind, bench.room / bench.store) as driver:
            opened = driver.open(
                bench.kind, bench.work, bench.room / bench.store, DIMENSION, bench.seconds
            )
            ask: Found = {
                "items": bench.sets.questions,
                "limit": LIMIT,
                "seconds": 60,
                "start": run,
                "stop": run + 1,
            }
            answer = driver.ask("search", bench.seconds, **ask)
            wall = (
                opened["wall"] + answer["walls"][0]
                if bench.kind.is_server
                else time.perf_counter() - driver.began
            )
            cpu = driver.ask("cost", 60)["cpu"]
        if run:  # the first fills the file cache
            walls.append(wall)
            cpus.append(cpu)
    return {
        "wall_ms": round(median(walls) * 1000, 1),
        "cpu_ms": round(median(cpus) * 1000, 1),
        "n": bench.runs,
        "among": bench.size,
    }


def offline(bench: Bench) -> Found:
    """Use a peer that downloads a model as installed, without model and network."""
    bare = replace(bench, kind=replace(bench.kind, model=""))
    try:
        with bare.driver("offline") as driver:
            ask: Found = {"items": bench.sets.extra, "start": 0, "stop": 1, "seconds": 60}
            failed = driver.ask("put", bench.seconds, **ask)["failed"]
            if not failed:
                driver.ask("search", bench.seconds, **ask, limit=LIMIT)
            driver.leave(bench.seconds)
    except DriverError as error:
        failed = [str(error)]
    return {"works": not failed, **({"said": failed[0]} if failed else {})}


def tools(bench: Bench) -> Found:
    """Return the number of tools the server lists and the tokens of the list."""
    with bench.driver(bench.store) as driver:
        found = driver.ask("tools", 60)
        driver.leave(bench.seconds)
    return {"tools": found["tools"], "bytes": found["bytes"], "tokens": round(found["bytes"] / 4)}


def file_mb(folder: Path) -> float:
    """Return the size of a peer's files, without logs and caches."""
    skipped = {"driver.log", "server.log"}
    files = [
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and path.name not in skipped
    ]
    return round(
        sum(
            path.stat().st_size for path in files if ".cache" not in path.parts[len(folder.parts) :]
        )
        / 1e6,
        2,
    )


def _times(walls: list[float], cpu: float) -> Found:
    cuts = quantiles(walls, n=20) if len(walls) > 1 else walls * 19
    return {
        "p50_ms": round(median(walls) * 1000, 2),
        "p95_ms": round(cuts[-1] * 1000, 2),
        "cpu_ms": round(cpu / len(walls) * 1000, 2),
        "n": len(walls),
    }


Measure = Callable[[Bench], Found]
MEASURES: dict[str, Measure] = {
    "ingest": ingest,
    "put": put,
    "cold": cold,
    "tools": tools,
    "offline": offline,
    "writers": writers,
    "kill": kill,
}
