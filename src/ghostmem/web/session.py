"""Sessions of browsers: a token becomes a cookie, and writes carry a CSRF token."""

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from ghostmem.errors import ForbiddenError
from ghostmem.web.guard import header
from ghostmem.web.refusals import Refused

COOKIE = "ghost_session"
CSRF = b"x-ghost-csrf"
MAX_SESSIONS = (
    100  # sessions that are remembered; who has not called for longest is forgotten first
)
IDLE_SECONDS = 12 * 3600.0  # seconds without a request after which a session ends
SAFE = ("GET", "HEAD")


@dataclass(frozen=True, eq=False)
class WebSession:
    """A signed-in browser: the owner by a one-time token, or the holder of a token."""

    csrf: str
    trusted: bool = False
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Visit:
    """The session data that a request may ask for."""

    csrf: str = ""
    read_only: bool = False


_NOBODY = Visit()
VISIT: ContextVar[Visit] = ContextVar("visit", default=_NOBODY)


class WebSessions:
    """The signed-in browsers; secrets are kept as hashes and end with the process.

    `strict` also protects the health paths; `read_only` refuses every change.
    """

    def __init__(
        self,
        *,
        strict: bool = False,
        read_only: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.strict, self.read_only = strict, read_only
        self._clock = clock
        self._tickets: list[bytes] = []
        self._open: OrderedDict[bytes, tuple[WebSession, float]] = OrderedDict()

    def ticket(self) -> str:
        """Return a one-time token."""
        made = secrets.token_urlsafe(32)
        self._tickets.append(_digest(made))
        return made

    def redeem(self, ticket: str) -> str | None:
        """Return the cookie of a new session for a one-time token, or None if it is not valid."""
        digest = _digest(ticket)
        valid = [kept for kept in self._tickets if hmac.compare_digest(kept, digest)]
        if not valid:
            return None
        self._tickets.remove(valid[0])
        return self.begin(WebSession(secrets.token_urlsafe(32), trusted=True))

    def begin(self, session: WebSession) -> str:
        """Remember a session and return its cookie."""
        made = secrets.token_urlsafe(32)
        self._open[_digest(made)] = (session, self._clock())
        while len(self._open) > MAX_SESSIONS:
            self._open.popitem(last=False)
        return made

    def find(self, scope: Scope) -> WebSession | None:
        """Return the session of a request's cookie."""
        given = cookie_of(scope)
        digest = _digest(given) if given else b""
        kept = self._open.pop(digest, None)
        if kept is None or self._clock() - kept[1] > IDLE_SECONDS:
            return None
        self._open[digest] = (kept[0], self._clock())
        return kept[0]

    def end(self, scope: Scope) -> None:
        """Forget the session of a request."""
        if given := cookie_of(scope):
            self._open.pop(_digest(given), None)

    def enter(self, scope: Scope, session: WebSession | None) -> None:
        """Set the session for the rest of the request.

        A write by cookie must carry the CSRF token of the page.
        """
        if session is not None and scope["method"] not in SAFE and scope["raw_path"] != b"/sign-in":
            check_csrf(scope, session)
        VISIT.set(Visit(session.csrf if session else "", self.read_only))


def check_csrf(scope: Scope, session: WebSession | None) -> None:
    """Refuse a request that does not carry the CSRF token of its session."""
    given = (header(scope, CSRF) or "").encode()
    if session is None or not hmac.compare_digest(given, session.csrf.encode()):
        raise Refused(
            403,
            "ForbiddenOrigin",
            "this was not sent by the viewer's own page",
            "reload the page, and try again",
        )


def refuse_writes(need: str) -> None:
    """Refuse everything but reading where the viewer was started so."""
    if need != "read" and VISIT.get().read_only:
        raise ForbiddenError(
            "this viewer is read-only: nothing can be changed here",
            "start `ghost web` without --read-only",
        )


def cookie_name(scope: Scope) -> str:
    """Return the cookie's name; browsers share cookies between ports, so each port has its own."""
    server = scope.get("server")
    return f"{COOKIE}_{server[1]}" if server and server[1] else COOKIE


def cookie_of(scope: Scope) -> str:
    """Return the session cookie of a request, or an empty text."""
    return cookie_parser(Headers(scope=scope).get("cookie", "")).get(cookie_name(scope), "")


def set_cookie(scope: Scope, value: str) -> str:
    """Return the header that sets the cookie, or with an empty value removes it."""
    end = "" if value else "; Max-Age=0"
    return f"{cookie_name(scope)}={value}; Path=/; HttpOnly; SameSite=Strict{end}"


def _digest(secret: str) -> bytes:
    return sha256(secret.encode(errors="replace")).digest()
