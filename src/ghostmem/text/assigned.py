"""Find secrets by their names: values of a password, a token or a key in code, files and prose.

A name ends in a word for a secret (`DB_PASSWORD`, `apiKey`, "mot de passe"). A sign, a verb, a tag
or a space joins it to the value. The words are in data/secret_words.json. The clearer the form
shows that a value follows, the less the value itself must look like a secret.
"""

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ghostmem.text.near import SearchedText
from ghostmem.text.patterns import compiled
from ghostmem.text.placed import SecretSpan
from ghostmem.text.secret_values import (
    NOT_PASSWORDS,
    is_expression,
    is_mail_address,
    is_odd,
    is_phrase,
    is_random,
    is_secret,
    is_technical,
    is_wordy,
)

ValueSpan = tuple[int, int, bool]  # start, stop, whether it is certain

_SHORT = (
    r"(?<![^\W_])(?:pass|pwd|pw|psw"
    r"|(?:db|ssh|my|sql|ftp|smtp|mail|user|root|admin|ldap|redis|pg)pass)"
    r"|passwd|(?<=[a-z])pwd|psk|community[ _-]string|(?<=[_-])pin"
)
_KEYS = (
    r"secret[_-]?key[_-]?base"
    r"|(?:api|access|auth|secret|encryption|signing|licen[sc]e|private|account|master)key"
    r"|(?<![^\W_])key|credentials?|creds|secret|token|serial(?:[ _-]number)?|passkey|pepper"
)
# Parts of names such as dbPass and apiKey, and PIN, are recognised by their capitals.
_CAPITALS = (
    r"((?<=[a-z])Pass|(?<!COM)(?<!BY)(?<!SUR)(?<!TRES)(?<=[A-Z]{2})PASS"
    r"|(?<![A-Za-z])PIN(?:[ -][Cc]ode)?)|((?<=[a-z0-9])Key)"
)
_SUFFIX = (
    r"(?:_?\d{1,2}|[_-](?:prod|production|dev|staging|test|live|old|new|backup"
    r"|primary|default|plain|raw|b64|base64|hex))?"
)
# Parts of names; a text without any of them has no name.
_NAME_PARTS = tuple(
    "pass pwd pw psw secret token key credential creds serial psk pepper _pin -pin"
    " community".split()
)
_WORD_STARTS = ("pw", "psw")  # parts that are common inside words; they count at a word's start

_NAME_BEFORE, _NAME_AFTER = 24, 80  # characters around a part of a name that are searched

_SIGN = r"(?::=|=>|={1,3}|[:：＝]|:\*{2})(?!=)"
_AFTER_NAME = r"(?:\\?[\"'`]\]?|\*{1,2}|_{1,2}|』|」)?(?:[ ]?[(（][^()（）\n]{0,40}[)）])?"
_GAP_WORDS = r"(?:[ \u00a0](?:[^\s.:;,!?\"'`=(){}<>|]|(?<=\w)'(?=\w)){1,40}){0,6}?"
_MAX_RUN = 256  # characters of a value that are checked
_RUN = rf"[^\s，。；、）」』”»]{{1,{_MAX_RUN}}}+"
_ESCAPE = r"\\(?:[nrt\"']|$)"
_QUOTES = {
    '\\"': '\\"',
    "\\'": "\\'",
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "「": "」",
    "『": "』",
    "«": "»",
    "„": "“",
    "‘": "’",
}
_PAIR = r"[;&,][\"']?[A-Za-z][a-z]{2,}[\w .-]{0,30}[\"']?[ ]?[=:]"
_AFTER_QUOTE = frozenset(" \t\r\n,;:.)]}>|&<\\/!?，。；、）」』\"'`")
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_MAX_TAG = 128  # characters of an element that are checked
_MAX_QUOTED = 1000
_MAX_PSK = 63  # characters of the passphrase of a wireless network
_MAX_TRIMMED = 4  # signs after a value that may belong to the sentence around it
# Qualifiers of names that end in `key` or `token` and name something public.
_PUBLIC_KEYS = frozenset(
    """
    public primary foreign sort partition cache object idempotency routing row hash range shard
    composite candidate natural unique index lookup registry dedup dedupe group map translation
    i18n json event issue jira project publishable pub site s3 blob bucket host message metric
    redis session hot short shortcut arrow order query react record item store data dict kv join
    lock websocket the a an this that each same any one which your no verify verification verifying
    context add and or of in is for
    """.split()
)
_PUBLIC_TOKENS = frozenset(
    """
    next page continuation cursor sync csrf xsrf pad eos bos unk mask stop special cancellation
    cancel design sep cls start end last first per resume fencing no color colour public
    """.split()
)
_PHRASE = (
    r"(?:[a-z]{3,12}[ ]){3,11}[a-z]{3,12}(?=[.,;]?\s{0,4}(?:\n|$))"
    r"|(?:[a-z]{3,12}-){3,7}[a-z]{3,12}(?![\w-])"
)


