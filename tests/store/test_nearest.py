"""The nearest vectors: exact while few, prefiltered by one bit a dimension when many, and the same however they came in."""

import re
import sysconfig
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ghostmem import Ghost
from ghostmem.embed.static import StaticEmbedder
from ghostmem.store import nearest
from ghostmem.store.nearest import VectorView
from ghostmem.store.rows import Filter
from ghostmem.text.chunk import CHUNKER


def sentences(count: int) -> list[str]:
    """Return different lines of prose out of the standard library's sources, the same on every call."""
    found: dict[str, None] = {}
    for file in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" in file.parts:
            continue
        for line in file.read_text("utf-8", "replace").splitlines():
            text = line.strip().lstrip("# ")
            if len(re.findall(r"[A-Za-z]{2,}", text)) >= 6 and not re.search(r"[=()\[\]{}]", text):
                found[text] = None
        if len(found) >= count:
            break
    return list(found)[:count]


def view_of(rows: "np.ndarray") -> VectorView:
    """Return a view whose chunks are numbered from one."""
    return VectorView(1, np.arange(1, len(rows) + 1), rows.astype(np.float16))


@pytest.mark.wide
def test_the_prefilter_loses_almost_nothing() -> None:
    """Among 25,000 vectors of texts, at least 95 of 100 of the exact twenty nearest pass the one-bit prefilter."""
    embedder = StaticEmbedder()
    texts = sentences(25_400)
    assert len(texts) == 25_400
    rows, queries = embedder.embed(texts[:25_000]), embedder.embed(texts[25_000::20])
    view = view_of(rows)
    assert len(view.ids) > nearest.MAX_EXACT
    exact = view.rows.astype(np.float32) @ queries.T
    kept = 0
    for at, query in enumerate(queries):
        best = set((np.argsort(-exact[:, at], kind="stable")[:20] + 1).tolist())
        found = view.nearest(query, 240)
        assert len(found) == len(set(found)) == 240
        kept += len(best & set(found[:20]))
    assert kept / (20 * len(queries)) >= 0.95


def test_removed_chunks_are_not_found() -> None:
    """A view of some of its chunks finds the nearest of these, also after more were added."""
    rows = np.random.default_rng(5).normal(size=(300, 64)).astype(np.float32)
    whole, left = view_of(rows), np.arange(2, 301, 3)
    part = whole.only(left)
    assert part is not None
    assert part.count == len(left)
    query = rows[0]
    expected = [number for number in whole.nearest(query, 300) if number % 3 == 2]
    assert part.nearest(query, 300) == expected
    more = part.extended(2, np.array([301]), rows[:1].astype(np.float16))
    assert more.nearest(query, 5) == [301, *expected[:4]]
    assert more.count == len(left) + 1
    assert whole.only(np.array([1, 302])) is None
    nothing = whole.only(np.zeros(0, np.int64))
    assert nothing is not None
    assert nothing.nearest(query, 3) == []


