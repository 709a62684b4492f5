"""Find secrets by their form and their surroundings, with the table data/secret_shapes.tsv.

A row has the kind for the placeholder, the literals of which a match contains one, a pattern whose
last group, or whole match, is the secret, the name of a further test, the number of characters
around a literal that are searched, and a pattern that the line before the secret contains. `^` at
the start of a pattern means the start of a word.

Most texts contain no such literal, so no pattern is compiled for them. All quantifiers are bounded
or possessive, so that no text can make them slow.
"""

import base64
import binascii
import os
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import NamedTuple

from ghostmem.lazy import lazy_property
from ghostmem.text.patterns import compiled
from ghostmem.text.secret_values import (
    has_digit,
    has_letter,
    is_common,
    is_mixed,
    is_odd_password,
    is_placeholder,
    is_random,
    is_stand_in,
)

LONG_WORD = 15  # characters of the shortest keys and tokens that have a shape of their own
_SHORT = 10_000  # characters; it is faster to search a shorter text as a whole
_REACH = 100  # characters around a literal that are searched unless the row says otherwise
_MAX_LINE = 2000  # characters before a secret that are searched for the pattern before it
# A word may also start after an escape, as in JSON or in a URL.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"


class SearchedText:
    """A text with its lower-case form and its distinct words.

    Whether a long text contains a literal is looked up among its distinct words, which are few.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @lazy_property
    def lower(self) -> str:
        """The text in lower case, with every character at the same position."""
        lower = self.text.lower()
        if len(lower) != len(self.text):  # a few letters become two in lower case
            lower = "".join(low if len(low := char.lower()) == 1 else char for char in self.text)
        return lower

    @lazy_property
    def words(self) -> str:
        """The distinct words of a long text, or a short text itself."""
        return self.text if len(self.text) <= _SHORT else " ".join(set(self.text.split()))

    @lazy_property
    def long_words(self) -> str:
        """The words that are long enough for a key or a token, joined by spaces."""
        return " ".join(word for word in self.words.split() if len(word) >= LONG_WORD)

    @lazy_property
    def lower_words(self) -> str:
        """The distinct words in lower case, or a short text itself."""
        return self.words.lower()

    def literals_in(self, literals: Collection[str], words: str) -> list[str]:
        """Return the literals that may occur, given the words of the text in one of its forms."""
        if len(self.text) <= _SHORT:  # most texts are; splitting each literal takes half of a put
            return [literal for literal in literals if literal in words]
        return [literal for literal in literals if all(part in words for part in literal.split())]

    def around(self, literals: str, reach: int, lower: bool) -> Iterator[tuple[int, int]]:
        """Yield the separate parts of the text around literals, in order, as (start, stop).

        A part ends at the end of a word. A short text is one part.
        """
        if not reach or len(self.text) <= _SHORT:
            yield 0, len(self.text)
            return
        text = self.lower if lower else self.text
        start = stop = 0
        for literal in compiled(re.escape(literals).replace(r"\|", "|")).finditer(text):
            at = literal.start()
            if at - reach > stop:
                if stop:
                    yield start, stop
                start = at - reach
            if at + reach > stop:
                end = compiled(r"\S*+").match(text, min(at + reach, len(text)))
                stop = end.end() if end else stop
        if stop:
            yield start, stop


def _decoded(text: str) -> str:
    """Return the text in base64, or an empty text if it is not base64."""
    try:
        return base64.b64decode(
            text.translate({45: "+", 95: "/"}) + "=" * (-len(text) % 4), validate=True
        ).decode()
    except (binascii.Error, ValueError):
        return ""


def _is_secret_tail(token: str) -> bool:
    """Say whether the part of a token after its prefixes is random."""
    tail = re.split("[_-]", token)[-1]
    return has_digit(tail) and has_letter(tail) and len(set(tail)) > 7


# Further tests of a secret; the table names them.
_TESTS: dict[str, Callable[[str], bool]] = {
    "bot": lambda token: _decoded(token.partition(".")[0]).isdigit(),
    "code": lambda codes: len(codes) >= 6,
    "digit": has_digit,
    "hugging_face": lambda token: is_mixed(token[3:]) or token[3:].isalpha(),
    "key_block": lambda block: compiled("[A-Za-z0-9+/]{20}").search(block) is not None,
    "mixed": is_mixed,
    # basic credentials: a name and a password
    "pair": lambda encoded: (
        (pair := _decoded(encoded).partition(":"))[2] != "" and pair[0].isprintable()
    ),
    "pair_password": lambda word: is_odd_password(word) and not is_stand_in(word),
    # a word where only a password can be
    "password": lambda word: (
        len(word) > 1 and not is_common(word.strip("<>[]{}*$%")) and not is_stand_in(word)
    ),
    "pem": lambda encoded: "PRIVATE KEY" in _decoded("".join(encoded[:160].split())[:80]),
    "random": lambda value: is_random(value) and not is_stand_in(value),
    "tail": _is_secret_tail,
}
_CERTAIN_TESTS = ("code", "key_block")  # long secrets may contain a placeholder by chance


class SecretShape(NamedTuple):
    """One row of the table."""

    kind: str
    literals: str
    pattern: str
    test: str = ""
    reach: str = ""
    before: str = ""

    @property
    def searched(self) -> str:
        """The form of the text that is searched for the literals: a property of SearchedText.

        A pattern of a word without white space matches long words only.
        """
        if self.pattern.startswith("(?i)"):
            return "lower_words"
        is_word = self.pattern.startswith("^") and not re.search(r" |\\s", self.pattern)
        return "long_words" if is_word else "words"


@cache
def secret_shapes() -> tuple[SecretShape, ...]:
    """Return the rows of data/secret_shapes.tsv."""
    path = os.path.join(os.path.dirname(__file__), "data", "secret_shapes.tsv")
    with open(path, encoding="utf-8") as file:
        return tuple(SecretShape(*row.split("\t")) for row in file.read().splitlines()[1:])


@cache
def _by_literal() -> dict[str, dict[str, list[SecretShape]]]:
    """Return the shapes by the form of the text that is searched and by literal."""
    table: dict[str, dict[str, list[SecretShape]]] = {}
    for shape in secret_shapes():
        for literal in shape.literals.split("|"):
            table.setdefault(shape.searched, {}).setdefault(literal, []).append(shape)
    return table


def shaped(source: SearchedText) -> Iterator[tuple[str, int, int, bool]]:
    """Yield the secrets in the table as (kind, start, stop, whether it is no placeholder)."""
    likely: dict[SecretShape, str] = {}
    for searched, by_literal in _by_literal().items():
        words: str = getattr(source, searched)
        for literal in source.literals_in(by_literal, words):
            likely.update(dict.fromkeys(by_literal[literal], words))
    for shape, words in likely.items():
        for match in _matches(shape, source, words):
            start, stop = match.span(match.re.groups)
            value = source.text[start:stop].rstrip()
            line = source.text[max(0, start - _MAX_LINE) : start].rpartition("\n")[2]
            is_secret = not shape.test or _TESTS[shape.test](value)
            if is_secret and compiled(shape.before).search(line):
                is_sure = shape.test in _CERTAIN_TESTS or not is_placeholder(value)
                yield shape.kind, start, start + len(value), is_sure


def _matches(shape: SecretShape, source: SearchedText, words: str) -> Iterator[re.Match[str]]:
    pattern = compiled(re.sub(r"^\^", lambda _: _START, shape.pattern))
    if words is source.long_words and pattern.search(words) is None:
        return
    reach = 0 if shape.reach == "text" else int(shape.reach or _REACH)
    for span in source.around(shape.literals, reach, shape.searched == "lower_words"):
        yield from pattern.finditer(source.text, *span)
