"""Secrets that their surroundings betray: passwords in URLs and command lines, private keys in their blocks."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache

from ghostmem.text.secrets import is_placeholder

Found = tuple[str, int, int, bool]  # kind, start, stop, sure

# What stands behind a name of a password and is none.
SCHEMA = frozenset(
    (
        "string str text bytes required optional none null nil undefined true false yes no on off password passwd pass pwd"
        " pw secret token hidden empty unset missing invalid valid expired wrong default changeme change-me change_me example"
        " sample dummy test foo bar baz xxx redacted masked omitted encrypted plain plaintext number integer boolean object"
        " array any unknown never input field label value bearer basic jwt oauth oauth2 api key user admin root username"
        " reset forgot forgotten confirm new old current"
    ).split()
)
_REFERENCE = (
    r"[$%]?[{(<\[]|\$[A-Za-z_]\w*$|%\w+%$|%[sdr]$|@|(?:file|vault|op|arn|env|ssm|sops|secretsmanager|projects|https?)[:/]"
    r"|!|/|~/|\.{1,2}/|--?[a-z]|\*+$|\.+$|_+$|\?+$"
)
_URL = r"(?<=[A-Za-z0-9])://[^\s/:@\"'<>`]{0,128}:([^\s/\"'<>`]{1,256})@(?=[A-Za-z0-9\[_$%{-])"
_CALLS = (
    ("login", r"(?<![A-Za-z0-9_])login\s{1,4}\S{1,128}\s{1,4}password\s{1,4}([^\s\"'`)，。]{1,256})"),
    ("mysql", r"(?<![A-Za-z0-9_])mysql(?:dump|admin)?\b[^\n]{0,100}?\s-p([^\s\-\"'$][^\s\"'$]{3,128})"),
    ("curl", r"(?<![A-Za-z0-9_])curl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'$]{1,64}:([^\s\"'$]{4,128})"),
    ("sshpass", r"(?<![A-Za-z0-9_])sshpass\s{1,3}-p\s?[\"']?([^\s\"'$]{4,128})"),
    ("requirepass", r"(?<![A-Za-z0-9_])requirepass\s{1,3}([^\s\"'$]{6,128})"),
)
_HEADING = r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d: [^\n]{1,60}"
_ENDING = r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]{20,}"
_BODY = (  # without an end: long lines, headers and what may stand around them, and one shorter line
    r"(?:\s|\\+[nr]|[\"'>|,+]|[A-Z][A-Za-z-]{1,20}: [^\n\\]{0,200}|[A-Za-z0-9+/=]{32,})*+"
    r"(?:(?<!\n\n)[A-Za-z0-9+/]{1,31}={0,2}(?=\s{0,8}\n|\s{0,8}$|\\|\"|'))?"
)
_LONGEST_BLOCK = 65_536


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a pattern when it is first needed."""
    return re.compile(pattern, flags)


def is_reference(value: str) -> bool:
    """Say whether a value tells where the secret is, rather than the secret: a variable, a template, a path, stars."""
    return compiled(_REFERENCE).match(value) is not None


def in_urls(text: str) -> Iterator[Found]:
    """Find passwords in URLs: scheme://user:password@host."""
    if "://" not in text or "@" not in text:
        return
    for match in compiled(_URL).finditer(text):
        value = match[1]
        plain = value.lower().strip("<>[]{}*$%")
        if plain not in SCHEMA and not is_placeholder(value) and not is_reference(value) and len(set(value)) > 1:
            yield "password", *match.span(1), True


def called(text: str) -> Iterator[Found]:
    """Find passwords that are handed to programs, and those of .netrc."""
    for literal, pattern in _CALLS:
        if literal not in text:
            continue
        for match in compiled(pattern).finditer(text):
            value = match[1]
            if value.lower() not in SCHEMA and not is_placeholder(value) and not is_reference(value):
                yield "password", *match.span(1), True


def key_blocks(text: str) -> Iterator[Found]:
    r"""Find private keys in their blocks, also on one line with `\n` in it, and also without an end."""
    if "PRIVATE KEY" not in text and "PuTTY-User-Key" not in text:
        return
    starts = list(compiled(_HEADING).finditer(text))
    ends = [match.end() for match in compiled(_ENDING).finditer(text)]
    for number, start in enumerate(starts):
        limit = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        place = bisect_left(ends, start.end())
        end = ends[place] if place < len(ends) else limit + 1
        if end > limit or end - start.end() > _LONGEST_BLOCK:
            body = compiled(_BODY).match(text, start.end(), min(limit, start.end() + _LONGEST_BLOCK))
            end = body.end() if body else start.end()
            end = start.end() + len(text[start.end() : end].rstrip())
        if compiled("[A-Za-z0-9+/]{20}").search(text, start.end(), end):
            yield "private key", start.start(), end, True
