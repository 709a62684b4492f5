"""The cut-off of a search: strong hits in the list, weaker ones apart, and no answer to a question about something else."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.memory.embedding import catch_up
from ghostmem.model import Hit, Hits
from ghostmem.search.cutoff import has_answer
from ghostmem.settings import Settings

NS = "home"
NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
MEMORIES = {
    "ferry": "The harbour ferry leaves from pier nine at a quarter past seven.",
    "ferry-bikes": "Bicycles travel on the ferry for free in winter.",
    "ferry-ticket": "A ferry ticket for ten trips costs forty euros.",
    "harbour": "The harbour office is closed on public holidays.",
    "bakery": "The bakery near the harbour sells rye bread from six in the morning.",
    "bread": "Mia bakes sourdough bread on Saturday mornings.",
    "oven": "The oven runs ten degrees hotter than its display shows.",
    "allergy": "Mia is allergic to hazelnuts.",
    "dentist": "The dentist has moved to Mill Street 14.",
    "doctor": "Doctor Okafor sees patients without an appointment on Mondays.",
    "car": "The car needs winter tyres before November.",
    "garage": "The garage on Mill Street repairs bicycles too.",
    "bike": "Jonas rides his bicycle to work when it does not rain.",
    "school": "School starts at eight, and on Wednesdays at nine.",
    "piano": "Jonas takes piano lessons on Wednesday afternoons.",
    "choir": "The choir rehearses in the church hall every Thursday.",
    "wifi": "The router stands behind the bookshelf in the hall.",
    "printer": "The printer takes paper of eighty grams only.",
    "heating": "The heating was serviced in October by the company Brandt.",
    "rent": "The rent is due on the third working day of the month.",
    "insurance": "The household insurance covers stolen bicycles up to a thousand euros.",
    "garden": "Tomatoes grow best along the south wall of the garden.",
    "hedge": "The hedge may not be cut between March and September.",
    "cat": "The cat Pixel eats only dry food.",
    "vet": "The vet on Lake Road vaccinates cats in April.",
    "holiday": "The family spends the summer holidays on the island of Texel.",
    "passport": "The children's passports expire in May next year.",
    "tea": "Grandmother drinks green tea without sugar.",
    "chess": "The chess club meets in the library on Fridays.",
    "library": "Library books can be renewed twice by telephone.",
}
QUESTIONS = [
    "When does the ferry leave?",
    "What do we know about bicycles?",
    "Who bakes bread in the morning?",
    "What happens on Wednesdays?",
    "the harbour",
    "When is the cat vaccinated?",
    "What is on Mill Street?",
    "How much does a ferry ticket cost, and what does the insurance cover?",
    "library books",
    "When does the harbour ferry leave from pier nine?",
]
WITH_WEAKER = "When does the harbour ferry leave from pier nine?"  # has strong and weaker hits with every provider
REFUSED = (
    "quantum chromodynamics binds quarks and gluons inside protons, neutrons and pions, on Mill"
)
PROVIDERS = ["none", "static"]


def keys(hits: list[Hit]) -> list[str]:
    """Return the keys of hits in their order."""
    return [hit.key for hit in hits]


def filled(target: str, **settings: object) -> Ghost:
    """Open a store that holds the memories above."""
    ghost = Ghost.open(target, settings=Settings(freshness="off", **settings), clock=lambda: NOW)  # type: ignore[arg-type]
    for key, text in MEMORIES.items():
        ghost.put(NS, key, text)
    return ghost


@pytest.fixture(scope="module", params=PROVIDERS)
def stores(
    request: pytest.FixtureRequest, anywhere: Callable[[], str]
) -> Iterator[tuple[Ghost, Ghost]]:
    """Return two stores with the same memories, one with the cut-off and one without."""
    with (
        filled(anywhere(), embed_provider=request.param) as cutting,
        filled(anywhere(), embed_provider=request.param, cutoff="off") as full,
    ):
        yield cutting, full


@pytest.fixture
def store(stores: tuple[Ghost, Ghost]) -> Ghost:
    """Return the store with the cut-off, for tests that only read."""
    return stores[0]


# --- order and partition


@pytest.mark.parametrize("query", QUESTIONS)
def test_strong_and_weaker_hits_are_the_full_list(stores: tuple[Ghost, Ghost], query: str) -> None:
    """The strong hits followed by the weaker ones are the list of `weak=True`, and of a store without the cut-off."""
    cutting, full = stores
    found, listed = cutting.search(query, NS), cutting.search(query, NS, weak=True)
    assert found
    assert [*keys(found), *keys(found.weaker)] == keys(listed) == keys(full.search(query, NS))
    assert [hit.score for hit in (*found, *found.weaker)] == [hit.score for hit in listed]
    assert listed.weaker == []


@pytest.mark.parametrize("query", QUESTIONS)
def test_only_weaker_hits_are_marked(stores: tuple[Ghost, Ghost], query: str) -> None:
    """A weak hit says so wherever it is returned, and a strong one never does."""
    cutting, full = stores
    found, listed = cutting.search(query, NS), cutting.search(query, NS, weak=True)
    assert not any(hit.weak for hit in found)
    assert all(hit.weak for hit in found.weaker)
    assert [hit.weak for hit in listed] == [False] * len(found) + [True] * len(found.weaker)
    assert not any(hit.weak for hit in full.search(query, NS))
    assert full.search(query, NS).weaker == []


@pytest.mark.parametrize("query", QUESTIONS)
def test_scores_fall_and_no_weaker_hit_scores_more_than_a_strong_one(
    store: Ghost, query: str
) -> None:
    """The best hit comes first, and the cut lies between two scores."""
    found = store.search(query, NS)
    scores = [hit.score for hit in (*found, *found.weaker)]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("query", QUESTIONS)
def test_a_question_does_not_return_most_of_the_store(store: Ghost, query: str) -> None:
    """Of thirty memories at most a dozen are an answer."""
    assert 1 <= len(store.search(query, NS, limit=100)) <= 12


def test_there_are_weaker_hits(store: Ghost) -> None:
    """A word that many memories share brings weaker hits, which the list leaves out."""
    found = store.search(WITH_WEAKER, NS)
    assert found[0].key == "ferry"
    assert found.weaker
    assert not set(keys(found)) & set(keys(found.weaker))


# --- limit


def test_a_limit_below_the_number_of_strong_hits(store: Ghost) -> None:
    """The best of the strong hits fill the limit, and nothing is left for weaker ones."""
    strong = store.search("What do we know about bicycles?", NS)
    assert len(strong) > 2
    for limit in range(1, len(strong) + 1):
        found = store.search("What do we know about bicycles?", NS, limit=limit)
        assert keys(found) == keys(strong)[:limit]
        assert found.weaker == []


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("query", QUESTIONS)
def test_strong_and_weaker_hits_share_the_limit(store: Ghost, query: str) -> None:
    """Weaker hits take the places that strong ones leave, up to the limit and to all there are."""
    strong, listed = (
        keys(store.search(query, NS, limit=100)),
        keys(store.search(query, NS, limit=100, weak=True)),
    )
    total = len(listed)
    for limit in {1, len(strong), len(strong) + 1, max(1, total - 1), total, total + 1}:
        found = store.search(query, NS, limit=limit)
        assert keys(found) == strong[:limit]
        assert keys(found.weaker) == listed[len(strong) : max(limit, len(strong))]
        assert keys(store.search(query, NS, limit=limit, weak=True)) == listed[:limit]


# --- scores and receipts


@pytest.mark.parametrize("query", QUESTIONS)
def test_the_parts_of_a_receipt_add_up_to_the_score(store: Ghost, query: str) -> None:
    """Strong hits, weaker hits and misses have scores from 0 to 1 that their parts explain."""
    found = store.search(query, NS, explain=True, limit=5)
    for hit in (*found, *found.weaker, *found.misses):
        assert 0 <= hit.score < 1
        assert hit.why is not None
        assert sum(hit.why.parts.values()) == pytest.approx(hit.score, abs=0.001)


def test_scores_below_zero_do_not_exist(store: Ghost) -> None:
    """Memories that have nothing to do with the question score 0, and their parts add up to that."""
    found = store.search(WITH_WEAKER, NS, explain=True, min_score=-1.0, limit=100)
    assert len(found) > len(store.search(WITH_WEAKER, NS))
    for hit in found:
        assert hit.why is not None
        assert 0 <= hit.score < 1
        assert sum(hit.why.parts.values()) == pytest.approx(hit.score, abs=0.001)


@pytest.mark.parametrize("key", ["ferry", "dentist", "insurance"])
def test_the_very_words_of_a_memory_score_high_but_never_one(store: Ghost, key: str) -> None:
    """A question that repeats a memory finds it first, and the score stays below 1."""
    found = store.search(MEMORIES[key], NS)
    assert found[0].key == key
    assert 0.5 < found[0].score < 1


# --- a floor of the caller's own


def test_a_floor_replaces_the_cut_off(store: Ghost) -> None:
    """With `min_score` the list holds every hit that scores as much, and no hit is weak."""
    query = WITH_WEAKER
    listed = store.search(query, NS, min_score=0.0, limit=100)
    assert listed.weaker == []
    assert not any(hit.weak for hit in listed)
    assert len(listed) > len(store.search(query, NS))
    floor = (listed[3].score + listed[4].score) / 2
    assert keys(store.search(query, NS, min_score=floor, limit=100)) == keys(listed)[:4]
    assert store.search(query, NS, min_score=1.0) == []


def test_a_floor_keeps_the_hits_that_score_exactly_as_much(store: Ghost) -> None:
    """A score that a search returned can be used as the floor of the next one."""
    listed = store.search(WITH_WEAKER, NS, min_score=0.0, limit=100)
    for number, hit in enumerate(listed, 1):
        assert (
            keys(store.search(WITH_WEAKER, NS, min_score=hit.score, limit=100))[:number]
            == keys(listed)[:number]
        )


def test_a_floor_replaces_the_refusal(store: Ghost) -> None:
    """A question that is refused gets the nearest memories when the caller sets the floor."""
    assert store.search(REFUSED, NS) == []
    assert {"dentist", "garage"} <= set(keys(store.search(REFUSED, NS, min_score=0.0, limit=100)))


# --- what counts as shown


def shown(ghost: Ghost, ns: str = NS) -> dict[str, int]:
    """Return how often each memory was shown, for those that were."""
    return {
        memory.key: memory.access_count
        for memory in ghost.list(ns, limit=100)
        if memory.access_count
    }


@pytest.mark.parametrize("provider", PROVIDERS)
def test_only_listed_hits_are_counted_as_shown(anywhere: Callable[[], str], provider: str) -> None:
    """A weaker hit that nobody saw keeps its count; one that `weak=True` lists is counted."""
    with filled(anywhere(), embed_provider=provider) as ghost:
        found = ghost.search(WITH_WEAKER, NS)
        assert found.weaker
        assert shown(ghost) == dict.fromkeys(keys(found), 1)
        ghost.search(WITH_WEAKER, NS, weak=True)
        assert shown(ghost) == dict.fromkeys(keys(found), 2) | dict.fromkeys(keys(found.weaker), 1)


def test_a_limit_counts_only_what_it_lists(anywhere: Callable[[], str]) -> None:
    """A strong hit beyond the limit was not shown."""
    with filled(anywhere(), embed_provider="none") as ghost:
        found = ghost.search("What do we know about bicycles?", NS, limit=1)
        assert shown(ghost) == {found[0].key: 1}


# --- corrections


CORRECTED = "The harbour ferry leaves from pier four now, at eight."
UNRELATED = "Since spring that boat sails from the other quay."


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("text", [CORRECTED, UNRELATED])
def test_a_correction_of_a_strong_hit_is_strong_and_comes_before_it(
    anywhere: Callable[[], str], provider: str, text: str
) -> None:
    """However little a correction matches the question, it is in the list, directly before the memory that it corrects."""
    with filled(anywhere(), embed_provider=provider) as ghost:
        ghost.put(NS, "correction", text)
        ghost.edge(NS, "correction", "ferry", "contradicts")
        query = "From which pier does the harbour ferry leave at a quarter past seven?"
        found = ghost.search(query, NS, explain=True)
        at = keys(found).index("ferry")
        assert keys(found)[at - 1 : at + 1] == ["correction", "ferry"]
        assert not found[at - 1].weak
        assert sum(found[at - 1].why.parts.values()) == pytest.approx(
            found[at - 1].score, abs=0.001
        )  # type: ignore[union-attr]
        assert keys(ghost.search(query, NS, limit=1)) == ["correction"]
        assert "correction" in shown(ghost)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_chain_of_corrections_is_strong_to_its_end(
    anywhere: Callable[[], str], provider: str
) -> None:
    """The correction of a correction is in the list too, the last word first."""
    with filled(anywhere(), embed_provider=provider) as ghost:
        ghost.put(NS, "second", UNRELATED)
        ghost.put(NS, "third", "That vessel was sold.")
        ghost.edge(NS, "second", "ferry", "contradicts")
        ghost.edge(NS, "third", "second", "contradicts")
        found = ghost.search("From which pier does the harbour ferry leave?", NS)
        assert keys(found)[:3] == ["third", "second", "ferry"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_correction_of_a_weaker_hit_is_not_strong(
    anywhere: Callable[[], str], provider: str
) -> None:
    """A correction counts as much as the memory that it corrects, and with `weak=True` still comes before it."""
    query = WITH_WEAKER
    with filled(anywhere(), embed_provider=provider) as ghost:
        before = ghost.search(query, NS)
        corrected = before.weaker[-1].key
        ghost.put(NS, "correction", "Zq wx vrtk.")
        ghost.edge(NS, "correction", corrected, "contradicts")
        found = ghost.search(query, NS)
        assert keys(found) == keys(before)
        assert "correction" in keys(found.weaker)
        listed = keys(ghost.search(query, NS, weak=True))
        assert listed.index("correction") + 1 == listed.index(corrected)


# --- without the cut-off


def test_the_environment_switches_the_cut_off_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GHOST_CUTOFF=off returns every hit in one list, without marks."""
    with filled(str(tmp_path / "m.db"), embed_provider="none"):
        pass
    with Ghost.open(tmp_path / "m.db") as ghost:
        found = ghost.search(WITH_WEAKER, NS)
    assert found.weaker
    monkeypatch.setenv("GHOST_CUTOFF", "off")
    with Ghost.open(tmp_path / "m.db") as ghost:
        listed = ghost.search(WITH_WEAKER, NS)
    assert keys(listed) == [*keys(found), *keys(found.weaker)]
    assert listed.weaker == []
    assert not any(hit.weak for hit in listed)


