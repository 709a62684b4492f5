"""Cut an excerpt of a text around the place that matches a query best."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ghostmem.text.fit import fit
from ghostmem.text.matches import Match, QueryTerms, find_matches
from ghostmem.text.patterns import compiled

SENTENCE_SIZE = 240  # characters that belong together when no room is given
PROXIMITY = 8  # terms as far apart as the room allows lose one part in this many
CHUNK, ELSEWHERE = 13, 10  # weight of evidence in the chunk that search ranked best, and elsewhere
HEADING, BODY = 9, 10  # weight of evidence in a heading and below it, when a line is chosen
_ROOM_SHARES = (1.0, 0.9, 0.8, 0.6, 0.4)  # tried for the words that belong together
_MARKS = "......"  # the dots at both ends
_MAX_FALLBACKS = 3
_SENTENCE_END = r"[.!?…؟।][\"')\]»”’*_]*(?=\s)|[。！？][」』”’）]*|\n"


class Window(NamedTuple):
    """A part of a text, content[start:stop]."""

    start: int
    stop: int


class MatchPlace(NamedTuple):
    """A match, content[start:stop], and the number of lines before it."""

    start: int
    stop: int
    line: int


def excerpt(
    content: str,
    query: QueryTerms,
    chunk: tuple[int, int],
    room: int,
    count: Callable[[str], int],
    *,
    within_chunk: bool = False,
) -> str | None:
    """Return an excerpt that shows where the content matches the query, or None if no word fits.

    Args:
        content: The whole text.
        query: The terms to look for.
        chunk: The part of the content that search ranked best; preferred among equal places, and
            used when no term occurs.
        room: The maximum count of the excerpt.
        count: The function that counts tokens.
        within_chunk: Whether only the chunk is searched, because it was found by meaning alone.
    """
    matches = find_matches(content, query, *(chunk if within_chunk else (0, len(content))))
    if not matches:
        return fit(content, *chunk, room, count)
    start = best_window(matches, 4 * room, chunk).start
    sample = content[max(0, start - 2 * room) : start + 2 * room]
    # the estimated number of characters that fit into the room
    size = max(1, len(sample) * (room - count(_MARKS)) // max(count(sample), 1))
    for share in _ROOM_SHARES:
        part = max(1, int(size * share))
        window = best_window(matches, part, chunk)
        text = fit(content, *_widened(content, window, part), room, count)
        if text is not None and content[window.start : window.stop] in text:
            return text
    best = sorted(matches, key=lambda match: -match.value)[:_MAX_FALLBACKS]
    texts = (
        fit(content, *span, room, count)
        for span in [*((match.start, match.stop) for match in best), chunk]
    )
    return next((text for text in texts if text is not None), None)


def find_place(content: str, query: QueryTerms) -> MatchPlace | None:
    """Return the words that match a query best within the length of a sentence, or None."""
    matches = find_matches(content, query)
    if not matches:
        return None
    if "#" in content:
        matches = [
            match._replace(
                value=match.value
                * (HEADING if content[content.rfind("\n", 0, match.start) + 1] == "#" else BODY)
            )
            for match in matches
        ]
    start, stop = best_window(matches, SENTENCE_SIZE)
    lines: dict[int, _Evidence] = {}
    for match in matches:
        if start <= match.start and match.stop <= stop:
            line = content.count("\n", 0, match.start)
            lines.setdefault(line, _Evidence()).add(match)
    return MatchPlace(start, stop, max(lines, key=lambda line: (lines[line].total, -line)))


def best_window(matches: Sequence[Match], size: int, chunk: tuple[int, int] = (0, 0)) -> Window:
    """Return the window of at most `size` characters with the most evidence.

    Each query term counts once, by its best match. Terms close together and windows in the chunk
    count a little more; among equals the first window is taken.
    """
    best, best_score = Window(matches[0].start, matches[0].stop), -1
    evidence, left = _Evidence(), 0
    for match in matches:
        evidence.add(match)
        while matches[left] is not match and (
            match.stop - matches[left].start > size or evidence.is_redundant(matches[left])
        ):
            evidence.remove_first(matches[left])
            left += 1
        start = matches[left].start
        span = min(match.stop - start, size)
        in_chunk = chunk[0] <= start < chunk[1]
        score = evidence.total * (PROXIMITY * size - span) * (CHUNK if in_chunk else ELSEWHERE)
        if score > best_score:
            best, best_score = Window(start, match.stop), score
    return best


class _Evidence:
    """The sum over query terms of the best value of each in a window."""

    def __init__(self) -> None:
        self.total = 0
        self._values: dict[int, list[int]] = {}  # by term: the values of its matches in order

    def add(self, match: Match) -> None:
        values = self._values.setdefault(match.term, [])
        self.total += max(match.value - max(values, default=0), 0)
        values.append(match.value)

    def remove_first(self, match: Match) -> None:
        """Remove the first of the matches of its term."""
        values = self._values[match.term]
        self.total -= max(values)
        del values[0]
        self.total += max(values, default=0)

    def is_redundant(self, match: Match) -> bool:
        """Say whether the evidence is the same without a match."""
        values = self._values[match.term]
        return match.value < max(values) or values.count(match.value) > 1


def _widened(content: str, window: Window, size: int) -> Window:
    start, stop = _sentence_around(content, window, size)
    begin = window.start - (size - (window.stop - window.start)) // 2
    if window.stop - start <= size:
        begin = start
    elif stop - window.start <= size:
        begin = stop - size
    return Window(begin, min(begin + size, stop))


def _sentence_around(content: str, window: Window, reach: int) -> Window:
    start, stop = max(0, window.start - reach - 1), min(len(content), window.stop + reach + 1)
    for end in compiled(_SENTENCE_END).finditer(content, start, window.start):
        if _is_border(content, end.end()):
            start = end.end()
    for end in compiled(_SENTENCE_END).finditer(content, window.stop, stop):
        if _is_border(content, end.end()):
            stop = end.end()
            break
    text = content[start:stop]
    return Window(stop - len(text.lstrip()), start + len(text.rstrip()))


def _is_border(content: str, at: int) -> bool:
    """Say whether a sentence ends here; a line break before lower case does not end one."""
    following = content[at : at + 20].lstrip(" \t")
    return content[at - 1] != "\n" or not following[:1].islower()
