"""Decide whether a value next to the name of a secret is the secret.

It may also be a reference, a placeholder, a type, an expression or a word.
"""

import re

from ghostmem.text.patterns import compiled
from ghostmem.text.secrets import is_placeholder

# Words that follow the name of a password and are not a password.
NOT_PASSWORDS = frozenset(
    """
    string str text bytes required optional none null nil undefined true false yes no on off
    password passwd pass pwd pw secret token hidden empty unset missing invalid valid expired wrong
    default changeme change-me change_me example sample dummy test foo bar baz xxx redacted masked
    omitted encrypted plain plaintext number integer boolean object array any unknown never input
    field label value bearer basic jwt oauth oauth2 api key user admin root username reset forgot
    forgotten confirm new old current replace-me replace_me replaceme x-oauth-basic x-token-auth
    """.split()
)
_PLACEHOLDER_STARTS = tuple(
    "your my- my_ some insert replace change enter example todo placeholder".split()
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
# A call, an index or a constructor, as in os.environ["X"] and getpass().
_START = rf"[$@&*(]?(?:await |new )?[fr]?{_CHAIN}[!?]?"
_EXPRESSION = rf"{_START}(?:\(.*\)|\[.*\])(?:[)\]}};,\s]{{0,10}}|[.?\s].*)"
_STRICT = (
    rf"{_START}(?:\((?:[\"'].*[\"'].*|[\w., =]*)\)|\[(?:[\"'].*[\"']"
    rf"|\w*)\])(?:[)\]}};,\s]{{0,10}}|[.?\s].*)"
)
_UNCLOSED = rf"{_START}[(\[{{](?:|.*\s.*|.*[,(\[{{])|[a-z]{{1,2}}[(\[]\w{{0,10}}[)\]]\..*"
_NAME = rf"{_CHAIN}[;,?!]?"
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
_PART = re.compile(r"[-_.:/ ]+")
_WORD_PART = (
    r"(?:[A-Za-z]?[a-z]*+|[A-Z]*+)(?:\d{1,4})?[a-z]?|[a-z]{1,4}\d{1,2}[a-z]{1,6}"
    r"|[a-z]+(?:[A-Z][a-z]+)+\d{0,4}"
)
_SENTENCE_WORDS = frozenset(
    "the your must enter for and not with least password please should same are has".split()
)
_MAIL_ADDRESS = r"(?i)[a-z0-9][\w.+-]{1,63}@(?:[a-z0-9-]{2,63}\.){1,5}[a-z]{2,24}"
_SERIAL = r"[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7}"


def is_reference(value: str) -> bool:
    """Say whether a value refers to a secret: a variable, a template, a path, asterisks."""
    return compiled("|".join(_REFERENCES)).fullmatch(value) is not None or _is_path(value)


def _is_path(value: str) -> bool:
    """Say whether a value is a path with words between its slashes, unlike a random key."""
    plain = value.replace("\\", "/")
    is_deep = (
        not plain.startswith("/") or plain.count("/") > 1 or not any(c.isdigit() for c in plain)
    )
    return compiled(_PATH).match(value) is not None and is_deep and is_wordy(plain.lstrip("~@"))


def is_expression(line: str, strict: bool) -> bool:
    """Say whether the rest of a line is code that computes a value, such as a call.

    With `strict`, for places where code is unlikely, its arguments must be strings or names on this
    line.
    """
    line = line.rstrip()[:300]
    if strict:
        return compiled(_STRICT).fullmatch(line) is not None
    return (
        compiled(_EXPRESSION).fullmatch(line) is not None
        or compiled(_UNCLOSED).fullmatch(line) is not None
    )


def is_technical(value: str) -> bool:
    """Say whether a value is an algorithm, a type, a version, a date or an amount."""
    return compiled(_TECHNICAL).match(value) is not None


def is_mail_address(value: str) -> bool:
    """Say whether a value has the form of an e-mail address."""
    return compiled(_MAIL_ADDRESS).fullmatch(value) is not None


def is_wordy(value: str) -> bool:
    """Say whether a value consists of words and short numbers, like the name of a thing."""
    if compiled(_SERIAL).fullmatch(value) and any(c.isdigit() for c in value):
        return False
    return all(compiled(_WORD_PART).fullmatch(part) for part in _PART.split(value))


def is_random(value: str) -> bool:
    """Say whether a value is long and mixes letters and digits, unlike a name."""
    if len(value) < 8 or is_wordy(value) or is_technical(value):
        return False
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    mixed = letters and not value.islower() and not value.isupper() and len(set(value)) > 9
    signs = any(not c.isalnum() and c not in "-_./:" for c in value)
    return (letters and (digits or signs)) or (len(value) >= 20 and (mixed or digits))


def is_odd(value: str) -> bool:
    """Say whether a value mixes letters with digits or signs, unlike a word."""
    if len(value) < 6 or not any(c.isalnum() for c in value):
        return False
    letters = any(c.isalpha() for c in value)
    return letters and any(not c.isalpha() and c not in "-_./" for c in value)


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
    lower = value.lower()
    if (
        lower.strip("\"'.") in NOT_PASSWORDS
        or lower.startswith(_PLACEHOLDER_STARTS)
        or len(set(value)) < 3
    ):
        return False
    if is_reference(value) or is_placeholder(value):
        return False
    is_name = compiled(_NAME).fullmatch(value) is not None
    if not is_word:
        return not (code and is_name and len(value) < 20)
    is_variable = is_name and compiled(_VARIABLE).search(value) is not None
    if given:
        return not is_variable or any(c.isdigit() for c in value)
    if is_variable or is_technical(value) or (code and is_name and "." in value):
        return False
    return is_odd(value) or (len(value) >= 6 and value.isdigit())


def is_phrase(value: str) -> bool:
    """Say whether words are a passphrase, not a sentence about one."""
    words = value.split()
    plain = all(word.isalpha() and word.islower() and len(word) > 2 for word in words)
    return 4 <= len(words) <= 24 and plain and not _SENTENCE_WORDS & set(words)