def test_the_rank_fusion_of_the_specification_has_no_cut_off(anywhere: Callable[[], str]) -> None:
    """Scores of reciprocal ranks are on another scale, and every hit is in the list."""
    with filled(anywhere(), embed_provider="static", fusion="rrf") as ghost:
        found = ghost.search(WITH_WEAKER, NS)
        assert found
        assert found.weaker == []
        assert not any(hit.weak for hit in found)


# --- nothing to find


@pytest.mark.parametrize("query", ["...", "?!", "—", "()[]{}", "* * *"])
@pytest.mark.parametrize("weak", [False, True])
def test_punctuation_finds_nothing(stores: tuple[Ghost, Ghost], query: str, weak: bool) -> None:
    """A question without a letter or a digit has no answer, and no weaker one."""
    for ghost in stores:
        found = ghost.search(query, NS, weak=weak)
        assert (list(found), found.weaker, found.complete) == ([], [], True)


@pytest.mark.parametrize("query", ["quantum chromodynamics", "zygote", "photosynthesis in ferns"])
def test_a_refused_question_has_no_weaker_hits_either(store: Ghost, query: str) -> None:
    """Where nothing is about the question, `weak=True` brings nothing back."""
    found = store.search(query, NS, weak=True)
    assert (list(found), found.weaker, found.complete) == ([], [], True)