@pytest.mark.requirement("002-074")
def test_few_vectors_are_compared_exactly() -> None:
    """The order is that of the products, nearest first."""
    rows = np.random.default_rng(3).normal(size=(500, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    view = view_of(rows)
    scores = view.rows.astype(np.float32) @ rows[7]
    assert view.nearest(rows[7], 10) == (np.argsort(-scores)[:10] + 1).tolist()
    assert view.nearest(rows[7], 10)[0] == 8


def test_ties_go_to_the_newest() -> None:
    """Equal vectors stand newest first, and asking again changes nothing."""
    view = view_of(np.tile(np.eye(8, dtype=np.float32)[0], (50, 1)))
    assert view.nearest(np.eye(8, dtype=np.float32)[0], 50) == list(range(50, 0, -1))


def test_a_cut_among_equals_keeps_the_newest() -> None:
    """When more vectors are equal than are asked for, the newest are returned."""
    view = view_of(np.tile(np.eye(8, dtype=np.float32)[0], (50, 1)))
    assert view.nearest(np.eye(8, dtype=np.float32)[0], 5) == [50, 49, 48, 47, 46]


def test_nothing_and_too_few() -> None:
    """An empty view has no nearest, and asking for more than there is returns all."""
    empty = VectorView(0, np.zeros(0, np.int64), np.zeros((0, 8), np.float16))
    assert empty.nearest(np.ones(8, np.float32), 5) == []
    view = view_of(np.eye(3, dtype=np.float32))
    assert sorted(view.nearest(np.ones(3, np.float32), 10)) == [1, 2, 3]


def test_vectors_are_fetched_by_chunk() -> None:
    """Chunks that have a vector get theirs, others zeros and a false."""
    view = VectorView(1, np.array([2, 5, 9]), np.eye(3, dtype=np.float16))
    found, there = view.vectors(np.array([5, 1, 9, 10, 2]))
    assert there.tolist() == [True, False, True, False, True]
    assert found.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("dimension", [1, 7, 63, 64, 65, 384])
def test_any_dimension_can_be_prefiltered(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dimensions that fill no whole word of bits work too."""
    monkeypatch.setattr(nearest, "MAX_EXACT", 10)
    rows = np.random.default_rng(4).normal(size=(100, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert len(view_of(rows).nearest(rows[3], 5)) == 5
    assert 4 in view_of(rows).nearest(rows[3], 5) or dimension == 1


@pytest.mark.wide
def test_a_view_that_grew_equals_a_fresh_one(open_ghost: Callable[..., Ghost]) -> None:
    """After puts, changes, removals and backfills, the view kept in memory answers as one loaded anew."""
    ghost = open_ghost("m.db", embed_provider="static")
    plain = open_ghost("m.db", embed_provider="none")
    query = StaticEmbedder().embed(["cats and dogs sleep"])[0]
    texts = sentences(120)

    def ids(store: Ghost) -> tuple[list[int], list[int]]:
        with store.store.engine.read() as tx:
            (space,) = tx.search.spaces(["a"])
            model = tx.vectors.model("minilm-static-256-int8", 256, CHUNKER)
            view = tx.vectors.view(model, space)
            live = {c.chunk for c in tx.search.candidates(view.ids.tolist(), Filter())}
            return sorted(live), [chunk for chunk in view.nearest(query, 200) if chunk in live]

    for at, text in enumerate(texts):
        (plain if at % 10 == 3 else ghost).put("a", f"k{at}", text)
        if at % 7 == 0 and at:
            ghost.rm("a", f"k{at - 1}")
        if at % 11 == 0 and at:
            ghost.put("a", f"k{at - 5}", texts[at - 5] + " again")
        if at % 20 == 0:
            ghost.admin.embed_backfill()
        if at % 3 == 0:
            assert ids(ghost) == ids(open_ghost("m.db", embed_provider="static"))


def test_vectors_that_pass_the_prefilter_are_compared_in_full() -> None:
    """Moving the bits of every finite float16 gives the same products as converting it."""
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    rows = halves[np.isfinite(halves)][:63_000].reshape(-1, 10)
    query = np.linspace(-1, 1, 10, dtype=np.float32)
    positions = np.arange(0, len(rows), 3)
    expected = np.vecdot(rows[positions].astype(np.float32), query)
    assert np.array_equal(nearest._products(rows, positions, query), expected)


@pytest.mark.parametrize("count", [0, 1, 300, 2_500])
def test_pairs_are_those_of_all_products(count: int) -> None:
    """Each pair of similar chunks comes once, the earlier chunk first; chunks without a vector are left out."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(count, 64)) + 3 * rng.normal(size=(40, 64))[np.arange(count) % 40]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    view = view_of(rows)
    chosen = np.array([number for number in range(1, count + 1) if number % 3], np.int64)
    full = view.rows.astype(np.float32)[chosen - 1]
    products = np.triu(full @ full.T, 1)
    least = 0.93
    expected = {
        (int(chosen[left]), int(chosen[right])): min(1.0, float(products[left, right]))
        for left, right in zip(*np.nonzero(products > least), strict=True)
    }
    pairs = list(view.pairs([*chosen.tolist(), count + 9], least, count + 1))
    assert len(pairs) == len(expected)
    assert {(left, right): pytest.approx(cosine) for left, right, cosine in pairs} == expected
    assert len(expected) > 10 or count < 2_500


def test_each_chunk_has_its_nearest_pairs() -> None:
    """Of many similar later chunks, the nearest count."""
    angles = np.linspace(0, 1.5, 20)
    view = view_of(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    pairs = [(left, right) for left, right, _ in view.pairs(range(1, 21), 0.01, 3)]
    assert sorted(pairs)[:6] == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (2, 5)]
    assert len(pairs) == 17 * 3 + 2 + 1
