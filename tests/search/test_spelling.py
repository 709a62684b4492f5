"""Typos with vectors, misspelled stop words, and any one edit in any rare word."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.embed.vocabulary import is_common_word
from ghostmem.settings import Settings
from ghostmem.text.spelling import one_edit
from ghostmem.text.terms import STOP_WORDS

NS = "q"
TEXTS = {
    "cluster": "The Kubernetes version is 1.30 on every node.",
    "campaign": "Click rate of the cookie campaign after four weeks: two percent.",
    "rehearsal": "The orchestra rehearsal moved to Thursday evening.",
    "thermostat": "Set the thermostat in the greenhouse to eighteen degrees.",
    "passport": "Our passports expire in November.",
    "carpenter": "The carpenter fixes the staircase next week.",
    "dentist": "Margit goes to the dentist in Uppsala.",
    "insurance": "The insurance covers burst pipes and lightning.",
}
RARE = {
    "kubernetes": "cluster",
    "campaign": "campaign",
    "orchestra": "rehearsal",
    "thermostat": "thermostat",
    "greenhouse": "thermostat",
    "passports": "passport",
    "carpenter": "carpenter",
    "staircase": "carpenter",
    "uppsala": "dentist",
    "insurance": "insurance",
    "lightning": "insurance",
}


@pytest.fixture(scope="module", params=["none", "static"])
def store(request: pytest.FixtureRequest, anywhere: Callable[[], str]) -> Iterator[Ghost]:
    """Open one store that every question of this module is asked."""
    with Ghost.open(anywhere(), settings=Settings(embed_provider=request.param)) as ghost:
        for key, text in TEXTS.items():
            ghost.put(NS, key, text)
        yield ghost


@given(word=st.sampled_from(sorted(RARE)), data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_edit_in_a_rare_word_is_forgiven(store: Ghost, word: str, data: st.DataObject) -> None:
    """Whatever letter is missing, extra, wrong or swapped: the memory comes first, unless the typo is a word itself."""
    typo = data.draw(st.sampled_from(sorted(one_edit(word))))
    assume(not is_common_word(typo) and typo not in STOP_WORDS)
    assert [hit.key for hit in store.search(typo, NS)][:1] == [RARE[word]]


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("waht was the clikc rate of the cookei campain", "campaign"),
        ("wich temprature in the grenhouse", "thermostat"),
        ("wher does Margit go to the dentits", "dentist"),
        ("wen do the pasports expier", "passport"),
        ("dose the insurence cover lightnig", "insurance"),
        ("who fixs the stiarcase", "carpenter"),
    ],
)
def test_questions_full_of_typos(store: Ghost, question: str, key: str) -> None:
    """Several typos, also in words that say nothing, do not keep a memory from being found."""
    assert [hit.key for hit in store.search(question, NS)][:1] == [key]


@pytest.mark.parametrize(
    "question", ["who won the marathon", "spaghetti recipe", "xylophonist wanted"]
)
def test_other_words_still_find_nothing(store: Ghost, question: str) -> None:
    """Tolerance does not answer questions that nothing is about."""
    assert store.search(question, NS) == []


def test_the_corrected_question_is_embedded(anywhere: Callable[[], str]) -> None:
    """The vector of a misspelled question is that of the right one, as the memory writes the word."""
    with Ghost.open(anywhere(), settings=Settings(embed_provider="static")) as ghost:
        ghost.put(NS, "cluster", "The Kubernetes version is 1.30.")
        right, wrong = (
            ghost.search(f"{word} version", NS)[0].similarity
            for word in ("Kubernetes", "kuberntes")
        )
        assert right == wrong


def test_common_words_are_not_corrected(anywhere: Callable[[], str]) -> None:
    """A word of the language that the namespace does not know is another word, not a typo."""
    with Ghost.open(anywhere(), settings=Settings(embed_provider="none")) as ghost:
        ghost.put(NS, "hike", "Sunday: hike to the lighthouse.")
        assert is_common_word("hide")
        assert ghost.search("hide", NS) == []


def test_a_question_of_many_unknown_words_is_answered(store: Ghost) -> None:
    """The work is bounded: a page of unknown words is read like any other question."""
    page = " ".join(f"qua{chr(97 + at % 26)}{chr(97 + at // 26)}xity" for at in range(400))
    assert store.search(page, NS) == []
    assert [hit.key for hit in store.search(f"orchestra rehearsal {page}", NS, min_score=0)][
        :1
    ] == ["rehearsal"]


def test_near_spellings_follow_the_namespace(open_ghost: Callable[..., Ghost]) -> None:
    """Words that are compared with a misspelled one stay in memory only until a memory changes."""
    ghost = open_ghost("m.db")
    ghost.put("a", "tea", "Sam drinks green tea in the morning.")
    assert not ghost.search("gearbxo vibrations", "a")
    ghost.put("a", "turbine", "The gearbox of the turbine has vibrations.")
    assert [hit.key for hit in ghost.search("gearbxo vibrations", "a")] == ["turbine"]
    ghost.rm("a", "turbine")
    assert not ghost.search("gearbxo vibrations", "a")
