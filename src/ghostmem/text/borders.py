"""Find borders where a text may be cut: of lines, sentences, words and visible characters."""

import unicodedata
from collections.abc import Iterator
from itertools import chain

from ghostmem.text.patterns import compiled

# Each match ends at the end of the piece before the border.
_LINE = r"(?=\n)"
_SENTENCE = r"[.!?…؟।][\"')\]»”’]*(?=\s)|[。！？][」』”’）]*"
_WORD = r"(?<=\S)(?=\s)|[，、；：]"

_ZWJ = "\u200d"
_VIRAMA_CLASS = 9
_FLAG_HALVES = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two of them make a flag
# a letter that opens a syllable, and another one or the rest of the syllable
_HANGUL_SYLLABLE = "[\u1100-\u115f\ua960-\ua97c][\u1100-\u115f\ua960-\ua97c\uac00-\ud7a3]"


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
    if after in _FLAG_HALVES and before in _FLAG_HALVES:
        part = text[start:at]
        return (len(part) - len(part.rstrip(_FLAG_HALVES))) % 2 == 0
    return not compiled(_HANGUL_SYLLABLE).fullmatch(before + after)


def _best_border(text: str, start: int, target: int, room: int, farthest: int) -> int:
    """Return the best end of a piece of at most `room` characters from `start`."""
    middle, high = start + target, start + room
    for pattern in (_LINE, _SENTENCE, _WORD):
        ends = [
            match.end() for match in compiled(pattern).finditer(text, start + target // 4, high + 1)
        ]
        # the last one before the target is the best, then the first one after it
        for end in sorted(ends, key=lambda end: (end > middle, abs(end - middle))):
            if start < end <= high and _is_border(text, end, start):
                return end
    for end in chain(range(middle, start, -1), range(middle + 1, farthest)):
        if breaks(text, end, start):
            return end
    return farthest  # thousands of marks on one letter: no visible character


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
