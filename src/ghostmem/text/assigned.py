"""Secrets that their names betray: values assigned to a password, a token or a key, in code, files,
prose or a command.

A name ends in a word for a secret (`DB_PASSWORD`, `apiKey`, "mot de passe"). A sign, a verb, a tag
or a space joins it to the value. The words are in data/secret_words.json. The surer the form says
that a value follows, the less the value must look like a secret by itself."""

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ghostmem.text.near import Source
from ghostmem.text.placed import Found
from ghostmem.text.secret_values import (
    SCHEMA,
    compiled,
    is_expression,
    is_odd,
    is_phrase,
    is_random,
    is_secret,
    is_technical,
    is_wordy,
)

Span = tuple[int, int, bool]  # start, stop, sure

_SHORT = (
    r"(?<![^\W_])(?:pass|pwd|pw|psw|(?:db|ssh|my|sql|ftp|smtp|mail|user|root|admin|ldap|redis|pg)pass)"
    r"|passwd|(?<=[a-z])pwd|psk|community[ _-]string|(?<=[_-])pin"
)
_KEYS = (
    r"secret[_-]?key[_-]?base|(?:api|access|auth|secret|encryption|signing|licen[sc]e|private|account|master)key"
    r"|(?<![^\W_])key|credentials?|creds|secret|token|serial(?:[ _-]number)?|passkey|pepper"
)
# Parts of names such as dbPass and apiKey, and PIN, are told by their capitals.
_CAPITALS = (
    r"((?<=[a-z])Pass|(?<!COM)(?<!BY)(?<!SUR)(?<!TRES)(?<=[A-Z]{2})PASS"
    r"|(?<![A-Za-z])PIN(?:[ -][Cc]ode)?)|((?<=[a-z0-9])Key)"
)
_SUFFIX = (
    r"(?:_?\d{1,2}|[_-](?:prod|production|dev|staging|test|live|old|new|backup"
    r"|primary|default|plain|raw|b64|base64|hex))?"
)
# Parts of names; a text without any of them has no name.
_LITERALS = (
    "pass",
    "pwd",
    "pw",
    "psw",
    "secret",
    "token",
    "key",
    "credential",
    "creds",
    "serial",
    "psk",
    "pepper",
    "_pin",
    "-pin",
    "community",
)
_WHOLE = ("pw", "psw")  # parts that are common inside words and a name only begins with

_NAME_BEFORE, _NAME_AFTER = 24, 80  # characters around a part of a name that the name lies in

_SIGN = r"(?::=|=>|={1,3}|[:：＝]|:\*{2})(?!=)"
_BEHIND_NAME = r"(?:\\?[\"'`]\]?|\*{1,2}|_{1,2}|』|」)?(?:[ ]?[(（][^()（）\n]{0,40}[)）])?"
_GAP_WORDS = r"(?:[ \u00a0](?:[^\s.:;,!?\"'`=(){}<>|]|(?<=\w)'(?=\w)){1,40}){0,6}?"
_MAX_RUN = 256  # characters of a value that are judged
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
_BEHIND_QUOTE = frozenset(" \t\r\n,;:.)]}>|&<\\/!?，。；、）」』\"'`")
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_MAX_TAG = 128  # characters of an element that are judged
_MAX_QUOTED = 1000
_MAX_PSK = 63  # characters of the passphrase of a wireless network
_MAX_TRIMMED = 4  # signs behind a value that may belong to the sentence around it
# Qualifiers of names that end in `key` or `token` and name something public.
_PUBLIC_KEYS = frozenset(
    (
        "public primary foreign sort partition cache object idempotency routing row hash "
        "range shard composite candidate natural"
        " unique index lookup registry dedup dedupe group map translation i18n json event "
        "issue jira project publishable pub site"
        " s3 blob bucket host message metric redis session hot short shortcut arrow order "
        "query react record item store data dict"
        " kv join lock websocket the a an this that each same any one which your no verify "
        "verification verifying context add"
        " and or of in is for"
    ).split()
)
_PUBLIC_TOKENS = frozenset(
    (
        "next page continuation cursor sync csrf xsrf pad eos bos unk mask stop special "
        "cancellation cancel design sep cls start"
        " end last first per resume fencing no color colour public"
    ).split()
)
_PHRASE = (
    r"(?:[a-z]{3,12}[ ]){3,11}[a-z]{3,12}(?=[.,;]?\s{0,4}(?:\n|$))"
    r"|(?:[a-z]{3,12}-){3,7}[a-z]{3,12}(?![\w-])"
)


class Name(NamedTuple):
    """A name of a secret in a text: its place, and whether it is that of a password, which people
    choose.
    """

    start: int
    stop: int
    is_word: bool
    text: str


def assigned(source: Source) -> Iterator[Found]:
    """Find values that are assigned to a name of a password, a token or a key, and look
    like one.
    """
    text, done = source.text, 0
    for name in _names_in(source):
        if name.start < done or _is_other(text, name):
            continue
        found = _behind(text, name) or _before(text, name, done)
        if found is not None:
            done = max(found[1], name.stop)
            yield ("password" if name.is_word else "secret", *found)


