"""A view of vectors that is extended leaves every older view as it was."""

import threading
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.store import nearest
from ghostmem.store.nearest import VectorView

WIDTH = 70


def made(seed: int, count: int) -> "np.ndarray":
    """Return unit vectors, the same for the same seed."""
    rows = np.random.default_rng(seed).normal(size=(count, WIDTH))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def agrees(view: VectorView, ids: "np.ndarray", rows: "np.ndarray") -> None:
    """Check that a view answers as one that holds just these vectors."""
    fresh = VectorView(0, ids, rows)
    query = made(7, 1)[0].astype(np.float32)
    assert view.ids.tolist() == ids.tolist()
    assert np.array_equal(view.rows, rows)
    assert view.nearest(query, 5) == fresh.nearest(query, 5)
    found, there = view.vectors(ids)
    assert there.all()
    assert found.tolist() == rows.astype(np.float32).tolist()


@pytest.mark.parametrize("exact", [20_000, 3])
@settings(max_examples=40, deadline=None)
@given(
    first=st.integers(0, 4),
    steps=st.lists(
        st.tuples(st.integers(0, 50), st.integers(0, 30), st.booleans()), min_size=1, max_size=14
    ),
)
def test_extending_never_disturbs_an_older_view(
    exact: int, first: int, steps: list[tuple[int, int, bool]]
) -> None:
    """However views are extended from any older one, and asked in between, each holds its own vectors and no others."""
    with mock.patch.object(nearest, "MAX_EXACT", exact):
        ids, rows = np.arange(1, first + 1), made(0, first)
        known = [(VectorView(0, ids, rows), ids, rows)]
        for at, (chosen, count, ask) in enumerate(steps, 1):
            view, ids, rows = known[chosen % len(known)]
            start = int(ids[-1]) + at if len(ids) else at  # numbers differ between branches
            more, vectors = np.arange(start, start + count), made(at, count)
            both = np.concatenate([ids, more]), np.concatenate([rows, vectors])
            known.append((view.extended(at, more, vectors), *both))
            if ask:
                known[-1][0].nearest(made(9, 1)[0].astype(np.float32), 3)
        for view, ids, rows in known:
            agrees(view, ids, rows)


def test_threads_that_extend_one_view_each_get_their_own() -> None:
    """Two threads that extend the same view at once do not write over each other."""
    ids, rows = np.arange(1, 11), made(1, 10)
    base = VectorView(0, ids, rows).extended(1, np.zeros(0, np.int64), made(2, 0))
    start = threading.Barrier(8)
    found: dict[int, VectorView] = {}

    def extend(at: int) -> None:
        start.wait()
        view = base
        for step in range(20):
            view = view.extended(step, np.array([100 + step]), made(1000 * at + step, 1))
        found[at] = view

    threads = [threading.Thread(target=extend, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at, view in found.items():
        own = np.concatenate([rows, *(made(1000 * at + step, 1) for step in range(20))])
        agrees(view, np.concatenate([ids, np.arange(100, 120)]), own)
    agrees(base, ids, rows)
