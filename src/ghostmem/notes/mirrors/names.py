"""Convert keys to headings and file names and back; unsafe characters are written as %XX."""

import hashlib
import re
import unicodedata
from collections.abc import Container

from ghostmem.notes.knowledge import DEVICE, INDEX, MAX_NAME_BYTES, same_file_name

MAX_KEY = 512
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_READ_AS_ESCAPE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_INVISIBLE = ("Cc", "Zl", "Zp")
_NOT_IN_FILES = re.compile(r'[<>:"/\\|?*]|^\.|\.$')
_CLOSING_HASHES = re.compile(r"(?:\A|[ \t]+)#+\Z")
_HALF_ESCAPE = re.compile(r"%[0-9A-F]?\Z")


def line(key: str) -> str:
    """Return a key as a line of its own."""
    return _escaped(key, _unsafe(key))


def heading(key: str) -> str:
    """Return a key as the text of a heading."""
    hashes = _CLOSING_HASHES.search(key)
    return _escaped(key, _unsafe(key) | ({len(key) - 1} if hashes else set()))


def of_heading(words: str) -> str | None:
    """Return the key that a heading spells, or None if it is not a key."""
    return of_line(_CLOSING_HASHES.sub("", words.strip(" \t\r")).replace("\t", " "))


def of_line(words: str) -> str | None:
    """Return the key that a line spells, or None if it is not a key."""
    key = _ESCAPED.sub(_unescaped, words.strip(" \t\r"))
    is_key = (
        key.strip()
        and len(key) <= MAX_KEY
        and not any(char < " " or char == "\x7f" for char in key)
    )
    return key if is_key else None


def stem(key: str, taken: Container[str]) -> str:
    """Return the file name of a key, unlike those in `taken` (see `same_file_name`)."""
    unsafe = _unsafe(key) | {match.start() for match in _NOT_IN_FILES.finditer(key)}
    if DEVICE.fullmatch(key) or same_file_name(key) == INDEX:
        unsafe.add(0)
    name = _escaped(key, unsafe)
    if len(name.encode()) <= MAX_NAME_BYTES and same_file_name(name) not in taken:
        return name
    mark = "~" + hashlib.sha256(key.encode()).hexdigest()[:8]
    start = name.encode()[: MAX_NAME_BYTES - len(mark) - 3].decode(errors="ignore")
    name = unnumbered = f"{_HALF_ESCAPE.sub('', start)}{mark}"
    number = 1
    while same_file_name(name) in taken:
        number += 1
        name = f"{unnumbered}-{number}"
    return name


def _unsafe(key: str) -> set[int]:
    """Return the offsets that a line would lose or that would be read as an escape."""
    unsafe = {at for at in (0, len(key) - 1) if key[at].isspace()}
    unsafe |= {at for at, char in enumerate(key) if unicodedata.category(char) in _INVISIBLE}
    return unsafe | {escape.start() for escape in _READ_AS_ESCAPE.finditer(key)}


def _escaped(key: str, unsafe: set[int]) -> str:
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode()) if at in unsafe else char
        for at, char in enumerate(key)
    )


def _unescaped(escapes: "re.Match[str]") -> str:
    try:
        return bytes.fromhex(escapes[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return escapes[0]
