"""Look up near words in a sorted, memory-mapped file, in microseconds and without numpy."""

import os
from functools import cache, lru_cache
from mmap import ACCESS_READ, mmap

# not through `wordpiece`, which loads a tokenizer that a search without vectors does not need
_FILE = os.path.join(os.path.dirname(__file__), "data", "synonyms.txt")


@cache
def _table() -> mmap:
    with open(_FILE, "rb") as stream:
        return mmap(stream.fileno(), 0, access=ACCESS_READ)


@lru_cache(4096)
def near_words(word: str) -> tuple[tuple[str, float], ...]:
    """Return words with a similar meaning, nearest first, each with its cosine."""
    table, wanted = _table(), word.encode() + b" "
    low, high = 0, len(table)
    while low < high:
        middle = (low + high) // 2
        start = table.rfind(b"\n", 0, middle) + 1
        end = table.find(b"\n", middle)
        line = table[start:end]
        if line.startswith(wanted):
            return tuple(
                (name, int(cosine) / 100)
                for name, cosine in (part.split(":") for part in line.decode().split()[1:])
            )
        if line.split(b" ", 1)[0] < word.encode():
            low = end + 1
        else:
            high = start
    return ()
