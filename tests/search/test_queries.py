"""Query text is data, never syntax: nothing that a person or a program may type breaks a search."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost, InvalidInputError
from ghostmem.settings import Settings
from ghostmem.text.scripts import fold
from ghostmem.text.terms import index_terms

TEXTS = {
    "cpp": "The parser is written in c++ for speed.",
    "dont": "Please don't restart the server on Fridays.",
    "foobar": "The flag foo-bar turns caching on.",
    "keyval": "Set key:val in the header.",
    "near": "NEAR and FAR are keywords of the old compiler.",
    "emoji": "The release was celebrated 🎉 with cake.",
    "quote": 'She said "ship it" and left.',
    "sql": "Robert'); DROP TABLE memories;-- is a famous pupil.",
    "path": r"Logs are at C:\logs\app.log on that host.",
    "percent": "Use 100% of the quota_limit.",
}


@pytest.fixture(scope="module", params=["none", "static"])
def store(request: pytest.FixtureRequest, anywhere: Callable[[], str]) -> Iterator[Ghost]:
    """Open one store that every question of this module is asked."""
    with Ghost.open(anywhere(), settings=Settings(embed_provider=request.param)) as ghost:
        for key, text in TEXTS.items():
            ghost.put("q", key, text)
        yield ghost


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("c++", "cpp"),
        ("C++", "cpp"),
        ("don’t restart", "dont"),
        ("foo-bar", "foobar"),
        ("foo bar", "foobar"),
        ("key:val", "keyval"),
        ("NEAR", "near"),
        ('"ship it"', "quote"),
        ("Robert'); DROP TABLE memories;--", "sql"),
        (r"C:\logs\app.log", "path"),
        ("quota_limit", "percent"),
        ("100%", "percent"),
        ("text:c++", "cpp"),
        ("-foo-bar", "foobar"),
        ("^foo-bar*", "foobar"),
    ],
)
def test_signs_are_part_of_words(store: Ghost, query: str, key: str) -> None:
    """What other search engines read as operators is looked for as it stands."""
    assert [hit.key for hit in store.search(query, "q")][:1] == [key]


@pytest.mark.requirement("002-071")
def test_a_stop_word_alone_is_looked_for(store: Ghost) -> None:
    """A question of nothing but a stop word finds the text that has it."""
    assert [hit.key for hit in store.search("don't", "q")][:1] == ["dont"]


@pytest.mark.wide(keep=30)
@pytest.mark.parametrize(
    "query",
    [
        '"unbalanced',
        "NEAR(a b)",
        "NEAR(a b, 3)",
        "a OR b*",
        "a AND NOT b",
        ")",
        "(((",
        "*",
        "^",
        "{text}: x",
        "'",
        '""""',
        "\\",
        ";",
        "--",
        "%",
        "_",
        "?",
        "🎉",
        "👩‍👩‍👧‍👦",
        "\u202e\u200b\ufeff",
        "\t\r\n",
        "the of and",
        "what is it",
        "not",
        "Ａ" * 300,
        "é" * 5000,
        "a\u0301" * 5000,
        "ก" * 3000,
        "1" * 10_000,
        "-" * 10_000,
        "a-" * 10_000,
        "OPS-1 " * 3000,
        "yesterday " * 2000,
        "999999999999 years ago",
        "in 9999-12-31 and 0000-00-00 and 2026-02-31",
        "31 February",
        "0x00 1e400 -0.0 NaN inf",
    ],
    ids=lambda text: ascii(text[:12]),
)
@pytest.mark.parametrize("explain", [False, True])
def test_nothing_breaks_a_search(store: Ghost, query: str, explain: bool) -> None:
    """Every text is a question that is answered or not; the answer is the same each time."""
    first = store.search(query, "q", explain=explain)
    assert [hit.key for hit in store.search(query, None, explain=explain)] == [
        hit.key for hit in first
    ]


@pytest.mark.parametrize("query", ["", " ", "\n", "...", "?!"])
def test_an_empty_question_finds_nothing(store: Ghost, query: str) -> None:
    """A question without a word in it is answered with nothing."""
    assert store.search(query, "q") == []


@pytest.mark.parametrize(
    ("query", "says"),
    [("a\x00b", "NUL byte at position 1"), ("a\ud800b", "lone surrogate U+D800 at position 1")],
)
def test_what_is_no_text_is_refused(store: Ghost, query: str, says: str) -> None:
    """NUL and half characters are named with their place."""
    with pytest.raises(InvalidInputError, match="query") as caught:
        store.search(query, "q")
    assert says in str(caught.value)


@pytest.mark.parametrize("query", [None, 1, b"bytes", ["list"]])
def test_what_is_no_string_is_refused(store: Ghost, query: object) -> None:
    """Only text can be asked."""
    with pytest.raises(InvalidInputError, match="query must be text"):
        store.search(query, "q")  # type: ignore[arg-type]


def test_ten_thousand_words_are_a_question(store: Ghost) -> None:
    """A question of ten thousand different words is answered, and what a long-winded one begins with still counts."""
    store.search(" ".join(f"word{at}" for at in range(10_000)), "q", explain=True)
    rambling = (
        "Background: the quarterly report is long and rambles about many unrelated topics. " * 850
    )
    assert len(rambling.split()) > 10_000
    assert (
        store.search(f"how do I turn on caching with foo-bar? {rambling}", "q")[0].key == "foobar"
    )


def test_a_megabyte_is_a_question(store: Ghost) -> None:
    """A megabyte of text, in words or as one, is read as far as it is useful."""
    store.search("caching " * 131_072, "q")
    store.search("x" * 1_048_576, "q")
    store.search("数" * 349_525, "q")


def test_stop_words_alone_find_nothing_or_something_but_do_not_fail(store: Ghost) -> None:
    """Only stop words say nothing: without vectors nothing is found."""
    found = store.search("what is that of the", "q")
    assert found == [] or store.store.settings.embed_provider != "none"


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    query=st.one_of(
        st.text(max_size=60), st.text("ab\"*()^:-+~{}[]\\/.,;!?|&<>=%_ \n'NEARORAND09", max_size=40)
    )
)
def test_arbitrary_text_never_fails(store: Ghost, query: str) -> None:
    """Any text at all is answered; only text that cannot be stored is refused, as invalid input."""
    try:
        found = store.search(query, "q", explain=True)
    except InvalidInputError:
        assert "\x00" in query or any("\ud800" <= char <= "\udfff" for char in query)
    else:
        assert len(found) <= 20
        assert all(hit.why for hit in found)


@pytest.fixture
def fresh(open_ghost: Callable[..., Ghost]) -> Ghost:
    """Open an empty store."""
    return open_ghost(":memory:", embed_provider="static")


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    text=st.text(min_size=3, max_size=80).filter(
        lambda t: index_terms(t) or len(fold(t).strip()) > 2
    )
)
def test_a_memory_is_found_by_its_own_text(fresh: Ghost, text: str) -> None:
    """Whatever has a word that says something, or three characters, is found by asking for all of it."""
    try:
        fresh.put("own", "k", text)
    except InvalidInputError:
        return
    assert [hit.key for hit in fresh.search(text, "own", min_score=-9.0)] == ["k"]
