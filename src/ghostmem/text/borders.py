"""Find borders where a text may be cut: of lines, sentences, words and visible characters."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import dropwhile, takewhile

from ghostmem.text.patterns import compiled

# Each match ends at the end of the piece before the border.
_LINE = r"(?=\n)"
_SENTENCE = r"[.!?…؟।][\"')\]»”’]*(?=\s)|[。！？][」』”’）]*"
_WORD = r"(?<=\S)(?=\s)|[，、；：]"

_NEAR_TARGET = 100  # characters before the target that are searched first

_ZWJ = "\u200d"
_VIRAMA_CLASS = 9


def split(
    text: str, start: int, stop: int, *, target: int, limit: int, room: int
) -> Iterator[tuple[int, int]]:
    """Yield pieces of text[start:stop] of about `target` and at most `limit` characters.

    The first piece has at most `room` characters.
    """
    while stop - start > room:
        end = _best_border(text, start, min(target, room), room, min(stop, start + 4 * limit))
        yield start, trimmed(text, start, end)
        ink = compiled(r"\S").search(text, end, stop)
        if ink is None:
            return
        start, room = ink.start(), limit
    yield start, stop


def trimmed(text: str, start: int, stop: int) -> int:
    """Return `stop` moved before the white space that ends text[start:stop]."""
    return start + len(text[start:stop].rstrip())


def breaks(text: str, at: int, start: int = 0) -> bool:
    """Say whether a new visible character begins at `at`, given that one begins at `start`."""
    before, after = text[at - 1], text[at]
    if before in "\r\n":
        return before + after != "\r\n"
    if after < "\u0300":
        return True
    if _extends(after) or before == _ZWJ or unicodedata.combining(before) == _VIRAMA_CLASS:
        return False
    if _is_flag_half(after) and _is_flag_half(before):
        first = at - 1
        while first > start and _is_flag_half(text[first - 1]):
            first -= 1
        return (at - first) % 2 == 0
    return not (
        _is_leading_jamo(before) and (_is_leading_jamo(after) or "\uac00" <= after <= "\ud7a3")
    )


def _best_border(text: str, start: int, target: int, room: int, farthest: int) -> int:
    """Return the best end of a piece of at most `room` characters from `start`."""
    low, high = start + target // 4, start + room
    for pattern in (_LINE, _SENTENCE, _WORD):
        for end in _borders(pattern, text, low, start + target, high):
            if start < end and _is_border(text, end, start):
                return end
    for end in range(start + target, start, -1):
        if breaks(text, end, start):
            return end
    for end in range(start + target + 1, farthest):
        if breaks(text, end, start):
            return end
    return farthest  # thousands of marks on one letter: no visible character


def _borders(pattern: str, text: str, low: int, target: int, high: int) -> Iterator[int]:
    """Yield the ends of matches: from `target` backwards, then from `target` forwards."""
    if pattern == _LINE and text.find("\n", low, high + 1) < 0:
        return
    for begin in (max(low, target - _NEAR_TARGET), low):  # usually a border is near
        within = list(takewhile(target.__ge__, _ends(pattern, text, begin, high)))
        yield from reversed(within)
    yield from dropwhile(target.__ge__, _ends(pattern, text, low, high))


def _ends(pattern: str, text: str, low: int, high: int) -> Iterator[int]:
    return takewhile(
        high.__ge__, map(re.Match.end, compiled(pattern).finditer(text, low, high + 1))
    )


def _is_border(text: str, at: int, start: int) -> bool:
    """Say whether a cut at `at` separates no mark from its letter or its space."""
    if not text[at].isspace():
        return breaks(text, at, start)
    return text[at] in "\r\n" or at + 1 == len(text) or not _extends(text[at + 1])


def _extends(char: str) -> bool:
    """Say whether a character only adds to the one before it."""
    return char >= "\u0300" and (
        unicodedata.category(char)[0] == "M"
        or char in "\u0e33\u0eb3\u200c\u200d\uff9e\uff9f"
        or "\u1160" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7fb"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_half(char: str) -> bool:
    """Say whether a character is a regional indicator, two of which make a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_leading_jamo(char: str) -> bool:
    """Say whether a character is a Hangul letter that opens a syllable."""
    return "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c"
