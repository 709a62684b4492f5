"""Which words are common: those that the shipped models have whole in their vocabulary."""

import os
from functools import cache, lru_cache

# not through `files`: that makes a table of all words, and a search looks a few of them up
_FILE = os.path.join(os.path.dirname(__file__), "data", "vocab.txt")


@cache
def _lines() -> bytes:
    with open(_FILE, "rb") as stream:
        return stream.read()


@lru_cache(4096)
def is_common_word(word: str) -> bool:
    """Say whether a lower-case word is common in English texts, and so hardly a typo."""
    return b"\n" + word.encode() + b"\n" in _lines()
