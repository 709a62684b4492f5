"""Excerpts in a pack: at small budgets, the words that match are shown, in any kind of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

NS = "agent:me"
BUDGETS = [40, 50, 60]
FILLER = (
    "Sun and wind and rain and snow fall on the town in turn, as they did in all the years before. "
)
TEXTS = {
    "English": (FILLER * 30, "Deliveries go to the side gate on Mondays. ", "which gate are deliveries for?", "gate"),
    "German": (
        "Die Sonne scheint auf die Dächer der Stadt, und die Leute gehen über die Straße zum Markt. " * 30,
        "Pakete nimmt die Hausmeisterin Frau Grün entgegen. ",
        "Wer nimmt Pakete entgegen?",
        "Pakete",
    ),
    "Chinese": ("今天的天气很好我们在公园里散步然后回家吃饭。" * 60, "门禁密码由前台管理。", "门禁密码", "门禁密码"),
    "Japanese": ("今日は天気がよいので公園を散歩してから家に帰りました。" * 60, "合鍵は管理人室に預けてあります。", "合鍵はどこ", "合鍵"),
}  # fmt: skip
WORDS = "sun wind rain snow town year street market roof light morning evening river bridge".split()


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("language", TEXTS)
def test_the_words_of_the_query_are_shown(book: Book, language: str, budget: int) -> None:
    """The match is shown wherever it is in a long memory, within the budget."""
    filler, sentence, query, word = TEXTS[language]
    for number, content in enumerate(
        [sentence + filler, filler + sentence + filler, filler + sentence]
    ):
        book.put(f"text{number}", content, ns=f"agent:{number}")
        pack = book.pack(query, f"agent:{number}", budget=budget)
        assert word in pack.memories[0].content
        assert pack.memories[0].excerpt is True


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_word_deep_in_a_sentence_without_end_is_shown(book: Book, budget: int) -> None:
    """Not the beginning of a long sentence is shown, but the words that match."""
    book.put(
        "long",
        "and so we walked along the river and the bridge " * 60
        + "to the observatory "
        + "and on and on " * 60,
    )
    assert "observatory" in book.pack("observatory", budget=budget).memories[0].content


def test_the_match_may_be_in_another_chunk(open_book: Callable[..., Book]) -> None:
    """Words that are spread over chunks are shown where the rarest are."""
    book = open_book(embed_provider="static")
    content = (
        "The harbour ferry is old. " * 20
        + FILLER * 20
        + "Tickets for the ferry are sold at pier nine. "
        + FILLER * 20
    )
    book.put("ferry", content)
    assert (
        "sold at pier nine"
        in book.pack("where are ferry tickets sold?", budget=60).memories[0].content
    )


def test_a_memory_that_an_edge_leads_to_is_cut_around_its_match(book: Book) -> None:
    """What comes over an edge is cut where it matches the query, too."""
    book.answer(importance=1.0)
    book.put("far", FILLER * 20 + "In winter it departs an hour later. " + FILLER * 20, tags=["x"])
    book.edge("answer", "far", "depends_on")
    found = book.one("far", budget=120, query="when does the harbour ferry depart?")
    assert found.why.stage in ("edge", "search")
    assert "departs an hour later" in found.content


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=30), min_size=30, max_size=80),
    st.integers(0, 29),
    st.integers(0, 29),
    st.sampled_from([". ", "\n", "\n- ", ", "]),
    st.sampled_from(BUDGETS),
)
def test_a_rare_word_is_always_shown(
    sentences: list[list[str]],
    which: int,
    where: int,
    border: str,
    budget: int,
) -> None:
    """Wherever one rare word is in a random text, a query for it shows it."""
    sentences[which].insert(where, "cormorant")
    content = border.join(" ".join(words) for words in sentences)
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        ghost.put(NS, "text", content)
        pack = ghost.context("cormorant", NS, budget=budget)
    assert pack.used <= budget
    assert "cormorant" in pack.memories[0].content
