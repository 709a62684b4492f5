"""The chunker: complete, ordered, bounded, and never torn where it hurts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.text.chunk import CHUNKER, ChunkSpan, chunk
from growth import check_growth, repeated
from text.conftest import CLUSTERS

SENTENCE = (
    "The deploy of the billing service waits for a green build and for a second pair of eyes. "
)
PARAGRAPH = (SENTENCE * 3).strip()

FRAGMENTS = [
    "# Title\n", "## Part\n", "#tag ", "word ", SENTENCE, PARAGRAPH, "\n", "\n\n", "\r\n", "\r", "- item\n", "  - deeper\n",
    "12. twelfth\n", "```\n", "```python\n", "~~~\n", "````\n", "x = 1\n", "| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "---\n",
    "===\n", "    indented\n", "\t", "東京に行く。", "한국어 ", "é", "e\u0301", "👨‍👩‍👧", "🇩🇪", "👍🏽", "\u00a0", "\u2028",
    "\x0c", "a" * 90, " " * 40, "\u0301", "กำ", "क्षि", "> quote\n",
]  # fmt: skip
markdown = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=20)), max_size=60).map(
    "".join
)
plain = st.lists(
    st.one_of(
        st.sampled_from([one for one in FRAGMENTS if not set(one) & set("`~|")]),
        st.text("ab #-.\n", max_size=20),
    ),
    max_size=60,
).map("".join)
sizes = st.tuples(st.integers(20, 120), st.integers(1, 100)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


def texts(content: str, spans: list[ChunkSpan]) -> list[str]:
    """Return the spans' texts."""
    return [content[span.start : span.stop] for span in spans]


@pytest.mark.requirement("002-008")
@given(markdown, sizes)
def test_every_character_but_white_space_is_in_exactly_one_span(
    content: str, size: tuple[int, int]
) -> None:
    """Spans are in order, do not overlap, are not empty, and leave out nothing but white space."""
    spans = chunk(content, *size)
    at = 0
    for span in spans:
        assert at <= span.start < span.stop
        assert not content[at : span.start].strip()
        assert content[span.start : span.stop] == content[span.start : span.stop].strip()
        at = span.stop
    assert not content[at:].strip()


@pytest.mark.requirement("002-008")
@given(markdown, sizes)
def test_lines_are_those_of_the_content(content: str, size: tuple[int, int]) -> None:
    """Line numbers count line feeds, from one, at the first and the last character."""
    for span in chunk(content, *size):
        assert span.start_line == content.count("\n", 0, span.start) + 1
        assert span.end_line == content.count("\n", 0, span.stop) + 1


@pytest.mark.requirement("002-008")
@given(plain, sizes)
def test_prose_never_exceeds_the_limit(content: str, size: tuple[int, int]) -> None:
    """Without code and tables no span is longer than the limit."""
    assert all(span.stop - span.start <= size[1] for span in chunk(content, *size))


@given(markdown, sizes)
def test_code_and_tables_are_bounded_too(content: str, size: tuple[int, int]) -> None:
    """A heading with code under it is the longest span there is."""
    assert all(span.stop - span.start <= 5 * size[1] for span in chunk(content, *size))


@given(st.lists(st.sampled_from(CLUSTERS), min_size=100))
def test_characters_as_a_person_sees_them_are_never_torn(clusters: list[str]) -> None:
    """A cut in a text without spaces falls between clusters."""
    content = "".join(clusters)
    borders, at = {0}, 0
    for cluster in clusters:
        at += len(cluster)
        borders.add(at)
    for span in chunk(content, 40, 60):
        assert {span.start, span.stop} <= borders


@given(
    st.lists(
        st.tuples(st.sampled_from(["#", "##", "###### "]), st.integers(1, 60), st.booleans()),
        min_size=1,
    )
)
def test_a_heading_opens_its_chunk_and_takes_text_with_it(
    parts: list[tuple[str, int, bool]],
) -> None:
    """A heading stands at a chunk's top, after other headings at most, and never at its end."""
    content = "".join(
        f"{mark} Heading\n{'' if tight else chr(10)}{'word ' * size}\n"
        for mark, size, tight in parts
    )
    spans = chunk(content, 100, 150)
    if len(content.strip()) <= 150:
        return
    for body in texts(content, spans):
        lines = body.splitlines()
        assert not lines[-1].startswith("#")
        assert not any(line.startswith("#") for line in lines[1:])


