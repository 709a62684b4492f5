"""The longest excerpt of a text that fits a room, around the place that matched."""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ghostmem.text.borders import breaks
from ghostmem.text.scripts import UNSPACED

_MARK = "..."
_LONGEST_WORD = 40  # what has no border for longer may be cut anywhere between two characters
_LONGEST_CHARACTER = 1000  # even, so that in an endless run of flags the place given is believed
_SMALL = 1024
_TRIES = 8
_SENTENCE = r"[.!?…؟।][\"')\]»”’]*(?=\s)|[。！？][」』”’）]*|(?=\n)"
# Hangul is unspaced to the index, but its words have spaces between them.
_NO_SPACES = f"(?![\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb])[{UNSPACED}，、；：。！？」』）]"


class _Place(NamedTuple):
    """Where an excerpt may lie: within head and tail, around the first unit (a word, or a
    character) of what matched.
    """

    head: int
    tail: int
    start: int
    unit: int
    stop: int


def fit(content: str, start: int, stop: int, room: int, count: Callable[[str], int]) -> str | None:
    """Return the longest excerpt around content[start:stop] that counts at most `room`, or None if
    not a word fits.
    """
    is_small = len(content) <= max(8 * room, _SMALL)
    if is_small and count(content) <= room:
        return content
    place = _find_place(content, start, stop)
    if place is None:
        return None
    span = _widest(content, place, room, count)
    if span is None:
        return None
    if span == (place.head, place.tail):
        text = content[place.head : place.tail]
        return (
            content
            if not is_small and len(content) < 2 * len(text) and count(content) <= room
            else text
        )
    for begin, end in _between_sentences(content, place, *span):
        text = _marked(content, place, begin, end)
        if count(text) <= room:
            return text
    return _marked(content, place, *span)


def _find_place(content: str, start: int, stop: int) -> _Place | None:
    """Return where to cut, or None if there is nothing but white space, or marks without end."""
    head, tail = len(content) - len(content.lstrip()), len(content.rstrip())
    if head >= tail:
        return None
    head -= head > 0 and not breaks(content, head)  # a mark on a space
    start = _next_ink(content, min(max(start, head), tail - 1))
    first = max(head, start - _LONGEST_CHARACTER)
    while start > first and not breaks(content, start, max(head, start - _LONGEST_CHARACTER)):
        start -= 1
    if start == first > head:
        return None
    found = _word(content, start, head, tail) or _character(content, start, tail)
    return found and _Place(head, tail, *found, min(max(stop, found[1]), tail))


def _word(content: str, at: int, head: int, tail: int) -> tuple[int, int] | None:
    """Return the word around a place, or None if its script has no spaces or it is too long for a
    word.
    """
    if _is_unspaced(content[at]):
        return None
    begin, end = at, at + 1
    while begin > head and not _opens(content, begin):
        begin -= 1
        if at - begin > _LONGEST_WORD:
            return None
    while end < tail and not _closes(content, end):
        end += 1
        if end - begin > _LONGEST_WORD:
            return None
    return begin, end


def _character(content: str, at: int, tail: int) -> tuple[int, int] | None:
    """Return the character, as a person sees it, that begins at a place, or None if no person
    would.
    """
    for end in range(at + 1, min(tail, at + _LONGEST_CHARACTER)):
        if breaks(content, end, at):
            return at, end
    return (at, tail) if tail <= at + _LONGEST_CHARACTER else None


