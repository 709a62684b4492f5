"""Decide whether a value is a secret, by its form.

It may also be a reference, a placeholder, a type, an expression or a word.
"""

import json
import os
import re
from functools import cache

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
_START = rf"[$@&*(]?(?:await |new )?[fr]?{_CHAIN}[!?]?"
_EXPRESSION = (
    rf"{_START}(?:\(.*\)|\[.*\])(?:[)\]}};,\s]{{0,10}}|[.?\s].*)"
    rf"|{_START}[(\[{{](?:|.*\s.*|.*[,(\[{{])|[a-z]{{1,2}}[(\[]\w{{0,10}}[)\]]\..*"
)
_STRICT = (
    rf"{_START}(?:\((?:[\"'].*[\"'].*|[\w., =]*)\)|\[(?:[\"'].*[\"']"
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
_MAX_LINE = 300  # characters of an expression that are read


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
    return pattern.fullmatch(line.rstrip()[:_MAX_LINE]) is not None


def is_technical(value: str) -> bool:
    """Say whether a value is an algorithm, a type, a version, a date or an amount."""
    return compiled(_TECHNICAL).match(value) is not None


def is_wordy(value: str) -> bool:
    """Say whether a value consists of words and short numbers, like the name of a thing."""
    parts = re.split(r"[-_.:/ ]+", value)
    is_words = all(compiled(_WORD_PART).fullmatch(part) for part in parts)
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
    is_word = is_wordy(value) and len(value) < 10
    return is_odd(value) and not is_word and not is_technical(value)


def is_secret(value: str, is_word: bool, given: bool, code: bool = False) -> bool:
    """Say whether a value is a secret, by its form.

    Args:
        value: the text after the name of a secret.
        is_word: the name is that of a password, whose value people choose; others are random.
        given: the value is quoted, or is where only a value can be.
        code: the value may be an expression of a program.
    """
    if len(value) < 4 or not (is_word or is_random(value)) or not (value.isascii() or given):
        return False
    if (
        is_common(value.strip("\"'."))
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
    if is_variable or is_technical(value) or (code and is_name and "." in value):
        return False
    return is_odd(value) or (len(value) >= 6 and value.isdigit())


def is_phrase(value: str) -> bool:
    """Say whether words are a passphrase, not a sentence about one."""
    words = value.split()
    plain = all(word.isalpha() and word.islower() and len(word) > 2 for word in words)
    is_sentence = not set(words).isdisjoint(secret_words("sentence_words"))
    return 4 <= len(words) <= 24 and plain and not is_sentence
