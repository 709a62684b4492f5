"""The nouns of a search: the question as ranking sees it, and the pool of what may answer it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.store.rows import Candidate
from ghostmem.text.question import Question
from ghostmem.text.temporal import Times

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass
class Asked:
    """A question as ranking sees it."""

    text: str
    terms: list[str]
    words: list[str]
    times: Times
    question: Question
    now: datetime
    count: int
    query: NDArray[np.float32] | None = None


@dataclass
class Pool:
    """Items of one namespace with their features and their ranks by leg."""

    items: list[Candidate]
    features: list[dict[str, float]]
    ranks: dict[str, dict[int, int]] = field(default_factory=dict)  # leg -> chunk -> rank
    cosines: list[float | None] = field(default_factory=list)
