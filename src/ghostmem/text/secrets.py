"""Find secrets by their form and their surroundings, with the table data/secret_shapes.tsv.

A row has the kind for the placeholder, the literals of which a match contains one, a pattern whose
last group, or whole match, is the secret, the name of a further test, the number of characters
around a literal that are searched, and a pattern that the line before the secret contains. `^` at
the start of a pattern means the start of a word.

Most texts contain no such literal, so no pattern is compiled for them. All quantifiers are bounded
or possessive, so that no text can make them slow.

`is_secret` and the other tests decide by its form whether a value is a secret: it may also be a
reference, a placeholder, a type, an expression or a word.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import NamedTuple

from ghostmem.grouping import grouped
from ghostmem.lazy import lazy_property
from ghostmem.text.patterns import compiled

_PLACEHOLDER = re.compile(
    r"x{4}|X{4}|\*{3}|(?<![^\w-])\.{3}(?![^\w\"'])|…|0{12}|EXAMPLE|0123456789abcdef"
    r"|1234567890abcdef|(?i:placeholder|redacted|dummy|fake[-_]|example[-_]|[-_]example"
    r"|your[-_]?(?:own|api|key|token|secret|pass))"
)
_REFERENCES = (
    r"\$\{\{?[\w.]*(?:[:?+-]{1,2}[^}]*)?\}{0,2}",  # ${NAME}
    r"\$\([A-Za-z][\w./-]*\)?",  # $(command)
    r"\$(?:env:)?(?:[A-Z_][A-Z0-9_]*|[a-z_][a-z0-9_]*|[a-z]+(?:[A-Z][a-z]+)+)",  # $NAME
    r"%[A-Za-z_]+%|%[sdr]|%\(\w+\)s",
    r"\{\{[\w.|()\"'-]*\}{0,2}|#?\{[\w.]*\}",  # templates
    # <your-key>, [your key]
    r"<[A-Za-z_|/][\w .:/|-]*>|<[a-z]{2,12}|\[[A-Za-z][\w :.-]*\]|\[[a-z]{2,12}:?",
    r"(?:file|vault|op|arn|env|ssm|sops|secretsmanager|projects|https?|keyring|keychain|kms"
    r"|awssm|gcpsm|akv|bws?|ref)"
    r"(?:\+[a-z]+)?[:/].*",
    r"![A-Za-z_]{2,20}",  # a tag of YAML
    r"@[a-z][a-z_./-]*",  # @file
    r"--?[a-z][a-z-]*",  # the next option
    r"(?i:sha\d{1,3}|md5|blake\w{0,3})[:~-].*",  # a digest
    r"\*+|\.+|_+|\?+|-+|•+|x+|X+|\.{3}.*",
)
# All quantifiers are possessive: a name has one reading.
_WORD_NAME = (
    r"(?:_{0,2}+[A-Za-z][a-z]{2,}+(?:_?[A-Z][a-z]++|_[a-z]++"
    r"|_?[A-Z]{2,5}+(?![a-z])|_?\d{1,3}+(?!\w))*+|[A-Z][A-Z_]{2,}+)"
)
_DOT = r"(?:\.|::|->|\?\.)"
_CHAIN = rf"(?:[a-z]{{1,2}}+{_DOT})?{_WORD_NAME}(?:{_DOT}\$?(?:{_WORD_NAME}|[a-z]{{1,2}}+))*+"
# A call, an index or a constructor, as in os.environ["X"] and getpass(); or one that goes on in
# the next line.
_CALL = rf"[$@&*(]?(?:await |new )?[fr]?{_CHAIN}[!?]?"
_EXPRESSION = (
    rf"{_CALL}(?:\(.*\)|\[.*\])(?:[)\]}};,\s]{{0,10}}|[.?\s].*)"
    rf"|{_CALL}[(\[{{](?:|.*\s.*|.*[,(\[{{])|[a-z]{{1,2}}[(\[]\w{{0,10}}[)\]]\..*"
)
_STRICT = (
    rf"{_CALL}(?:\((?:[\"'].*[\"'].*|[\w., =]*)\)|\[(?:[\"'].*[\"']"
    rf"|\w*)\])(?:[)\]}};,\s]{{0,10}}|[.?\s].*)"
)
_PATH = r"(?:~|\.{1,2}|[A-Za-z]:|@)?[/\\]"
_VARIABLE = r"(?i)pass|secret|token|key|pwd|cred|param|arg|value|input|config|settings|env"
_TECHNICAL = (  # words with digits, versions, ranges, types
    r"(?i)(?:(?:base|sha|md|utf|aes|rsa|rot|argon|bcrypt|pbkdf|scrypt|oauth|1password|ed|x|es|rs"
    r"|hs|hmac|chacha|tls|ssl|ipv|http)"
    r"[-_]?\d{0,5}(?:id|gcm|cbc)?(?:[-_/](?:[a-z]+|[a-z]*\d{1,5}))*"
    r"|(?:u?int|float|bytes|char|varchar|nvarchar|string|decimal|bigint)\d{0,3}"
    r"|v?\d+(?:\.\d+)+(?:[-+.][a-z]*\d*)?|\d+[-+]\d*[a-z]*"
    r"|\d+(?:ms|s|m|h|d|kb|mb|gb|k|px|%)|\d{4}-\d\d-\d\d\S*|\d+/\d+\S{0,4}"
    r"|(?:ctrl|cmd|alt|shift|command|option|meta|super|win)[+-]\S*|(?:\d{1,3}\.){3}\d{1,3}\S{0,6})$"
)
_WORD_PART = (
    r"(?:[A-Za-z]?[a-z]*+|[A-Z]*+)(?:\d{1,4})?[a-z]?|[a-z]{1,4}\d{1,2}[a-z]{1,6}"
    r"|[a-z]+(?:[A-Z][a-z]+)+\d{0,4}"
)
_SERIAL = r"(?=.*\d)[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7}"
_MAX_EXPRESSION = 300  # characters of an expression that are read
LONG_WORD = 15  # characters of the shortest keys and tokens that have a shape of their own
_SHORT = 10_000  # characters; it is faster to search a shorter text as a whole
_REACH = 100  # characters around a literal that are searched unless the row says otherwise
_MAX_LINE = 2000  # characters before a secret that are searched for the pattern before it
# A word may also start after an escape, as in JSON or in a URL.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    path = os.path.join(os.path.dirname(__file__), "data", "secret_words.json")
    with open(path, encoding="utf-8") as file:
        table: dict[str, dict[str, list[str]]] = json.load(file)
    return table


@cache
def secret_words(group: str) -> tuple[str, ...]:
    """Return the words of a group of data/secret_words.json in all languages, longest first."""
    words = {word for words in _table()[group].values() for word in words}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def is_placeholder(value: str) -> bool:
    """Say whether a value is only a placeholder for a secret, such as `ghp_xxxx` or `your-key`.

    Example keys of documentation that have the full shape of a key are not recognised: redacting
    them does no harm.
    """
    return _PLACEHOLDER.search(value) is not None


def has_digit(value: str) -> bool:
    """Say whether a value contains a digit."""
    return any(c.isdigit() for c in value)


def has_letter(value: str) -> bool:
    """Say whether a value contains a letter."""
    return any(c.isalpha() for c in value)


def is_mixed(value: str) -> bool:
    """Say whether a value has capital and small letters and digits."""
    return not (value.isupper() or value.islower()) and has_digit(value) and has_letter(value)


def is_stand_in(value: str) -> bool:
    """Say whether a value is a placeholder or refers to a secret: a variable, a template, a path.

    A path has words between its slashes, unlike a random key.
    """
    if is_placeholder(value) or compiled("|".join(_REFERENCES)).fullmatch(value):
        return True
    plain = value.replace("\\", "/")
    is_deep = not plain.startswith("/") or plain.count("/") > 1 or not has_digit(plain)
    return is_deep and bool(compiled(_PATH).match(value)) and is_wordy(plain.lstrip("~@"))


def is_common(value: str) -> bool:
    """Say whether a value is a word that follows the name of a password and is no password."""
    return value.lower() in secret_words("not_passwords")


def is_expression(line: str, strict: bool) -> bool:
    """Say whether the rest of a line is code that computes a value, such as a call.

    With `strict`, for places where code is unlikely, its arguments must be strings or names on this
    line.
    """
    pattern = compiled(_STRICT if strict else _EXPRESSION)
    return pattern.fullmatch(line.rstrip()[:_MAX_EXPRESSION]) is not None


def is_technical(value: str) -> bool:
    """Say whether a value is an algorithm, a type, a version, a date or an amount."""
    return compiled(_TECHNICAL).match(value) is not None


def is_wordy(value: str) -> bool:
    """Say whether a value consists of words and short numbers, like the name of a thing."""
    is_words = all(compiled(_WORD_PART).fullmatch(part) for part in re.split(r"[-_.:/ ]+", value))
    return is_words and not compiled(_SERIAL).fullmatch(value)


def is_random(value: str) -> bool:
    """Say whether a value is long and mixes letters and digits, unlike a name."""
    if len(value) < 8 or is_wordy(value) or is_technical(value):
        return False
    signs = any(not c.isalnum() and c not in "-_./:" for c in value)
    if has_letter(value) and (has_digit(value) or signs):
        return True
    cases = has_letter(value) and not value.islower() and not value.isupper()
    return len(value) >= 20 and (has_digit(value) or (cases and len(set(value)) > 9))


def is_odd(value: str) -> bool:
    """Say whether a value mixes letters with digits or signs, unlike a word."""
    others = any(not c.isalpha() and c not in "-_./" for c in value)
    return len(value) >= 6 and has_letter(value) and others


def is_odd_password(value: str) -> bool:
    """Say whether a value is odd enough for a password where a word could be as well."""
    return is_odd(value) and not (is_wordy(value) and len(value) < 10) and not is_technical(value)


def is_secret(value: str, is_word: bool, given: bool, code: bool = False) -> bool:
    """Say whether a value is a secret, by its form.

    Args:
        value: the text after the name of a secret.
        is_word: the name is that of a password, whose value people choose; others are random.
        given: the value is quoted, or is where only a value can be.
        code: the value may be an expression of a program.
    """
    if (
        len(value) < 4
        or not (is_word or is_random(value))
        or not (value.isascii() or given)
        or is_common(value.strip("\"'."))
        or value.lower().startswith(secret_words("placeholder_starts"))
        or len(set(value)) < 3
        or is_stand_in(value)
    ):
        return False
    is_name = compiled(rf"{_CHAIN}[;,?!]?").fullmatch(value) is not None
    if not is_word:
        return not (code and is_name and len(value) < 20)
    is_variable = is_name and compiled(_VARIABLE).search(value) is not None
    if given:
        return not is_variable or has_digit(value)
    return not (is_variable or is_technical(value) or (code and is_name and "." in value)) and (
        is_odd(value) or (len(value) >= 6 and value.isdigit())
    )


def is_phrase(value: str) -> bool:
    """Say whether words are a passphrase, not a sentence about one."""
    words = value.split()
    plain = all(word.isalpha() and word.islower() and len(word) > 2 for word in words)
    is_sentence = not set(words).isdisjoint(secret_words("sentence_words"))
    return 4 <= len(words) <= 24 and plain and not is_sentence


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
    import base64
    import binascii

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
    return {
        form: grouped((literal, shape) for shape in shapes for literal in shape.literals.split("|"))
        for form, shapes in grouped((shape.searched, shape) for shape in secret_shapes()).items()
    }


def shaped(source: SearchedText) -> Iterator[tuple[str, int, int, bool]]:
    """Yield the secrets in the table as (kind, start, stop, whether it is no placeholder)."""
    likely: dict[SecretShape, str] = {}
    for searched, by_literal in _by_literal().items():
        words: str = getattr(source, searched)
        for literal in source.literals_in(by_literal, words) if words else ():
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
