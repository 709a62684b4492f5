"""Sessions of people with a browser: a one-time token or a typed one becomes a cookie, and writes
prove whose page made them.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie

from starlette.types import Scope

from ghostmem.errors import ForbiddenError
from ghostmem.web.guard import header
from ghostmem.web.refusals import Refused

COOKIE = "ghost_session"
CSRF = b"x-ghost-csrf"
MOST = 100  # sessions that are remembered; who has not called for longest is forgotten first
IDLE = 12 * 3600.0  # seconds without a request after which a session ends
SAFE = ("GET", "HEAD")


@dataclass(frozen=True, eq=False)
class Session:
    """A browser that was let in: as the owner by a one-time token, or with the token that was
    typed, or as whoever needs none.
    """

    csrf: str
    trusted: bool = False
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Visit:
    """What a call may ask about the one who makes it."""

    csrf: str = ""
    read_only: bool = False


_NOBODY = Visit()
_VISIT: ContextVar[Visit] = ContextVar("visit", default=_NOBODY)


def visit() -> Visit:
    """Return the present visit."""
    return _VISIT.get()


class Sessions:
    """Who is let in by cookie; secrets of cookies and of one-time tokens are kept as hashes, and
    end with the process.

    `strict` refuses even what says nothing, such as whether the server lives; `read_only` refuses
    every change."""

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
        self._open: OrderedDict[bytes, tuple[Session, float]] = OrderedDict()

    def ticket(self) -> str:
        """Return a one-time token."""
        made = secrets.token_urlsafe(32)
        self._tickets.append(_digest(made))
        return made

    def redeem(self, ticket: str) -> str | None:
        """Take a one-time token and return the cookie of a new session, or None when it was no good
        or used before.
        """
        given = _digest(ticket)
        found = [kept for kept in self._tickets if hmac.compare_digest(kept, given)]
        if not found:
            return None
        self._tickets.remove(found[0])
        return self.begin(Session(secrets.token_urlsafe(32), trusted=True))

    def begin(self, session: Session) -> str:
        """Remember a session and return its cookie."""
        made = secrets.token_urlsafe(32)
        self._open[_digest(made)] = (session, self._clock())
        while len(self._open) > MOST:
            self._open.popitem(last=False)
        return made

    def find(self, scope: Scope) -> Session | None:
        """Return the session that a request's cookie stands for."""
        given = cookie_of(scope)
        digest = _digest(given) if given else b""
        kept = self._open.pop(digest, None)
        if kept is None or self._clock() - kept[1] > IDLE:
            return None
        self._open[digest] = (kept[0], self._clock())
        return kept[0]

    def end(self, scope: Scope) -> None:
        """Forget the session of a request."""
        if given := cookie_of(scope):
            self._open.pop(_digest(given), None)

    def enter(self, scope: Scope, session: Session | None) -> None:
        """Say for the rest of the request whose it is.

        A write by cookie must carry what only our page knows.
        """
        if session is not None and scope["method"] not in SAFE and scope["raw_path"] != b"/sign-in":
            given = header(scope, CSRF) or ""
            if not hmac.compare_digest(given.encode(), session.csrf.encode()):
                raise Refused(
                    403,
                    "ForbiddenOrigin",
                    "this was not sent by the viewer's own page",
                    "reload the page, and try again",
                )
        _VISIT.set(Visit(session.csrf if session else "", self.read_only))


def refuse_writes(need: str) -> None:
    """Refuse everything but reading where the viewer was started so."""
    if need != "read" and visit().read_only:
        raise ForbiddenError(
            "this viewer only reads: nothing can be changed here",
            "start `ghost web` without --read-only",
        )


def cookie_name(scope: Scope) -> str:
    """Return the cookie's name; browsers share cookies between ports, so each port has its own."""
    server = scope.get("server")
    return f"{COOKIE}_{server[1]}" if server and server[1] else COOKIE


def cookie_of(scope: Scope) -> str:
    """Return the session's cookie of a request, or nothing."""
    name = cookie_name(scope)
    for key, value in scope["headers"]:
        if key == b"cookie":
            try:
                found = SimpleCookie(value.decode("latin-1")).get(name)
            except CookieError:
                continue
            if found is not None:
                return found.value
    return ""


def set_cookie(scope: Scope, value: str) -> str:
    """Return the header that sets the cookie, or with an empty value removes it."""
    end = "" if value else "; Max-Age=0"
    return f"{cookie_name(scope)}={value}; Path=/; HttpOnly; SameSite=Strict{end}"


def _digest(secret: str) -> bytes:
    return sha256(secret.encode(errors="replace")).digest()
