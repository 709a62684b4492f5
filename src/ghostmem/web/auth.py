"""Who is calling: a bearer token, or the owner where no token was ever made."""

import math
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from ghostmem.caller import CALLER, CLIENT, OWNER, Caller
from ghostmem.verbs.tokens import ever_made, verify
from ghostmem.web.guard import OPEN, header
from ghostmem.web.rate import Rate, neighbourhood
from ghostmem.web.refusals import Refused

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

# When a token is needed.
ALWAYS = "always"
IF_ANY = "if-any"  # as soon as the store has had one; revoking the last does not open the door again
NEVER = "never"
_LONGEST = 256  # characters of a credential that are looked at


def authenticated(app: ASGIApp, ghost: "Ghost", require_tokens: str, rate: Rate) -> ASGIApp:
    """Return the application behind the check of tokens and of how often somebody calls."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        address = neighbourhood(client[0] if client else "")
        if scope["raw_path"] in OPEN:
            _slow_down(rate.wait(address))
            await app(scope, receive, send)
            return
        secret = _secret(header(scope, b"authorization"))
        caller = await anyio.to_thread.run_sync(_identify, ghost, secret, require_tokens)
        # a name may hold a colon, an address of a client none of ours
        _slow_down(rate.wait(f"token {caller.name}" if caller is not None and secret is not None else address))
        if caller is None:
            raise _unauthorised(secret is not None)
        scope["ghost.trace"].caller = caller.name
        before, client = CALLER.set(caller), CLIENT.set(caller.name)
        try:
            await app(scope, receive, send)
        finally:
            CALLER.reset(before)
            CLIENT.reset(client)

    return run


def _secret(given: str | None) -> str | None:
    """Return the credential of a header; whatever is not one of ours opens nothing."""
    if given is None:
        return None
    scheme, _, secret = given.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" and len(given) <= _LONGEST else ""


def _identify(ghost: "Ghost", secret: str | None, require_tokens: str) -> Caller | None:
    if secret is not None:
        return verify(ghost.store, secret)
    needed = require_tokens == ALWAYS or (require_tokens == IF_ANY and ever_made(ghost.store))
    return None if needed else OWNER


def _slow_down(seconds: float) -> None:
    if seconds > 0:
        raise Refused(429, "TooManyRequests", "too many requests", "wait a moment", Retry_After=str(math.ceil(seconds)))


def _unauthorised(given: bool) -> Refused:
    """Say the same of every token that is not good, whatever is wrong with it."""
    if given:
        message, challenge = "this token is not good", 'Bearer realm="ghost", error="invalid_token"'
    else:
        message, challenge = "a token is needed", 'Bearer realm="ghost"'
    hint = "send `Authorization: Bearer …`; `ghost token create` makes one"
    return Refused(401, "Unauthorized", message, hint, WWW_Authenticate=challenge)
