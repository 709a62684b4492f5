"""Excerpts around the match: which place of a text matches a query, and what an excerpt shows of it."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.search.query import match_terms
from ghostmem.text.focus import excerpt, find_place
from ghostmem.text.matches import find_matches

ROOMS = [20, 30, 40]  # tokens of text in a budget of 40, 50 and 60
FILLER = "Sun and wind and rain and snow fall on the town in turn, as they did in years before. "


class Language(NamedTuple):
    """Words to make texts of, and how they are joined."""

    words: list[str]
    rare: list[str]  # words that occur nowhere else
    space: str
    stop: str


LANGUAGES = {
    "English": Language(
        "the service build deploy waits team green second review Friday note disk list of and".split(),
        "cormorant quinine zeppelin".split(),
        " ",
        ". ",
    ),
    "German": Language(
        "der Dienst wartet und prüft die Straße größere Übersicht mit Fußnote für alle Gäste".split(),
        "Kormoran Chinarinde Luftschiff".split(),
        " ",
        ". ",
    ),
    "Chinese": Language(
        "服务 部署 等待 审核 磁盘 列表 团队 今天 已经 完成 我们 可以".split(),
        "鸬鹚 奎宁 飞艇".split(),
        "",
        "。",
    ),
    "Japanese": Language(
        "サービス を 更新 する 会議 で 確認 した 一覧 が 必要 です から".split(),
        "鵜飼い キニーネ 飛行船".split(),
        "",
        "。",
    ),
}


def tokens(text: str) -> int:
    """Count as Ghost does by default."""
    return len(text.encode()) // 4


def shown(content: str, query: str, room: int = 30, chunk: tuple[int, int] = (0, 0)) -> str:
    """Return the excerpt of a text, which must be within the room."""
    found = excerpt(content, match_terms(query), chunk, room, tokens)
    assert found is not None
    assert tokens(found) <= room
    return found


@st.composite
def planted(draw: st.DrawFn) -> tuple[str, list[str], str]:
    """Draw a text with one sentence of rare words in it, these words, and the sentence."""
    language = LANGUAGES[draw(st.sampled_from(sorted(LANGUAGES)))]
    common = st.lists(st.sampled_from(language.words), min_size=1, max_size=25)
    sentences = draw(st.lists(common, min_size=20, max_size=60))
    rare = draw(st.permutations(language.rare))[: draw(st.integers(1, 3))]
    sentence = draw(common)
    for word in rare:
        sentence.insert(draw(st.integers(0, len(sentence))), word)
    at = draw(st.integers(0, len(sentences)))
    sentences.insert(at, sentence)
    joined = [language.space.join(words) for words in sentences]
    return language.stop.join(joined), rare, joined[at]


@given(planted(), st.sampled_from(ROOMS))
def test_an_excerpt_has_the_words_of_the_query(text: tuple[str, list[str], str], room: int) -> None:
    """In any language, the planted words are shown: one for certain, all where they fit together."""
    content, rare, sentence = text
    found = shown(content, " ".join(rare), room)
    assert any(word in found for word in rare)
    places = [sentence.index(word) for word in rare]
    last = max(rare, key=sentence.index)
    together = sentence[min(places) : max(places) + len(last)]
    if tokens(together) <= room - 4:
        assert all(word in found for word in rare)
    if tokens(sentence) <= room - 4:
        assert sentence in found


@given(
    planted(),
    st.integers(-1, 100),
    st.sampled_from(
        [tokens, len, lambda text: len(text.split()), lambda text: len(text) * 7919 % 53]
    ),
)
def test_no_excerpt_exceeds_its_room(
    text: tuple[str, list[str], str],
    room: int,
    count: Callable[[str], int],
) -> None:
    """Whatever the counter, an excerpt is a part of the text within the room, and the same again."""
    content, rare, _ = text
    query = match_terms(" ".join(rare))
    found = excerpt(content, query, (0, 0), room, count)
    assert found == excerpt(content, query, (0, 0), room, count)
    if found is not None:
        assert count(found) <= room
        assert found.removeprefix("...").removesuffix("...") in content or found in content


CASES = {
    "long sentence": "and the crew of the boat " * 40 + "saw a cormorant dive " + "off the pier at noon " * 40,
    "bullet list": "".join(f"- item {n} of the list\n" for n in range(80)) + "- feed the cormorant daily\n" + "- rest\n" * 50,
    "table row": "| bird | place |\n|---|---|\n" + "| gull | north pier |\n" * 60 + "| cormorant | east pier |\n" + "| gull | south pier |\n" * 60,
    "log line": "2026-01-01 INFO worker idle\n" * 90 + "2026-01-02 ERROR cormorant lost\n" + "2026-01-03 INFO worker idle\n" * 90,
    "code block": "```python\n" + "value = compute(value, step)\n" * 70 + "    if cormorant: raise Stop\n" + "value = compute(value)\n" * 70 + "```",
    "no full stops": "so we went on and on along the shore " * 60 + "until the cormorant flew up " + "and we went home again " * 60,
    "no spaces": "".join(f"abc{n}=def{n};" for n in range(400)) + "bird=cormorant;" + "".join(f"x{n}=y{n};" for n in range(400)),
    "Chinese": "我们今天在港口看船" * 120 + "鸬鹚cormorant潜入水中" + "然后我们回家了" * 120,
}  # fmt: skip


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("shape", CASES)
def test_the_match_is_shown_in_any_kind_of_text(shape: str, room: int) -> None:
    """Where a sentence, a list, a table or a line goes on for long, the words themselves are shown."""
    assert "cormorant" in shown(CASES[shape], "where is the cormorant?", room)


@pytest.mark.parametrize("chunk", [(0, 400), (4000, 4400)])
def test_the_whole_text_is_searched(chunk: tuple[int, int]) -> None:
    """A match outside of the best chunk is found."""
    content = FILLER * 40 + "The cormorant nests here. " + FILLER * 40
    assert "The cormorant nests here." in shown(content, "cormorant", 30, chunk)


def test_a_chunk_found_by_meaning_is_kept_to() -> None:
    """When only the chunk's meaning matched, other places of the text are not looked at."""
    content = FILLER * 10 + "The cormorant nests here. " + FILLER * 10
    query = match_terms("cormorant")
    found = excerpt(content, query, (0, 400), 30, tokens, within_chunk=True)
    assert found is not None
    assert found.startswith("Sun and wind")


