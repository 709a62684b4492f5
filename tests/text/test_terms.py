"""The terms that the index and the query share."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.text.terms import MAX_TERM, STOP_WORDS, encode, index_terms, query_terms, terms, words
from growth import check_growth, repeated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("?!… — 🎉", []),
        ("Hello, World!", ["hello", "world"]),
        ("john's don't James' rock'n'roll", ["john", "dont", "james", "rocknroll"]),
        ("O’Brien’s we'll I'd", ["obrien", "we", "i"]),
        ("café Ångström Łódź Straße", ["cafe", "angstrom", "lodz", "strasse"]),
        ("ΟΔΟΣ οδός Ёлка", ["οδοσ", "οδοσ", "елка"]),
        ("e\u0301tude", ["etude"]),
        ("１２３ ＡＢＣ ﬁne", ["123", "abc", "fine"]),
        ("٣٤ ๑๒ १२", ["34", "12", "12"]),
    ],
)
def test_words_are_lower_case_and_folded(text: str, expected: list[str]) -> None:
    """Case, accents, width and apostrophes do not tell words apart."""
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OPS-10482", ["ops", "10482", "ops-10482"]),
        ("src/ghost/main.py", ["src", "ghost", "main", "py", "src/ghost/main.py"]),
        ("a.b.c", ["a", "b", "c", "a.b.c"]),
        ("user@example.com", ["user", "example", "com", "user@example.com"]),
        ("c++", ["c", "c++"]),
        ("(C#)", ["c", "c#"]),
        ("key:val", ["key", "val", "key:val"]),
        ("v1.2.3.", ["v1", "2", "3", "v1.2.3"]),
        (r"C:\tmp", ["c", "tmp", r"c:\tmp"]),
        ("snake_case", ["snake", "case", "snake_case"]),
        ("std::vec", ["std", "vec", "std::vec"]),
        ("naïve-café", ["naive", "cafe", "naive-cafe"]),
    ],
)
def test_compounds_yield_their_parts_and_themselves(text: str, expected: list[str]) -> None:
    """A chain joined without white space is found by its parts and as a whole."""
    assert words(text) == expected


@pytest.mark.parametrize(
    "text",
    ["end.", "end,", "end:", "end;", "end!", "end?", "end-", "-end", "end...", '"end"', "#end"],
)
def test_punctuation_around_a_word_makes_no_compound(text: str) -> None:
    """Sentence punctuation and loose joiners are not part of a word."""
    assert words(text) == ["end"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", ["get", "user", "name", "getusername"]),
        ("HTMLParser", ["html", "parser", "htmlparser"]),
        ("utf8String", ["utf8", "string", "utf8string"]),
        ("APIs", ["apis"]),
        ("4GB", ["4gb"]),
        ("SHOUTING", ["shouting"]),
    ],
)
def test_camel_case_yields_its_parts_and_itself(text: str, expected: list[str]) -> None:
    """An identifier is found by the words it is made of."""
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京に行く", ["東京", "京に", "に行", "行く"]),
        ("年", ["年"]),
        ("2024年", ["2024", "年"]),
        ("Python3入門、v1.2の", ["python3", "入門", "v1", "2", "v1.2", "の"]),
        ("한국어 검색", ["한국", "국어", "검색"]),
        ("ガギ", ["ガギ"]),
        ("ｶﾞｷﾞ", ["ガギ"]),
        ("か\u3099", ["が"]),
        ("ไทย", ["ไท", "ทย"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
    ],
)
def test_scripts_without_spaces_become_bigrams(text: str, expected: list[str]) -> None:
    """Chinese, Japanese, Korean and Thai are found by two characters; Hindi keeps its words and marks."""
    assert words(text) == expected


@pytest.mark.parametrize(
    "text", ["한국어 검색", "ガギグ", "Ångström", "ñandú", "หน้าต่าง", "हिन्दी", "বাংলো"]
)
def test_composed_and_decomposed_text_have_the_same_words(text: str) -> None:
    """A file name from macOS finds what was typed on Linux."""
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


def test_long_words_are_cut_and_long_compounds_left_out() -> None:
    """No term is longer than eighty characters."""
    assert words("x" * 200) == ["x" * MAX_TERM]
    assert words("a-" * 100 + "b") == ["a"] * 100 + ["b"]


def test_terms_are_stemmed_without_stop_words() -> None:
    """English words are stemmed, compounds and words with digits are not, stop words are gone."""
    assert terms("The services were running on node-12 and v2") == [
        "servic",
        "run",
        "node",
        "12",
        "node-12",
        "v2",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Go language", ["go", "languag"]),
        ("do you know who EV is", ["know", "ev"]),
        ("who is it", []),
    ],
)
def test_queries_of_the_original(text: str, expected: list[str]) -> None:
    """Question words carry nothing; names do."""
    assert query_terms(text) == expected


@pytest.mark.parametrize("text", ["to be or not to be", "who", "Who's that?"])
def test_a_text_of_stop_words_only_keeps_them_as_terms(text: str) -> None:
    """Such a text still has terms, but index and query agree on none."""
    assert terms(text) == words(text) != []
    assert index_terms(text) == query_terms(text) == []


def test_stop_words_are_function_words_as_the_tokenizer_writes_them() -> None:
    """Each is one word of its own, and none is a month, a country or a programming language."""
    assert 100 <= len(STOP_WORDS) <= 200
    assert all(words(word) == [word] for word in STOP_WORDS)
    assert not STOP_WORDS & {"may", "us", "go", "c", "r", "know", "last", "new", "first"}


@given(st.text())
def test_words_are_short_lower_case_and_without_white_space(text: str) -> None:
    """Whatever comes in, words fit the index."""
    for word in words(text):
        assert 0 < len(word) <= MAX_TERM
        assert not re.search(r"\s|[A-Z]", word)
    assert set(index_terms(text)) <= set(terms(text)) or not index_terms(text)


@given(st.text(), st.text())
def test_a_query_for_part_of_a_text_finds_its_terms(left: str, right: str) -> None:
    """Text beside other text has the terms it has alone."""
    assert index_terms(f"{left}\n{right}") == index_terms(left) + index_terms(right)


@given(st.lists(st.text("z0afé-東A", max_size=6), unique=True))
def test_no_two_terms_have_the_same_code(many: list[str]) -> None:
    """Encoding is injective and gives ASCII letters and digits only."""
    codes = [encode(one) for one in many]
    assert len(set(codes)) == len(many)
    assert all(re.fullmatch("[a-z0-9]*", code) for code in codes)


@given(st.text())
def test_a_code_tells_its_term(term: str) -> None:
    """The term can be read back from its code."""

    def read(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] else "z"

    assert re.sub("z(?:z|([0-9a-f]+)z)", read, encode(term)) == term


def test_no_code_looks_like_a_number_with_an_exponent() -> None:
    """PostgreSQL would take a commit id such as 3e10abc for a number and a word."""
    assert encode("3e10abc") == "3z65z10abc"
    assert encode("e3e10") == "e3e10"


def test_plain_words_are_their_own_code() -> None:
    """Codes stay readable: only z and what is not a-z or 0-9 is escaped."""
    assert [encode(one) for one in ("deploy", "10482", "ops-10482", "zoo", "東")] == [
        "deploy",
        "10482",
        "opsz2dz10482",
        "zzoo",
        "z6771z",
    ]


@pytest.mark.perf
@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [("a", "\u0301\u0327", ""), ("か", "\u3099\u093c", ""), ("a", "-", ""), ("", "a-", ""), ("", "@@@@", ""),
     ("", "👨‍👩‍👧🎉", ""), ("", "a'", ""), ("", "aB", ""), ("", "A", "aB"), ("c", "+", "")],
    ids=["latin marks", "other marks", "dashes", "chain", "at signs", "emoji", "apostrophes", "camel", "capitals", "pluses"],
)  # fmt: skip
def test_the_time_grows_with_the_text(before: str, piece: str, after: str) -> None:
    """Four times the text takes about four times as long."""
    check_growth(index_terms, repeated(piece, before, after), 250_000)
