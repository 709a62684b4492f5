"""Paths of Anthropic's memory tool: everything lies below /memories, and nothing else can
be named.
"""

import re
import unicodedata

ROOT = "/memories"
_ENCODED = re.compile("%(?:2e|2f|5c|25|00|0a|0d|c0|c1)", re.IGNORECASE)
_LONGEST = 512


class MemoryFileError(Exception):
    """A command that was not carried out.

    `text` is what Anthropic's documentation has for a plain tool to return.
    """

    def __init__(self, message: str, text: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.text = f"Error: {message}" if text is None else text


def key_of(path: object) -> str:
    """Return the key of a path below /memories, an empty one for /memories itself.

    Refuse whatever might lead elsewhere.
    """
    if not isinstance(path, str):
        raise MemoryFileError(f"Path must be text, got: {type(path).__name__}")
    told = ascii(path[:80])[1:-1]
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise MemoryFileError(f"Path must start with {ROOT}, got: {told}")
    key = path.removeprefix(ROOT).strip("/")
    if not _is_safe(key) or not _is_safe(unicodedata.normalize("NFKC", key)):
        raise MemoryFileError(f"Path {told} would escape {ROOT} directory")
    if len(key) > _LONGEST:
        raise MemoryFileError(f"Path {told}… is too long: at most {_LONGEST} characters")
    return key


def _is_safe(key: str) -> bool:
    """Say whether a path has only names in it: no dots that climb, no encoded or foreign
    separators, no control characters.
    """
    if (
        "\\" in key
        or _ENCODED.search(key)
        or any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in key)
    ):
        return False
    return not key or all(part.strip() and part.strip(" .") for part in key.split("/"))


def path_of(key: str) -> str:
    """Return the path of a key."""
    return f"{ROOT}/{key}" if key else ROOT


def parents(key: str) -> list[str]:
    """Return the directories that a key lies in, without the root."""
    parts = key.split("/")[:-1]
    return ["/".join(parts[: number + 1]) for number in range(len(parts))]