class Name(NamedTuple):
    """A name of a secret in a text; `is_word` if it names a password, which people choose."""

    start: int
    stop: int
    is_word: bool
    text: str


def assigned(source: SearchedText) -> Iterator[SecretSpan]:
    """Yield values that look like a secret and belong to the name of one."""
    text, done = source.text, 0
    for name in _names_in(source):
        if name.start < done or _is_public(text, name):
            continue
        span = _value_after(text, name) or _value_before(text, name, done)
        if span is not None:
            done = max(span[1], name.stop)
            yield ("password" if name.is_word else "secret", *span)


def _names_in(source: SearchedText) -> Iterator[Name]:
    """Yield the names of secrets in a text, searched around parts of names only."""
    places = _places(source)
    if not places:
        return
    at, text, lower = 0, source.text, source.lower
    for place in places:
        if place < at:
            continue
        stop = place + _NAME_AFTER
        match = _first(text, lower, max(at, place - _NAME_BEFORE), stop)
        if match is not None and (match.end() < stop or match.end() == len(text)):
            at = match.end()
            yield Name(match.start(), at, match[1] is not None, text[match.start() : at])


def _first(text: str, lower: str, start: int, stop: int) -> re.Match[str] | None:
    """Return the first name between two positions.

    Most names are searched in lower case, because that is several times faster.
    """
    matches = [_names().search(lower, start, stop), _capital_names().search(text, start, stop)]
    return min(
        (match for match in matches if match is not None),
        key=lambda match: match.start(),
        default=None,
    )


def _places(source: SearchedText) -> list[int]:
    """Return the positions of parts of names."""
    parts = [
        (source.lower, literal) for literal in source.literals_in(assigned_literals(), lower=True)
    ]
    parts += [(source.text, literal) for literal in source.literals_in(("PIN",))]
    places: set[int] = set()
    for text, literal in parts:
        at = text.find(literal)
        while at >= 0:
            if (literal not in _WORD_STARTS or not text[at - 1 : at].isalnum()) and _may_be_name(
                text, at + len(literal), literal
            ):
                places.add(at)
            at = text.find(literal, at + 1)
    return sorted(places)


def _may_be_name(text: str, at: int, literal: str) -> bool:
    """Say whether the letters after a part may belong to a name: `passwort`, not `passenger`."""
    following = text[at : at + 2].lower()
    is_letter = following[:1].isascii() and following[:1].isalpha()
    return not is_letter or following.startswith(_continuations(literal))


# ---------------------------------------------------------------- words and patterns


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    """Return the words by group and language."""
    path = os.path.join(os.path.dirname(__file__), "data", "secret_words.json")
    with open(path, encoding="utf-8") as file:
        table: dict[str, dict[str, list[str]]] = json.load(file)
    return table


@cache
def _words(group: str) -> tuple[str, ...]:
    """Return the words of a group in all languages, the longest first."""
    words = {word for words in _table()[group].values() for word in words}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def _any_of(group: str) -> str:
    return "|".join(re.escape(word).replace(r"\ ", "[ \u00a0]") for word in _words(group))


@cache
def assigned_literals() -> tuple[str, ...]:
    """Return the literals, one of which a text with a name has unless it has `PIN`."""
    foreign = [word for group in ("passwords", "keys") for word in _words(group)]
    return (
        *_NAME_PARTS,
        *(word for word in foreign if not any(part in word for part in _NAME_PARTS)),
    )


@cache
def _continuations(literal: str) -> tuple[str, ...]:
    """Return the letters that may follow a part of a name, two at most."""
    words = [*_words("passwords"), *_words("keys"), "passwd", "secretkey", "credentials"]
    endings = {
        word[at + len(literal) :][:2]
        for word in words
        for at in range(len(word))
        if word.startswith(literal, at)
    }
    return tuple(sorted(endings - {""}))


