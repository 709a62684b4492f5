"""The linear score and the spreading of questions after several things over several threads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.embed.base import Thresholds
from ghostmem.search.cutoff import WORDING, WORDS_ONLY, evidence, needed
from ghostmem.search.score import (
    CURVE,
    HALF,
    THREAD_WIDE,
    TOP,
    WITH_VECTORS,
    WITHOUT_VECTORS,
    attainable,
    scaled,
    score_of,
    varied,
    weighed,
)


def test_every_feature_has_a_weight_with_and_without_vectors() -> None:
    """Both tables name the same features, and without vectors no cosine counts."""
    assert set(WITH_VECTORS) == set(WITHOUT_VECTORS)
    assert [WITHOUT_VECTORS[name] for name in ("mixed", "own", "thread")] == [0.0, 0.0, 0.0]


def test_weighed_leaves_out_what_adds_nothing() -> None:
    """Features of weight zero have no column; thread-wide ones go when several things are asked for."""
    features = {
        "lexical": [0.5, 0.0],
        "own": [0.4, 0.1],
        "window": [0.0, 1.0],
        "wording": [0.2, 0.0],
        "thread": [0.3, 0.0],
        "question": [1.0, 0.0],
    }
    found = weighed(features, WITH_VECTORS, several=False)
    worth = {**features, "lexical": [value**CURVE for value in features["lexical"]]}
    assert found == {
        name: [WITH_VECTORS[name] * value for value in column] for name, column in worth.items()
    }
    assert weighed(features, WITHOUT_VECTORS, several=False)["lexical"] == features["lexical"]
    assert not set(weighed(features, WITH_VECTORS, several=True)) & set(THREAD_WIDE)
    assert "own" not in weighed(features, WITHOUT_VECTORS, several=False)
    assert found["question"][0] < 0


def test_varied_takes_turns_between_equal_threads() -> None:
    """Of equal scores, threads alternate instead of one taking every place."""
    scores = [1.0, 0.999, 0.998, 0.997, 0.5, 0.4]
    threads = [1, 1, 2, 2, 3, 3]
    assert [threads[item] for item in varied(range(6), scores, threads)][:4] in (
        [1, 2, 1, 2],
        [1, 1, 2, 2],
    )
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


@pytest.mark.parametrize("threshold", [None, Thresholds().answer])
def test_more_evidence_is_needed_among_more_chunks(threshold: float | None) -> None:
    """Chance matches get better with the number of chunks, so the threshold grows, from ten chunks on."""
    least = [needed(chunks, threshold) for chunks in (1, 10, 100, 1_000, 10_000)]
    assert least[0] == least[1] == (WORDS_ONLY if threshold is None else threshold)
    assert least[1:] == sorted(set(least))


def test_evidence_is_meaning_with_part_of_the_wording() -> None:
    """With a vector the cosine counts and part of the wording, without one the wording alone."""
    assert evidence(0.4, None) == 0.4
    assert evidence(0.4, 0.2) == pytest.approx(0.2 + 0.4 * WORDING)


@given(
    st.dictionaries(st.sampled_from(sorted(WITH_VECTORS)), st.floats(-1, 3), max_size=8),
    st.floats(0.5, 4),
)
def test_a_score_is_the_sum_of_its_parts_from_0_to_1(parts: dict[str, float], limit: float) -> None:
    """Parts add up to a score from 0 to below 1, and a sum of HALF of what could be reached scores 0.5."""
    score = sum(scaled(parts, limit).values())
    assert score == pytest.approx(score_of(sum(parts.values()), limit), abs=1e-9)
    assert 0 <= score_of(sum(parts.values()), limit) < 1
    assert sum(scaled({"lexical": HALF * limit}, limit).values()) == pytest.approx(0.5)


def test_an_item_is_measured_by_what_it_could_reach() -> None:
    """A turn of a conversation, and an item where the question names a source, could reach more than a fact alone."""
    alone = attainable(WITH_VECTORS, in_thread=False, names_source=False)
    assert alone < attainable(WITH_VECTORS, in_thread=True, names_source=False)
    assert alone < attainable(WITH_VECTORS, in_thread=False, names_source=True)
    assert (
        attainable(WITHOUT_VECTORS, in_thread=False, names_source=False)
        == WITHOUT_VECTORS["lexical"]
    )
