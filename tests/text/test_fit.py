"""Excerpts: within the room whatever the counter, around what matched, and cut where a reader would cut."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ghostmem.text.borders import breaks
from ghostmem.text.fit import fit
from growth import repeated
from text.conftest import CLUSTERS

Counter = Callable[[str], int]

PROSE = (
    "The deploy of the billing service waits for a green build. It needs a second pair of eyes, and Ada's are the best we "
    'have! On Fridays nothing ships; "not even a typo", as Bob put it. Who would fix it on a Saturday? '
)
LONG = PROSE * 50
FRAGMENTS = [
    "word ", PROSE, "\n", "\n\n", "\r\n", "東京に行く。", "한국어 낱말 ", "e\u0301", "👨‍👩‍👧", "🇩🇪", "👍🏽", "\u00a0", "\u2028", "a" * 90, " " * 40,
    "\u0301", "กำ", "क्षि", ".", "...", ". ", '."', "...\n", "x", " \u0301",
]  # fmt: skip


def tokens(text: str) -> int:
    """Count as Ghost does by default."""
    return len(text.encode()) // 4


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def moody(text: str) -> int:
    """Count so that a longer text is often cheaper."""
    return len(text) * 7919 % 53 + len(text) // 8


contents = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=20)), max_size=30).map(
    "".join
)
counters = st.sampled_from([tokens, len, words, moody])
rooms = st.integers(-1, 200)


@st.composite
def chunks(draw: st.DrawFn, texts: st.SearchStrategy[str] = contents) -> tuple[str, int, int]:
    """Draw a text and a part of it."""
    content = draw(texts)
    start = draw(st.integers(0, len(content)))
    return content, start, draw(st.integers(start, len(content)))


def places(content: str, found: str) -> Iterator[range]:
    """Yield where an excerpt may come from, its dots left out where the text around it is."""
    for body in {
        found,
        found.removeprefix("..."),
        found.removesuffix("..."),
        found.removeprefix("...").removesuffix("..."),
    }:
        at = content.find(body) if body else -1
        while at >= 0:
            yield range(at, at + len(body))
            at = content.find(body, at + 1)


def character_borders(content: str) -> list[int]:
    """Return where characters, as a person sees them, begin and end."""
    inner = [at for at in range(1, len(content)) if content[at].isspace() or breaks(content, at)]
    return [0, *inner, len(content)]


@given(chunks(), rooms, counters)
def test_an_excerpt_is_a_part_of_the_text_and_within_the_room(
    chunk: tuple[str, int, int], room: int, count: Counter
) -> None:
    """Whatever the counter, nothing is returned that it counts beyond the room, and nothing that is not in the text."""
    found = fit(*chunk, room, count)
    if found is not None:
        assert count(found) <= room
        assert found == chunk[0] or any(places(chunk[0], found))
        assert found.encode().decode() == found


@given(chunks(), rooms, counters)
def test_an_excerpt_has_the_start_of_what_matched(
    chunk: tuple[str, int, int], room: int, count: Counter
) -> None:
    """The first character of the chunk, or the first after its white space, is in the excerpt."""
    content, start, _ = chunk
    assume(content[start:].strip())
    found = fit(*chunk, room, count)
    if found is not None and found != content:
        ink = start + len(content[start:]) - len(content[start:].lstrip())
        assert any(ink in place for place in places(content, found))


@given(chunks(), rooms, counters)
def test_the_same_text_is_cut_the_same_way_with_few_counts(
    chunk: tuple[str, int, int], room: int, count: Counter
) -> None:
    """The cut is deterministic, and at most twelve texts are counted."""
    counted: list[str] = []

    def counting(text: str) -> int:
        counted.append(text)
        return count(text)

    assert fit(*chunk, room, counting) == fit(*chunk, room, count)
    assert len(counted) <= 12


@given(chunks(), rooms, st.sampled_from([tokens, len, words]))
def test_a_text_that_fits_is_returned_as_it_is(
    chunk: tuple[str, int, int], room: int, count: Counter
) -> None:
    """No dots, no stripping, where nothing need be cut and the counter's tokens have at most a few letters each."""
    assume(count(chunk[0]) <= room and len(chunk[0]) <= max(1000, 8 * room))
    assert fit(*chunk, room, count) == chunk[0]


@given(chunks(), rooms)
def test_cut_ends_have_no_white_space_and_fall_between_characters(
    chunk: tuple[str, int, int], room: int
) -> None:
    """Next to the dots there is neither white space nor half a character, as a person sees it."""
    content = chunk[0]
    found = fit(*chunk, room, tokens)
    if found is None or found == content:
        return
    borders = character_borders(content)
    characters = dict(pairwise(borders))
    before = {0} | {at for at, end in characters.items() if not content[at:end].isspace()}
    after = {end for at, end in characters.items() if not content[end - 1].isspace()}
    assert any(place.start in before and place.stop in after for place in places(content, found))


@given(chunks(st.lists(st.sampled_from(CLUSTERS), min_size=80).map("".join)), st.integers(5, 80))
def test_text_without_spaces_is_cut_between_characters(
    chunk: tuple[str, int, int], room: int
) -> None:
    """One giant word still gives an excerpt, and no cluster is torn."""
    content = chunk[0]
    found = fit(*chunk, room, len)
    borders = set(character_borders(content))
    assert found is not None or room < 60
    if found is not None:
        assert any({place.start, place.stop} <= borders for place in places(content, found))