@cache
def _names() -> re.Pattern[str]:
    """Return the pattern of names in lower case."""
    words, keys = f"{_any_of('passwords')}|{_SHORT}", f"{_any_of('keys')}|{_KEYS}"
    return re.compile(rf"(?:({words})|({keys})){_SUFFIX}(?![a-z0-9_])")


@cache
def _capital_names() -> re.Pattern[str]:
    return re.compile(rf"(?:{_CAPITALS})(?i:{_SUFFIX})(?![A-Za-z0-9_])")


@cache
def _joint() -> re.Pattern[str]:
    """Return the pattern between a name and its value: a sign, a verb, a tag, a comma, a cell."""
    gap = rf"(?:[ \u00a0](?:{_any_of('prepositions')}){_GAP_WORDS})?"
    verb = rf",?[ \u00a0](?:{_any_of('joints')})(?:[ ]now)?[ ]?:?(?=[ \u00a0])"
    particle = rf"[ ]?[\u3040-\u30ff\u4e00-\u9fff]{{0,6}}?(?:{_any_of('particles')})[ ]?[:：]?"
    return re.compile(
        rf"{_AFTER_NAME}(?:{gap}(?:[ \t]{{0,40}}(?P<sign>{_SIGN})|(?P<verb>{verb}"
        rf"|{particle}|[ ][—–-](?=[ ])))"
        rf"|(?P<tag>>)|(?P<comma>[ ]{{0,2}},[ ]{{0,2}}(?=[\"'])|[ ]{{1,3}}value=(?=[\"']))"
        rf"|(?P<cell>[ \t]{{1,40}}\|(?=[ ]))|(?P<space>[ ]))"
        rf"[ \t]{{0,8}}\*{{0,2}}[ \t]?",
        re.IGNORECASE,
    )


@cache
def _as() -> re.Pattern[str]:
    """Return the pattern of a value before its name, as in "use X as the root password"."""
    return re.compile(
        rf"(?:^|\s)[\"'`“]?([^\s\"'`“”,;]{{6,64}})[\"'`”]?[ ](?:{_any_of('as')})(?:[ "
        rf"][^\W\d_]{{2,20}}){{0,2}}[ ]$",
        re.IGNORECASE,
    )


def _is_public(text: str, name: Name) -> bool:
    """Say whether a name that ends in `key` or `token` names something public."""
    before = text[max(0, name.start - 24) : name.start]
    if before[-1:] == ":" and text[name.stop : name.stop + 1] == ":":
        return True  # a part of a longer name, as in arn:…:secret:…
    if name.is_word:
        return False
    if name.text.lower() == "key" and before[-1:] in ("?", "&"):
        return False
    qualifier = compiled(r"(?:[A-Z]?[a-z0-9]+|[A-Z0-9]+|[^\W\d_]+)$").search(before.rstrip("_-. "))
    if qualifier is None or (before[-1:] not in ("_", "-", ".", " ") and not before[-1:].isalnum()):
        return name.text.lower() == "key"
    return qualifier[0].lower() in (
        _PUBLIC_KEYS if name.text.lower().endswith("key") else _PUBLIC_TOKENS
    )


# ---------------------------------------------------------------- a value after its name


def _value_after(text: str, name: Name) -> ValueSpan | None:
    if (
        name.text.isupper()
        and text[name.stop : name.stop + 1] == "="
        and text[name.stop + 1 : name.stop + 2] not in "= "
    ):
        return _in_variable(text, name)
    joint = _joint().match(text, name.stop)
    if joint is None:
        return None
    at = joint.end()
    if joint["tag"]:
        return _in_tag(text, at, name)
    if joint["comma"] and text[name.stop : name.stop + 1] not in ("'", '"'):
        return None
    opening = next((mark for mark in _QUOTES if text.startswith(mark, at)), "")
    if opening and not joint["space"]:
        span = _quoted(text, at + len(opening), _QUOTES[opening], name)
        if span is not None:
            return span if span[1] else None
    if joint["comma"]:
        return None
    return _unquoted(text, name, joint)


