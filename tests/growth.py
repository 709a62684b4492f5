"""A check that work grows in proportion to its input, for tests marked perf."""

import time
from collections import deque
from collections.abc import Callable, Iterator

MEASURABLE = 0.1
"""Seconds of CPU time; work that needs less for the larger input is fast enough."""


def cpu_seconds(work: Callable[[], object], rounds: int = 2) -> float:
    """Return the CPU seconds of the fastest of some calls, each read to its end if it yields."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        result = work()
        if isinstance(result, Iterator):
            deque(result, maxlen=0)
        times.append(time.process_time() - begin)
    return min(times)


def check_growth(work: Callable[[str], object], make: Callable[[int], str], size: int) -> None:
    """Assert that four times the text costs about four times as much: 4 is linear, 16 quadratic."""
    small_text, large_text = make(size), make(4 * size)
    large = cpu_seconds(lambda: work(large_text), 1)
    if large < MEASURABLE:
        return
    small = cpu_seconds(lambda: work(small_text))
    large = min(large, cpu_seconds(lambda: work(large_text), 1))
    assert large < 9 * small, f"{small:.3f} s became {large:.3f} s for four times the text"


def repeated(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Return a function that repeats a piece up to a size, between two other texts."""
    return lambda size: before + (piece * (size // len(piece) + 1))[:size] + after
