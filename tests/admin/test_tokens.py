"""Tokens: made once, checked at every request, never shown again"""

from collections.abc import Callable
from typing import Any

import apsw
import pytest

from ghostmem import Ghost
from ghostmem.admin.tokens import has_tokens, verify
from ghostmem.caller import CALLER, OWNER, Caller, require
from ghostmem.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError


def test_a_token_is_made_and_known_again(ghost: Ghost) -> None:
    """The secret leads back to the name and the grants; the record has no secret."""
    secret, token = ghost.admin.create_token("laptop", ["agent:me:write", "*:read"])
    assert secret.startswith(f"ghost_{token.id}_")
    assert len(secret.removeprefix(f"ghost_{token.id}_")) == 43  # 256 bits
    caller = verify(ghost.store, secret)
    assert caller is not None
    assert (caller.name, caller.grants) == ("laptop", (("agent:me", "write"), ("*", "read")))
    assert token.to_dict().keys() == {"id", "name", "grants", "created_at"}
    assert [known.id for known in ghost.admin.tokens()] == [token.id]


def test_secrets_differ(ghost: Ghost) -> None:
    """No two tokens have the same secret, and one does not open as another."""
    (one, first), (two, second) = (
        ghost.admin.create_token("one", ["a:read"]),
        ghost.admin.create_token("two", ["a:read"]),
    )
    assert one != two
    assert verify(ghost.store, one.replace(first.id, second.id)) is None


def test_only_a_hash_is_stored(open_ghost: Callable[..., Ghost]) -> None:
    """Whoever reads the file cannot call in somebody's name, and an export has nothing of tokens at all."""
    ghost = open_ghost()
    ghost.put("a", "k", "text")
    secret, token = ghost.admin.create_token("laptop", ["a:read"])
    db = apsw.Connection(ghost.store.engine.location)
    stored = str(db.execute("SELECT * FROM tokens").fetchall())
    db.close()
    assert secret.partition(f"{token.id}_")[2] not in stored
    exported = "\n".join(ghost.export())
    assert not any(text in exported for text in (secret, token.id, "laptop"))


@pytest.mark.parametrize(
    "change",
    [
        lambda secret: "",
        lambda secret: secret[:-1],
        lambda secret: secret + "x",
        lambda secret: secret.upper(),
        lambda secret: secret.removeprefix("ghost_"),
        lambda secret: secret[:32],
        lambda secret: secret[:33] + "x" * 43,
        lambda secret: "ghost_" + "0" * 26 + secret[32:],
        lambda secret: " " + secret,
        lambda secret: "ghost_\x00" + secret[7:],
        lambda secret: secret[:-1] + "ÿ",
    ],
)
def test_what_is_not_the_secret_opens_nothing(ghost: Ghost, change: Callable[[str], str]) -> None:
    """Every character counts."""
    secret, _ = ghost.admin.create_token("laptop", ["a:read"])
    assert verify(ghost.store, change(secret)) is None
    assert verify(ghost.store, secret) is not None


def test_expiry(ghost: Ghost, clock: Any) -> None:
    """A token is good until the moment it expires."""
    secret, token = ghost.admin.create_token("laptop", ["a:read"], expires="1h")
    assert token.expires_at is not None
    clock.forward(minutes=59)
    assert verify(ghost.store, secret) is not None
    clock.forward(minutes=1)
    assert verify(ghost.store, secret) is None


def test_revoking(ghost: Ghost) -> None:
    """A revoked token is useless at once, stays on the list, and can be named by its id as well."""
    secret, token = ghost.admin.create_token("laptop", ["a:read"])
    other, second = ghost.admin.create_token("other", ["a:read"])
    assert ghost.admin.revoke_token("laptop").id == token.id
    assert verify(ghost.store, secret) is None
    assert verify(ghost.store, other) is not None
    assert ghost.admin.revoke_token(second.id).revoked_at is not None
    assert [known.revoked_at is not None for known in ghost.admin.tokens()] == [True, True]
    with pytest.raises(ConflictError, match="already revoked"):
        ghost.admin.revoke_token("laptop")
    with pytest.raises(NotFoundError, match="no token"):
        ghost.admin.revoke_token("nobody")


def test_names_are_unique_among_the_living(ghost: Ghost, clock: Any) -> None:
    """A name is free again when its token expired or was revoked; then the name means the living one."""
    ghost.admin.create_token("laptop", ["a:read"], expires="1h")
    with pytest.raises(ConflictError, match="laptop"):
        ghost.admin.create_token("laptop", ["a:read"])
    clock.forward(hours=2)
    _, second = ghost.admin.create_token("laptop", ["a:read"])
    assert ghost.admin.revoke_token("laptop").id == second.id
    ghost.admin.create_token("laptop", ["a:read"])