def _in_variable(text: str, name: Name) -> ValueSpan | None:
    """Return the value of NAME=value, where everything up to the next space is the value."""
    at = name.stop + 1
    run = compiled(_RUN).match(text, at)
    if run is None:
        return None
    stop = _end(text, name, run, pairs=False, tags=False)
    opening = next((mark for mark in _QUOTES if text.startswith(mark, at)), "")
    if opening:
        closing = text.find(_QUOTES[opening], at + len(opening), _line_end(text, at))
        if closing >= 0 and (
            closing >= run.end() or not text[closing + len(opening) : run.end()].strip("\"',;)]}.")
        ):
            span = _quoted(text, at + len(opening), _QUOTES[opening], name)
            return span if span and span[1] else None
    value = text[at:stop]
    if not value or is_expression(text[at : _line_end(text, at)], strict=True):
        return None
    if not _is_given_secret(value, name):
        return None
    return at, _end_of_run(text, stop) if stop - at >= _MAX_RUN else stop, True


def _in_tag(text: str, at: int, name: Name) -> ValueSpan | None:
    """Return the value of <password>…</password>."""
    stop = text.find("</", at, at + _MAX_TAG)
    value = text[at:stop] if stop > at else " "
    is_value = len(value.split()) == 1 and is_secret(value, name.is_word, given=True)
    return (at, stop, True) if is_value else None


def _quoted(text: str, start: int, closing: str, name: Name) -> ValueSpan | None:
    """Return the span of a quoted value: empty if it is no secret, None if no quote closes it."""
    line = text.find("\n", start, start + _MAX_QUOTED)
    limit = line if line >= 0 else start + _MAX_QUOTED
    stop = text.find(closing, start, limit)
    while (
        closing.isascii()
        and stop >= 0
        and text[stop + len(closing) : stop + len(closing) + 1] not in _AFTER_QUOTE
        and stop + len(closing) < len(text)
    ):
        stop = text.find(closing, stop + 1, limit)
    if stop < 0:
        return None
    value = text[start:stop]
    if len(value.split()) > 1:
        is_psk = name.text.lower() == "psk" and 8 <= len(value) <= _MAX_PSK
        is_value = name.is_word and (is_phrase(value) or is_psk)
    else:
        is_value = _is_given_secret(value, name)
    return (start, stop, True) if is_value else (0, 0, False)


def _unquoted(text: str, name: Name, joint: re.Match[str]) -> ValueSpan | None:
    """Return the span of a value without quotes, or None."""
    at = joint.end()
    run = compiled(_RUN).match(text, at)
    if run is None:
        return None
    if name.is_word and not joint["space"] and (phrase := compiled(_PHRASE).match(text, at)):
        is_named = "phras" in name.text.lower() or name.text == "パスフレーズ" or "-" in phrase[0]
        is_value = is_named and is_phrase(phrase[0].replace("-", " "))
        return (at, phrase.end(), True) if is_value else None
    tight = joint["sign"] is not None and text[at - 1] in "=:"
    stop = _end(text, name, run, pairs=tight)
    value = text[at:stop]
    if _is_code(text, at, value, name):
        return None
    if _names_pin(name):
        return (at, stop, True) if _is_pin(value) else None
    if _is_unquoted_secret(text, name, joint, value):
        return at, _end_of_run(text, stop) if stop - at >= _MAX_RUN else stop, True
    if name.is_word and joint["sign"] and _may_be_password(value):
        return at, stop, False
    return None


def _is_code(text: str, at: int, value: str, name: Name) -> bool:
    """Say whether there is no value here but an escape, an expression or the next assignment."""
    if not value or compiled(_ESCAPE).match(value):
        return True
    if is_expression(text[at : _line_end(text, at)], strict=False):
        return True
    return not name.is_word and bool(compiled(r"[A-Za-z_]{2,20}=[^=]").match(value))


def _is_unquoted_secret(text: str, name: Name, joint: re.Match[str], value: str) -> bool:
    """Say whether a value without quotes is a secret; after a space or a verb it must be odd."""
    if joint["space"]:
        return _is_secret_after_space(text, name, value)
    if joint["verb"]:
        if joint["verb"].strip() == "to" and is_mail_address(value):
            return False  # the recipient of the password
        return is_secret(value, name.is_word, given=False) and (is_odd(value) or is_random(value))
    at = joint.end()
    stop = at + len(value)
    is_joined = text[stop : stop + 1] in (";", "&") or text[name.start - 1 : name.start] in (
        ";",
        "&",
        "?",
    )
    given = is_joined and joint["sign"] is not None and text[at - 1] == "="
    return is_secret(value, name.is_word, given, code=not given)


