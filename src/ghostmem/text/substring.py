"""What a word is worth that occurs only inside other words."""

from math import sqrt

SUBSTRING = 0.6  # what a word inside another is worth
COMPOUND = 3  # a word after this many letters of another is not there by chance
LONG = 6  # nor is a word of this length, wherever it is


def substring_worth(word: str, text: str) -> float:
    """Return what a word inside other words of a text is worth: more if it makes up more of them.

    After one or two letters a short word is there by chance, as "lack" is in "black"; a code may
    be cut anywhere.
    """
    best, at = 0.0, text.find(word)
    while at >= 0:
        start, stop = at, at + len(word)
        while start > 0 and text[start - 1].isalnum():
            start -= 1
        while stop < len(text) and text[stop].isalnum():
            stop += 1
        if not word.isalpha():
            return SUBSTRING
        if start == at or at - start >= COMPOUND or len(word) >= LONG:
            best = max(best, SUBSTRING * sqrt(len(word) / (stop - start)))
        at = text.find(word, at + 1)
    return best
