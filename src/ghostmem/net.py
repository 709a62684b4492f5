"""What everybody who talks to a server needs: a key stays with the server it is for, and out of
every error.
"""

from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

SHOWN = 300  # characters of somebody else's complaint that an error repeats


def first_words(said: bytes, *secrets: str) -> str:
    """Return the start of a complaint on one line, without any of these keys."""
    text = " ".join(said.decode("utf-8", "replace").split())
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return text[:SHOWN]


def checked_key(key: str, name: str) -> str:
    """Return a key without white space around it, or refuse what a header cannot hold: its own
    error would show the key.
    """
    key = key.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InvalidInputError(
            f"the key in {name} has characters that no key has", f"copy it into {name} again"
        )
    return key


def opener() -> "OpenerDirector":
    """Return what opens addresses and follows no redirect: it would carry the key to a server that
    nobody named.
    """
    import urllib.request

    class Stay(urllib.request.HTTPRedirectHandler):
        """Make an error of a redirect."""

        def redirect_request(self, *_: Any) -> None:
            return

    return urllib.request.build_opener(Stay)
