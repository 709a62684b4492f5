"""The judge in a search: its opinion adds to the scores of the best candidates and nothing else."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from ghostmem import Ghost
from ghostmem.hooks.embedding import DeadlineVectoriser
from ghostmem.judge import find_judge
from ghostmem.model import Hits
from ghostmem.search.score import (
    HALF,
    MIN_ODDS,
    RELEVANCE_ODDS,
    WITH_VECTORS,
    attainable,
    log_odds,
)
from ghostmem.search.search import search
from ghostmem.settings import Settings

QUESTION = "When does the harbour ferry leave?"
MEMORIES = {
    "ferry": "The harbour ferry leaves at a quarter past seven.",
    "ticket": "A ferry ticket for ten trips costs forty euros.",
    "office": "The harbour office is closed on public holidays.",
    "cat": "The cat eats only dry food.",
}
ANSWER = "Boats to the islands depart from pier four at a quarter past seven."
OTHERS = (
    "The cat eats only dry food.",
    "The lease of the flat ends in May.",
    "Ann plays the cello.",
    "The printer is on the second floor.",
    "The bakery closes at noon.",
    "The car needs winter tyres.",
    "The garden key hangs behind the door.",
    "Invoices go to Marta.",
    "The dentist is Dr Olsen.",
)
# freshness judges what is put; here only reading is tested
JUDGED = Settings(embed_provider="local", judge="on", rerank="on", freshness="off")

Opened = Callable[..., Ghost]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a store with facts, long facts and turns of a conversation."""
    place = str(tmp_path_factory.mktemp("judged") / "store.db")
    with Ghost.open(place, settings=JUDGED) as ghost:
        for key, text in MEMORIES.items():
            ghost.put("home", key, text)
        for number in range(30):
            words = f"The harbour ferry number {number} leaves from another pier. " * 6
            ghost.put("long", f"m{number}", words)
        for number in range(12):
            ghost.put(
                "many", f"m{number}", f"The harbour ferry number {number} leaves a white wake."
            )
        for number, text in enumerate(OTHERS):
            ghost.put("many", f"other-{number}", text)
        ghost.put("many", "answer", ANSWER)
        for number, text in enumerate(MEMORIES.values()):
            ghost.put("talk", f"t{number}", text, source_user="Ann", source_scope="monday")
    return place


@pytest.fixture
def opened(path: str) -> Iterator[Opened]:
    """Return a function that opens the store with other settings."""
    ghosts: list[Ghost] = []

    def open_(**fields: object) -> Ghost:
        ghosts.append(Ghost.open(path, settings=replace(JUDGED, **fields)))  # type: ignore[arg-type]
        return ghosts[-1]

    yield open_
    for ghost in ghosts:
        ghost.close()


def scores(hits: Hits) -> list[tuple[str, float]]:
    """Return the keys and scores of all hits, strong and weak."""
    return [(hit.key, hit.score) for hit in (*hits, *hits.weaker)]


@pytest.mark.parametrize("ns", ["home", "talk"])
def test_the_opinion_is_a_part_of_the_score(opened: Opened, ns: str) -> None:
    """A receipt has the probability and what it adds; the parts add up to the score."""
    found = opened().search(QUESTION, ns, explain=True, weak=True)
    assert found[0].key in ("ferry", "t0")
    for hit in found:
        assert hit.why is not None
        assert hit.why.relevance is not None
        assert 0 <= hit.why.relevance <= 1
        assert hit.why.parts["relevance"] >= 0
        assert hit.score == pytest.approx(sum(hit.why.parts.values()), abs=0.001)
    assert opened().search(QUESTION, ns, explain=True)[0].to_dict()["why"]["relevance"] > 0


def test_the_judge_tells_an_answer_from_something_else(opened: Opened) -> None:
    """The probability of the answer is larger than that of a memory about something else."""
    found = opened().search(QUESTION, "home", explain=True, min_score=0)
    chances = {hit.key: hit.why.relevance for hit in found if hit.why}
    assert (chances["ferry"] or 0) > (chances["cat"] or 0)


def test_each_of_two_questions_has_its_answer(opened: Opened) -> None:
    """A memory that answers one of the questions is an answer, although it says little of both."""
    both = "How much is a ticket for ten trips, and what does the cat eat?"
    found = opened().search(both, "home", explain=True)
    assert {"ticket", "cat"} <= {hit.key for hit in found}
    chances = {hit.key: hit.why.relevance for hit in found if hit.why}
    alone = opened().search("what does the cat eat?", "home", explain=True)[0]
    assert alone.why is not None
    assert chances["cat"] == alone.why.relevance


