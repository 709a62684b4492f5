"""Find secrets in HTTP headers: credentials in `Authorization`, and session cookies."""

from collections.abc import Iterator

from ghostmem.text.near import SearchedText
from ghostmem.text.patterns import compiled
from ghostmem.text.placed import SecretSpan
from ghostmem.text.secret_values import is_random, is_reference
from ghostmem.text.secrets import is_placeholder

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


_MAX_LINE = 2000  # characters before a cookie that are searched for the name of the header


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