def _names_in(source: Source) -> Iterator[Name]:
    """Yield the names of secrets in a text.

    The pattern reads only the surroundings of parts of names.
    """
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
    """Return the first name between two places.

    Most are looked for in lower case, because that is several times faster.
    """
    matches = [_names().search(lower, start, stop), _capital_names().search(text, start, stop)]
    return min(
        (match for match in matches if match is not None),
        key=lambda match: match.start(),
        default=None,
    )


def _places(source: Source) -> list[int]:
    """Return where parts of names stand."""
    parts = [(source.lower, literal) for literal in source.holding(_literals(), lower=True)]
    parts += [(source.text, literal) for literal in source.holding(("PIN",))]
    places: set[int] = set()
    for text, literal in parts:
        at = text.find(literal)
        while at >= 0:
            if (literal not in _WHOLE or not text[at - 1 : at].isalnum()) and _may_go_on(
                text, at + len(literal), literal
            ):
                places.add(at)
            at = text.find(literal, at + 1)
    return sorted(places)


def _may_go_on(text: str, at: int, literal: str) -> bool:
    """Say whether the letters behind a part of a name may belong to a name: `passwort`, but not
    `passenger`.
    """
    following = text[at : at + 2].lower()
    is_letter = following[:1].isascii() and following[:1].isalpha()
    return not is_letter or following.startswith(_continuations(literal))


# ---------------------------------------------------------------- words and patterns


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    """Return the words by group and language."""
    with open(
        os.path.join(os.path.dirname(__file__), "data", "secret_words.json"), encoding="utf-8"
    ) as file:
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
def _literals() -> tuple[str, ...]:
    foreign = [word for group in ("passwords", "keys") for word in _words(group)]
    return (*_LITERALS, *(word for word in foreign if not any(part in word for part in _LITERALS)))


@cache
def _continuations(literal: str) -> tuple[str, ...]:
    """Return what may follow a part of a name, two letters at most."""
    words = [*_words("passwords"), *_words("keys"), "passwd", "secretkey", "credentials"]
    found = {word[at + len(literal) :][:2] for word in words for at in _finds(word, literal)}
    return tuple(sorted(found - {""}))


def _finds(word: str, part: str) -> list[int]:
    return [at for at in range(len(word)) if word.startswith(part, at)]


@cache
def _names() -> re.Pattern[str]:
    """Return the pattern of names in lower case."""
    words, keys = f"{_any_of('passwords')}|{_SHORT}", f"{_any_of('keys')}|{_KEYS}"
    return re.compile(rf"(?:({words})|({keys})){_SUFFIX}(?![a-z0-9_])")


@cache
def _capital_names() -> re.Pattern[str]:
    return re.compile(rf"(?:{_CAPITALS})(?i:{_SUFFIX})(?![A-Za-z0-9_])")


