"""Keys as headings and names of files, and back: what would not be safe there is written as %XX,
all else as it is.
"""

import hashlib
import re
import unicodedata
from collections.abc import Container

from ghostmem.notes.knowledge import INDEX, LONGEST

LONGEST_KEY = 512
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_READ_AS_ESCAPE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_UNSEEN = ("Cc", "Zl", "Zp")
_NOT_IN_FILES = re.compile(r'[<>:"/\\|?*]|^\.|\.$')
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\..*)?",
    re.IGNORECASE | re.DOTALL,
)
_CLOSING_HASHES = re.compile(r"(?:\A|[ \t]+)#+\Z")
_HALF_ESCAPE = re.compile(r"%[0-9A-F]?\Z")


def line(key: str) -> str:
    """Return a key as it stands on a line of its own."""
    return _escaped(key, _unsafe(key))


def heading(key: str) -> str:
    """Return a key as the words of a heading."""
    hashes = _CLOSING_HASHES.search(key)
    return _escaped(key, _unsafe(key) | ({len(key) - 1} if hashes else set()))


def of_heading(words: str) -> str | None:
    """Return the key that a heading's words are, or None when they are none."""
    return of_line(_CLOSING_HASHES.sub("", words.strip(" \t\r")).replace("\t", " "))


def of_line(words: str) -> str | None:
    """Return the key that some words on a line are, or None when they are none."""
    key = _ESCAPED.sub(_unescaped, words.strip(" \t\r"))
    is_key = (
        key.strip()
        and len(key) <= LONGEST_KEY
        and not any(char < " " or char == "\x7f" for char in key)
    )
    return key if is_key else None


def stem(key: str, taken: Container[str]) -> str:
    """Return the name of a key's file; `taken` has the names of others as `alike` writes them."""
    unsafe = _unsafe(key) | {found.start() for found in _NOT_IN_FILES.finditer(key)}
    if _DEVICE.fullmatch(key) or alike(key) == INDEX:
        unsafe.add(0)
    name = _escaped(key, unsafe)
    if len(name.encode()) <= LONGEST and alike(name) not in taken:
        return name
    mark = "~" + hashlib.sha256(key.encode()).hexdigest()[:8]
    start = name.encode()[: LONGEST - len(mark) - 3].decode(errors="ignore")
    name, number = f"{_HALF_ESCAPE.sub('', start)}{mark}", 1
    while alike(name) in taken:
        number += 1
        name = f"{_HALF_ESCAPE.sub('', start)}{mark}-{number}"
    return name


def alike(name: str) -> str:
    """Return what is the same for all names that are one file on some system."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _unsafe(key: str) -> set[int]:
    """Return where a key has what a line would lose, or what would be read as an escape."""
    found = {at for at in (0, len(key) - 1) if key[at].isspace()}
    found |= {at for at, char in enumerate(key) if unicodedata.category(char) in _UNSEEN}
    return found | {escape.start() for escape in _READ_AS_ESCAPE.finditer(key)}


def _escaped(key: str, unsafe: set[int]) -> str:
    return "".join(_escape(char) if at in unsafe else char for at, char in enumerate(key))


def _escape(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


def _unescaped(found: "re.Match[str]") -> str:
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]
