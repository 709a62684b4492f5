"""Find secrets by their surroundings: in URLs, commands, headers and key blocks."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from ghostmem.text.near import SearchedText
from ghostmem.text.patterns import compiled
from ghostmem.text.secret_values import (
    NOT_PASSWORDS,
    is_odd,
    is_random,
    is_reference,
    is_technical,
    is_wordy,
)
from ghostmem.text.secrets import is_placeholder

SecretSpan = tuple[str, int, int, bool]  # kind, start, stop, whether it is certain

_URL = r"(?<=[A-Za-z0-9])://([^\s/:@\"'<>`]{0,128})(?=[:@])"
_AUTHORITY = r"[^\s\"'<>`]{1,300}+"
_HOST = (
    r"@(?=([A-Za-z0-9_${%][A-Za-z0-9_.${}%-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::[\d$]"
    r"|[/?#,;)\]}\\]|$|(?<=\.)[^A-Za-z0-9]))"
)
_PORT = r":[1-9]\d{1,4}(?:/|$)|:[1-9]\d{2,4}[?#]"
_WEB = ("http", "https", "ws", "wss", "ssh", "git")
_USER = r"[^\s:\"'$%/]{1,64}"
_ARGUMENT = r"[\"']?([^\s\"'$]{4,128})"
_PORTS = ("5432", "5433", "6432", "*")  # of the lines of .pgpass
# Passwords in calls of programs: a literal that the text must contain, and a pattern whose group 1
# is the password.
_CALLS = (
    (
        "login",
        r"(?<![A-Za-z0-9_])login\s{1,4}\S{1,128}\s{1,4}password\s{1,4}([^\s\"'`)，。]{1,256})",
    ),
    (
        "mysql",
        r"(?<![A-Za-z0-9_])mysql(?:dump|admin|show)?\b[^\n]{0,100}?"
        r"\s-p([^\s\-\"'$][^\s\"'$]{3,128})",
    ),
    (
        "curl",
        rf"(?<![A-Za-z0-9_])curl\b[^\n]{{0,200}}?\s(?:-u|--user|-U|--proxy-user)[ "
        rf"=]?[\"']?{_USER}:([^\s\"'$]{{4,128}})",
    ),
    ("http ", rf"(?<![A-Za-z0-9_])http\s[^\n]{{0,100}}?-a[ =][\"']?{_USER}:([^\s\"'$]{{4,128}})"),
    ("sshpass", rf"(?<![A-Za-z0-9_])sshpass\s{{1,3}}-p\s?{_ARGUMENT}"),
    ("requirepass", r"(?<![A-Za-z0-9_])(?:requirepass|masterauth)\s{1,3}[\"']?([^\s\"'$]{6,128})"),
    ("redis-cli", rf"(?<![A-Za-z0-9_])redis-cli\b[^\n]{{0,100}}?\s-a\s{_ARGUMENT}"),
    ("login", rf"(?<![A-Za-z0-9_])login\b[^\n]{{0,120}}?\s-p\s{_ARGUMENT}"),
    ("mongo", rf"(?<![A-Za-z0-9_])mongo\w{{0,10}}\b[^\n]{{0,120}}?\s-p\s{_ARGUMENT}"),
    ("ldap", rf"(?<![A-Za-z0-9_])ldap\w{{0,10}}\b[^\n]{{0,120}}?\s-w\s{_ARGUMENT}"),
    (
        "htpasswd",
        r"(?<![A-Za-z0-9_])htpasswd\s{1,3}-\w{0,4}b\w{0,4}\s{1,3}\S{1,128}\s{1,3}\S{1,64}\s{1,3}"
        + _ARGUMENT,
    ),
    (
        "ConvertTo-SecureString",
        r"ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?[\"']([^\"'\n$]{4,128})[\"']",
    ),
    ("pass:", r"(?<![A-Za-z0-9_])-pass(?:in|out)?\s{1,3}[\"']?pass:([^\s\"'$]{4,128})"),
    ("zip", rf"(?<![A-Za-z0-9_])(?:zip|unzip)\b[^\n]{{0,100}}?\s-P\s{_ARGUMENT}"),
    ("7z", r"(?<![A-Za-z0-9_])7z[az]?\b[^\n]{0,100}?\s-p([^\s\-\"'$][^\s\"'$]{3,128})"),
    (
        "smbclient",
        rf"(?<![A-Za-z0-9_])smbclient\b[^\n]{{0,200}}?\s-U\s?[\"']?{_USER}%([^\s\"'$]{{4,128}})",
    ),
    ("username=", r"(?<![A-Za-z0-9_])username=[^\s,]{1,64},pass(?:word)?=([^\s,\"'$]{4,128})"),
    ("IDENTIFIED BY", r"IDENTIFIED\s{1,3}BY\s{1,3}['\"]([^'\"\n]{4,128})['\"]"),
    ("identified by", r"identified\s{1,3}by\s{1,3}['\"]([^'\"\n]{4,128})['\"]"),
    ("PASSWORD '", r"PASSWORD\s{1,3}'([^'\n]{4,128})'"),
    ("/user:", rf"(?<![A-Za-z0-9_])net use\b[^\n]{{0,120}}?/user:\S{{1,64}}\s{_ARGUMENT}"),
    ("WIFI:", r"WIFI:[^\n]{0,100}?;P:((?:[^;\\\n]|\\.){4,128});"),
    *(
        (
            f":{port}:",
            rf"(?m)(?<!\S)[\w.*-]{{1,253}}:{re.escape(port)}"
            r":[\w*-]{1,64}:[\w*.-]{1,64}:(\S{4,128})$",
        )
        for port in _PORTS
    ),
    (
        "chpasswd",
        r"[\"']?[a-z_][\w-]{0,32}:([^\s\"'$]{4,128})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s)?chpasswd",
    ),
)
# A user and a password: in a call, and after a word such as "login".
_PAIRS = (
    (
        ('("', "('", '( "', "( '"),
        r"(?i)(?:auth|login|credential|sign_?in|connect|authenticate)\w{0,20}\s?=?\s?\(\s{0,4}"
        r"(?:[\"'][^\"'\n:/]{0,40}[:/][^\"'\n]{1,200}[\"']\s{0,4},\s{0,4})?"
        r"[\"'][^\"'\n]{1,64}[\"']\s{0,4},\s{0,4}[\"']([^\"'\n\s]{4,128})[\"']",
    ),
    (
        tuple(
            "login,log-in,creds,credentials,zugangsdaten,anmeldung,basic "
            "auth,basic-auth,basicauth,identifiants,credenciales"
            ",credenziali,логин,user pass,userpass,user/pass,username "
            "pass,usernamepass,username/pass,and pass".split(",")
        ),
        r"(?i)(?<![A-Za-z0-9_])(?:log-?ins?|cred(?:ential)?s|zugangsdaten|anmeldung|basic[ "
        r"-]?auth|identifiants"
        r"|credenciales|credenziali|логин|user(?:name)?[ /]?(?:and )?pass(?:word)?)(?: "
        r"[^\s:=]{1,20}){0,4}\s{0,2}[:=]?\s{1,3}"
        r"[`\"']?[\w.@+-]{2,64}[`\"']?\s{0,2}[/:|]\s{0,2}[`\"']?([^\s`\"',;]{6,128})",
    ),
)
_CODE = r"(?=[A-Za-z-]{0,20}\d)[0-9A-Za-z]{3,10}(?:-[0-9A-Za-z]{3,10}){0,7}(?![0-9A-Za-z-])"
_CODES = (
    r"(?i)(?<![A-Za-z0-9])(?:recovery|backup|2fa|mfa|rescue|scratch|one-time|emergency)[ _-]codes?"
    r"[^\n:=]{0,40}?(?:[:=]|is|are)\s{1,4}"
    rf"((?:\d{{1,2}}[.)] )?{_CODE}(?:[\s,;]{{1,4}}(?:\d{{1,2}}[.)] )?{_CODE}){{0,31}})"
)
_HEADING = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"|PuTTY-User-Key-File-\d: [^\n]{1,60}"
)
_ENDING = r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]{20,}"
# without an end: long lines, headers, characters around them, and one shorter line
_BODY = (
    r"(?:\s|\\+[nr]|[\"'>|,+]|[A-Z][A-Za-z-]{1,20}: [^\n\\]{0,200}|[A-Za-z0-9+/=]{32,})*+"
    r"(?:(?<!\n\n)[A-Za-z0-9+/]{1,31}={0,2}(?=\s{0,8}\n|\s{0,8}$|\\|\"|'))?"
)
_MAX_BLOCK = 65_536  # characters of a private key in its block
_MAX_CALL = 600  # characters of a command or a call that are read
_MAX_CODES = 3_000  # characters of a list of recovery codes that are read
CODE_LITERALS = tuple(
    f"{word}{sign}code"
    for word in "recovery backup 2fa mfa rescue scratch one-time emergency".split()
    for sign in " _-"
)

_AUTHORIZATION = (
    r"(?i:(?:proxy-)?authorization)\\?[\"']?\]?\s{0,3}[:=,]\s{0,3}\\?[\"'`]?"
    r"(?:[A-Za-z][A-Za-z0-9_-]{1,24}(?:\s{1,3}(?:token=|apikey=|key=)?\\?[\"']?))?"
    r"([A-Za-z0-9_~+/.=:-]{8,4096}+)"
)
# Names of session cookies; a prefix may come before them.
_COOKIE = (
    r"(?<![A-Za-z0-9])((?:__(?:Host|Secure)-)?(?:[A-Za-z0-9.]{1,32}[_.-]){0,3}"
    r"(?i:phpsessid|jsessionid|aspsessionid[a-z]{0,8}|asp\.net_sessionid|connect\.sid|sessionid"
    r"|session_?id|session|sess|sid|aspxauth|aspnetcore\.\w{1,30}|cfid|cftoken"
    r"|wordpress_logged_in_\w{1,40}|remember_?(?:me|web|token)\w{0,50}|auth|jwt|sso|li_at"
    r"|user_session|auth_?token|access_?token|refresh_?token|id_?token|login_?token"
    r"|session_?token|session-token))"
    r"=[\"']?([A-Za-z0-9%_.~+/:|-]{16,4096}+=*+)"
)
_COOKIE_LINE = r"(?i)(?:cookie\\?[\"']?\s{0,3}[:=]|--cookie|-b\s|set-cookie|document\.cookie)"
# parts of names that only the session cookies of frameworks have
_FRAMEWORK = tuple(
    "phpsessid jsessionid aspsession asp.net_session aspnetcore aspxauth connect.sid _session"
    " wordpress_logged".split()
)
_LITERALS = ("cookie", "-b", *_FRAMEWORK)
_COOKIE_NAMES = tuple(
    "sessid= sessionid= session_id= session= sess= sid= auth= jwt= sso= li_at= token= cfid="
    " aspsession aspnetcore wordpress_logged_in_ remember".split()
)


# Of these literals a text has at least one if a search finds something in it.
KEY_LITERALS = ("PRIVATE KEY", "PuTTY-User-Key")
URL_LITERALS = ("://",)
CALL_LITERALS = (
    *(literal for literal, _ in _CALLS),
    *(literal for literals, _ in _PAIRS for literal in literals),
)
HEADER_LITERALS = ("authorization", *_LITERALS)

_MAX_LINE = 2000  # characters before a cookie that are searched for the name of the header


def in_urls(source: SearchedText) -> Iterator[SecretSpan]:
    """Yield passwords and tokens in URLs: scheme://user:password@host, scheme://token@host."""
    if len(source.literals_in(("://", "@"))) < 2:
        return
    text, done = source.text, 0
    for match in compiled(_URL).finditer(text):
        if match.start() < done:
            continue
        if text[match.end()] == "@":
            if _is_url_token(match[1]):
                yield "url token", *match.span(1), True
            continue
        scheme = compiled(r"[a-z0-9+.-]+$").search(text[max(0, match.start() - 20) : match.start()])
        end = _password_end(text, match.end(), scheme is not None and scheme[0] in _WEB)
        value = text[match.end() + 1 : end]
        if _is_url_token(match[1]) and end:
            yield "url token", *match.span(1), True
        if len(set(value)) > 1 and _may_be_password(value, value.strip("<>[]{}*$%")):
            done = end
            yield "password", match.end() + 1, end, True