def _end(text: str, name: Name, run: re.Match[str], pairs: bool, tags: bool = True) -> int:
    """Return the end of a value without quotes.

    With `pairs` another name may follow without a space, with `tags` a tag.
    """
    start, stop = run.span()
    identifier = compiled(r"[\w.-]*$").search(text[max(0, name.start - 60) : name.start])
    lead = text[max(0, name.start - len(identifier[0] if identifier else "") - 1) : name.start][:1]
    ends = [text.find("[redacted:", start, stop)]
    if tags and (tag := compiled(r"</[A-Za-z][\w-]*>").search(text, start, stop)):
        ends.append(tag.start())
    if lead in ("?", "&", ";"):
        ends += [text.find(mark, start, stop) for mark in "&;#"]
    elif lead in ('"', "'", "`"):
        ends.append(text.find(lead, start, stop))
    elif (
        pairs
        and (pair := compiled(_PAIR).search(text, start, min(len(text), stop + 40)))
        and pair.start() < stop
    ):
        ends.append(pair.start())
    stop = min([end for end in ends if end > start], default=stop)
    least = max(start, stop - _MAX_TRIMMED)
    while stop > least and (text[stop - 1] in ".,:;!?*…|" or _is_unopened(text, start, stop)):
        stop -= 1
    return stop


def _is_unopened(text: str, start: int, stop: int) -> bool:
    """Say whether a value ends in a bracket or a quote that belongs to the text around it."""
    last = text[stop - 1]
    if last in "\"'`":
        return text.count(last, start, stop) % 2 == 1
    return last in _CLOSERS and text.count(last, start, stop) > text.count(
        _CLOSERS[last], start, stop
    )


def _is_secret_after_space(text: str, name: Name, value: str) -> bool:
    """Say whether a value after a space is a secret: of an option, or clearly not a word."""
    before = text[max(0, name.start - 24) : name.start]
    if before.rfind("--") > before.rfind(" "):
        return is_secret(value, name.is_word, given=False, code=True)
    if (
        not is_secret(value, name.is_word, given=False, code=True)
        or is_technical(value)
        or is_wordy(value)
    ):
        return False
    digits = any(c.isdigit() for c in value)
    return digits and (is_odd(value) if name.is_word else len(value) >= 16)


# ---------------------------------------------------------------- a value before its name


def _value_before(text: str, name: Name, done: int) -> ValueSpan | None:
    """Return the value of "use X as the password" and "X is the password"."""
    following = text[name.stop : name.stop + 1]
    if following.isalnum() or following in ("_", "=", "(", "-", ":"):
        return None
    start = max(done, name.start - 110)
    match = _as().search(text[start : name.start])
    if match is None:
        return None
    value = match[1].strip("\"'`“”(),.;:")
    if (
        not is_odd(value)
        or is_technical(value)
        or (is_wordy(value) and len(value) < 10)
        or not any(c.isdigit() for c in value)
    ):
        return None
    at = start + match.start(1) + match[1].index(value)
    return (
        (at, at + len(value), True)
        if is_secret(value, name.is_word, given=False, code=True)
        else None
    )


# ---------------------------------------------------------------- helpers


def _names_pin(name: Name) -> bool:
    return name.text.lower().startswith("pin")


def _is_pin(value: str) -> bool:
    return value.isdigit() and 4 <= len(value) <= 8


def _is_given_secret(value: str, name: Name) -> bool:
    """Say whether a value that clearly belongs to a name is a PIN or a secret."""
    return _is_pin(value) if _names_pin(name) else is_secret(value, name.is_word, given=True)


def _may_be_password(value: str) -> bool:
    return (
        value.isascii()
        and value.isalpha()
        and value.islower()
        and 6 <= len(value) <= 20
        and value not in NOT_PASSWORDS
    )


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + 300)
    return end if end >= 0 else min(len(text), at + 300)


def _end_of_run(text: str, at: int) -> int:
    while (more := compiled(_RUN).match(text, at)) is not None:
        at = more.end()
    return at
