"""Recognise common words: those that are single tokens of the shipped models."""

import os
from functools import cache, lru_cache

# not through `wordpiece`, which builds a table of all words; a search looks up only a few
_FILE = os.path.join(os.path.dirname(__file__), "data", "vocab.txt")


@cache
def _lines() -> bytes:
    with open(_FILE, "rb") as stream:
        return stream.read()


@lru_cache(4096)
def is_common_word(word: str) -> bool:
    """Say whether a lower-case word is common in English, and so probably no typo."""
    return b"\n" + word.encode() + b"\n" in _lines()
