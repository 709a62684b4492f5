"""One peer under measurement, as passed to every measure."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.peer_kinds.driver import Driver, DriverError
from bench.peer_kinds.kinds import Kind
from bench.peer_kinds.sets import DIMENSION, Sets

Found = dict[str, Any]
FIRST = 1_000  # memories of the first store, which every peer fills


@dataclass
class Bench:
    """One peer under measurement: folder, data sets, time limit, and results so far."""

    kind: Kind
    work: Path
    room: Path
    sets: Sets
    limit: int
    seconds: float
    runs: int
    size: int = FIRST  # memories in the largest store so far
    store: str = "first"
    found: Found = field(default_factory=dict)

    def driver(self, folder: str, before: tuple[str, ...] = ()) -> Driver:
        """Start a driver and open the store in a folder of the room."""
        place = self.room / folder
        place.mkdir(parents=True, exist_ok=True)
        made = Driver(self.work, self.kind, place, before)
        try:
            made.open(self.kind, self.work, place, DIMENSION, self.seconds)
        except DriverError:
            made.kill()
            raise
        return made
