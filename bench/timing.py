"""Measure CPU time: medians over interleaved runs, ratios within one run."""

import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Plan:
    """The parameters of a section: repetitions, folder, and number of memories."""

    runs: int
    folder: Path
    sizes: tuple[int, ...] = (10_000, 100_000)


@dataclass(frozen=True)
class Section:
    """The results of one section: its JSON and its rows of the table."""

    data: dict[str, Any]
    rows: list[tuple[str, str, str, str]]  # what, figure, ratio, aim


class Cost(NamedTuple):
    """Seconds on the wall clock and of the processor, user and system together."""

    wall: float
    cpu: float


def cost(work: Callable[[], object]) -> Cost:
    """Run some work in this process and return its cost."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def child_cost(command: Sequence[str | Path], env: Mapping[str, str]) -> Cost:
    """Run a command to its end and return its cost."""
    wall, cpu = time.perf_counter(), _children()
    subprocess.run(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True
    )
    return Cost(time.perf_counter() - wall, _children() - cpu)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def interleaved(works: Mapping[str, Callable[[], Cost]], runs: int) -> dict[str, list[Cost]]:
    """Measure each work in turn, several times, so that noise affects all equally."""
    found: dict[str, list[Cost]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            found[name].append(work())
    return found


def cpu_ms(costs: Sequence[Cost]) -> float:
    """Return the median of the CPU times in milliseconds."""
    return median(each.cpu for each in costs) * 1000


def wall_ms(costs: Sequence[Cost]) -> float:
    """Return the median of the wall times in milliseconds."""
    return median(each.wall for each in costs) * 1000


def cpu_p95_ms(costs: Sequence[Cost]) -> float:
    """Return the 95th percentile of CPU times in milliseconds."""
    return quantiles((each.cpu for each in costs), n=20)[-1] * 1000
