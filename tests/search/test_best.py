"""The choice of the chunks with the highest sums."""

from array import array

from hypothesis import given
from hypothesis import strategies as st

from ghostmem.search.lexical import WeighedChunks, best_by_arrays, best_by_dicts

PARTS = st.lists(
    st.builds(
        WeighedChunks,
        st.integers(0, 4),
        st.floats(0, 9),
        st.lists(st.integers(1, 30), unique=True, min_size=1).map(lambda ids: array("q", ids)),
    ),
    max_size=8,
).map(lambda parts: sorted(parts, key=lambda part: part.number))


@given(PARTS, st.integers(1, 40))
def test_arrays_and_dicts_choose_the_same(parts: list[WeighedChunks], count: int) -> None:
    """Both add up the last weight of each criterion and return the best, the newest of equals."""
    totals: dict[int, float] = {}
    for number in range(5):
        weights = {
            chunk: part.weight for part in parts if part.number == number for chunk in part.chunks
        }
        for chunk, weight in weights.items():
            totals[chunk] = totals.get(chunk, 0.0) + weight
    expected = sorted(totals, key=lambda chunk: (-totals[chunk], -chunk))[:count]
    assert best_by_dicts(parts, count) == expected
    assert best_by_arrays(parts, count) == expected
