"""Recognise the kind of answer that a question wants, and texts of that kind."""

import re
from typing import NamedTuple

from ghostmem.text.calendar import TIME_WORDS
from ghostmem.text.patterns import compiled

_LISTS = (
    r"\b(?:kinds?|types?|sorts?) of\b|\bhow many\b|\bboth\b|\b(?:what|which|who) are\b"
    r"|\blist\b|\ball the\b|\bin what ways\b"
    r"|^\W*(?:what|where|who)\s+(?:has|have)\b"
)
_NOUN = r"\b(?:what|which)\b((?:\s+[\w+'’-]+){1,6})"
_VERBS = frozenset(
    "do does did has have had is are was were can could will would should might may must".split()
)
_NOT_PLURAL = ("ss", "us", "is", "'s", "’s")
_WHEN = (
    r"^\W*when\b|\bwhat (?:date|day|month|year|time)\b|\bhow long ago\b|\bwhich (?:day"
    r"|month|year)\b"
    r"|^\W*wann\b|^\W*quand\b|^\W*cuándo\b|什么时候|何時|언제"
)
_WHERE = (
    r"^\W*where\b|\b(?:what|which) (?:city|country|state|place|town|location|area|region|street)\b"
    r"|^\W*wo\b|^\W*où\b|^\W*dónde\b|哪里|哪裡|どこ|어디"
)
_AND = frozenset("and und et y e".split())
# between two questions: a question mark before another, or "and" before a question word
_JOINT = (
    r"[?？] ?(?=[^ ?？][^?？]*[?？])|[,;]? (?:and|und|et|y|e) (?=(?:(?:about|at|by|for|from|in"
    r"|of|on|since|to|under|until|with|an|auf|bei|für|mit|seit|von|zu|avec|de|depuis|pour|con|desde"
    r"|en|para) )?(?:who|whom|whose|what|when|where|which|why|how|wer|wen|wem|wessen|was|wann|wo"
    r"|wohin|woher|welche\w*|warum|wie|qui|quoi|quand|où|quel\w*|pourquoi|comment|quién\w*|qué"
    r"|cuándo|dónde|cuál\w*|cómo)\b)"
)
MAX_PARTS = 3  # a text that joins more questions is read as a whole
_DIGIT_TIME = r"\b(?:19|20)\d\d\b|\b\d{1,2}(?::\d\d|\s?[ap]m)\b"
_PROPER = r"(?<=[a-z,;] )[A-Z][a-z]{2,}"


class Question(NamedTuple):
    """The kind of answer that a question wants."""

    when: bool
    where: bool
    several: bool


def read_question(text: str) -> Question:
    """Say whether a question asks for a time, a place, or several things."""
    return Question(_has(_WHEN, text), _has(_WHERE, text), _has(_LISTS, text) or _asks_plural(text))


def parts(text: str) -> list[str]:
    """Return the questions that a text joins, as in `Who owns it, and where is it?`."""
    # the pattern takes milliseconds to compile, and most questions are single
    if text.count("?") + text.count("？") < 2 and _AND.isdisjoint(text.lower().split()):
        return [text]
    found = [part for part in compiled(_JOINT, re.IGNORECASE).split(" ".join(text.split())) if part]
    return found if 1 < len(found) <= MAX_PARTS else [text]


def _has(pattern: str, text: str) -> bool:
    return bool(compiled(pattern, re.IGNORECASE).search(text))


def _asks_plural(text: str) -> bool:
    """Say whether the noun before the verb is a plural, as in `which books has she read`."""
    match = compiled(_NOUN, re.IGNORECASE).search(text)
    words = match[1].lower().split() if match else []
    verb = next((at for at, word in enumerate(words) if word in _VERBS), 0)
    return verb > 0 and words[verb - 1].endswith("s") and not words[verb - 1].endswith(_NOT_PLURAL)


def tells_time(text: str) -> bool:
    """Say whether a text names a time."""
    return bool(re.search(_DIGIT_TIME, text)) or any(
        word in TIME_WORDS for word in compiled(r"[^\W\d_]+").findall(text.lower())
    )


def names_something(text: str) -> bool:
    """Say whether a text has a proper noun beyond the start of a sentence."""
    return bool(re.search(_PROPER, text))


def is_question(text: str) -> bool:
    """Say whether a text is itself a question."""
    return text.rstrip().endswith(("?", "？"))
