"""The state that every operation needs: engine, settings, clock, and vectoriser."""

from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.clock import Clock, to_ms
from ghostmem.frozen import frozen
from ghostmem.ids import UlidMaker
from ghostmem.settings import Settings
from ghostmem.store.vectoriser import Vectoriser

if TYPE_CHECKING:
    from ghostmem.search.rerank import Reranker
    from ghostmem.store.opening import Engine


@frozen
class Store:
    """An open store and its surroundings."""

    engine: "Engine"
    settings: Settings
    clock: Clock
    vectoriser: Vectoriser
    reranker: "Reranker | None" = None
    ids: UlidMaker = field(default_factory=UlidMaker)

    def new_id(self, at: datetime) -> str:
        """Return a new id that sorts by a time."""
        return self.ids(to_ms(at))
