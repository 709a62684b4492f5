"""Relevance first: what answers the question is in the context, whatever is newer, linked, repeated or alike."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem import Ghost, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

NS = "agent:me"
BUDGETS = (80, 120, 200, 300, 450, 700, 1000, 1600, 2500, 4000)
PROVIDERS = ("none", "static", "local")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_old_answer_comes_before_a_new_memory_about_something_else(
    open_book: Callable[..., Book], provider: str
) -> None:
    """Facts of August answer a question in November, also when a note of today shares a word with it."""
    book = open_book(embed_provider=provider, context_whole=True)
    for key, text in {
        "deploy": "We deploy the shop every working day until 15:00.",
        "owner": "Mira owns the warehouse interface.",
        "tax": "Prices in the catalogue include tax.",
        "mail": "Invoices are sent from billing@shop.example.",
        "queue": "Orders wait in a queue named intake.",
    }.items():
        book.put(key, text, kind="episodic")
    book.clock.forward(days=90)
    book.put("logo", "The shop's new logo is blue.", kind="episodic")
    assert book.read("how do we deploy the shop", budget=50) == ["deploy"]
    assert book.read("how do we deploy the shop", budget=4000)[0] == "deploy"


@pytest.mark.parametrize("provider", ["none", "static"])
def test_sixty_alike_notes_that_link_to_each_other_do_not_push_out_the_answer(
    open_book: Callable[..., Book], provider: str
) -> None:
    """The first hit of the search is in the context at every budget, and a corrected fact comes before its predecessor."""
    book = open_book(embed_provider=provider)
    for n in range(60):
        book.put(
            f"note{n:02}",
            f"Standup note {n}: the release of the shop was discussed, nothing was decided.",
        )
        for other in range(max(0, n - 3), n):
            book.edge(f"note{n:02}", f"note{other:02}", "relates_to", 0.9)
    book.put("old", "The release of the shop is cut on Mondays at nine.")
    book.put("new", "The release of the shop is now cut on Thursdays at ten.")
    book.edge("new", "old", "contradicts")
    query = "when is the release of the shop cut?"
    assert book.ghost.search(query, NS)[0].key == "new"
    for budget in BUDGETS:
        keys = book.read(query, budget=budget)
        assert "new" in keys, budget
        assert "old" not in keys or keys.index("new") < keys.index("old"), budget


def test_alike_memories_leave_room_for_different_ones(book: Book) -> None:
    """Of a group of alike memories only three come before different ones of the same strength."""
    for n in range(20):
        book.put(
            f"build{n:02}",
            f"Build {n} of the harbour ferry site failed in the linter on the main branch.",
        )
    book.put("cause", "A stale cache makes the linter of the harbour ferry fail.")
    keys = book.read("why does the build of the harbour ferry site fail in the linter?", budget=200)
    assert "cause" in keys


def test_texts_that_say_the_same_are_packed_once_with_a_count(book: Book) -> None:
    """Copies that differ in case, punctuation, markup and function words stand once; other numbers are other facts."""
    book.answer("one", "The harbour ferry departs from pier nine.")
    book.answer("two", "the HARBOUR ferry departs from *pier nine*!")
    book.answer("three", "Harbour ferry departs from pier nine")
    book.answer("eight", "The harbour ferry departs from pier 8.")
    pack = book.pack()
    assert len(pack) == 2
    packed = next(memory for memory in pack.memories if memory.count > 1)
    assert packed.count == 3
    assert {packed.key, *packed.same_as} == {"one", "two", "three"}
    assert {left.key for left in pack.left_out if left.by == packed.key} == set(packed.same_as)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gate is open.", "The gate is not open."),
        ("Ann reports to Bob.", "Bob reports to Ann."),
        ("My bicycle is red.", "Your bicycle is red."),
        ("Deploy before the harbour review.", "Deploy after the harbour review."),
    ],
)
def test_texts_that_only_look_the_same_are_both_packed(book: Book, one: str, other: str) -> None:
    """A negation, another order of names, another person or another preposition is another fact."""
    book.put("one", one)
    book.put("other", other)
    assert len(book.pack(one)) == 2


def test_a_copy_inherits_what_corrects_the_others(book: Book) -> None:
    """When only one of two copies was corrected, the copy that is packed still comes after the correction."""
    book.answer("copy", importance=1.0)
    book.answer("original")
    book.put("newer", "Since May it is pier two.")
    book.edge("newer", "original", "contradicts")
    keys = book.read()
    assert keys[0] == "newer"
    assert len({"copy", "original"} & set(keys)) == 1


def test_a_fact_that_holds_again_comes_before_what_had_replaced_it(book: Book) -> None:
    """Pier nine, then pier two, then pier nine again: the newest word is packed first, once."""
    book.answer("first")
    book.answer("second", "The harbour ferry departs from pier two.")
    book.answer("third")
    book.edge("second", "first", "contradicts")
    book.edge("third", "second", "contradicts")
    pack = book.pack()
    assert pack.keys == ["third", "second"]
    assert pack.memories[0].same_as == ("first",)


def test_a_small_namespace_is_given_whole(open_book: Callable[..., Book]) -> None:
    """When everything takes at most a quarter of the budget, all of it is given, most relevant first."""
    book = open_book(context_whole=True)
    book.put("lemons", "Lemons cost nine crowns.")
    book.answer()
    book.put("zebras", "Zebras moved to stable two.")
    pack = book.pack(budget=400)
    assert pack.keys[0] == "answer"
    assert set(pack.keys) == {"answer", "lemons", "zebras"}
    assert pack.relevant is True
    assert {memory.key: memory.why.stage for memory in pack.memories}["zebras"] == "namespace"
    assert book.read(budget=300) == ["answer"]
    assert book.read(budget=400, whole=False) == ["answer"]


def test_a_whole_namespace_holds_the_weak_hits_too(open_book: Callable[..., Book]) -> None:
    """The floor concerns a choice among hits; where everything is given, a weak hit is given like the rest."""
    book = open_book(context_whole=True)
    book.answer()
    book.put(
        "weak",
        "A ferry zq wx, and many other words about other things that nobody asked for at all.",
    )
    assert book.read(ASKED_LONG) == ["answer", "weak"]


def test_a_whole_namespace_says_when_nothing_matched(open_book: Callable[..., Book]) -> None:
    """Without a match the pack holds everything, says that nothing is relevant, and a search still finds nothing."""
    book = open_book(context_whole=True)
    book.answer()
    book.put("zebras", "Zebras moved to stable two.")
    pack = book.pack("quantum chromodynamics lattice")
    assert set(pack.keys) == {"answer", "zebras"}
    assert pack.relevant is False
    assert pack.to_dict()["relevant"] is False
    assert book.ghost.search("quantum chromodynamics lattice", NS) == []


def test_a_whole_namespace_obeys_the_filters_and_its_own_borders(
    open_book: Callable[..., Book],
) -> None:
    """Only what the caller asked for is given: its namespace, tags, tiers and time."""
    book = open_book(context_whole=True)
    book.answer(tags=["trip"])
    book.put("tagged", "Zebras moved to stable two.", tags=["trip"])
    book.put("untagged", "Lemons cost nine crowns.")
    book.put("dormant", "Owls sleep by day.", tier="dormant")
    book.put("elsewhere", "Owls sleep by day.", ns="agent:you")
    assert set(book.read(tags=["trip"])) == {"answer", "tagged"}
    assert set(book.read()) == {"answer", "tagged", "untagged"}
    assert set(book.read(ns="agent:*")) == {"answer"}


def test_weak_hits_are_not_packed_because_there_is_room(book: Book) -> None:
    """What scores less than half of the best hit is left out, with the floor as the reason."""
    book.answer()
    book.put(
        "weak",
        "A ferry zq wx, and many other words about other things that nobody asked for at all.",
    )
    pack = book.pack(ASKED_LONG)
    assert pack.keys == ["answer"]
    assert [(left.key, left.reason) for left in pack.left_out] == [("weak", "floor")]


ASKED_LONG = "from which pier does the harbour ferry depart?"


def test_a_weak_hit_over_a_typed_edge_is_packed(book: Book) -> None:
    """The floor does not concern what somebody has linked to a strong hit by a relation with a meaning."""
    book.answer()
    book.put(
        "weak",
        "A ferry zq wx, and many other words about other things that nobody asked for at all.",
    )
    book.edge("answer", "weak", "depends_on")
    assert set(book.read(ASKED_LONG)) == {"answer", "weak"}


def test_links_never_displace_what_was_found(book: Book) -> None:
    """Memories reached over links of likeness come after everything that the search found, at any budget."""
    for n in range(6):
        book.answer(f"answer{n}", f"The harbour ferry departs from pier {n} in month {n}.")
    plain = {budget: book.read(budget=budget) for budget in (60, 100, 200)}
    for n in range(6):
        book.put(f"far{n}")
        book.edge("answer0", f"far{n}", "relates_to", 1.0)
    for budget, keys in plain.items():
        assert [key for key in book.read(budget=budget) if not key.startswith("far")] == keys


def test_being_shown_does_not_change_the_order(book: Book) -> None:
    """Reads that were only counted as shown leave the order as it was; real use refines it."""
    book.answer("one", "The harbour ferry departs from pier one.")
    book.answer("two", "The harbour ferry departs from pier two.")
    first = book.read()
    for _ in range(30):
        book.ghost.search("pier " + first[1], NS)
    assert book.read() == first
    for _ in range(30):
        book.ghost.get(NS, first[1])
    assert book.read() == first[::-1]


def test_what_matches_alike_is_ordered_by_tier_importance_and_age(book: Book) -> None:
    """Of equally relevant memories the long-term, important and recent ones come first."""
    for key, fields in {"stm": {"tier": "stm"}, "ltm": {"tier": "ltm"}}.items():
        book.answer(key, f"The harbour ferry departs from {key}.", **fields)
    assert book.read("harbour ferry departs") == ["ltm", "stm"]
    book.put("plain", "Owls sleep by day.", importance=0.1, ns="agent:owl")
    book.put("important", "Owls sleep by noon.", importance=1.0, ns="agent:owl")
    assert book.read("owls sleep", ns="agent:owl") == ["important", "plain"]
    book.put("earlier", "Bees sleep by night.", ns="agent:bee")
    book.clock.forward(days=20)
    book.put("later", "Bees sleep by dusk.", ns="agent:bee")
    assert book.read("bees sleep", ns="agent:bee") == ["later", "earlier"]


def test_the_parts_of_a_packed_score_add_up(open_book: Callable[..., Book]) -> None:
    """A score is the sum of relevance, recency, importance and access, times the factors of tier and source."""
    book = open_book(embed_provider="static")
    book.answer(tier="stm", importance=0.9, source_user="Ann")
    book.ghost.get(NS, "answer")
    memory = book.one("answer", for_user="Ann")
    parts = dict(memory.why.parts)
    factors = parts.pop("tier") * parts.pop("source")
    assert memory.score == pytest.approx(sum(parts.values()) * factors, abs=0.002)
    assert parts["relevance"] == pytest.approx(
        book.ghost.search(ASKED_LONG.replace("from which pier", "where"), NS)[0].score, abs=0.2
    )


def test_the_best_hit_is_not_cut_for_what_it_depends_on(book: Book) -> None:
    """Room is reserved for a dependency only beside the best hit."""
    book.answer(
        content="The harbour ferry departs from pier nine, which lies behind the old customs house."
    )
    book.put("needed", "zq wx yv " * 12)
    book.edge("answer", "needed", "depends_on")
    for budget in (45, 60, 90):
        assert book.one("answer", budget=budget).excerpt is False


WORDS = st.sampled_from(
    "ferry pier harbour lemon zebra stable crown owl night captain ticket".split()
)
TEXTS = st.lists(st.lists(WORDS, min_size=3, max_size=9), min_size=1, max_size=12)


@settings(max_examples=40)
@given(TEXTS, st.integers(50, 400), st.data())
def test_unrelated_memories_and_edges_never_remove_the_first_hit(
    texts: list[list[str]], budget: int, data: st.DataObject
) -> None:
    """A memory without a term of the query, or an edge between memories that were not found, changes nothing for the first hit."""
    query = "when does the ferry leave the harbour"
    with Ghost.open(
        ":memory:", settings=Settings(db=":memory:", embed_provider="none", context_whole=False)
    ) as ghost:
        for n, words in enumerate(texts):
            ghost.put(NS, f"k{n}", " ".join(words))
        for n in range(data.draw(st.integers(0, 6))):
            ghost.put(NS, f"other{n}", f"Quokkas graze on meadow {'abcdef'[n]} until dusk.")
        hits = ghost.search(query, NS, weak=True)
        found = {hit.key for hit in hits}
        unrelated = [f"k{n}" for n in range(len(texts)) if f"k{n}" not in found]
        for one, other in itertools.pairwise(unrelated):
            ghost.edge(
                NS,
                one,
                other,
                data.draw(st.sampled_from(["relates_to", "depends_on", "contradicts", "refines"])),
            )
        pack = ghost.context(query, NS, budget=budget)
        if hits:
            first = hits[0]
            assert first.key in pack.keys or any(
                first.key in memory.same_as for memory in pack.memories
            )


def test_specified_scoring_is_a_setting(specified: Book) -> None:
    """With GHOST_CONTEXT_SCORE=specified a recent episode comes before a better match, as the specification's weights say."""
    specified.put("match", "The harbour ferry departs from pier nine.", kind="episodic")
    specified.clock.forward(days=60)
    specified.put("recent", "The ferry was late, says the harbour.", kind="episodic")
    assert specified.read()[0] == "recent"
    parts = specified.one("match").why.parts
    assert parts["relevance"] <= 0.30
    assert timedelta(days=60) < specified.clock.at - specified.ghost.get(
        NS, "match"
    ).created_at + timedelta(minutes=5)
