"""Weigh a word that occurs only inside other words."""

from math import sqrt

SUBSTRING_WEIGHT = 0.6  # relative to a word of its own
MIN_LETTERS_BEFORE = 3  # after this many letters a word inside another is not there by chance
MIN_LONG_WORD = 6  # nor is a word of this length, at any position


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
