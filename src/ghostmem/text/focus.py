"""The sentence of a passage that a question is about."""

import re
from collections.abc import Set

from ghostmem.text.stem import stem

_SENTENCE = r"[^.!?。！？\n]+(?:[.!?。！？]+|\n|$)"


def focused(content: str, start: int, stop: int, words: Set[str]) -> tuple[int, int]:
    """Return the place of the sentence in content[start:stop] that holds most of these stems; the whole when none does."""
    best, place = 0, (start, stop)
    for found in re.finditer(_SENTENCE, content[start:stop]) if words else ():
        held = len(words & {stem(word) for word in re.findall(r"[^\W_]+", found[0].lower())})
        if held > best:
            lead = len(found[0]) - len(found[0].lstrip())
            best, place = held, (start + found.start() + lead, start + found.end())
    return place