def test_the_same_text_is_cut_the_same_way() -> None:
    """Chunking is deterministic and its version is recorded."""
    content = (PARAGRAPH + "\n\n") * 20
    assert chunk(content) == chunk(content)
    assert CHUNKER == "1"


@pytest.mark.parametrize("content", ["", " ", "\n\n", " \t\r\n\u00a0"])
def test_nothing_but_white_space_has_no_chunk(content: str) -> None:
    """Empty content has no chunk."""
    assert chunk(content) == []


def test_short_content_is_one_chunk() -> None:
    """A text within the limit stays whole, whatever its blocks, without the space around it."""
    assert chunk("Hello, world.") == [ChunkSpan(0, 13, 1, 1)]
    assert chunk("\n\n  # A\n\ntext\n# B\n") == [ChunkSpan(4, 17, 3, 6)]


def test_text_of_exactly_the_limit_is_one_chunk() -> None:
    """The limit is inclusive and counts characters, not bytes."""
    assert len(chunk("é" * 600)) == 1
    assert len(chunk("é" * 601)) == 2


def test_headings_split() -> None:
    """Each section of a long text is a chunk that begins with its heading."""
    content = f"# Section One\n\n{PARAGRAPH}\n\n# Section Two\n\n{PARAGRAPH}\n\n## Section Three\n{PARAGRAPH}\n"
    first, second, third = texts(content, chunk(content))
    assert first.startswith("# Section One")
    assert second.startswith("# Section Two")
    assert third.startswith("## Section Three")


def test_lines_are_split_to_the_given_sizes() -> None:
    """Twenty lines with target 200 and limit 300 make several chunks, cut between lines."""
    content = "\n".join(f"Line {number} says a little something more" for number in range(20))
    pieces = texts(content, chunk(content, 200, 300))
    assert len(pieces) >= 2
    assert all(
        len(piece) <= 300 and piece.startswith("Line") and piece.endswith("more")
        for piece in pieces
    )


def test_small_blocks_are_merged() -> None:
    """Small paragraphs share a chunk, also in a text that is cut elsewhere."""
    assert len(chunk("One.\n\nTwo.\n\nThree.")) == 1
    content = f"One.\n\nTwo.\n\nThree.\n\n# Part\n\n{PARAGRAPH * 3}"
    assert texts(content, chunk(content))[0] == "One.\n\nTwo.\n\nThree."


def test_blank_lines_split_long_text() -> None:
    """Two paragraphs that do not fit together are two chunks."""
    content = f"{PARAGRAPH}\n\n\n{PARAGRAPH} {SENTENCE}"
    assert texts(content, chunk(content, 400, 500)) == [
        PARAGRAPH,
        f"{PARAGRAPH} {SENTENCE}".strip(),
    ]


def test_headings_in_a_row_stay_with_the_text_below() -> None:
    """A title and a subtitle are not chunks of their own."""
    content = f"# Title\n\n## Part\n\n{PARAGRAPH}\n\n## Other\n\n{PARAGRAPH * 2}"
    assert texts(content, chunk(content))[0] == f"# Title\n\n## Part\n\n{PARAGRAPH}"


def test_underlined_headings_are_headings() -> None:
    """A line underlined with = or - opens a chunk."""
    content = f"{PARAGRAPH}\n\nTitle\n=====\n{PARAGRAPH}\n\nPart\n----\n{PARAGRAPH}"
    assert [piece[:6] for piece in texts(content, chunk(content))] == [
        "The de",
        "Title\n",
        "Part\n-",
    ]


def test_a_long_paragraph_under_a_heading_leaves_the_heading_its_first_part() -> None:
    """The heading and as much text as fits are one chunk within the limit."""
    content = "# Title\n\n" + SENTENCE * 20
    first = texts(content, chunk(content))[0]
    assert first.startswith("# Title\n\nThe deploy")
    assert 200 < len(first) <= 600


