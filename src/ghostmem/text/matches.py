"""Find the words of a query in a text, and the value of each occurrence.

A word of the query may occur as it is, with another ending, inside a longer word, or as a synonym.
A word that occurs in many parts of the text has less value than a rare one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from ghostmem.text.patterns import compiled
from ghostmem.text.scripts import UNSPACED, fold
from ghostmem.text.terms import piece_terms, rarity, words

SUBSTRING_WEIGHT = 0.6  # relative to a word of its own
MIN_LETTERS_BEFORE = 3  # after this many letters a word inside another is not there by chance
MIN_LONG_WORD = 6  # nor is a word of this length, at any position

UNIT = 400  # characters; the rarity of a word is counted over parts of the text this long
MAX_READ = 32  # blocks of a long text that are read word by word
BLOCK = 1024  # characters in a block
OVERLAP = 128  # characters read before and after a block, so that no word is missed at its border
MAX_KNOWN = 4_096  # pieces of text that a query remembers
MAX_HINTS = 256  # query terms and synonyms that blocks are searched for
MIN_PART = 3  # letters of a query term that is searched inside other words
_SCALE = 1000  # values are integers, so that equal evidence is equal

_JOINERS = r"\-_./:@#+\\"
_WORD = rf"[^\s!\"$%&()*,;<=>?\[\]^`{{|}}~{_JOINERS}{UNSPACED}]{{1,80}}"
_JOINED_WORDS = rf"{_WORD}(?:[{_JOINERS}]{{1,3}}{_WORD}){{0,7}}(?:\+\+?|#)?"
_PIECE = rf"([{UNSPACED}]+)|{_JOINED_WORDS}"

# characters that folding may change: all but ASCII, dashes and quotes, Kana, Han, Hangul
# syllables and wide punctuation
_FOLDABLE = (
    r"[^\x00-\x7f\u2010-\u203f\u3000-\u3098\u30a0-\u30ff\u3400-\u9fff\uac00-\ud7a3"
    r"\uff01-\uff0f\uff1a-\uff1f]"
)


def substring_worth(word: str, text: str) -> float:
    """Return the weight of a word inside other words: more if it is a larger part of them.

    After one or two letters a short word is there by chance, as "lack" is in "black". A code may
    begin anywhere.
    """
    best, at = 0.0, text.find(word)
    while at >= 0:
        start, stop = at, at + len(word)
        while start > 0 and text[start - 1].isalnum():
            start -= 1
        while stop < len(text) and text[stop].isalnum():
            stop += 1
        if not word.isalpha():
            return SUBSTRING_WEIGHT
        if start == at or at - start >= MIN_LETTERS_BEFORE or len(word) >= MIN_LONG_WORD:
            best = max(best, SUBSTRING_WEIGHT * sqrt(len(word) / (stop - start)))
        at = text.find(word, at + 1)
    return best


class StandIn(NamedTuple):
    """The query term that an index term replaces, by number, and the share of it that counts."""

    term: int
    worth: float


class QueryTerms(NamedTuple):
    """The terms of a query, and the index terms of a text that count as one of them."""

    terms: tuple[str, ...] = ()
    stand_ins: Mapping[str, tuple[StandIn, ...]] = {}
    has_parts: bool = False  # whether terms are also searched inside other words
    is_stop_words: bool = False  # whether the query has only stop words
    # how pieces of text match that were compared before, for a query that reads several texts
    known: "dict[str, list[_Use]] | None" = None


NO_TERMS = QueryTerms()


class Match(NamedTuple):
    """An occurrence: content[start:stop], the number of the query term, and its value."""

    start: int
    stop: int
    term: int
    value: int


class _Use(NamedTuple):
    """How a piece of text matches a query term: as which index term, and with which worth."""

    term: int
    name: str
    worth: float


class _Occurrence(NamedTuple):
    start: int
    stop: int
    use: _Use


def find_matches(
    content: str,
    query: QueryTerms,
    start: int = 0,
    stop: int | None = None,
) -> list[Match]:
    """Return the matches in content[start:stop] in the order of the text.

    Of a long text, only the blocks with the most query terms are read.
    """
    if not query.terms:
        return []
    spans = _promising_spans(content, query, start, len(content) if stop is None else stop)
    occurrences = _occurrences(content, spans, query)
    values = _values(occurrences, 1 + sum(end - begin for begin, end in spans) // UNIT)
    return [Match(start, stop, use.term, values[use]) for start, stop, use in occurrences]


def _values(occurrences: Iterable[_Occurrence], units: int) -> dict[_Use, int]:
    """Return the value of each way to match: its worth times its rarity in the text."""
    # in how many parts of the text each occurs
    counts = Counter(use for use, _ in {(use, start // UNIT) for start, _, use in occurrences})
    return {
        use: round(_SCALE * use.worth * rarity(max(units, count), count))
        for use, count in counts.items()
    }


def _occurrences(
    content: str, spans: Sequence[tuple[int, int]], query: QueryTerms
) -> list[_Occurrence]:
    """Return the occurrences of query terms; each distinct piece of text is checked once."""
    pieces = [piece for span in spans for piece in compiled(_PIECE).finditer(content, *span)]
    runs = [piece for piece in pieces if piece[1]]
    uses = _uses(list(dict.fromkeys([piece[0] for piece in pieces if not piece[1]])), query)
    spaced = [
        _Occurrence(*piece.span(), use)
        for piece in (pieces if uses else ())
        if piece[0] in uses  # no run of a script without spaces is among them
        for use in uses[piece[0]]
    ]
    unspaced = list(_bigrams(runs, query)) if runs else []
    return sorted([*spaced, *unspaced]) if unspaced else spaced


def _uses(pieces: Sequence[str], query: QueryTerms) -> dict[str, list[_Use]]:
    """Return how pieces of text match a query: as a query term, a synonym, or a part of a word."""
    split = words if query.is_stop_words else piece_terms
    known, stand_ins = query.known, query.stand_ins
    if known is None or len(known) >= MAX_KNOWN:
        known = {}
    for piece in pieces:
        if piece not in known:
            known[piece] = [
                _Use(term, name, worth)
                for name in split(piece)
                if name in stand_ins
                for term, worth in stand_ins[name]
            ]
    uses = {piece: list(known[piece]) for piece in pieces if known[piece]}
    if query.has_parts:
        _add_parts(uses, pieces, query)
    return uses


def _add_parts(uses: dict[str, list[_Use]], pieces: Sequence[str], query: QueryTerms) -> None:
    """Add the pieces with a query term inside a word, if it is never a word of its own."""
    exact = {use.term for matching in uses.values() for use in matching if use.worth == 1}
    text = _folded("\n".join(pieces)).lower()
    parts = [
        (number, term)
        for number, term in enumerate(query.terms)
        if number not in exact and len(term) >= MIN_PART and term in text
    ]
    for piece, lower in zip(pieces, text.split("\n"), strict=True) if parts else ():
        for number, term in parts:
            if term in lower and (worth := substring_worth(term, lower)):
                uses.setdefault(piece, []).append(_Use(number, "", worth))


def _bigrams(runs: Sequence[re.Match[str]], query: QueryTerms) -> Iterator[_Occurrence]:
    """Yield occurrences in runs of scripts without spaces, which are indexed by bigrams."""
    is_plain = not compiled(_FOLDABLE).search("".join([run[0] for run in runs]))
    for run in runs:
        text = run[0] if is_plain else fold(run[0])
        for at in range(max(1, len(text) - 1)):
            name = text[at : at + 2]
            start = min(run.start() + at, run.end() - 1)
            stop = min(start + len(name), run.end())
            for term, worth in query.stand_ins.get(name, ()):
                yield _Occurrence(start, stop, _Use(term, name, worth))


def _promising_spans(
    content: str,
    query: QueryTerms,
    start: int,
    stop: int,
) -> list[tuple[int, int]]:
    """Return the spans to read: the whole text, or the best blocks of a long one."""
    if stop - start <= MAX_READ * BLOCK:
        return [(start, stop)]
    hints = _hints(query)
    blocks: list[dict[int, float]] = []
    for at in range(start, stop, BLOCK):
        text = _folded(content[at : min(at + BLOCK + OVERLAP, stop)]).lower().replace("'", "")
        present: dict[int, float] = {}
        for hint, stand_in in hints:
            if hint in text and stand_in.worth > present.get(stand_in.term, 0.0):
                present[stand_in.term] = stand_in.worth
        blocks.append(present)
    counts = Counter(term for block in blocks for term in block)
    weights = {term: rarity(len(blocks), count) for term, count in counts.items()}
    scores = [sum(weights[term] * worth for term, worth in block.items()) for block in blocks]
    best = sorted(range(len(blocks)), key=lambda number: (-scores[number], number))[:MAX_READ]
    return _joined(sorted(best), start, stop)


def _hints(query: QueryTerms) -> list[tuple[str, StandIn]]:
    """Return, for each index term, the letters that every word of this term begins with.

    A stem differs from its words in its last letter at most.
    """
    hints = [
        (name[:-1] if len(name) > MIN_PART and name.isascii() else name, stand_in)
        for name, stand_ins in query.stand_ins.items()
        for stand_in in stand_ins
    ]
    return sorted(hints, key=lambda hint: (-hint[1].worth, hint[1].term))[:MAX_HINTS]


def _joined(numbers: Iterable[int], start: int, stop: int) -> list[tuple[int, int]]:
    """Return the spans of some blocks with their overlap, neighbours as one span."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        begin = max(start, start + number * BLOCK - OVERLAP)
        end = min(stop, start + (number + 1) * BLOCK + OVERLAP)
        if spans and begin <= spans[-1][1]:
            begin = spans.pop()[0]
        spans.append((begin, end))
    return spans


def _folded(text: str) -> str:
    """Fold a text; faster than `fold` if it has no character that folding changes."""
    return fold(text) if not text.isascii() and compiled(_FOLDABLE).search(text) else text
