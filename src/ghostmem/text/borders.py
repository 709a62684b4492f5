"""Where a text may be cut: line, sentence, word and character borders, as a person sees them."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator

# Each pattern ends where the piece before the border ends.
_LINE = re.compile(r"(?=\n)")
_SENTENCE = re.compile(r"[.!?…؟।][\"')\]»”’]*(?=\s)|[。！？][」』”’）]*")
_WORD = re.compile(r"(?<=\S)(?=\s)|[，、；：]")
_INK = re.compile(r"\S")

_ZWJ = "\u200d"
_VIRAMA_CLASS = 9


def split(text: str, start: int, stop: int, *, target: int, limit: int, room: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces of text[start:stop], about `target` and at most `limit` long, the first at most `room`."""
    while stop - start > room:
        end = _best_border(text, start, min(target, room), room, min(stop, start + 4 * limit))
        yield start, trimmed(text, start, end)
        found = _INK.search(text, end, stop)
        if found is None:
            return
        start, room = found.start(), limit
    yield start, stop


def trimmed(text: str, start: int, stop: int) -> int:
    """Return `stop` moved before the white space that ends text[start:stop]."""
    return start + len(text[start:stop].rstrip())


def breaks(text: str, at: int, start: int = 0) -> bool:
    """Say whether a new character, as a person sees it, begins at `at`, given that one begins at `start`."""
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
    return not (_is_leading_jamo(before) and (_is_leading_jamo(after) or "\uac00" <= after <= "\ud7a3"))


def _best_border(text: str, start: int, target: int, room: int, farthest: int) -> int:
    """Return the best place after `start` to end a piece of at most `room` characters."""
    low, high = start + target // 4, start + room
    for pattern in (_LINE, _SENTENCE, _WORD):
        ends = [end for found in pattern.finditer(text, low, high + 1) if start < (end := found.end()) <= high]
        near = bisect_right(ends, start + target)
        for end in (*reversed(ends[:near]), *ends[near:]):  # the last within the target, else the first behind it
            if _parts(text, end, start):
                return end
    for end in range(start + target, start, -1):
        if breaks(text, end, start):
            return end
    for end in range(start + target + 1, farthest):
        if breaks(text, end, start):
            return end
    return farthest  # thousands of marks on one letter: nothing a person would see as a character


def _parts(text: str, at: int, start: int) -> bool:
    """Say whether a cut at `at` leaves no mark without the letter or the space it stands on."""
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
