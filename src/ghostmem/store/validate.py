"""Checks of input: each function returns the checked value or raises an error that names it."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from errno import ENAMETOOLONG
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar
from unicodedata import category, normalize

from ghostmem.clock import format_time
from ghostmem.errors import InvalidInputError
from ghostmem.model import FileRef, FileRel, NsFilter, SymbolRef, is_namespace
from ghostmem.schema import MAX_DEPTH, is_deeper, too_deep

if TYPE_CHECKING:
    from pathlib import Path

_NS_HINT = (
    "use letters, digits, '-' and '_' in segments joined by ':', such as "
    "agent:coder, up to 128 characters"
)
MAX_KEY = 512
MAX_TAG = 256

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")


def shown(value: object, limit: int = 60) -> str:
    """Quote a value for an error message, cut to a readable length."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # thousands of digits, or lists nested too deep
        return f"such a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[:limit]}… ({len(str(value))} characters)"


def text(value: object, what: str) -> str:
    """Accept a text that can be stored: valid Unicode without NUL."""
    if not isinstance(value, str):
        raise InvalidInputError(
            f"{what} must be text, not {type(value).__name__}", f"pass {what} as a string"
        )
    if "\x00" in value:
        raise InvalidInputError(
            f"{what} contains a NUL byte at position {value.index(chr(0))}", "remove it; text only"
        )
    try:
        value.encode()
    except UnicodeEncodeError as error:
        bad = f"U+{ord(value[error.start]):04X}"
        raise InvalidInputError(
            f"{what} is not valid Unicode: lone surrogate {bad} at position {error.start}",
            "send UTF-8",
        ) from None
    return value


def path(value: str | PathLike[str], what: str) -> "Path":
    """Accept the path of a file or folder that a file system can have."""
    from pathlib import Path

    name = value.__fspath__() if isinstance(value, PathLike) else value
    if not isinstance(name, str):
        raise InvalidInputError(
            f"{what} must be a path, not {shown(value)}", f"pass {what} as a string or Path"
        )
    if not name:  # for example a variable of a shell that is not set
        raise InvalidInputError(f"{what} is empty", "give the path of a file or folder")
    try:
        os.lstat(name)
    except ValueError:  # NUL, or a surrogate that stands for no byte
        raise InvalidInputError(
            f"{what} {shown(name)} cannot be a path", "give the path of a file or folder"
        ) from None
    except OSError as error:
        if error.errno == ENAMETOOLONG:
            raise InvalidInputError(
                f"{what} {shown(name)} is too long for a path", "give the path of a file or folder"
            ) from None
    return Path(name)