def _widest(
    content: str, place: _Place, room: int, count: Callable[[str], int]
) -> tuple[int, int] | None:
    """Return the widest cut at words that fits, found by few counts, each on about as much text as
    there is room for.
    """
    least, most = place.unit - place.start, place.tail - place.head
    low, high = least - 1, most + 1
    size = min(max(4 * room, least), most)
    best: tuple[int, int] | None = None
    costs: dict[tuple[int, int], int] = {}
    for _ in range(4 * _TRIES):
        span = _cut(content, place, size)
        if span not in costs:
            costs[span] = count(_marked(content, place, *span))
        if costs[span] > room:
            high = size
        else:
            low = size
            best = max(best or span, span, key=lambda one: one[1] - one[0])
        is_open = high > most
        if high - low <= 1 + (0 if is_open else size // 64) or len(costs) == _TRIES:
            break
        guess = (span[1] - span[0]) * max(room, 0) // max(costs[span], 1)
        size = _next_size(size, low, high, guess, len(costs), is_open=is_open)
    smallest = _cut(content, place, least)
    if best is None and smallest not in costs and count(_marked(content, place, *smallest)) <= room:
        return smallest
    return best


def _next_size(size: int, low: int, high: int, guess: int, tries: int, *, is_open: bool) -> int:
    """Return the size to try next: as guessed, or after some tries by leaps and halves, between
    what fitted and what did not.
    """
    if is_open:
        return min(max(guess, low + 1 + size * tries * tries // 32), 8 * size, high - 1)
    step = max(1, (high - low) // 16)
    return min(max((low + high) // 2 if tries >= _TRIES // 2 else guess, low + step), high - step)


def _cut(content: str, place: _Place, size: int) -> tuple[int, int]:
    """Return a range of about `size` characters, at most, that begins and ends between words where
    it can.
    """
    begin, end = place.start, place.stop
    spare = size - (end - begin)
    if spare < 0:
        end = begin + size
    else:
        left, right = begin - place.head, place.tail - end
        near = size // 8
        if left <= max(spare // 2 + near, spare - right) and left <= spare:
            before = left
        elif right <= spare - spare // 2 + near and right <= spare:
            before = spare - right
        else:
            before = spare // 2
        begin, end = begin - before, end + spare - before
    reach = max(_LONGEST_WORD, size // 10)
    begin = place.head if begin <= place.head else _forward(content, begin, place.start, reach)
    end = max(end, begin + size)
    return begin, place.tail if end >= place.tail else _backward(
        content, end, place.start, place.unit, reach
    )


def _forward(content: str, at: int, limit: int, reach: int) -> int:
    """Return the first place from `at`, up to `limit`, where a word begins, or a character if no
    word does within reach.
    """
    for place in range(at, min(limit, at + reach)):
        if _opens(content, place):
            return place
    if limit <= at + reach:
        return limit
    while at < limit and (content[at].isspace() or not breaks(content, at, at - 1)):
        at += 1
    return at


def _backward(content: str, at: int, start: int, limit: int, reach: int) -> int:
    """Return the last place up to `at`, down to `limit`, where a word ends, or a character if no
    word does within reach.
    """
    for place in range(at, max(limit, at - reach) - 1, -1):
        if _closes(content, place):
            return place
    while at > limit and (content[at - 1].isspace() or not breaks(content, at, start)):
        at -= 1
    return at


def _opens(content: str, at: int) -> bool:
    """Say whether a word begins at a place that is not the text's first."""
    before, after = content[at - 1], content[at]
    return (
        not after.isspace()
        and (before.isspace() or _is_unspaced(after))
        and breaks(content, at, at - 1)
    )


def _closes(content: str, at: int) -> bool:
    """Say whether a word ends at a place that is not the text's last."""
    before, after = content[at - 1], content[at]
    return (
        not before.isspace()
        and (after.isspace() or _is_unspaced(before))
        and breaks(content, at, at - 1)
    )


def _between_sentences(content: str, place: _Place, begin: int, end: int) -> list[tuple[int, int]]:
    """Return what is left between borders of sentences, best first, if that is most of it and has
    all that matched.
    """
    most_lost = (end - begin) // 5
    first, last = begin, end
    if begin > place.head:
        for found in _sentences().finditer(
            content, max(begin - 8, 0), min(begin + most_lost, place.start)
        ):
            at = _next_ink(content, found.end())
            if at >= begin and breaks(content, at, at - 1):
                first = at
                break
    if end < place.tail:
        least = max(end - most_lost, place.stop if end >= place.stop else place.unit)
        for found in _sentences().finditer(content, max(least - 1, 0), end + 1):
            at = found.end()
            if least <= at <= end and not content[at - 1].isspace() and breaks(content, at, at - 1):
                last = at
    options = dict.fromkeys([(first, last), (first, end), (begin, last)])
    return [
        one for one in options if one != (begin, end) and one[1] - one[0] >= end - begin - most_lost
    ][:2]


def _marked(content: str, place: _Place, begin: int, end: int) -> str:
    """Return a part of the content with dots where it was cut."""
    return (
        (_MARK if begin > place.head else "")
        + content[begin:end]
        + (_MARK if end < place.tail else "")
    )


def _is_unspaced(char: str) -> bool:
    """Say whether a character is of a script that sets no spaces between words."""
    return char >= "\u0e01" and bool(_unspaced().match(char))


def _next_ink(content: str, at: int) -> int:
    """Return the first place from `at` on that is not white space, given that there is one."""
    found = _ink().search(content, at)
    return found.start() if found else at


@cache
def _ink() -> re.Pattern[str]:
    return re.compile(r"\S")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(_NO_SPACES)


@cache
def _sentences() -> re.Pattern[str]:
    return re.compile(_SENTENCE)
