"""Check the paths of Anthropic's memory tool: all are below /memories."""

import re
import unicodedata

ROOT = "/memories"
_ENCODED = re.compile("%(?:2e|2f|5c|25|00|0a|0d|c0|c1)", re.IGNORECASE)
_MAX_KEY = 512  # characters


class MemoryFileError(Exception):
    """A command that failed; `text` is the result for a plain tool, as Anthropic documents it."""

    def __init__(self, message: str, text: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.text = f"Error: {message}" if text is None else text


def key_of(path: object) -> str:
    """Return the key of a path below /memories, empty for /memories itself; refuse others."""
    if not isinstance(path, str):
        raise MemoryFileError(f"Path must be text, got: {type(path).__name__}")
    shown = ascii(path[:80])[1:-1]
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise MemoryFileError(f"Path must start with {ROOT}, got: {shown}")
    key = path.removeprefix(ROOT).strip("/")
    if not _is_safe(key) or not _is_safe(unicodedata.normalize("NFKC", key)):
        raise MemoryFileError(f"Path {shown} would escape {ROOT} directory")
    if len(key) > _MAX_KEY:
        raise MemoryFileError(f"Path {shown}… is too long: at most {_MAX_KEY} characters")
    return key


def _is_safe(key: str) -> bool:
    """Say whether a path has only names: no `..`, no other separators, no control characters."""
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
    """Return the directories of a key, without the root."""
    parts = key.split("/")[:-1]
    return ["/".join(parts[: number + 1]) for number in range(len(parts))]