def items(values: Iterable[T], what: str, example: str = "'a', 'b'") -> list[T]:
    """Accept a list or another iterable, but not a text."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        kind = "the text " if isinstance(values, str) else ""
        raise InvalidInputError(
            f"{what} must be a list, not {kind}{shown(values)}", f"pass {what}=[{example}]"
        )
    return list(values)


def texts(values: Iterable[str] | None, what: str, one: str) -> list[str]:
    """Accept a list of texts, or nothing."""
    return [] if values is None else [text(value, one) for value in items(values, what)]


def flag(value: bool | None, what: str) -> bool | None:
    """Accept True, False or nothing; also 1, 0 and the booleans of numpy."""
    if value is None:
        return None
    if value not in (True, False):
        raise InvalidInputError(
            f"{what} must be true or false, not {shown(value)}", f"pass {what}=True"
        )
    return bool(value)


def flags(**values: bool | None) -> None:
    """Refuse a value that is neither true nor false, such as the text "false"."""
    for what, value in values.items():
        flag(value, what)


def namespace(value: str) -> str:
    """Accept a namespace for writing."""
    text(value, "namespace")
    if not value:
        raise InvalidInputError("a namespace is required", "give one, such as agent:coder")
    if not is_namespace(value):
        raise InvalidInputError(f"invalid namespace: {shown(value)}", _NS_HINT)
    return value


def _has_control(value: str) -> bool:
    return value != "" and (min(value) < " " or "\x7f" in value)


def ns_filter(value: str | None) -> NsFilter:
    """Accept a namespace for reading: nothing or `*` for all, a name, or a prefix as `agent:*`."""
    name = text("" if value is None else value, "namespace")
    if name in ("", "*"):
        return NsFilter()
    if "*" in name[:-1]:
        raise InvalidInputError(
            f"invalid namespace filter: {shown(name)}",
            "a * is allowed only at the end, as in agent:*",
        )
    return NsFilter(name)


def key(value: str, name: str = "key") -> str:
    """Accept a key, or another name of this form: one line of text."""
    text(value, name)
    if not value.strip():
        raise InvalidInputError(
            f"a {name} is required", f"a {name} is short and descriptive, such as user-timezone"
        )
    if len(value) > MAX_KEY or _has_control(value):
        raise InvalidInputError(
            f"invalid {name}: {shown(value)}", f"use one line of at most {MAX_KEY} characters"
        )
    return value


_FILLERS = "\u034f\u115f\u1160\u3164\uffa0"  # letters and marks without a glyph
_JOINERS = "\u200c\u200d"  # scripts and emoji need them between two characters


def normal_key(value: str) -> str:
    """Return a key in NFC, so that two ways to write one letter are one key."""
    return value if value.isascii() else normalize("NFC", value)


def new_key(value: str, name: str = "key") -> str:
    """Accept the key of a new memory: one line of visible text, returned in NFC.

    Two keys that differ only in an invisible character look the same to the user."""
    normal = normal_key(key(value, name))
    for place, char in enumerate(normal):
        if char > "~" and _is_hidden(normal, place):
            raise InvalidInputError(
                f"invalid {name}: {shown(normal)} has the invisible character "
                f"U+{ord(char):04X} at position {place}",
                "leave it out",
            )
    return normal


def _is_hidden(value: str, place: int) -> bool:
    """Say whether a character is invisible, and no joiner between letters or parts of emoji."""
    if value[place] in _JOINERS:
        sides = (value[place - 1 : place], value[place + 1 : place + 2])
        return not all(side and category(side)[0] in "LMS" for side in sides)
    return category(value[place]) in ("Cc", "Cf", "Zl", "Zp") or value[place] in _FILLERS


def content(value: str, limit: int) -> str:
    """Accept content: some text, not too long."""
    text(value, "content")
    if not value.strip():
        raise InvalidInputError("content is required", "give the text of the memory")
    size = len(value.encode())
    if size > limit:
        raise InvalidInputError(
            f"content has {size:,} bytes, more than the limit of {limit:,}",
            "store it as a file and remember its path, split it with `ghost ingest`, or "
            "raise GHOST_MAX_CONTENT_BYTES",
        )
    return value


def choice(value: str | None, enum: type[E], what: str, others: Sequence[str] = ()) -> E | None:
    """Accept one of a closed set of words; an error also names `others` that the caller accepts."""
    if value is None:
        return None
    try:
        return enum(value)
    except ValueError:
        raise InvalidInputError(
            f"invalid {what} {shown(value)}", f"must be one of: {', '.join((*enum, *others))}"
        ) from None


def _as_float(value: float) -> float:
    """Return a number as a float, also one of numpy; any other value is not a number (NaN)."""
    try:
        is_number = hasattr(value, "__float__") and not isinstance(value, bool | str)
        return float(value) if is_number else float("nan")
    except (OverflowError, TypeError, ValueError):  # hundreds of digits, an array
        return float("nan")


def share(value: float | None, what: str) -> float | None:
    """Accept a number from 0 to 1."""
    if value is None:
        return None
    if not 0 <= (fraction := _as_float(value)) <= 1:
        raise InvalidInputError(
            f"{what} {shown(value)} is out of range", f"{what} is a number from 0 to 1"
        )
    return fraction


def number(value: float | None, what: str) -> float | None:
    """Accept a finite number."""
    if value is None:
        return None
    if not abs(finite := _as_float(value)) < 1e300:
        raise InvalidInputError(
            f"{what} {shown(value)} is not a number", f"give {what} a number, such as 0.5"
        )
    return finite


def positive(value: int, what: str, least: int = 1, most: int = 2**63 - 1) -> int:
    """Accept a whole number within limits, also one of numpy, and return it as an int."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InvalidInputError(
            f"{what} must be a whole number, not {shown(value)}",
            f"give {what} a whole number from {least} up",
        )
    if value < least:
        raise InvalidInputError(
            f"{what} must be at least {least} (got {shown(value)})",
            f"give {what} a whole number from {least} up",
        )
    if value > most:
        raise InvalidInputError(
            f"{what} {value} is too large", f"give {what} a whole number from {least} to {most}"
        )
    return value.__index__()


