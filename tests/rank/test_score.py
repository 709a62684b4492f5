"""The linear score and the spreading of questions after several things over several threads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.embed.base import Thresholds
from ghostmem.rank.abstain import CLEAR, HELP, WORDING, is_sure
from ghostmem.rank.score import CURVE, THREAD_WIDE, TOP, WITH_VECTORS, WITHOUT_VECTORS, varied, weighed


def test_every_feature_has_a_weight_with_and_without_vectors() -> None:
    """Both tables name the same features, and without vectors no cosine counts."""
    assert set(WITH_VECTORS) == set(WITHOUT_VECTORS)
    assert [WITHOUT_VECTORS[name] for name in ("mixed", "own", "thread")] == [0.0, 0.0, 0.0]


def test_weighed_leaves_out_what_adds_nothing() -> None:
    """Features of zero and weights of zero are not in the receipt; thread-wide ones go when several things are asked for."""
    features = {"lexical": 0.5, "own": 0.4, "window": 0.0, "wording": 0.2, "thread": 0.3, "question": 1.0}
    found = weighed(features, WITH_VECTORS, several=False)
    worth = {**features, "lexical": features["lexical"] ** CURVE}
    assert found == {name: WITH_VECTORS[name] * worth[name] for name in ("lexical", "own", "wording", "thread", "question")}
    assert weighed(features, WITHOUT_VECTORS, several=False)["lexical"] == features["lexical"]
    assert not set(weighed(features, WITH_VECTORS, several=True)) & set(THREAD_WIDE)
    assert "own" not in weighed(features, WITHOUT_VECTORS, several=False)
    assert found["question"] < 0


def test_varied_takes_turns_between_equal_threads() -> None:
    """Of equal scores, threads alternate instead of one taking every place."""
    scores = [1.0, 0.999, 0.998, 0.997, 0.5, 0.4]
    threads = [1, 1, 2, 2, 3, 3]
    assert [threads[item] for item in varied(range(6), scores, threads)][:4] in ([1, 2, 1, 2], [1, 1, 2, 2])
    assert varied(range(4), [1.0] * 4, [1, 1, 2, 2]) == [0, 2, 1, 3]


def test_varied_leaves_items_of_no_thread_alone() -> None:
    """Notes outside of threads keep the order of their scores."""
    scores = [0.9, 0.8, 0.7, 0.6]
    assert varied([0, 1, 2, 3], scores, [None] * 4) == [0, 1, 2, 3]
    assert varied([], [], []) == []
    assert varied([0], [1.0], [5]) == [0]


@given(st.lists(st.tuples(st.floats(-2, 5), st.one_of(st.none(), st.integers(1, 4))), max_size=60))
def test_varied_is_a_reordering_of_the_best(items: list[tuple[float, int | None]]) -> None:
    """Nothing is lost or doubled, the best stays first, and what is beyond the best forty keeps its place."""
    scores = [score for score, _ in items]
    order = sorted(range(len(items)), key=lambda at: (-scores[at], at))
    found = varied(order, scores, [thread for _, thread in items])
    assert sorted(found) == sorted(order)
    assert found[:1] == order[:1]
    assert found[TOP:] == order[TOP:]


MEANING = Thresholds().answer


@pytest.mark.parametrize(
    ("lexical", "cosine", "sure"),
    [
        (0.0, None, False),
        (WORDING, None, True),
        (WORDING - 0.01, None, False),
        (0.0, MEANING, True),
        (0.1, MEANING - 0.1 * HELP, True),
        (0.1, MEANING - 0.1 * HELP - 0.01, False),
        (CLEAR, 0.0, True),
        (CLEAR - 0.01, 0.1, False),
    ],
)
def test_the_floor_is_wording_or_meaning(lexical: float, cosine: float | None, sure: bool) -> None:
    """Either enough of the wording or enough of the meaning is needed to answer."""
    assert is_sure(lexical, cosine, MEANING) is sure
