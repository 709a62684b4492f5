"""HTTP requests with API keys: a key goes only to its server, and into no error message."""

from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

SHOWN = 300  # characters of somebody else's complaint that an error repeats


def first_words(complaint: bytes, *secrets: str) -> str:
    """Return the start of a complaint on one line, without any of these keys."""
    text = " ".join(complaint.decode("utf-8", "replace").split())
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return text[:SHOWN]


def checked_key(key: str, name: str) -> str:
    """Return a key without surrounding white space, or refuse one that a header cannot hold."""
    key = key.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InvalidInputError(
            f"the key in {name} has characters that no key has", f"copy it into {name} again"
        )
    return key


def opener() -> "OpenerDirector":
    """Return an opener that follows no redirect, which would carry the key to another server."""
    import urllib.request

    class Stay(urllib.request.HTTPRedirectHandler):
        """Make an error of a redirect."""

        def redirect_request(self, *_: Any) -> None:
            return

    return urllib.request.build_opener(Stay)
