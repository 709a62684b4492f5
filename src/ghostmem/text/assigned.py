"""Find secrets by their names: values of a password, a token or a key in code, files and prose.

A name ends in a word for a secret (`DB_PASSWORD`, `apiKey`, "mot de passe"). A sign, a verb, a tag
or a space joins it to the value. The words are in data/secret_words.json. The clearer the form
shows that a value follows, the less the value itself must look like a secret.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ghostmem.text.patterns import compiled
from ghostmem.text.secrets import (
    SearchedText,
    has_digit,
    is_common,
    is_expression,
    is_odd,
    is_odd_password,
    is_phrase,
    is_random,
    is_secret,
    is_technical,
    is_wordy,
    secret_words,
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
_CAPITAL_WORDS = (
    r"(?<=[a-z])Pass|(?<!COM)(?<!BY)(?<!SUR)(?<!TRES)(?<=[A-Z]{2})PASS"
    r"|(?<![A-Za-z])PIN(?:[ -][Cc]ode)?"
)
_SUFFIX = (
    r"(?:_?\d{1,2}|[_-](?:prod|production|dev|staging|test|live|old|new|backup"
    r"|primary|default|plain|raw|b64|base64|hex))?"
)
_NAME_BEFORE, _NAME_AFTER = 24, 80  # characters around a part of a name that are searched

_SIGN = r"(?::=|=>|={1,3}|[:：＝]|:\*{2})(?!=)"
_AFTER_NAME = r"(?:\\?[\"'`]\]?|\*{1,2}|_{1,2}|』|」)?(?:[ ]?[(（][^()（）\n]{0,40}[)）])?"
_GAP_WORDS = r"(?:[ \u00a0](?:[^\s.:;,!?\"'`=(){}<>|]|(?<=\w)'(?=\w)){1,40}){0,6}?"
_MAX_RUN = 256  # characters of a value that are checked
_RUN = rf"[^\s，。；、）」』”»]{{1,{_MAX_RUN}}}+"
_OPENING = r"\\[\"']|[\"'`“「『«„‘]"
_CLOSINGS = {"“": "”", "「": "」", "『": "』", "«": "»", "„": "“", "‘": "’"}
_PAIR = r"[;&,][\"']?[A-Za-z][a-z]{2,}[\w .-]{0,30}[\"']?[ ]?[=:]"
_AFTER_QUOTE = r"(?=[\s,;:.)\]}>|&<\\/!?，。；、）」』\"'`]|$)"
_AFTER_VARIABLE = r"(?=[\"',;)\]}.]*(?:[\s，。；、）」』”»]|$))"
_NO_WORD = r"\\(?:[nrt\"']|$)"  # an escape
_NO_KEY = rf"{_NO_WORD}|[A-Za-z_]{{2,20}}=[^=]"  # or the next assignment
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_MAX_TAG = 128  # characters of an element that are checked
_MAX_QUOTED = 1000
_MAX_PSK = 63  # characters of the passphrase of a wireless network
_MAX_LINE = 300  # characters after a name that may be an expression
_MAX_TRIMMED = 4  # signs after a value that may belong to the sentence around it
_PHRASE = (
    r"(?:[a-z]{3,12}[ ]){3,11}[a-z]{3,12}(?=[.,;]?\s{0,4}(?:\n|$))"
    r"|(?:[a-z]{3,12}-){3,7}[a-z]{3,12}(?![\w-])"
)
_MAIL_ADDRESS = r"(?i)[a-z0-9][\w.+-]{1,63}@(?:[a-z0-9-]{2,63}\.){1,5}[a-z]{2,24}"


class Name(NamedTuple):
    """A name of a secret in a text; `is_word` if it names a password, which people choose."""

    start: int
    stop: int
    is_word: bool
    text: str

    @property
    def is_pin(self) -> bool:
        """Whether it names a PIN."""
        return self.text.lower().startswith("pin")


def assigned(source: SearchedText) -> Iterator[tuple[str, int, int, bool]]:
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
    text, done = source.text, 0
    parts = source.literals_in(_name_parts(), source.lower_words)
    places = {match.start() for part in parts for match in _name_part(part).finditer(source.lower)}
    for place in sorted(places):
        if place < done:
            continue
        stop = place + _NAME_AFTER
        match = _names().search(text, max(done, place - _NAME_BEFORE), stop)
        if match is not None and (match.end() < stop or match.end() == len(text)):
            done = match.end()
            yield Name(match.start(), done, match[1] is not None, match[0])


# ---------------------------------------------------------------- words and patterns


def _any_of(group: str) -> str:
    return "|".join(re.escape(word).replace(r"\ ", "[ \u00a0]") for word in secret_words(group))


@cache
def _name_parts() -> tuple[str, ...]:
    """Return the literals, one of which a text with a name has."""
    parts = secret_words("name_parts")
    names = secret_words("passwords") + secret_words("keys")
    return (*parts, *(name for name in names if not any(part in name for part in parts)))


@cache
def _name_part(part: str) -> re.Pattern[str]:
    """Return the pattern of a part of a name and two more letters: `passwo`, not `passen`."""
    names = [
        *secret_words("passwords"),
        *secret_words("keys"),
        "passwd",
        "secretkey",
        "credentials",
    ]
    endings = {name.partition(part)[2][:2] for name in names if part in name} - {""}
    before = r"(?<![^\W_])" if part in ("pw", "psw", "pin") else ""  # common inside words
    after = "|".join([r"(?![a-z])", *map(re.escape, sorted(endings))])
    return re.compile(f"{before}{re.escape(part)}(?:{after})")


@cache
def _names() -> re.Pattern[str]:
    """Return the pattern of names; group 1 is the name of a password."""
    words, keys = f"{_any_of('passwords')}|{_SHORT}", f"{_any_of('keys')}|{_KEYS}"
    return re.compile(
        rf"(?:((?i:{words})|{_CAPITAL_WORDS})|(?i:{keys})|(?<=[a-z0-9])Key)"
        rf"(?i:{_SUFFIX})(?![A-Za-z0-9_])"
    )


@cache
def _joint() -> re.Pattern[str]:
    """Return the pattern between a name and its value: a sign, a verb, a tag, a comma, a cell."""
    gap = rf"(?:[ \u00a0](?:{_any_of('prepositions')}){_GAP_WORDS})?"
    verb = rf",?[ \u00a0](?:{_any_of('joints')})(?:[ ]now)?[ ]?:?(?=[ \u00a0])"
    particle = rf"[ ]?[\u3040-\u30ff\u4e00-\u9fff]{{0,6}}?(?:{_any_of('particles')})[ ]?[:：]?"
    return re.compile(
        rf"{_AFTER_NAME}(?:{gap}(?:[ \t]{{0,40}}(?P<sign>{_SIGN})|(?P<verb>{verb}"
        rf"|{particle}|[ ][—–-](?=[ ])))"
        rf"|(?P<tag>>)|(?<=[\"'\]])(?P<comma>[ ]{{0,2}},[ ]{{0,2}}(?=[\"'])"
        rf"|[ ]{{1,3}}value=(?=[\"']))|(?P<cell>[ \t]{{1,40}}\|(?=[ ]))|(?P<space>[ ]))"
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
    before, lower = text[max(0, name.start - 24) : name.start], name.text.lower()
    if before[-1:] == ":" and text[name.stop : name.stop + 1] == ":":
        return True  # a part of a longer name, as in arn:…:secret:…
    if name.is_word or (lower == "key" and before[-1:] in ("?", "&")):
        return False
    qualifier = compiled(r"([A-Z]?[a-z0-9]+|[A-Z0-9]+|[^\W\d_]+)(?:\n?[_\-. ]+)?\Z").search(before)
    if qualifier is None:
        return lower == "key"
    group = "public_keys" if lower.endswith("key") else "public_tokens"
    return qualifier[1].lower() in secret_words(group)


# ---------------------------------------------------------------- a value after its name


def _value_after(text: str, name: Name) -> ValueSpan | None:
    # everything up to the next space is the value of NAME=value
    variable = name.text.isupper() and compiled("(?P<variable>=)(?![= ])").match(text, name.stop)
    joint = variable or _joint().match(text, name.stop)
    if joint is None:
        return None
    form, start = joint.lastgroup, joint.end()
    if form == "tag":
        return _in_tag(text, start, name)
    opening = compiled(_OPENING).match(text, start) if form != "space" else None
    if opening:
        quoted = _closing(text, opening, is_variable=form == "variable")
        if quoted is not None:
            return (*quoted, True) if _is_quoted_secret(text[slice(*quoted)], name) else None
    run = compiled(_RUN).match(text, start)
    return None if run is None or form == "comma" else _unquoted(text, name, joint, run)


def _in_tag(text: str, start: int, name: Name) -> ValueSpan | None:
    """Return the value of <password>…</password>."""
    stop = text.find("</", start, start + _MAX_TAG)
    value = text[start:stop] if stop > start else " "
    is_value = len(value.split()) == 1 and is_secret(value, name.is_word, given=True)
    return (start, stop, True) if is_value else None


def _closing(text: str, opening: re.Match[str], is_variable: bool) -> tuple[int, int] | None:
    """Return the span of a value in quotes, or None if no quote closes it on its line.

    In NAME="value" only signs may follow the first quote, because the value may contain others.
    """
    mark = _CLOSINGS.get(opening[0], opening[0])
    closing = re.escape(mark)
    until_first = rf"(?:(?!{closing})[^\n]){{0,{_MAX_QUOTED}}}+{closing}{_AFTER_VARIABLE}"
    until_any = rf"[^\n]{{0,{_MAX_QUOTED}}}?{closing}" + _AFTER_QUOTE * mark.isascii()
    quoted = compiled(until_first if is_variable else until_any).match(text, opening.end())
    return quoted and (opening.end(), quoted.end() - len(mark))


def _is_quoted_secret(value: str, name: Name) -> bool:
    if len(value.split()) > 1:
        is_psk = name.text.lower() == "psk" and 8 <= len(value) <= _MAX_PSK
        return name.is_word and (is_phrase(value) or is_psk)
    return _is_pin(value) if name.is_pin else is_secret(value, name.is_word, given=True)


def _unquoted(text: str, name: Name, joint: re.Match[str], run: re.Match[str]) -> ValueSpan | None:
    form, start = joint.lastgroup, joint.end()
    is_variable = form == "variable"
    phrase = compiled(_PHRASE).match(text, start)
    if phrase and name.is_word and form not in ("space", "variable"):
        is_named = "phras" in name.text.lower() or name.text == "パスフレーズ" or "-" in phrase[0]
        is_value = is_named and is_phrase(phrase[0].replace("-", " "))
        return (start, phrase.end(), True) if is_value else None
    is_tight = form == "sign" and text[start - 1] in "=:"
    stop = _end(text, name, run, pairs=is_tight, tags=not is_variable)
    value, line = text[start:stop], text[start : start + _MAX_LINE].partition("\n")[0]
    if not value or is_expression(line, strict=is_variable):
        return None
    if not is_variable and compiled(_NO_WORD if name.is_word else _NO_KEY).match(value):
        return None
    if name.is_pin:
        return (start, stop, True) if _is_pin(value) else None
    if _is_unquoted_secret(text, name, joint, value):
        while stop - start >= _MAX_RUN and (more := compiled(_RUN).match(text, stop)):
            stop = more.end()
        return start, stop, True
    is_doubtful = name.is_word and form == "sign" and compiled("[a-z]{6,20}").fullmatch(value)
    return (start, stop, False) if is_doubtful and not is_common(value) else None


def _is_unquoted_secret(text: str, name: Name, joint: re.Match[str], value: str) -> bool:
    """Say whether a value without quotes is a secret; after a space or a verb it must be odd."""
    start, stop = joint.end(), joint.end() + len(value)
    before = text[max(0, name.start - 24) : name.start]
    match joint.lastgroup:
        case "variable":
            return is_secret(value, name.is_word, given=True)
        case "space":
            is_value = is_secret(value, name.is_word, given=False, code=True)
            if before.rfind("--") > before.rfind(" "):  # an option
                return is_value
            is_thing = is_technical(value) or is_wordy(value) or not has_digit(value)
            is_long = is_odd(value) if name.is_word else len(value) >= 16
            return is_value and is_long and not is_thing
        case "verb":
            if joint["verb"].strip() == "to" and compiled(_MAIL_ADDRESS).fullmatch(value):
                return False  # the recipient of the password
            is_unlike_word = is_odd(value) or is_random(value)
            return is_unlike_word and is_secret(value, name.is_word, given=False)
    is_joined = text[stop : stop + 1] in (";", "&") or before[-1:] in (";", "&", "?")
    given = is_joined and joint.lastgroup == "sign" and text[start - 1] == "="
    return is_secret(value, name.is_word, given, code=not given)


def _end(text: str, name: Name, run: re.Match[str], pairs: bool, tags: bool) -> int:
    """Return the end of a value without quotes.

    With `pairs` another name may follow without a space, with `tags` a tag.
    """
    start, stop = run.span()
    lead = compiled(r"([?&;\"'`])[\w.-]*\Z").search(text[max(0, name.start - 61) : name.start])
    following = _PAIR if pairs else ""
    if lead:
        following = "[&;#]" if lead[1] in "?&;" else lead[1]
    ends = (r"\[redacted:", r"</[A-Za-z][\w-]*>" if tags else "", following)
    end = compiled("|".join(filter(None, ends))).search(text, start + 1, min(len(text), stop + 40))
    stop = min(stop, end.start()) if end else stop
    least = max(start, stop - _MAX_TRIMMED)
    while stop > least and (text[stop - 1] in ".,:;!?*…|" or _is_unopened(text, start, stop)):
        stop -= 1
    return stop


def _is_unopened(text: str, start: int, stop: int) -> bool:
    """Say whether a value ends in a bracket or a quote that belongs to the text around it."""
    last = text[stop - 1]
    if last in "\"'`":
        return text.count(last, start, stop) % 2 == 1
    opener = _CLOSERS.get(last)
    return opener is not None and text.count(last, start, stop) > text.count(opener, start, stop)


def _is_pin(value: str) -> bool:
    return value.isdigit() and 4 <= len(value) <= 8


# ---------------------------------------------------------------- a value before its name


def _value_before(text: str, name: Name, done: int) -> ValueSpan | None:
    """Return the value of "use X as the password" and "X is the password"."""
    if compiled(r"[^\W_]|[_=(:-]").match(text, name.stop):
        return None
    start = max(done, name.start - 110)
    match = _as().search(text[start : name.start])
    if match is None:
        return None
    value = match[1].strip("\"'`“”(),.;:")
    start += match.start(1) + match[1].index(value)
    is_value = is_odd_password(value) and has_digit(value)
    is_value = is_value and is_secret(value, name.is_word, given=False, code=True)
    return (start, start + len(value), True) if is_value else None
