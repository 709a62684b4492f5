"""Compare a captured text with a wanted one, for measuring and for labelling training data."""

import re


def overlaps(text: str, wanted: str) -> bool:
    """Say whether a text holds another, is a part of it, or shares most of its words."""
    if wanted in text or text in wanted:
        return True
    first, second = _words(text), _words(wanted)
    if not first or not second:
        return False
    shared = len(first & second)
    shorter, longer = sorted((len(first), len(second)))
    return shared >= 0.6 * shorter and shared >= 0.4 * longer


def _words(text: str) -> set[str]:
    """Return the words of a text, or the characters of one without spaces between words."""
    has_spaces = re.search(r"[a-zA-Z\u0400-\u04ff\uac00-\ud7af]", text)
    return set(re.findall(r"\w+", text.lower())) if has_spaces else set(text)
