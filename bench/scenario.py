"""The arguments and results of fault scenarios."""

import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.child import Child, ForkedChild

Facts = dict[str, int | float | str]


@dataclass(frozen=True)
class Plan:
    """How much to do, where, and until when; the same seed chooses the same moments."""

    folder: Path
    rounds: int = 50
    processes: int = 8
    puts: int = 250
    seed: int = 1
    deadline: float = float("inf")
    # children of kill scenarios are forks of this process, which starts them in milliseconds
    fork: bool = False
    earlier: "Findings | None" = None  # findings of the rounds that an interrupted run has done
    report: "Callable[[Findings], None] | None" = None  # is given the findings after each round

    @property
    def child(self) -> type[Child]:
        """Return the class of children to start."""
        return ForkedChild if self.fork else Child

    def is_late(self) -> bool:
        """Say whether the time is up."""
        return time.monotonic() > self.deadline

    def new_folder(self, name: str) -> Path:
        """Make a new folder for one scenario or round."""
        path = self.folder / name
        path.mkdir(parents=True)
        return path

    def moments(self, name: str, count: int) -> list[float]:
        """Return random moments between 0 and 1, one in each of `count` equal slices."""
        choose = random.Random(f"{self.seed} {name}")
        found = [(slice_ + choose.random()) / count for slice_ in range(count)]
        choose.shuffle(found)
        return found


@dataclass
class Findings:
    """The result of a scenario: empty `problems` means passed, `skipped` gives a reason."""

    facts: Facts = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    skipped: str = ""
    done: int = 0  # rounds whose findings these are, for a run that goes on after them

    def expect(self, holds: bool, problem: str) -> None:
        """Note a problem unless something holds."""
        if not holds:
            self.problems.append(problem)

    def count(self, name: str, by: int = 1) -> None:
        """Add to a fact."""
        self.facts[name] = int(self.facts.get(name, 0)) + by

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON can hold them."""
        return asdict(self)