def _password_end(text: str, colon: int, web: bool) -> int:
    """Return the position of the `@` after the password of a URL, or 0 if it has none.

    The password may itself contain `@`, `/` and `:`. A host follows it. A port after the colon
    means that the host came before it.
    """
    run = compiled(_AUTHORITY).match(text, colon)
    if run is None or (web and compiled(_PORT).match(text, colon, run.end())):
        return 0
    query = compiled(r"\?[A-Za-z_]{2,}=").search(text, colon, run.end())
    hosts = list(compiled(_HOST).finditer(text, colon + 2, run.end()))
    if query:
        hosts = [host for host in hosts if host.start() < query.start()] or hosts
    if not hosts:
        return 0
    slash = min(
        (at for mark in "/?#" if (at := text.find(mark, colon, run.end())) >= 0), default=run.end()
    )
    # An `@` after the path of a web address may be part of the path, as in
    # https://user:word@host.org/@scope/name@1.2
    near = [host for host in hosts if host.start() < slash and "." in host[1].strip(".")]
    return (near[-1] if near and web else hosts[-1]).start()


def recovery_codes(source: SearchedText) -> Iterator[SecretSpan]:
    """Yield recovery codes, which replace a second factor."""
    for match in _matches(source, CODE_LITERALS, _CODES, lower=True, after=_MAX_CODES):
        if len(match[1]) >= 6:
            yield "recovery code", *match.span(1), True


