"""python -m bench.growth: one namespace among many, against a store that has only that one.

Both stores are made by `Ghost.put_many`. Each is then measured in a process of its own: opening it,
search, put and list in one namespace, and memory, before and after a use of many namespaces.
Figures are medians of CPU time, and memory as the system counts it."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench.child import json_of_python
from bench.corpus import many_sentences
from bench.report import machine, show, table
from bench.timing import Cost, cost, cpu_ms, wall_ms
from ghostmem import Ghost, Settings

BATCH = 20_000  # memories of one call of `put_many`, which reports on each
RUNS = 100
OPENED = 5
MANY = 50  # namespaces of the last measurement
MEASURED = "ns-0"


class Figure(NamedTuple):
    """A measured value: its title, name in the JSON, and unit."""

    title: str
    name: str
    unit: str


FIGURES = (
    Figure("open, wall", "open", "ms"),
    Figure("search in one namespace", "search", "ms"),
    Figure("put into one namespace", "put", "ms"),
    Figure("list 20 memories of one namespace", "list", "ms"),
    Figure("list the namespaces", "namespaces", "ms"),
    Figure("resident after opening", "rss_open", "MB"),
    Figure("resident after these", "rss_one", "MB"),
    Figure(f"resident after a search in {MANY} namespaces", "rss_many", "MB"),
)


def growth(memories: int, namespaces: int, provider: str, folder: Path) -> dict[str, Any]:
    """Make a store with all namespaces and one with a single one, and measure both."""
    size = memories // namespaces
    texts = many_sentences(size + RUNS)
    found: dict[str, Any] = {"memories": memories, "namespaces": namespaces, "provider": provider}
    for name, count in (("alone", 1), ("all", namespaces)):
        path = folder / f"{name}.db"
        filled = fill(path, texts[:size], count, provider)
        arguments = json.dumps([str(path), provider])
        measured = json_of_python("-m", "bench.growth", "--measure", arguments)
        bytes_ = path.stat().st_size
        found[name] = {
            **measured,
            "fill_s": round(filled.cpu, 1),
            "file_mb": round(bytes_ / 1e6, 1),
        }
        path.unlink()
    return found


def fill(path: Path, texts: list[str], namespaces: int, provider: str) -> Cost:
    """Make a store whose namespaces all have the same texts."""
    with Ghost.open(path, settings=Settings(embed_provider=provider)) as ghost:
        return cost(lambda: _put_all(ghost, texts, namespaces))


def _put_all(ghost: Ghost, texts: list[str], namespaces: int) -> None:
    items: list[dict[str, Any]] = []
    for item in _items(texts, namespaces):
        items.append(item)
        if len(items) == BATCH:
            ghost.put_many(items, judge=False)
            items = []
    ghost.put_many(items, judge=False)


def _items(texts: list[str], namespaces: int) -> Iterator[dict[str, Any]]:
    for number in range(namespaces):
        for place, text in enumerate(texts):
            yield {"ns": f"ns-{number}", "key": f"key-{place}", "content": text}


def measure(path: str, provider: str) -> dict[str, float]:
    """Measure one namespace of a store, and memory."""
    settings = Settings(embed_provider=provider)
    opened = [cost(lambda: Ghost.open(path, settings=settings).close()) for _ in range(OPENED)]
    with Ghost.open(path, settings=settings) as ghost:
        names = [each.ns for each in ghost.admin.namespaces()]
        texts = [memory.content for memory in ghost.list(MEASURED, limit=RUNS)]
        rss_open = _resident()
        works: dict[str, Callable[[int], object]] = {
            "search": lambda number: ghost.search(texts[number % len(texts)], MEASURED),
            "put": lambda number: ghost.put(
                MEASURED, f"new-{number}", f"Number {number} says: {texts[number % len(texts)]}"
            ),
            "list": lambda _: ghost.list(MEASURED, limit=20),
        }
        found = {name: _median(work, RUNS) for name, work in works.items()}
        found["namespaces"] = _median(lambda _: ghost.admin.namespaces(), OPENED)
        rss_one = _resident()
        for name in names[:MANY]:
            ghost.search(texts[0], name)
        rss_many = _resident()
    return {
        "open": round(wall_ms(opened), 2),
        **found,
        "rss_open": rss_open,
        "rss_one": rss_one,
        "rss_many": rss_many,
    }


def _median(work: Callable[[int], object], runs: int) -> float:
    """Return the median of the CPU time of some work in milliseconds, without the first runs."""
    costs = [cost(partial(work, number)) for number in range(runs)]
    return round(cpu_ms(costs[runs // 10 :]), 3)


def _resident() -> int:
    """Return the memory of this process in megabytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--namespaces", type=int, default=20)
    parser.add_argument("--provider", choices=("none", "static"), default="static")
    parser.add_argument("--folder", type=Path, help="where to make the stores (a temporary folder)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        sys.stdout.write(json.dumps(measure(*json.loads(args.measure))))
        return
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        found = growth(args.memories, args.namespaces, args.provider, Path(folder))
    rows = [
        (title, f"{found['alone'][name]:,} {unit}", f"{found['all'][name]:,} {unit}")
        for title, name, unit in (
            *FIGURES,
            Figure("put_many, CPU", "fill_s", "s"),
            Figure("file", "file_mb", "MB"),
        )
    ]
    size = args.memories // args.namespaces
    head = ("", f"{size:,} alone", f"{args.memories:,} in {args.namespaces:,} namespaces")
    show({"machine": machine(), **found}, table(head, rows), args.json)


if __name__ == "__main__":
    main()