@cache
def _follow() -> re.Pattern[str]:
    """Return the pattern of what joins a name to its value: a sign, a verb, a dash, a tag, a comma,
    a cell, a space.
    """
    gap = rf"(?:[ \u00a0](?:{_any_of('prepositions')}){_GAP_WORDS})?"
    said = rf",?[ \u00a0](?:{_any_of('joints')})(?:[ ]now)?[ ]?:?(?=[ \u00a0])"
    particle = rf"[ ]?[\u3040-\u30ff\u4e00-\u9fff]{{0,6}}?(?:{_any_of('particles')})[ ]?[:：]?"
    return re.compile(
        rf"{_BEHIND_NAME}(?:{gap}(?:[ \t]{{0,40}}(?P<sign>{_SIGN})|(?P<said>{said}"
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


def _is_other(text: str, name: Name) -> bool:
    """Say whether a name that ends in `key` or `token` is that of something public, or a bare
    `key`.
    """
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


# ---------------------------------------------------------------- a value behind its name


def _behind(text: str, name: Name) -> Span | None:
    if (
        name.text.isupper()
        and text[name.stop : name.stop + 1] == "="
        and text[name.stop + 1 : name.stop + 2] not in "= "
    ):
        return _in_variable(text, name)
    follow = _follow().match(text, name.stop)
    if follow is None:
        return None
    at = follow.end()
    if follow["tag"]:
        return _in_tag(text, at, name)
    if follow["comma"] and text[name.stop : name.stop + 1] not in ("'", '"'):
        return None
    opening = next((mark for mark in _QUOTES if text.startswith(mark, at)), "")
    if opening and not follow["space"]:
        found = _quoted(text, at + len(opening), _QUOTES[opening], name)
        if found is not None:
            return found if found[1] else None
    if follow["comma"]:
        return None
    return _plain(text, name, follow)


def _in_variable(text: str, name: Name) -> Span | None:
    """Read NAME=value, where all up to the next space is the value, whatever characters it
    holds.
    """
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
            found = _quoted(text, at + len(opening), _QUOTES[opening], name)
            return found if found and found[1] else None
    value = text[at:stop]
    if not value or is_expression(text[at : _line_end(text, at)], strict=True):
        return None
    is_found = _is_pin(value) if _names_pin(name) else is_secret(value, name.is_word, given=True)
    return (
        (at, _end_of_run(text, stop) if stop - at >= _MAX_RUN else stop, True) if is_found else None
    )


def _in_tag(text: str, at: int, name: Name) -> Span | None:
    """Read <password>…</password>."""
    stop = text.find("</", at, at + _MAX_TAG)
    value = text[at:stop] if stop > at else " "
    return (
        (at, stop, True)
        if len(value.split()) == 1 and is_secret(value, name.is_word, given=True)
        else None
    )


def _quoted(text: str, start: int, closing: str, name: Name) -> Span | None:
    """Judge a quoted value; None where no quote closes it, an empty span where it is no secret."""
    line = text.find("\n", start, start + _MAX_QUOTED)
    limit = line if line >= 0 else start + _MAX_QUOTED
    stop = text.find(closing, start, limit)
    while (
        closing.isascii()
        and stop >= 0
        and text[stop + len(closing) : stop + len(closing) + 1] not in _BEHIND_QUOTE
        and stop + len(closing) < len(text)
    ):
        stop = text.find(closing, stop + 1, limit)
    if stop < 0:
        return None
    value = text[start:stop]
    if len(value.split()) > 1:
        is_found = name.is_word and (
            is_phrase(value) or (name.text.lower() == "psk" and 8 <= len(value) <= _MAX_PSK)
        )
    else:
        is_found = (
            _is_pin(value) if _names_pin(name) else is_secret(value, name.is_word, given=True)
        )
    return (start, stop, True) if is_found else (0, 0, False)


def _plain(text: str, name: Name, follow: re.Match[str]) -> Span | None:
    """Judge a value without quotes."""
    at = follow.end()
    run = compiled(_RUN).match(text, at)
    if run is None:
        return None
    if name.is_word and not follow["space"] and (phrase := compiled(_PHRASE).match(text, at)):
        is_named = "phras" in name.text.lower() or name.text == "パスフレーズ" or "-" in phrase[0]
        return (
            (at, phrase.end(), True)
            if is_named and is_phrase(phrase[0].replace("-", " "))
            else None
        )
    tight = follow["sign"] is not None and text[at - 1] in "=:"
    stop = _end(text, name, run, pairs=tight)
    value = text[at:stop]
    if (
        not value
        or compiled(_ESCAPE).match(value)
        or is_expression(text[at : _line_end(text, at)], strict=False)
    ):
        return None
    if not name.is_word and compiled(r"[A-Za-z_]{2,20}=[^=]").match(value):
        return None  # the next assignment
    if _names_pin(name):
        return (at, stop, True) if _is_pin(value) else None
    joined = text[stop : stop + 1] in (";", "&") or text[name.start - 1 : name.start] in (
        ";",
        "&",
        "?",
    )
    given = joined and tight and text[at - 1] == "="
    if follow["space"]:
        is_found = _is_spoken(text, name, value)
    elif follow["said"]:
        is_found = is_secret(value, name.is_word, given=False) and (
            is_odd(value) or is_random(value)
        )
    else:
        is_found = is_secret(value, name.is_word, given, code=not given)
    if is_found:
        return at, _end_of_run(text, stop) if stop - at >= _MAX_RUN else stop, True
    if name.is_word and follow["sign"] and _may_be(value):
        return at, stop, False
    return None


def _end(text: str, name: Name, run: re.Match[str], pairs: bool, tags: bool = True) -> int:
    """Return where a value without quotes ends.

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


def _is_spoken(text: str, name: Name, value: str) -> bool:
    """Judge a value that only a space parts from its name: an option's, or one that can be nothing
    else.
    """
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


def _before(text: str, name: Name, done: int) -> Span | None:
    """Find "use X as the password" and "X is the password"."""
    follow = text[name.stop : name.stop + 1]
    if follow.isalnum() or follow in ("_", "=", "(", "-", ":"):
        return None
    start = max(done, name.start - 110)
    found = _as().search(text[start : name.start])
    if found is None:
        return None
    value = found[1].strip("\"'`“”(),.;:")
    if (
        not is_odd(value)
        or is_technical(value)
        or (is_wordy(value) and len(value) < 10)
        or not any(c.isdigit() for c in value)
    ):
        return None
    at = start + found.start(1) + found[1].index(value)
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


def _may_be(value: str) -> bool:
    return (
        value.isascii()
        and value.isalpha()
        and value.islower()
        and 6 <= len(value) <= 20
        and value not in SCHEMA
    )


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + 300)
    return end if end >= 0 else min(len(text), at + 300)


def _end_of_run(text: str, at: int) -> int:
    while (more := compiled(_RUN).match(text, at)) is not None:
        at = more.end()
    return at