# --- the local model over a small project


PROJECT = {
    "deploy": "We deploy on Tuesdays, never on Fridays.",
    "tabs": "We use tabs, not spaces.",
    "database": "Customer orders are kept in PostgreSQL 16.",
    "tests": "The test suite runs with pytest and takes four minutes.",
    "reviews": "Ann reviews every change to the payment module.",
    "cache": "Redis caches the product catalogue for ten minutes.",
    "guide": "The user guide is written in Markdown and built with MkDocs.",
    "flags": "New features are hidden behind flags until the beta group agrees.",
    "logs": "Application logs are kept for thirty days.",
    "api": "The public API is versioned in the path, as in /v2/orders.",
    "colours": "Buttons are blue, and warnings are orange.",
    "standup": "The team meets at half past nine every morning.",
}


@pytest.fixture(scope="module")
def project_store(anywhere: Callable[[], str]) -> Iterator[Ghost]:
    """Return a store with the facts of a small project and vectors of the local model."""
    with Ghost.open(
        anywhere(), settings=Settings(embed_provider="local", freshness="off"), clock=lambda: NOW
    ) as ghost:
        for key, text in PROJECT.items():
            ghost.put("project", key, text)
        yield ghost


@pytest.mark.parametrize(
    ("task", "wanted"),
    [("prepare a release", "deploy"), ("format the code", "tabs"), ("write a unit test", "tests")],
)
def test_a_vague_task_finds_the_rule_for_it(project_store: Ghost, task: str, wanted: str) -> None:
    """A task that shares no word with the rule is answered by meaning."""
    assert wanted in keys(project_store.search(task, "project"))


