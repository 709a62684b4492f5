"""Entities: what a text names, and nothing that only looks like a name."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ghostmem.text.entities import MAX_ENTITIES, entities
from growth import check_growth, repeated

NAMED = [
    # names
    ("We flew to New York on Monday.", "new york"),
    ("Then Alice met Bob.", "alice|bob"),
    ("Ada Lovelace wrote it.", "ada lovelace"),
    ("I asked Ludwig van Beethoven in Vienna.", "ludwig van beethoven|vienna"),
    ("Bob gave Carol’s cat to Dave's dog.", "carol|dave"),
    ("It was O'Brien, not Jean-Luc.", "o'brien|jean-luc"),
    ("Dr. Smith met John F. Kennedy in St. Louis.", "smith|john f kennedy|st louis"),
    ("It runs in the US and the U.K. these days.", "us|u.k"),
    ("NASA moved; GitHub and iPhone did not.", "nasa|github|iphone"),
    ("We use GitHub Actions, C++ and C# on an H200.", "github actions|c++|c#|h200"),
    ("Our provider is AT&T.", "at&t"),
    ("А вчера Иван видел Марию в Москве.", "иван|марию|москве"),
    ("I know Zoë, and Zoe\u0308 knows me.", "zoë"),
    ("Owner: Alice", "alice"),
    ("Wow Alice! Congrats Bob, Dr. Seuss is here.", "alice|bob|seuss"),
    ("some Alice/Bob pair over TCP/IP", "alice|bob|tcp|ip"),
    # the start of a sentence
    ("Alice likes tea.", ""),
    ("Alice likes tea. Nobody gave Alice any.", "alice"),
    ("Atlas is late. We moved Project Atlas.", "atlas|project atlas"),
    ("New York is big. New is not.", "new york"),
    ("Coffee is hot. Tea is not.\nWater too.", ""),
    ("- Coffee\n- Tea", ""),
    ("Use Postgres. Ask Alice. Never call Bob.", "postgres|alice|bob"),
    ("However, Rust won. Yesterday Alice agreed.", "rust|alice"),
    ("PostgreSQL is quick. OpenAI is not.", "postgresql|openai"),
    ("He said, \"Leave it\", and \"Never mind\".", ""),
    # not names
    ("On Tuesday, in March, I'm off; I'd say We'll see. It's OK.", ""),
    ("Is it Friday, or May? Fridays are fine.", ""),
    ("DO NOT DEPLOY ON FRIDAY", ""),
    ("and/or he/she at 3.14 km/h, 1/2 of 10MB, 2026/03/14 or 14.03.2026, 10:30", ""),
    ("some well-known state-of-the-art thing, e.g. this, i.e. that", ""),
    ("plan B and vitamin C", ""),
    ("", ""),
    # identifiers
    ("fixed OPS-10482 and OPS-7's cause", "ops-10482|ops-7"),
    ("set GHOST_DB or call read_file on __init__", "ghost_db|read_file|__init__"),
    ("the camelCase of ClassName", "camelcase|classname"),
    ("foo.bar() calls render()", "foo.bar|render"),
    ("see src/ghostmem/text/fit.py, a/b/c.py and fit.py", "src/ghostmem/text/fit.py|a/b/c.py|fit.py"),
    ("edit ~/.config/ghost, .env, ./run.sh and /etc/hosts/x", "~/.config/ghost|.env|run.sh|/etc/hosts/x"),
    ("from v1.2.3 to 2.0.1, v3 and v4.0.0-rc.1, not 1.5", "v1.2.3|2.0.1|v3|v4.0.0-rc.1"),
    ("uses Node.js, pyproject.toml and std::vector", "node.js|pyproject.toml|std::vector"),
    # addresses
    ("(see https://www.Example.com:8080/a/B?c=D#e)", "example.com"),
    ("at http://bob:secret@host.example, or github.com/a/b.", "host.example|github.com"),
    ("mail Ada.L@example.org.", "ada.l@example.org"),
    ("ping @ada-l about #deploy, #ff00aa and (@Bob)", "@ada-l|#deploy|@bob"),
    # quotations
    ('its name is "Project Atlas", not "atlas"', "project atlas"),
    ('the "Atlas," the ‘Blue Moon’ and the «Nautilus»', "atlas|blue moon|nautilus"),
    ('read "Lord of the Rings" and "Charlotte\'s Web", or Charlotte\'s Web', "lord of the rings|charlotte web"),
    ("the 'x' Bob saw, and \"The Matrix\" Carol saw", "bob|matrix|carol"),
    # scripts without spaces
    ("東京でドラゴンボールとGitHubを見た。", "ドラゴンボール|github"),
    ("ジョン・スミスはｱﾆﾒとハナが好き", "ジョン・スミス|アニメ"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_what_a_text_names(text: str, expected: str) -> None:
    """Each text has these entities and no other."""
    assert entities(text) == frozenset(filter(None, expected.split("|")))


def test_texts_about_the_same_thing_share_it() -> None:
    """The same name links two texts, however each puts it."""
    first = entities("We moved billing to New York, see OPS-12.")
    second = entities("Who closed OPS-12? It was New York's team.")
    assert first == second == {"new york", "ops-12"}


def test_only_the_first_entities_are_kept() -> None:
    """A list of a thousand names gives the first sixty-four."""
    assert entities(" ".join(f"@user{number}" for number in range(1000))) == {
        f"@user{number}" for number in range(MAX_ENTITIES)
    }
    names = " and ".join(f"Name{'x' * number}" for number in range(70))
    assert entities(f"by {names}") == {f"name{'x' * number}" for number in range(MAX_ENTITIES)}


FRAGMENTS = [
    "Alice", "Bob's", " ", ". ", "\n", "the ", "New York", "OPS-1", "a/b.py", "@x", "#y", '"', "'", "ドラゴン", "NOT ", "v1.2", "::", "()",
    "http://", "a@b.c", "I'm ", "\u0301", "İ", "ǅ", "van ", "_", "-", "/", "’s", "İstanbul",
]  # fmt: skip


@given(
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=12)), max_size=60).map("".join)
)
@example("x İstanbul ǅungla")
@example('"A\x85»')
@example("“\t\t”")
def test_entities_are_few_short_and_in_lower_case(text: str) -> None:
    """Whatever the text, what comes out is bounded, folded and the same each time."""
    found = entities(text)
    assert found == entities(text)
    assert len(found) <= MAX_ENTITIES
    assert all(
        1 < len(name) <= 83 and name == name.strip() and not any(map(str.isupper, name))
        for name in found
    )


@pytest.mark.perf
@pytest.mark.parametrize(
    "piece",
    [
        "a ", "A ", "Aa ", "Aa Bb. ", "a.", "A.B.", "a-", "@", "#a", "/", "/a", "~/", "::", "'", "’s", '"', '"A', "ア", "・", "e\u0301",
        "\u0301", "A", "aB", "a_b ", "_", "x://", "a@b.", "a@", "....", " ", "van ", "Aa van ", "v1.", "1.", "\n", "\ud55c", "東A",
    ],
)  # fmt: skip
def test_the_time_grows_with_the_text(piece: str) -> None:
    """Four times the text takes about four times as long."""
    check_growth(entities, repeated(piece), 1_000_000)
