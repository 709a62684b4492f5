"""Secrets are found by their shape, and nothing that only looks like one is touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.text.redact import MARK, find_secrets, redact
from ghostmem.text.secrets import LONG_WORD, secret_shapes
from growth import check_growth, repeated
from secret_shapes import LOOK_ALIKES, Example, examples

EXAMPLES = examples()
PLACES = (
    "{}",
    "note: {} and more",
    "`{}`",
    "中文{}。",
    "# Title\n\n- {}\n- more",
    "({})",
    "a\n\n{}\n\nb",
)


@pytest.mark.wide(keep=150)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.kind.replace(" ", "-"))
@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_replaced_wherever_it_stands(example: Example, place: str) -> None:
    """Its kind is named, none of its bytes is left, what stands around it stays, and doing it again changes nothing."""
    text = place.replace("{}", example.text)
    clean, found = redact(text)
    assert example.kind in [one.kind for one in found if one.sure]
    assert f"{MARK}{example.kind}]" in clean
    assert [part for part in example.secrets if part in clean] == []
    before, _, after = place.partition("{}")
    assert clean.startswith(before)
    assert clean.endswith(after)
    assert redact(clean)[0] == clean


@pytest.mark.parametrize("seed", range(5))
def test_no_secret_gets_away_by_chance(seed: int) -> None:
    """Other random characters make no difference."""
    for example in examples(seed):
        clean, _ = redact(example.text)
        assert [part for part in example.secrets if part in clean] == [], example


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_is_not_touched(text: str) -> None:
    """Hashes, ids, addresses, public keys, pictures, placeholders and talk about passwords stay as they are."""
    assert redact(text)[0] == text


def test_all_look_alikes_together_are_not_touched() -> None:
    """Nor does one make another suspect."""
    for joint in ("\n", "\n\n", " "):
        text = joint.join(LOOK_ALIKES)
        assert redact(text, keep_lines=True)[0].count(MARK) == 0


def test_kept_lines_are_counted() -> None:
    """With keep_lines a text has as many lines as before; without, a block becomes one."""
    key = next(one for one in EXAMPLES if one.kind == "private key")
    text = f"before\n{key.text}\nafter"
    assert redact(text)[0] == f"before\n{MARK}private key]\nafter"
    kept = redact(text, keep_lines=True)[0]
    assert kept.count("\n") == text.count("\n")
    assert kept.splitlines()[-1] == "after"
    assert redact(kept, keep_lines=True)[0] == kept


def test_names_and_surroundings_stay() -> None:
    """Only the value is replaced."""
    word = "hunter2" + "hunter"
    assert (
        redact(f"DB_PASSWORD={word}\nPORT=5432")[0] == "DB_PASSWORD=[redacted: password]\nPORT=5432"
    )
    assert (
        redact(f"postgres://app:{word}@db/shop")[0] == "postgres://app:[redacted: password]@db/shop"
    )
    assert (
        redact(f'{{"password": "{word}", "port": 1}}')[0]
        == '{"password": "[redacted: password]", "port": 1}'
    )


def test_high_entropy_alone_only_warns() -> None:
    """What looks random and is nothing known is named and stays."""
    text = "x " + "kJ8s9Dq2LmZx7Vb4Nc6Tr1Yp5Wg3Hf0Q" + "aE" + " y"
    clean, found = redact(text)
    assert clean == text
    assert [(one.kind, one.sure) for one in found] == [("high entropy", False)]
    assert text[found[0].start : found[0].stop] == text[2:-2]


def test_two_of_a_kind_and_neighbours() -> None:
    """Several secrets of one text are all replaced, in order."""
    pair = [one for one in EXAMPLES if one.kind in ("github token", "stripe key")]
    text = " ".join(one.text for one in pair)
    clean, found = redact(text)
    assert len([one for one in found if one.sure]) == len(pair)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert clean == " ".join(f"{MARK}{one.kind}]" for one in pair)


def test_an_escaped_line_break_before_a_token() -> None:
    """A token behind a line break in JSON, or behind an escape of a URL, is one."""
    token = next(one.text for one in EXAMPLES if one.kind == "github token")
    for before in ("a\\n", "q=%20", "key_", "-"):
        assert token not in redact(before + token)[0]


_pieces = st.sampled_from(
    [one.text for one in EXAMPLES]
    + LOOK_ALIKES
    + ['"', "'", "=", ": ", "\n", " ", "password=", "[redacted: password]"]
)


@given(st.lists(_pieces, max_size=6).map("".join), st.booleans())
def test_redacting_twice_is_redacting_once(text: str, keep_lines: bool) -> None:
    """Whatever stands beside whatever."""
    clean, _ = redact(text, keep_lines)
    assert redact(clean, keep_lines)[0] == clean
    if keep_lines:
        assert clean.count("\n") == text.count("\n")


@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    """Nothing fails, and spans lie in the text, in order and apart."""
    found = find_secrets(text)
    ends = [place for one in found for place in (one.start, one.stop)]
    assert ends == sorted(ends)
    assert all(one.stop <= len(text) for one in found)


HOSTILE = [
    *(
        "password=",
        "password='",
        'token="',
        "token=",
        "密码：",
        "-eyJ",
        "eyJabcdefghijkl.",
        "a://a:",
        "://a:a@",
        "\\n",
        "\n",
        " ",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n",
        "M-",
        "M" * 24 + ".",
        "curl -u ",
        "mysql ",
        "login a ",
    ),
    *("password for the ", "passphrase: abc ", "creds: a ", "recovery code ab1-", "abandon "),
    *("Cookie: sid=a", "sid=", "x as the password ", "password: a(b", "password=a.b_c"),
    *("password=/a", "x://a:@a@", "login('a', ", "Authorization: a ", "_session=aaaaaaaaaaaaaaa1"),
    *("<password>", "Bearer a.", "--password ", "[redacted: password]", "A1b2", "=", "/"),
    *sorted({literal for shape in secret_shapes() for literal in shape.literals.split("|")}),
]


@pytest.mark.perf
def test_no_text_makes_it_slow() -> None:
    """Four times the text takes about four times as long, whatever is repeated."""
    for piece in HOSTILE:
        check_growth(find_secrets, repeated(piece), 50_000)


def test_a_megabyte_is_read_to_its_end() -> None:
    """A secret at the end of a long text is found."""
    token = next(one.text for one in EXAMPLES if one.kind == "github token")
    text = "word " * 200_000 + token
    assert redact(text)[0].endswith(" [redacted: github token]")


def test_shapes_that_are_words_are_long_words():
    """Short words are not searched for them."""
    from re import _parser  # type: ignore[attr-defined]

    widths = {
        shape.kind: _parser.parse(shape.pattern.removeprefix("^")).getwidth()[0]
        for shape in secret_shapes()
        if shape.searched == "long_words"
    }
    assert min(widths.values()) >= LONG_WORD
