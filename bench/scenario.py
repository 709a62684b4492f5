"""What every fault scenario takes and returns."""

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

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

    def is_late(self) -> bool:
        """Say whether the time is up."""
        return time.monotonic() > self.deadline

    def room(self, name: str) -> Path:
        """Make a folder of its own for one scenario or round."""
        path = self.folder / name
        path.mkdir(parents=True)
        return path

    def moments(self, name: str, count: int) -> list[float]:
        """Choose moments between 0 and 1, one in each of `count` equal slices, in a random order."""
        choose = random.Random(f"{self.seed} {name}")
        found = [(slice_ + choose.random()) / count for slice_ in range(count)]
        choose.shuffle(found)
        return found


@dataclass
class Findings:
    """What a scenario saw; no problems means passed, `skipped` says why it could not run."""

    facts: Facts = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    skipped: str = ""

    def expect(self, holds: bool, problem: str) -> None:
        """Note a problem unless something holds."""
        if not holds:
            self.problems.append(problem)

    def count(self, name: str, by: int = 1) -> None:
        """Add to a fact."""
        self.facts[name] = int(self.facts.get(name, 0)) + by
