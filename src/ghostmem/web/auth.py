"""The caller of a request: a bearer token, a session cookie, or the owner if no token exists."""

import math
from contextlib import ExitStack
from functools import partial

import anyio.to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from ghostmem.admin.tokens import has_tokens, verify
from ghostmem.caller import AGENT, CALLER, CLIENT, LOOKING, OWNER, Caller
from ghostmem.ghost import Ghost
from ghostmem.web.guard import OPEN, header
from ghostmem.web.rate import Rate, neighbourhood
from ghostmem.web.refusals import Refused
from ghostmem.web.session import WebSession, WebSessions

# When a token is needed.
ALWAYS = "always"
IF_ANY = (
    "if-any"  # as soon as the store has had one; revoking the last does not open the server again
)
NEVER = "never"
MAX_CREDENTIAL = 256


def authenticated(
    app: ASGIApp,
    ghost: Ghost,
    require_tokens: str,
    rate: Rate,
    sessions: WebSessions | None = None,
    sign_in_app: ASGIApp | None = None,
) -> ASGIApp:
    """Return the application behind the checks of credentials and of the request rate.

    With `sessions`, cookies are accepted too, and other people get the pages of `sign_in_app`.
    """

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        address = neighbourhood(client[0] if client else "")
        if scope["raw_path"] in OPEN and not (sessions is not None and sessions.strict):
            _slow_down(rate.wait(address))
            await app(scope, receive, send)
            return
        secret = _secret(header(scope, b"authorization"))
        session = sessions.find(scope) if sessions is not None and secret is None else None
        caller = await anyio.to_thread.run_sync(_known, ghost, secret, session, require_tokens)
        if caller is not None and sessions is not None and sessions.read_only:
            caller = Caller(caller.name, tuple((ns, "read") for ns, _ in caller.grants))
        # a name may hold a colon, an address of a client none of ours
        counted = f"token {caller.name}" if caller is not None and secret is not None else address
        _slow_down(rate.wait(counted))
        scope["ghost.charge"] = partial(rate.charge, counted)
        scope["ghost.known"] = partial(_known, ghost, secret, session, require_tokens)
        scope["ghost.caller"], scope["ghost.session"] = (
            caller,
            session if caller is not None else None,
        )
        # these answer people who are not let in yet
        if sign_in_app is not None and scope["raw_path"] in (b"/", b"/sign-in"):
            await sign_in_app(scope, receive, send)
            return
        if caller is None:
            raise unauthorised(secret is not None)
        scope["ghost.trace"].caller = caller.name
        with ExitStack() as stack:
            stack.callback(CALLER.reset, CALLER.set(caller))
            stack.callback(CLIENT.reset, CLIENT.set("web" if session else caller.name))
            stack.callback(LOOKING.reset, LOOKING.set(bool(session)))
            # a program: what it puts without a source is not the user's
            stack.callback(AGENT.reset, AGENT.set(secret is not None))
            if sessions is not None:
                sessions.enter(scope, session)
            await app(scope, receive, send)

    return run


def _known(
    ghost: Ghost, secret: str | None, session: WebSession | None, require_tokens: str
) -> Caller | None:
    """Return the caller of a request, or None.

    A session that was started with a token is valid only as long as that token.
    """
    if session is not None and session.trusted:
        return OWNER
    secret = secret if session is None else session.secret
    if secret is not None:
        return verify(ghost.store, secret)
    needed = require_tokens == ALWAYS or (require_tokens == IF_ANY and has_tokens(ghost.store))
    return None if needed else OWNER


def _secret(given: str | None) -> str | None:
    """Return the credential of a header; anything but a bearer token becomes an empty one."""
    if given is None:
        return None
    scheme, _, secret = given.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" and len(given) <= MAX_CREDENTIAL else ""


def _slow_down(seconds: float) -> None:
    if seconds > 0:
        raise Refused(
            429,
            "TooManyRequests",
            "too many requests",
            f"try again in {math.ceil(seconds)} s; large bodies count as many requests",
            Retry_After=str(math.ceil(seconds)),
        )


def unauthorised(given: bool) -> Refused:
    """Return the same refusal for every invalid token, whatever is wrong with it."""
    return Refused(
        401,
        "Unauthorized",
        "this token is not valid" if given else "a token is needed",
        "send `Authorization: Bearer …`; `ghost token create` creates one",
        WWW_Authenticate='Bearer realm="ghost"' + (', error="invalid_token"' if given else ""),
    )
