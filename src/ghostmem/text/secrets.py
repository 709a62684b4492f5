"""Find secrets by their start, alphabet and length alone, with the table secret_shapes.tsv.

A row has the kind for the placeholder, the literals of which a match contains one, and a pattern
whose last group, or whole match, is the secret. Most texts contain no such literal, so no pattern
is compiled for them. All quantifiers are bounded or possessive and all patterns start at the start
of a word, so that no text can make them slow.
"""

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from ghostmem.text.near import SearchedText
from ghostmem.text.patterns import compiled


class SecretShape(NamedTuple):
    """One kind of secret, with its pattern and a further test of the match.

    A match begins at most 64 characters before a literal and ends at most four words after it,
    unless `far` is set.
    """

    kind: str
    literals: str
    pattern: str
    test: Callable[[str], bool] | None = None
    far: bool = False

    @property
    def is_word(self) -> bool:
        """Whether a match has no white space; it then has at least LONG_WORD characters."""
        return " " not in self.pattern and r"\s" not in self.pattern


def _decoded(text: str) -> str:
    """Return the text in base64, or an empty text if it is not base64."""
    import base64
    import binascii

    try:
        return base64.b64decode(
            text.translate({45: "+", 95: "/"}) + "=" * (-len(text) % 4), validate=True
        ).decode()
    except (binascii.Error, ValueError):
        return ""


def _is_bot(token: str) -> bool:
    """Say whether a Discord token starts with the number of its bot."""
    return _decoded(token.partition(".")[0]).isdigit()


def is_mixed(text: str) -> bool:
    """Say whether a text has capital and small letters and digits."""
    return (
        not (text.isupper() or text.islower())
        and any(c.isdigit() for c in text)
        and any(c.isalpha() for c in text)
    )


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _is_pair(credentials: str) -> bool:
    """Say whether basic credentials are a name and a password."""
    name, colon, word = _decoded(credentials).partition(":")
    return bool(colon and word and name.isprintable())


def _is_private_pem(encoded: str) -> bool:
    """Say whether base64 is a private key, not a certificate or a public key."""
    return "PRIVATE KEY" in _decoded("".join(encoded[:160].split())[:80])


def _is_secret_tail(token: str) -> bool:
    """Say whether the part of a token after its prefixes is random."""
    tail = re.split("[_-]", token)[-1]
    return _has_digit(tail) and any(c.isalpha() for c in tail) and len(set(tail)) > 7


# A word may also start after an escape, as in JSON or in a URL.
START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
# Further tests of a match; the table names them.
_TESTS: dict[str, Callable[[str], bool]] = {
    "bot": _is_bot,
    "digit": _has_digit,
    "hugging_face": lambda text: is_mixed(text[3:]) or text[3:].isalpha(),
    "mixed": is_mixed,
    "pair": _is_pair,
    "pem": _is_private_pem,
    "tail": _is_secret_tail,
}


@cache
def secret_shapes() -> tuple[SecretShape, ...]:
    """Return the rows of data/secret_shapes.tsv."""
    path = os.path.join(os.path.dirname(__file__), "data", "secret_shapes.tsv")
    with open(path, encoding="utf-8") as file:
        rows = file.read().splitlines()[1:]
    shapes = []
    for row in rows:
        kind, literals, pattern, test, far = (*row.split("\t"), "", "")[:5]
        shapes.append(SecretShape(kind, literals, pattern, _TESTS.get(test), bool(far)))
    return tuple(shapes)


_PLACEHOLDER = re.compile(
    r"x{4}|X{4}|\*{3}|(?<![^\w-])\.{3}(?![^\w\"'])|…|0{12}|EXAMPLE|0123456789abcdef"
    r"|1234567890abcdef|(?i:placeholder|redacted|dummy|fake[-_]|example[-_]|[-_]example"
    r"|your[-_]?(?:own|api|key|token|secret|pass))"
)


def is_placeholder(value: str) -> bool:
    """Say whether a value is only a placeholder for a secret, such as `ghp_xxxx` or `your-key`.

    Example keys of documentation that have the full shape of a key are not recognised: redacting
    them does no harm.
    """
    return _PLACEHOLDER.search(value) is not None


@cache
def _by_literal(is_word: bool) -> dict[str, list[SecretShape]]:
    """Return the shapes that are words, or those that are not, by literal."""
    shapes: dict[str, list[SecretShape]] = {}
    for shape in secret_shapes():
        if shape.is_word == is_word:
            for literal in shape.literals.split(" "):
                shapes.setdefault(literal, []).append(shape)
    return shapes


def _likely(source: SearchedText) -> Iterator[SecretShape]:
    """Yield each shape with a literal that the text contains, once."""
    words, long_words = _by_literal(True), source.long_words
    likely = [
        shape
        for literal in (words if long_words else ())
        if literal in long_words
        for shape in words[literal]
    ]
    phrases = _by_literal(False)
    likely += [shape for literal in source.literals_in(phrases) for shape in phrases[literal]]
    yield from dict.fromkeys(likely)


def _matches(shape: SecretShape, source: SearchedText) -> Iterator[re.Match[str]]:
    """Yield the matches of a shape, searched around its literals only."""
    pattern = compiled(START + shape.pattern)
    if shape.is_word and pattern.search(source.long_words) is None:
        return
    parts = [(0, len(source.text))] if shape.far else source.around(shape.literals.split(" "))
    for start, stop in parts:
        yield from pattern.finditer(source.text, start, stop)


def shaped(source: SearchedText) -> Iterator[tuple[str, int, int, bool]]:
    """Yield the secrets with a known shape; one that looks like a placeholder is not sure."""
    for shape in _likely(source):
        for match in _matches(shape, source):
            value = match[match.re.groups]
            if shape.test is None or shape.test(value):
                yield shape.kind, *match.span(match.re.groups), not is_placeholder(value)