def tags(values: Iterable[str] | None) -> tuple[str, ...] | None:
    """Accept tags: one-line words, duplicates dropped, order kept."""
    if values is None:
        return None
    unique = dict.fromkeys(text(value, "tag").strip() for value in items(values, "tags"))
    for tag in unique:
        if not tag or len(tag) > MAX_TAG or _has_control(tag):
            raise InvalidInputError(
                f"invalid tag: {shown(tag)}", f"a tag is one line of 1 to {MAX_TAG} characters"
            )
    return tuple(unique)


def meta(value: Mapping[str, Any] | None, what: str = "meta") -> Mapping[str, Any] | None:
    """Accept metadata: an object that JSON can hold, nested no deeper than MAX_DEPTH levels."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidInputError(
            f"{what} must be an object, not {shown(value)}", 'write it as {"name": "value"}'
        )
    if is_deeper(value, MAX_DEPTH):
        raise too_deep(what)
    try:
        return dict(
            json.loads(text(json.dumps(dict(value), ensure_ascii=False, allow_nan=False), what))
        )
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{what} cannot be written as JSON: {error}", "use texts, numbers, lists and objects"
        ) from None


def files(
    values: Iterable[FileRef | str | tuple[str, str]] | None, rel: str | None = None
) -> tuple[FileRef, ...] | None:
    """Accept file references: paths, (path, relation) pairs or FileRefs.

    The last reference to a path counts."""
    if values is None:
        return None
    by_path: dict[str, FileRef] = {}
    for value in items(values, "files"):
        path, how = (
            (value.path, value.rel)
            if isinstance(value, FileRef)
            else (value, rel)
            if isinstance(value, str)
            else pair(value, "a file")
        )
        if not text(path, "file path").strip() or _has_control(path):
            raise InvalidInputError(
                f"invalid file path: {shown(path)}", "give the path of a file, on one line"
            )
        by_path[path] = FileRef(path, choice(how, FileRel, "file relation") or FileRel.MODIFIED)
    return tuple(sorted(by_path.values(), key=lambda file: file.path))


def pair(value: tuple[str, str], what: str) -> tuple[str, str]:
    """Accept a name with its relation."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InvalidInputError(
            f"{shown(value)} is not {what}", "give its name, or a pair such as ('a.py', 'read')"
        )
    first, second = value
    return first, second


def symbols(values: Iterable[SymbolRef]) -> tuple[SymbolRef, ...]:
    """Accept resolved symbols: one line of text each; return them sorted, without duplicates."""
    by_place: dict[tuple[str, str, str, str], SymbolRef] = {}
    for symbol in values:
        for what in ("root", "language", "name", "path", "hash"):
            value = text(getattr(symbol, what), f"a symbol's {what}")
            if (not value.strip() and what != "hash") or _has_control(value):
                raise InvalidInputError(
                    f"invalid {what} of a symbol: {shown(value)}", "give one line of text"
                )
        by_place[symbol.root, symbol.language, symbol.name, symbol.path] = symbol
    return tuple(by_place[place] for place in sorted(by_place))


def label(value: str | None, what: str) -> str | None:
    """Accept a short one-line text such as a source."""
    if value is None or value == "":
        return None
    if len(text(value, what)) > MAX_KEY or _has_control(value):
        raise InvalidInputError(
            f"invalid {what}: {shown(value)}", f"use one line of at most {MAX_KEY} characters"
        )
    return value


def period(fields: Mapping[str, Any]) -> None:
    """Refuse checked fields whose `valid_to` is before their `valid_from`."""
    start, end = fields.get("valid_from"), fields.get("valid_to")
    if start is not None and end is not None and end < start:
        raise InvalidInputError(
            f"valid_to {format_time(end)} is before valid_from {format_time(start)}",
            "exchange them, or leave one out",
        )