def test_tags_are_not_headings() -> None:
    """A hash needs a space after it to make a heading."""
    content = f"One.\n#tag two.\n\n{PARAGRAPH * 3}"
    assert texts(content, chunk(content))[0].startswith("One.\n#tag two.\n\nThe deploy")


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "  ```"])
def test_fenced_code_is_not_torn(fence: str) -> None:
    """Code up to four limits stays whole, headings and blank lines in it included."""
    code = f"{fence}python\n" + "x = 1\n\n# not a heading\n" * 80 + fence.strip()
    content = f"{PARAGRAPH}\n\n{code}\n\n{PARAGRAPH}"
    assert texts(content, chunk(content)) == [PARAGRAPH, code.strip(), PARAGRAPH]


def test_code_beyond_four_limits_is_cut_between_lines() -> None:
    """Very long code is cut at line borders only."""
    line = "value = compute(left, right, " + "argument, " * 70 + ")"
    content = "```\n" + f"{line}\n" * 10 + "```"
    pieces = texts(content, chunk(content))
    assert len(pieces) >= 10
    assert {part for piece in pieces for part in piece.splitlines()} == {"```", line}


def test_an_unclosed_fence_lasts_to_the_end() -> None:
    """As in CommonMark, what follows an open fence is code."""
    content = f"{PARAGRAPH}\n\n```\n" + "# code\n" * 100
    assert len(chunk(content)) == 2


def test_inline_backticks_open_no_fence() -> None:
    """Three backticks closed on the same line are a span of code."""
    content = f"```inline```\n\n# Heading\n\n{PARAGRAPH * 3}"
    assert texts(content, chunk(content))[0] == "```inline```"


def test_tables_are_not_torn() -> None:
    """A table stays whole and apart from the paragraph it follows without a blank line."""
    table = (
        "| key | value |\n|:----|-----:|\n" + "| a key | a value that is a little longer |\n" * 30
    )
    content = f"{PARAGRAPH}\n{table}\n{PARAGRAPH}"
    assert texts(content, chunk(content)) == [PARAGRAPH, table.strip(), PARAGRAPH]


def test_lists_are_cut_between_items() -> None:
    """A long list is cut before an item; nested and continued lines stay with theirs."""
    item = "- an item that says what has to be done\n  and goes on\n\n  after a blank line\n"
    content = item * 20
    pieces = texts(content, chunk(content))
    assert len(pieces) > 2
    assert all(piece.startswith("- an item") and piece.endswith("blank line") for piece in pieces)


def test_long_lines_are_cut_at_sentences_then_words() -> None:
    """A long line ends its pieces with a sentence if it can, else with a word."""
    sentences = SENTENCE * 30
    assert all(piece.endswith("eyes.") for piece in texts(sentences, chunk(sentences)))
    unpunctuated = "alphabet " * 300
    assert all(
        set(piece.split()) == {"alphabet"} for piece in texts(unpunctuated, chunk(unpunctuated))
    )


@pytest.mark.parametrize("stop", "。！？")
def test_chinese_and_japanese_are_cut_at_their_full_stops(stop: str) -> None:
    """Sentences need no space after an ideographic full stop."""
    content = ("彼は東京に行くことにした" + stop) * 100
    pieces = texts(content, chunk(content))
    assert len(pieces) > 1
    assert all(piece.endswith(stop) for piece in pieces)


def test_crlf_text_is_cut_as_other_text() -> None:
    """Windows line ends neither count as text nor are torn."""
    content = f"# One\r\n\r\n{PARAGRAPH}\r\n\r\n# Two\r\n\r\n{PARAGRAPH}\r\n\r\n```\r\n# code\r\n```\r\n{PARAGRAPH}"
    pieces = texts(content, chunk(content))
    assert pieces == [
        f"# One\r\n\r\n{PARAGRAPH}",
        f"# Two\r\n\r\n{PARAGRAPH}\r\n\r\n```\r\n# code\r\n```",
        PARAGRAPH,
    ]


def test_a_letter_with_thousands_of_marks_is_bounded() -> None:
    """What nobody can read as one character does not make a chunk of a megabyte."""
    content = "a" + "\u0301" * 100_000
    assert all(span.stop - span.start <= 2400 for span in chunk(content))


@pytest.mark.perf
@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [("", "word ", ""), ("", "x", ""), ("", "🇩🇪", ""), ("a", " ", "b"), ("```\n", "`", "")],
    ids=["words", "no spaces", "flags", "spaces", "backticks"],
)
def test_the_time_grows_with_the_text(before: str, piece: str, after: str) -> None:
    """Four times the text takes about four times as long."""
    check_growth(chunk, repeated(piece, before, after), 1_000_000)