def test_the_best_chunk_is_preferred_among_equal_places() -> None:
    """Of two places that match alike, that in the chunk is shown."""
    content = "A red ferry. " + FILLER * 20 + "A blue ferry. " + FILLER * 20
    start = content.index("A blue")
    assert "A red ferry" in shown(content, "ferry")
    assert "A blue ferry" in shown(content, "ferry", chunk=(start, start + 400))


def test_a_rare_word_counts_more_than_frequent_ones() -> None:
    """Words that are everywhere in the text do not hide the one that is not."""
    line = "The billing service of the shop is part of the billing team's service plan. "
    content = line * 30 + "Connections use port 8443 there. " + line * 30
    assert "port 8443" in shown(content, "which port does the billing service use?")


def test_words_close_together_count_more() -> None:
    """Of two places with the same words, that where they are together is shown."""
    apart = "A harbour is a place for ships of every kind and size, and now and then a ferry. "
    content = FILLER * 5 + apart + FILLER * 5 + "The harbour ferry is late. " + FILLER * 5
    assert "The harbour ferry is late." in shown(content, "harbour ferry", 40)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("who departs?", "Departing guests leave the key at the desk."),  # by stem
        ("Fähre", "Die Hafenfähre fährt um neun."),  # by a part of a word
        ("beverage", "She never drinks coffee after noon."),  # by synonym
        ("OPS-10482", "See ops-10482 for the leak."),  # by code
        ("what is it", "So that is what it is."),  # by stop words alone
        ("Strassenbahn", "Die Straßenbahn kommt gleich."),  # by folded letters
    ],
)
def test_other_forms_of_a_word_match(query: str, sentence: str) -> None:
    """A match may have another ending, be inside a word, or be a synonym."""
    filler = "Green hills rise far away. " * 40
    assert sentence in shown(filler + sentence + " " + filler, query)


def test_a_synonym_counts_less_than_the_word() -> None:
    """Where the word itself occurs, it is shown, not a synonym."""
    content = (
        FILLER * 9 + "A drink was served. " + FILLER * 9 + "Every beverage is free. " + FILLER * 9
    )
    assert "Every beverage is free." in shown(content, "beverage")


def test_without_a_match_the_chunk_is_shown() -> None:
    """When no word of the query occurs, the excerpt begins where the best chunk does."""
    content = FILLER * 10 + "A quiet morning. " + FILLER * 10
    start = content.index("A quiet")
    assert shown(content, "cormorant", 20, (start, start + 300)).startswith("...A quiet morning.")
    assert shown(content, "", 20).startswith("Sun and wind")


@pytest.mark.wide(keep=3)
@pytest.mark.parametrize("place", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    "unit", [FILLER, "cormorant is a bird. ", "港口的船今天很多。", "ß" * 50 + " "]
)
def test_a_text_of_megabytes_is_searched_from_its_start_to_its_end(unit: str, place: float) -> None:
    """Only the promising parts of a long text are read, wherever they are."""
    count = 2_000_000 // len(unit)
    before = int(count * place)
    content = unit * before + "The zeppelin landed at Lakehurst. " + unit * (count - before)
    assert "zeppelin landed" in shown(content, "when did the zeppelin land?")
    assert len(find_matches(content, match_terms("cormorant zeppelin"))) < 10_000


def test_the_line_of_a_match() -> None:
    """The line with the most evidence is named; a heading is only if no line below says as much."""
    text = "# Boiler\n\nIt hums.\nThe boiler is old.\nThe boiler code is 4711.\n"
    for query, line in [("boiler code", 4), ("boiler", 3), ("hums", 2)]:
        place = find_place(text, match_terms(query))
        assert place is not None
        assert place.line == line
    heading = find_place("# Boiler code\n\nThe code is 4711.\n", match_terms("boiler code"))
    assert heading is not None
    assert heading.line == 0
    assert find_place(text, match_terms("zeppelin")) is None


@given(
    st.lists(
        st.sampled_from(
            ["wind", "winding", "turbine-blades", "c++", "a_b.c", "x" * 90, "the", "#", "--", "("]
        ),
        max_size=30,
    ),
    st.sampled_from([" ", "  ", "\n", ", ", "-", "/", ""]),
)
def test_a_text_in_ascii_matches_like_any_other(words: list[str], space: str) -> None:
    """A character of another alphabet at its end changes how the text is split, but no match."""
    text = space.join(words)
    query = match_terms("wind turbines and c++ blade a_b x")

    def places(content: str) -> list[tuple[int, int, int]]:
        return [(match.start, match.stop, match.term) for match in find_matches(content, query)]

    assert places(text) == places(f"{text} é")