@pytest.mark.parametrize(
    "query", ["What is the boiling point of ethanol?", "How do I cook risotto?", "...", "?!"]
)
def test_a_question_about_something_else_is_refused(project_store: Ghost, query: str) -> None:
    """A small store does not answer whatever it is asked."""
    found = project_store.search(query, "project", weak=True)
    assert (list(found), found.weaker, found.complete) == ([], [], True)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Where is the data of an order stored?", "database"),
        ("when do we meet?", "standup"),
    ],
)
def test_a_question_in_other_words_is_answered_first_with_its_fact(
    project_store: Ghost, query: str, wanted: str
) -> None:
    """The fact that answers the question is the best hit, and the list is shorter than the store."""
    found = project_store.search(query, "project")
    assert found[0].key == wanted
    assert len(found) <= 6


# --- a model that is still loading


BY_MEANING = "an animal that will not eat"
FELINE = "My feline companion refuses dry kibble."


def static(target: str) -> Ghost:
    """Open a store with the static provider."""
    return Ghost.open(target, settings=Settings(embed_provider="static"))


def defer(ghost: Ghost) -> None:
    """Defer the model of a store as a server does."""
    ghost.store.vectoriser.defer(lambda: catch_up(ghost.store))


def settle(ghost: Ghost) -> None:
    """Wait until a deferred model is loaded and has caught up, so that the store can be closed."""
    ghost.store.vectoriser.wait(60)


