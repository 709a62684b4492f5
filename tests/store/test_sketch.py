"""Sketches of vectors find exactly the pairs that comparing every vector with every other finds"""

import numpy as np
import pytest

from ghostmem.store.nearest import VectorView
from ghostmem.store.sketch import MIN_SKETCHED, TILE, Sketches

CLOSE = 60  # vectors of the largest group


@pytest.mark.parametrize(
    ("number", "width", "least"),
    [(MIN_SKETCHED + 700, 96, 0.9), (MIN_SKETCHED + 1, 16, 0.97), (300, 64, 0.92), (1, 8, 0.9)],
)
def test_the_pairs_are_those_of_a_full_comparison(number: int, width: int, least: float) -> None:
    """Groups of near vectors among others; asked for fewer than there are, each gets only so many."""
    count = 2 * CLOSE
    chance = np.random.default_rng(number)
    rows = np.repeat(chance.normal(size=(number // 4 + 1, width)), 4, axis=0)[:number]
    rows += chance.normal(size=rows.shape) * 0.3 * chance.random((number, 1))
    rows[: min(number, CLOSE)] = rows[0] + chance.normal(size=(min(number, CLOSE), width)) * 0.01
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    view = VectorView(1, np.arange(number) * 3 + 5, rows.astype(np.float16))
    sketches = Sketches(view.rows)
    for start in range(0, number, TILE):
        stop = min(start + TILE, number)
        own, before = (
            view.rows[part].astype(np.float32) for part in (slice(start, stop), slice(stop))
        )
        places = np.argwhere(own @ before.T >= least).tolist()
        wanted = {(start + at, int(view.ids[to])) for at, to in places}
        at, to, scores = sketches.nearest_before(start, stop, least, count)
        assert set(zip(at.tolist(), view.ids[to].tolist(), strict=True)) == wanted
        assert (scores >= least).all()
        few, _, _ = sketches.nearest_before(start, stop, least, 3)
        assert np.array_equal(np.bincount(few), np.minimum(np.bincount(at), 3))


@pytest.mark.parametrize("number", [0, 5, MIN_SKETCHED + 1])
def test_nothing_is_near_to_nothing(number: int) -> None:
    """No vectors are asked for, or there are none to compare with."""
    sketches = Sketches(np.eye(1, 8, dtype=np.float16).repeat(number, axis=0))
    for positions, stop in ((np.zeros(0, np.int64), number), (np.arange(min(number, 3)), 0)):
        pairs = sketches.nearest(positions, stop, 0.5, 4, late=np.ones(number, bool))
        assert [len(part) for part in pairs] == [0, 0, 0]