@pytest.mark.parametrize(
    "fields", [{"judge": "off"}, {"rerank_deadline": 0.0}, {"fusion": "rrf"}, {"rerank": "off"}]
)
def test_without_the_judge_nothing_changes(opened: Opened, fields: dict[str, object]) -> None:
    """A judge that is off, late or not asked leaves scores and order; lateness is noted."""
    base = {"fusion": fields["fusion"]} if "fusion" in fields else {}
    expected = opened(judge="off", **base).search(QUESTION, "home", weak=True)
    found = opened(**fields).search(QUESTION, "home", weak=True, explain=True)
    assert scores(found) == scores(expected)
    assert all(hit.why is not None and hit.why.relevance is None for hit in found)
    assert any("judge took longer than 0 s" in note for note in found.notes) == (
        "rerank_deadline" in fields
    )


def test_a_hook_without_time_for_the_judge_does_without_it(opened: Opened) -> None:
    """After half of a hook's time a prompt is searched as with the judge off."""
    ghost, deadline = opened(), time.monotonic() - 1
    vectoriser = DeadlineVectoriser(
        replace(JUDGED, embed_provider="none"), deadline, ghost.store.engine
    )
    found = search(replace(ghost.store, vectoriser=vectoriser), QUESTION, "home", explain=True)
    assert found
    assert all(hit.why is not None and hit.why.relevance is None for hit in found)


def test_only_the_first_are_read(opened: Opened) -> None:
    """`on` reads the first twenty and `auto` fewer long ones; the others stay behind them."""
    read = {}
    for choice in ("on", "auto"):
        found = opened(rerank=choice).search(QUESTION, "long", limit=30, weak=True, explain=True)
        is_read = [hit.why is not None and hit.why.relevance is not None for hit in found]
        read[choice] = sum(is_read)
        assert is_read == sorted(is_read, reverse=True)
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert read["on"] == 20
    assert 0 < read["auto"] < 20


def test_among_many_facts_the_log_odds_count(opened: Opened) -> None:
    """An answer in other words is among the first, before most facts with the question's words."""
    found = opened().search(QUESTION, "many", limit=30, weak=True, explain=True)
    assert "answer" in [hit.key for hit in found[:3]]
    limit = attainable(WITH_VECTORS, in_thread=False, names_source=False)
    read = [hit for hit in found if hit.why is not None and hit.why.relevance is not None]
    assert read
    for hit in read:
        assert hit.why is not None
        added = hit.why.parts.get("relevance", 0.0) * HALF * limit / (1 - hit.score)
        odds = log_odds(hit.why.relevance or 0.0)
        assert added == pytest.approx(RELEVANCE_ODDS * max(0.0, odds - MIN_ODDS), abs=0.02)


def test_a_question_in_words_that_the_judge_does_not_know_is_not_judged(opened: Opened) -> None:
    """The judge's opinion about such a question would be chance."""
    ghost = opened()
    ghost.put("script", "a", "フェリーは七時に出ます")
    found = ghost.search("フェリーは何時に出ますか", "script", explain=True, min_score=0)
    assert [hit.why.relevance for hit in found if hit.why] == [None]


def test_context_uses_the_same_ranking_and_asks_once(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A context gives the memories in the order of the search, which was judged once."""
    ghost, judge = opened(context_whole=False), find_judge(JUDGED)
    assert judge is not None
    asked: list[str] = []
    relevance = judge.relevance

    def counted(query: str, texts: Sequence[str], limit: int | None = None) -> Iterator[float]:
        asked.append(query)
        return relevance(query, texts, limit)

    monkeypatch.setattr(judge, "relevance", counted)
    pack = ghost.context(QUESTION, "home", budget=1000)
    assert asked == [QUESTION]
    order = [key for key, _ in scores(ghost.search(QUESTION, "home"))]
    assert pack.keys == [key for key in order if key in pack.keys]
    assert asked == [QUESTION, QUESTION]


def test_nothing_relevant_is_said_more_often_with_the_judge(opened: Opened) -> None:
    """A question about something else is refused, and a question about the store is not."""
    ghost = opened()
    assert not ghost.search("How do I cook risotto?", "home", weak=True)
    assert ghost.search(QUESTION, "home")
