"""Scores of titled texts for a question, by counting or by BM25: one per text, 0 where nothing
speaks for it.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from math import log

from ghostmem.text.terms import STOP_WORDS

TITLE = 2.0  # what a word of the title counts, where one of the text counts 1
PHRASE = 2.0  # what a quoted phrase adds where it stands word for word
K1, B = 1.2, 0.75

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("tion", "ment", "ness", "ing", "ies", "est", "ely", "ed", "ly", "er", "es")

Titled = tuple[str, str]


def keyword_scores(query: str, texts: Sequence[Titled]) -> list[float]:
    """Count the question's words as parts of words, without regard to case.

    In a title they count double.
    """
    wanted = query.lower().split()
    return [_counted(wanted, title.lower(), text.lower()) for title, text in texts]


def _counted(wanted: Sequence[str], title: str, text: str) -> float:
    return sum(TITLE * title.count(term) + text.count(term) for term in wanted)


def bm25_scores(query: str, texts: Sequence[Titled]) -> list[float]:
    """Weigh the question's stems by their rarity among the texts.

    Quoted phrases add to what scores anyway.
    """
    phrases = [tokens(part) for part in query.split('"')[1::2]]
    wanted = tokens(query)
    read = [(tokens(title), tokens(text)) for title, text in texts]
    average = sum(len(title) + len(text) for title, text in read) / max(len(read), 1)
    holding = Counter(chain.from_iterable({*title, *text} for title, text in read))
    rarity = {
        term: log((len(read) - holding[term] + 0.5) / (holding[term] + 0.5) + 1) for term in wanted
    }
    return [_bm25(wanted, phrases, title, text, rarity, average) for title, text in read]


def _bm25(
    wanted: Sequence[str],
    phrases: Sequence[Sequence[str]],
    title: Sequence[str],
    text: Sequence[str],
    rarity: Mapping[str, float],
    average: float,
) -> float:
    """Score one text; its length counts the title double, the average length does not."""
    found = 0.0
    for term in wanted:
        count = TITLE * title.count(term) + text.count(term)
        if count:
            length = TITLE * len(title) + len(text)
            found += rarity[term] * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))
    if not found:
        return 0.0
    return found + PHRASE * sum(_holds([*title, *text], phrase) for phrase in phrases if phrase)


def tokens(text: str) -> list[str]:
    """Return the stems of a text's words, without single letters of the Latin alphabet and words
    that say nothing.
    """
    words = _WORD.findall(text.lower())
    return [
        clip(word)
        for word in words
        if (len(word) > 1 or not word.isascii()) and word not in STOP_WORDS
    ]


def clip(word: str) -> str:
    """Take a common English ending off a word of four letters or more, leaving at least two."""
    if len(word) < 4:
        return word
    ending = next(
        (end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 2), "s"
    )
    return word.removesuffix(ending)


def _holds(words: Sequence[str], phrase: Sequence[str]) -> bool:
    return any(words[at : at + len(phrase)] == phrase for at in range(len(words) - len(phrase) + 1))
