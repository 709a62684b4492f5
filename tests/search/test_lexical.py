"""The lexical score: what an item holds of a question, itself, by its neighbours and by its thread."""

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.search import lexical
from ghostmem.search.lexical import (
    AFTER,
    ANYWHERE,
    BEFORE,
    TermWeights,
    ThreadItems,
    score,
    spread,
    term_worths,
    thread_score,
)
from ghostmem.text.matches import SUBSTRING_WEIGHT, substring_worth
from ghostmem.text.terms import rarity

WORDING = TermWeights((2.0, 1.0), {"cat": ((0, 1.0),), "feline": ((0, 0.5),), "sleep": ((1, 1.0),)})


def test_rarity_falls_with_frequency() -> None:
    """A term in few chunks is worth more than one in many, and every term is worth something."""
    found = [rarity(100, containing) for containing in (1, 10, 50, 100)]
    assert found == sorted(found, reverse=True)
    assert found[0] == pytest.approx(log(1 + 99.5 / 1.5))
    assert found[-1] > 0


def test_held_counts_each_query_term_once_by_its_best() -> None:
    """The word itself beats its synonym, and other words count for nothing."""
    assert term_worths(["dog", "tree"], WORDING, 4.0) == {}
    assert set(term_worths(["cat", "sleep"], WORDING, 4.0)) == {0, 1}
    both = term_worths(["cat", "feline"], WORDING, 4.0)
    assert both == term_worths(["cat", "x"], WORDING, 4.0)
    assert term_worths(["feline", "x"], WORDING, 4.0)[0] == pytest.approx(both[0] / 2)


def test_held_saturates_and_prefers_the_short() -> None:
    """Saying a word ten times is worth little more than once; a long item's word is worth a little less."""
    once, often = (
        term_worths(["cat"] + ["x"] * 9, WORDING, 10.0)[0],
        term_worths(["cat"] * 10, WORDING, 10.0)[0],
    )
    assert once < often < 1.3 * once + 0.001
    assert term_worths(["cat"] + ["x"] * 99, WORDING, 10.0)[0] < once
    assert once == pytest.approx(1.0, abs=0.01)


def chain(count: int, gaps: tuple[int, ...] = ()) -> ThreadItems:
    """Return a thread of so many items, with gaps before some."""
    thread, place = ThreadItems(), 0
    for item in range(count):
        place += 100 if item in gaps else 1
        thread.items.append(item)
        thread.places.append(place)
    return thread


def test_spread_lends_forward_and_back() -> None:
    """A term counts less with each step after it, less still before it, and a little anywhere in the thread."""
    own: list[dict[int, float]] = [{} for _ in range(12)]
    own[5] = {0: 1.0}
    found = [item.get(0, 0.0) for item in spread(own, [chain(12)])]
    assert found[5] == 1.0
    assert found[6:10] == list(BEFORE)
    assert found[2:5] == list(reversed(AFTER))
    assert found[:2] == [ANYWHERE, ANYWHERE]
    assert found[10:] == [ANYWHERE, ANYWHERE]
    assert own[6] == {}


def test_spread_stops_at_a_gap_and_at_the_thread() -> None:
    """What stands far away or in no thread or another one gets nothing by nearness."""
    own: list[dict[int, float]] = [{} for _ in range(4)]
    own[1] = {0: 1.0}
    gapped = spread(own, [chain(4, gaps=(2,))])
    assert gapped[0][0] == AFTER[0]
    assert gapped[2][0] == ANYWHERE
    assert spread(own, []) == own
    other = ThreadItems([2, 3], [1, 2])
    assert spread(own, [ThreadItems([0, 1], [1, 2]), other])[2] == {}


def test_spread_never_lowers() -> None:
    """An item that holds a term itself keeps all of it."""
    own = [{0: 0.4}, {0: 1.0}, {0: 0.95}]
    assert [item[0] for item in spread(own, [chain(3)])] == [0.7, 1.0, 0.95]


@given(st.lists(st.dictionaries(st.integers(0, 3), st.floats(0.01, 2.0)), max_size=12))
def test_spread_is_bounded(own: list[dict[int, float]]) -> None:
    """Nothing gains more than the best of its thread has, and nothing loses."""
    found = spread(own, [chain(len(own))])
    for before, after in zip(own, found, strict=True):
        for which, worth in after.items():
            assert before.get(which, 0.0) <= worth <= max(item.get(which, 0.0) for item in own)


def test_score_is_the_share_of_rarity_held() -> None:
    """Everything held is about one, the rarer term alone its share, and unknown terms lower both."""
    assert score({0: 1.0, 1: 1.0}, WORDING) == 1.0
    assert score({0: 1.0}, WORDING) == pytest.approx(2 / 3)
    assert score({}, WORDING) == 0.0
    assert score({0: 1.0}, TermWeights((2.0, 1.0, 3.0), {})) == pytest.approx(1 / 3)
    assert score({}, TermWeights((), {})) == 0.0


@pytest.mark.parametrize(
    ("word", "text", "worth"),
    [
        ("lack", "black coffee", 0.0),  # after one letter: chance
        (
            "lack",
            "slackline, lackey",
            SUBSTRING_WEIGHT * sqrt(4 / 6),
        ),  # the beginning of the second
        ("schiff", "donaudampfschifffahrt", SUBSTRING_WEIGHT * sqrt(6 / 21)),
        (
            "configurat",
            "reconfigurator",
            SUBSTRING_WEIGHT * sqrt(10 / 14),
        ),  # long enough to be no chance
        ("0423", "err-10423", SUBSTRING_WEIGHT),  # a piece of a code, wherever it is cut
        ("a1b2", "a1b2c3d4e5f60718", SUBSTRING_WEIGHT),
        ("créat", "création", SUBSTRING_WEIGHT * sqrt(5 / 8)),
        ("tea", "coffee", 0.0),
        ("of the", "one of them, of the two", SUBSTRING_WEIGHT),
    ],
)
def test_a_word_inside_another_is_worth_its_part_of_it(word: str, text: str, worth: float) -> None:
    """Beginnings and compounds count by how much of the whole they are; what is there by chance does not."""
    assert substring_worth(word, text) == pytest.approx(worth)


def test_thread_score_rises_with_counts_and_falls_with_length() -> None:
    """A thread that says a term more often scores more, a longer one less, none more than one."""
    low, high = thread_score({0: 1.0}, 100, 100, WORDING), thread_score({0: 5.0}, 100, 100, WORDING)
    assert 0 < low < high < 1
    assert thread_score({0: 1.0}, 400, 100, WORDING) < low
    assert thread_score({}, 100, 100, WORDING) == 0.0
    assert thread_score({0: 1.0}, 100, 100, TermWeights((), {})) == 0.0
    assert lexical.THREAD_B < 1
