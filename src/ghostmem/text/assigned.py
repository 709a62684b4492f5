"""Secrets that their names betray: what is assigned to a password, a token or a key, in code, files, prose or a command."""

import re
from collections.abc import Iterator

from ghostmem.text.placed import SCHEMA, Found, compiled, is_reference
from ghostmem.text.secrets import is_placeholder

_LITERALS = (
    *("pass", "pwd", "secret", "token", "key", "credential", "kennwort", "contrase", "senha", "парол"),
    *("密码", "密碼", "口令", "密钥", "金鑰", "令牌", "パスワード", "비밀번호"),
)
_WORDS = (
    "password|passwd|passphrase|passcode|passwort|kennwort|contraseña|contrasena|senha|mot de passe|пароль|pwd"
    r"|(?<=[_.&?-])pass|密码|密碼|口令|パスワード|비밀번호"
)
_KEYS = (
    r"client[_-]?secret|secret[_-]?access[_-]?key|secret[_-]?key(?:[_-]?base)?|api[_ -]?key|api[_-]?secret|api[_-]?token"
    r"|(?:access|auth|encryption|signing|master|account|private|app|license|service)[_-]?key|credentials?|secret|token"
    "|密钥|金鑰|令牌"
)
_NAMES = rf"(?:({_WORDS})|({_KEYS}))(?![a-z0-9_])"
# Between a name and its value: quotes, a bracket, emphasis; then a sign, a word such as "is", the end of a tag, or just a space.
_SIGN = r"(?::=|=>|={1,3}|[:：＝]|:\*{2})(?!=)"
_SPOKEN = r" (?:is|was|ist|es|est)(?: now)?(?= )|(?:是|为|為|は)"
_FOLLOW = (
    r"(?:\\?[\"'`]\]?|\*{1,2}|_{1,2})?(?:\([^()\n]{0,20}\))?[ \t]{0,8}"
    rf"(?:({_SIGN})|({_SPOKEN})|(>)|( ))[ \t]{{0,8}}\*{{0,2}}[ \t]?"
)
_OTHERS = ("next", "page", "continuation", "cursor", "sync", "csrf", "pad", "eos", "bos", "unk", "mask", "stop", "cancellation")
_CLOSING = {'\\"': '\\"', "\\'": "\\'", '"': '"', "'": "'", "`": "`", "“": "”", "「": "」"}
_VALUE = r"[^\s\"'`,;&<>(){}\[\]|，。；、）」』”]{1,128}+"
_LONG = 128  # characters of a value that are judged
_TECHNICAL = (  # words with digits, versions, ranges
    r"(?i)(?:(?:base|sha|md|utf|aes|rsa|rot|argon|bcrypt|pbkdf|scrypt|oauth|1password)[-_]?\d{0,4}(?:[-_/](?:[a-z]+|\d{1,4}))*"
    r"|v?\d+(?:\.\d+)+(?:[-+.][a-z]*\d*)?|\d+[-+]\d*[a-z]*)$"
)
_NAME = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*$"
_WORDY = r"[A-Za-z]+(?:[-_.:/ ]+(?:[A-Za-z]+|v?\d{1,4}))*+$"
_TELLING = r"(?i)pass|secret|token|key|pwd|cred|param|arg|value|input|config|settings|env"
_SHOWN = ("your", "my-", "my_", "some", "insert", "replace", "change", "enter", "example")
_TALK = frozenset("the your must enter for and not with least password please should same are has".split())


def assigned(text: str) -> Iterator[Found]:
    """Find what is assigned to a name of a password, a token or a key, and looks like one."""
    lower = text.lower()
    if not any(literal in lower for literal in _LITERALS):
        return
    done = 0
    for name in compiled(_NAMES, re.IGNORECASE).finditer(text):
        follow = compiled(_FOLLOW).match(text, name.end()) if name.start() >= done else None
        if follow is None or _is_other(text, name):
            continue
        is_word = name[1] is not None
        found = _in_tag(text, follow, is_word) if follow[3] else _value(text, name, follow, is_word)
        if found is not None:
            done = found[1]
            yield ("password" if is_word else "secret", *found)


def is_random(value: str) -> bool:
    """Say whether a value is no name that people give to things: long, with letters and digits mixed."""
    if len(value) < 8 or compiled(_WORDY).match(value) or compiled(_TECHNICAL).match(value):
        return False
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    mixed = letters and not value.islower() and not value.isupper() and len(set(value)) > 9
    return (letters and digits) or (len(value) >= 20 and mixed)


