"""Turns that share a scope are read with their neighbours; who said a thing counts when a question names them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from ghostmem import Ghost

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
FILLER = [
    "Okay.",
    "Let us see.",
    "The weather is mild today.",
    "My sister called.",
    "I had soup.",
    "The tram was late.",
]


@pytest.fixture(params=["none", "static"])
def store(request: pytest.FixtureRequest, open_ghost: Callable[..., Ghost]) -> Ghost:
    """Open an empty store, once without vectors and once with."""
    return open_ghost(":memory:", embed_provider=request.param)


def say(ghost: Ghost, scope: str, lines: list[tuple[str, str]], ns: str = "chat") -> None:
    """Store turns of one conversation in order."""
    for at, (who, text) in enumerate(lines):
        ghost.put(
            ns,
            f"{scope}-{at}",
            text,
            kind="episodic",
            source_user=who,
            source_scope=scope,
            created_at=START + timedelta(minutes=at),
        )


def around(question: str, answer: str, before: int, after: int) -> list[tuple[str, str]]:
    """Return a conversation with a question and its answer in the middle."""
    turns = [("Ann" if at % 2 else "Bob", f"{FILLER[at % 6]} {at}") for at in range(before)]
    turns += [("Ann", question), ("Bob", answer)]
    return turns + [
        ("Ann" if at % 2 else "Bob", f"{FILLER[at % 5]} {at + 500}") for at in range(after)
    ]


@pytest.mark.wide(keep=3)
@pytest.mark.parametrize(("before", "after"), [(0, 0), (10, 10), (60, 100), (200, 3)])
def test_an_answer_is_found_by_its_question(store: Ghost, before: int, after: int) -> None:
    """A turn that shares no word with what is asked is found because the turn before asked it, in threads of any length."""
    say(
        store,
        "one",
        around(
            "Which instrument does your brother play in the orchestra?",
            "The bassoon, since he was nine.",
            before,
            after,
        ),
    )
    found = [
        hit.key
        for hit in store.search("what instrument is played by the brother in the orchestra", "chat")
    ]
    assert f"one-{before + 1}" in found[:3]


def test_a_question_ranks_below_its_answer(store: Ghost) -> None:
    """Neighbours lend each other words, and a turn that is itself a question gives way when the answer holds much of it."""
    say(
        store,
        "one",
        around("Where is your dentist?", "My dentist is on Baker Street, near the park.", 5, 5),
    )
    assert store.search("where is the dentist", "chat")[0].key == "one-6"


def test_other_scopes_are_unaffected(store: Ghost) -> None:
    """The same turn in another conversation gains nothing from a neighbour it does not have."""
    say(
        store,
        "one",
        around("Which instrument does your brother play?", "The bassoon, since he was nine.", 4, 4),
    )
    say(store, "two", around("Did you sleep well?", "The bassoon, since he was nine.", 4, 4))
    found = [hit.key for hit in store.search("which instrument does the brother play", "chat")]
    assert found.index("one-5") < (found.index("two-5") if "two-5" in found else 99)


def test_memories_without_a_scope_have_no_neighbours(store: Ghost) -> None:
    """Notes that merely follow each other lend each other nothing."""
    store.put("notes", "a", "Which instrument does your brother play in the orchestra?")
    store.put("notes", "b", "The bassoon, since he was nine.")
    for at in range(20):
        store.put("notes", f"n{at}", f"{FILLER[at % 6]} {at}")
    found = {
        hit.key: hit
        for hit in store.search(
            "brother instrument orchestra", "notes", explain=True, min_score=-9.0
        )
    }
    assert found["a"].why.parts.get("lexical", 0) > 0.4
    assert "b" not in found or not found["b"].why.parts.get("lexical")


def test_a_thread_of_another_namespace_is_another_thread(store: Ghost) -> None:
    """The same scope in two namespaces is two conversations."""
    say(
        store,
        "one",
        around("Which instrument does your brother play?", "The bassoon, since he was nine.", 2, 2),
        "x",
    )
    say(store, "one", [("Bob", "The bassoon, since he was nine."), ("Ann", "Okay.")], "y")
    assert {hit.ns for hit in store.search("which instrument does the brother play", "x")} == {"x"}
    assert (
        not store.search("which instrument does the brother play", "y")
        or store.store.settings.embed_provider != "none"
    )


def test_the_order_is_that_of_creation_not_of_arrival(store: Ghost) -> None:
    """Turns that are imported backwards stand in the order in which they were said."""
    turns = around(
        "Which instrument does your brother play in the orchestra?",
        "The bassoon, since he was nine.",
        8,
        8,
    )
    for at, (who, text) in reversed(list(enumerate(turns))):
        store.put(
            "chat",
            f"t{at}",
            text,
            kind="episodic",
            source_user=who,
            source_scope="s",
            created_at=START + timedelta(minutes=at),
        )
    found = [
        hit.key
        for hit in store.search("what instrument is played by the brother in the orchestra", "chat")
    ]
    assert "t9" in found[:3]


def test_a_removed_turn_is_no_neighbour(store: Ghost) -> None:
    """Taking the question away takes away what it lent."""
    say(
        store,
        "one",
        around(
            "Which instrument does your brother play in the orchestra?",
            "The bassoon, since he was nine.",
            3,
            3,
        ),
    )
    before = {
        h.key: h.score for h in store.search("instrument brother orchestra", "chat", min_score=-9.0)
    }
    store.rm("chat", "one-3")
    after = {
        h.key: h.score for h in store.search("instrument brother orchestra", "chat", min_score=-9.0)
    }
    assert "one-3" not in after
    assert after.get("one-4", 0.0) < before["one-4"]


def test_a_named_source_is_preferred(store: Ghost) -> None:
    """Of two who say the same, the one whom the question names stands first."""
    for who in ("Ann", "Bob", "Carol Jones"):
        store.put(
            "chat",
            f"{who[:3].lower()}-said",
            "I adopted a puppy last spring.",
            source_user=who,
            created_at=START,
        )
    assert store.search("when did Ann adopt a puppy?", "chat")[0].source_user == "Ann"
    assert store.search("when did bob adopt a puppy?", "chat")[0].source_user == "Bob"
    assert store.search("What is Carol's puppy called?", "chat")[0].source_user == "Carol Jones"


def test_two_named_sources_are_equal(store: Ghost) -> None:
    """A question that names two sources prefers neither."""
    for who in ("Ann", "Bob"):
        store.put(
            "chat", f"{who.lower()}-said", "I adopted a puppy.", source_user=who, created_at=START
        )
    hits = store.search("did Ann and Bob adopt a puppy?", "chat", explain=True)
    assert len(hits) == 2
    assert all("source" not in hit.why.parts for hit in hits)


def test_several_things_are_taken_from_several_threads(store: Ghost) -> None:
    """A question after many things is not answered out of one conversation only."""
    for scope in ("one", "two", "three"):
        lines = [("Ann", f"I read a book called {scope} {at}.") for at in range(6)]
        say(store, scope, lines)
    scopes = {
        hit.source_scope for hit in store.search("which books has Ann read?", "chat", limit=6)
    }
    assert len(scopes) >= 2
