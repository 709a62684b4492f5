"""Cut the longest excerpt around a match that fits into a token budget."""

from collections.abc import Callable
from typing import NamedTuple

from ghostmem.text.borders import breaks
from ghostmem.text.patterns import compiled
from ghostmem.text.scripts import UNSPACED

_MARK = "..."
_MAX_WORD = 40  # characters; a longer text without a border is cut between any two characters
_MAX_CHARACTER = 1000  # code points; even, because a flag has two
_SMALL = 1024  # characters of a text that is always counted as a whole
_MAX_TRIES = 8  # counts of different excerpts
_SENTENCE = r"[.!?…؟।][\"')\]»”’]*(?=\s)|[。！？][」』”’）]*|(?=\n)"
# The index treats Hangul as a script without spaces, but its words have spaces between them.
_NO_SPACES = f"(?![\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb])[{UNSPACED}，、；：。！？」』）]"


class _Place(NamedTuple):
    """The limits of an excerpt: from head to tail, around the first word of the match."""

    head: int
    tail: int
    start: int
    unit: int
    stop: int


def fit(content: str, start: int, stop: int, room: int, count: Callable[[str], int]) -> str | None:
    """Return the longest excerpt around content[start:stop] with a count of at most `room`.

    None means that not even one word fits.
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
        is_close = not is_small and len(content) < 2 * len(text)
        return content if is_close and count(content) <= room else text
    for begin, end in _between_sentences(content, place, *span):
        text = _marked(content, place, begin, end)
        if count(text) <= room:
            return text
    return _marked(content, place, *span)


def _find_place(content: str, start: int, stop: int) -> _Place | None:
    """Return the limits of an excerpt, or None for a text of white space or endless marks."""
    head, tail = len(content) - len(content.lstrip()), len(content.rstrip())
    if head >= tail:
        return None
    head -= head > 0 and not breaks(content, head)  # a mark on a space
    start = _next_ink(content, min(max(start, head), tail - 1))
    first = max(head, start - _MAX_CHARACTER)
    while start > first and not breaks(content, start, max(head, start - _MAX_CHARACTER)):
        start -= 1
    if start == first > head:
        return None
    unit = _word(content, start, head, tail) or _character(content, start, tail)
    return unit and _Place(head, tail, *unit, min(max(stop, unit[1]), tail))


def _word(content: str, at: int, head: int, tail: int) -> tuple[int, int] | None:
    """Return the word around a position, or None in a script without spaces or a long run."""
    begins = range(at, at - _MAX_WORD - 1, -1)
    begin = next(
        (place for place in begins if place <= head or _is_border(content, place, opens=True)), None
    )
    if begin is None or _is_unspaced(content[at]):
        return None
    ends = range(at + 1, max(begin + _MAX_WORD, at + 1) + 1)
    end = next(
        (place for place in ends if place >= tail or _is_border(content, place, opens=False)), None
    )
    return None if end is None else (begin, end)


def _character(content: str, at: int, tail: int) -> tuple[int, int] | None:
    """Return the visible character that begins at a position, or None if it has no end."""
    limit = at + _MAX_CHARACTER
    end = next((end for end in range(at + 1, min(tail, limit)) if breaks(content, end, at)), tail)
    return (at, end) if end <= limit else None


def _widest(
    content: str, place: _Place, room: int, count: Callable[[str], int]
) -> tuple[int, int] | None:
    """Return the widest range between words that fits.

    It takes few counts, each of a text that is about as long as the room.
    """
    least, most = place.unit - place.start, place.tail - place.head
    low, high = least - 1, most + 1
    size = min(max(4 * room, least), most)
    best: tuple[int, int] | None = None
    costs: dict[tuple[int, int], int] = {}
    for _ in range(4 * _MAX_TRIES):
        span = _cut(content, place, size)
        if span not in costs:
            costs[span] = count(_marked(content, place, *span))
        if costs[span] > room:
            high = size
        else:
            low = size
            best = max(best or span, span, key=lambda span: span[1] - span[0])
        is_open = high > most
        if high - low <= 1 + (0 if is_open else size // 64) or len(costs) == _MAX_TRIES:
            break
        guess = (span[1] - span[0]) * max(room, 0) // max(costs[span], 1)
        size = _next_size(size, low, high, guess, len(costs), is_open=is_open)
    smallest = _cut(content, place, least)
    if best is None and smallest not in costs and count(_marked(content, place, *smallest)) <= room:
        return smallest
    return best


def _next_size(size: int, low: int, high: int, guess: int, tries: int, *, is_open: bool) -> int:
    """Return the next size to try, between the largest that fits and the smallest that does not.

    It is the guess, or after some tries a step or a half of the interval.
    """
    if is_open:
        return min(max(guess, low + 1 + size * tries * tries // 32), 8 * size, high - 1)
    step = max(1, (high - low) // 16)
    return min(
        max((low + high) // 2 if tries >= _MAX_TRIES // 2 else guess, low + step), high - step
    )


def _cut(content: str, place: _Place, size: int) -> tuple[int, int]:
    """Return a range of at most about `size` characters, between words if possible."""
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
    reach = max(_MAX_WORD, size // 10)
    begin = place.head if begin <= place.head else _forward(content, begin, place.start, reach)
    end = max(end, begin + size)
    return begin, place.tail if end >= place.tail else _backward(
        content, end, place.start, place.unit, reach
    )


def _forward(content: str, at: int, limit: int, reach: int) -> int:
    """Return the first start of a word from `at` to `limit`, or else of a character."""
    for place in range(at, min(limit, at + reach)):
        if _is_border(content, place, opens=True):
            return place
    if limit <= at + reach:
        return limit
    while at < limit and (content[at].isspace() or not breaks(content, at, at - 1)):
        at += 1
    return at


def _backward(content: str, at: int, start: int, limit: int, reach: int) -> int:
    """Return the last end of a word from `at` down to `limit`, or else of a character."""
    for place in range(at, max(limit, at - reach) - 1, -1):
        if _is_border(content, place, opens=False):
            return place
    while at > limit and (content[at - 1].isspace() or not breaks(content, at, start)):
        at -= 1
    return at


def _is_border(content: str, at: int, *, opens: bool) -> bool:
    """Say whether a word begins (`opens`) or ends at a position inside the text."""
    before, after = content[at - 1], content[at]
    outer, inner = (before, after) if opens else (after, before)
    is_border = outer.isspace() or _is_unspaced(inner)
    return is_border and not inner.isspace() and breaks(content, at, at - 1)


def _between_sentences(content: str, place: _Place, begin: int, end: int) -> list[tuple[int, int]]:
    """Return ranges between borders of sentences, best first, that keep most of the excerpt."""
    max_lost = (end - begin) // 5
    least = max(end - max_lost, place.stop if end >= place.stop else place.unit)
    borders = compiled(_SENTENCE).finditer
    before = borders(content, max(begin - 8, 0), min(begin + max_lost, place.start))
    after = borders(content, max(least - 1, 0), end + 1)
    starts = (_next_ink(content, border.end()) for border in before if begin > place.head)
    stops = (border.end() for border in after if end < place.tail)
    first = next((at for at in starts if at >= begin and breaks(content, at, at - 1)), begin)
    last = max(
        (
            at
            for at in stops
            if least <= at <= end and not content[at - 1].isspace() and breaks(content, at, at - 1)
        ),
        default=end,
    )
    options = dict.fromkeys([(first, last), (first, end), (begin, last)])
    shortest = end - begin - max_lost
    return [
        option for option in options if option != (begin, end) and option[1] - option[0] >= shortest
    ][:2]


def _marked(content: str, place: _Place, begin: int, end: int) -> str:
    return (
        (_MARK if begin > place.head else "")
        + content[begin:end]
        + (_MARK if end < place.tail else "")
    )


def _is_unspaced(char: str) -> bool:
    return char >= "\u0e01" and bool(compiled(_NO_SPACES).match(char))


def _next_ink(content: str, at: int) -> int:
    """Return the first position from `at` on that is not white space, or `at`."""
    ink = compiled(r"\S").search(content, at)
    return ink.start() if ink else at