@given(st.integers(0, len(LONG)), st.integers(0, 700), st.integers(10, 500))
def test_most_of_the_room_is_used_in_prose(start: int, length: int, room: int) -> None:
    """Three quarters of the room are text, also after the cut back to a sentence."""
    found = fit(LONG, start, start + length, room, tokens)
    assert found is not None
    assert 0.75 * room - 2 <= tokens(found) <= room


@given(st.integers(0, len(LONG)), st.integers(0, 700), st.integers(10, 500))
def test_prose_is_cut_between_words(start: int, length: int, room: int) -> None:
    """No word of an ordinary text is torn, wherever the chunk lies."""
    found = fit(LONG, start, start + length, room, tokens)
    assert found is not None
    body = found.removeprefix("...").removesuffix("...")
    assert any(f" {body} " in f" {LONG} " for body in (body, body + "."))


def test_both_ends_are_marked_where_cut() -> None:
    """The beginning is cut only behind, the end only before, the middle on both sides."""
    middle = len(LONG) // 2
    first, inner, last = (
        fit(LONG, start, start + 50, 60, tokens) or "" for start in (0, middle, len(LONG) - 60)
    )
    assert not first.startswith("...")
    assert first.endswith("...")
    assert inner.startswith("...")
    assert inner.endswith("...")
    assert last.startswith("...")
    assert last == "..." + last[3:].rstrip(".")


def test_room_beyond_the_chunk_is_spent_on_both_sides() -> None:
    """What matched stands about in the middle of its excerpt."""
    content = "alpha " * 500 + "NEEDLE " + "omega " * 500
    found = fit(content, 3000, 3006, 100, tokens)
    assert found is not None
    before, after = found.split("NEEDLE")
    assert abs(len(before) - len(after)) < 20


@pytest.mark.parametrize(("at", "starts", "ends"), [(210, True, False), (1000 - 210, False, True)])
def test_the_end_of_a_text_nearly_reached_is_reached(at: int, starts: bool, ends: bool) -> None:
    """A few words short of the text's first or last, the excerpt moves over rather than leave them out."""
    content = "first " + "w " * 496 + "last"
    found = fit(content, at, at + 10, 100, tokens)
    assert found is not None
    assert found.startswith("first") == starts
    assert found.endswith("last") == ends


def test_a_chunk_beyond_the_room_is_cut_from_its_beginning() -> None:
    """The excerpt of a large chunk starts where the chunk does."""
    start = LONG.index("It needs", 2000)
    found = fit(LONG, start, start + 2000, 50, tokens)
    assert found is not None
    assert found.startswith("...It needs a second pair")


def test_a_sentence_border_is_preferred_where_it_costs_little() -> None:
    """The cut falls after a sentence when that keeps four fifths, else after a word."""
    short = fit("One sentence here. " * 20, 0, 0, 40, tokens)
    assert short is not None
    assert short.endswith("here....")
    long = fit("A sentence. " + "word " * 200, 0, 0, 40, tokens)
    assert long is not None
    assert long.endswith("word...")


def test_a_line_border_is_a_sentence_border() -> None:
    """Lists are cut between items."""
    found = fit("- an item without full stop\n" * 40, 28 * 20, 28 * 21 - 1, 60, tokens)
    assert found is not None
    assert found.startswith("...- an item")
    assert found.endswith("full stop...")


@pytest.mark.parametrize(
    ("content", "room"),
    [
        ("", -1),
        (" " * 300, 3),
        ("internationalisation " * 30, 4),
        ("word " * 100, 0),
        ("a" + "\u0301" * 5000, 100),
    ],
)
def test_nothing_is_returned_where_not_a_word_fits(content: str, room: int) -> None:
    """Half a word is no excerpt, and neither is white space."""
    assert fit(content, 0, 0, room, tokens) is None


def test_the_beginning_is_meant_by_an_empty_chunk() -> None:
    """Without a matching chunk the excerpt is the text's start."""
    found = fit(LONG, 0, 0, 30, tokens)
    assert found is not None
    assert found.startswith("The deploy")


def test_japanese_is_cut_at_its_full_stop() -> None:
    """Sentences without spaces are kept whole where there is room."""
    found = fit("彼は東京に行くことにした。" * 60, 13 * 20, 13 * 22, 100, tokens)
    assert found is not None
    assert found.startswith("...彼は")
    assert found.endswith("。...")


@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [
        ("", "word ", ""), ("", "x", ""), ("", "🇩🇪", ""), ("a", " ", "b"), ("", ".", ""),
        ("", "a.\n", ""), ("a", "\u0301", ""), ("", "\u200d", ""),
    ],
    ids=["words", "no spaces", "flags", "spaces", "dots", "lines", "marks", "joiners"],
)  # fmt: skip
def test_megabytes_take_no_longer_than_the_room(before: str, piece: str, after: str) -> None:
    """Only a window around the chunk is read and counted."""
    longest = 0

    def counting(text: str) -> int:
        nonlocal longest
        longest = max(longest, len(text))
        return tokens(text)

    content = repeated(piece, before, after)(500_000)
    for start in (0, 250_000, len(content) - 1):
        fit(content, start, start + 600, 400, counting)
    assert longest < 5 * 1600
