"""Tokens for access over the network, each with grants for namespaces."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from ghostmem.caller import SCOPES, Caller
from ghostmem.clock import later, parse_ttl
from ghostmem.errors import ConflictError, InvalidInputError, NotFoundError
from ghostmem.ids import is_ulid
from ghostmem.model import Token, is_namespace
from ghostmem.store import Store, Transaction, bookkeep, validate

PREFIX = "ghost_"
SECRET_BYTES = 32
EXAMPLE = "`ghost token create laptop --grant agent:me:write`"
USE_PRECISION = timedelta(hours=1)  # of the time of last use


def create_token(
    store: Store, name: str, grants: Iterable[str], *, expires: str | None = None
) -> tuple[str, Token]:
    """Create an access token for network callers; its secret is returned only once.

    Args:
        name: Name of the token.
        grants: Texts such as "agent:me:read": a namespace or prefix, then read, write or admin.
        expires: Lifetime, such as "90d"; default: unlimited.

    Raises:
        ConflictError: Another token has that name.
    """
    label = validate.label(name, "token name") or ""
    if not label.strip():
        raise InvalidInputError("a token needs a name", f"say who will use it, as in {EXAMPLE}")
    checked = tuple(
        dict.fromkeys(
            ":".join(parse_grant(grant))
            for grant in validate.items(grants, "grants", "'agent:me:read'")
        )
    )
    if not checked:
        raise InvalidInputError(
            "a token needs at least one grant", f"give NS:SCOPE, as in {EXAMPLE}"
        )
    length = None if expires is None else parse_ttl(expires, "expires")
    with store.engine.write() as tx:
        now = store.clock()
        if any(stored.name == label and stored.is_live(now) for stored in tx.tokens.all()):
            raise ConflictError(
                f"there is a token named {label!r}", "choose another name, or revoke that one first"
            )
        token = Token(
            store.new_id(now), label, checked, now, None if length is None else later(now, length)
        )
        secret = f"{PREFIX}{token.id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        tx.tokens.add(token, digest(secret))
    return secret, token


def list_tokens(store: Store) -> list[Token]:
    """Return all access tokens, oldest first, including expired and revoked ones."""
    with store.engine.read() as tx:
        return tx.tokens.all()


def revoke_token(store: Store, token: str) -> Token:
    """Revoke an access token by its id or name.

    Args:
        token: Id or name of the token.

    Raises:
        ConflictError: It was already revoked.
    """
    with store.engine.write() as tx:
        now = store.clock()
        stored = _find(tx, validate.text(token, "token"), now)
        if stored.revoked_at is not None:
            raise ConflictError(
                f"token {stored.name!r} was already revoked", "`ghost token list` shows when"
            )
        tx.tokens.revoke(stored.id, now)
    return replace(stored, revoked_at=now)


def verify(store: Store, secret: str) -> Caller | None:
    """Return the caller with this secret; None if it is unknown, expired or revoked."""
    token_id, _, random_part = secret.removeprefix(PREFIX).partition("_")
    if not secret.startswith(PREFIX) or not is_ulid(token_id) or not random_part:
        return None
    now = store.clock()
    with store.engine.read() as tx:
        stored = tx.tokens.get(token_id)
    if stored is None:
        return None
    token, stored_digest = stored
    if not hmac.compare_digest(stored_digest, digest(secret)) or not token.is_live(now):
        return None
    if token.last_used_at is None or now - token.last_used_at >= USE_PRECISION:
        bookkeep(store, lambda tx: tx.tokens.used(token.id, now))
    return Caller(token.name, tuple(parse_grant(grant) for grant in token.grants))


def has_tokens(store: Store) -> bool:
    """Say whether a token was ever created; from then on the network requires one."""
    with store.engine.read() as tx:
        return tx.tokens.any()


def parse_grant(grant: str) -> tuple[str, str]:
    """Return the namespace and the scope of `NS:SCOPE`."""
    ns, _, scope = validate.text(grant, "grant").rpartition(":")
    if scope not in SCOPES or not ns:
        raise InvalidInputError(
            f"invalid grant {validate.shown(grant)}",
            f"write NS:SCOPE with a scope of {', '.join(SCOPES)}, as in {EXAMPLE}",
        )
    if ns != "*" and not is_namespace(
        ns.removesuffix("*").removesuffix(":") if ns.endswith("*") else ns
    ):
        raise InvalidInputError(
            f"invalid namespace in grant {validate.shown(grant)}",
            f"name one, a prefix such as agent:*, or * for all, as in {EXAMPLE}",
        )
    return ns, scope


def digest(secret: str) -> str:
    """Return the stored hash of a secret; it is random, so one round of SHA-256 is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _find(tx: Transaction, name: str, now: datetime) -> Token:
    """Return a token by its id or name; of several with one name the valid one."""
    if (stored := tx.tokens.get(name)) is not None:
        return stored[0]
    if not (same := [token for token in tx.tokens.all() if token.name == name]):
        raise NotFoundError(
            f"there is no token {validate.shown(name)}", "`ghost token list` shows them"
        )
    return next((token for token in same if token.is_live(now)), same[-1])
