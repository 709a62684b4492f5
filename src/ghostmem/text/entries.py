"""Score titled texts for a question by counting or by BM25; texts without a match score 0."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from ghostmem.text.terms import STOP_WORDS, rarity, saturated

TITLE = 2.0  # weight of a word in the title; one in the text has 1
PHRASE = 2.0  # bonus of a quoted phrase that occurs word for word
K1, B = 1.2, 0.75

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("tion", "ment", "ness", "ing", "ies", "est", "ely", "ed", "ly", "er", "es")

Titled = tuple[str, str]


def keyword_scores(query: str, texts: Sequence[Titled]) -> list[float]:
    """Count the question's words, also as parts of words and in any case; titles count double."""
    wanted = query.lower().split()
    return [
        sum(TITLE * title.count(term) + text.count(term) for term in wanted)
        for title, text in [(title.lower(), text.lower()) for title, text in texts]
    ]


def bm25_scores(query: str, texts: Sequence[Titled]) -> list[float]:
    """Weigh the question's stems by their rarity in the texts; quoted phrases add a bonus."""
    phrases = [phrase for part in query.split('"')[1::2] if (phrase := tokens(part))]
    read = [(tokens(title), tokens(text)) for title, text in texts]
    average = sum(len(title) + len(text) for title, text in read) / max(len(read), 1)
    containing = Counter(chain.from_iterable({*title, *text} for title, text in read))
    weights = [(term, rarity(len(read), containing[term])) for term in tokens(query)]
    return [_bm25(weights, phrases, title, text, average) for title, text in read]


def _bm25(
    weights: Sequence[tuple[str, float]],
    phrases: Sequence[Sequence[str]],
    title: Sequence[str],
    text: Sequence[str],
    average: float,
) -> float:
    """Score one text; its length counts the title double, the average length does not."""
    score, length = 0.0, TITLE * len(title) + len(text)
    for term, weight in weights:
        if count := TITLE * title.count(term) + text.count(term):
            score += weight * saturated(count, K1, B, length / average)
    bonus = PHRASE * sum(_contains([*title, *text], phrase) for phrase in phrases)
    return score + bonus if score else 0.0


def tokens(text: str) -> list[str]:
    """Return the stems of a text's words without stop words and single Latin letters."""
    return [
        clip(word)
        for word in _WORD.findall(text.lower())
        if (len(word) > 1 or not word.isascii()) and word not in STOP_WORDS
    ]


def clip(word: str) -> str:
    """Remove a common English ending from a word of four letters or more, leaving at least two.

    Porter's stemmer (`text.stem`) would change the published order of role-file searches."""
    if len(word) < 4:
        return word
    return word.removesuffix(
        next((end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 2), "s")
    )


def _contains(words: Sequence[str], phrase: Sequence[str]) -> bool:
    return any(words[at : at + len(phrase)] == phrase for at in range(len(words) - len(phrase) + 1))