def _may_be_password(value: str, word: str) -> bool:
    """Say whether a value is no common word, no placeholder and no reference."""
    is_common = word.lower() in NOT_PASSWORDS
    return not is_common and not is_placeholder(value) and not is_reference(value)


def _is_url_token(user: str) -> bool:
    return (
        len(user) >= 20
        and is_random(user)
        and not is_wordy(user)
        and not is_placeholder(user)
        and not is_reference(user)
    )


def called(source: SearchedText) -> Iterator[SecretSpan]:
    """Yield passwords in calls, in .netrc, and in pairs of a user and a password."""
    likely = set(source.literals_in([literal for literal, _ in _CALLS]))
    for literal, pattern in _CALLS if likely else ():
        for match in _matches(source, (literal,), pattern) if literal in likely else ():
            if _may_be_password(match[1], match[1]):
                yield "password", *match.span(1), True
    for literals, pattern in _PAIRS:
        for match in _matches(source, literals, pattern, lower=True):
            value = match[1]
            if is_wordy(value) and len(value) < 10:
                continue
            if (
                is_odd(value)
                and not is_technical(value)
                and not is_placeholder(value)
                and not is_reference(value)
            ):
                yield "password", *match.span(1), True


def _matches(
    source: SearchedText,
    literals: tuple[str, ...],
    pattern: str,
    lower: bool = False,
    after: int = _MAX_CALL,
) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern, searched around its literals only."""
    for start, stop in source.around(literals, _MAX_CALL, after, lower):
        yield from compiled(pattern).finditer(source.text, start, stop)


def key_blocks(source: SearchedText) -> Iterator[SecretSpan]:
    r"""Yield private keys in their blocks, also on one line with `\n`, and without an end."""
    if not source.literals_in(KEY_LITERALS):
        return
    text = source.text
    starts = list(compiled(_HEADING).finditer(text))
    ends = [match.end() for match in compiled(_ENDING).finditer(text)]
    for number, start in enumerate(starts):
        limit = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        place = bisect_left(ends, start.end())
        end = ends[place] if place < len(ends) else limit + 1
        if end > limit or end - start.end() > _MAX_BLOCK:
            body = compiled(_BODY).match(text, start.end(), min(limit, start.end() + _MAX_BLOCK))
            end = body.end() if body else start.end()
            end = start.end() + len(text[start.end() : end].rstrip())
        if compiled("[A-Za-z0-9+/]{20}").search(text, start.end(), end):
            yield "private key", start.start(), end, True


def in_headers(source: SearchedText) -> Iterator[SecretSpan]:
    """Yield the credentials in `Authorization` headers and in session cookies."""
    text = source.text
    for start, stop in source.around(("authorization",), 8, 100, lower=True):
        for match in compiled(_AUTHORIZATION).finditer(text, start, stop):
            if is_random(match[1]) and not is_reference(match[1]) and not is_placeholder(match[1]):
                yield "credentials", *match.span(1), True
    if source.literals_in(_LITERALS, lower=True):
        for start, stop in source.around(_COOKIE_NAMES, 160, 100, lower=True):
            yield from _cookies(text, start, stop)


def _cookies(text: str, start: int, stop: int) -> Iterator[SecretSpan]:
    """Yield cookies of frameworks anywhere, and others on the line of a cookie header."""
    for match in compiled(_COOKIE).finditer(text, start, stop):
        name, value = match[1].lower(), match[2]
        if not is_random(value) or is_placeholder(value) or is_reference(value):
            continue
        first = max(0, match.start() - _MAX_LINE)
        line = text[max(first, text.rfind("\n", first, match.start())) : match.start()]
        if any(part in name for part in _FRAMEWORK) or compiled(_COOKIE_LINE).search(line):
            yield "session cookie", *match.span(2), True