def test_use_is_noted_once_an_hour(ghost: Ghost, clock: Any) -> None:
    """Knowing roughly when a token was used does not cost a write for every request."""
    secret, token = ghost.admin.create_token("laptop", ["a:read"])
    verify(ghost.store, secret)
    first = ghost.admin.tokens()[0].last_used_at
    clock.forward(minutes=59)
    verify(ghost.store, secret)
    assert ghost.admin.tokens()[0].last_used_at == first
    clock.forward(minutes=2)
    verify(ghost.store, secret)
    assert ghost.admin.tokens()[0].last_used_at != first
    assert first is not None
    assert token.last_used_at is None


def test_a_busy_store_does_not_fail_the_check(open_ghost: Callable[..., Ghost]) -> None:
    """While somebody else writes, a token is known all the same; its use is noted another time."""
    ghost, other = open_ghost(), open_ghost()
    secret, _ = ghost.admin.create_token("laptop", ["a:read"])
    with other.store.engine.write():
        assert verify(ghost.store, secret) is not None
    assert ghost.admin.tokens()[0].last_used_at is None
    assert verify(ghost.store, secret) is not None
    assert ghost.admin.tokens()[0].last_used_at is not None


def test_whether_there_ever_was_one(ghost: Ghost) -> None:
    """A revoked token counts: taking it away must not open the door."""
    assert has_tokens(ghost.store) is False
    ghost.admin.create_token("laptop", ["a:read"])
    ghost.admin.revoke_token("laptop")
    assert has_tokens(ghost.store) is True


@pytest.mark.parametrize(
    ("name", "grants", "expires", "words"),
    [
        ("", ["a:read"], None, "name"),
        ("  ", ["a:read"], None, "name"),
        ("two\nlines", ["a:read"], None, "token name"),
        ("x", [], None, "grant"),
        ("x", "a:read", None, "list"),
        ("x", ["a"], None, "grant"),
        ("x", ["read"], None, "grant"),
        ("x", [":read"], None, "grant"),
        ("x", ["a:Read"], None, "grant"),
        ("x", ["a:owner"], None, "grant"),
        ("x", ["a b:read"], None, "namespace"),
        ("x", ["a*b:read"], None, "namespace"),
        ("x", ["**:read"], None, "namespace"),
        ("x", ["a:read\x00"], None, "NUL"),
        ("x", [7], None, "text"),
        ("x", ["a:read"], "soon", "expires"),
        ("x", ["a:read"], "0d", "expires"),
    ],
)
def test_what_cannot_be_granted(
    ghost: Ghost, name: str, grants: Any, expires: str | None, words: str
) -> None:
    """Names, grants and durations are checked before anything is made."""
    with pytest.raises(InvalidInputError, match=words):
        ghost.admin.create_token(name, grants, expires=expires)
    assert ghost.admin.tokens() == []


@pytest.mark.parametrize(
    ("grant", "ns", "scope", "may"),
    [
        ("a:read", "a", "read", True),
        ("a:read", "a", "write", False),
        ("a:write", "a", "read", True),
        ("a:admin", "a", "write", True),
        ("a:admin", "b", "read", False),
        ("a:admin", "a:b", "read", False),
        ("a:admin", "", "read", False),
        ("a:admin", "a*", "read", False),
        ("a:*:read", "a:b", "read", True),
        ("a:*:read", "a:b:*", "read", True),
        ("a:*:read", "a:*", "read", True),
        ("a:*:read", "a", "read", False),
        ("a:*:read", "a*", "read", False),
        ("a:*:read", "*", "read", False),
        ("*:write", "", "write", True),
        ("*:write", "anything", "write", True),
        ("*:write", "", "admin", False),
    ],
)
def test_what_a_grant_covers(ghost: Ghost, grant: str, ns: str, scope: str, may: bool) -> None:
    """A scope includes those before it; a namespace is itself, a prefix is what starts with it, a star is all."""
    secret, _ = ghost.admin.create_token("x", [grant])
    caller = verify(ghost.store, secret)
    assert caller is not None
    assert caller.may(ns, scope) is may
    before = CALLER.set(caller)
    try:
        if may:
            require(ns, scope)
        else:
            with pytest.raises(ForbiddenError):
                require(ns, scope)
    finally:
        CALLER.reset(before)


def test_the_owner_may_everything() -> None:
    """Outside a server the caller is the owner."""
    assert CALLER.get() is OWNER
    assert OWNER.may("", "admin")
    assert not Caller("nobody", ()).may("a", "read")


def test_tokens_survive_another_opening(open_ghost: Callable[..., Ghost]) -> None:
    """What one process made, another knows."""
    secret, _ = open_ghost().admin.create_token("laptop", ["a:read"])
    assert verify(open_ghost().store, secret) is not None
