"""Map any names to namespaces and keys, and back."""

import re
from urllib.parse import quote, unquote

from ghostmem.errors import InvalidInputError
from ghostmem.model import is_namespace

# the start of an escape, which no plain part contains; alone it is the empty name
_MARK = "--"
_ESCAPED = re.compile("(?:--[0-9a-f]{2})+")
_UNSAFE = re.compile("[^A-Za-z0-9_]|^_")
_PLAIN_KEY = re.compile(r"(?=.*\S)[^\x00-\x1f\x7f%\ud800-\udfff]+")


def to_part(name: str) -> str:
    """Return any text as one part of a namespace, with other bytes escaped if necessary."""
    if _MARK not in name and ":" not in name and is_namespace(name):
        return name
    return (
        _UNSAFE.sub(
            lambda match: "".join(
                f"{_MARK}{byte:02x}" for byte in match[0].encode("utf-8", "surrogatepass")
            ),
            name,
        )
        or _MARK
    )


def from_part(part: str) -> str:
    """Return the text that `to_part` escaped; any other part is returned as it is."""
    if part == _MARK:
        return ""
    try:
        name = _ESCAPED.sub(
            lambda match: bytes.fromhex(match[0].replace(_MARK, "")).decode(
                "utf-8", "surrogatepass"
            ),
            part,
        )
    except UnicodeDecodeError:
        return part
    return name if to_part(name) == part else part


def to_namespace(root: str, names: tuple[str, ...]) -> str:
    """Return the namespace below a root for a tuple of names."""
    if not is_namespace(root):
        raise InvalidInputError(f"invalid namespace: {root[:60]!r}", "use one such as agent:me")
    ns = ":".join([root, *map(to_part, names)])
    if not is_namespace(ns):
        raise InvalidInputError(
            f"the namespace {names!r} is too long: {len(ns)} characters as {ns[:60]!r}…",
            "at most 128 fit",
        )
    return ns


def from_namespace(root: str, ns: str) -> tuple[str, ...] | None:
    """Return the names of a namespace below a root, or None if it is not below it."""
    if not f"{ns}:".startswith(f"{root}:"):
        return None
    return tuple(map(from_part, ns.removeprefix(root).split(":")[1:]))


def to_key(name: str, also: str = "") -> str:
    """Return any text as a key, percent-encoded if necessary or if it has one of `also`."""
    if _PLAIN_KEY.fullmatch(name) and not set(also) & set(name):
        return name
    return quote(name, safe="" if also else "/", errors="surrogatepass") or "%"


def from_key(key: str) -> str:
    """Return the text that `to_key` encoded."""
    return "" if key == "%" else unquote(key, errors="surrogatepass") if "%" in key else key