@pytest.fixture
def stored(tmp_path: Path) -> str:
    """Return the path of a store that already has vectors."""
    path = str(tmp_path / "m.db")
    with static(path) as ghost:
        ghost.put("a", "cat", FELINE)
        ghost.put("a", "tram", "The tram stops at the town hall.")
    return path


def test_a_search_without_a_match_by_words_waits_for_the_model(stored: str) -> None:
    """A deferred model is loaded before a question is called unanswered, and the answer comes by meaning."""
    with static(stored) as ghost:
        defer(ghost)
        found = ghost.search(BY_MEANING, "a")
        settle(ghost)
    assert keys(found) == ["cat"]
    assert "vector" in found.legs
    assert found.complete
    assert found.notes == ()


def test_a_search_with_a_match_by_words_does_not_wait(stored: str) -> None:
    """Words answer without the model, and the result says that it is not complete."""
    with static(stored) as ghost:
        defer(ghost)
        found = ghost.search("tram stops", "a")
        loading = ghost.store.vectoriser.is_loading
    assert keys(found) == ["tram"]
    assert "vector" not in found.legs
    assert not found.complete
    assert loading


@pytest.mark.parametrize("place", ["file", "memory"])
def test_a_memory_stored_while_the_model_loads_is_found_by_meaning(
    tmp_path: Path, place: str
) -> None:
    """The search that waits for the model also sees the vectors that were made meanwhile."""
    with static(":memory:" if place == "memory" else str(tmp_path / "m.db")) as ghost:
        defer(ghost)
        ghost.put("a", "cat", FELINE)
        found = ghost.search(BY_MEANING, "a")
        settle(ghost)
    assert keys(found) == ["cat"]
    assert found.complete


