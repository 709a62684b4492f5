"""Checks before a request is read: its host, its origin and its size."""

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ghostmem.web.refusals import Refused, wrong_method

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
WILDCARD = frozenset({"0.0.0.0", "::"})  # noqa: S104 (compared with, never bound to)
DISCARDED = 4  # a body up to this many times the limit is received to the end, and discarded
OPEN = (
    b"/healthz",
    b"/readyz",
)  # say nothing but that the server lives, to whoever asks by whatever name


def only_get(scope: Scope) -> None:
    """Refuse methods that change something."""
    if scope["method"] not in ("GET", "HEAD"):
        raise wrong_method("GET, HEAD")


def header(scope: Scope, name: bytes) -> str | None:
    """Return a header that may occur once."""
    found = [value for key, value in scope["headers"] if key == name]
    if len(found) > 1:
        raise Refused(
            400,
            "InvalidRequest",
            f"the header {name.decode()} occurs more than once",
            "send it once",
        )
    return found[0].decode("latin-1") if found else None


def check_host(scope: Scope, allowed: Collection[str]) -> None:
    """Refuse hosts that are not this server, against DNS rebinding."""
    host = header(scope, b"host")
    name = _name(f"//{host}") if host else None
    numeric = (
        bool(WILDCARD & set(allowed)) and name is not None and _is_address(name)
    )  # nobody can bend a bare address
    if name is None or not (name in LOOPBACK or name in allowed or numeric):
        raise Refused(
            421,
            "MisdirectedRequest",
            "this server does not answer to that name",
            "`ghost serve --allow-host` adds one",
        )


def check_origin(scope: Scope, allowed: Collection[str]) -> None:
    """Refuse requests from pages of other sites; programs send no Origin."""
    origin = header(scope, b"origin")
    site, mode = header(scope, b"sec-fetch-site"), header(scope, b"sec-fetch-mode")
    if origin is None:
        foreign = site == "cross-site" and mode != "navigate"
    else:
        own = origin.partition("://")[2].lower() == (header(scope, b"host") or "").lower()
        foreign = not origin.startswith(("http://", "https://")) or not (
            own or _name(origin) in set(allowed) - LOOPBACK
        )
    if foreign:
        raise Refused(
            403,
            "ForbiddenOrigin",
            "pages of other sites may not call this server",
            "call it from a program",
        )


def _name(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    plain = not parts.path and not parts.query and not parts.fragment and "@" not in parts.netloc
    return parts.hostname.rstrip(".").lower() if plain and parts.hostname else None


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def guarded(app: ASGIApp, allowed: Collection[str], strict: bool = False) -> ASGIApp:
    """Return the application behind the checks of host and origin; `strict` includes health."""
    names = {name.lower().rstrip(".").strip("[]") for name in allowed}

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        if strict or scope["raw_path"] not in OPEN:
            check_host(scope, names)
            check_origin(scope, names)
        await app(scope, receive, send)

    return run


def bounded(app: ASGIApp, limit: int, seconds: float) -> ASGIApp:
    """Return the application with bodies read in advance, up to a limit and a time."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        declared = header(scope, b"content-length") or ""
        size = int(declared[:20]) if declared.isdigit() else 0
        if size > limit:
            raise _too_large(limit, closes=size > DISCARDED * limit)
        try:
            with anyio.fail_after(seconds):
                body = await _read(receive, limit)
        except TimeoutError:
            raise Refused(
                408,
                "Timeout",
                "the body did not arrive in time",
                "send it faster",
                Connection="close",
            ) from None
        if body is None:
            return  # the client has disconnected
        if "ghost.charge" in scope:
            scope["ghost.charge"](len(body))
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await app(scope, again, send)

    return run


async def _read(receive: Receive, limit: int) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            raise _too_large(limit)
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_large(limit: int, *, closes: bool = True) -> Refused:
    """Return the refusal of a body.

    A client that is still sending when the connection closes gets an error instead of this answer.
    """
    return Refused(
        413,
        "TooLarge",
        f"the body is larger than {limit:,} bytes",
        "send less at once",
        **({"Connection": "close"} if closes else {}),
    )
