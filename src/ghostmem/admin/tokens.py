"""tokens: who may call over the network, and what they may do where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ghostmem.caller import SCOPES, Caller
from ghostmem.clock import later, parse_ttl
from ghostmem.errors import ConflictError, InvalidInputError, NotFoundError
from ghostmem.ids import is_ulid
from ghostmem.model import Token, is_namespace
from ghostmem.store import validate
from ghostmem.store.lookup import bookkeep
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

PREFIX = "ghost_"
SECRET_BYTES = 32
NOTED = timedelta(hours=1)  # how exactly it is known when a token was last used


def create_token(
    store: Store, name: str, grants: Iterable[str], *, expires: str | None = None
) -> tuple[str, Token]:
    """Make a token; return its secret, which is nowhere else afterwards, and the record of it.

    `grants` are texts such as `agent:me:read`: a namespace, a prefix (`agent:*`) or `*`, then read,
    write or admin, of which each includes those before it. `expires` is a duration such as 90d;
    without one the token is good until it is revoked."""
    import secrets

    label = validate.label(name, "token name") or ""
    if not label.strip():
        raise InvalidInputError("a token needs a name", "say who will use it, such as ci or laptop")
    if isinstance(grants, str):
        raise InvalidInputError(
            f"grants must be a list, not the text {validate.shown(grants)}",
            "pass grants=['agent:me:read']",
        )
    given = tuple(dict.fromkeys(":".join(parse_grant(grant)) for grant in grants))
    if not given:
        raise InvalidInputError(
            "a token needs at least one grant", "give NS:SCOPE, such as agent:me:write or *:read"
        )
    length = None if expires is None else parse_ttl(expires, "expires")
    with store.engine.write() as tx:
        now = store.clock()
        if any(known.name == label and known.is_live(now) for known in tx.tokens.all()):
            raise ConflictError(
                f"there is a token named {label!r}", "choose another name, or revoke that one first"
            )
        token = Token(
            store.new_id(now), label, given, now, None if length is None else later(now, length)
        )
        secret = f"{PREFIX}{token.id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        tx.tokens.add(token, digest(secret))
    return secret, token


def list_tokens(store: Store) -> list[Token]:
    """Return every token, oldest first, with those that expired or were revoked."""
    with store.engine.read() as tx:
        return tx.tokens.all()


def revoke_token(store: Store, token: str) -> Token:
    """Make a token open nothing any more, from the next request on."""
    with store.engine.write() as tx:
        now = store.clock()
        found = _named(tx, validate.text(token, "token"), now)
        if found.revoked_at is not None:
            raise ConflictError(
                f"token {found.name!r} was revoked already", "`ghost token list` shows when"
            )
        tx.tokens.revoke(found.id, now)
    return replace(found, revoked_at=now)


def verify(store: Store, secret: str) -> Caller | None:
    """Return who has this secret; None when nobody has, or the token expired or was revoked."""
    import hmac

    token_id, _, rest = secret.removeprefix(PREFIX).partition("_")
    if not secret.startswith(PREFIX) or not is_ulid(token_id) or not rest:
        return None
    now = store.clock()
    with store.engine.read() as tx:
        found = tx.tokens.get(token_id)
    if (
        found is None
        or not hmac.compare_digest(found[1], digest(secret))
        or not found[0].is_live(now)
    ):
        return None
    token = found[0]
    _note_use(store, token, now)
    return Caller(token.name, tuple(parse_grant(grant) for grant in token.grants))


def ever_made(store: Store) -> bool:
    """Say whether the store has had a token.

    From then on an owner without one is not believed over the network.
    """
    with store.engine.read() as tx:
        return tx.tokens.any()


def parse_grant(grant: str) -> tuple[str, str]:
    """Read `NS:SCOPE`; the scope stands after the last colon."""
    ns, _, scope = validate.text(grant, "grant").rpartition(":")
    if scope not in SCOPES or not ns:
        raise InvalidInputError(
            f"invalid grant {validate.shown(grant)}",
            f"write NS:SCOPE with a scope of {', '.join(SCOPES)}",
        )
    if ns != "*" and not is_namespace(
        ns.removesuffix("*").removesuffix(":") if ns.endswith("*") else ns
    ):
        raise InvalidInputError(
            f"invalid namespace in grant {validate.shown(grant)}",
            "name one, a prefix such as agent:*, or * for all",
        )
    return ns, scope


def digest(secret: str) -> str:
    """Return what is stored of a secret; it is random, so one round of SHA-256 is enough."""
    import hashlib

    return hashlib.sha256(secret.encode()).hexdigest()


def _named(tx: Transaction, name: str, now: datetime) -> Token:
    """Find a token by its id, or a name; of several of that name the live one."""
    if (found := tx.tokens.get(name)) is not None:
        return found[0]
    same = [token for token in tx.tokens.all() if token.name == name]
    if not same:
        raise NotFoundError(
            f"there is no token {validate.shown(name)}", "`ghost token list` shows them"
        )
    return next((token for token in same if token.is_live(now)), same[-1])


def _note_use(store: Store, token: Token, now: datetime) -> None:
    """Write down the use, seldom, and never in the way of the request."""
    if token.last_used_at is None or now - token.last_used_at >= NOTED:
        bookkeep(store, lambda tx: tx.tokens.used(token.id, now))
