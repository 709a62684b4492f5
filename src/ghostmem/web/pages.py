"""The viewer's page and its files, and the sign-in page."""

import gzip
import secrets
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qs

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ghostmem.admin.tokens import verify
from ghostmem.caller import Caller
from ghostmem.ghost import Ghost
from ghostmem.web.auth import unauthorised
from ghostmem.web.guard import header, only_get
from ghostmem.web.refusals import Refused
from ghostmem.web.session import WebSession, WebSessions, check_csrf, set_cookie

STATIC = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src {style}; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
PAGE_POLICY = POLICY.format(style="'self'")


class StaticFiles:
    """The files of the page, found by exactly their names.

    Each is read again when it has changed on disk.
    """

    def __init__(self, root: Path = STATIC) -> None:
        self._root = root
        self._kept: dict[str, tuple[int, bytes, str]] = {}

    def names(self) -> list[str]:
        """Return the names of all files."""
        return sorted(
            path.relative_to(self._root).as_posix()
            for path in self._root.rglob("*")
            if path.suffix in TYPES and path.is_file()
        )

    def read(self, name: str) -> tuple[bytes, str]:
        """Return a file and the hash of its content."""
        if name not in self._kept and name not in self.names():
            raise Refused(404, "NotFoundError", "there is no such file", "reload the page")
        path = self._root / name
        changed = path.stat().st_mtime_ns
        if name not in self._kept or self._kept[name][0] != changed:
            body = path.read_bytes()
            self._kept[name] = (changed, body, f'"{sha256(body).hexdigest()[:32]}"')
        return self._kept[name][1:]

    def answer(self, scope: Scope, name: str) -> Response:
        """Return a file, or 304 when the browser has it."""
        only_get(scope)
        body, etag = self.read(name)
        headers = {
            "ETag": etag,
            "Cache-Control": "no-cache",
            "Content-Security-Policy": PAGE_POLICY,
        }
        if header(scope, b"if-none-match") == etag:
            return Response(status_code=304, headers=headers)
        if "gzip" in (header(scope, b"accept-encoding") or ""):
            body = _packed(body)
            headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(body, 200, headers, TYPES[Path(name).suffix])


@cache
def _packed(body: bytes) -> bytes:
    return gzip.compress(body, 6, mtime=0)


def sign_in_app(ghost: Ghost, sessions: WebSessions, files: StaticFiles) -> ASGIApp:
    """Return the application for / and /sign-in, which also answers people without a session."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        scope["ghost.trace"].route = scope["raw_path"].decode()
        if scope["method"] == "POST":
            response = await _sign_in(ghost, sessions, Request(scope, receive))
        elif scope["raw_path"] == b"/":
            response = _front(scope, sessions, files)
        elif scope["method"] == "DELETE":
            response = _sign_out(scope, sessions)
        else:
            response = _sign_in_page(200)
        await response(scope, receive, send)

    return run


def _front(scope: Scope, sessions: WebSessions, files: StaticFiles) -> Response:
    """Answer at /: redeem a one-time token, show the viewer, or show the sign-in page."""
    only_get(scope)
    given = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=20).get("token")
    caller: Caller | None = scope["ghost.caller"]
    if given and scope["method"] == "GET" and (cookie := sessions.redeem(given[0])) is not None:
        return _signed_in(scope, cookie)
    if caller is None:
        if "text/html" not in (header(scope, b"accept") or ""):
            raise unauthorised(bool(given))
        return _sign_in_page(
            401, "That link was already used, or is not from this server." if given else ""
        )
    if given:
        return RedirectResponse("/", 303)
    response = files.answer(scope, "index.html")
    if scope["ghost.session"] is None and header(scope, b"authorization") is None:
        response.headers["Set-Cookie"] = set_cookie(
            scope, sessions.begin(WebSession(secrets.token_urlsafe(32)))
        )
    return response


async def _sign_in(ghost: Ghost, sessions: WebSessions, request: Request) -> Response:
    """Take a token that was typed into the form, or a one-time token."""
    body = (await request.body()).decode("latin-1")
    given = parse_qs(body, max_num_fields=20).get("token", [""])[0].strip()
    if (cookie := sessions.redeem(given)) is not None:
        return _signed_in(request.scope, cookie)
    if not given or await anyio.to_thread.run_sync(verify, ghost.store, given) is None:
        return _sign_in_page(
            401, "That token is not valid: it is wrong, has expired, or was revoked."
        )
    return _signed_in(
        request.scope, sessions.begin(WebSession(secrets.token_urlsafe(32), secret=given))
    )


def _sign_out(scope: Scope, sessions: WebSessions) -> Response:
    check_csrf(scope, scope["ghost.session"])
    sessions.end(scope)
    return Response(status_code=204, headers={"Set-Cookie": set_cookie(scope, "")})


def _signed_in(scope: Scope, cookie: str) -> Response:
    return RedirectResponse("/", 303, {"Set-Cookie": set_cookie(scope, cookie)})


def _sign_in_page(status: int, problem: str = "") -> Response:
    """Return the sign-in page; its styles are inline, because no file is served before.

    Its form is sent to the address of the page, so that the place after the # is kept.
    """
    about = f'<p class="problem" role="alert">{problem}</p>' if problem else ""
    body = _SIGN_IN.replace("<!-- style -->", f"<style>{_STYLE}</style>").replace(
        "<!-- problem -->", about
    )
    style = b64encode(sha256(_STYLE.encode()).digest()).decode()
    return Response(
        body,
        status,
        {
            "Content-Security-Policy": POLICY.format(style=f"'sha256-{style}'"),
            "Cache-Control": "no-store",
            # else the browser would not say that the form is ours
            "Referrer-Policy": "same-origin",
        },
        TYPES[".html"],
    )


_STYLE = (STATIC / "sign-in" / "sign-in.css").read_text(encoding="utf-8")
_SIGN_IN = (STATIC / "sign-in" / "sign-in.html").read_text(encoding="utf-8")