def _is_other(text: str, name: re.Match[str]) -> bool:
    """Say whether a name is that of something else: of a page's token, say."""
    before = text[max(0, name.start() - 20) : name.start()].rstrip("_-. ").lower()
    return name[2] is not None and before.endswith(_OTHERS)


def _in_tag(text: str, follow: re.Match[str], is_word: bool) -> tuple[int, int, bool] | None:
    """Read <password>…</password>."""
    at = follow.end()
    stop = text.find("</", at, at + _LONG)
    value = text[at:stop] if stop > at else " "
    return (at, stop, True) if len(value.split()) == 1 and _is_secret(value, is_word, given=True) else None


def _value(text: str, name: re.Match[str], follow: re.Match[str], is_word: bool) -> tuple[int, int, bool] | None:
    """Return where a value stands and whether it is surely a secret."""
    at = follow.end()
    if follow[4] and not _is_option(text, name):
        return None
    if opening := next((mark for mark in _CLOSING if text.startswith(mark, at)), ""):
        return _quoted(text, at + len(opening), _CLOSING[opening], is_word)
    found = compiled(_VALUE).match(text, at)
    if found is None:
        return None
    value = found[0].rstrip(".:!?*…" if follow[2] else ".:*…")
    if not value or value.startswith("\\") or (value == found[0] and text[found.end() : found.end() + 1] in ("(", "[", "{")):
        return None
    stop = at + len(value)
    tight = follow[1] == "=" and text[at - 1] == "="
    joined = text[stop : stop + 1] in (";", "&") or text[max(0, name.start() - 1) : name.start()] in (";", "&", "?")
    given = tight and (name[0].isupper() or joined)  # a variable of the environment, a part of a connection string or a query
    if not _is_secret(value, is_word, given, code=not given):
        return (at, stop, False) if is_word and follow[1] and _may_be(value) else None
    if follow[2] and not _is_odd(value):
        return None
    return at, _end_of_run(text, stop) if len(found[0]) == _LONG else stop, True


def _quoted(text: str, start: int, closing: str, is_word: bool) -> tuple[int, int, bool] | None:
    line = text.find("\n", start, start + 1000)
    stop = text.find(closing, start, line if line >= 0 else start + 1000)
    value = text[start:stop]
    if stop <= start or not value.strip():
        return None
    if len(value.split()) > 1:
        return (start, stop, True) if is_word and _is_phrase(value) else None
    return (start, stop, True) if _is_secret(value, is_word, given=True) else None


def _is_option(text: str, name: re.Match[str]) -> bool:
    """Say whether a name is that of an option, as in `--password`."""
    before = text[max(0, name.start() - 24) : name.start()]
    return before.rfind("--") > before.rfind(" ")


def _end_of_run(text: str, at: int) -> int:
    while (more := compiled(_VALUE).match(text, at)) is not None:
        at = more.end()
    return at


def _is_odd(value: str) -> bool:
    """Say whether a word is no word: letters with digits or signs among them."""
    return len(value) >= 6 and any(c.isalpha() for c in value) and any(not c.isalpha() and c not in "-_./" for c in value)


def _is_phrase(value: str) -> bool:
    """Say whether some words are a passphrase rather than a sentence about one."""
    words = value.split()
    plain = all(word.isalpha() and word.islower() and len(word) > 2 for word in words)
    return 4 <= len(words) <= 24 and plain and not _TALK & set(words)


def _may_be(value: str) -> bool:
    return value.isascii() and value.isalpha() and value.islower() and 6 <= len(value) <= 20 and value not in SCHEMA


def _is_secret(value: str, is_word: bool, given: bool, code: bool = False) -> bool:
    """Judge a value by how it looks: `given` is quoted or otherwise clearly a value, `code` may be an expression."""
    if len(value) < 4 or not (is_word or is_random(value)) or not (value.isascii() or given):
        return False
    if value.lower().strip("\"'.") in SCHEMA or value.lower().startswith(_SHOWN) or len(set(value)) < 3:
        return False
    if is_reference(value) or is_placeholder(value):
        return False
    is_name = compiled(_NAME).match(value) is not None
    if not is_word:
        return not (code and is_name and len(value) < 20)
    tells = is_name and compiled(_TELLING).search(value) is not None
    if given:
        return not tells or any(c.isdigit() for c in value)
    if tells or compiled(_TECHNICAL).match(value) or (code and is_name and "." in value):
        return False
    return _is_odd(value) or (len(value) >= 6 and value.isdigit())
