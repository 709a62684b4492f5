"""Score titled texts for a question by counting words or by BM25; 0 means no match."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from math import log

from ghostmem.text.terms import STOP_WORDS

TITLE_WEIGHT = 2.0  # a word of the title, relative to a word of the text
PHRASE_BONUS = 2.0  # for each quoted phrase in the text
K1, B = 1.2, 0.75

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("tion", "ment", "ness", "ing", "ies", "est", "ely", "ed", "ly", "er", "es")

Titled = tuple[str, str]


def keyword_scores(query: str, texts: Sequence[Titled]) -> list[float]:
    """Count the words of the question, ignoring case, also inside words; in a title twice."""
    wanted = query.lower().split()
    return [_counted(wanted, title.lower(), text.lower()) for title, text in texts]


def _counted(wanted: Sequence[str], title: str, text: str) -> float:
    return sum(TITLE_WEIGHT * title.count(term) + text.count(term) for term in wanted)


def bm25_scores(query: str, texts: Sequence[Titled]) -> list[float]:
    """Score the stems of the question by BM25; a quoted phrase adds to a score above 0."""
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
    """Score one text; its length counts the title twice, the average length does not."""
    score = 0.0
    for term in wanted:
        count = TITLE_WEIGHT * title.count(term) + text.count(term)
        if count:
            length = TITLE_WEIGHT * len(title) + len(text)
            score += rarity[term] * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))
    if not score:
        return 0.0
    return score + PHRASE_BONUS * sum(
        _contains([*title, *text], phrase) for phrase in phrases if phrase
    )


def tokens(text: str) -> list[str]:
    """Return the stems of the words, without single Latin letters and stop words."""
    words = _WORD.findall(text.lower())
    return [
        clip(word)
        for word in words
        if (len(word) > 1 or not word.isascii()) and word not in STOP_WORDS
    ]


def clip(word: str) -> str:
    """Remove a common English ending from a word of four or more letters."""
    if len(word) < 4:
        return word
    ending = next(
        (end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 2), "s"
    )
    return word.removesuffix(ending)


def _contains(words: Sequence[str], phrase: Sequence[str]) -> bool:
    return any(words[at : at + len(phrase)] == phrase for at in range(len(words) - len(phrase) + 1))