def test_a_refusal_after_waiting_is_complete(stored: str) -> None:
    """Once the model has compared everything, a question without an answer is refused for good."""
    with static(stored) as ghost:
        defer(ghost)
        found = ghost.search("quantum chromodynamics", "a")
        settle(ghost)
    assert (list(found), found.weaker, found.complete) == ([], [], True)


def test_a_model_that_does_not_load_leaves_the_search_incomplete(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the model nobody knows that nothing is relevant, and a note says what is wrong."""

    def fail(*_: object) -> None:
        raise OSError("the model file is damaged")

    monkeypatch.setattr("ghostmem.embed.choose.choose", fail)
    with static(stored) as ghost:
        defer(ghost)
        found: Hits = ghost.search(BY_MEANING, "a")
    assert list(found) == []
    assert not found.complete
    assert any("the model file is damaged" in note for note in found.notes)


def test_a_store_without_vectors_is_searched_incompletely(tmp_path: Path) -> None:
    """Texts that have no vectors yet may hold the answer; without a provider, words are the whole search."""
    path = tmp_path / "m.db"
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a", "cat", FELINE)
        assert ghost.search(BY_MEANING, "a").complete
    with static(str(path)) as ghost:
        found = ghost.search(BY_MEANING, "a")
        assert list(found) == []
        assert not found.complete
        ghost.admin.embed_backfill()
        found = ghost.search(BY_MEANING, "a")
        assert keys(found) == ["cat"]
        assert found.complete


def fact(
    margin: float, relevance: float | None = None, lexical: float = 0.2, time: str = ""
) -> Any:
    """Return a candidate as `has_answer` sees it."""
    features = {"lexical": [lexical], **({time: [1.0]} if time else {})}
    return SimpleNamespace(
        margin=margin,
        relevance=relevance,
        chunk=SimpleNamespace(thread=None),
        table=SimpleNamespace(features=features),
        feature=lambda name: features[name][0],
    )


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        pytest.param([fact(0.1), fact(0.1)], True, id="evidence, none was read"),
        pytest.param([fact(0.1, 0.1), fact(0.1)], False, id="none that was read is an answer"),
        pytest.param([fact(0.1, 0.3), fact(0.1)], True, id="one is an answer"),
        pytest.param([fact(0.1, 0.1), fact(0.1, lexical=0.8)], True, id="one has the wording"),
        pytest.param([fact(-0.1, 0.5), fact(-0.1)], False, id="an answer without evidence"),
        pytest.param([fact(-0.3, 0.85), fact(-0.1)], True, id="a certain answer"),
        pytest.param([fact(0.1, 0.1, time="month"), fact(0.1)], True, id="dates are not read"),
    ],
)
def test_of_many_facts_the_judge_reads_the_best(candidates: list[Any], expected: bool) -> None:
    """One must be an answer by its opinion or its wording, and have evidence or be certain."""
    assert has_answer(candidates) is expected
